"""Samples of normalizations, against their formulas."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def _normal(x, axes, eps, weight=None, bias=None):
    """Returns the normalized x, its mean and its variance."""
    mean = x.mean(axes, keepdims=True)
    var = x.var(axes, keepdims=True)
    out = (x - mean) / np.sqrt(var + eps)
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out, mean, var


def _channels(value, ndim, last=False):
    if value is None:
        return None
    return value if last else value.reshape([1, -1] + [1] * (ndim - 2))


def batch_norm(
    x, scale, bias, mean, variance, momentum_tensor, is_test=False, momentum=0.9, epsilon=1e-5,
    data_layout="NCHW", use_global_stats=False, trainable_statistics=False,
):  # fmt: skip
    last = data_layout == "NHWC" and x.ndim > 2
    axes = tuple(range(x.ndim - 1)) if last else (0, *range(2, x.ndim))
    if use_global_stats or (is_test and not trainable_statistics):
        mu, var = (_channels(v, x.ndim, last) for v in (mean, variance))
    else:
        mu, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    out = (x - mu) / np.sqrt(var + epsilon)
    if scale is not None:
        out = out * _channels(scale, x.ndim, last)
    if bias is not None:
        out = out + _channels(bias, x.ndim, last)
    return out, mu.reshape(-1), 1 / np.sqrt(var.reshape(-1) + epsilon), None


def layer_norm(x, scale, bias, epsilon=1e-5, begin_norm_axis=1):
    shape = x.shape[begin_norm_axis:]
    scale, bias = (None if v is None else v.reshape(shape) for v in (scale, bias))
    axes = tuple(range(begin_norm_axis, x.ndim))
    out, mean, var = _normal(x, axes, epsilon, scale, bias)
    return out, mean.reshape(-1), var.reshape(-1)


def group_norm(x, scale, bias, epsilon=1e-5, groups=-1, data_layout="NCHW"):
    first = np.moveaxis(x, -1, 1) if data_layout == "NHWC" else x
    split = first.reshape(first.shape[0], groups, -1)
    out, mean, var = _normal(split, (2,), epsilon)
    out = out.reshape(first.shape)
    if scale is not None:
        out = out * _channels(scale, x.ndim)
    if bias is not None:
        out = out + _channels(bias, x.ndim)
    if data_layout == "NHWC":
        out = np.moveaxis(out, 1, -1)
    return out, mean[:, :, 0], var[:, :, 0]


def instance_norm(x, scale, bias, epsilon=1e-5):
    axes = tuple(range(2, x.ndim))
    parts = _channels(scale, x.ndim), _channels(bias, x.ndim)
    out, mean, var = _normal(x, axes, epsilon, *parts)
    return out, mean.reshape(-1), 1 / np.sqrt(var.reshape(-1) + epsilon)


def lrn(x, n=5, k=2.0, alpha=1e-4, beta=0.75, data_format="AnyLayout"):
    axis = x.ndim - 1 if data_format == "NHWC" else 1
    moved = np.moveaxis(x, axis, 0)
    mid = np.full_like(moved, k)
    for c in range(len(moved)):
        low = max(c - (n - 1) // 2, 0)
        mid[c] += alpha * (moved[low : c - (n - 1) // 2 + n] ** 2).sum(0)
    mid = np.moveaxis(mid, 0, axis)
    return x * mid**-beta, mid


def norm(x, axis, epsilon=1e-10):
    length = np.sqrt((x * x).sum(axis, keepdims=True) + epsilon)
    return x / length, length


def spectral_norm(weight, u, v, dim=0, power_iters=1, eps=1e-12):
    matrix = np.moveaxis(weight, dim, 0).reshape(weight.shape[dim], -1)
    if power_iters >= 50:
        return weight / np.linalg.svd(matrix, compute_uv=False)[0]
    for _ in range(power_iters):
        v = matrix.T @ u
        v = v / (np.linalg.norm(v) + eps)
        u = matrix @ v
        u = u / (np.linalg.norm(u) + eps)
    return weight / (u @ matrix @ v)


def _batch(note, shape, attrs, c=3, affine=True, **more):
    inputs = {"X": f64(*shape), "Mean": f64(c, key=3), "Variance": pos(c)}
    if affine:
        inputs |= {"Scale": pos(c, key=1), "Bias": f64(c, key=2)}
    grad = ["X", "Scale", "Bias"] if affine else ["X"]
    return Sample("batch_norm", inputs, attrs, batch_norm, grad=grad, note=note, **more)


SAMPLES = [
    _batch("plain", (4, 3, 2, 3), {}, orders=3),
    _batch("vectors", (5, 3), {"momentum": 0.5, "epsilon": 1e-3}),
    _batch("nhwc", (2, 2, 3, 3), {"data_layout": "NHWC"}),
    _batch("volumes", (2, 3, 2, 2, 2), {}),
    _batch("test", (2, 3, 2, 2), {"is_test": True}),
    _batch("global", (2, 2, 2, 3), {"use_global_stats": True, "data_layout": "NHWC"}),
    _batch("trainable", (2, 3, 2, 2), {"is_test": True, "trainable_statistics": True}),
    _batch("bare", (3, 3, 2), {}, affine=False),
    Sample(
        "layer_norm", {"X": f64(3, 4), "Scale": pos(4), "Bias": f64(4)}, {}, layer_norm, orders=3
    ),
    Sample(
        "layer_norm",
        {"X": f64(2, 3, 4), "Scale": pos(12), "Bias": f64(12)},
        {"epsilon": 1e-3},
        layer_norm,
        note="two_axes",
    ),
    Sample("layer_norm", {"X": f64(2, 3, 4)}, {"begin_norm_axis": 2}, layer_norm, note="bare"),
    Sample(
        "layer_norm", {"X": f64(5), "Scale": pos(5)}, {"begin_norm_axis": 0}, layer_norm, note="all"
    ),
    Sample(
        "group_norm",
        {"X": f64(2, 6, 2, 2), "Scale": pos(6), "Bias": f64(6)},
        {"groups": 3},
        group_norm,
        orders=3,
    ),
    Sample(
        "group_norm",
        {"X": f64(2, 3, 2, 4), "Scale": pos(4), "Bias": f64(4)},
        {"groups": 2, "data_layout": "NHWC", "epsilon": 1e-3},
        group_norm,
        note="nhwc",
    ),
    Sample("group_norm", {"X": f64(2, 4, 3)}, {"groups": 1}, group_norm, note="bare"),
    Sample(
        "instance_norm",
        {"X": f64(2, 3, 2, 3), "Scale": pos(3), "Bias": f64(3)},
        {},
        instance_norm,
        orders=3,
    ),
    Sample("instance_norm", {"X": f64(2, 2, 5)}, {"epsilon": 1e-3}, instance_norm, note="bare"),
    Sample("lrn", {"X": f64(2, 7, 2, 2)}, {"alpha": 0.5}, lrn),
    Sample(
        "lrn",
        {"X": f64(1, 2, 2, 5)},
        {"n": 4, "k": 1.0, "alpha": 0.3, "beta": 0.5, "data_format": "NHWC"},
        lrn,
        note="even_nhwc",
    ),
    Sample("norm", {"X": f64(3, 4)}, {"axis": 1}, norm),
    Sample("norm", {"X": f64(2, 3, 4)}, {"axis": -2, "epsilon": 0.5}, norm, note="epsilon"),
    Sample(
        "spectral_norm",
        {"Weight": f64(3, 4), "U": f64(3, key=1), "V": f64(4, key=2)},
        {"power_iters": 200},
        spectral_norm,
        grad=["Weight"],
        orders=1,
        rtol=1e-6,
    ),
    Sample(
        "spectral_norm",
        {"Weight": f64(2, 3, 2), "U": f64(3, key=1), "V": f64(4, key=2)},
        {"power_iters": 2, "dim": 1},
        spectral_norm,
        grad=[],
        note="dim",
    ),
]


def _bad(op, shape, attrs, match, **more):
    return ErrorSample(op, {"X": f64(*shape), **more}, attrs, ValueError, match)


_STATS = {"Mean": f64(3), "Variance": pos(3)}
ERRORS = [
    _bad("batch_norm", (2, 4, 2, 2), {}, "expected Mean to have 4 elements", **_STATS),
    _bad("batch_norm", (2, 3, 2, 2), {"data_layout": "X"}, "data_format to be one", **_STATS),
    _bad("batch_norm", (2, 3, 2, 2), {}, "expected Scale to have 3", Scale=f64(2), **_STATS),
    _bad("layer_norm", (2, 3), {"begin_norm_axis": 2}, "begin_norm_axis in"),
    _bad("layer_norm", (2, 3), {}, "Scale to have 3 elements", Scale=f64(2)),
    _bad("group_norm", (2, 6, 2), {"groups": 4}, "groups to divide the number of channels"),
    _bad("instance_norm", (2, 3, 2), {}, "Scale to have 3 elements", Scale=f64(2)),
    _bad("lrn", (2, 3, 2, 2), {"n": 0}, "n to be positive"),
    ErrorSample(
        "spectral_norm",
        {"Weight": f64(3, 4), "U": f64(4), "V": f64(4)},
        {},
        ValueError,
        "expected U of 3 and V of 4 elements",
    ),
]
