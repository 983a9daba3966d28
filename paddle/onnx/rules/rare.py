"""Rules of operators that few models use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, numpy_dtype
from paddle.onnx.rules.elementwise import operands
from paddle.onnx.rules.registry import rule


@rule("sequence_mask")
def _(g: Any, op: Any) -> str:
    lengths, dtype = op["X"], op.dtype("X")
    if not (op.is_floating("X") or dtype == VarType.INT64):
        lengths, dtype = g.int64(lengths, dtype), VarType.INT64
    most = int(op.attr("maxlen"))
    if op.has("MaxLenTensor"):
        stop = g.rank0(g.int64(op["MaxLenTensor"], op.dtype("MaxLenTensor")))
    elif most > 0:
        stop = g.constant(most, VarType.INT64)
    else:
        stop = g.int64(g.reduce("ReduceMax", lengths, None), dtype)
    places = g.Range(np.array(0, np.int64), stop, np.array(1, np.int64))
    if dtype != VarType.INT64:
        places = g.cast(places, dtype)
    inside = g.Less(places, g.unsqueeze(lengths, [op.rank("X")]))
    return g.cast(inside, op.dtype("Y"))


@rule("angle")
def _(g: Any, op: Any) -> str:
    # Of real numbers: pi where they are negative.
    zero, pi = op.number(0), op.number(math.pi)
    made = g.Where(g.Less(op["X"], zero), pi, zero)
    return g.Where(g.IsNaN(op["X"]), op["X"], made)


@rule("view_shape")
def _(g: Any, op: Any) -> str:
    return g.Reshape(op["input"], op.shape("out") if -1 not in op.shape("out") else op.ints("dims"))


@rule("as_strided")
def _(g: Any, op: Any) -> str:
    dims, steps = op.ints("dims"), op.ints("stride")
    width = numpy_dtype(op.dtype("input")).itemsize
    places: Any = int(op.attr("offset")) // width
    for axis, (n, step) in enumerate(zip(dims, steps)):
        shape = [1] * len(dims)
        shape[axis] = n
        places = places + (np.arange(n) * step).reshape(shape)
    return g.Gather(g.Reshape(op["input"], [-1]), np.asarray(places, np.int64), axis=0)


@rule("repeat_interleave")
def _(g: Any, op: Any) -> str:
    axis = op.axis("dim")
    if op.has("RepeatsTensor"):
        given = op.known("RepeatsTensor")
        if given is None or op.shape("X")[axis] < 0:
            raise op.refuse("repeats that only a run can tell")
        counts = given.reshape(-1)
        places = np.repeat(np.arange(op.shape("X")[axis]), counts if len(counts) > 1 else counts[0])
        return g.Gather(op["X"], places.astype(np.int64), axis=axis)
    count, rank = int(op.attr("Repeats")), op.rank("X")
    times = [1] * (rank + 1)
    times[axis + 1] = count
    wide = g.Tile(g.unsqueeze(op["X"], [axis + 1]), times)
    sizes = g.Mul(op.sizes("X"), [count if a == axis else 1 for a in range(rank)])
    return g.Reshape(wide, sizes)


@rule("shard_index")
def _(g: Any, op: Any) -> str:
    size = -(-int(op.attr("index_num")) // int(op.attr("nshards")))
    width = op.number(size)
    inside = g.Equal(g.Div(op["X"], width), op.number(int(op.attr("shard_id"))))
    return g.Where(inside, g.Mod(op["X"], width), op.number(int(op.attr("ignore_value"))))


# -- diagonals and windows ------------------------------------------------------------------------


@rule("fill_diagonal")
def _(g: Any, op: Any) -> str:
    shape, offset = op.shape("X"), int(op.attr("offset"))
    if -1 in shape:
        raise op.refuse("a diagonal of unknown sizes")
    columns, mask = shape[-1], np.zeros(math.prod(shape), bool)
    size = mask.size if op.attr("wrap") else min(mask.size, columns * columns)
    for place in range(0, size, sum(columns**i for i in range(len(shape)))):
        if 0 <= place % columns + offset < columns:
            mask[place + offset] = True
    value = op.attr("value")
    number = op.number(float(value) if op.is_floating("X") else int(value))
    return g.where(g.value(mask.reshape(shape)), number, op["X"], op.dtype("X"))


@rule("fill_diagonal_tensor")
def _(g: Any, op: Any) -> str:
    shape, offset = op.shape("X"), int(op.attr("offset"))
    first, second = op.axis("dim1"), op.axis("dim2")
    if -1 in shape:
        raise op.refuse("a diagonal of unknown sizes")
    order = [first, second, *[a for a in range(len(shape)) if a not in (first, second)]]
    back = [order.index(a) for a in range(len(shape))]
    count = op.shape("Y")[-1]
    rows = np.arange(count) + max(-offset, 0)
    where = np.stack([rows, np.arange(count) + max(offset, 0)], 1).astype(np.int64)
    rank = op.rank("Y")
    turned = g.Transpose(op["Y"], perm=[rank - 1, *range(rank - 1)])
    made = g.ScatterND(g.Transpose(op["X"], perm=order), where, turned)
    return g.Transpose(made, perm=back)


@rule("tensor_unfold")
def _(g: Any, op: Any) -> str:
    axis = op.axis("axis", "input")
    size = op.shape("input")[axis]
    if size < 0:
        raise op.refuse("windows over a size that only a run can tell")
    length, step = int(op.attr("size")), int(op.attr("step"))
    places = _windows(size, length, step)
    made = g.Gather(op["input"], places, axis=axis)  # [.., windows, length, ..]
    rank = op.rank("input") + 1
    order = [a for a in range(rank) if a != axis + 1]
    return g.Transpose(made, perm=[*order, axis + 1])


def _windows(size: int, length: int, step: int) -> np.ndarray:
    starts = np.arange(0, size - length + 1, step, dtype=np.int64)
    return starts[:, None] + np.arange(length, dtype=np.int64)[None]


@rule("frame")
def _(g: Any, op: Any) -> str:
    first = int(op.attr("axis")) == 0
    axis = 0 if first else op.rank("X") - 1
    size = op.shape("X")[axis]
    if size < 0:
        raise op.refuse("windows over a size that only a run can tell")
    places = _windows(size, int(op.attr("frame_length")), int(op.attr("hop_length")))
    return g.Gather(op["X"], places if first else places.T.copy(), axis=axis)


@rule("im2sequence")
def _(g: Any, op: Any) -> str:
    n, c, h, w = op.shape("X")
    if op.has("Y") and n != 1:
        raise op.refuse("images of different sizes")
    if -1 in (c, h, w):
        raise op.refuse("planes of sizes that only a run can tell")
    kernel, strides = op.ints("kernels"), op.ints("strides")
    top, left, bottom, right = op.ints("paddings")
    x = g.pad(op["X"], [0, 0, top, left, 0, 0, bottom, right])
    down = _windows(h + top + bottom, kernel[0], strides[0])
    across = _windows(w + left + right, kernel[1], strides[1])
    rows = g.Gather(x, down, axis=2)  # [n, c, rows, kernel, w]
    cells = g.Gather(rows, across, axis=4)  # [n, c, rows, kernel, columns, kernel]
    turned = g.Transpose(cells, perm=[0, 2, 4, 1, 3, 5])
    return g.Reshape(turned, [-1, c * kernel[0] * kernel[1]])


@rule("spp")
def _(g: Any, op: Any) -> str:
    sizes, largest = op.shape("X")[2:], op.attr("pooling_type") == "max"
    if -1 in sizes:
        raise op.refuse("planes of sizes that only a run can tell")
    levels = []
    for level in range(int(op.attr("pyramid_height"))):
        bins = 2**level
        windows = [-(-n // bins) for n in sizes]
        fronts = [(w * bins - n + 1) // 2 for w, n in zip(windows, sizes)]
        behind = [w * bins - n - f for w, n, f in zip(windows, sizes, fronts)]
        if any(p >= w for p, w in zip([*fronts, *behind], [*windows, *windows])):
            raise op.refuse("cells without an element")
        attrs = {"kernel_shape": windows, "strides": windows, "pads": [*fronts, *behind]}
        pool = g.MaxPool if largest else g.AveragePool
        levels.append(g.Flatten(pool(op["X"], **attrs), axis=1))
    return g.Concat(*levels, axis=1)


# -- rows and columns -----------------------------------------------------------------------------


def _columns(g: Any, op: Any) -> list[str]:
    start, count = int(op.attr("start_index")), int(op.attr("length"))
    # Slice counts from the end, too, so that the width may be open.
    to_the_end = count < 0 or start < 0 <= start + count
    end = (1 << 63) - 1 if to_the_end else start + count
    return [g.slice(value, [start], [end], [1]) for value in op.values("X")]


@rule("partial_concat")
def _(g: Any, op: Any) -> str:
    return g.Concat(*_columns(g, op), axis=1)


@rule("partial_sum")
def _(g: Any, op: Any) -> str:
    total, *rest = _columns(g, op)
    for part in rest:
        total = g.Add(total, part)
    return total


def _expect_padded(op: Any) -> None:
    if op.rank("X") != 3:
        raise op.refuse("sequences of rows: ONNX's tensors have no levels (LoD)")


@rule("row_conv")
def _(g: Any, op: Any) -> str:
    ahead, width = op.shape("Filter")
    _expect_padded(op)
    kernel = g.unsqueeze(g.Transpose(op["Filter"], perm=[1, 0]), [1])
    x = g.Transpose(op["X"], perm=[0, 2, 1])
    made = g.Conv(x, kernel, kernel_shape=[ahead], pads=[0, ahead - 1], group=width)
    return g.Transpose(made, perm=[0, 2, 1])


@rule("batch_fc")
def _(g: Any, op: Any) -> str:
    return g.Add(g.MatMul(op["Input"], op["W"]), g.unsqueeze(op["Bias"], [1]))


@rule("fsp")
def _(g: Any, op: Any) -> str:
    x = g.Reshape(op["X"], [0, 0, -1])
    y = g.Transpose(g.Reshape(op["Y"], [0, 0, -1]), perm=[0, 2, 1])
    area = g.cast(g.size(x, 2), op.dtype("X"))
    return g.Div(g.MatMul(x, y), area)


@rule("cos_sim")
def _(g: Any, op: Any) -> Any:
    x, y = g.Flatten(op["X"], axis=1), g.Flatten(op["Y"], axis=1)
    low = op.number(1e-8)

    def length(value: str) -> str:
        total = g.reduce("ReduceSum", g.Mul(value, value), [1], keepdims=True)
        return g.Sqrt(g.clip(total, low, None, op.dtype("X")))

    along = g.reduce("ReduceSum", g.Mul(x, y), [1], keepdims=True)
    lengths = length(x), length(y)
    return g.Div(along, g.Mul(*lengths)), *lengths


@rule("squared_l2_distance")
def _(g: Any, op: Any) -> Any:
    apart = g.Sub(g.Flatten(op["X"], axis=1), g.Flatten(op["Y"], axis=1))
    return apart, g.reduce("ReduceSum", g.Mul(apart, apart), [1], keepdims=True)


@rule("cvm")
def _(g: Any, op: Any) -> str:
    rest = g.slice(op["X"], [2], [2**31 - 1], [1])
    if not op.attr("use_cvm"):
        return rest
    one = op.number(1)
    views = g.Log(g.Add(g.slice(op["X"], [0], [1], [1]), one))
    clicks = g.Log(g.Add(g.slice(op["X"], [1], [2], [1]), one))
    return g.Concat(views, g.Sub(clicks, views), rest, axis=1)


@rule("conv_shift")
def _(g: Any, op: Any) -> str:
    size, weights = op.shape("X")[1], op.shape("Y")[1]
    if size < 0 or weights < 0:
        raise op.refuse("rows of a length that only a run can tell")
    around = np.arange(weights) - (weights - 1) // 2
    places = (np.arange(size)[:, None] + around) % size
    turned = g.Gather(op["X"], places.astype(np.int64), axis=1)  # [n, size, weights]
    return g.reduce("ReduceSum", g.Mul(turned, g.unsqueeze(op["Y"], [1])), [2])


@rule("index_put")
def _(g: Any, op: Any) -> str:
    if VarType.BOOL in [op.dtype("indices", i) for i in range(len(op.values("indices")))]:
        raise op.refuse("a mask as an index")
    if op.attr("accumulate"):
        g.need(16, op.op.type)
    places = [
        g.int64(value, op.dtype("indices", i)) for i, value in enumerate(op.values("indices"))
    ]
    shape = g.Shape(places[0])
    if len(places) > 1:
        total = places[0]
        for other in places[1:]:
            total = g.Add(total, other)
        shape = g.Shape(total)
    where = g.Concat(*[g.unsqueeze(g.Expand(p, shape), [-1]) for p in places], axis=-1)
    rest = op.sizes("x", range(len(places), op.rank("x")))
    value = g.Expand(op["value"], g.Concat(shape, rest, axis=0))
    return g.ScatterND(op["x"], where, value, reduction="add" if op.attr("accumulate") else None)


@rule("renorm")
def _(g: Any, op: Any) -> str:
    axis, order = op.axis("axis"), float(op.attr("p"))
    axes = [a for a in range(op.rank("X")) if a != axis]
    x, most = op["X"], op.number(float(op.attr("max_norm")))
    if order in (1.0, 2.0):
        size = g.reduce(f"ReduceL{int(order)}", x, axes, keepdims=True)
    else:
        total = g.reduce("ReduceSum", g.Pow(g.Abs(x), op.number(order)), axes, keepdims=True)
        size = g.Pow(total, op.number(1 / order))
    factor = g.Div(most, g.Add(size, op.number(1e-7)))
    return g.Where(g.Greater(size, most), g.Mul(x, factor), x)


@rule("add_position_encoding")
def _(g: Any, op: Any) -> str:
    _expect_padded(op)
    _, steps, width = op.shape("X")
    if steps < 0 or width < 0:
        raise op.refuse("sequences of a length that only a run can tell")
    half = width // 2
    exponent = np.arange(half) / (half - 1) if half > 1 else np.ones(half)
    angle = np.arange(steps)[:, None] / 10000.0**exponent
    wave = np.concatenate([np.sin(angle), np.cos(angle)], 1) * float(op.attr("beta"))
    return g.Add(
        g.Mul(op["X"], op.number(float(op.attr("alpha")))), g.constant(wave, op.dtype("X"))
    )


@rule("fused_elemwise_activation")
def _(g: Any, op: Any) -> Any:
    binary = {"elementwise_add": "Add", "elementwise_mul": "Mul"}
    outer, inner = (name.strip() for name in op.attr("functor_list"))
    x, y = operands(g, op)

    def unary(name: str, value: str) -> str:
        if name == "scale":
            return g.Mul(value, op.number(float(op.attr("scale"))))
        if name == "gelu":
            part = g.Erf(g.Div(value, op.number(math.sqrt(2))))
            return g.Mul(g.Mul(value, g.Add(part, op.number(1))), op.number(0.5))
        return g.node({"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid"}[name], value)

    if outer in binary:
        between = unary(inner, y)
        return g.node(binary[outer], x, between), unary(inner, op["Y"])
    between = g.node(binary[inner], x, y)
    return unary(outer, between), between
