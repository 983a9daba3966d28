"""Samples of the weights that a convolution has after it took in a batch norm."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import Sample, f64, pos


def folded(weight, bias, scale, shift, mean, variance, epsilon=1e-5, axis=0):
    mean = np.zeros_like(scale) if mean is None else mean
    factor = scale if variance is None else scale / np.sqrt(variance + epsilon)
    shape = [1] * weight.ndim
    shape[axis] = -1
    start = -mean if bias is None else bias - mean
    return weight * factor.reshape(shape), start * factor + shift


def _sample(axis: int, bias: bool, fixed: bool = True, **attrs) -> Sample:
    count = (4, 3)[axis]
    inputs = {
        "Filter": f64(4, 3, 2, 2),
        "Bias": f64(count) if bias else None,
        "Scale": f64(count, key=1),
        "Shift": f64(count, key=2),
        "Mean": f64(count, key=3) if fixed else None,
        "Variance": pos(count) if fixed else None,
    }
    note = f"axis {axis}" + (", bias" if bias else "") + ("" if fixed else ", no statistics")
    return Sample("fold_batch_norm", inputs, {"axis": axis} | attrs, folded, grad=[], note=note)


SAMPLES = [
    _sample(0, False),
    _sample(0, True, epsilon=0.1),
    _sample(1, True),
    _sample(0, True, fixed=False),
]
ERRORS: list = []
