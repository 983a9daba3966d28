"""Samples of operators that read and write at indices."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def _gather(x, index, axis_whole=None, axis=0, overwrite=True):
    return np.take(x, index.reshape(-1), axis if axis_whole is None else int(axis_whole[0]))


def _gather_nd(x, index):
    return x[tuple(np.moveaxis(index, -1, 0))]


def _scatter(x, ids, updates, overwrite=True):
    out = x.copy()
    if not overwrite:
        out[ids.reshape(-1)] = 0
    for row, update in zip(ids.reshape(-1), updates, strict=True):
        out[row] = update if overwrite else out[row] + update
    return out


def _scatter_nd_add(x, index, updates):
    out = x.copy()
    np.add.at(out, tuple(np.moveaxis(index, -1, 0)), updates)
    return out


X = f64(3, 4)
ROWS = np.int64([2, 0, 2, 1])
PAIRS = np.int64([[0, 1], [2, 3], [0, 1]])

SAMPLES = [
    Sample("gather", {"X": X, "Index": ROWS}, {"overwrite": False}, _gather),
    Sample("gather", {"X": X, "Index": ROWS[1:]}, {}, _gather, note="rows once"),
    Sample(
        "gather",
        {"X": X, "Index": np.int32([[1], [1]])},
        {"overwrite": False},
        _gather,
        note="column",
    ),
    Sample("gather", {"X": X, "Index": ROWS}, {"axis": -1}, _gather, note="last"),
    Sample(
        "gather",
        {"X": X, "Index": ROWS, "Axis": np.int32([1])},
        {},
        _gather,
        note="axis_tensor",
        static_shape=False,
    ),
    Sample("index_select", {"X": X, "Index": ROWS}, {}, lambda x, i, dim=0: np.take(x, i, dim)),
    Sample(
        "index_select",
        {"X": X, "Index": ROWS.astype("int32")},
        {"dim": -1},
        lambda x, i, dim=0: np.take(x, i, dim),
        note="last",
    ),
    Sample(
        "index_sample",
        {"X": X, "Index": np.int64([[0, 0, 3], [1, 2, 2], [3, 0, 1]])},
        {},
        lambda x, i: np.take_along_axis(x, i, 1),
    ),
    Sample("gather_nd", {"X": X, "Index": PAIRS}, {}, _gather_nd),
    Sample(
        "gather_nd",
        {"X": f64(2, 3, 4), "Index": np.int64([[[1], [0]], [[1], [1]]])},
        {},
        _gather_nd,
        note="slices",
    ),
    Sample("gather_nd", {"X": X, "Index": np.int64([1, 2])}, {}, _gather_nd, note="one"),
    Sample("scatter", {"X": X, "Ids": np.int64([2, 0]), "Updates": f64(2, 4, key=1)}, {}, _scatter),
    Sample(
        "scatter",
        {"X": X, "Ids": np.int64([1, 2, 1]), "Updates": f64(3, 4, key=1)},
        {},
        _scatter,
        note="last_wins",
    ),
    Sample(
        "scatter",
        {"X": X, "Ids": np.int32([[1], [2], [1]]), "Updates": f64(3, 4, key=1)},
        {"overwrite": False},
        _scatter,
        note="added",
    ),
    Sample(
        "scatter",
        {"X": f64(4), "Ids": np.int64([3]), "Updates": f64(1, key=1)},
        {},
        _scatter,
        note="vector",
    ),
    Sample(
        "scatter_nd_add", {"X": X, "Index": PAIRS, "Updates": f64(3, key=1)}, {}, _scatter_nd_add
    ),
    Sample(
        "scatter_nd_add",
        {"X": X, "Index": np.int64([[1], [1]]), "Updates": f64(2, 4, key=1)},
        {},
        _scatter_nd_add,
        note="rows",
    ),
]

ERRORS = [
    ErrorSample(
        "gather",
        {"X": X, "Index": np.int64([3, 0])},
        {},
        IndexError,
        r"range of \[0, 2\].*from 0 to 3",
    ),
    ErrorSample("gather", {"X": X, "Index": np.int64([-1])}, {}, IndexError, "from -1 to -1"),
    ErrorSample(
        "gather", {"X": X, "Index": np.float64([1])}, {}, ValueError, "int32 or int64.*float64"
    ),
    ErrorSample(
        "gather", {"X": X, "Index": np.int64([[0, 1]])}, {}, ValueError, r"\[n\] or \[n, 1\]"
    ),
    ErrorSample("gather", {"X": X, "Index": ROWS}, {"axis": 2}, ValueError, "axis is expected"),
    ErrorSample(
        "index_select", {"X": X, "Index": np.int64([4])}, {"dim": 1}, IndexError, r"\[0, 3\]"
    ),
    ErrorSample(
        "index_sample", {"X": X, "Index": np.int64([[0, 1]])}, {}, ValueError, "as many rows"
    ),
    ErrorSample(
        "index_sample", {"X": X, "Index": np.int64([[4]] * 3)}, {}, IndexError, "out of bounds"
    ),
    ErrorSample(
        "gather_nd", {"X": X, "Index": np.int64([[0, 4]])}, {}, IndexError, "out of bounds"
    ),
    ErrorSample("gather_nd", {"X": X, "Index": np.int64([[-1]])}, {}, IndexError, "received -1"),
    ErrorSample("gather_nd", {"X": X, "Index": np.int64([[0, 1, 1]])}, {}, ValueError, "at most 2"),
    ErrorSample(
        "gather_nd", {"X": X, "Index": np.float64([[0]])}, {}, ValueError, "int32 or int64"
    ),
    ErrorSample(
        "scatter",
        {"X": X, "Ids": np.int64([3]), "Updates": f64(1, 4)},
        {},
        IndexError,
        "out of bounds",
    ),
    ErrorSample(
        "scatter",
        {"X": X, "Ids": np.int64([0]), "Updates": f64(1, 3)},
        {},
        ValueError,
        r"updates are expected to have shape \[1, 4\], but received \[1, 3\]",
    ),
    ErrorSample(
        "scatter",
        {"X": X, "Ids": np.int64([0]), "Updates": np.int64([[1] * 4])},
        {},
        ValueError,
        "expected to be float64",
    ),
    ErrorSample(
        "scatter_nd_add",
        {"X": X, "Index": np.int64([[3]]), "Updates": f64(1, 4)},
        {},
        IndexError,
        "out of bounds",
    ),
    ErrorSample(
        "scatter_nd_add",
        {"X": X, "Index": np.int64([[0]]), "Updates": f64(1, 3)},
        {},
        ValueError,
        r"shape \[1, 4\], but received \[1, 3\]",
    ),
]
