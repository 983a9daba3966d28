"""Networks over sequences by fluid.layers, for us and for PaddlePaddle 1.8.5 (Python 3.7).

64 sequences of 5 to 60 rows of width 128. A step trains: forward, the gradients of the rows and of
the weights, SGD. ``build`` is what a worker process calls.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

SEQUENCES, SHORTEST, LONGEST = 64, 5, 60
WIDTH = 128
TAGS = 20
RATE = 1e-4
POOL, SOFTMAX, CONV = "fc and sequence_pool", "sequence_softmax as attention", "sequence_conv"
LSTM, PEEPHOLES, GRU = "dynamic_lstm", "dynamic_lstm with peepholes", "dynamic_gru"
STEPS = "DynamicRNN of one fc"
LOSS, DECODING = "linear_chain_crf", "crf_decoding"


def lengths() -> list[int]:
    """How long the sequences are."""
    drawn = np.random.RandomState(0).randint(SHORTEST, LONGEST + 1, SEQUENCES)
    return [int(n) for n in drawn]


def data() -> tuple[np.ndarray, np.ndarray]:
    """The rows of all sequences, and a tag for each."""
    rng, count = np.random.RandomState(1), sum(lengths())
    rows = rng.uniform(-1, 1, (count, WIDTH)).astype("float32")
    return rows, rng.randint(0, TAGS, (count, 1)).astype("int64")


def weight(name: str, shape: list[int]) -> np.ndarray:
    """The first value of a parameter, on every side the same."""
    rng = np.random.RandomState(zlib.crc32(name.encode()))
    return rng.uniform(-0.1, 0.1, shape).astype("float32")


class Outcome:
    """What a step gave; looked at only where results are compared."""

    def __init__(self, loss: Any, grad: Any = None, rows: Any = ...) -> None:
        self._loss, self._grad, self._rows = loss, grad, rows

    def detach(self) -> float:
        """The loss and the size of the rows' gradient, as one number."""
        loss = float(np.array(self._loss).sum())
        if self._grad is None:
            return loss
        return loss + float(np.abs(np.array(self._grad)[self._rows]).sum())


def fluid_step(task: str) -> Callable[[], Outcome]:
    """A function that runs a step by ``fluid.Executor``."""
    import paddle.fluid as fluid

    if hasattr(fluid, "enable_dygraph"):
        fluid.disable_dygraph()
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, WIDTH], "float32", lod_level=1)
        x.stop_gradient = False
        tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
        out = _NETWORKS[task](fluid, x, tags)
        if task == DECODING:
            fetches = [out]
        else:
            loss = fluid.layers.mean(out)
            fluid.optimizer.SGD(RATE).minimize(loss)
            fetches = [loss, "x@GRAD"]
    place = fluid.CPUPlace()
    scope, exe = fluid.Scope(), fluid.Executor(place)
    exe.run(startup, scope=scope)
    for parameter in main.global_block().all_parameters():
        value = weight(parameter.name, list(parameter.shape))
        scope.find_var(parameter.name).get_tensor().set(value, place)
    rows, labels = data()
    feed = {"x": fluid.create_lod_tensor(rows, [lengths()], place)}
    if "tags" in {name for op in main.global_block().ops for name in op.input_arg_names}:
        feed["tags"] = fluid.create_lod_tensor(labels, [lengths()], place)

    def step() -> Outcome:
        return Outcome(*exe.run(main, feed, fetches, scope=scope, return_numpy=False))

    return step


def _projected(fluid: Any, x: Any, size: int) -> Any:
    return fluid.layers.fc(x, size, bias_attr=False, param_attr=fluid.ParamAttr("projection"))


def _pool(fluid: Any, x: Any, tags: Any) -> Any:
    hidden = fluid.layers.fc(
        x, WIDTH, param_attr=fluid.ParamAttr("weight"), bias_attr=fluid.ParamAttr("bias")
    )
    return fluid.layers.sequence_pool(hidden, "average")


def _softmax(fluid: Any, x: Any, tags: Any) -> Any:
    shares = fluid.layers.sequence_softmax(_projected(fluid, x, 1))
    return fluid.layers.sequence_pool(fluid.layers.elementwise_mul(x, shares, axis=0), "sum")


def _conv(fluid: Any, x: Any, tags: Any) -> Any:
    names = {"param_attr": fluid.ParamAttr("filter"), "bias_attr": fluid.ParamAttr("bias")}
    return fluid.layers.sequence_conv(x, WIDTH, 3, **names)


def _lstm(fluid: Any, x: Any, peepholes: bool) -> Any:
    names = {"param_attr": fluid.ParamAttr("recurrent"), "bias_attr": fluid.ParamAttr("bias")}
    size = 4 * WIDTH
    return fluid.layers.dynamic_lstm(
        _projected(fluid, x, size), size, use_peepholes=peepholes, **names
    )[0]


def _gru(fluid: Any, x: Any, tags: Any) -> Any:
    names = {"param_attr": fluid.ParamAttr("recurrent"), "bias_attr": fluid.ParamAttr("bias")}
    return fluid.layers.dynamic_gru(_projected(fluid, x, 3 * WIDTH), WIDTH, **names)


def _steps(fluid: Any, x: Any, tags: Any) -> Any:
    rnn = fluid.layers.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(x)
        before = rnn.memory(shape=[WIDTH], value=0.0)
        state = fluid.layers.fc([row, before], WIDTH, act="tanh")
        rnn.update_memory(before, state)
        rnn.output(state)
    return rnn()


def _crf_loss(fluid: Any, x: Any, tags: Any) -> Any:
    scores = _projected(fluid, x, TAGS)
    return fluid.layers.linear_chain_crf(scores, tags, fluid.ParamAttr("crf"))


def _crf_decoding(fluid: Any, x: Any, tags: Any) -> Any:
    fluid.layers.create_parameter([TAGS + 2, TAGS], "float32", attr=fluid.ParamAttr("crf"))
    return fluid.layers.crf_decoding(_projected(fluid, x, TAGS), fluid.ParamAttr("crf"))


_NETWORKS = {
    POOL: _pool,
    SOFTMAX: _softmax,
    CONV: _conv,
    LSTM: lambda fluid, x, tags: _lstm(fluid, x, False),
    PEEPHOLES: lambda fluid, x, tags: _lstm(fluid, x, True),
    GRU: _gru,
    STEPS: _steps,
    LOSS: _crf_loss,
    DECODING: _crf_decoding,
}


def build(task: str, side: str) -> Callable[[], Outcome]:
    """The workload for a worker process.

    Args:
        task: the network.
        side: ``ours``, ``paddle.fluid`` (of 1.8.5), one of torch, or another network of ours.
    """
    if side in _NETWORKS:
        return fluid_step(side)
    if side in ("ours", "paddle.fluid"):
        return fluid_step(task)
    from benchmarks.fluid_torch import torch_step

    return torch_step(task)
