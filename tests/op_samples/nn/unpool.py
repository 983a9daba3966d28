"""Samples of unpooling: loops over the values that return."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, rng


def unpool(x, indices, ksize, strides=None, paddings=None, output_size=(), **named):
    axes = len(ksize)
    strides, paddings = strides or [1] * axes, paddings or [0] * axes
    sizes = list(output_size) or [
        (n - 1) * stride - 2 * pad + k
        for n, k, stride, pad in zip(x.shape[2:], ksize, strides, paddings, strict=True)
    ]
    assert x.shape == indices.shape
    out = np.zeros((*x.shape[:2], int(np.prod(sizes))), x.dtype)
    for at in np.ndindex(*x.shape):
        out[at[0], at[1], indices[at]] = x[at]
    return out.reshape(*x.shape[:2], *sizes)


def _places(shape, count, dtype="int32"):
    """Positions that differ within a channel."""
    channels, each = np.prod(shape[:2]), np.prod(shape[2:])
    made = [rng(shape, k).permutation(count)[:each] for k in range(channels)]
    return np.array(made, dtype).reshape(shape)


X, X3 = f64(2, 3, 2, 4), f64(2, 2, 2, 3, 1)
FLAT = {"X": X, "Indices": _places(X.shape, 32)}
PADDED = {"X": X, "Indices": _places(X.shape, 4 * 10, "int64")}
SOLID = {"X": X3, "Indices": _places(X3.shape, 4 * 6 * 2)}
TWICE = {"ksize": [2, 2], "unpooling_type": "max", "strides": [2, 2]}
TWICE_3 = {"ksize": [2, 2, 2], "strides": [2, 2, 2]}

SAMPLES = [
    Sample("unpool", FLAT, TWICE, unpool),
    Sample("unpool", FLAT, TWICE | {"output_size": [5, 9]}, unpool, note="given_size"),
    Sample(
        "unpool",
        PADDED,
        {**TWICE, "ksize": [4, 3], "strides": [2, 3], "paddings": [1, 1]},
        unpool,
        note="padded",
    ),
    Sample("unpool3d", SOLID, TWICE_3, unpool),
    Sample("unpool3d", SOLID, TWICE_3 | {"output_size": [4, 7, 3]}, unpool, note="given_size"),
]


def _bad(match, raises=ValueError, attrs=None, op="unpool", **inputs):
    common = (TWICE if op == "unpool" else TWICE_3) | (attrs or {})
    return ErrorSample(op, (FLAT if op == "unpool" else SOLID) | inputs, common, raises, match)


ERRORS = [
    _bad("positions in", IndexError, Indices=FLAT["Indices"] + 1),
    _bad("positions in", IndexError, Indices=FLAT["Indices"] - 1),
    _bad("same 4 dimensions", Indices=FLAT["Indices"][:, :2]),
    _bad("same 5 dimensions", X=X, op="unpool3d"),
    _bad("expected max, but received avg", attrs={"unpooling_type": "avg"}),
    _bad("expected NCHW", NotImplementedError, attrs={"data_format": "NHWC"}),
    _bad("2 numbers each", attrs={"ksize": [2, 2, 2]}),
    _bad("sizes >= 0", attrs={"paddings": [0, 9]}),
    _bad("positions in", IndexError, Indices=SOLID["Indices"] + 9, op="unpool3d"),
]
