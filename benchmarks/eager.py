"""Eager calls on small tensors: what a call costs beyond its kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Result, Timer, interleave, local
from benchmarks.options import Options, skipped
from benchmarks.table import Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "eager"
LENGTH = 300  # of a chain, in groups of three operators

# PaddlePaddle 2.6.2's time over torch's, what ours must not exceed: from the project's table of
# peers where it has the call, else measured by this script with --oracle.
PEERS = {
    "to_tensor(nested list 2x2)": 8.9 / 3.4,
    "to_tensor(ndarray 4x4)": 8.9 / 3.4,
    "numpy()": 1.1 / 2.4,
    "x[1:3, 0:2]": 2.9 / 2.2,
    "x[1:3]": 2.13,
    "x[0]": 2.69,
    "x[:, 1]": 2.03,
    "x[1] = 0.5": 4.2 / 1.5,
    "x[0:2] = tensor": 4.2 / 1.5,
}


def backward_from(result: Any, seed: Any) -> None:
    """Runs backward with a given gradient, which the frameworks take in different places."""
    if hasattr(result, "stop_gradient"):
        result.backward(grad_tensor=seed)
    else:
        result.backward(seed)


class Calls:
    """The workloads as functions, of pypaddle or real PaddlePaddle, or of torch."""

    def __init__(self, framework: Any, make: Callable, forget: Callable, no_grad: Any) -> None:
        self.framework, self.make, self.forget, self.no_grad = framework, make, forget, no_grad
        rng = np.random.RandomState(0)
        self.arrays = [rng.uniform(-1, 1, (4, 4)).astype("float32") for _ in range(3)]

    def add(self, wants_grad: bool) -> Callable:
        x, y = self.make(self.arrays[0], wants_grad), self.make(self.arrays[1], False)
        add = self.framework.add
        return lambda: add(x, y)

    def chain(self, leaves: int, backward: bool) -> Callable:
        """900 operators, of which the first ``leaves`` of x, w and b want gradients."""
        x, w, b = (self.make(a, i < leaves) for i, a in enumerate(self.arrays))
        tanh = self.framework.tanh

        def run() -> Any:
            y = x
            for _ in range(LENGTH):
                y = tanh(y)
                y = y * w
                y = y + b
            return y

        if not backward:
            return run
        seed, forget = self.make(self.arrays[1], False), self.forget

        def both() -> None:
            backward_from(run(), seed)
            for leaf in (x, w, b)[:leaves]:
                forget(leaf)

        return both

    def quiet(self, step: Callable) -> Callable:
        """``step`` without recording."""
        no_grad = self.no_grad

        def run() -> None:
            with no_grad():
                step()

        return run

    def small(self, name: str) -> Callable:
        """The calls of PEERS; ``numpy()`` gives memory of its own on every side."""
        x = self.make(self.arrays[0], False)
        value = self.make(self.arrays[1][0:2].copy(), False)
        convert = getattr(self.framework, "to_tensor", None) or self.framework.tensor
        array = self.arrays[0]
        owned = hasattr(self.framework, "to_tensor")

        def set_number() -> None:
            x[1] = 0.5

        def set_tensor() -> None:
            x[0:2] = value

        return {
            "to_tensor(nested list 2x2)": lambda: convert([[0.1, 0.2], [0.3, 0.4]]),
            "to_tensor(ndarray 4x4)": lambda: convert(array),
            "numpy()": (lambda: x.numpy()) if owned else (lambda: x.numpy().copy()),
            "x[1:3, 0:2]": lambda: x[1:3, 0:2],
            "x[1:3]": lambda: x[1:3],
            "x[0]": lambda: x[0],
            "x[:, 1]": lambda: x[:, 1],
            "x[1] = 0.5": set_number,
            "x[0:2] = tensor": set_tensor,
        }[name]


def paddle_calls() -> Calls:
    import paddle

    def make(array: np.ndarray, wants_grad: bool) -> Any:
        return paddle.to_tensor(array, stop_gradient=not wants_grad)

    return Calls(paddle, make, lambda leaf: leaf.clear_gradient(), paddle.no_grad)


def torch_calls() -> Calls:
    import torch

    def make(array: np.ndarray, wants_grad: bool) -> Any:
        return torch.tensor(array, requires_grad=wants_grad)

    def forget(leaf: Any) -> None:
        leaf.grad = None

    return Calls(torch, make, forget, torch.no_grad)


def pick(calls: Calls, name: str) -> Callable:
    """Finds a workload by the name in the table."""
    if name in PEERS:
        return calls.small(name)
    return {
        "add 4x4": lambda: calls.add(False),
        "add 4x4, recorded": lambda: calls.add(True),
        "900 operators, forward and backward": lambda: calls.chain(1, True),
        "900 operators, f. and b., 3 leaves": lambda: calls.chain(3, True),
        "900 operators, forward recorded": lambda: calls.chain(1, False),
        "900 operators, forward in no_grad": lambda: calls.quiet(calls.chain(1, False)),
    }[name]()


def build(task: str, side: str) -> Callable:
    """The workload for a worker process, which runs a real PaddlePaddle here."""
    return pick(paddle_calls() if side != "torch" else torch_calls(), task)


def rows(options: Options) -> Iterator[Row]:
    """Measures; both sides run in this process."""
    names = [
        "add 4x4",
        "add 4x4, recorded",
        "900 operators, forward and backward",
        "900 operators, f. and b., 3 leaves",
        "900 operators, forward recorded",
        "900 operators, forward in no_grad",
        *PEERS,
    ]
    names = [name for name in names if options.wants(GROUP, name)]
    if not names:
        return
    import torch

    before = torch.get_num_threads()
    try:
        for threads in options.threads:
            torch.set_num_threads(threads)
            for name in names:
                yield _row(name, threads, options)
    finally:
        torch.set_num_threads(before)


def _row(name: str, threads: int, options: Options) -> Row:
    ours, peer = paddle_calls(), torch_calls()
    # "bare torch.add" is the one that records nothing, for both rows of it
    peer_name = "add 4x4" if name.startswith("add") else name
    timers: dict[str, Timer] = {
        "ours": local(pick(ours, name)),
        "torch": local(pick(peer, peer_name)),
    }
    effort = options.effort(31, 0.02)
    note = ""
    # processor time at two threads as well: nothing of this size is shared among threads
    if options.oracle:
        try:
            with Worker("benchmarks.eager", name, "oracle", threads, options.oracle) as worker:
                result = interleave({**timers, "oracle": worker.time}, effort, "cpu")
                note = f"PaddlePaddle {result.median('oracle') * 1e6:.4g} us, "
                note += f"{result.ratio('oracle', 'torch'):.2f} of torch"
        except WorkerFailed as error:
            skipped(f"oracle {name}", error)
            result = interleave(timers, effort, "cpu")
    else:
        result = interleave(timers, effort, "cpu")
    return _judged(name, threads, result, note)


def _judged(name: str, threads: int, result: Result, note: str) -> Row:
    if name.startswith("add"):
        target = 1.2 if name.endswith("recorded") else 0.5
        value, kind = result.difference("ours", "torch") * 1e6, "more"
    else:
        value, kind = result.ratio("ours", "torch"), "ratio"
        target = PEERS.get(name) or (1.2 if "backward" in name or "f. and b." in name else 1.0)
    unit, factor = ("ms", 1e3) if name.startswith("900") else ("us", 1e6)
    ours, peer = (result.median(side) * factor for side in ("ours", "torch"))
    return Row(GROUP, name, threads, "cpu", unit, ours, peer, value, kind, target, note)
