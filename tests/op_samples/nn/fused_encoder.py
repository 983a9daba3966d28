"""Samples of the norms, embeddings and attention that passes for inference join."""

from __future__ import annotations

import numpy as np

from paddle.core.errors import InvalidArgumentError
from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos


def norm(x, scale, bias, epsilon=1e-5, begin_norm_axis=1):
    axes = tuple(range(begin_norm_axis, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    out = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + epsilon)
    shape = x.shape[begin_norm_axis:]
    out = out if scale is None else out * scale.reshape(shape)
    return out if bias is None else out + bias.reshape(shape)


def sum_and_norm(x, y, scale, bias, epsilon, begin_norm_axis):
    return norm(x + y, scale, bias, epsilon, begin_norm_axis)


def embedding(ids, tables, bias, scale, epsilon=1e-5):
    rows = [t[i.reshape(i.shape[:2])] for i, t in zip(ids, tables, strict=True)]
    return norm(sum(rows), scale, bias, epsilon, 2)


def padded(w, padding_idx):
    return np.where(np.arange(len(w))[:, None] == padding_idx, 0, w)


def attention(q, k, v, mask, scale, heads):
    def split(x):
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    scores = scale * split(q) @ split(k).transpose(0, 1, 3, 2)
    scores = scores if mask is None else scores + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    out = weights / weights.sum(-1, keepdims=True) @ split(v)
    return out.transpose(0, 2, 1, 3).reshape(*q.shape[:2], -1)


def joined_attention(x, mask, scale, heads):
    return attention(*np.split(x, 3, -1), mask, scale, heads)


def _rows(mask=None) -> dict:
    return {
        "Q": f64(2, 3, 4), "K": f64(2, 5, 4, key=1), "V": f64(2, 5, 4, key=2), "Mask": mask,
    }  # fmt: skip


_TABLES = [f64(7, 4), f64(5, 4, key=1)]

SAMPLES = [
    Sample(
        "layer_norm_result",
        {"X": f64(2, 3, 4), "Scale": pos(4), "Bias": f64(4)},
        {"begin_norm_axis": 2},
        norm,
        grad=[],
    ),
    Sample(
        "layer_norm_result",
        {"X": f64(2, 3, 4), "Scale": pos(12), "Bias": None},
        {"epsilon": 0.1},
        norm,
        grad=[],
        note="two dimensions",
    ),
    Sample(
        "skip_layernorm",
        {"X": f64(2, 3, 4), "Y": f64(2, 3, 4, key=1), "Scale": pos(4), "Bias": f64(4)},
        {"epsilon": 1e-5, "begin_norm_axis": 2},
        sum_and_norm,
        grad=[],
    ),
    Sample(
        "fused_embedding_eltwise_layernorm",
        {
            "Ids": [ints(2, 3, high=7), ints(2, 3, high=5)],
            "Embs": _TABLES,
            "Bias": f64(4),
            "Scale": pos(4),
        },
        {},
        embedding,
        grad=[],
    ),
    Sample(
        "fused_embedding_eltwise_layernorm",
        {
            "Ids": [ints(2, 3, 1, high=7), ints(2, 3, 1, high=5)],
            "Embs": _TABLES,
            "Bias": f64(4),
            "Scale": pos(4),
        },
        {"epsilon": 0.1},
        embedding,
        grad=[],
        note="1.x",
    ),
    Sample("padded_table", {"W": f64(3, 4)}, {"padding_idx": 1}, padded, grad=[]),
    Sample("attention_of_rows", _rows(), {"scale": 0.5, "heads": 2}, attention, grad=[]),
    Sample(
        "attention_of_rows",
        _rows(f64(2, 1, 1, 5)),
        {"scale": 0.5, "heads": 2},
        attention,
        grad=[],
        note="mask",
    ),
    Sample(
        "attention_of_joined_rows",
        {"X": f64(2, 3, 12), "Mask": f64(2, 1, 3, 3)},
        {"scale": 0.5, "heads": 2},
        joined_attention,
        grad=[],
    ),
]
ERRORS = [
    ErrorSample(
        "attention_of_joined_rows",
        {"X": f64(2, 3, 8), "Mask": None},
        {"scale": 0.5, "heads": 2},
        InvalidArgumentError,
        "heads divide",
    ),
    ErrorSample(
        "layer_norm_result",
        {"X": f64(2, 3), "Scale": pos(4), "Bias": None},
        {},
        InvalidArgumentError,
        "of same shape|of 3 elements",
    ),
    ErrorSample(
        "padded_table", {"W": f64(3, 4)}, {"padding_idx": 3}, InvalidArgumentError, "padding_idx"
    ),
    ErrorSample(
        "attention_of_rows",
        _rows(),
        {"scale": 1.0, "heads": 3},
        InvalidArgumentError,
        "heads divide",
    ),
    ErrorSample(
        "fused_embedding_eltwise_layernorm",
        {"Ids": [ints(2, 3, high=7)], "Embs": _TABLES, "Bias": f64(4), "Scale": pos(4)},
        {},
        InvalidArgumentError,
        "as many Embs as Ids",
    ),
    ErrorSample(
        "skip_layernorm",
        {"X": f64(2, 3), "Y": f64(2, 3), "Scale": pos(4), "Bias": f64(4)},
        {"epsilon": 1e-5, "begin_norm_axis": 1},
        InvalidArgumentError,
        "of same shape|of 3 elements",
    ),
]
