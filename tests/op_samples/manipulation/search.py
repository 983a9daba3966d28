"""Samples of operators that find, order and pick."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, bools, f64, ints

I32 = 2


def _sorted(x, axis=-1, descending=False):
    order = np.argsort(-x if descending else x, axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


def _top(x, k_whole=None, k=1, axis=-1, largest=True, sorted=True):
    k = k if k_whole is None else int(k_whole[0])
    order = np.take(np.argsort(-x if largest else x, axis, kind="stable"), range(k), axis)
    return np.take_along_axis(x, order, axis), order


def _arg(find):
    def ref(x, axis, keepdims=False, flatten=False, dtype=3):
        out = find(x) if flatten else find(x, axis)
        if keepdims:
            out = np.reshape(out, [1] * x.ndim) if flatten else np.expand_dims(out, axis)
        return np.asarray(out).astype("int32" if dtype == 2 else "int64")

    return ref


def _unique(x, return_index=False, return_inverse=False, return_counts=False, axis=(), dtype=3,
            is_sorted=False):  # fmt: skip
    kind = "int32" if dtype == I32 else "int64"
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis[0] if axis else None)
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first)
        values, first, counts = values[order], first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    return (values, first.astype(kind) if return_index else None, inverse.astype(kind),
            counts.astype(kind) if return_counts else None)  # fmt: skip


X = apart(3, 4)
ALL = {"return_index": True, "return_inverse": True, "return_counts": True}

SAMPLES = [
    Sample("argsort", {"X": X}, {}, _sorted),
    Sample("argsort", {"X": X}, {"axis": 0, "descending": True}, _sorted, note="descending"),
    Sample("argsort", {"X": ints(30, high=3)}, {"descending": True}, _sorted, note="ties"),
    *[
        Sample("top_k_v2", {"X": X}, attrs, _top, note=note)
        for attrs, note in (
            ({"k": 2}, ""),
            ({"k": 3, "axis": 0}, "axis"),
            ({"largest": False}, "least"),
        )
    ],
    Sample(
        "top_k_v2",
        {"X": X},
        {"k": 4, "axis": 1, "sorted": False},
        lambda x, k_whole=None, **attrs: (None, None),
        note="unsorted",
    ),
    Sample("top_k_v2", {"X": X, "K": np.int32([2])}, {}, _top, note="tensor", static_shape=False),
    Sample("top_k", {"X": X}, {"k": 2}, _top),
    Sample("top_k", {"X": X, "K": np.int32([2])}, {}, _top, note="tensor", static_shape=False),
    *[
        Sample(op, {"X": X}, attrs, _arg(find), note=note)
        for op, find in (("arg_max", np.argmax), ("arg_min", np.argmin))
        for attrs, note in (
            ({"axis": 1}, ""),
            ({"axis": -2, "keepdims": True, "dtype": I32}, "kept"),
            ({"axis": 0, "flatten": True}, "flat"),
            ({"axis": 0, "flatten": True, "keepdims": True}, "flat_kept"),
        )
    ],
    Sample("arg_max", {"X": np.int64([1, 3, 3, 3])}, {"axis": 0}, _arg(np.argmax), note="first"),
    Sample(
        "where", {"Condition": bools(3, 4), "X": f64(3, 4), "Y": f64(3, 4, key=1)}, {}, np.where
    ),
    Sample(
        "where",
        {"Condition": bools(3, 1), "X": f64(4), "Y": f64(2, 3, 4, key=1)},
        {},
        np.where,
        note="broadcast",
    ),
    Sample("where_index", {"Condition": bools(3, 4)}, {}, np.argwhere, static_shape=False),
    Sample(
        "where_index",
        {"Condition": np.float64([0, 2, 0, -1])},
        {},
        np.argwhere,
        static_shape=False,
        note="numbers",
    ),
    Sample(
        "masked_select",
        {"X": f64(3, 4), "Mask": bools(3, 4)},
        {},
        lambda x, m: x[m],
        static_shape=False,
    ),
    Sample(
        "masked_select",
        {"X": f64(3, 1), "Mask": bools(4)},
        {},
        lambda x, m: np.broadcast_to(x, (3, 4))[np.broadcast_to(m, (3, 4))],
        static_shape=False,
        note="broadcast",
    ),
    Sample(
        "unique", {"X": ints(12, high=5)}, {**ALL, "is_sorted": True}, _unique, static_shape=False
    ),
    Sample(
        "unique",
        {"X": ints(12, high=5)},
        {**ALL, "dtype": I32},
        _unique,
        static_shape=False,
        note="in_order_of_appearance",
    ),
    Sample(
        "unique",
        {"X": ints(8, 2, high=2)},
        {**ALL, "is_sorted": True, "axis": [0]},
        _unique,
        static_shape=False,
        note="rows",
    ),
    Sample(
        "unique",
        {"X": ints(2, 8, high=2)},
        {"is_sorted": True, "axis": [-1]},
        _unique,
        static_shape=False,
        note="columns",
    ),
]

ERRORS = [
    ErrorSample(
        "argsort", {"X": X}, {"axis": 2}, ValueError, r"range of \[-2, 1\], but received 2"
    ),
    ErrorSample("top_k_v2", {"X": X}, {"k": 5}, ValueError, r"range of \[1, 4\].*but received 5"),
    ErrorSample("top_k_v2", {"X": X}, {"k": 0}, ValueError, "but received 0"),
    ErrorSample("top_k_v2", {"X": X}, {"k": 1, "axis": 2}, ValueError, "axis is expected"),
    ErrorSample("arg_max", {"X": X}, {"axis": 2}, ValueError, "axis is expected"),
    ErrorSample(
        "where",
        {"Condition": X, "X": X, "Y": X},
        {},
        ValueError,
        "condition is expected to be bool",
    ),
    ErrorSample(
        "where",
        {"Condition": X > 0, "X": X, "Y": X.astype("int64")},
        {},
        ValueError,
        "float64 and int64",
    ),
    ErrorSample("where", {"Condition": X > 0, "X": X, "Y": f64(3)}, {}, ValueError, "mismatch"),
    ErrorSample(
        "masked_select", {"X": X, "Mask": X}, {}, ValueError, "mask is expected to be bool"
    ),
    ErrorSample("unique", {"X": X}, {"axis": [2]}, ValueError, r"range of \[-2, 1\]"),
]
