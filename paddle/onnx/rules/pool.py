"""Rules of pools: over windows, over everything, or adapted to an output size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule
from paddle.onnx.rules.windows import channels_first, channels_last, is_last, padding, spatial


@rule("pool2d", "pool3d")
def _(g: Any, op: Any) -> str:
    rank, last = op.rank("X"), is_last(op.attr("data_format"))
    x = channels_first(g, op["X"], rank) if last else op["X"]
    sizes, largest = spatial(op.shape("X"), last), op.attr("pooling_type") == "max"
    kernel = op.ints("ksize")
    if op.attr("global_pooling") or (op.attr("adaptive") and set(kernel) == {1}):
        made = g.GlobalMaxPool(x) if largest else g.GlobalAveragePool(x)
    elif op.attr("adaptive"):
        made = _adapted(g, op, x, sizes, kernel, largest)
    else:
        made = _over_windows(g, op, x, sizes, kernel, largest)
    return channels_last(g, made, rank) if last else made


def _count(n: int, kernel: int, before: int, after: int, stride: int, ceil: bool) -> int:
    """How many windows there are; a part of one counts where ``ceil`` is asked for."""
    room = n + before + after - kernel + (stride - 1 if ceil else 0)
    return (room // stride if room >= 0 or n == 0 else -(-room // stride)) + 1


def _over_windows(
    g: Any, op: Any, x: str, sizes: list[int], kernel: list[int], largest: bool
) -> str:
    strides = op.ints("strides")
    ceil, exclusive = bool(op.attr("ceil_mode")), bool(op.attr("exclusive"))
    pads = padding(op, sizes, kernel, strides)
    attrs: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    if pads is None:
        attrs["auto_pad"] = "SAME_UPPER"
    else:
        before, after = pads
        if -1 in sizes:
            if ceil and not largest and not exclusive:
                raise op.refuse("means that count cut-off padding, over sizes that are not known")
            behind = after
            attrs["ceil_mode"] = int(ceil)
        else:
            counts = [
                _count(n, k, b, a, s, ceil)
                for n, k, b, a, s in zip(sizes, kernel, before, after, strides)
            ]
            behind = [
                max((c - 1) * s + k - n - b, 0)
                for c, s, k, n, b in zip(counts, strides, kernel, sizes, before)
            ]
            wide = any(p >= k for p, k in zip([*before, *behind], [*kernel, *kernel]))
            if wide or (
                not largest
                and not exclusive
                and behind != after
                and any(e > a for e, a in zip(behind, after))
            ):
                return _padded(g, op, x, sizes, kernel, counts, (before, after, behind), largest)
        attrs["pads"] = [*before, *behind]
    if largest:
        return g.MaxPool(x, **attrs)
    return g.AveragePool(x, count_include_pad=int(not exclusive), **attrs)


def _padded(
    g: Any, op: Any, x: str, sizes: list[int], kernel: list[int], counts: list[int],
    pads: tuple[list[int], list[int], list[int]], largest: bool,
) -> str:  # fmt: skip
    """Windows that ONNX does not have: the input is padded, and means are taken by their counts."""
    before, after, behind = pads
    strides = op.ints("strides")
    number = op.number(-math.inf) if largest else None
    x = g.pad(x, [0, 0, *before, 0, 0, *behind], number)
    if largest:
        return g.MaxPool(x, kernel_shape=kernel, strides=strides)
    mean = g.AveragePool(x, kernel_shape=kernel, strides=strides)
    total: Any = 1.0
    for axis, n in enumerate(sizes):
        starts = np.arange(counts[axis]) * strides[axis] - before[axis]
        low, high = (0, n) if op.attr("exclusive") else (-before[axis], n + after[axis])
        held = np.minimum(starts + kernel[axis], high) - np.maximum(starts, low)
        shape = [1] * len(sizes)
        shape[axis] = len(held)
        total = total * (kernel[axis] / np.maximum(held, 0)).reshape(shape)
    return g.Mul(mean, g.constant(total, op.dtype("X")))


# -- adapted to a size ----------------------------------------------------------------------------


def _adapted(g: Any, op: Any, x: str, sizes: list[int], out: list[int], largest: bool) -> str:
    if all(n > 0 and n % o == 0 for n, o in zip(sizes, out)):
        steps = [n // o for n, o in zip(sizes, out)]
        if set(steps) == {1}:
            return x
        pool = g.MaxPool if largest else g.AveragePool
        return pool(x, kernel_shape=steps, strides=steps)
    for i, (n, o) in enumerate(zip(sizes, out)):
        axis = i + 2
        if largest:
            x = _largest_along(g, op, x, axis, n, o)
        else:
            x = _mean_along(g, op, x, axis, n, o, len(sizes) + 2)
    return x


def _largest_along(g: Any, op: Any, x: str, axis: int, n: int, o: int) -> str:
    if n < 0:
        raise op.refuse("an adaptive maximum over sizes that only a run can tell")
    parts = []
    for i in range(o):
        part = g.slice(x, [i * n // o], [-(-(i + 1) * n // o)], [axis])
        parts.append(g.reduce("ReduceMax", part, [axis], keepdims=True))
    return parts[0] if o == 1 else g.Concat(*parts, axis=axis)


def _mean_along(g: Any, op: Any, x: str, axis: int, n: int, o: int, rank: int) -> str:
    """Means along one axis are a product with a matrix: 1/length where a window lies."""
    dtype = op.dtype("X")
    if n > 0:
        matrix = np.zeros((n, o))
        for i in range(o):
            start, end = i * n // o, -(-(i + 1) * n // o)
            matrix[start:end, i] = 1 / (end - start)
        weights = g.constant(matrix, dtype)
    else:
        weights = _window_weights(g, g.size(x, axis), o, dtype)
    if axis == rank - 1:
        return g.MatMul(x, weights)
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return g.Transpose(g.MatMul(g.Transpose(x, perm=order), weights), perm=order)


def _window_weights(g: Any, size: str, o: int, dtype: VarType) -> str:
    """The matrix of the means for a size that only a run can tell."""
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    steps = np.arange(o, dtype=np.int64)
    starts = g.Div(g.Mul(steps, size), np.array(o, np.int64))
    above = g.Add(g.Mul(steps + 1, size), np.array(o - 1, np.int64))
    ends = g.Div(above, np.array(o, np.int64))
    rows = g.unsqueeze(g.Range(zero, g.rank0(size), one), [1])
    inside = g.And(g.Not(g.Less(rows, starts)), g.Less(rows, ends))
    return g.Div(g.cast(inside, dtype), g.cast(g.Sub(ends, starts), dtype))


# -- with positions -------------------------------------------------------------------------------


@rule("max_pool2d_with_index", "max_pool3d_with_index")
def _(g: Any, op: Any) -> Any:
    sizes, kernel = op.shape("X")[2:], op.ints("ksize")
    strides = op.ints("strides")
    before, after = padding(op, sizes, kernel, strides) or ([], [])
    if op.attr("adaptive") and not op.attr("global_pooling"):
        if not all(n > 0 and n % o == 0 for n, o in zip(sizes, kernel)):
            raise op.refuse("adaptive windows of different sizes, with their positions")
        kernel = strides = [n // o for n, o in zip(sizes, kernel)]
        before = after = [0] * len(kernel)
    elif op.attr("global_pooling"):
        if -1 in sizes:
            raise op.refuse("positions in planes of unknown sizes")
        kernel, strides = sizes, [1] * len(sizes)
        before = after = [0] * len(sizes)
    if any(p >= k for p, k in zip([*before, *after], [*kernel, *kernel])):
        raise op.refuse("padding as wide as the window, with positions")
    made, where = g.node(
        "MaxPool", op["X"], outputs=2, kernel_shape=kernel, strides=strides, pads=[*before, *after]
    )
    if not op.wants("Mask"):
        return {"Out": made}
    # ONNX counts positions through the whole tensor, the operator through each plane.
    axes = list(range(2, op.rank("X")))
    area = g.node("ReduceProd", op.sizes("X", axes), keepdims=1)
    return {"Out": made, "Mask": g.cast(g.Mod(where, area), op.dtype("Mask"))}


@rule("unpool", "unpool3d")
def _(g: Any, op: Any) -> str:
    out = op.shape("Out")
    if -1 in out[1:]:
        raise op.refuse("planes of sizes that only a run can tell")
    area = math.prod(out[2:])
    flat, where = g.Reshape(op["X"], [0, 0, -1]), g.Reshape(op["Indices"], [0, 0, -1])
    shape = g.Concat(op.sizes("X", [0, 1]), [area], axis=0)
    zeros = g.fill(shape, 0, op.dtype("X"))
    made = g.ScatterElements(zeros, where, flat, axis=2)
    return g.Reshape(made, [0, 0, *out[2:]])
