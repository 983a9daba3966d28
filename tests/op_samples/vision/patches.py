"""Samples of patches: folded, as sequences, in pyramids."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64


def fold(x, output_sizes, kernel_sizes, strides, paddings, dilations):
    top, left, bottom, right = (list(paddings) * 2)[:4]
    high, wide = output_sizes
    out = np.zeros((len(x), x.shape[1] // np.prod(kernel_sizes), high + top + bottom,
                    wide + left + right), x.dtype)  # fmt: skip
    steps = [(n - dilations[i] * (kernel_sizes[i] - 1) - 1) // strides[i] + 1
             for i, n in enumerate(out.shape[2:])]  # fmt: skip
    assert np.prod(steps) == x.shape[2]
    parts = x.reshape(len(x), out.shape[1], *kernel_sizes, *steps)
    for a, b, h, w in np.ndindex(*parts.shape[2:]):
        place = h * strides[0] + a * dilations[0], w * strides[1] + b * dilations[1]
        out[:, :, place[0], place[1]] += parts[:, :, a, b, h, w]
    return out[:, :, top : top + high, left : left + wide]


def im2sequence(x, sizes, kernels, strides=(1, 1), paddings=(0, 0, 0, 0), out_stride=(1, 1)):
    rows = []
    for i, image in enumerate(x):
        seen = image.shape[1:]
        if sizes is not None and len(x) > 1:
            seen = [-(-int(n) // s) for n, s in zip(sizes[i], out_stride, strict=True)]
        grid = [(seen[k] + paddings[k] + paddings[k + 2] - kernels[k]) // strides[k] + 1
                for k in range(2)]  # fmt: skip
        for at in np.ndindex(*grid):
            patch = np.zeros((len(image), *kernels), x.dtype)
            for cell in np.ndindex(*kernels):
                h, w = (at[k] * strides[k] + cell[k] - paddings[k] for k in range(2))
                if 0 <= h < image.shape[1] and 0 <= w < image.shape[2]:
                    patch[:, cell[0], cell[1]] = image[:, h, w]
            rows.append(patch.reshape(-1))
    return np.stack(rows) if rows else np.zeros((0, x.shape[1] * np.prod(kernels)))


def spp(x, pyramid_height, pooling_type):
    parts = []
    for level in range(pyramid_height):
        bins = 2**level
        out = np.zeros((*x.shape[:2], bins, bins), x.dtype)
        window = [-(-n // bins) for n in x.shape[2:]]
        front = [(k * bins - n + 1) // 2 for k, n in zip(window, x.shape[2:], strict=True)]
        for h, w in np.ndindex(bins, bins):
            first = [h * window[0] - front[0], w * window[1] - front[1]]
            cell = x[:, :, max(first[0], 0) : first[0] + window[0],
                     max(first[1], 0) : first[1] + window[1]]  # fmt: skip
            pooled = cell.max((2, 3)) if pooling_type == "max" else cell.mean((2, 3))
            out[:, :, h, w] = pooled
        parts.append(out.reshape(len(x), -1))
    return np.concatenate(parts, 1)


def _folded(note, channels, sizes, kernel, strides, paddings, dilations, count):
    attrs = {"output_sizes": sizes, "kernel_sizes": kernel, "strides": strides,
             "paddings": paddings, "dilations": dilations}  # fmt: skip
    x = f64(2, channels * kernel[0] * kernel[1], count)
    return Sample("fold", {"X": x}, attrs, fold, orders=3, note=note)


def _rows(note, x, sizes=None, **attrs):
    inputs = {"X": x, "Y": None if sizes is None else np.array(sizes, "float64")}
    return Sample("im2sequence", inputs, attrs, im2sequence, note=note, grad=["X"],
                  static_shape=sizes is None or len(x) == 1)  # fmt: skip


def _pyramid(note, x, height, kind):
    attrs = {"pyramid_height": height, "pooling_type": kind}
    return Sample("spp", {"X": x}, attrs, spp, note=note)


X = f64(2, 3, 5, 6)
SAMPLES = [
    _folded("plain", 2, [4, 5], [2, 2], [1, 1], [0, 0, 0, 0], [1, 1], 12),
    _folded("padded", 1, [4, 5], [3, 2], [2, 1], [1, 1], [1, 2], 10),
    _folded("sides", 1, [3, 3], [2, 2], [1, 1], [1, 0, 0, 1], [1, 1], 9),
    _rows("plain", X, kernels=[2, 3]),
    _rows("padded", X, kernels=[3, 2], strides=[2, 3], paddings=[1, 0, 2, 1]),
    _rows("sizes", X, [[10, 7], [8, 12]], kernels=[2, 2], strides=[1, 2], out_stride=[2, 2]),
    _rows("larger", X, [[7, 6], [4, 9]], kernels=[2, 2], paddings=[1, 1, 1, 1]),
    _rows("one_image", X[:1], [[2, 2]], kernels=[2, 2]),
    _pyramid("max", apart(2, 2, 7, 8, gap=0.01), 3, "max"),
    _pyramid("avg", X, 2, "avg"),
    _pyramid("once", X, 1, "max"),
]


def _bad(op, match, attrs, **inputs):
    return ErrorSample(op, inputs, attrs, ValueError, match)


_FOLD = {"output_sizes": [4, 5], "kernel_sizes": [2, 2], "strides": [1, 1], "paddings": [0, 0],
         "dilations": [1, 1]}  # fmt: skip
ERRORS = [
    _bad("fold", r"X of shape \[N, C \* 4, 3 \* 4\]", _FOLD, X=f64(2, 8, 11)),
    _bad("fold", "strides is expected to be 2 positive", {**_FOLD, "strides": [0, 1]},
         X=f64(2, 8, 12)),
    _bad("fold", "2 or 4 integers", {**_FOLD, "paddings": [1]}, X=f64(2, 8, 12)),
    _bad("im2sequence", r"expected X \[N, C, H, W\]", {"kernels": [2, 2]}, X=f64(3, 4, 5)),
    _bad("im2sequence", r"Y of shape \[2, 3\]", {"kernels": [2, 2]}, X=X, Y=f64(2, 3)),
    _bad("im2sequence", "at least one patch", {"kernels": [9, 2]}, X=X),
    _bad("spp", "max or avg", {"pyramid_height": 1, "pooling_type": "sum"}, X=X),
    _bad("spp", r"expected X \[N, C, H, W\]", {"pyramid_height": 1, "pooling_type": "max"},
         X=f64(3, 4)),
]  # fmt: skip
