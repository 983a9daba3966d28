"""Samples of views, diagonals, writing by index, counts and running extremes."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, bools, f64, ints


def as_strided(x, dims, stride, offset=0):
    flat = x.reshape(-1)
    out = np.zeros(dims, x.dtype)
    for at in np.ndindex(*dims):
        out[at] = flat[offset // x.itemsize + np.dot(at, stride)]
    return out


def tensor_unfold(x, axis, size, step):
    starts = range(0, x.shape[axis] - size + 1, step)
    parts = [np.moveaxis(np.take(x, range(s, s + size), axis), axis, -1) for s in starts]
    return np.stack(parts, axis % x.ndim)


def _viewed(kind):
    return lambda x, dtype: np.ascontiguousarray(x).view(kind)


def diagonal(x, offset=0, axis1=0, axis2=1):
    return np.diagonal(x, offset, axis1, axis2)


def fill_diagonal_tensor(x, y, offset=0, dim1=0, dim2=1):
    out = np.moveaxis(x.copy(), (dim1, dim2), (-2, -1))
    for i in range(y.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = y[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def index_put(x, indices, value, accumulate=False):
    out = x.copy()
    if accumulate:
        np.add.at(out, tuple(indices), value)
    else:
        out[tuple(indices)] = value
    return out


def bincount(x, weights, minlength=0):
    if not x.size:
        return np.zeros(0, "int64" if weights is None else "float64")
    out = np.zeros(max(int(x.max()) + 1, minlength), "int64" if weights is None else "float64")
    for i, n in enumerate(x):
        out[n] += 1 if weights is None else weights[i]
    return out


def _running(better):
    def reference(x, axis=-1, dtype=3):
        values = np.moveaxis(x.copy(), axis, -1)
        indices = np.zeros(values.shape, "int64" if dtype == 3 else "int32")
        for row in np.ndindex(*values.shape[:-1]):
            best = 0
            for i in range(values.shape[-1]):
                best = i if better(values[row][i], values[row][best]) else best
                indices[(*row, i)] = best
                values[(*row, i)] = values[row][best]
        return np.moveaxis(values, -1, axis), np.moveaxis(indices, -1, axis)

    return reference


CUMMAX, CUMMIN = _running(lambda a, b: a >= b), _running(lambda a, b: a <= b)


def _put(note, x, indices, value, **attrs):
    return Sample("index_put", {"x": x, "indices": indices, "value": value}, attrs, index_put,
                  note=note)  # fmt: skip


ROWS, COLUMNS = np.array([0, 2, -1, 1]), np.array([[1], [-3]])

SAMPLES = [
    Sample("as_strided", {"input": f64(3, 4)}, {"dims": [2, 3], "stride": [4, 1]}, as_strided),
    Sample("as_strided", {"input": np.arange(12)},
           {"dims": [2, 2, 3], "stride": [1, 1, 2], "offset": 16}, as_strided, note="overlap"),
    Sample("as_strided", {"input": f64(3, 4)}, {"dims": [3, 3], "stride": [0, 2]}, as_strided,
           note="repeated"),
    Sample("view_shape", {"input": f64(3, 4)}, {"dims": [2, 6]}, lambda x, dims: x.reshape(dims)),
    Sample("view_shape", {"input": f64(3, 4)}, {"dims": [2, -1, 1]},
           lambda x, dims: x.reshape(dims), note="rest"),
    Sample("view_dtype", {"input": ints(2, 4, dtype="int64")}, {"dtype": 2}, _viewed("int32")),
    Sample("view_dtype", {"input": ints(2, 4, dtype="int32")}, {"dtype": 3}, _viewed("int64"),
           note="wider"),
    Sample("view_dtype", {"input": ints(2, 4, high=2**30)}, {"dtype": 6}, _viewed("float64"),
           note="floats"),
    Sample("tensor_unfold", {"input": f64(7)}, {"axis": 0, "size": 3, "step": 2}, tensor_unfold,
           orders=3),
    Sample("tensor_unfold", {"input": f64(3, 4, 2)}, {"axis": -2, "size": 2, "step": 1},
           tensor_unfold, note="middle"),
    Sample("diagonal", {"Input": f64(3, 4)}, ref=diagonal, orders=3),
    Sample("diagonal", {"Input": f64(2, 3, 4)}, {"offset": -1, "axis1": -1, "axis2": 0}, diagonal,
           note="turned"),
    Sample("diagonal", {"Input": f64(3, 4)}, {"offset": 4}, diagonal, note="outside", grad=[]),
    Sample("fill_diagonal_tensor", {"X": f64(3, 4), "Y": f64(3)}, {}, fill_diagonal_tensor),
    Sample("fill_diagonal_tensor", {"X": f64(3, 2, 4), "Y": f64(2, 2)},
           {"offset": -1, "dim1": 0, "dim2": 2}, fill_diagonal_tensor, note="below"),
    _put("rows", f64(3, 4), [np.array([2, 0])], f64(2, 4)),
    _put("added", f64(3, 4), [ROWS, np.array([1, 1, 1, -3])], f64(4), accumulate=True),
    _put("broadcast", f64(3, 4), [COLUMNS, np.array([0, 3])], f64(1), accumulate=True),
    _put("mask", f64(3, 4), [bools(3, 4)], f64(1)),
    _put("int32", ints(4), [np.array([1, 3], "int32")], ints(2)),
    Sample("bincount", {"X": ints(9, high=5)}, {}, bincount, static_shape=False),
    Sample("bincount", {"X": ints(9, high=5, dtype="int32"), "Weights": f64(9)},
           {"minlength": 8}, bincount, static_shape=False, note="weights"),
    Sample("cummax", {"x": apart(3, 4)}, {}, CUMMAX),
    Sample("cummax", {"x": ints(3, 4, high=3)}, {"axis": 0, "dtype": 2}, CUMMAX, note="ties"),
    Sample("cummax", {"x": apart(2, 3, 2)}, {"axis": -2}, CUMMAX, note="middle"),
    Sample("cummin", {"x": apart(3, 4)}, {}, CUMMIN),
    Sample("cummin", {"x": ints(3, 4, high=3)}, {"axis": 0, "dtype": 2}, CUMMIN, note="ties"),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


X = f64(3, 4)
ERRORS = [
    _bad("as_strided", "reach number 12", attrs={"dims": [2, 5], "stride": [8, 1]}, input=X),
    _bad("as_strided", "multiple of 8", attrs={"dims": [1], "stride": [1], "offset": 4}, input=X),
    _bad("as_strided", "of one length", attrs={"dims": [1], "stride": [1, 1]}, input=X),
    _bad("view_shape", r"dims for 12 elements.*\[5, 4\]", attrs={"dims": [5, 4]}, input=X),
    _bad("view_dtype", "multiple of 8 bytes", attrs={"dtype": 6}, input=ints(3, dtype="int32")),
    _bad("tensor_unfold", r"\[1, 4\].*received 5 and 1",
         attrs={"axis": 1, "size": 5, "step": 1}, input=X),
    _bad("diagonal", "two axes that differ", attrs={"axis1": 1}, Input=X),
    _bad("diagonal", r"range of \[-2, 1\]", attrs={"axis1": 2}, Input=X),
    _bad("fill_diagonal_tensor", r"expected Y of shape \[3\]", X=X, Y=f64(4)),
    _bad("fill_diagonal_tensor", "one data type", TypeError, X=X, Y=ints(3)),
    _bad("index_put", r"in \[-3, 3\) for axis 0, but they span \[0, 3\]", IndexError, x=X,
         indices=[np.array([0, 3])], value=f64(1)),
    _bad("index_put", "at most 2 axes, but received 3", x=X, indices=[ROWS % 3] * 3, value=f64(1)),
    _bad("index_put", "indices of int32, int64 or bool", TypeError, x=X, indices=[f64(2)],
         value=f64(1)),
    _bad("index_put", "one data type", TypeError, x=X, indices=[ROWS], value=ints(1)),
    _bad("bincount", "no negative numbers, but received -2", X=np.array([1, -2])),
    _bad("bincount", "one dimension", X=ints(2, 3)),
    _bad("bincount", "of the same shape", X=ints(3), Weights=f64(2)),
    _bad("bincount", "expected integers", TypeError, X=f64(3)),
    _bad("bincount", "minlength", attrs={"minlength": -1}, X=ints(3)),
    _bad("cummax", "int32 or int64", attrs={"dtype": 5}, x=X),
    _bad("cummin", r"range of \[-2, 1\]", attrs={"axis": 2}, x=X),
]  # fmt: skip
