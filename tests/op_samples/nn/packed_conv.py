"""Samples of convolutions with what follows them, and of their packed filters."""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from paddle.core.errors import InvalidArgumentError
from tests.op_samples.nn.conv import convolve
from tests.op_samples.sample import ErrorSample, Sample, f64

_FUNCTIONS = {
    "": lambda x, a, b: x,
    "relu": lambda x, a, b: np.maximum(x, 0),
    "clip": np.clip,
    "leaky_relu": lambda x, a, b: np.where(x > 0, x, a * x),
    "hard_swish": lambda x, a, b: x * np.clip(x + 3, 0, 6) / 6,
    "hard_sigmoid": lambda x, a, b: np.clip(x / 6 + 0.5, 0, 1),
    "swish": lambda x, a, b: x / (1 + np.exp(-x)),
    "sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "tanh": lambda x, a, b: np.tanh(x),
    "gelu": lambda x, a, b: x * (1 + erf(x / np.sqrt(2))) / 2,
}


def chained(x, w, bias, residual, activation="", alpha=0.0, beta=0.0, overwrite=False, **attrs):
    return _FUNCTIONS[activation](convolve(x, w, bias, residual, **attrs), alpha, beta)


def _sample(activation: str, residual: bool = False, **attrs) -> Sample:
    last = attrs.get("data_format") == "NHWC"
    inputs = {
        "Input": f64(2, 5, 6, 4) if last else f64(2, 4, 5, 6),
        "Filter": f64(6, 4 // attrs.get("groups", 1), 3, 3, key=1),
        "Bias": f64(6, key=2),
        "ResidualData": None,
    }
    if residual:
        inputs["ResidualData"] = f64(2, 5, 6, 6, key=3) if last else f64(2, 6, 5, 6, key=3)
    return Sample(
        "packed_conv2d",
        inputs,
        {"paddings": [1, 1], "activation": activation} | attrs,
        chained,
        grad=[],
        note=f"{activation or 'alone'}{', residual' if residual else ''}{', NHWC' if last else ''}",
    )


SAMPLES = [
    _sample("", groups=2),
    _sample("relu", True),
    _sample("relu", True, data_format="NHWC"),
    _sample("clip", beta=1.0),
    _sample("leaky_relu", alpha=0.1),
    _sample("hard_swish", True),
    *(_sample(name) for name in ("hard_sigmoid", "swish", "sigmoid", "tanh", "gelu")),
    Sample("pack_conv2d_filter", {"Filter": f64(6, 4, 3, 3)}, {}, lambda w, **attrs: w, grad=[]),
    Sample(
        "pack_conv2d_filter",
        {"Filter": f64(4, 6, 3, 3)},
        {"transposed": True},
        lambda w, **attrs: w,
        grad=[],
        note="transposed",
    ),
]
_X, _W = f64(1, 2, 4, 4), f64(2, 2, 1, 1)
ERRORS = [
    ErrorSample(
        "packed_conv2d",
        {"Input": _X, "Filter": _W, "Bias": None, "ResidualData": None},
        {"activation": "softmax"},
        raises=InvalidArgumentError,
        match="expected activation to be one of",
    ),
    ErrorSample(
        "packed_conv2d",
        {"Input": _X, "Filter": f64(2, 3, 1, 1), "Bias": None, "ResidualData": None},
        {},
        raises=InvalidArgumentError,
        match="expected the channels of Input",
    ),
]
