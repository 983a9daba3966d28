"""Samples of operators that pick, put, count or repeat elements along one axis."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints

X = f64(3, 4, key="x")
ROWS = np.array([[0, 2, 1, 1], [2, 2, 0, 1]])
COLUMNS = np.array([[0, 3], [1, 0], [2, 1]])
VALUES = f64(3, 2, key="values")
REPEATED = np.array([[0, 0, 1], [1, 3, 3], [2, 2, 2]])
SORTED = np.sort(f64(2, 5, key="sorted"), -1)
TIES = np.array([[2.0, 3, 2, 3, 1], [5, 5, 4, 4, 4], [1, 1, 2, 3, 3]])
RUNS = np.array([1.0, 1, 2, 2, 2, 1, 3, 3])
ROW_RUNS = np.array([[1.0, 2], [1, 2], [0, 0], [1, 2]])
RULES = {"add": np.add, "mul": np.multiply, "multiply": np.multiply, "amax": np.maximum,
         "amin": np.minimum, "assign": lambda old, new: new, "mean": np.add}  # fmt: skip


def _put(x, index, value, Axis, Reduce="assign", Include_self=True):
    out, seen = x.copy(), np.full(x.shape, float(Include_self))
    value = np.broadcast_to(value, index.shape)
    for at in np.ndindex(*index.shape):
        to = list(at)
        to[Axis] = index[at]
        to = tuple(to)
        out[to] = RULES[Reduce](out[to], value[at]) if seen[to] else value[at]
        seen[to] += 1
    return out / np.maximum(seen, 1) if Reduce == "mean" else out


def _index_add(x, index, value, axis=0):
    out = np.moveaxis(x.copy(), axis, 0)
    np.add.at(out, index, np.moveaxis(value, axis, 0))
    return np.moveaxis(out, 0, axis)


def _searchsorted(sequence, values, out_int32=False, right=False):
    side = "right" if right else "left"
    if sequence.ndim == 1:
        found = np.searchsorted(sequence, values, side)
    else:
        found = np.stack([np.searchsorted(s, v, side) for s, v in zip(sequence, values)])
    return found.astype("int32" if out_int32 else "int64")


def _kth(x, k=1, axis=-1, keepdim=False):
    at = np.argsort(x, axis, kind="stable").take([k - 1], axis)
    values = np.take_along_axis(x, at, axis)
    return (values, at) if keepdim else (values.squeeze(axis), at.squeeze(axis))


def _mode(x, axis=-1, keepdim=False):
    def most(row):
        values, counts = np.unique(row, return_counts=True)
        return np.flatnonzero(row == values[counts.argmax()])[-1]

    at = np.expand_dims(np.apply_along_axis(most, axis, x), axis)
    values = np.take_along_axis(x, at, axis)
    return (values, at) if keepdim else (values.squeeze(axis), at.squeeze(axis))


def _logcumsumexp(x, axis=-1, flatten=False, exclusive=False, reverse=False):
    x, axis = (x.reshape(-1), 0) if flatten else (x, axis)
    x = np.flip(x, axis) if reverse else x
    if exclusive:
        low = np.full_like(x.take([0], axis), np.finfo(x.dtype).min)
        x = np.concatenate([low, x.take(range(x.shape[axis] - 1), axis)], axis)
    out = np.logaddexp.accumulate(x, axis)
    return np.flip(out, axis) if reverse else out


def _repeat(x, repeats=None, Repeats=0, dim=0):
    return np.repeat(x, Repeats if repeats is None else repeats, dim)


def _consecutive(x, return_inverse=False, return_counts=False, axis=(), dtype=5):
    rows = np.moveaxis(x, axis[0], 0) if axis else x.reshape(-1)
    new = [True] + [bool((a != b).any()) for a, b in zip(rows[1:], rows)]
    out = rows[new] if not axis else np.moveaxis(rows[new], 0, axis[0])
    kind = {2: "int32", 3: "int64", 5: "float32"}[dtype]
    inverse = np.cumsum(new) - 1
    counts = np.diff([*np.flatnonzero(new), len(rows)]).astype(kind)
    return out, inverse.astype(kind) if return_inverse else None, counts if return_counts else None


def _puts(reduce, **more):
    attrs = {"Axis": 1, "Reduce": reduce, **more}
    return Sample(
        "put_along_axis", {"Input": X, "Index": REPEATED[:, :2], "Value": VALUES}, attrs, _put,
        note="_".join([reduce, *more]), orders=1 if reduce[:3] == "mul" else 2)  # fmt: skip


SAMPLES = [
    Sample("take_along_axis", {"Input": X, "Index": COLUMNS}, {"Axis": 1},
           lambda x, i, Axis: np.take_along_axis(x, i, Axis)),
    Sample("take_along_axis", {"Input": X, "Index": ROWS}, {"Axis": 0},
           lambda x, i, Axis: np.take_along_axis(x, i, Axis), note="rows"),
    Sample("put_along_axis", {"Input": X, "Index": COLUMNS, "Value": VALUES}, {"Axis": 1}, _put),
    Sample("put_along_axis", {"Input": X, "Index": COLUMNS, "Value": f64(1, 1)}, {"Axis": 1},
           _put, note="one_value"),
    _puts("add"), _puts("mul"), _puts("multiply"), _puts("mean"), _puts("amax"), _puts("amin"),
    _puts("add", Include_self=False),
    Sample("index_add", {"X": X, "Index": np.array([0, 2, 0]), "AddValue": f64(3, 4, key=1)}, {},
           _index_add),
    Sample("index_add", {"X": X, "Index": np.int32([3, 1]), "AddValue": VALUES}, {"axis": -1},
           _index_add, note="last"),
    Sample("searchsorted", {"SortedSequence": SORTED, "Values": f64(2, 3)}, {}, _searchsorted),
    Sample("searchsorted", {"SortedSequence": np.array([1, 3, 3, 5]), "Values": ints(2, 4)},
           {"right": True, "out_int32": True}, _searchsorted, note="right"),
    Sample("kthvalue", {"X": apart(3, 4)}, {"k": 2}, _kth),
    Sample("kthvalue", {"X": apart(3, 4)}, {"k": 3, "axis": 0, "keepdim": True}, _kth, note="keep"),
    Sample("kthvalue", {"X": apart(5)}, {"k": 5}, _kth, note="1d"),
    Sample("mode", {"X": TIES}, {}, _mode, grad=[]),
    Sample("mode", {"X": TIES}, {"axis": 0, "keepdim": True}, _mode, grad=[], note="keep"),
    Sample("mode", {"X": apart(2, 3)}, {}, _mode, note="all_once"),
    Sample("cumprod", {"X": X}, {"dim": 1}, lambda x, dim: np.cumprod(x, dim), orders=3),
    Sample("cumprod", {"X": ints(2, 3, low=1)}, {"dim": -2}, lambda x, dim: np.cumprod(x, dim),
           note="int"),
    Sample("logcumsumexp", {"X": X}, {}, _logcumsumexp),
    Sample("logcumsumexp", {"X": X}, {"axis": 0, "reverse": True}, _logcumsumexp, note="reverse"),
    Sample("logcumsumexp", {"X": X}, {"flatten": True}, _logcumsumexp, note="flat"),
    Sample("logcumsumexp", {"X": X}, {"exclusive": True}, _logcumsumexp, note="exclusive", grad=[],
           dtypes=()),
    Sample("repeat_interleave", {"X": X}, {"Repeats": 2, "dim": 1}, _repeat),
    Sample("repeat_interleave", {"X": X, "RepeatsTensor": np.int64([2, 0, 3])}, {"dim": 0}, _repeat,
           note="tensor", static_shape=False),
    Sample("unique_consecutive", {"X": RUNS}, {"dtype": 3, "return_inverse": True,
           "return_counts": True}, _consecutive, static_shape=False),
    Sample("unique_consecutive", {"X": ROW_RUNS}, {"dtype": 2, "axis": [0],
           "return_inverse": True, "return_counts": True}, _consecutive, note="rows",
           static_shape=False),
    Sample("unique_consecutive", {"X": RUNS}, {"dtype": 3}, _consecutive, note="alone",
           static_shape=False),
    Sample("broadcast_tensors", {"X": [f64(3, 1), f64(4), f64(2, 1, 1)]}, {},
           lambda x: [np.broadcast_to(a, (2, 3, 4)) for a in x]),
]  # fmt: skip

ERRORS = [
    ErrorSample("take_along_axis", {"Input": X, "Index": COLUMNS + 2}, {"Axis": 1}, IndexError,
                r"indices are expected in \[0, 4\), but they span \[2, 5\]"),
    ErrorSample("take_along_axis", {"Input": X, "Index": COLUMNS[0]}, {"Axis": 1}, ValueError,
                "with 2 dimensions like the input"),
    ErrorSample("put_along_axis", {"Input": X, "Index": COLUMNS, "Value": VALUES},
                {"Axis": 1, "Reduce": "min"}, ValueError, "Reduce is expected to be assign or one"),
    ErrorSample("put_along_axis", {"Input": X, "Index": COLUMNS + 2, "Value": VALUES},
                {"Axis": 1}, IndexError, r"indices are expected in \[0, 4\)"),
    ErrorSample("index_add", {"X": X, "Index": np.array([3, 0]), "AddValue": f64(2, 4)}, {},
                IndexError, r"indices are expected in \[0, 3\)"),
    ErrorSample("searchsorted", {"SortedSequence": SORTED, "Values": f64(3, 3)}, {}, ValueError,
                "SortedSequence is expected"),
    ErrorSample("kthvalue", {"X": X}, {"k": 5}, ValueError, r"k is expected in \[1, 4\]"),
    ErrorSample("mode", {"X": X}, {"axis": 2}, ValueError, "axis is expected to be in range"),
    ErrorSample("cumprod", {"X": X}, {"dim": 2}, ValueError, "cumprod: dim is expected"),
    ErrorSample("repeat_interleave", {"X": X}, {"Repeats": 0}, ValueError, "to be positive"),
    ErrorSample("repeat_interleave", {"X": X, "RepeatsTensor": ints(2)}, {}, ValueError,
                "one number of repeats for each of the 3"),
    ErrorSample("broadcast_tensors", {"X": [f64(3), f64(4)]}, {}, ValueError, "broadcast"),
]  # fmt: skip
