"""Samples of deformable convolution, against loops over taps and corners."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def _at(plane, y, x):
    """Bilinear value of a plane that is zero outside."""
    total = 0.0
    for row in (int(np.floor(y)), int(np.floor(y)) + 1):
        for column in (int(np.floor(x)), int(np.floor(x)) + 1):
            if 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]:
                total += plane[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def deformable_conv(
    x, offset, mask, w, strides=(1, 1), paddings=(0, 0), dilations=(1, 1), groups=1,
    deformable_groups=1, im2col_step=64,
):  # fmt: skip
    out_channels, per_group, kh, kw = w.shape
    n, oh, ow = x.shape[0], offset.shape[2], offset.shape[3]
    out = np.zeros((n, out_channels, oh, ow), x.dtype)
    for b, o, i, j in np.ndindex(*out.shape):
        first = o // (out_channels // groups) * per_group
        for c in range(per_group):
            g = (first + c) // (x.shape[1] // deformable_groups)
            for u, v in np.ndindex(kh, kw):
                tap = (g * kh + u) * kw + v
                y = i * strides[0] - paddings[0] + u * dilations[0] + offset[b, 2 * tap, i, j]
                z = j * strides[1] - paddings[1] + v * dilations[1] + offset[b, 2 * tap + 1, i, j]
                value = _at(x[b, first + c], y, z) * w[o, c, u, v]
                out[b, o, i, j] += value * (1.0 if mask is None else mask[b, tap, i, j])
    return out


def deformable_conv_v1(x, offset, w, **attrs):
    return deformable_conv(x, offset, None, w, **attrs)


def _inputs(x, w, size, groups, mask=True, reach=1.5):
    taps = groups * w[2] * w[3]
    # Thirds keep the points away from whole numbers, where the slope jumps.
    shift = np.round(f64(x[0], 2 * taps, *size, low=-reach, high=reach) - 0.5) + 1 / 3
    made = {"Input": f64(*x), "Offset": shift, "Filter": f64(*w)}
    return {**made, "Mask": pos(x[0], taps, *size)} if mask else made


WIDE = {"strides": [2, 1], "paddings": [1, 2], "dilations": [1, 2], "groups": 2}
GROUPED = {**WIDE, "deformable_groups": 2, "im2col_step": 1}

SAMPLES = [
    Sample(
        "deformable_conv", _inputs((2, 2, 3, 4), (3, 2, 2, 2), (2, 3), 1), {}, deformable_conv
    ),
    Sample(
        "deformable_conv",
        _inputs((2, 4, 5, 4), (2, 2, 2, 3), (3, 4), 2, reach=4.0),
        GROUPED,
        deformable_conv,
        note="grouped",
    ),
    Sample(
        "deformable_conv_v1",
        _inputs((2, 2, 3, 4), (3, 2, 2, 2), (2, 3), 1, mask=False),
        {},
        deformable_conv_v1,
    ),
    Sample(
        "deformable_conv_v1",
        _inputs((1, 4, 5, 4), (2, 2, 2, 3), (3, 4), 2, mask=False),
        GROUPED,
        deformable_conv_v1,
        note="grouped",
    ),
]  # fmt: skip


def _bad(match, attrs=None, **inputs):
    good = _inputs((2, 2, 3, 4), (3, 2, 2, 2), (2, 3), 1)
    return ErrorSample("deformable_conv", {**good, **inputs}, attrs or {}, ValueError, match)


ERRORS = [
    _bad(r"Input of shape \[N, C, H, W\]", Input=f64(2, 3, 4)),
    _bad("divisible by groups 2", {"groups": 2}),
    _bad(r"Offset of shape \[2, 8, 2, 3\]", Offset=f64(2, 4, 2, 3)),
    _bad(r"Mask of shape \[2, 4, 2, 3\]", Mask=f64(2, 4, 3, 3)),
    _bad("the kernel to fit", Filter=f64(3, 2, 4, 4)),
    _bad("divides the batch of 2", {"im2col_step": 0}),
    ErrorSample(
        "deformable_conv_v1",
        _inputs((2, 2, 3, 4), (3, 2, 2, 2), (2, 2), 1, mask=False),
        {},
        ValueError,
        r"Offset of shape \[2, 8, 2, 3\]",
    ),
]
