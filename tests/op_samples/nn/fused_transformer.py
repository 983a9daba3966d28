"""Samples of parts of transformers in one operator."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def rms_norm(x, bias, residual, norm_weight, norm_bias, epsilon, begin_norm_axis, **quantized):
    total = x + (0 if residual is None else residual) + (0 if bias is None else bias)
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    shape = total.shape[axes[0] :]
    out = total / np.sqrt(np.mean(total**2, axes, keepdims=True) + epsilon)
    out = out * norm_weight.reshape(shape)
    out = out if norm_bias is None else out + norm_bias.reshape(shape)
    return out, total


def fused_softmax_mask(x, mask):
    value = np.exp(x + mask)
    return value / value.sum(-1, keepdims=True)


def _attrs(axis, scale=-1.0):
    return {"epsilon": 1e-5, "begin_norm_axis": axis, "quant_scale": scale, "quant_round_type": 0,
            "quant_max_bound": 0.0, "quant_min_bound": 0.0}  # fmt: skip


def _norm(note, axis, **inputs):
    return Sample("rms_norm", inputs, _attrs(axis), rms_norm, note=note)


X = f64(2, 3, 4)
SAMPLES = [
    _norm("plain", 2, x=X, norm_weight=pos(4)),
    _norm("shifted", -1, x=X, norm_weight=pos(4), norm_bias=f64(4)),
    _norm("two_axes", 1, x=X, norm_weight=pos(12)),
    _norm("residual", 2, x=X, bias=f64(4), residual=f64(2, 3, 4, key=1), norm_weight=pos(4)),
    Sample("fused_softmax_mask", {"X": f64(2, 3, 2, 4), "Mask": f64(2, 1, 2, 4)}, {},
           fused_softmax_mask, grad=["X"], orders=3),
]  # fmt: skip

ERRORS = [
    ErrorSample("rms_norm", {"x": X, "norm_weight": pos(3)}, _attrs(2), ValueError,
                "norm_bias of 4 elements"),
    ErrorSample("rms_norm", {"x": X, "norm_weight": pos(4)}, _attrs(2, 0.5), NotImplementedError,
                "no quantized result"),
    ErrorSample("rms_norm", {"x": X, "norm_weight": pos(4)}, _attrs(3), ValueError,
                r"begin_norm_axis is expected to be in range of \[-3, 2\]"),
    ErrorSample("fused_softmax_mask", {"X": X, "Mask": X}, {}, ValueError, r"Mask \[B, 1, S, T\]"),
]  # fmt: skip
