"""Samples of normalization by statistics that are counted over all batches."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def data_norm(
    x, size, total, squares, scale, bias, slot_dim=-1, enable_scale_and_shift=False, epsilon=1e-4
):
    means, scales = total / size, np.sqrt(size / squares)
    out = np.zeros_like(x)
    width = slot_dim if slot_dim > 0 else x.shape[1]
    for row in range(x.shape[0]):
        for first in range(0, x.shape[1], width):
            if slot_dim > 0 and abs(x[row, first]) < 1e-7:
                continue
            part = slice(first, first + width)
            value = (x[row, part] - means[part]) * scales[part]
            if enable_scale_and_shift:
                value = value * scale[part] + bias[part]
            out[row, part] = value
    return out, means, scales


STATS = {"BatchSize": pos(4) * 10, "BatchSum": f64(4), "BatchSquareSum": pos(4, key=1) * 9}
SCALED = {"scale_w": pos(4, key=2), "bias": f64(4, key=3)}
GAPS = f64(5, 4)
GAPS[1, 0] = GAPS[3, 2] = 0.0
SHIFT = {"enable_scale_and_shift": True}

SAMPLES = [
    Sample("data_norm", {"X": f64(5, 4), **STATS}, {}, data_norm, grad=["X"]),
    Sample(
        "data_norm", {"X": f64(5, 4), **STATS, **SCALED}, SHIFT, data_norm,
        grad=["X", "scale_w", "bias"], note="shift",
    ),
    Sample(
        "data_norm", {"X": GAPS, **STATS}, {"slot_dim": 2}, data_norm, grad=[], note="slots"
    ),
    Sample(
        "data_norm", {"X": GAPS, **STATS, **SCALED}, {"slot_dim": 3, **SHIFT}, data_norm,
        grad=["scale_w", "bias"], note="slots_shift",
    ),
]  # fmt: skip


def _bad(match, attrs=None, **inputs):
    return ErrorSample("data_norm", {"X": f64(5, 4), **STATS, **inputs}, attrs or {}, ValueError,
                       match)  # fmt: skip


ERRORS = [
    _bad(r"X of shape \[N, C\]", X=f64(2, 4, 1)),
    _bad(r"BatchSum of shape \[4\]", BatchSum=f64(3)),
    _bad(r"scale_w of shape \[4\]", SHIFT),
    _bad(r"\[0, 0.001\]", {"epsilon": 0.1}),
]
