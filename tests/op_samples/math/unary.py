"""Samples of mathematical functions of one operand."""

from __future__ import annotations

import numpy as np
from scipy import special

from tests.op_samples.sample import ErrorSample, Sample, apart, bools, f64, ints, pos

COMPLEX = np.array([[1 + 2j, -0.5 + 1j], [3 - 1j, 0.25 - 0.5j]])
_FLT_MAX = float(np.finfo(np.float32).max)


def _half_away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def _smooth(op, ref, make=f64):
    return [
        Sample(op, {"X": make(3, 4)}, ref=ref, orders=3),
        Sample(op, {"X": make(5)}, ref=ref, note="vector"),
    ]


def _scale(x, factor=None, scale=1.0, bias=0.0, bias_after_scale=True):
    scale = scale if factor is None else factor
    return x * scale + bias if bias_after_scale else (x + bias) * scale


def _clip(x, low=None, high=None, min=-_FLT_MAX, max=_FLT_MAX):
    return np.clip(x, min if low is None else low, max if high is None else high)


def _power(x, factor_tensor=None, factor=1.0):
    return np.power(x, factor if factor_tensor is None else factor_tensor)


def _unit(*shape):
    return f64(*shape, low=-0.9, high=0.9)


SAMPLES = [
    *_smooth("exp", np.exp),
    *_smooth("log", np.log, pos),
    *_smooth("log2", np.log2, pos),
    *_smooth("log10", np.log10, pos),
    *_smooth("log1p", np.log1p, pos),
    *_smooth("sin", np.sin),
    *_smooth("cos", np.cos),
    *_smooth("sinh", np.sinh),
    *_smooth("cosh", np.cosh),
    *_smooth("asin", np.arcsin, _unit),
    *_smooth("acos", np.arccos, _unit),
    *_smooth("atan", np.arctan),
    *_smooth("sqrt", np.sqrt, pos),
    *_smooth("rsqrt", lambda x: 1 / np.sqrt(x), pos),
    *_smooth("reciprocal", lambda x: 1 / x, pos),
    *_smooth("square", np.square),
    *_smooth("erf", special.erf),
    *_smooth("stanh", lambda x: 1.7159 * np.tanh(0.67 * x)),
    *_smooth("abs", np.abs, apart),
    *_smooth("sign", np.sign, apart),
    *_smooth("floor", np.floor, lambda *s: apart(*s, gap=0.3)),
    *_smooth("ceil", np.ceil, lambda *s: apart(*s, gap=0.3)),
    *_smooth("round", _half_away, lambda *s: apart(*s, gap=0.3)),
    Sample(
        "stanh",
        {"X": f64(3)},
        {"scale_a": 0.5, "scale_b": 2.0},
        lambda x, scale_a, scale_b: scale_b * np.tanh(scale_a * x),
    ),
    Sample(
        "round",
        {"X": np.array([0.5, 1.5, -0.5, -2.5, 0.49999999999999994])},
        ref=lambda x: np.array([1.0, 2.0, -1.0, -3.0, 0.0]),
        grad=[],
        dtypes=(),
        note="halves",
    ),
    Sample("exp", {"X": ints(4)}, ref=lambda x: np.exp(x).astype("float32"), rtol=1e-5),
    Sample("exp", {"X": COMPLEX}, ref=np.exp, note="complex"),
    Sample("abs", {"X": COMPLEX}, ref=np.abs, note="complex"),
    Sample("square", {"X": ints(2, 3)}, ref=np.square, note="int"),
    Sample("sign", {"X": ints(5, low=-2, high=3)}, ref=np.sign, note="int"),
    Sample("pow", {"X": pos(3, 2)}, {"factor": 2.5}, _power, orders=3),
    Sample("pow", {"X": f64(3, 2)}, {"factor": 3.0}, _power, note="negative_base"),
    Sample("pow", {"X": f64(3, 2)}, {"factor": 0.0}, _power, note="zero"),
    Sample("pow", {"X": pos(3)}, {"factor": -1.5}, _power, note="negative"),
    Sample("pow", {"X": ints(4)}, {"factor": 2.0}, lambda x, f=None, factor=0: x**2, note="int"),
    Sample(
        "pow", {"X": pos(3), "FactorTensor": np.array([2.0])}, ref=_power, grad=["X"], note="tensor"
    ),
    Sample("scale", {"X": f64(3, 2)}, {"scale": 2.5}, _scale, orders=3),
    Sample("scale", {"X": f64(3, 2)}, {"bias": -1.5}, _scale, note="bias"),
    Sample("scale", {"X": f64(3, 2)}, {"scale": -1.0, "bias": 2.0}, _scale, note="from"),
    Sample("scale", {"X": f64(3, 2)}, {"scale": 3.0, "bias": 2.0}, _scale, note="both"),
    Sample(
        "scale",
        {"X": f64(3, 2)},
        {"scale": -1.0, "bias": 2.0, "bias_after_scale": False},
        _scale,
        note="bias_first",
    ),
    Sample(
        "scale",
        {"X": f64(3, 2), "ScaleTensor": np.array([1.5])},
        {"bias": 1.0},
        _scale,
        grad=["X"],
        note="tensor",
    ),
    Sample("scale", {"X": ints(4)}, {"scale": 2.5, "bias": 1.0}, lambda x, f=None, **a: x * 2 + 1),
    Sample("clip", {"X": apart(3, 4)}, {"min": -0.22, "max": 0.31}, _clip),
    Sample("clip", {"X": apart(3, 4)}, {"min": -0.22, "max": _FLT_MAX}, _clip, note="lower"),
    Sample("clip", {"X": apart(3, 4)}, {"min": -_FLT_MAX, "max": _FLT_MAX}, _clip, note="open"),
    Sample(
        "clip",
        {"X": apart(3, 4), "Min": np.array([-0.22])},
        {"min": 0.0, "max": 0.31},
        _clip,
        grad=["X"],
        note="tensor",
    ),
    Sample("clip", {"X": ints(6)}, {"min": 2.7, "max": 5.2}, lambda x, *t, **a: np.clip(x, 2, 5)),
    Sample(
        "cast",
        {"X": f64(3, 4)},
        {"in_dtype": 6, "out_dtype": 5},
        lambda x, in_dtype, out_dtype: x.astype("float32"),
        grad=[],
        rtol=1e-6,
    ),
    Sample(
        "cast",
        {"X": f64(3, 4)},
        {"in_dtype": 6, "out_dtype": 6},
        lambda x, in_dtype, out_dtype: x.astype("float64"),
        dtypes=(),
        note="same",
    ),
    Sample(
        "cast",
        {"X": ints(3)},
        {"in_dtype": 3, "out_dtype": 0},
        lambda x, in_dtype, out_dtype: x.astype(bool),
        note="bool",
    ),
    Sample(
        "cast",
        {"X": COMPLEX},
        {"in_dtype": 24, "out_dtype": 6},
        lambda x, in_dtype, out_dtype: x.real,
        note="complex",
    ),
    Sample("increment", {"X": f64(1)}, {"step": 2.0}, lambda x, step: x + step),
    Sample("increment", {"X": ints(1)}, {"step": 2.0}, lambda x, step: x + 2, note="int"),
    Sample("real", {"X": COMPLEX}, ref=np.real),
    Sample("imag", {"X": COMPLEX}, ref=np.imag),
    Sample("conj", {"X": COMPLEX}, ref=np.conj),
    Sample("conj", {"X": f64(3)}, ref=np.conj, note="real"),
]

ERRORS = [
    ErrorSample("scale", {"X": bools(3)}, {"bias": 1.0}, TypeError, "expected numbers"),
    ErrorSample("real", {"X": f64(3)}, {}, TypeError, "expected complex64 or complex128"),
    ErrorSample("pow", {"X": ints(3)}, {"factor": -1.0}, ValueError, "negative integer powers"),
]
