"""Samples of operators that change shape or order."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def _reshaped(x, whole=None, parts=None, shape=()):
    if parts:
        shape = [int(p[0]) for p in parts]
    elif whole is not None:
        shape = whole.tolist()
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape)])


def _twins(old, new, ref, samples):
    """Samples of an operator of 1.x and of its successor, which has a second output."""
    made = []
    for inputs, attrs, note in samples:
        known = len(inputs) == 1  # no tensor says the shape
        second = lambda *args, **attrs: (ref(*args, **attrs), None)
        made.append(Sample(old, inputs, attrs, ref, note=note, static_shape=known))
        made.append(Sample(new, inputs, attrs, second, note=note, static_shape=known))
    return made


def _squeezed(x, axes=()):
    axes = [a % x.ndim for a in axes] or range(x.ndim)
    return x.reshape([n for i, n in enumerate(x.shape) if not (n == 1 and i in axes)])


def _unsqueezed(x, whole=None, parts=None, axes=()):
    if parts:
        axes = [int(p[0]) for p in parts]
    elif whole is not None:
        axes = whole.tolist()
    for axis in axes:
        x = np.expand_dims(x, axis)
    return x


def _sides(x, axis=1):
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


def _merged(x, start_axis=1, stop_axis=1):
    start, stop = start_axis % x.ndim, stop_axis % x.ndim
    return x.reshape(x.shape[:start] + (-1,) + x.shape[stop + 1 :]), None


def _rolled(x, whole=None, shifts=(), axis=()):
    shifts = whole.tolist() if whole is not None else list(shifts)
    return np.roll(x, shifts, list(axis)) if axis else np.roll(x, shifts[0])


def _shard(x, index_num, nshards, shard_id, ignore_value=-1):
    size = -(-index_num // nshards)
    return np.where(x // size == shard_id, x % size, ignore_value)


X = f64(2, 3, 4)

SAMPLES = [
    *_twins(
        "reshape",
        "reshape2",
        _reshaped,
        [
            ({"X": X}, {"shape": [4, 6]}, ""),
            ({"X": X}, {"shape": [0, -1]}, "zero_and_rest"),
            ({"X": f64(1, 1)}, {"shape": [1]}, "one_element"),
            ({"X": X, "Shape": np.int32([6, 4])}, {}, "shape_tensor"),
            ({"X": X, "ShapeTensor": [np.int32([4]), np.int32([-1])]}, {"shape": [4, -1]}, "parts"),
        ],
    ),
    *_twins(
        "transpose",
        "transpose2",
        lambda x, axis: x.transpose(axis),
        [
            ({"X": X}, {"axis": [2, 0, 1]}, ""),
            ({"X": X}, {"axis": [-1, 1, -3]}, "negative"),
            ({"X": f64(3)}, {"axis": [0]}, "vector"),
        ],
    ),
    *_twins(
        "squeeze",
        "squeeze2",
        _squeezed,
        [
            ({"X": f64(3, 1, 1)}, {}, "all"),
            ({"X": f64(1, 3, 1)}, {"axes": [-1]}, "negative"),
            ({"X": f64(3, 1)}, {"axes": [0, 1]}, "larger_stays"),
        ],
    ),
    *_twins(
        "unsqueeze",
        "unsqueeze2",
        _unsqueezed,
        [
            ({"X": X}, {"axes": [1]}, ""),
            ({"X": X}, {"axes": [-1, 0]}, "one_after_the_other"),
            ({"X": X, "AxesTensor": np.int32([0, 2])}, {}, "axes_tensor"),
            ({"X": X, "AxesTensorList": [np.int32([3])]}, {}, "parts"),
        ],
    ),
    *_twins(
        "flatten",
        "flatten2",
        _sides,
        [
            ({"X": X}, {}, ""),
            ({"X": X}, {"axis": 0}, "axis_0"),
            ({"X": X}, {"axis": 3}, "axis_3"),
        ],
    ),
    Sample("flatten_contiguous_range", {"X": X}, {}, _merged),
    Sample(
        "flatten_contiguous_range",
        {"X": X},
        {"start_axis": 0, "stop_axis": -1},
        _merged,
        note="all",
    ),
    Sample(
        "flatten_contiguous_range",
        {"X": X},
        {"start_axis": -2, "stop_axis": -1},
        _merged,
        note="negative",
    ),
    *[
        Sample(op, {"X": X}, {"axis": axis}, lambda x, axis: np.flip(x, axis), note=str(axis))
        for op in ("flip", "reverse")
        for axis in ([0], [-1, 0], [])
    ],
    Sample("roll", {"X": X}, {"shifts": [2]}, _rolled, note="flat"),
    Sample("roll", {"X": X}, {"shifts": [1, -2], "axis": [0, -1]}, _rolled),
    Sample(
        "roll",
        {"X": X, "ShiftsTensor": np.int64([1])},
        {"axis": [1]},
        _rolled,
        note="tensor",
        static_shape=False,
    ),
    Sample(
        "shard_index",
        {"X": ints(5, 1, high=20)},
        {"index_num": 20, "nshards": 3, "shard_id": 1},
        _shard,
    ),
    Sample(
        "shard_index",
        {"X": ints(5, 1, high=20, dtype="int32")},
        {"index_num": 20, "nshards": 2, "shard_id": 0, "ignore_value": -5},
        _shard,
        note="ignore",
    ),
]

ERRORS = [
    ErrorSample(
        "reshape2",
        {"X": X},
        {"shape": [5, 2]},
        ValueError,
        r"shape \[2, 3, 4\] has 24 elements, which do not fill the 10 of shape \[5, 2\]",
    ),
    ErrorSample(
        "reshape2",
        {"X": X},
        {"shape": [-1, 5]},
        ValueError,
        "24 elements, which cannot be divided into 5",
    ),
    ErrorSample("reshape2", {"X": X}, {"shape": [-1, -1]}, ValueError, "at most one dimension"),
    ErrorSample("reshape2", {"X": X}, {"shape": [-2, 12]}, ValueError, "positive, 0 or -1"),
    ErrorSample("reshape2", {"X": X}, {"shape": [24, 1, 1, 0]}, ValueError, r"shape\[3\].*beyond"),
    ErrorSample("transpose2", {"X": X}, {"axis": [0, 0, 1]}, ValueError, "rank 3.*once"),
    ErrorSample("transpose2", {"X": X}, {"axis": [0, 1]}, ValueError, r"rank 3.*received \[0, 1\]"),
    ErrorSample("transpose2", {"X": X}, {"axis": [0, 1, 3]}, ValueError, "axis is expected"),
    ErrorSample(
        "squeeze2", {"X": X}, {"axes": [3]}, ValueError, r"range of \[-3, 2\], but received 3"
    ),
    ErrorSample(
        "unsqueeze2", {"X": X}, {"axes": [5]}, ValueError, r"range of \[-4, 3\], but received 5"
    ),
    ErrorSample(
        "flatten_contiguous_range",
        {"X": X},
        {"start_axis": 2, "stop_axis": 1},
        ValueError,
        "stop_axis is expected to be no less",
    ),
    ErrorSample(
        "flatten_contiguous_range",
        {"X": X},
        {"start_axis": 0, "stop_axis": 3},
        ValueError,
        r"range of \[-3, 2\]",
    ),
    ErrorSample("flatten2", {"X": X}, {"axis": 4}, ValueError, r"range of \[0, 3\]"),
    ErrorSample("flip", {"X": X}, {"axis": [3]}, ValueError, "axis is expected"),
    ErrorSample(
        "shard_index",
        {"X": np.int64([20])},
        {"index_num": 20, "nshards": 2, "shard_id": 0},
        ValueError,
        "values from 20 to 20",
    ),
    ErrorSample(
        "roll", {"X": X}, {"shifts": [1, 2], "axis": [0]}, ValueError, "as many shifts as axes"
    ),
]
