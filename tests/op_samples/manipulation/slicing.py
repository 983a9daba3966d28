"""Samples of operators that cut a part out."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def _read(attr, whole, parts):
    if parts:
        return [int(p[0]) for p in parts]
    return list(attr) if whole is None else whole.tolist()


def _cut(x, axes, starts, ends, strides, dropped):
    index = [slice(None)] * x.ndim
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=True):
        if stride < 0 and end < -x.shape[axis]:
            end = 0
        index[axis] = slice(start, end, stride)
    return np.squeeze(x[tuple(index)], tuple(dropped))


def _slice(x, starts_whole, ends_whole, starts_parts, ends_parts, axes, starts=(), ends=(),
           infer_flags=(), decrease_axis=()):  # fmt: skip
    starts = _read(starts, starts_whole, starts_parts)
    ends = _read(ends, ends_whole, ends_parts)
    return _cut(x, axes, starts, ends, [1] * len(axes), decrease_axis)


def _strided(x, sw, ew, tw, sp, ep, tp, axes, starts=(), ends=(), strides=(), infer_flags=(),
             decrease_axis=()):  # fmt: skip
    return _cut(
        x, axes, _read(starts, sw, sp), _read(ends, ew, ep), _read(strides, tw, tp), decrease_axis
    )


def _crop(x, shape_whole, shape_parts, at_whole, at_parts, shape=(), offsets=()):
    offsets = _read(offsets, at_whole, at_parts) or [0] * x.ndim
    shape = _read(shape, shape_whole, shape_parts) or [-1] * x.ndim
    return x[tuple(slice(at, None if n == -1 else at + n) for at, n in zip(offsets, shape))]


X = f64(3, 4, 5)
BEFORE = {"axes": [0], "starts": [2], "ends": [-9], "strides": [-1]}
ONE, TWO = np.int32([1]), np.int32([2])

SAMPLES = [
    Sample("slice", {"Input": X}, {"axes": [0, 2], "starts": [1, 0], "ends": [3, -1]}, _slice),
    Sample(
        "slice",
        {"Input": X},
        {"axes": [-1], "starts": [-3], "ends": [2**31 - 1]},
        _slice,
        note="to_the_end",
    ),
    Sample(
        "slice", {"Input": X}, {"axes": [1], "starts": [-9], "ends": [2]}, _slice, note="clipped"
    ),
    Sample("slice", {"Input": X}, {"axes": [1], "starts": [3], "ends": [1]}, _slice, note="empty"),
    Sample(
        "slice",
        {"Input": X},
        {"axes": [0, 1], "starts": [1, -1], "ends": [2, 4], "decrease_axis": [0, 1]},
        _slice,
        note="dropped",
    ),
    Sample(
        "slice",
        {"Input": f64(4)},
        {"axes": [0], "starts": [1], "ends": [2], "decrease_axis": [0]},
        lambda x, *rest, **attrs: x[1:2],
        note="scalar",
    ),
    Sample(
        "slice",
        {"Input": X, "StartsTensor": ONE, "EndsTensor": TWO},
        {"axes": [1]},
        _slice,
        note="tensor",
        static_shape=False,
    ),
    Sample(
        "slice",
        {"Input": X, "StartsTensorList": [ONE], "EndsTensorList": [TWO]},
        {"axes": [1], "starts": [-1], "ends": [-1], "infer_flags": [-1]},
        _slice,
        note="parts",
        static_shape=False,
    ),
    Sample(
        "strided_slice",
        {"Input": X},
        {"axes": [0, 2], "starts": [0, 1], "ends": [3, 5], "strides": [2, 2]},
        _strided,
    ),
    Sample(
        "strided_slice",
        {"Input": X},
        {"axes": [1, 2], "starts": [3, -1], "ends": [0, -9], "strides": [-1, -3]},
        _strided,
        note="backward",
    ),
    Sample(
        "strided_slice",
        {"Input": X},
        {"axes": [1], "starts": [0], "ends": [3], "strides": [-1]},
        _strided,
        note="empty",
    ),
    Sample(
        "strided_slice",
        {"Input": X},
        {"axes": [1], "starts": [9], "ends": [0], "strides": [-2]},
        _strided,
        note="clipped",
    ),
    Sample(
        "strided_slice",
        {"Input": X},
        {"axes": [0], "starts": [1], "ends": [2], "strides": [1], "decrease_axis": [0]},
        _strided,
        note="dropped",
    ),
    Sample(
        "strided_slice",
        {"Input": X, "StartsTensor": ONE, "EndsTensorList": [np.int32([4])]},
        {"axes": [1], "strides": [2]},
        _strided,
        note="tensor",
        static_shape=False,
    ),
    Sample("crop_tensor", {"X": X}, {"shape": [2, 2, -1], "offsets": [1, 0, 2]}, _crop),
    Sample("strided_slice", {"Input": X}, BEFORE, lambda x, *a, **k: x[2:0:-1], note="before"),
    Sample("crop_tensor", {"X": X}, {}, _crop, note="whole"),
    Sample(
        "crop_tensor",
        {"X": X, "Shape": np.int32([1, 2, 3]), "OffsetsTensor": [ONE, ONE, TWO]},
        {},
        _crop,
        note="tensor",
        static_shape=False,
    ),
]

ERRORS = [
    ErrorSample(
        "slice",
        {"Input": X},
        {"axes": [3], "starts": [0], "ends": [1]},
        ValueError,
        r"range of \[-3, 2\], but received 3",
    ),
    ErrorSample(
        "slice",
        {"Input": X},
        {"axes": [0, 1], "starts": [0], "ends": [1, 1]},
        ValueError,
        "starts is expected to be as long as axes",
    ),
    ErrorSample(
        "slice",
        {"Input": X},
        {"axes": [0], "starts": [0], "ends": [2], "decrease_axis": [0]},
        ValueError,
        "one element left",
    ),
    ErrorSample(
        "strided_slice",
        {"Input": X},
        {"axes": [0], "starts": [0], "ends": [2], "strides": [0]},
        ValueError,
        "differ from 0",
    ),
    ErrorSample(
        "crop_tensor",
        {"X": X},
        {"shape": [3, 4, 5], "offsets": [1, 0, 0]},
        ValueError,
        "offset 1 and size 3 in dimension 0",
    ),
    ErrorSample("crop_tensor", {"X": X}, {"shape": [3, 4]}, ValueError, "3 entries"),
]
