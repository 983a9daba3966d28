"""Samples of elementwise functions that came after 2.0."""

from __future__ import annotations

import numpy as np
from scipy import special

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints, pos

X = f64(3, 4, key="x")
INSIDE = f64(3, 4, low=-0.9, high=0.9, key="inside")
SPREAD = f64(3, 4, low=-45.0, high=45.0, key="spread")
NAN = np.array([1.0, np.nan, np.nan, -2.0])
NUMBERS = f64(2, 3, key="re") + 1j * f64(2, 3, key="im")
STEPS = np.array([-1.5, 0.0, 2.0, 0.0])


def _softplus(x):
    return np.logaddexp(0, x)


def _celu(x, alpha=1.0):
    return np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha))


def _logit(x, eps=1e-6):
    inside = np.clip(x, eps, 1 - eps) if eps else x
    return np.log(inside / (1 - inside))


def _plain(function):
    return lambda *args, **attrs: function(*args)


def _isclose(x, y, rtol_tensor=None, atol_tensor=None, rtol="1e-5", atol="1e-8", equal_nan=False):
    rtol = rtol if rtol_tensor is None else rtol_tensor[0]
    atol = atol if atol_tensor is None else atol_tensor[0]
    return np.isclose(x, y, float(rtol), float(atol), equal_nan)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _one(name, function, x=X, **options):
    return Sample(name, {"X": x}, ref=_plain(function), **options)


def _two(name, function, first, second, **options):
    return [
        Sample(name, {"X": first, "Y": second}, ref=_plain(function), **options),
        Sample(name, {"X": first, "Y": second[0]}, ref=_plain(function), note="row", **options),
        Sample(name, {"X": first[:, :1], "Y": second}, ref=_plain(function), note="up", **options),
    ]


SAMPLES = [
    _one("silu", lambda x: x * _sigmoid(x), orders=3),
    _one("mish", lambda x: x * np.tanh(_softplus(x)), orders=2),
    _one("mish", lambda x: x * np.tanh(_softplus(x)), SPREAD, note="wide", rtol=1e-6),
    Sample("mish", {"X": apart(12)}, {"threshold": 0.3},
           lambda x, threshold: x * np.tanh(np.where(x > threshold, x, _softplus(x))), note="low"),
    Sample("celu", {"X": apart(3, 4)}, ref=_celu),
    Sample("celu", {"X": apart(3, 4)}, {"alpha": 0.4}, _celu, note="alpha"),
    Sample("soft_relu", {"X": X}, ref=lambda x: _softplus(x), orders=3),
    Sample("soft_relu", {"X": SPREAD}, {"threshold": 3.0},
           lambda x, threshold: _softplus(np.clip(x, -threshold, threshold)), note="clipped"),
    _one("tan", np.tan, INSIDE, orders=3),
    _one("acosh", np.arccosh, pos(3, 4) + 1, orders=3),
    _one("asinh", np.arcsinh, orders=3),
    _one("atanh", np.arctanh, INSIDE, orders=3),
    _one("expm1", np.expm1, orders=3),
    _one("trunc", np.trunc),
    _one("trunc", np.trunc, ints(5, low=-5), note="int"),
    _one("erfinv", special.erfinv, INSIDE, orders=3),
    _one("lgamma", special.gammaln, pos(3, 4), orders=2),
    _one("lgamma", special.gammaln, INSIDE - 2.05, note="negative", orders=1),
    _one("digamma", special.digamma, pos(3, 4), orders=2),
    _one("logit", _logit, pos(3, 4) / 3, orders=3),
    Sample("logit", {"X": np.array([0.05, 0.3, 0.95, 0.6])}, {"eps": 0.1}, _logit, note="eps"),
    Sample("logit", {"X": np.array([0.05, 0.3, 0.95])}, {"eps": 0.0}, _logit, note="no_eps"),
    Sample("atan2", {"X1": X, "X2": pos(3, 4)}, ref=np.arctan2, orders=3),
    Sample("atan2", {"X1": X, "X2": -pos(4)}, ref=np.arctan2, note="row"),
    Sample("atan2", {"X1": ints(4, low=-3), "X2": ints(4, low=-3, key=1)}, ref=np.arctan2,
           note="int"),
    *_two("elementwise_fmax", np.fmax, apart(3, 4), apart(3, 4, gap=0.13, key=1) + 0.03),
    *_two("elementwise_fmin", np.fmin, apart(3, 4), apart(3, 4, gap=0.13, key=1) + 0.03),
    Sample("elementwise_fmax", {"X": NAN, "Y": NAN[::-1].copy()}, ref=np.fmax, grad=[], note="nan"),
    Sample("elementwise_fmin", {"X": NAN, "Y": NAN[::-1].copy()}, ref=np.fmin, grad=[], note="nan"),
    Sample("elementwise_heaviside", {"X": STEPS, "Y": f64(4)}, ref=np.heaviside, grad=["Y"]),
    Sample("elementwise_heaviside", {"X": apart(3, 4), "Y": f64(4)}, ref=np.heaviside, note="row"),
    Sample("lerp", {"X": X, "Y": f64(3, 4, key=1), "Weight": f64(3, 4, key=2)},
           ref=lambda x, y, w: x + w * (y - x), orders=3),
    Sample("lerp", {"X": f64(3, 1), "Y": f64(4, key=1), "Weight": np.array([0.3])},
           ref=lambda x, y, w: x + w * (y - x), note="broadcast"),
    Sample("isclose", {"Input": np.array([1.0, 2.0, np.nan, np.inf, np.inf]),
                       "Other": np.array([1.0 + 5e-6, 2.1, np.nan, np.inf, 1.0])}, {}, _isclose),
    Sample("isclose", {"Input": np.array([1.0, np.nan]), "Other": np.array([1.2, np.nan])},
           {"rtol": "0.0", "atol": "0.3", "equal_nan": True}, _isclose, note="nan"),
    Sample("isclose", {"Input": np.array([1.0, 2.0]), "Other": np.array([1.05, 2.5]),
                       "Rtol": np.array([0.1]), "Atol": np.array([0.0])}, {}, _isclose,
           note="tensor"),
    Sample("angle", {"X": np.array([-1.5, 2.0, -0.25, 3.0])}, ref=np.angle),
    Sample("angle", {"X": NUMBERS}, ref=np.angle, note="complex"),
    Sample("as_complex", {"X": f64(3, 4, 2)}, ref=lambda x: x[..., 0] + 1j * x[..., 1], orders=3),
    Sample("as_complex", {"X": f64(2)}, ref=lambda x: np.array([x[0] + 1j * x[1]]), note="one"),
    Sample("as_real", {"X": NUMBERS}, ref=lambda x: np.stack([x.real, x.imag], -1)),
    Sample("complex", {"X": X, "Y": f64(3, 4, key=1)}, ref=lambda x, y: x + 1j * y, orders=3),
    Sample("complex", {"X": f64(3, 1), "Y": f64(4)}, ref=lambda x, y: x + 1j * y, note="row"),
]  # fmt: skip

ERRORS = [
    ErrorSample("as_complex", {"X": X}, {}, ValueError, "last dimension is expected to be 2"),
    ErrorSample("as_real", {"X": X}, {}, TypeError, "expected complex64 or complex128"),
    ErrorSample("atan2", {"X1": f64(3), "X2": f64(4)}, {}, ValueError, "atan2"),
]  # fmt: skip
