"""The operators in NumPy, and what runs a model by them.

Each operator takes its operands and its numbers, and returns its results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddlelite.reader import DTYPES, MAX_ELEMENTS, MAX_RANK, OPERATORS, LiteError, check, read

Array = np.ndarray
Kernel = Callable[[list, tuple, tuple], list]
F32 = np.float32


def _erf(x: Array) -> Array:
    """The error function, to 2e-7 (Abramowitz and Stegun, 7.1.26)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027
                + t * 1.061405429))))  # fmt: skip
    return np.sign(x) * (1 - tail * np.exp(-x * x))


def _gelu(x: Array, tanh: float, _: float) -> Array:
    if tanh:
        return F32(0.5) * x * (1 + np.tanh(F32(0.7978845608) * (x + F32(0.044715) * x * x * x)))
    wide = x.astype("float64")
    return 0.5 * wide * (1 + _erf(wide * math.sqrt(0.5)))


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


# In the order of their numbers.
FUNCTIONS: tuple[Callable[[Array, float, float], Array], ...] = (
    lambda x, a, b: x,
    lambda x, a, b: np.maximum(x, 0),
    lambda x, a, b: np.minimum(np.maximum(x, a), b),
    lambda x, a, b: np.where(x > 0, x, x * a),
    lambda x, a, b: x * (np.minimum(np.maximum(x + 3, 0), 6) * F32(1 / 6)),
    lambda x, a, b: np.minimum(np.maximum(x * a + b, 0), 1),
    lambda x, a, b: x * _sigmoid(x),
    lambda x, a, b: _sigmoid(x),
    lambda x, a, b: np.tanh(x),
    _gelu,
    lambda x, a, b: np.exp(x),
    lambda x, a, b: np.sqrt(x),
    lambda x, a, b: np.abs(x),
    lambda x, a, b: x * x,
    lambda x, a, b: np.log(x),
    lambda x, a, b: 1 / np.sqrt(x),
    lambda x, a, b: x * a + b,
    lambda x, a, b: np.power(x, a),
    lambda x, a, b: np.floor(x),
    lambda x, a, b: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    lambda x, a, b: np.minimum(np.maximum(np.rint(x / a), -b), b) * a,
)
_KINDS: tuple[Any, ...] = (
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.power, np.equal,
    np.not_equal, np.less, np.less_equal,
)  # fmt: skip
_REDUCTIONS = (np.sum, np.mean, np.max, np.min, np.prod)


def _activated(x: Array, number: int, floats: Sequence[float]) -> Array:
    check(0 <= number < len(FUNCTIONS), f"there is no activation {number}")
    made = FUNCTIONS[number](x, F32(floats[0]), F32(floats[1]))
    return made.astype(F32, copy=False)


def _axis(axis: int, rank: int) -> int:
    check(-rank <= axis < rank, f"there is no axis {axis} of {rank}")
    return axis % rank


def _limited(sizes: Sequence[int]) -> tuple[int, ...]:
    check(len(sizes) <= MAX_RANK and min(sizes, default=0) >= 0, f"impossible sizes {sizes}")
    check(math.prod(sizes) < MAX_ELEMENTS, f"sizes {tuple(sizes)} are too large")
    return tuple(sizes)


def _floats(*arrays: Array | None) -> None:
    check(all(a is None or a.dtype == F32 for a in arrays), "float32 was expected")


def _out(size: int, kernel: int, pads: int, stride: int, dilation: int, ceil: int = 0) -> int:
    check(kernel > 0 and stride > 0 and dilation > 0, "a kernel, stride or dilation is not > 0")
    room = size + pads - ((kernel - 1) * dilation + 1) + (stride - 1 if ceil else 0)
    check(room >= 0, "a kernel is larger than what it is moved over")
    return room // stride + 1


# -- convolutions, products ------------------------------------------------------------------------


def conv2d(ins: list, ints: tuple, floats: tuple) -> list:
    """Convolution with bias, residual and activation."""
    x, w, bias, residual = ins
    sh, sw, top, bottom, left, right, dh, dw, groups, function = ints
    _floats(x, w, bias, residual)
    check(x.ndim == 4 and w.ndim == 4, "conv2d: four dimensions were expected")
    n, c, h, wide = x.shape
    oc, per, kh, kw = w.shape
    if top == -1:
        top, bottom, left, right = _same(x, kh, kw, sh, sw)
        ints = (sh, sw, top, bottom, left, right, *ints[6:])
    check(groups > 0 and c == per * groups and oc % groups == 0 and oc > 0,
          f"conv2d: {c} channels do not fit a filter {w.shape} of {groups} groups")  # fmt: skip
    check(0 <= min(ints[:8]) <= max(ints[:8]) <= 1024,
          "conv2d: its strides, paddings and dilations are 0 to 1024")  # fmt: skip
    _limited((n, c, h + top + bottom, wide + left + right))
    oh, ow = _out(h, kh, top + bottom, sh, dh), _out(wide, kw, left + right, sw, dw)
    _limited((n, oc, oh, ow))
    if top or bottom or left or right:
        x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))

    if per == 1 and groups > 1:
        y = np.zeros((n, groups, oc // groups, oh, ow), F32)
        filters = w.reshape(groups, oc // groups, kh, kw, 1, 1)
        for i in range(kh):
            for j in range(kw):
                part = _part(x, i * dh, j * dw, sh, sw, oh, ow)
                y += part[:, :, None] * filters[:, :, i, j]
    else:
        if kh == kw == 1:
            columns = np.ascontiguousarray(_part(x, 0, 0, sh, sw, oh, ow))
        else:
            _limited((n, c, kh * kw, oh, ow))
            columns = np.empty((n, c, kh, kw, oh, ow), F32)
            for i in range(kh):
                for j in range(kw):
                    columns[:, :, i, j] = _part(x, i * dh, j * dw, sh, sw, oh, ow)
        filters = w.reshape(groups, oc // groups, per * kh * kw)
        y = filters @ columns.reshape(n, groups, per * kh * kw, oh * ow)
    y = y.reshape(n, oc, oh, ow)
    if bias is not None:
        check(bias.size == oc, "conv2d: its bias does not fit")
        y += bias.reshape(1, oc, 1, 1)
    if residual is not None:
        check(residual.shape == y.shape, "conv2d: its residual does not fit")
        y += residual
    return [_activated(y, function, floats)]


def _part(x: Array, i: int, j: int, sh: int, sw: int, h: int, w: int) -> Array:
    """So many rows and columns of images, from a place on, in steps."""
    return x[:, :, i : i + sh * (h - 1) + 1 : sh, j : j + sw * (w - 1) + 1 : sw]


def _same(x: Array, kh: int, kw: int, sh: int, sw: int) -> tuple[int, ...]:
    """The padding that leaves one result for each stride: top, bottom, left, right."""
    pads: list[int] = []
    for size, kernel, stride in ((x.shape[2], kh, sh), (x.shape[3], kw, sw)):
        check(stride > 0 and kernel > 0, "a kernel or stride is not > 0")
        rest = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        pads += [rest // 2, rest - rest // 2]
    return tuple(pads)


def conv2d_transpose(ins: list, ints: tuple, floats: tuple) -> list:
    """The transposed convolution with bias."""
    x, w, bias = ins
    sh, sw, top, bottom, left, right, dh, dw, groups = ints
    _floats(x, w, bias)
    check(x.ndim == 4 and w.ndim == 4 and x.size, "conv2d_transpose: four dimensions were expected")
    check(min(top, left) >= 0 and min(bottom, right) >= -1024 and max(ints[:8]) <= 1024
          and min(sh, sw, dh, dw) > 0,
          "conv2d_transpose: its strides, paddings and dilations are 0 to 1024")  # fmt: skip
    n, c, h, wide = x.shape
    _, per, kh, kw = w.shape
    check(groups > 0 and w.shape[0] == c and c % groups == 0 and w.size,
          "conv2d_transpose: its channels do not fit the filter")  # fmt: skip
    oh, ow = (h - 1) * sh + (kh - 1) * dh + 1, (wide - 1) * sw + (kw - 1) * dw + 1
    check(oh > top + bottom and ow > left + right, "conv2d_transpose: nothing would be left")
    full = _limited((n, per * groups, oh + max(-bottom, 0), ow + max(-right, 0)))
    _limited((per * kh * kw, h * wide))
    filters = w.reshape(groups, c // groups, per * kh * kw).swapaxes(1, 2)
    parts = filters @ x.reshape(n, groups, c // groups, h * wide)
    parts = parts.reshape(n, groups * per, kh, kw, h, wide)
    y = np.zeros(full, F32)
    for i in range(kh):
        for j in range(kw):
            _part(y, i * dh, j * dw, sh, sw, h, wide)[...] += parts[:, :, i, j]
    y = y[:, :, top : oh - bottom, left : ow - right]
    if bias is not None:
        check(bias.size == groups * per, "conv2d_transpose: its bias does not fit")
        y = y + bias.reshape(1, -1, 1, 1)
    return [np.ascontiguousarray(y)]


def recurrent(ins: list, ints: tuple, floats: tuple) -> list:
    """One layer of LSTM (0) or GRU (1) in one direction, from states of zeros; time comes first."""
    x, wi, wh, bi, bh = ins
    gru, backward = ints
    _floats(*ins)
    gates = 3 if gru else 4
    check(gru in (0, 1) and x.ndim == 3 and wi.ndim == 2 and wh.ndim == 2, "recurrent: dimensions")
    hidden = wh.shape[1]
    check(wh.shape[0] == wi.shape[0] == gates * hidden and wi.shape[1] == x.shape[2],
          "recurrent: its weights do not fit")  # fmt: skip
    check(all(b is None or b.size == gates * hidden for b in (bi, bh)), "recurrent: its biases")
    _limited((*x.shape[:2], gates * hidden))
    given = x @ wi.T + (0 if bi is None else bi.reshape(-1))
    y, state = np.empty((*x.shape[:2], hidden), F32), np.zeros((x.shape[1], hidden), F32)
    cell = np.zeros_like(state)
    for t in range(len(x))[:: -1 if backward else 1]:
        again = state @ wh.T + (0 if bh is None else bh.reshape(-1))
        a, b = given[t], again
        if gru:
            r, z = (_sigmoid(a[:, i : i + hidden] + b[:, i : i + hidden]) for i in (0, hidden))
            new = np.tanh(a[:, 2 * hidden :] + r * b[:, 2 * hidden :])
            state = z * state + (1 - z) * new
        else:
            i, f, g, o = np.split(a + b, 4, 1)
            cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(g)
            state = _sigmoid(o) * np.tanh(cell)
        y[t] = state
    return [y]


def arg_max(ins: list, ints: tuple, floats: tuple) -> list:
    """Where the largest value along an axis is."""
    _floats(ins[0])
    axis = _axis(ints[0], ins[0].ndim)
    check(ins[0].shape[axis], "arg_max: there is nothing along its axis")
    y = ins[0].argmax(axis)
    y = np.expand_dims(y, axis) if ints[1] else y
    return [np.asarray(y, "int64").reshape(y.shape or (1,))]


def matmul(ins: list, ints: tuple, floats: tuple) -> list:
    """Product of matrices, in batches, with a factor and a bias."""
    x, y, bias = ins
    _floats(x, y, bias)
    check(min(x.ndim, y.ndim) >= 2, "matmul: two dimensions were expected")
    x, y = x.swapaxes(-1, -2) if ints[0] else x, y.swapaxes(-1, -2) if ints[1] else y
    check(x.shape[-1] == y.shape[-2], f"matmul: {x.shape} does not fit {y.shape}")
    sizes = (*_broadcast(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1])
    _limited(sizes)
    if y.ndim == 2:  # one product is faster than one for each batch
        x = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    made = (x @ y).reshape(sizes)
    made = made if floats[0] == 1 else made * F32(floats[0])
    check(bias is None or bias.size == sizes[-1], "matmul: its bias does not fit")
    return [made if bias is None else made + bias.reshape(-1)]


def pool2d(ins: list, ints: tuple, floats: tuple) -> list:
    """The largest or the mean of windows; whole: of 1 all pixels, of 2 so many even windows."""
    x = ins[0]
    mean, kh, kw, sh, sw, top, bottom, left, right, ceil, exclusive, whole = ints
    _floats(x)
    check(x.ndim == 4 and x.size, "pool2d: four dimensions were expected")
    if whole == 1:
        return [x.mean((2, 3), keepdims=True) if mean else x.max((2, 3), keepdims=True)]
    if top == -1:
        top, bottom, left, right = _same(x, kh, kw, sh, sw)
    pads, counts = (top, bottom, left, right), F32(1)  # counts: over how many each mean goes
    check(min(pads) >= 0 and max(pads) <= 1024, "pool2d: its paddings are 0 to 1024")
    for axis, k, stride, before, after in ((2, kh, sh, top, bottom), (3, kw, sw, left, right)):
        size = x.shape[axis]
        out = k if whole else _out(size, k, before + after, stride, 1, ceil)
        _limited((*x.shape[:axis], out, *x.shape[axis + 1 :]))
        at = np.arange(out)
        starts = at * size // max(out, 1) if whole else at * stride - before
        ends = ((at + 1) * size + out - 1) // max(out, 1) if whole else starts + k
        x = _windows(x, axis, starts, np.minimum(ends, size), mean)
        first = np.maximum(starts, 0) if exclusive or whole else starts
        last = np.minimum(ends, size + (0 if exclusive or whole else after))
        counts = counts * np.maximum(last - first, 0).astype(F32).reshape(-1, *[1] * (3 - axis))
    return [x / counts if mean else x]


def _windows(x: Array, axis: int, starts: Array, ends: Array, mean: int) -> Array:
    """The largest, or the sum, of windows along an axis; what is outside of it adds nothing."""
    size, nothing = x.shape[axis], F32(0 if mean else np.finfo(F32).min)
    more = np.concatenate([x, np.full_like(x.take([0], axis), nothing)], axis)
    y = more.take(np.full(len(starts), size), axis)
    for i in range(int((ends - starts).max(initial=0))):
        at = starts + i
        part = more.take(np.where((at < 0) | (at >= ends), size, at), axis)
        (np.add if mean else np.maximum)(y, part, out=y)
    return y


# -- element by element, along axes ----------------------------------------------------------------


def activation(ins: list, ints: tuple, floats: tuple) -> list:
    """One of FUNCTIONS."""
    _floats(ins[0])
    return [_activated(ins[0], ints[0], floats)]


def _broadcast(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(x, y)
    except ValueError:
        raise LiteError(f"sizes {x} and {y} do not fit") from None


def binary(ins: list, ints: tuple, floats: tuple) -> list:
    """Two operands; the second one begins at an axis of the first (-1: they end together)."""
    x, y = ins
    check(x.dtype == y.dtype, "binary: its operands are of two data types")
    check(0 <= ints[0] < len(_KINDS), f"there is no binary operator {ints[0]}")
    _floats(*(x, y) if ints[0] in (3, 6) else ())
    if ints[1] >= 0 and y.ndim < x.ndim:
        check(ints[1] + y.ndim <= x.ndim, "binary: its axis does not fit")
        y = y.reshape(*y.shape, *[1] * (x.ndim - ints[1] - y.ndim))
    _limited(_broadcast(x.shape, y.shape))
    return [_KINDS[ints[0]](x, y).astype(F32 if ints[0] > 6 else x.dtype, copy=False)]


def layer_norm(ins: list, ints: tuple, floats: tuple) -> list:
    """Normalises what lies behind an axis."""
    x, scale, bias = ins
    _floats(x, scale, bias)
    axis = _axis(ints[0], x.ndim)
    rows = x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    check(all(v is None or v.size == rows.shape[1] for v in (scale, bias)) and rows.shape[1],
          "layer_norm: its weights do not fit")  # fmt: skip
    centred = rows - rows.mean(1, keepdims=True)
    y = centred / np.sqrt((centred * centred).mean(1, keepdims=True) + F32(floats[0]))
    y = y if scale is None else y * scale.reshape(-1)
    y = y if bias is None else y + bias.reshape(-1)
    return [y.reshape(x.shape)]


def softmax(ins: list, ints: tuple, floats: tuple) -> list:
    """Softmax along an axis."""
    x = ins[0]
    _floats(x)
    axis = _axis(ints[0], x.ndim)
    check(x.shape[axis], "softmax: there is nothing along its axis")
    raised = np.exp(x - x.max(axis, keepdims=True))
    return [raised / raised.sum(axis, keepdims=True)]


def reduce(ins: list, ints: tuple, floats: tuple) -> list:
    """Sum, mean, largest, smallest or product along axes; none are named: all."""
    x = ins[0]
    _floats(x)
    check(0 <= ints[0] < len(_REDUCTIONS) and x.size, "reduce: nothing to reduce, or no such kind")
    axes = {_axis(a, x.ndim) for a in ints[2:]} or set(range(x.ndim))
    y = np.asarray(_REDUCTIONS[ints[0]](x, tuple(sorted(axes)), keepdims=bool(ints[1])), F32)
    return [y if y.ndim else y.reshape(1)]


# -- forms -----------------------------------------------------------------------------------------


def reshape(ins: list, ints: tuple, floats: tuple) -> list:
    """Other sizes; -1: the rest, -2 - i: the size of axis i."""
    x, sizes = ins[0], list(ints)
    for i, size in enumerate(sizes):
        if size < -1:
            check(-2 - size < x.ndim, "reshape: there is no such axis")
            sizes[i] = x.shape[-2 - size]
    check(sizes.count(-1) <= 1, "reshape: impossible sizes")
    if -1 in sizes:
        rest = math.prod(s for s in sizes if s >= 0)
        check(rest and x.size % rest == 0, f"reshape: {x.shape} cannot become {tuple(sizes)}")
        sizes[sizes.index(-1)] = x.size // rest
    check(math.prod(sizes) == x.size, f"reshape: {x.shape} cannot become {tuple(sizes)}")
    return [x.reshape(_limited(sizes))]


def transpose(ins: list, ints: tuple, floats: tuple) -> list:
    """Turns the dimensions."""
    check(sorted(ints) == list(range(ins[0].ndim)), "transpose: its axes do not fit")
    return [np.ascontiguousarray(ins[0].transpose(ints))]


def concat(ins: list, ints: tuple, floats: tuple) -> list:
    """Joins tensors along an axis."""
    first, axis = ins[0], _axis(ints[0], ins[0].ndim)
    before, after = first.shape[:axis], first.shape[axis + 1 :]
    for x in ins:
        fits = x.ndim == first.ndim and x.dtype == first.dtype
        check(fits and x.shape[:axis] == before and x.shape[axis + 1 :] == after,
              "concat: its operands do not fit")  # fmt: skip
    _limited([*before, sum(x.shape[axis] for x in ins), *after])
    return [np.concatenate(ins, axis)]


def slice_(ins: list, ints: tuple, floats: tuple) -> list:
    """A part along some axes: axis, start, end, step of each."""
    x = ins[0]
    check(len(ints) % 4 == 0, "slice: axis, start, end and step were expected")
    places = [slice(None)] * x.ndim
    for axis, start, end, step in zip(*(ints[i::4] for i in range(4))):
        check(step != 0, "slice: a step is 0")
        places[_axis(axis, x.ndim)] = slice(start, end, step)
    return [np.ascontiguousarray(x[tuple(places)])]


def pad(ins: list, ints: tuple, floats: tuple) -> list:
    """More elements before and after along each axis: a value, mirrored (1), or the edge (2)."""
    x, (mode, *sizes) = ins[0], ints
    check(mode in (0, 1, 2) and len(sizes) == 2 * x.ndim, "pad: its paddings do not fit")
    around = list(zip(sizes[::2], sizes[1::2]))
    for pair, size in zip(around, x.shape):
        most = size - 1 if mode == 1 else MAX_ELEMENTS if size or not mode else 0
        check(min(pair) >= 0 and max(pair) <= most, "pad: its paddings do not fit")
    _limited([sum(pair) + size for pair, size in zip(around, x.shape)])
    if mode == 0:
        return [np.pad(x, around, constant_values=F32(floats[0]).astype(x.dtype))]
    return [np.pad(x, around, "reflect" if mode == 1 else "edge")]


def cast(ins: list, ints: tuple, floats: tuple) -> list:
    """Another data type."""
    check(0 <= ints[0] < len(DTYPES), "cast: there is no such data type")
    return [ins[0].astype(DTYPES[ints[0]])]


def interpolate(ins: list, ints: tuple, floats: tuple) -> list:
    """Another height and width, by the nearest pixel or by two."""
    x = ins[0]
    _floats(x)
    check(x.ndim == 4 and x.size, "interpolate: four dimensions were expected")
    linear_, corners, mode, *sizes = ints
    for axis in (2, 3):
        scale, size = float(floats[axis - 2]), x.shape[axis]
        check(math.isfinite(scale), "interpolate: its scale is not finite")
        out = int(min(size * scale, MAX_ELEMENTS)) if scale > 0 else sizes[axis - 2]
        _limited([*x.shape[:axis], max(out, 0), *x.shape[axis + 1 :]])
        check(out > 0, "interpolate: nothing would be left")
        at = _positions(size, out, scale, bool(linear_), bool(corners), mode)
        if not linear_:
            x = x.take(at.astype(int).clip(0, size - 1), axis)
            continue
        low = at.astype(int).clip(0, size - 1)
        part = (at - low).astype(F32).reshape([-1 if i == axis else 1 for i in range(4)])
        x = x.take(low, axis) * (1 - part) + x.take((low + 1).clip(0, size - 1), axis) * part
    return [np.ascontiguousarray(x)]


def _positions(size: int, out: int, scale: float, linear_: bool, corners: bool, mode: int) -> Array:
    """Where each pixel of a result lies in the input."""
    steps = np.arange(out, dtype=F32)
    if corners:
        ratio = F32((size - 1) / (out - 1)) if out > 1 else F32(0)
        return steps * ratio + F32(0 if linear_ else 0.5)
    ratio = F32(1 / scale) if scale > 0 else F32(size / out)
    if linear_ and mode == 0:
        return np.maximum((steps + F32(0.5)) * ratio - F32(0.5), 0)
    return steps * ratio


def gather(ins: list, ints: tuple, floats: tuple) -> list:
    """What stands at some places of an axis."""
    ids, x = ins
    axis = _axis(ints[0], x.ndim)
    check(ids.dtype.kind == "i", "gather: whole numbers were expected")
    limit = x.shape[axis]
    check(not ids.size or (ids.min() >= 0 and ids.max() < limit), "gather: a number is outside")
    _limited((*x.shape[:axis], *ids.shape, *x.shape[axis + 1 :]))
    return [x.take(ids, axis)]


def yolo_box(ins: list, ints: tuple, floats: tuple) -> list:
    """Boxes in pixels of the images, and a score for each class, of one map of YOLOv3."""
    x, sizes = ins
    classes, ratio, clip, *anchors = ints
    least, scale = (F32(v) for v in floats)
    _floats(x)
    count = len(anchors) // 2
    check(x.ndim == 4 and len(anchors) % 2 == 0 and classes >= 0 and ratio > 0
          and x.shape[1] == count * (5 + classes) and sizes.shape == (len(x), 2)
          and sizes.dtype.kind == "i", "yolo_box: its operands do not fit")  # fmt: skip
    n, _, h, w = x.shape
    values = x.reshape(n, count, 5 + classes, h, w)
    high, wide = (sizes[:, i].astype(F32).reshape(n, 1, 1, 1) for i in (0, 1))
    trust = _sigmoid(values[:, :, 4])
    kept, shift = trust >= least, F32(-0.5) * (scale - 1)
    across = (np.arange(w, dtype=F32) + _sigmoid(values[:, :, 0]) * scale + shift) * wide / w
    down = np.arange(h, dtype=F32)[:, None] + _sigmoid(values[:, :, 1]) * scale + shift
    down = down * high / h
    pairs = np.asarray(anchors, F32).reshape(count, 2, 1, 1)
    half_w = np.exp(values[:, :, 2]) * pairs[:, 0] * wide / F32(ratio * w) / 2
    half_h = np.exp(values[:, :, 3]) * pairs[:, 1] * high / F32(ratio * h) / 2
    sides = [across - half_w, down - half_h, across + half_w, down + half_h]
    if clip:
        sides = [np.maximum(s, 0) for s in sides[:2]] + [
            np.minimum(s, limit - 1) for s, limit in zip(sides[2:], (wide, high))
        ]
    boxes = np.where(kept[..., None], np.stack(sides, -1), F32(0))
    scores = _sigmoid(values[:, :, 5:]) * np.where(kept, trust, F32(0))[:, :, None]
    scores = scores.transpose(0, 1, 3, 4, 2).reshape(n, count * h * w, classes)
    return [boxes.reshape(n, count * h * w, 4), np.ascontiguousarray(scores)]


def _shared(box: Array, others: Array, extra: F32) -> Array:
    """How much of their union a box and each of others share."""
    size = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]) + extra
    common = np.maximum(size[:, 0], 0) * np.maximum(size[:, 1], 0)
    one, each = box[2:] - box[:2] + extra, others[:, 2:] - others[:, :2] + extra
    union = one[0] * one[1] + each[:, 0] * each[:, 1] - common
    return np.where(common > 0, common / union, F32(0))


def multiclass_nms(ins: list, ints: tuple, floats: tuple) -> list:
    """The best boxes of each class that share little with better ones."""
    boxes, scores = ins
    background, top, most, normalized = ints
    threshold, limit, eta, results = floats
    _floats(boxes, scores)
    check(boxes.ndim == 3 and boxes.shape[2] == 4 and scores.ndim == 3
          and (scores.shape[0], scores.shape[2]) == boxes.shape[:2],
          "multiclass_nms: its operands do not fit")  # fmt: skip
    rows: list[tuple] = []
    counts = []
    for image, (box, score) in enumerate(zip(boxes, scores)):
        found: list[tuple] = []
        for label, column in enumerate(score):
            places = np.flatnonzero(column > F32(threshold))
            places = places[np.argsort(-column[places], kind="stable")]
            places = places if top < 0 else places[:top]
            bound, shared = F32(limit), np.zeros(len(places), F32)
            while len(places) and label != background:
                found.append((label, column[places[0]], places[0]))
                if eta < 1 and bound > 0.5:
                    bound *= F32(eta)
                again = _shared(box[places[0]], box[places[1:]], F32(0 if normalized else 1))
                shared = np.maximum(shared[1:], again)
                free = np.flatnonzero(shared <= bound)
                at = free[0] if len(free) else len(shared)
                places, shared = places[1 + at :], shared[at:]
        found = sorted(found, key=lambda f: -f[1])[: most if most >= 0 else None]
        found.sort(key=lambda f: f[0])
        rows += [(f[0], f[1], *box[f[2]], image * box.shape[0] + f[2]) for f in found]
        counts.append(len(found))
    out = np.array([r[:6] for r in rows], F32).reshape(-1, 6)
    if results == 1:
        return [out if len(out) else np.full((1, 1), -1, F32)]
    places = np.array([r[6:] for r in rows], "int32").reshape(-1, 1)
    return [out, places, np.array(counts, "int32")][:results]


KERNELS: dict[str, Kernel] = {
    name: globals()[{"slice": "slice_"}.get(name, name)] for name in OPERATORS
}


class NumpyEngine:
    """A model that is run by NumPy; the bytes of the file have to stay as they are."""

    name = "numpy"

    def __init__(self, content: Any) -> None:
        self.model = read(content)
        tensors = self.model.tensors
        self.inputs = [tensors[i] for i in self.model.inputs]
        self.outputs = [tensors[i].name for i in self.model.outputs]
        last = {i: at for at, op in enumerate(self.model.operators) for i in op.ins}
        kept = {*self.model.outputs, *(i for i, t in enumerate(tensors) if t.value is not None)}
        self._done: list[list[int]] = [[] for _ in self.model.operators]
        for i, at in last.items():
            if i >= 0 and i not in kept:
                self._done[at].append(i)

    def run(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Returns the outputs for some inputs."""
        values: list[Any] = [t.value for t in self.model.tensors]
        for i, array in zip(self.model.inputs, arrays, strict=True):
            values[i] = array
        with np.errstate(all="ignore"):
            for op, done in zip(self.model.operators, self._done):
                # how many results it has says what this one gives
                several = op.name == "multiclass_nms"
                floats = (*op.floats, len(op.outs)) if several else op.floats
                try:
                    made = KERNELS[op.name]([None if i < 0 else values[i] for i in op.ins],
                                            op.ints, floats)  # fmt: skip
                except LiteError as error:
                    place = self.model.tensors[op.outs[0]].name
                    raise LiteError(f"operator {op.name} that makes {place!r}: {error}") from None
                for i, value in zip(op.outs, made):
                    values[i] = value
                for i in done:
                    values[i] = None
        return [np.array(values[i]) for i in self.model.outputs]
