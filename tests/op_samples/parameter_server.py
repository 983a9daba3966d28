"""Samples of the operators of parameter servers that work on what is here."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def split_byref(x, sections=(), num=0):
    heights = sections or [len(x) // num] * num
    return np.split(x, np.cumsum(heights)[:-1])


SAMPLES = [
    Sample("split_byref", {"X": f64(7, 3)}, {"sections": [4, 3]}, split_byref, grad=[]),
    Sample("split_byref", {"X": f64(6, 3)}, {"num": 3}, split_byref, grad=[], note="num"),
    Sample(
        "ref_by_trainer_id", {"X": [f64(2, 3), f64(2, 3, key=1)], "TrainerId": np.array([1])},
        {}, lambda x, i: x[int(i[0])], grad=[],
    ),
]  # fmt: skip

ERRORS = [
    ErrorSample(
        "split_byref", {"X": f64(7, 3)}, {"sections": [4, 4]}, ValueError, "7 rows together"
    ),
    ErrorSample("split_byref", {"X": f64(7, 3)}, {"num": 2}, ValueError, "a divisor of 7"),
    ErrorSample(
        "ref_by_trainer_id", {"X": [f64(2)], "TrainerId": np.array([1])}, {}, ValueError,
        "a number below 1",
    ),
    ErrorSample(
        "ref_by_trainer_id", {"X": [f64(2)], "TrainerId": np.array([0, 1])}, {}, ValueError,
        "one number as TrainerId",
    ),
]  # fmt: skip
