"""Samples of comparisons, logic, bits and tests for special values."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, bools, f64, ints

SPECIAL = np.array([[1.0, np.inf], [-np.inf, np.nan]])


def _comparison(op, ref):
    def run(x, y, axis=-1):
        return ref(x, y if axis == -1 else y.reshape(y.shape + (1,) * (x.ndim - axis - y.ndim)))

    return [
        Sample(op, {"X": ints(3, 4, high=3), "Y": ints(3, 4, high=3, key=1)}, ref=run),
        Sample(op, {"X": f64(3, 4), "Y": f64(4, key=1)}, ref=run, note="broadcast"),
        Sample(
            op, {"X": ints(2, 3, 4, high=3), "Y": ints(3, high=3)}, {"axis": 1}, run, note="axis"
        ),
    ]


def _logic(op, ref):
    return [
        Sample(op, {"X": bools(3, 4), "Y": bools(4, key=1)}, ref=ref),
        Sample(op, {"X": ints(8, high=2), "Y": ints(8, high=2, key=1)}, ref=ref, note="int"),
    ]


def _bits(op, ref):
    return [
        Sample(op, {"X": ints(3, 4), "Y": ints(4, key=1)}, ref=ref),
        Sample(op, {"X": bools(8), "Y": bools(8, key=1)}, ref=ref, note="bool"),
    ]


def _allclose(x, y, rtol_tensor=None, atol_tensor=None, rtol="1e-5", atol="1e-8", equal_nan=False):
    if rtol_tensor is not None:
        rtol, atol = rtol_tensor.item(), atol_tensor.item()
    return np.allclose(x, y, float(rtol), float(atol), equal_nan)


SAMPLES = [
    *_comparison("equal", np.equal),
    *_comparison("not_equal", np.not_equal),
    *_comparison("less_than", np.less),
    *_comparison("less_equal", np.less_equal),
    *_comparison("greater_than", np.greater),
    *_comparison("greater_equal", np.greater_equal),
    *_logic("logical_and", np.logical_and),
    *_logic("logical_or", np.logical_or),
    *_logic("logical_xor", np.logical_xor),
    Sample("logical_not", {"X": bools(3, 4)}, ref=np.logical_not),
    Sample("logical_not", {"X": f64(3)}, ref=np.logical_not, note="float"),
    *_bits("bitwise_and", np.bitwise_and),
    *_bits("bitwise_or", np.bitwise_or),
    *_bits("bitwise_xor", np.bitwise_xor),
    Sample("bitwise_not", {"X": ints(4)}, ref=np.bitwise_not),
    Sample("bitwise_not", {"X": bools(4)}, ref=np.bitwise_not, note="bool"),
    Sample("isfinite_v2", {"X": SPECIAL}, ref=np.isfinite),
    Sample("isinf_v2", {"X": SPECIAL}, ref=np.isinf),
    Sample("isnan_v2", {"X": SPECIAL}, ref=np.isnan),
    Sample("isnan_v2", {"X": ints(3)}, ref=np.isnan, note="int"),
    Sample("isfinite", {"X": SPECIAL}, ref=lambda x: False),
    Sample("isfinite", {"X": f64(3)}, ref=lambda x: True, note="finite"),
    Sample("isinf", {"X": SPECIAL}, ref=lambda x: True),
    Sample("isnan", {"X": SPECIAL}, ref=lambda x: True),
    Sample("allclose", {"Input": f64(3), "Other": f64(3) + 1e-9}, ref=_allclose),
    Sample("allclose", {"Input": f64(3), "Other": f64(3, key=1)}, ref=_allclose, note="far"),
    Sample("allclose", {"Input": SPECIAL, "Other": SPECIAL}, {"equal_nan": True}, _allclose),
    Sample("allclose", {"Input": SPECIAL, "Other": SPECIAL}, ref=_allclose, note="nan"),
    Sample(
        "allclose",
        {
            "Input": np.ones(2),
            "Other": np.array([1.0, 2.0]),
            "Rtol": np.array([1.0]),
            "Atol": np.zeros(1),
        },
        ref=_allclose,
        note="tensors",
    ),
    Sample("equal_all", {"X": ints(3), "Y": ints(3)}, ref=lambda x, y: True),
    Sample("equal_all", {"X": ints(3), "Y": ints(3) + 1}, ref=lambda x, y: False, note="other"),
    Sample("equal_all", {"X": ints(3), "Y": ints(4)}, ref=lambda x, y: False, note="shape"),
    Sample("is_empty", {"X": f64(2, 3)}, ref=lambda x: False),
    Sample("is_empty", {"X": f64(0, 3)}, ref=lambda x: True, note="empty"),
    Sample("shape", {"Input": f64(2, 3)}, ref=lambda x: np.array(x.shape, "int32")),
    Sample("size", {"Input": f64(2, 3)}, ref=lambda x: np.array([x.size], "int64")),
]

ERRORS = [
    ErrorSample("equal", {"X": f64(2, 3), "Y": f64(4)}, {}, ValueError, "mismatch"),
    ErrorSample("bitwise_and", {"X": f64(2), "Y": f64(2)}, {}, TypeError, "data types"),
]
