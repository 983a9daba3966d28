"""Samples of quantisation by given scales and of values read from integers."""

from __future__ import annotations

import numpy as np

from tests.op_samples.quantization.fake_quantize import each, moved
from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos

X = f64(3, 4, 2, key="linear")
ONE, ACCUM, STATE = np.array([1.3]), np.array([2.6]), np.array([2.0])
NOTHING = np.zeros(1)
BYTES = ints(3, 4, 2, low=-127, high=128, dtype="int8")


def to_even(x: np.ndarray, scale: np.ndarray, bits: int, axis: int) -> np.ndarray:
    """The nearest steps, halves to the even one; there is a step more below 0 than above."""
    top = 2 ** (bits - 1) - 1
    out = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        of = float(scale[at[axis] if axis >= 0 else 0])
        out[at] = min(max(round(float(x[at]) * top / of), -top - 1), top)
    return out


def scale_after(x, scale, accum, state, axis):
    if axis < 0:
        state, accum = moved(x, accum, state, 0.9)
        return {"Scale": accum / state, "InAccum": accum, "InState": state}
    most = [max((abs(v) for v in p.flat), default=0.0) for p in np.moveaxis(x, axis, 0)]
    return {"Scale": np.array(most, x.dtype), "InAccum": accum, "InState": state}


def written(x, scale, zero=None, accum=None, state=None, quant_axis=0, is_test=True, **_):
    if is_test:
        return {"Scale": scale, "InAccum": accum, "InState": state}
    return scale_after(x, scale, accum, state, quant_axis)


def quantize(x, scale, zero=None, accum=None, state=None, quant_axis=0, bit_length=8,
             round_type=0, is_test=True, only_observer=False):  # fmt: skip
    if only_observer:
        return x
    if not is_test:
        scale = scale_after(x, scale, accum, state, quant_axis)["Scale"]
    if round_type:
        return each(x, scale, bit_length, False, quant_axis)
    return to_even(x, scale, bit_length, quant_axis)


def dequantize(x, scale, zero=None, quant_axis=0, bit_length=8, only_observer=False):
    if only_observer:
        return x
    out = np.zeros(x.shape, scale.dtype)
    for at in np.ndindex(*x.shape):
        of = scale[at[quant_axis] if quant_axis >= 0 else 0]
        out[at] = float(x[at]) * of / (2 ** (bit_length - 1) - 1)
    return out


def from_bytes(x, scale, max_range):
    values = [float(v) * scale[0] / max_range for v in x.flat]
    return np.array(values, scale.dtype).reshape(x.shape)


def from_logarithms(x, table):
    values = [table[v] if v >= 0 else -table[v + 128] for v in x.astype(int).flat]
    return np.array(values, table.dtype).reshape(x.shape)


def packed(rows: int, columns: int) -> np.ndarray:
    """A table: least and largest value of a row, then a byte for each column."""
    codes = ints(rows, columns, high=256, dtype="uint8", key="codes")
    bounds = np.sort(f64(rows, 2, key="bounds"), 1).astype("float32")
    return np.concatenate([bounds, codes.view("float32")], 1)


def looked_up(w, ids, padding_idx=-1):
    rows = []
    for i in ids.reshape(-1):
        codes = np.ascontiguousarray(w[i, 2:]).view("uint8")
        step = (float(w[i, 1]) - float(w[i, 0])) / 256
        row = [0.0 if i == padding_idx else float(w[i, 0]) + step * int(c) for c in codes]
        rows.append(row)
    columns = (w.shape[1] - 2) * 4
    return np.array(rows, "float32").reshape(*ids.shape[:-1], columns)


def linear(note: str, scale, **attrs) -> Sample:
    inputs = {"X": X, "Scale": scale, "ZeroPoint": NOTHING}
    if not attrs.get("is_test", True):
        inputs |= {"InAccum": ACCUM, "InState": STATE}
    return Sample("quantize_linear", inputs, attrs, ref=quantize, written=written, note=note)


def back(note: str, x, scale, **attrs) -> Sample:
    inputs = {"X": x, "Scale": scale, "ZeroPoint": NOTHING}
    return Sample("dequantize_linear", inputs, attrs, ref=dequantize, note=note)


WHOLE = np.trunc(f64(3, 4, 2, low=-127, high=127))
IDS = np.array([[[0], [3]], [[2], [0]]])
TABLE = {"W": packed(5, 8), "Ids": IDS}

SAMPLES = [
    linear("one", ONE, quant_axis=-1),
    linear("channels", pos(3), quant_axis=0, bit_length=4),
    linear("axis", pos(4), quant_axis=1, round_type=1),
    linear("training", np.array([9.0]), quant_axis=-1, is_test=False),
    linear("training_channels", np.zeros(4), quant_axis=1, is_test=False),
    linear("observer", ONE, quant_axis=-1, is_test=False, only_observer=True),
    Sample(
        "quantize_linear",
        {"X": np.array([0.5, 1.5, -2.5, 200.0, -200.0]), "Scale": np.array([127.0])},
        {"quant_axis": -1},
        ref=quantize,
        written=written,
        note="halves",
    ),
    back("one", WHOLE, ONE, quant_axis=-1),
    back("channels", WHOLE, pos(3), bit_length=4),
    back("bytes", BYTES, pos(4), quant_axis=1),
    back("observer", BYTES, ONE, quant_axis=-1, only_observer=True),
    Sample("dequantize_abs_max", {"X": BYTES, "Scale": ONE}, {"max_range": 127.0}, ref=from_bytes),
    Sample(
        "dequantize_abs_max",
        {"X": ints(5, low=-32767, high=32768, dtype="int16"), "Scale": ONE},
        {"max_range": 32767.0},
        ref=from_bytes,
        note="two_bytes",
    ),
    Sample("dequantize_log", {"X": BYTES, "Dict": pos(128)}, ref=from_logarithms),
    Sample(
        "dequantize_log",
        {"X": np.array([-128, 127, 0, -1], "int8"), "Dict": pos(128)},
        ref=from_logarithms,
        note="ends",
    ),
    Sample("lookup_table_dequant", TABLE, ref=looked_up, rtol=1e-6, atol=1e-6),
    Sample(
        "lookup_table_dequant",
        {"W": packed(5, 8), "Ids": IDS[0]},
        {"padding_idx": 3},
        ref=looked_up,
        note="padding",
        rtol=1e-6,
        atol=1e-6,
    ),
]

BOTH = {"X": X, "Scale": ONE, "ZeroPoint": NOTHING}
ERRORS = [
    ErrorSample("quantize_linear", BOTH, {"quant_axis": 2}, ValueError, "received 2"),
    ErrorSample("quantize_linear", BOTH, {}, ValueError, "expected 3 scales"),
    ErrorSample(
        "quantize_linear", BOTH, {"quant_axis": -1, "round_type": 2}, ValueError, "round_type"
    ),
    ErrorSample(
        "quantize_linear",
        BOTH,
        {"quant_axis": -1, "is_test": False},
        ValueError,
        "received no InAccum",
    ),
    ErrorSample("dequantize_linear", BOTH, {"quant_axis": 1}, ValueError, "expected 4 scales"),
    ErrorSample(
        "dequantize_linear", BOTH, {"quant_axis": -1, "bit_length": 0}, ValueError, "received 0"
    ),
    ErrorSample(
        "dequantize_linear",
        {**BOTH, "Scale": np.array([1])},
        {"quant_axis": -1},
        TypeError,
        "floating Scale",
    ),
    ErrorSample(
        "dequantize_abs_max",
        {"X": BYTES, "Scale": pos(2)},
        {"max_range": 127.0},
        ValueError,
        r"shape \[2\]",
    ),
    ErrorSample("dequantize_log", {"X": X, "Dict": pos(128)}, {}, TypeError, "X to be int8"),
    ErrorSample("dequantize_log", {"X": BYTES, "Dict": pos(64)}, {}, ValueError, r"shape \[64\]"),
    ErrorSample(
        "lookup_table_dequant", {**TABLE, "Ids": IDS + 2}, {}, IndexError, "but received 5"
    ),
    ErrorSample(
        "lookup_table_dequant", {**TABLE, "Ids": IDS[:, :, 0]}, {}, ValueError, r"\[..., 1\]"
    ),
    ErrorSample(
        "lookup_table_dequant", {**TABLE, "W": packed(5, 8)[0]}, {}, ValueError, "W of shape"
    ),
    ErrorSample(
        "lookup_table_dequant",
        {**TABLE, "W": packed(5, 8).astype("float64")},
        {},
        TypeError,
        "W to be float32",
    ),
]
