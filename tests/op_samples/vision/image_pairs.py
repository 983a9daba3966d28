"""Samples of images beside others: loops over pixels and cells."""

from __future__ import annotations

import math

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def correlation(first, second, pad_size, kernel_size, max_displacement, stride1, stride2,
                corr_type_multiply=1):  # fmt: skip
    n, _, height, width = first.shape
    assert first.shape == second.shape and first.shape[1]
    reach = max_displacement // stride2
    moves = [(dy * stride2, dx * stride2) for dy in range(-reach, reach + 1)
             for dx in range(-reach, reach + 1)]  # fmt: skip
    rows, columns = (
        math.ceil((size + 2 * pad_size - 2 * max_displacement) / stride1)
        for size in (height, width)
    )
    assert min(rows, columns) > 0
    out = np.zeros((n, len(moves), rows, columns))
    for b, (k, (dy, dx)), i, j in (
        (b, move, i, j)
        for b in range(n)
        for move in enumerate(moves)
        for i in range(rows)
        for j in range(columns)
    ):
        y, x = (t * stride1 + max_displacement - pad_size for t in (i, j))
        inside = all(0 <= t < height for t in (y, y + dy)) and all(
            0 <= t < width for t in (x, x + dx)
        )
        if inside:
            out[b, k, i, j] = np.mean(first[b, :, y, x] * second[b, :, y + dy, x + dx])
    return out


def bilateral_slice(x, grid, guide, has_offset=False):
    n, channels, height, width = x.shape
    depth, rows, columns = grid.shape[2:]
    terms = channels + has_offset
    assert grid.shape[1] % terms == 0
    out = np.zeros((n, grid.shape[1] // terms, height, width))
    for b, i, j in np.ndindex(n, height, width):
        gx, gy = (j + 0.5) * columns / width, (i + 0.5) * rows / height
        gz = guide[b, i, j] * depth
        change = np.zeros(grid.shape[1])
        for c, r, d in np.ndindex(columns + 2, rows + 2, depth + 2):  # with a border of copies
            c, r, d = c - 1, r - 1, d - 1
            weight = max(1 - abs(c + 0.5 - gx), 0) * max(1 - abs(r + 0.5 - gy), 0)
            weight *= max(1 - math.sqrt((d + 0.5 - gz) ** 2 + 1e-8), 0)
            place = (min(max(d, 0), depth - 1), min(max(r, 0), rows - 1))
            change += weight * grid[(b, slice(None), *place, min(max(c, 0), columns - 1))]
        change = change.reshape(-1, terms)
        out[b, :, i, j] = change[:, :channels] @ x[b, :, i, j]
        if has_offset:
            out[b, :, i, j] += change[:, channels]
    return out


PAIR = {"Input1": f64(2, 3, 4, 5, key="one"), "Input2": f64(2, 3, 4, 5, key="other")}
NEAR = {"pad_size": 1, "kernel_size": 1, "max_displacement": 1, "stride1": 1, "stride2": 1}
IMAGE = {"X": f64(2, 3, 5, 7), "Grid": f64(2, 12, 4, 2, 3),
         "Guide": f64(2, 5, 7, low=0.02, high=0.98, key="guide")}  # fmt: skip

SAMPLES = [
    Sample("correlation", PAIR, NEAR, correlation),
    Sample("correlation", PAIR, NEAR | {"pad_size": 4, "max_displacement": 4, "stride1": 2,
           "stride2": 2}, correlation, note="strides"),
    Sample("correlation", PAIR, NEAR | {"pad_size": 0}, correlation, note="inside"),
    Sample("correlation", PAIR, NEAR | {"pad_size": 3, "stride2": 2, "max_displacement": 3},
           correlation, note="odd"),
    Sample("bilateral_slice", IMAGE, {}, bilateral_slice),
    Sample("bilateral_slice", IMAGE, {"has_offset": True}, bilateral_slice, note="offset"),
]  # fmt: skip

ERRORS = [
    ErrorSample("correlation", PAIR | {"Input2": PAIR["Input1"][:, :2]}, NEAR, ValueError,
                r"same shape \[N, C, H, W\]"),
    ErrorSample("correlation", PAIR, NEAR | {"kernel_size": 3}, NotImplementedError,
                "expected kernel_size 1"),
    ErrorSample("correlation", PAIR, NEAR | {"max_displacement": 3}, ValueError,
                "more than 4 rows and columns"),
    ErrorSample("correlation", PAIR, NEAR | {"stride2": 0}, ValueError, "strides > 0"),
    ErrorSample("bilateral_slice", IMAGE | {"Grid": IMAGE["Grid"][:, :10]}, {}, ValueError,
                r"Grid \[N, C \* channels of Out"),
    ErrorSample("bilateral_slice", IMAGE | {"Guide": IMAGE["X"]}, {"has_offset": True},
                ValueError, r"Grid \[N, \(C \+ 1\) \* channels of Out"),
]  # fmt: skip
