"""Samples of scaling per channel or by a norm, and of batch normalization over processes."""

from __future__ import annotations

import dataclasses

import numpy as np

from tests.op_samples.nn.norm import SAMPLES as NORMS
from tests.op_samples.sample import ErrorSample, Sample, f64


def affine_channel(x, scale, bias, data_layout="AnyLayout"):
    out = np.empty_like(x)
    for c in range(len(scale)):
        at = (..., c) if data_layout == "NHWC" else (slice(None), c)
        out[at] = x[at] * scale[c] + bias[c]
    return out


def clip_by_norm(x, max_norm):
    norm = np.sqrt((x**2).sum())
    return x * max_norm / norm if norm > max_norm else x


def _affine(shape, layout):
    c = shape[-1] if layout == "NHWC" else shape[1]
    inputs = {"X": f64(*shape), "Scale": f64(c), "Bias": f64(c, key=1)}
    return Sample("affine_channel", inputs, {"data_layout": layout}, affine_channel, note=layout)


# In one process it is batch_norm, whose optional inputs it requires.
_SYNC = [
    dataclasses.replace(s, op="sync_batch_norm")
    for s in NORMS
    if s.op == "batch_norm" and s.inputs.get("Scale") is not None
    and s.inputs.get("Bias") is not None
]  # fmt: skip

SAMPLES = [
    _affine((2, 3, 2, 4), "NCHW"),
    _affine((2, 3, 2, 4), "AnyLayout"),
    _affine((2, 2, 2, 3), "NHWC"),
    _affine((4, 3), "NCHW"),
    Sample("clip_by_norm", {"X": f64(3, 4)}, {"max_norm": 1.5}, clip_by_norm, orders=3),
    Sample("clip_by_norm", {"X": f64(3, 4)}, {"max_norm": 99.0}, clip_by_norm, note="short"),
    Sample("clip_by_norm", {"X": np.zeros(3)}, {"max_norm": 1.0}, clip_by_norm, grad=[]),
    *_SYNC,
]

ERRORS = [
    ErrorSample(
        "affine_channel",
        {"X": f64(2, 3, 2, 2), "Scale": f64(2), "Bias": f64(2)},
        {},
        ValueError,
        "one element of Scale and Bias for each channel",
    ),
    ErrorSample("clip_by_norm", {"X": f64(2)}, {"max_norm": 0.0}, ValueError, "a positive value"),
    ErrorSample(
        "sync_batch_norm",
        {"X": f64(2, 4), "Scale": f64(3), "Bias": f64(3), "Mean": f64(3), "Variance": f64(3)},
        {},
        ValueError,
        "to have 4 elements",
    ),
]
