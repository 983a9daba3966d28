"""Samples of products by weights that were packed before."""

from __future__ import annotations

import math

import numpy as np

from paddle.core.errors import InvalidArgumentError
from tests.op_samples.sample import ErrorSample, Sample, f64

ACTIVATIONS = {
    "": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "gelu": lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "swish": lambda x: x / (1 + np.exp(-x)),
    "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
}


def packed_linear(x, w, bias, residual, activation="", in_num_col_dims=-1):
    if in_num_col_dims != -1:
        x = x.reshape(*x.shape[:in_num_col_dims], -1)
    out = x @ w.T + (0 if bias is None else bias)
    out = ACTIVATIONS[activation](out)
    return out if residual is None else out + residual


def _sample(shape, residual=False, bias=True, note="", width=4, **attrs) -> Sample:
    rows = shape[: attrs.get("in_num_col_dims", -1)]
    inputs = {
        "X": f64(*shape),
        "W": f64(5, width, key=1),
        "Bias": f64(5, key=2) if bias else None,
        "Residual": f64(*rows, 5, key=3) if residual else None,
    }
    return Sample("packed_linear", inputs, attrs, packed_linear, grad=[], note=note)


SAMPLES = [
    Sample("pack_linear_weight", {"W": f64(3, 4)}, {}, lambda w: w.T, grad=[]),
    _sample((3, 4)),
    _sample((2, 3, 4), residual=True, note="residual"),
    _sample((2, 2, 2), bias=False, in_num_col_dims=1, note="flattened"),
    *[_sample((3, 4), activation=name, note=name) for name in ACTIVATIONS if name],
]
ERRORS = [
    ErrorSample(
        "pack_linear_weight", {"W": f64(3, 4, 2)}, {}, InvalidArgumentError, "two dimensions"
    ),
    ErrorSample(
        "packed_linear",
        {"X": f64(3, 4), "W": f64(5, 4), "Bias": None, "Residual": None},
        {"activation": "cubic"},
        InvalidArgumentError,
        "expected an activation",
    ),
    ErrorSample(
        "packed_linear",
        {"X": f64(3, 6), "W": f64(5, 4), "Bias": None, "Residual": None},
        {},
        InvalidArgumentError,
        r"inner sizes|of shape \[\.\.\., 4\]",
    ),
]
