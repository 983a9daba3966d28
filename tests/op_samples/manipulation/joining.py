"""Samples of operators that join, take apart and repeat."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def _split(x, axis_whole=None, parts=None, sections=(), num=0, axis=0):
    axis = axis if axis_whole is None else int(axis_whole[0])
    if num:
        return np.split(x, num, axis)
    sections = [int(p[0]) for p in parts] if parts else list(sections)
    if -1 in sections:
        sections[sections.index(-1)] = x.shape[axis] - sum(sections) - 1
    return np.split(x, np.cumsum(sections)[:-1], axis)


def _unstack(x, axis=0, num=0):
    return list(np.moveaxis(x, axis, 0))


def _tile(x, whole=None, parts=None, repeat_times=()):
    times = [int(p[0]) for p in parts] if parts else repeat_times if whole is None else whole
    return np.tile(x, times)


def _expand(x, whole=None, parts=None, shape=()):
    shape = [int(p[0]) for p in parts] if parts else list(shape if whole is None else whole)
    lead = len(shape) - x.ndim
    return np.broadcast_to(x, [x.shape[i - lead] if n == -1 else n for i, n in enumerate(shape)])


def _expand_as(x, y=None, target_shape=()):
    return np.broadcast_to(x, target_shape if y is None else y.shape)


X, Y = f64(2, 3, 4), f64(2, 1, 4, key=1)


def _concat(x, axis_whole=None, axis=0):
    return np.concatenate(x, axis if axis_whole is None else int(axis_whole[0]))


SAMPLES = [
    Sample("concat", {"X": [X, Y]}, {"axis": 1}, _concat),
    Sample("concat", {"X": [X, Y, X]}, {"axis": -2}, _concat, note="negative"),
    Sample("concat", {"X": [X]}, {}, _concat, note="one"),
    Sample(
        "concat",
        {"X": [X, Y], "AxisTensor": np.int32([1])},
        {},
        _concat,
        note="tensor",
        static_shape=False,
    ),
    Sample("split", {"X": X}, {"num": 2, "axis": -1}, _split, note="num"),
    Sample("split", {"X": X}, {"num": 1}, _split, note="one"),
    Sample("split", {"X": X}, {"sections": [1, 2], "axis": 1}, _split),
    Sample("split", {"X": X}, {"sections": [1, -1, 0], "axis": 1}, _split, note="rest"),
    Sample(
        "split",
        {"X": X, "AxisTensor": np.int32([2])},
        {"num": 4},
        _split,
        note="axis_tensor",
        static_shape=False,
    ),
    Sample(
        "split",
        {"X": X, "SectionsTensorList": [np.int32([1]), np.int32([2])]},
        {"axis": 1, "sections": [1, 2]},
        _split,
        note="parts",
        static_shape=False,
    ),
    Sample("stack", {"X": [X, X + 1]}, {}, lambda x, axis=0: np.stack(x, axis)),
    Sample(
        "stack",
        {"X": [X, X + 1, X]},
        {"axis": -1},
        lambda x, axis=0: np.stack(x, axis),
        note="last",
    ),
    Sample("unstack", {"X": X}, {"axis": 1, "num": 3}, _unstack),
    Sample("unstack", {"X": X}, {"axis": -1}, _unstack, note="last"),
    Sample("unbind", {"X": X}, {}, _unstack),
    Sample(
        "unbind",
        {"X": f64(3)},
        {"axis": -1},
        lambda x, axis: [v.reshape(1) for v in x],
        note="vector",
    ),
    Sample("tile", {"X": X}, {"repeat_times": [2, 1, 3]}, _tile),
    Sample("tile", {"X": X}, {"repeat_times": [2]}, _tile, note="short"),
    Sample("tile", {"X": f64(3)}, {"repeat_times": [2, 2]}, _tile, note="long"),
    Sample(
        "tile",
        {"X": f64(3), "RepeatTimes": np.int32([2])},
        {},
        _tile,
        note="tensor",
        static_shape=False,
    ),
    Sample(
        "tile",
        {"X": f64(3), "repeat_times_tensor": [np.int32([2])]},
        {},
        _tile,
        note="parts",
        static_shape=False,
    ),
    Sample("expand_v2", {"X": f64(3, 1)}, {"shape": [2, 3, 4]}, _expand),
    Sample("expand_v2", {"X": f64(3, 1)}, {"shape": [-1, 4]}, _expand, note="kept"),
    Sample(
        "expand_v2",
        {"X": f64(3), "Shape": np.int32([2, 3])},
        {},
        _expand,
        note="tensor",
        static_shape=False,
    ),
    Sample(
        "expand_v2",
        {"X": f64(3), "expand_shapes_tensor": [np.int32([2]), np.int32([3])]},
        {},
        _expand,
        note="parts",
        static_shape=False,
    ),
    Sample("expand_as_v2", {"X": f64(3, 1), "Y": f64(2, 3, 4)}, {}, _expand_as, grad=["X"]),
    Sample("expand_as_v2", {"X": f64(3)}, {"target_shape": [2, 3]}, _expand_as, note="shape"),
    Sample(
        "meshgrid",
        {"X": [f64(2), f64(3), f64(4)]},
        {},
        lambda x: [np.ascontiguousarray(g) for g in np.meshgrid(*x, indexing="ij")],
    ),
    Sample("meshgrid", {"X": [f64(2)]}, {}, lambda x: list(x), note="one"),
]

ERRORS = [
    ErrorSample(
        "concat",
        {"X": [X, f64(2, 2, 3)]},
        {"axis": 1},
        ValueError,
        r"except axis, but received shapes \[2, 3, 4\], \[2, 2, 3\] with axis = 1",
    ),
    ErrorSample("concat", {"X": [X, f64(4)]}, {}, ValueError, "equal in rank"),
    ErrorSample(
        "concat", {"X": [X, X]}, {"axis": 3}, ValueError, r"range of \[-3, 2\], but received 3"
    ),
    ErrorSample(
        "concat",
        {"X": [X, X.astype("int64")]},
        {},
        ValueError,
        "first is float64 and number 1 is int64",
    ),
    ErrorSample("concat", {"X": []}, {}, TypeError, "non-empty list"),
    ErrorSample(
        "split",
        {"X": X},
        {"num": 2, "axis": 1},
        ValueError,
        "dimension 1 of 3 elements cannot be divided into 2",
    ),
    ErrorSample(
        "split", {"X": X}, {"sections": [1, 1], "axis": 1}, ValueError, r"add up to 3.*\[1, 1\]"
    ),
    ErrorSample(
        "split", {"X": X}, {"sections": [-1, -1], "axis": 1}, ValueError, "one of them may be -1"
    ),
    ErrorSample("split", {"X": X}, {"num": 2, "axis": 3}, ValueError, r"range of \[-3, 2\]"),
    ErrorSample(
        "stack", {"X": [X, Y]}, {}, ValueError, r"one shape, but received shapes \[2, 3, 4\]"
    ),
    ErrorSample("stack", {"X": [X, X]}, {"axis": 4}, ValueError, r"range of \[-4, 3\]"),
    ErrorSample("unstack", {"X": X}, {"axis": 1, "num": 2}, ValueError, "num is expected to be 3"),
    ErrorSample("unbind", {"X": X}, {"axis": 3}, ValueError, "axis is expected"),
    ErrorSample("tile", {"X": X}, {"repeat_times": [0, 1, 1]}, ValueError, "positive"),
    ErrorSample(
        "expand_v2", {"X": f64(2)}, {"shape": [3]}, ValueError, r"\[2\] cannot be expanded to \[3\]"
    ),
    ErrorSample("expand_v2", {"X": X}, {"shape": [4]}, ValueError, "at least as many dimensions"),
    ErrorSample("expand_as_v2", {"X": X, "Y": f64(4)}, {}, ValueError, "cannot be expanded"),
    ErrorSample("meshgrid", {"X": [f64(2), X]}, {}, ValueError, r"number 1 has shape \[2, 3, 4\]"),
]
