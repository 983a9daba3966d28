"""Samples of parts of transformers that 2.6 writes as one operator."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def flash_attn(q, k, v, seed, mask, dropout=0.0, causal=False, is_test=False):
    share = q.shape[2] // k.shape[2]
    q, k, v = (np.moveaxis(t, 2, 1) for t in (q, k.repeat(share, 2), v.repeat(share, 2)))
    scores = q @ np.moveaxis(k, 3, 2) / np.sqrt(q.shape[3])
    scores = scores + (0 if mask is None else mask)
    if causal:
        scores = scores + np.triu(np.full(scores.shape[2:], -1e30), 1)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    out = (weights / weights.sum(-1, keepdims=True)) @ v
    return np.moveaxis(out, 1, 2), None, None, None


def fused_dropout_add(x, y, seed_tensor, chance, p, is_test, mode, **seed):
    p = p if chance is None else float(chance[0])
    return (x if mode == "upscale_in_train" else x * (1 - p)) + y, None


def residual_norm(x, residual, bias, scale, shift, is_test=True, dropout_rate=0.5,
                  dropout_implementation="downgrade_in_infer", ln_epsilon=1e-5):  # fmt: skip
    x = x if bias is None else x + bias
    total = (
        x if dropout_implementation == "upscale_in_train" else x * (1 - dropout_rate)
    ) + residual
    mean, variance = total.mean(-1), total.var(-1)
    out = (total - mean[..., None]) / np.sqrt(variance + ln_epsilon)[..., None]
    out = out * (1 if scale is None else scale) + (0 if shift is None else shift)
    return out, total, None, mean.ravel(), variance.ravel()


HEADS = {"q": f64(2, 3, 4, 5), "k": f64(2, 3, 4, 5, key=1), "v": f64(2, 3, 4, 5, key=2)}
SHARED = {"q": f64(2, 3, 4, 5), "k": f64(2, 6, 2, 5), "v": f64(2, 6, 2, 5, key=2)}
ROWS = {"X": f64(2, 3, 4), "Residual": f64(2, 3, 4, key=1)}
TEST = {"is_test": True, "dropout_rate": 0.25}

SAMPLES = [
    Sample("flash_attn", HEADS, {}, flash_attn),
    Sample("flash_attn", HEADS, {"causal": True, "dropout": 0.5, "is_test": True}, flash_attn,
           note="causal"),
    Sample("flash_attn", {**SHARED, "attn_mask": f64(2, 1, 3, 6)}, {}, flash_attn,
           note="shared", grad=["q", "k", "v"]),
    Sample("flash_attn", {**HEADS, "k": SHARED["k"][:, :3], "v": SHARED["v"][:, :3],
                          "attn_mask": f64(2, 4, 3, 3)}, {"causal": True}, flash_attn,
           note="shared, causal", grad=["q", "k", "v"]),
    Sample("fused_dropout_add", {"x": f64(2, 3), "y": f64(2, 3, key=1)},
           {"p": 0.25, "is_test": True, "mode": "downgrade_in_infer"}, fused_dropout_add),
    Sample("fused_dropout_add", {"x": f64(2, 3), "y": f64(2, 3, key=1)},
           {"p": 0.0, "is_test": False, "mode": "upscale_in_train"}, fused_dropout_add,
           note="trained"),
    Sample("fused_dropout_add",
           {"x": f64(2, 3), "y": f64(2, 3, key=1), "PTensor": np.array([0.25])},
           {"p": 0.5, "is_test": True, "mode": "downgrade_in_infer"}, fused_dropout_add,
           note="chance as a tensor", grad=["x", "y"]),
    Sample("fused_bias_dropout_residual_layer_norm",
           {**ROWS, "Bias": f64(4), "LnScale": pos(4), "LnBias": f64(4, key=1)}, TEST,
           residual_norm),
    Sample("fused_bias_dropout_residual_layer_norm", ROWS,
           {**TEST, "dropout_implementation": "upscale_in_train"}, residual_norm, note="plain"),
]  # fmt: skip

ERRORS = [
    ErrorSample("flash_attn", {**HEADS, "k": f64(2, 3, 3, 5)}, {}, ValueError, "divide the 4 of q"),
    ErrorSample("flash_attn", SHARED, {"causal": True}, NotImplementedError, "give attn_mask"),
    ErrorSample("flash_attn", HEADS, {"dropout": 0.5}, NotImplementedError, "in training"),
    ErrorSample("flash_attn", HEADS, {"return_softmax": True}, NotImplementedError, "not handed"),
    ErrorSample("fused_dropout_add", {"x": f64(2, 3), "y": f64(3)},
                {"p": 0.5, "is_test": True, "mode": "upscale_in_train"}, ValueError, "same shape"),
    ErrorSample("fused_bias_dropout_residual_layer_norm", {**ROWS, "Bias": f64(3)}, TEST,
                ValueError, "of 4 elements"),
    ErrorSample("fused_bias_dropout_residual_layer_norm", {**ROWS, "Residual": f64(3, 4)}, TEST,
                ValueError, "same shape"),
]  # fmt: skip
