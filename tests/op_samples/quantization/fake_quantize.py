"""Samples of quantisation in floats, beside loops over elements."""

from __future__ import annotations

import math

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos

X = f64(3, 4, 2, key="activation")
W = f64(4, 3, 2, 2, key="filter")
ONE, ACCUM, STATE = np.array([1.3]), np.array([2.6]), np.array([2.0])
ZEROS = np.zeros((2, 3))


def step(value: float, scale: float, bits: int) -> float:
    """The number of the nearest step of 2^(bits - 1) - 1 up to the scale; halves away from 0."""
    scale = scale + 1e-6 if scale <= 1e-30 else scale
    at = min(max(value, -scale), scale) / scale * (2 ** (bits - 1) - 1)
    return math.copysign(math.floor(abs(at) + 0.5), at)


def each(x: np.ndarray, scale: np.ndarray, bits: int, back: bool, axis: int = -1) -> np.ndarray:
    """All steps, or what they stand for; the scale is one number, or one along an axis."""
    out = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        of = float(scale[at[axis] if axis >= 0 else 0])
        out[at] = step(float(x[at]), of, bits)
        if back:
            out[at] *= of / (2 ** (bits - 1) - 1)
    return out


def whole(back: bool):
    def ref(x, bit_length=8):
        scale = np.array([max((abs(v) for v in x.flat), default=0.0)], x.dtype)
        return each(x, scale, bit_length, back), scale

    return ref


def channels(back: bool):
    def ref(x, quant_axis=0, bit_length=8):
        parts = np.moveaxis(x, quant_axis, 0)
        scale = np.array([max((abs(v) for v in p.flat), default=0.0) for p in parts], x.dtype)
        return each(x, scale, bit_length, back, quant_axis), scale

    return ref


def moved(x, accum, state, rate):
    """The state after a batch: how many there were, and the sum of their largest values."""
    most = max((abs(v) for v in x.flat), default=0.0)
    return state * rate + 1, accum * rate + most


def averaged(back: bool):
    def after(x, scale, accum=None, state=None, moving_rate=0.9, bit_length=8, is_test=False):
        if not is_test:
            state, accum = moved(x, accum, state, moving_rate)
            scale = accum / state
        return {"InScale": scale, "InAccum": accum, "InState": state}

    def ref(x, *state, bit_length=8, **attrs):
        return each(x, after(x, *state, **attrs)["InScale"], bit_length, back)

    return {"ref": ref, "written": after}


def observed(x, accum=None, state=None, moving_rate=0.9, is_test=False):
    if is_test:
        return x, None
    state, accum = moved(x, accum, state, moving_rate)
    return x, accum / state


def observed_state(x, accum=None, state=None, moving_rate=0.9, is_test=False):
    if not is_test:
        state, accum = moved(x, accum, state, moving_rate)
    return {"InAccum": accum, "InState": state}


def ranged(x, scale, window=None, bit_length=8, is_test=False):
    return each(x, scale, bit_length, False), None


def whole_back(x, scale, max_range):
    return np.array([v * scale[0] / max_range for v in x.flat], x.dtype).reshape(x.shape)


def channels_back(x, scales, quant_bits=(8,), quant_axis=0, x_num_col_dims=1):
    axis = quant_axis if len(scales) == 1 else x_num_col_dims
    out = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        out[at] = x[at] * scales[0][at[axis]] / (2 ** (quant_bits[0] - 1) - 1)
        if len(scales) == 2:
            out[at] *= scales[1][0] / (2 ** (quant_bits[1] - 1) - 1)
    return out


def rounding(op: str, inputs: dict, attrs: dict | None = None, note: str = "", **how) -> Sample:
    """The gradient is that of the identity; differences of a step function would not show it."""
    return Sample(op, inputs, attrs or {}, note=note, grad=[], **how)


STATED = {"InScale": ONE, "InAccum": ACCUM, "InState": STATE}
NUMBERS = ints(3, 4, 2, low=-127, high=128).astype("float64")
AVERAGE = "fake_quantize_moving_average_abs_max"
THERE_AND_BACK = "fake_quantize_dequantize_moving_average_abs_max"
DEQUANTIZE = "fake_channel_wise_dequantize_max_abs"

SAMPLES = [
    *[
        rounding(op, {"X": x}, attrs, note, ref=whole(back))
        for op, back in (
            ("fake_quantize_abs_max", False),
            ("fake_quantize_dequantize_abs_max", True),
        )
        for x, attrs, note in (
            (X, {}, "eight_bits"),
            (X, {"bit_length": 4}, "four_bits"),
            (ZEROS, {}, "zeros"),
            (np.array([0.5, 1.5, -2.5, 127.0]), {}, "halves"),
        )
    ],
    *[
        rounding(op, {"X": x}, attrs, note, ref=channels(back))
        for op, back in (
            ("fake_channel_wise_quantize_abs_max", False),
            ("fake_channel_wise_quantize_dequantize_abs_max", True),
        )
        for x, attrs, note in (
            (W, {}, "filter"),
            (W, {"quant_axis": 1, "bit_length": 5}, "axis"),
            (X[0, :, 0], {}, "vector"),
        )
    ],
    rounding(
        "fake_quantize_range_abs_max",
        {"X": X, "InScale": ONE},
        {"is_test": True},
        ref=ranged,
        written=lambda x, scale, *_, **__: {"InScale": scale},
    ),
    *[
        rounding(op, {"X": X, **state}, attrs, note, **averaged(back))
        for op, back in ((AVERAGE, False), (THERE_AND_BACK, True))
        for state, attrs, note in (
            (STATED, {}, "training"),
            (STATED, {"moving_rate": 0.5, "bit_length": 6}, "rate"),
            ({"InScale": ONE}, {"is_test": True}, "test"),
            (STATED, {"is_test": True, "bit_length": 4}, "test_with_state"),
        )
    ],
    Sample(
        "moving_average_abs_max_scale",
        {"X": X, "InAccum": ACCUM, "InState": STATE},
        {"moving_rate": 0.7},
        ref=observed,
        written=observed_state,
        grad=["X"],
    ),
    Sample(
        "moving_average_abs_max_scale",
        {"X": X},
        {"is_test": True},
        ref=observed,
        note="test",
        orders=3,
    ),
    Sample("stright_throuth_estimator_grad", {"Out@GRAD": X}, ref=np.copy),
    Sample(
        "fake_dequantize_max_abs",
        {"X": NUMBERS, "Scale": ONE},
        {"max_range": 127.0},
        ref=whole_back,
    ),
    Sample(DEQUANTIZE, {"X": NUMBERS, "Scales": [pos(3)]}, ref=channels_back),
    Sample(
        DEQUANTIZE,
        {"X": NUMBERS, "Scales": [pos(4)]},
        {"quant_axis": 1, "quant_bits": [4]},
        ref=channels_back,
        note="axis",
    ),
    Sample(
        DEQUANTIZE,
        {"X": NUMBERS, "Scales": [pos(4), ONE]},
        {"quant_bits": [8, 7]},
        ref=channels_back,
        note="both",
    ),
    Sample(
        DEQUANTIZE,
        {"X": NUMBERS, "Scales": [pos(2), ONE]},
        {"quant_bits": [8, 8], "x_num_col_dims": 2},
        ref=channels_back,
        note="columns",
    ),
]

OF_A_PLAN = "the plan of a Program hands over what the variables of its outputs hold"
WISE = "fake_channel_wise_quantize_abs_max"
ERRORS = [
    ErrorSample("fake_quantize_abs_max", {"X": X}, {"bit_length": 17}, ValueError, "received 17"),
    ErrorSample(THERE_AND_BACK, {"X": X, **STATED}, {"bit_length": 0}, ValueError, "received 0"),
    ErrorSample(WISE, {"X": X}, {"quant_axis": 2}, ValueError, "received 2"),
    ErrorSample(WISE, {"X": X[0, 0]}, {"quant_axis": 1}, ValueError, r"X of shape \[2\]"),
    ErrorSample(
        WISE, {"X": X}, {"is_test": True}, NotImplementedError, "set is_test=False", OF_A_PLAN
    ),
    ErrorSample(
        "fake_quantize_range_abs_max",
        {"X": X, "InScale": ONE},
        {},
        NotImplementedError,
        "fake_quantize_moving_average_abs_max",
        OF_A_PLAN,
    ),
    ErrorSample(AVERAGE, {"X": X, "InScale": ONE}, {}, ValueError, "received no InAccum"),
    ErrorSample(
        AVERAGE, {"X": X, "InScale": pos(2)}, {"is_test": True}, ValueError, r"shape \[2\]"
    ),
    ErrorSample(
        "moving_average_abs_max_scale",
        {"X": X, "InAccum": ACCUM},
        {},
        ValueError,
        "received no InState",
    ),
    ErrorSample(
        "fake_dequantize_max_abs",
        {"X": X, "Scale": pos(3)},
        {"max_range": 127.0},
        ValueError,
        r"shape \[3\]",
    ),
    ErrorSample(DEQUANTIZE, {"X": X, "Scales": [pos(4)]}, {}, ValueError, "expected 3 scales"),
    ErrorSample(
        DEQUANTIZE,
        {"X": X, "Scales": [pos(4), pos(2)]},
        {"quant_bits": [8, 8]},
        ValueError,
        "and one more",
    ),
    ErrorSample(DEQUANTIZE, {"X": X, "Scales": [pos(4), ONE]}, {}, ValueError, "quant_bits"),
    ErrorSample(
        DEQUANTIZE, {"X": X, "Scales": [pos(4)]}, {"quant_axis": 3}, ValueError, "received 3"
    ),
]
