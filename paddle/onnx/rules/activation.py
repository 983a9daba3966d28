"""Rules of activation functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule, table
from paddle.onnx.rules.unary import floats

table({"relu": "Relu", "softsign": "Softsign"})


@rule("relu6")
def _(g: Any, op: Any) -> str:
    return _between(g, op, 0, op.attr("threshold"))


@rule("brelu")
def _(g: Any, op: Any) -> str:
    return _between(g, op, op.attr("t_min"), op.attr("t_max"))


def _between(g: Any, op: Any, low: float, high: float) -> str:
    if not op.is_floating("X"):
        low, high = int(low), int(high)
    return g.clip(op["X"], op.number(low), op.number(high), op.dtype("X"))


@rule("logsigmoid")
def _(g: Any, op: Any) -> str:
    return g.Neg(g.Softplus(g.Neg(op["X"])))


@rule("elu")
def _(g: Any, op: Any) -> str:
    return g.Elu(op["X"], alpha=float(op.attr("alpha")))


@rule("celu")
def _(g: Any, op: Any) -> str:
    alpha = float(op.attr("alpha"))
    return g.Mul(g.Elu(g.Div(op["X"], op.number(alpha)), alpha=1.0), op.number(alpha))


@rule("selu")
def _(g: Any, op: Any) -> str:
    return g.Selu(op["X"], alpha=float(op.attr("alpha")), gamma=float(op.attr("scale")))


@rule("gelu")
def _(g: Any, op: Any) -> str:
    x = op["X"]
    tanh = bool(op.attr("approximate"))
    if g.opset >= 20:
        return g.Gelu(x, approximate="tanh" if tanh else "none")
    half, one = op.number(0.5), op.number(1)
    if tanh:
        cube = g.Mul(g.Mul(x, x), x)
        inner = g.Add(x, g.Mul(cube, op.number(0.044715)))
        part = g.Tanh(g.Mul(inner, op.number(math.sqrt(2 / math.pi))))
    else:
        part = g.Erf(g.Div(x, op.number(math.sqrt(2))))
    return g.Mul(g.Mul(x, g.Add(part, one)), half)


@rule("leaky_relu")
def _(g: Any, op: Any) -> str:
    return g.LeakyRelu(op["X"], alpha=float(op.attr("alpha")))


@rule("prelu")
def _(g: Any, op: Any) -> str:
    rank, mode = op.rank("X"), op.attr("mode")
    if mode == "all":
        shape = [1] * rank
    elif mode == "channel":
        shape = [-1] + [1] * (rank - 2) if rank > 1 else [1]
    else:
        shape = [1, *op.shape("X")[1:]]
        if shape.count(-1) > 1:
            raise op.refuse("a slope for each element of unknown sizes")
    return g.PRelu(op["X"], g.Reshape(op["Alpha"], shape))


@rule("hard_shrink")
def _(g: Any, op: Any) -> str:
    x, limit = op["X"], op.number(op.attr("threshold"))
    return g.Where(g.Greater(g.Abs(x), limit), x, op.number(0))


@rule("softshrink")
def _(g: Any, op: Any) -> str:
    x, limit = op["X"], float(op.attr("lambda"))
    size = g.Sub(g.Abs(x), op.number(limit))
    return g.Mul(g.Sign(x), g.Relu(size))


@rule("tanh_shrink")
def _(g: Any, op: Any) -> str:
    x = floats(g, op)
    return g.Sub(x, g.Tanh(x))


@rule("thresholded_relu")
def _(g: Any, op: Any) -> str:
    x = op["X"]
    return g.Where(g.Greater(x, op.number(op.attr("threshold"))), x, op.number(0))


@rule("hard_sigmoid")
def _(g: Any, op: Any) -> str:
    return g.HardSigmoid(
        floats(g, op), alpha=float(op.attr("slope")), beta=float(op.attr("offset"))
    )


@rule("hard_swish")
def _(g: Any, op: Any) -> str:
    x = floats(g, op)
    limit, scale, offset = (float(op.attr(n)) for n in ("threshold", "scale", "offset"))
    if g.opset >= 14 and (limit, scale, offset) == (6.0, 6.0, 3.0):
        return g.HardSwish(x)
    if limit == scale:
        return g.Mul(x, g.HardSigmoid(x, alpha=1 / scale, beta=offset / scale))
    shifted = g.Add(x, op.number(offset, "Out"))
    part = g.clip(shifted, op.number(0, "Out"), op.number(limit, "Out"), op.dtype("Out"))
    return g.Mul(x, g.Div(part, op.number(scale, "Out")))


@rule("softplus")
def _(g: Any, op: Any) -> str:
    x, beta = op["X"], float(op.attr("beta"))
    scaled = x if beta == 1 else g.Mul(x, op.number(beta))
    smooth = g.Softplus(scaled)
    if beta != 1:
        smooth = g.Div(smooth, op.number(beta))
    return g.Where(g.Greater(scaled, op.number(float(op.attr("threshold")))), x, smooth)


@rule("swish", "silu")
def _(g: Any, op: Any) -> str:
    x, beta = floats(g, op), float(op.attr("beta", 1.0))
    scaled = x if beta == 1 else g.Mul(x, op.number(beta, "Out"))
    return g.Mul(x, g.Sigmoid(scaled))


@rule("mish")
def _(g: Any, op: Any) -> str:
    x = op["X"]
    smooth = g.Softplus(x)
    limit = float(op.attr("threshold"))
    if limit < 20:
        smooth = g.Where(g.Greater(x, op.number(limit)), x, smooth)
    return g.Mul(x, g.Tanh(smooth))


@rule("maxout")
def _(g: Any, op: Any) -> str:
    axis, groups = op.axis("axis"), int(op.attr("groups"))
    channels = op.shape("X")[axis]
    if channels < 0:
        raise op.refuse("a number of channels that is not known")
    parts = [op.sizes("X", range(axis)), [channels // groups, groups]]
    parts.append(op.sizes("X", range(axis + 1, op.rank("X"))))
    apart = g.Reshape(op["X"], g.Concat(*[g.value(p) for p in parts], axis=0))
    return g.reduce("ReduceMax", apart, [axis + 1])


@rule("softmax", "log_softmax")
def _(g: Any, op: Any) -> str:
    return g.softmax(op["X"], op.axis("axis"), op.rank("X"), op.op.type == "log_softmax")


@rule("fused_softmax_mask")
def _(g: Any, op: Any) -> str:
    return g.softmax(g.Add(op["X"], op["Mask"]), -1, op.rank("X"))


@rule("fused_softmax_mask_upper_triangle")
def _(g: Any, op: Any) -> str:
    rank = op.rank("X")
    length = g.rank0(op.sizes("X", [rank - 1]))
    steps = g.Range(np.array(0, np.int64), length, np.array(1, np.int64))
    later = g.Less(g.unsqueeze(steps, [1]), g.unsqueeze(steps, [0]))
    low = op.number(-10000.0 if op.dtype("X") == VarType.FP16 else -1e30)
    return g.softmax(g.Where(later, low, op["X"]), -1, rank)
