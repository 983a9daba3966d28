"""Samples of activation functions."""

from __future__ import annotations

import numpy as np
from scipy import special

from tests.op_samples.sample import ErrorSample, Sample, apart, f64

X = f64(3, 4, low=-4, high=4)
KINKED = apart(4, 6, gap=0.31, key="kinks") + 0.017  # no value within the reach of a kink at k/10
CUBE = f64(2, 3, 4)


def _sigmoid(x):
    return special.expit(x)


def _elu(x, alpha=1.0, scale=1.0):
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


def _hard_swish(x, threshold=6.0, scale=6.0, offset=3.0):
    return x * np.clip(x + offset, 0, threshold) / scale


def _softplus(x, beta=1.0, threshold=20.0):
    return np.where(x * beta > threshold, x, np.log1p(np.exp(beta * x)) / beta)


def _gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _softmax(x, axis=-1):
    return special.softmax(x, axis)


def _prelu(x, alpha, mode="all"):
    shape = {"all": [1] * x.ndim, "channel": [1, -1] + [1] * (x.ndim - 2),
             "element": [1, *x.shape[1:]]}[mode]  # fmt: skip
    return np.where(x > 0, x, x * alpha.reshape(shape))


def _maxout(x, groups, axis=1):
    shape = [*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis:][1:]]
    return x.reshape(shape).max(axis + 1)


def smooth(op, ref, **attrs):
    """A sample of a function without kinks."""
    return Sample(op, {"X": X}, attrs, ref=lambda x, **_: ref(x, **attrs), orders=3)


def kinked(op, ref, **attrs):
    """A sample away from kinks: pieces are straight, so that higher derivatives are 0."""
    return Sample(op, {"X": KINKED}, attrs, ref=lambda x, **_: ref(x, **attrs), orders=3)


SAMPLES = [
    kinked("relu", lambda x: np.maximum(x, 0)),
    smooth("tanh", np.tanh),
    Sample("tanh", {"X": np.array([-50.0, 0.0, 50.0])}, ref=np.tanh, note="far"),
    smooth("sigmoid", _sigmoid),
    Sample("sigmoid", {"X": np.array([-700.0, 0.0, 700.0])}, ref=_sigmoid, note="far"),
    smooth("logsigmoid", special.log_expit),
    Sample("logsigmoid", {"X": np.array([-700.0, 0.0, 700.0])}, ref=special.log_expit, note="far"),
    kinked("relu6", lambda x: np.clip(x, 0, 6)),
    kinked("relu6", lambda x, threshold: np.clip(x, 0, threshold), threshold=1.5),
    kinked("brelu", lambda x: np.clip(x, 0, 24)),
    kinked("brelu", lambda x, t_min, t_max: np.clip(x, t_min, t_max), t_min=-1.0, t_max=1.0),
    Sample("elu", {"X": KINKED}, ref=_elu, orders=3),
    Sample("elu", {"X": KINKED}, {"alpha": 0.3}, ref=_elu, orders=3, note="alpha"),
    Sample("selu", {"X": KINKED}, ref=lambda x: _elu(x, 1.6732632423543772, 1.0507009873554805)),
    Sample("selu", {"X": KINKED}, {"scale": 1.5, "alpha": 0.7}, orders=3, note="attrs",
           ref=lambda x, scale, alpha: _elu(x, alpha, scale)),
    smooth("gelu", lambda x: x * special.ndtr(x)),
    smooth("gelu", lambda x, approximate: _gelu_tanh(x), approximate=True),
    kinked("leaky_relu", lambda x: np.where(x > 0, x, 0.02 * x)),
    kinked("leaky_relu", lambda x, alpha: np.where(x > 0, x, alpha * x), alpha=0.3),
    kinked("hard_shrink", lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    kinked("hard_shrink", lambda x, threshold: np.where(np.abs(x) > threshold, x, 0),
           threshold=1.0),
    kinked("softshrink", lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    Sample("softshrink", {"X": KINKED}, {"lambda": 1.0}, orders=3, note="lambda",
           ref=lambda x, **a: np.sign(x) * np.maximum(np.abs(x) - a["lambda"], 0)),
    smooth("tanh_shrink", lambda x: x - np.tanh(x)),
    kinked("thresholded_relu", lambda x: np.where(x > 1, x, 0)),
    kinked("thresholded_relu", lambda x, threshold: np.where(x > threshold, x, 0), threshold=-0.5),
    kinked("hard_sigmoid", lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    kinked("hard_sigmoid", lambda x, slope, offset: np.clip(slope * x + offset, 0, 1),
           slope=1 / 6, offset=0.4),
    Sample("hard_swish", {"X": KINKED}, ref=_hard_swish, orders=3),
    Sample("hard_swish", {"X": KINKED}, {"threshold": 4.0, "scale": 5.0, "offset": 2.0},
           ref=_hard_swish, orders=3, note="attrs"),
    smooth("softplus", _softplus),
    Sample("softplus", {"X": X}, {"beta": 2.0, "threshold": 3.1}, ref=_softplus, orders=3),
    Sample("softplus", {"X": np.array([-900.0, 30.0, 900.0])}, ref=lambda x: np.logaddexp(0, x),
           note="far"),
    Sample("softsign", {"X": KINKED}, ref=lambda x: x / (1 + np.abs(x)), orders=3),
    smooth("swish", lambda x: x * _sigmoid(x)),
    smooth("swish", lambda x, beta: x * _sigmoid(beta * x), beta=1.7),
    Sample("prelu", {"X": apart(2, 3, 4), "Alpha": f64(1)}, ref=_prelu, orders=3),
    Sample("prelu", {"X": apart(2, 3, 4), "Alpha": f64(3)}, {"mode": "channel"}, ref=_prelu,
           orders=3, note="channel"),
    Sample("prelu", {"X": apart(2, 3), "Alpha": f64(3)}, {"mode": "channel"}, ref=_prelu,
           note="channel_2d"),
    Sample("prelu", {"X": apart(2, 3, 4), "Alpha": f64(1, 3, 4)}, {"mode": "element"}, ref=_prelu,
           orders=3, note="element"),
    Sample("maxout", {"X": apart(2, 4, 3)}, {"groups": 2}, ref=_maxout, orders=3),
    Sample("maxout", {"X": apart(2, 2, 2, 6)}, {"groups": 3, "axis": -1}, note="last",
           ref=lambda x, groups, axis: x.reshape(2, 2, 2, 2, 3).max(-1), orders=3),
    Sample("softmax", {"X": X}, ref=_softmax, orders=3),
    Sample("softmax", {"X": CUBE}, {"axis": 1}, ref=_softmax, orders=3, note="axis"),
    Sample("softmax", {"X": np.array([1000.0, 1001.0, -1000.0])}, ref=_softmax, note="far"),
    Sample("log_softmax", {"X": X}, ref=lambda x: special.log_softmax(x, -1), orders=3),
    Sample("log_softmax", {"X": CUBE}, {"axis": 0}, orders=3, note="axis",
           ref=lambda x, axis: special.log_softmax(x, axis)),
]  # fmt: skip

INTEGERS = {"X": np.arange(4)}
ERRORS = [
    *(ErrorSample(op, INTEGERS, {}, TypeError, "no kernel for these data types")
      for op in ("elu", "gelu", "log_softmax", "softmax")),
    ErrorSample("softmax", {"X": X}, {"axis": 2}, ValueError,
                r"axis is expected to be in range of \[-2, 1\], but received 2"),
    ErrorSample("log_softmax", {"X": X}, {"axis": -3}, ValueError,
                "axis is expected to be in range"),
    ErrorSample("prelu", {"X": CUBE, "Alpha": f64(4)}, {"mode": "channel"}, ValueError,
                "expected Alpha to have 3 elements with mode 'channel'"),
    ErrorSample("maxout", {"X": CUBE}, {"groups": 2}, ValueError, "invalid for input of size"),
]  # fmt: skip
