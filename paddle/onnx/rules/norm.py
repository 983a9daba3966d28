"""Rules of normalizations."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.onnx.rules.registry import rule
from paddle.onnx.rules.windows import channels_first, channels_last, is_last


def _vector(g: Any, op: Any, slot: str, count: int, number: float) -> str:
    """A parameter for each channel, or ones (or zeros) where there is none."""
    given = op.get(slot)
    if given is None:
        return g.constant(np.full(count, number), op.dtype("X"))
    return given if op.rank(slot) == 1 else g.Reshape(given, [-1])


@rule("batch_norm", "sync_batch_norm")
def _(g: Any, op: Any) -> Any:
    rank = op.rank("X")
    last = rank > 2 and is_last(op.attr("data_layout"))
    x = channels_first(g, op["X"], rank) if last else op["X"]
    count = op.shape("Mean")[0]
    if op.attr("trainable_statistics") and not op.attr("use_global_stats"):
        raise op.refuse("statistics of the batch at hand (trainable_statistics)")
    made = g.BatchNormalization(
        x,
        _vector(g, op, "Scale", count, 1),
        _vector(g, op, "Bias", count, 0),
        op["Mean"],
        op["Variance"],
        epsilon=float(op.attr("epsilon")),
    )
    return {"Y": channels_last(g, made, rank) if last else made}


@rule("layer_norm")
def _(g: Any, op: Any) -> Any:
    rank, begin = op.rank("X"), int(op.attr("begin_norm_axis"))
    shape, epsilon = op.shape("X")[begin:], float(op.attr("epsilon"))
    x, axes = op["X"], list(range(begin, rank))

    def parameter(slot: str) -> str | None:
        given = op.get(slot)
        if given is None or len(shape) == 1:
            return given
        return g.Reshape(given, g.sizes(x, op.shape("X"), axes))

    scale, bias = parameter("Scale"), parameter("Bias")
    stats = op.wants("Mean") or op.wants("Variance")
    if g.opset >= 17 and not stats and (scale is not None or -1 not in shape):
        if scale is None:
            scale = g.constant(np.ones(shape), op.dtype("X"))
        return {"Y": g.LayerNormalization(x, scale, bias, axis=begin, epsilon=epsilon)}
    return normalized(g, x, axes, op.number(epsilon), scale, bias)


def normalized(
    g: Any, x: str, axes: list[int], epsilon: str, scale: str | None, bias: str | None
) -> tuple[str, str, str]:
    """A layer norm in its parts.

    Args:
        g (Graph): where.
        x (str): what is normalized.
        axes (list[int]): over which dimensions, the last ones.
        epsilon (str): what is added to the variance, of rank 0.
        scale (str|None): the factors, of the sizes of these dimensions.
        bias (str|None): what is added in the end, of the same sizes.

    Returns:
        tuple: the result, and the means and variances as vectors.
    """
    mean = g.reduce("ReduceMean", x, axes, keepdims=True)
    apart = g.Sub(x, mean)
    variance = g.reduce("ReduceMean", g.Mul(apart, apart), axes, keepdims=True)
    made = g.Div(apart, g.Sqrt(g.Add(variance, epsilon)))
    if scale is not None:
        made = g.Mul(made, scale)
    if bias is not None:
        made = g.Add(made, bias)
    return made, g.Reshape(mean, [-1]), g.Reshape(variance, [-1])


@rule("instance_norm")
def _(g: Any, op: Any) -> Any:
    channels = op.shape("X")[1]
    if channels < 0:
        raise op.refuse("a number of channels that only a run can tell")
    scale, bias = _vector(g, op, "Scale", channels, 1), _vector(g, op, "Bias", channels, 0)
    epsilon = float(op.attr("epsilon"))
    if op.rank("X") == 2:
        x = g.InstanceNormalization(g.unsqueeze(op["X"], [2]), scale, bias, epsilon=epsilon)
        return {"Y": g.squeeze(x, [2])}
    return {"Y": g.InstanceNormalization(op["X"], scale, bias, epsilon=epsilon)}


@rule("group_norm")
def _(g: Any, op: Any) -> Any:
    rank, last = op.rank("X"), is_last(op.attr("data_layout"))
    x = channels_first(g, op["X"], rank) if last else op["X"]
    groups = int(op.attr("groups"))
    dtype = op.dtype("X")
    # A group is an instance whose channel it is; scale and bias come behind, for each channel.
    apart = g.InstanceNormalization(
        g.Reshape(x, [0, groups, -1]),
        g.constant(np.ones(groups), dtype),
        g.constant(np.zeros(groups), dtype),
        epsilon=float(op.attr("epsilon")),
    )
    made = g.Reshape(apart, g.Shape(x))
    shape = [-1] + [1] * (rank - 2)
    if op.has("Scale"):
        made = g.Mul(made, g.Reshape(op["Scale"], shape))
    if op.has("Bias"):
        made = g.Add(made, g.Reshape(op["Bias"], shape))
    return {"Y": channels_last(g, made, rank) if last else made}


@rule("lrn")
def _(g: Any, op: Any) -> Any:
    rank, last = op.rank("X"), is_last(op.attr("data_format"))
    last = last and op.attr("data_format") != "AnyLayout"
    x = channels_first(g, op["X"], rank) if last else op["X"]
    size = int(op.attr("n"))
    if size % 2 == 0:
        raise op.refuse("an even number of neighbouring channels, which runtimes do not take")
    made = g.LRN(
        x,
        size=size,
        alpha=float(op.attr("alpha")) * size,
        beta=float(op.attr("beta")),
        bias=float(op.attr("k")),
    )
    return {"Out": channels_last(g, made, rank) if last else made}


@rule("norm")
def _(g: Any, op: Any) -> Any:
    x = op["X"]
    total = g.reduce("ReduceSum", g.Mul(x, x), [op.axis("axis")], keepdims=True)
    length = g.Sqrt(g.Add(total, op.number(float(op.attr("epsilon")))))
    return g.Div(x, length), length


@rule("rms_norm")
def _(g: Any, op: Any) -> Any:
    if float(op.attr("quant_scale")) > 0:
        raise op.refuse("a result of 8 bits")
    x = op["x"]
    rank = op.rank("x")
    begin = int(op.attr("begin_norm_axis")) % rank
    for slot in ("bias", "residual"):
        if op.has(slot):
            x = g.Add(x, op[slot])
    axes = list(range(begin, rank))
    mean = g.reduce("ReduceMean", g.Mul(x, x), axes, keepdims=True)
    made = g.Div(x, g.Sqrt(g.Add(mean, op.number(float(op.attr("epsilon")), "x"))))
    shape = op.shape("x")[begin:]

    def shaped(value: str) -> str:
        return value if len(shape) == 1 else g.Reshape(value, g.sizes(x, op.shape("x"), axes))

    made = g.Mul(made, shaped(op["norm_weight"]))
    if op.has("norm_bias"):
        made = g.Add(made, shaped(op["norm_bias"]))
    return made, x


@rule("affine_channel")
def _(g: Any, op: Any) -> str:
    last = op.attr("data_layout") == "NHWC"
    shape = [-1] if last else [-1] + [1] * (op.rank("X") - 2)
    made = g.Mul(op["X"], g.Reshape(op["Scale"], shape))
    return g.Add(made, g.Reshape(op["Bias"], shape))


@rule("data_norm")
def _(g: Any, op: Any) -> Any:
    if op.attr("enable_scale_and_shift") or int(op.attr("slot_dim")) > 0:
        raise op.refuse("slot_dim and scales")
    means = g.Div(op["BatchSum"], op["BatchSize"])
    scales = g.Sqrt(g.Div(op["BatchSize"], op["BatchSquareSum"]))
    return g.Mul(g.Sub(op["X"], means), scales), means, scales


@rule("fold_batch_norm")
def _(g: Any, op: Any) -> Any:
    axis, rank = int(op.attr("axis")), op.rank("Filter")
    factor, shift = op["Scale"], op["Shift"]
    if op.has("Variance"):  # else the norm is a scale and a shift alone
        epsilon = op.number(float(op.attr("epsilon")), "Scale")
        factor = g.Div(factor, g.Sqrt(g.Add(op["Variance"], epsilon)))
    if op.has("Bias"):
        shift = g.Add(shift, g.Mul(op["Bias"], factor))
    if op.has("Mean"):
        shift = g.Sub(shift, g.Mul(op["Mean"], factor))
    shape = [1] * rank
    shape[axis] = -1
    return g.Mul(op["Filter"], g.Reshape(factor, shape)), shift
