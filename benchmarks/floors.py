"""Floors: the least that a workload takes on ATen's kernels, over torch's whole step.

What a target below such a number asks for cannot be had by a framework that calls these kernels.
``ours`` is here not pypaddle but bare calls of torch: no gradients recorded, no modules, results
written into memory that is kept, everything that is cheap left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import eager, models, training
from benchmarks.options import Options, compare_processes
from benchmarks.table import Row

GROUP = "floors"
MODULE = "benchmarks.floors"

MLP = "MLP 784-512-10: products and update"
LSTM = "LSTM 2x256 b32 s64: products alone"
CHAIN = "900 operators forward: the least wrapper"
BARE = "900 operators in no_grad: torch.add and torch.mul alone"
NUMPY = "numpy(): without the copy"
# floor -> the rows that it bounds
BOUNDS = {
    MLP: "training and static: MLP",
    LSTM: "models: LSTM",
    CHAIN: "eager: forward recorded",
    BARE: "eager: forward in no_grad",
    NUMPY: "eager: numpy()",
}


def mlp_kernels() -> Callable[[], Any]:
    """The six matrix products of a step, each in the form that is fastest here, and fused Adam."""
    import torch

    batch, inputs, width, classes = 64, 784, 512, 10
    images = torch.rand(batch, inputs)
    params = [
        torch.rand(s) * 0.01 for s in ((inputs, width), (width,), (width, classes), (classes,))
    ]
    grads, first, second = ([torch.zeros_like(p) for p in params] for _ in range(3))
    hidden, error = torch.rand(batch, width), torch.rand(batch, classes) * 1e-3
    columns, rows = torch.empty(classes, batch).t(), torch.empty(classes, width)
    step = [torch.ones(())] * len(params)
    linear = torch.ops.mkldnn._linear_pointwise

    def run() -> None:
        linear(images, params[0].t(), params[1], "relu", [], "")
        torch.addmm(params[3], hidden, params[2], out=columns)
        torch.mm(error.t(), hidden, out=rows)
        back = torch.mm(error, params[2].t())
        torch.mm(images.t(), back, out=grads[0])
        torch._fused_adam_(
            params, grads, first, second, [], step, lr=1e-4, beta1=0.9, beta2=0.999,
            weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False,
        )  # fmt: skip

    return run


def lstm_products() -> Callable[[], Any]:
    """The matrix products of two layers, forward and backward; no gates, no update."""
    import torch

    time, batch, size = 64, 32, 256
    inputs, gates = torch.rand(time * batch, size), torch.rand(time * batch, 4 * size)
    w = torch.rand(size, 4 * size) * 0.01
    state, step = torch.rand(batch, size), torch.rand(batch, 4 * size)
    linear = torch.ops.mkldnn._linear_pointwise

    def run() -> None:
        for layer in range(2):
            linear(inputs, w.t(), None, "none", [], "")
            for _ in range(time):
                linear(state, w.t(), None, "none", [], "")
            for _ in range(time):
                linear(step, w, None, "none", [], "")
            torch.mm(inputs.t(), gates)
            torch.mm(inputs.t(), gates)
            if layer:  # nobody wants the gradient of the data
                linear(gates, w, None, "none", [], "")

    return run


class _Held:
    """A handle and its record, as small as they can be."""

    __slots__ = ("buffer", "edges", "saved")


def chain(wrapped: bool) -> Callable[[], Any]:
    """The chain of the group eager: on handles that remember where they came from, or bare."""
    import torch

    arrays = eager.torch_calls().arrays
    x, w, b = (torch.tensor(a) for a in arrays)
    tanh, mul, add = torch.tanh, torch.mul, torch.add

    def one(function: Callable, held: _Held) -> _Held:
        made = _Held()
        made.buffer = function(held.buffer)
        made.edges, made.saved = (held,), (made.buffer,)
        return made

    def two(function: Callable, held: _Held, other: _Held) -> _Held:
        made = _Held()
        made.buffer = function(held.buffer, other.buffer)
        made.edges, made.saved = (held, None), (held.buffer, other.buffer)
        return made

    def handle(value: Any) -> _Held:
        made = _Held()
        made.buffer = value
        return made

    def recorded() -> Any:
        y, weight, bias = handle(x), handle(w), handle(b)
        for _ in range(eager.LENGTH):
            y = two(add, two(mul, one(tanh, y), weight), bias)
        return y

    def bare() -> Any:
        y = x
        for _ in range(eager.LENGTH):
            y = add(mul(tanh(y), w), b)
        return y

    return recorded if wrapped else bare


def torch_side(task: str) -> Callable[[], Any]:
    """The whole of what the floor is a part of, in torch."""
    if task == MLP:
        return training.torch_step("mlp", 0.0)
    if task == LSTM:
        return models.torch_step("lstm", 0)
    calls = eager.torch_calls()
    if task == CHAIN:
        return eager.pick(calls, "900 operators, forward recorded")
    if task == BARE:
        return eager.pick(calls, "900 operators, forward in no_grad")
    return eager.pick(calls, "numpy()")


def floor(task: str) -> Callable[[], Any]:
    """The least of it."""
    import torch

    if task == MLP:
        return mlp_kernels()
    if task == LSTM:
        return lstm_products()
    if task == NUMPY:
        x = torch.rand(4, 4)
        return x.numpy
    return chain(task == CHAIN)


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    return floor(task) if side == "ours" else torch_side(task)


def rows(options: Options) -> Iterator[Row]:
    """Measures; there is no target, the note says which one of another group this bounds."""
    for threads in options.threads:
        for name, bounded in BOUNDS.items():
            if not options.wants(GROUP, name):
                continue
            effort = options.effort(31, 0.1)
            result = compare_processes(MODULE, name, ("ours", "torch"), threads, effort)
            if result is None:
                continue
            unit, scale = ("us", 1e6) if name == NUMPY else ("ms", 1e3)
            yield Row(
                GROUP, name, threads, result.clock, unit, result.median("ours") * scale,
                result.median("torch") * scale, result.ratio("ours", "torch"),
                note=result.remark(f"bounds {bounded}"),
            )  # fmt: skip
