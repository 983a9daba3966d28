"""Samples of convolutions and products of 8-bit integers, by sums in float64."""

from __future__ import annotations

from math import erf

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints

ONE = np.array([1.5])
BYTES = ints(2, 4, 5, 5, high=256, dtype="uint8", key="bytes")
FILTER = ints(6, 4, 3, 3, low=-127, high=128, dtype="int8", key="filter")
TURNED = ints(4, 6, 3, 2, low=-127, high=128, dtype="int8", key="turned")
STEP = np.array([0.011, 0.02, 0.005, 0.013, 0.007, 0.002])
BIAS = f64(6, key="bias")
ADDED = ints(2, 6, 3, 3, high=256, dtype="uint8", key="added")
ROWS = ints(3, 8, high=256, dtype="uint8", key="rows")
MATRIX = ints(8, 5, low=-127, high=128, dtype="int8", key="matrix")


def numbers(x, scale, zero=128, top=127):
    return np.clip(np.rint(x * (top / scale[0])), -top if zero == 128 else -zero, top)


def rounded(x, scale, zero=128, top=127, with_weight=False):
    return numbers(x, scale, zero, top) * scale[0] / top


def quantized(x, scale, zero=128, top=127):
    return (numbers(x, scale, zero, top) + zero).astype("uint8")


def dequantized(x, scale, zero=128, top=127):
    return (x.astype("float64") - zero) * scale[0] / top


def weight(x, scale=None, axis=0, top=127, in_steps=False):
    others = tuple(d for d in range(x.ndim) if d != axis)
    most = np.abs(x).max(others) if scale is None else np.broadcast_to(scale, x.shape[axis])
    step = most / top
    at = step.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    steps = x if in_steps else np.rint(x / at)
    return np.clip(steps, -128, 127).astype("int8"), step


def activated(x, kind):
    if kind in ("relu", "relu6"):
        return np.clip(x, 0, 6 if kind == "relu6" else None)
    if kind == "hard_swish":
        return x * np.clip(x + 3, 0, 6) / 6
    if kind == "gelu":
        return x * np.array([0.5 + 0.5 * erf(v / 2**0.5) for v in x.ravel()]).reshape(x.shape)
    if kind == "gelu_tanh":
        return x * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
    if kind == "tanh":
        return np.tanh(x)
    return x / (1 + np.exp(-x)) if kind == "swish" else x


def finished(sums, step, bias, in_scale, out_scale, residual, axis, form):
    shape = [-1 if d == axis else 1 for d in range(sums.ndim)]
    out = sums * step.reshape(shape) * in_scale[0] / form.get("top", 127)
    out = out if bias is None else out + bias.reshape(shape)
    out = out if residual is None else out + residual
    out = activated(out, form.get("activation", ""))
    if out_scale is None:
        return out
    zero, top = form.get("out_zero", 128), form.get("out_top", 127)
    steps = np.rint(out * (top / out_scale[0]))
    return (np.clip(steps, -zero, top if zero == 0 else 255 - zero) + zero).astype("uint8")


def conv(x, w, step, bias, in_scale, out_scale, residual, residual_scale, strides=(1, 1),
         paddings=(0, 0), dilations=(1, 1), groups=1, residual_zero=128, residual_top=127,
         **form):  # fmt: skip
    if residual_scale is not None:
        residual = dequantized(residual, residual_scale, residual_zero, residual_top)
    x = x.astype("float64") - form.get("zero", 128)
    sides = [paddings[:2], paddings[2:]] if len(paddings) == 4 else [(n, n) for n in paddings]
    x = np.pad(x, [(0, 0), (0, 0), *sides])
    high, wide = ((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations))
    rows = range(0, x.shape[2] - high + 1, strides[0])
    columns = range(0, x.shape[3] - wide + 1, strides[1])
    sums = np.zeros((len(x), len(w), len(rows), len(columns)))
    each = w.shape[0] // groups
    for k in range(len(w)):
        first = k // each * w.shape[1]
        for i, top in enumerate(rows):
            for j, left in enumerate(columns):
                here = np.s_[top : top + high : dilations[0], left : left + wide : dilations[1]]
                part = x[:, first : first + w.shape[1]][(..., *here)]
                sums[:, k, i, j] = (part * w[k]).sum((1, 2, 3))
    return finished(sums, step, bias, in_scale, out_scale, residual, 1, form)


def transposed(x, w, step, bias, in_scale, out_scale, strides=(1, 1), paddings=(0, 0),
               output_padding=(0, 0), **form):  # fmt: skip
    x = x.astype("float64") - form.get("zero", 128)
    sizes = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], strides, w.shape[2:], strict=True)]
    sums = np.zeros((len(x), w.shape[1], sizes[0] + 9, sizes[1] + 9))
    for i in range(x.shape[2]):
        for j in range(x.shape[3]):
            part = np.einsum("nc,cokl->nokl", x[:, :, i, j], w.astype("float64"))
            top, left = i * strides[0], j * strides[1]
            sums[:, :, top : top + w.shape[2], left : left + w.shape[3]] += part
    ends = [n - p + e for n, p, e in zip(sizes, paddings, output_padding, strict=True)]
    sums = sums[:, :, paddings[0] : ends[0], paddings[1] : ends[1]]
    return finished(sums, step, bias, in_scale, out_scale, None, 1, form)


def linear(x, w, step, bias, in_scale, out_scale, residual, columns=1, **form):
    rows = (x.astype("float64") - form.get("zero", 128)).reshape(*x.shape[:columns], -1)
    sums = rows @ w.astype("float64")
    return finished(sums, step, bias, in_scale, out_scale, residual, sums.ndim - 1, form)


def pooled(x, ksize, strides=(1, 1), paddings=(0, 0), ceil_mode=False):
    x = np.pad(x, [(0, 0), (0, 0), (paddings[0],) * 2, (paddings[1],) * 2])
    rows = range(0, x.shape[2] - ksize[0] + 1, strides[0])
    columns = range(0, x.shape[3] - ksize[1] + 1, strides[1])
    out = [[x[:, :, i : i + ksize[0], j : j + ksize[1]].max((2, 3)) for j in columns] for i in rows]
    return np.moveaxis(np.array(out), (0, 1), (2, 3))


def averaged(x, in_scale, out_scale, ksize, strides=(1, 1), paddings=(0, 0), adaptive=False,
             **form):  # fmt: skip
    x = dequantized(x, in_scale, form.get("zero", 128), form.get("top", 127))
    if adaptive:
        ksize = strides = [n // k for n, k in zip(x.shape[2:], ksize, strict=True)]
    x = np.pad(x, [(0, 0), (0, 0), (paddings[0],) * 2, (paddings[1],) * 2])
    rows = range(0, x.shape[2] - ksize[0] + 1, strides[0])
    columns = range(0, x.shape[3] - ksize[1] + 1, strides[1])
    out = [[x[:, :, i : i + ksize[0], j : j + ksize[1]].mean((2, 3)) for j in columns]
           for i in rows]  # fmt: skip
    out = np.moveaxis(np.array(out), (0, 1), (2, 3))
    if out_scale is None:
        return out
    return quantized(out, out_scale, form.get("out_zero", 128), form.get("out_top", 127))


def _average(note, out=None, **attrs):
    inputs = {"X": BYTES, "InScale": ONE, "OutScale": out}
    return Sample("int8_avg_pool2d", inputs, attrs, averaged, grad=[], note=note)


def _conv(note, bias=None, out=None, residual=None, filter=FILTER, x=BYTES, scale=None, **attrs):
    inputs = {
        "Input": x, "Filter": filter, "Step": STEP[: len(filter)], "Bias": bias, "InScale": ONE,
        "OutScale": out, "Residual": residual, "ResidualScale": scale,
    }  # fmt: skip
    return Sample("int8_conv2d", inputs, attrs, conv, grad=[], note=note)


def _transposed(note, bias=None, out=None, filter=TURNED, **attrs):
    inputs = {
        "Input": BYTES, "Filter": filter, "Step": STEP, "Bias": bias, "InScale": ONE,
        "OutScale": out,
    }  # fmt: skip
    return Sample("int8_conv2d_transpose", inputs, attrs, transposed, grad=[], note=note)


def _linear(note, bias=None, out=None, x=ROWS, residual=None, **attrs):
    inputs = {
        "X": x, "W": MATRIX, "Step": STEP[:5], "Bias": bias, "InScale": ONE, "OutScale": out,
        "Residual": residual,
    }  # fmt: skip
    return Sample("int8_linear", inputs, {"columns": 1} | attrs, linear, grad=[], note=note)


X = f64(2, 3, 4, 4, key="int8")
UP = {"zero": 0, "top": 255}
ASIDE = {"zero": 24, "top": 231}
SAMPLES = [
    *(
        Sample(name, {"X": x, "Scale": ONE}, attrs, ref, grad=[], note=note)
        for name, ref in (("int8_round", rounded), ("int8_quantize", quantized))
        for x, attrs, note in (
            (X, {}, ""),
            (X, UP, "never negative"),
            (X[0, 0], {"zero": 0}, "two dimensions"),
            (X, ASIDE, "few below 0"),
        )
    ),
    Sample("int8_dequantize", {"X": BYTES, "Scale": ONE}, {}, dequantized, grad=[]),
    Sample("int8_dequantize", {"X": BYTES, "Scale": ONE}, UP, dequantized, grad=[], note="from 0"),
    Sample("int8_dequantize", {"X": BYTES, "Scale": ONE}, ASIDE, dequantized, grad=[], note="24"),
    Sample("int8_weight", {"X": X, "Scale": None}, {}, weight, grad=[]),
    Sample("int8_weight", {"X": X[0, 0], "Scale": ONE}, {"axis": 1}, weight, grad=[], note="one"),
    Sample(
        "int8_weight", {"X": MATRIX, "Scale": STEP[:5]}, {"axis": 1, "in_steps": True}, weight,
        grad=[], note="steps",
    ),
    _conv("float"),
    _conv("relu", bias=BIAS, activation="relu", paddings=[1, 1], strides=[2, 2]),
    _conv("relu6", bias=BIAS, activation="relu6", zero=0, top=255, dilations=[2, 2]),
    _conv("hard_swish", activation="hard_swish"),
    _conv("swish", activation="swish"),
    _conv("bytes", bias=BIAS, out=ONE, paddings=[1, 1]),
    _conv("bytes relu", bias=BIAS, out=ONE, activation="relu", out_zero=0, out_top=127),
    _conv("bytes relu 255", out=ONE, activation="relu", out_zero=0, out_top=255),
    _conv("bytes relu6", out=ONE * 9, activation="relu6", out_zero=0, out_top=127),
    _conv("aside", bias=BIAS, out=ONE, out_zero=24, out_top=231, activation="hard_swish", **ASIDE),
    _conv("pointwise", bias=BIAS, filter=FILTER[:, :, :1, :1]),
    _conv("groups", filter=FILTER[:, :2], groups=2),
    _conv("depthwise", filter=FILTER[:4, :1], groups=4, paddings=[1, 1]),
    _conv("paddings that differ", paddings=[0, 2, 1, 0], bias=BIAS),
    _conv("paddings that differ, from 0", paddings=[1, 0, 0, 1], zero=0, top=255),
    _conv("residual", residual=f64(2, 6, 3, 3, key="residual")),
    _conv("residual relu", residual=f64(2, 6, 3, 3, key="residual"), activation="relu"),
    _conv("residual bytes", residual=ADDED, out=ONE * 4, scale=ONE),
    _conv("residual bytes relu", residual=ADDED, out=ONE * 4, scale=ONE, activation="relu",
          residual_zero=0, residual_top=255, out_zero=0, out_top=255),
    _transposed("float"),
    _transposed("strides", bias=BIAS, strides=[2, 2], paddings=[1, 0], activation="relu"),
    _transposed("more", strides=[3, 2], output_padding=[2, 1], zero=0, top=255),
    _transposed("bytes", out=ONE * 4, strides=[2, 2], paddings=[1, 1], out_zero=0, out_top=255),
    _transposed("values left out", filter=TURNED[:, :, :1], strides=[2, 2], paddings=[1, 0]),
    _linear("float"),
    _linear("bytes", bias=BIAS[:5], out=ONE, activation="relu"),
    _linear("bytes 127", out=ONE, activation="relu", out_zero=0),
    _linear("higher", x=BYTES[:, :2, :2, :2], columns=1, zero=0, bias=BIAS[:5]),
    _linear("residual", bias=BIAS[:5], residual=f64(3, 5, key="rows added")),
    _linear("residual relu", residual=f64(3, 5, key="rows added"), activation="relu"),
    *(_linear(kind, activation=kind) for kind in ("gelu", "gelu_tanh", "tanh", "hard_swish")),
    _linear("gelu bytes", out=ONE, activation="gelu", out_zero=24, out_top=231, **ASIDE),
    _linear("stack", x=ROWS.reshape(1, 3, 8), columns=2, activation="swish"),
    Sample("int8_max_pool2d", {"X": BYTES}, {"ksize": [2, 2], "strides": [2, 2]}, pooled, grad=[]),
    Sample(
        "int8_max_pool2d", {"X": BYTES}, {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]},
        pooled, grad=[], note="padded",
    ),
    _average("windows", ksize=[2, 2], strides=[2, 1]),
    _average("padded", ksize=[3, 3], paddings=[1, 1], zero=0, top=255),
    _average("of all", ksize=[1, 1], adaptive=True),
    _average("bytes", out=ONE, ksize=[3, 2], **ASIDE, out_zero=0, out_top=255),
]  # fmt: skip


def _wrong(sample: Sample, raises, match, attrs=None, **inputs) -> ErrorSample:
    return ErrorSample(
        sample.op, {**sample.inputs, **inputs}, {**sample.attrs, **(attrs or {})}, raises, match
    )


_CONV, _ROWS = _conv(""), _linear("")
ERRORS = [
    ErrorSample("int8_quantize", {"X": X, "Scale": ONE}, {"zero": 3}, ValueError, "zero of 0 or"),
    ErrorSample("int8_round", {"X": X, "Scale": ONE}, {"top": 255}, ValueError, "top from 1"),
    ErrorSample("int8_quantize", {"X": X, "Scale": STEP}, {}, ValueError, "Scale of one element"),
    ErrorSample(
        "int8_quantize", {"X": BYTES, "Scale": ONE}, {}, TypeError, "X to be one of float32"
    ),
    ErrorSample("int8_dequantize", {"X": X, "Scale": ONE}, {}, TypeError, "X to be uint8"),
    ErrorSample("int8_weight", {"X": X, "Scale": STEP}, {}, ValueError, "one scale, or 2"),
    ErrorSample("int8_weight", {"X": MATRIX, "Scale": None}, {}, TypeError, "a Scale for X"),
    _wrong(_CONV, TypeError, "first input to be uint8", Input=f64(2, 4, 5, 5)),
    _wrong(_CONV, TypeError, "weight to be int8", Filter=FILTER.astype("float64")),
    _wrong(_CONV, ValueError, "a Step for each of 6 channels", Step=STEP[:5]),
    _wrong(_CONV, ValueError, "activation to be one of", {"activation": "tanh"}),
    _wrong(_CONV, ValueError, "OutScale where", OutScale=ONE, Residual=f64(2, 6, 3, 3)),
    _wrong(
        _CONV,
        ValueError,
        "out_top of 255",
        {"out_zero": 0},
        OutScale=ONE,
        Residual=ADDED,
        ResidualScale=ONE,
    ),
    _wrong(_CONV, ValueError, "channels of Input", Filter=FILTER[:, :3]),
    _wrong(_ROWS, ValueError, "columns from 1", {"columns": 2}),
    _wrong(_ROWS, ValueError, "no OutScale, where", OutScale=ONE, Residual=f64(3, 5)),
    _wrong(_ROWS, ValueError, "a Residual of shape", Residual=f64(3, 4)),
    _wrong(_ROWS, ValueError, "activation to be one of", {"activation": "softplus"}),
    _wrong(_ROWS, ValueError, "rows of X as long", X=ROWS[:, :7]),
    ErrorSample("int8_max_pool2d", {"X": X}, {"ksize": [2, 2]}, TypeError, "X to be uint8"),
    _wrong(_transposed(""), ValueError, "as many channels", Filter=TURNED[:3]),
    _wrong(_transposed(""), ValueError, "a Step for each of 6", Step=STEP[:4]),
    _wrong(_transposed(""), TypeError, "first input to be uint8", Input=f64(2, 4, 5, 5)),
    _wrong(_average(""), TypeError, "X to be uint8", {"ksize": [2, 2]}, X=X),
    _wrong(_average(""), ValueError, "four dimensions", {"ksize": [2, 2]}, X=ROWS),
    _wrong(_average(""), ValueError, "Scale of one element", {"ksize": [2, 2]}, InScale=STEP),
    _wrong(_average(""), ValueError, "top from 1", {"ksize": [2, 2], "out_zero": 9}, OutScale=ONE),
]
