"""Samples of elementwise operators of two operands."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def _aligned(x, y, axis):
    return y if axis == -1 else y.reshape(y.shape + (1,) * (x.ndim - axis - y.ndim))


def _binary(op, ref, second=f64):
    def run(x, y, axis=-1):
        return ref(x, _aligned(x, y, axis))

    return [
        Sample(op, {"X": f64(3, 4), "Y": second(3, 4, key=1)}, ref=run, orders=3),
        Sample(op, {"X": f64(2, 3, 4), "Y": second(3, 1, key=1)}, ref=run, note="broadcast"),
        Sample(op, {"X": f64(4), "Y": second(3, 4, key=1)}, ref=run, note="broadcast_left"),
        Sample(op, {"X": f64(2, 3, 4), "Y": second(3, key=1)}, {"axis": 1}, run, note="axis"),
    ]


SAMPLES = [
    *_binary("elementwise_add", np.add),
    *_binary("elementwise_sub", np.subtract),
    *_binary("elementwise_mul", np.multiply),
    *_binary("elementwise_div", np.divide, pos),
    Sample("grad_add", {"X": f64(3), "Y": f64(3, key=1)}, ref=lambda x, y, axis=-1: x + y),
]

ERRORS = [
    ErrorSample(
        "elementwise_add", {"X": f64(2, 3), "Y": f64(4)}, {}, ValueError, "Broadcast dimension mismatch"
    ),
]
