"""Rules of random numbers: onnxruntime draws them, so seeds give others than here."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule


@rule("seed")
def _(g: Any, op: Any) -> str:
    number = int(op.attr("seed"))  # nothing that is written reads it
    if number:
        return g.constant([number], op.dtype("Out"))
    return g.cast(_uniform(g, [1], 1, 2**30), op.dtype("Out"))


def _uniform(g: Any, shape: Any, low: float, high: float) -> str:
    """Numbers between two, float32."""
    zeros = g.fill(shape, 0, VarType.FP32)
    return g.node("RandomUniformLike", zeros, low=float(low), high=float(high))


def _normal(g: Any, shape: Any, mean: float, std: float) -> str:
    zeros = g.fill(shape, 0, VarType.FP32)
    return g.node("RandomNormalLike", zeros, mean=float(mean), scale=float(std))


def _as(g: Any, op: Any, value: str, slot: str = "Out") -> str:
    return value if op.dtype(slot) == VarType.FP32 else g.cast(value, op.dtype(slot))


def _shape(op: Any) -> Any:
    return op.vector("ShapeTensor", "ShapeTensorList", attr="shape")


def _like_batch(g: Any, op: Any) -> str:
    shape, at = op.ints("shape"), int(op.attr("output_dim_idx"))
    parts = [shape[:at], op.sizes("Input", [int(op.attr("input_dim_idx"))]), shape[at + 1 :]]
    return g.Concat(*[p for p in parts if p != []], axis=0)


def _refuse_diagonal(op: Any) -> None:
    if int(op.attr("diag_num")):
        raise op.refuse("numbers set on a diagonal")


@rule("uniform_random", "uniform_random_batch_size_like")
def _(g: Any, op: Any) -> str:
    _refuse_diagonal(op)
    shape = _like_batch(g, op) if op.op.type.endswith("like") else _shape(op)
    return _as(g, op, _uniform(g, shape, op.attr("min"), op.attr("max")))


@rule("gaussian_random", "gaussian_random_batch_size_like")
def _(g: Any, op: Any) -> str:
    shape = _like_batch(g, op) if op.op.type.endswith("like") else _shape(op)
    return _as(g, op, _normal(g, shape, op.attr("mean"), op.attr("std")))


@rule("truncated_gaussian_random")
def _(g: Any, op: Any) -> str:
    # What lies beyond two deviations is drawn again; after ten times nothing is left of it.
    shape, limit = op.ints("shape"), g.constant(2.0, VarType.FP32)
    made = _normal(g, shape, 0, 1)
    for _again in range(10):
        made = g.Where(g.Greater(g.Abs(made), limit), _normal(g, shape, 0, 1), made)
    made = g.clip(made, g.constant(-2.0, VarType.FP32), limit, VarType.FP32)
    std, mean = (g.constant(float(op.attr(n)), VarType.FP32) for n in ("std", "mean"))
    return _as(g, op, g.Add(g.Mul(made, std), mean))


@rule("uniform_random_inplace")
def _(g: Any, op: Any) -> str:
    _refuse_diagonal(op)
    return _as(g, op, _uniform(g, op.sizes("X"), op.attr("min"), op.attr("max")))


@rule("gaussian_inplace")
def _(g: Any, op: Any) -> str:
    return _as(g, op, _normal(g, op.sizes("x"), op.attr("mean"), op.attr("std")), "out")


@rule("randint")
def _(g: Any, op: Any) -> str:
    low, high = int(op.attr("low")), int(op.attr("high"))
    drawn = g.Floor(_uniform(g, _shape(op), low, high))
    drawn = g.clip(
        drawn, g.constant(low, VarType.FP32), g.constant(high - 1, VarType.FP32), VarType.FP32
    )  # rounding may reach the end
    return g.cast(drawn, op.dtype("Out"))


@rule("randperm")
def _(g: Any, op: Any) -> str:
    count = int(op.attr("n"))
    _, places = g.node("TopK", _uniform(g, [count], 0, 1), [count], outputs=2)
    return g.cast(places, op.dtype("Out"))


@rule("bernoulli")
def _(g: Any, op: Any) -> str:
    drawn = _as(g, op, _uniform(g, op.sizes("X"), 0, 1), "X")
    return g.cast(g.Less(drawn, op["X"]), op.dtype("Out"))


@rule("exponential")
def _(g: Any, op: Any) -> str:
    drawn = _as(g, op, _uniform(g, op.sizes("X"), 1e-37, 1))
    return g.Div(g.Neg(g.Log(drawn)), op.number(float(op.attr("lambda"))))


@rule("multinomial")
def _(g: Any, op: Any) -> str:
    # The largest of -log(-log(u)) + log(p) is drawn by p; the k largest, without putting back.
    count, rank = int(op.attr("num_samples")), op.rank("X")
    weights = g.Log(op["X"])
    sizes = op.sizes("X")
    if op.attr("replacement"):
        weights = g.unsqueeze(weights, [rank - 1])
        before = [op.sizes("X", range(rank - 1))] if rank > 1 else []
        sizes = g.Concat(*before, [count], op.sizes("X", [rank - 1]), axis=0)
    drawn = _as(g, op, _uniform(g, sizes, 1e-20, 1), "X")
    noise = g.Neg(g.Log(g.Neg(g.Log(drawn))))
    total = g.Add(weights, noise)
    if op.attr("replacement"):
        return g.ArgMax(total, axis=rank, keepdims=0)
    _, places = g.node("TopK", total, [count], outputs=2)
    return places


@rule("sampling_id")
def _(g: Any, op: Any) -> str:
    drawn = _as(g, op, _uniform(g, op.sizes("X", [0]), op.attr("min"), op.attr("max")), "X")
    sums = g.CumSum(op["X"], np.array(1, np.int64))
    before = g.cast(g.Less(sums, g.unsqueeze(drawn, [1])), VarType.INT64)
    place = g.reduce("ReduceSum", before, [1])
    last = g.Sub(op.sizes("X", [1]), np.array(1, np.int64))
    return g.largest(place, last, VarType.INT64, "Min")


@rule("gumbel_softmax")
def _(g: Any, op: Any) -> str:
    axis, rank = op.axis("axis"), op.rank("X")
    drawn = _as(g, op, _uniform(g, op.sizes("X"), 1e-20, 1))
    noise = g.Neg(g.Log(g.Neg(g.Log(drawn))))
    scaled = g.Div(g.Add(op["X"], noise), op.number(float(op.attr("temperature"))))
    soft = g.softmax(scaled, axis, rank)
    if not op.attr("hard"):
        return soft
    most = g.reduce("ReduceMax", soft, [axis], keepdims=True)
    return g.cast(g.Equal(soft, most), op.dtype("X"))


@rule("rrelu")
def _(g: Any, op: Any) -> Any:
    slope = (float(op.attr("lower")) + float(op.attr("upper"))) / 2
    return {"Out": g.LeakyRelu(op["X"], alpha=slope)}
