"""Samples of values as integers between operators of oneDNN."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos

X = f64(2, 3, 4, key="integers")
STEPS = ints(2, 3, 4, low=-128, high=128, dtype="int8", key="steps")
BYTES = ints(2, 3, 4, high=256, dtype="uint8", key="bytes")


def quantized(x, is_negative_input=False, Scale=1.0, Shift=0.0, **_):
    signed = is_negative_input and not Shift
    low, high, kind = (-128, 127, "int8") if signed else (0, 255, "uint8")
    return np.clip(np.rint(x * Scale + Shift), low, high).astype(kind)


def dequantized(x, Scale=1.0, Shift=0.0):
    return ((x.astype("float64") - Shift) / Scale).astype("float32")


def requantized(x, Scale_in=1.0, Scale_out=1.0, Shift_in=1.0, Shift_out=1.0):
    limits = (-128, 127) if x.dtype == np.int8 else (0, 255)
    steps = (x.astype("float64") - Shift_in) * (Scale_out / Scale_in) + Shift_out
    return np.clip(np.rint(steps), *limits).astype(x.dtype)


def _sample(op, x, attrs, ref, note):
    return Sample(op, {"Input": x}, attrs, ref, grad=[], rtol=1e-6, note=note)


SAMPLES = [
    _sample("quantize", X, {"Scale": 50.3, "is_negative_input": True}, quantized, "signed"),
    _sample("quantize", pos(2, 3), {"Scale": 90.7}, quantized, "never negative"),
    _sample("quantize", X, {"Scale": 31.3, "Shift": 128.0}, quantized, "shifted"),
    _sample("quantize", X, {"Scale": 31.3, "Shift": 12.5}, quantized, "between steps"),
    _sample("dequantize", STEPS, {"Scale": 50.3}, dequantized, "signed"),
    _sample("dequantize", BYTES, {"Scale": 31.3, "Shift": 128.0}, dequantized, "shifted"),
    _sample("dequantize", BYTES, {"Scale": 31.3, "Shift": 12.5}, dequantized, "between steps"),
    _sample("requantize", STEPS, {"Scale_in": 50.0, "Scale_out": 30.7, "Shift_in": 0.0,
                                  "Shift_out": 0.0}, requantized, "signed"),
    _sample("requantize", BYTES, {"Scale_in": 20.0, "Scale_out": 30.7}, requantized, "bytes"),
]  # fmt: skip
ERRORS = [
    ErrorSample("quantize", {"Input": X}, {"Scale": 0.0}, ValueError, "scales above 0"),
    ErrorSample("dequantize", {"Input": STEPS}, {"Scale": -1.0}, ValueError, "scales above 0"),
    ErrorSample("requantize", {"Input": STEPS}, {"Scale_in": 0.0}, ValueError, "scales above 0"),
    ErrorSample("requantize", {"Input": ints(2, 3)}, {}, TypeError, "int8 or uint8", at_run="x"),
]
