"""Samples of operators that measure."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import Sample, f64, ints


def _accuracy(out, indices, label):
    hits = int((indices == label).any(axis=1).sum())
    rows = len(indices)
    return np.float32([hits / rows]), np.int32([hits]), np.int32([rows])


SAMPLES = [
    Sample(
        "accuracy",
        {"Out": f64(6, 2), "Indices": ints(6, 2, high=4), "Label": ints(6, 1, high=4, key=1)},
        ref=_accuracy,
        rtol=1e-6,
    ),
    Sample(
        "accuracy",
        {
            "Out": f64(3, 1),
            "Indices": ints(3, 1, low=2, high=3),
            "Label": ints(3, 1, low=2, high=3),
        },
        ref=_accuracy,
        rtol=1e-6,
        note="all_right",
    ),
]
