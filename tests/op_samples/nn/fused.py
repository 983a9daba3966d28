"""Samples of operators that are several in one."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64

X = f64(3, 4, key="x")
SCORES = f64(2, 2, 4, 4, key="scores")


def _masked_softmax(x):
    x = np.where(np.triu(np.ones(x.shape[2:]), 1) > 0, -np.inf, x)
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def _relu(x):
    return np.maximum(x, 0)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _fused(ref, note, functors, y, **attrs):
    attrs = {"functor_list": functors, "save_intermediate_out": True, **attrs}
    return Sample("fused_elemwise_activation", {"X": apart(2, 3, 4, key="fx"), "Y": y}, attrs,
                  lambda x, y, **kw: ref(x, y), note=note)  # fmt: skip


FUSED_Y = apart(2, 3, 4, gap=0.07, key="fy") + 0.017
SAMPLES = [
    Sample("fused_softmax_mask_upper_triangle", {"X": SCORES}, ref=_masked_softmax, orders=2),
    _fused(lambda x, y: (x + _relu(y), _relu(y)), "add_relu", ["elementwise_add", "relu"], FUSED_Y),
    _fused(lambda x, y: (_relu(x + y), x + y), "relu_add", ["relu", "elementwise_add"], FUSED_Y),
    _fused(lambda x, y: (x * (y * 0.5), y * 0.5), "mul_scale", ["elementwise_mul", "scale"],
           FUSED_Y, scale=0.5),
    _fused(lambda x, y: (np.tanh(x + y[None, :, None]), x + y[None, :, None]), "tanh_axis",
           ["tanh", "elementwise_add"], f64(3), axis=1),
    Sample("fused_elemwise_activation", {"X": X, "Y": f64(4)},
           {"functor_list": ["sigmoid", "elementwise_add"]},
           lambda x, y, functor_list: (_sigmoid(x + y), None), note="no_intermediate"),
]  # fmt: skip

ERRORS = [
    ErrorSample("fused_softmax_mask_upper_triangle", {"X": X}, {}, ValueError,
                r"expected X of shape \[N, heads, n, n\]"),
    ErrorSample("fused_elemwise_activation", {"X": X, "Y": X},
                {"functor_list": ["relu", "tanh"]}, ValueError, "in functor_list"),
]  # fmt: skip
