"""Samples of pooled regions: loops over pixels, and sums over many points for integrals."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.op_samples.detection.roi_and_yolo import _pixel
from tests.op_samples.sample import ErrorSample, Sample, apart, f64

COUNTS = np.int32([2, 1, 0, 1])
ROIS = np.array([[0.3, 0.6, 3.2, 4.1], [1.0, 1.0, 1.4, 1.2], [-2.5, 2.3, 9.0, 8.7], [2, 3, 1, 2]])


def _images(rois, counts):
    counts = [len(rois)] if counts is None else counts
    images = [i for i, count in enumerate(counts) for _ in range(count)]
    assert len(images) == len(rois)
    return images


def _round(value):
    return math.copysign(math.floor(abs(value) + 0.5), value)


def _covered(low, high, scale, number, bins, size):
    """The pixels of one bin along one axis."""
    start, end = _round(low) * scale, (_round(high) + 1) * scale
    step = max(end - start, 0.1) / bins
    first, behind = math.floor(number * step + start), math.ceil((number + 1) * step + start)
    return range(max(first, 0), max(min(behind, size), 0))


def psroi_pool(x, rois, counts=None, pooled_height=1, pooled_width=1, output_channels=1,
               spatial_scale=1.0):  # fmt: skip
    out = np.zeros((len(rois), output_channels, pooled_height, pooled_width), x.dtype)
    images = _images(rois, counts)
    for k, c, p, q in np.ndindex(*out.shape):
        left, top, right, bottom = rois[k]
        rows = _covered(top, bottom, spatial_scale, p, pooled_height, x.shape[2])
        columns = _covered(left, right, spatial_scale, q, pooled_width, x.shape[3])
        channel = (c * pooled_height + p) * pooled_width + q
        values = [x[images[k], channel, i, j] for i in rows for j in columns]
        out[k, c, p, q] = np.mean(values) if values else 0
    return out


def _tent(a, b, pixel):
    """The integral over [a, b] of the tent around a pixel, piece by piece, which are straight."""
    borders = sorted({min(max(t, a), b) for t in (a, b, pixel - 1, pixel, pixel + 1)})
    parts = itertools.pairwise(borders)
    return sum(max(0, 1 - abs((s + t) / 2 - pixel)) * (t - s) for s, t in parts)


def prroi_pool(x, rois, counts=None, spatial_scale=1.0, pooled_height=1, pooled_width=1):
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width), x.dtype)
    images = _images(rois, counts)
    for k, p, q in np.ndindex(len(rois), pooled_height, pooled_width):
        left, top, right, bottom = rois[k] * spatial_scale
        h, w = max(bottom - top, 0) / pooled_height, max(right - left, 0) / pooled_width
        if not h * w:
            continue
        for i, j in np.ndindex(*x.shape[2:]):
            down = _tent(top + p * h, top + (p + 1) * h, i)
            across = _tent(left + q * w, left + (q + 1) * w, j)
            out[k, :, p, q] += x[images[k], :, i, j] * down * across / (h * w)
    return out


def _edge_meets(px, py, start, end):
    """Whether a point lies on an edge, and whether a ray from it to the right crosses it."""
    (xs, ys), (xe, ye), near = start, end, 1e-4
    if abs(ys - ye) < near:
        beside = min(xs, xe) - near <= px <= max(xs, xe) + near
        return abs(py - ys) < near and beside, False
    cut = xs + (py - ys) * (xe - xs) / (ye - ys)
    low, high = min(ys, ye), max(ys, ye)
    return abs(cut - px) < near and low - near <= py <= high + near, low < py <= high and cut > px


def projection(corners, high, wide):
    """The matrix that takes the corners of the result to those of the quadrangle, and its width."""
    sides = [math.dist(corners[k], corners[(k + 1) % 4]) for k in range(4)]
    high = max(2, high)
    wide = min(wide, _round((sides[0] + sides[2]) * (high - 1) / (sides[1] + sides[3])) + 1)
    wide = max(2, wide)
    rows, right = [], []
    for (u, v), (x, y) in zip(
        [(0, 0), (wide - 1, 0), (wide - 1, high - 1), (0, high - 1)], corners, strict=True
    ):
        rows += [[u, v, 1, 0, 0, 0, -u * x, -v * x], [0, 0, 0, u, v, 1, -u * y, -v * y]]
        right += [x, y]
    return np.append(np.linalg.solve(rows, right), 1.0)


def roi_perspective_transform(x, rois, transformed_height=1, transformed_width=1,
                              spatial_scale=1.0):  # fmt: skip
    count, (high, wide) = len(rois), x.shape[2:]
    out = np.zeros((count, x.shape[1], transformed_height, transformed_width), x.dtype)
    mask = np.zeros((count, 1, transformed_height, transformed_width), "int32")
    assert len(x) == 1
    for k, i, j in np.ndindex(count, transformed_height, transformed_width):
        corners = rois[k].reshape(4, 2) * spatial_scale
        matrix = projection(corners, transformed_height, transformed_width)
        px, py, below = matrix.reshape(3, 3) @ [j, i, 1]
        px, py = px / below, py / below
        met = [_edge_meets(px, py, corners[e], corners[(e + 1) % 4]) for e in range(4)]
        inside = any(on for on, _ in met) or sum(crossed for _, crossed in met) % 2
        if inside and -0.5 < px < wide - 0.5 and -0.5 < py < high - 0.5:
            mask[k, 0, i, j] = 1
            out[k, :, i, j] = _pixel(x[0], py, px)
    return out, mask, None


BINS = {"pooled_height": 3, "pooled_width": 2}
DEEP = {"X": f64(4, 12, 6, 5, key="deep"), "ROIs": ROIS, "RoisNum": COUNTS}
X = apart(4, 3, 6, 5, gap=0.03, key="image")
SMOOTH = {"X": X, "ROIs": ROIS[:3], "BatchRoINums": np.int32([2, 0, 0, 1])}
TURNED = [[1.2, 0.4, 3.9, 1.3, 3.3, 4.2, 0.3, 3.1], [2.0, 1.0, 4.0, 1.0, 4.0, 5.0, 2.0, 5.0],
          [-1.3, 2.2, 2.1, 1.7, 3.6, 4.4, 0.2, 5.9]]  # fmt: skip
QUADS = {"X": X[:1], "ROIs": np.array(TURNED)}
UPRIGHT = {"transformed_height": 4, "transformed_width": 5}

SAMPLES = [
    Sample("psroi_pool", DEEP, BINS | {"output_channels": 2}, psroi_pool, grad=["X"]),
    Sample("psroi_pool", DEEP, BINS | {"output_channels": 2, "spatial_scale": 0.37}, psroi_pool,
           grad=["X"], note="scaled"),
    Sample("psroi_pool", {"X": X[:1], "ROIs": ROIS}, {"output_channels": 3}, psroi_pool,
           grad=["X"], note="one_image"),
    Sample("prroi_pool", SMOOTH, BINS, prroi_pool, orders=1),
    Sample("prroi_pool", SMOOTH, BINS | {"spatial_scale": 0.37}, prroi_pool, orders=1,
           note="scaled"),
    Sample("prroi_pool", {"X": X[:1], "ROIs": ROIS}, {}, prroi_pool, grad=["X"],
           note="one_image"),
    Sample("roi_perspective_transform", QUADS, UPRIGHT, roi_perspective_transform, grad=["X"],
           rtol=1e-3, atol=1e-4),
    Sample("roi_perspective_transform", QUADS, UPRIGHT | {"spatial_scale": 0.6},
           roi_perspective_transform, grad=["X"], rtol=1e-3, atol=1e-4, note="scaled"),
]  # fmt: skip

ERRORS = [
    ErrorSample("psroi_pool", DEEP, BINS | {"output_channels": 3}, ValueError,
                r"pooled_width = 18 > 0, but received \[4, 12, 6, 5\]"),
    ErrorSample("psroi_pool", {"X": DEEP["X"], "ROIs": ROIS}, BINS | {"output_channels": 2},
                ValueError, "share 4 regions among 4 images, but received", ErrorSample.LEVELS),
    ErrorSample("prroi_pool", SMOOTH | {"BatchRoINums": COUNTS}, BINS, ValueError,
                "share 3 regions among 4 images, but received"),
    ErrorSample("prroi_pool", SMOOTH | {"ROIs": ROIS[:, :3]}, BINS, ValueError,
                r"ROIs \[count, 4\]"),
    ErrorSample("roi_perspective_transform", QUADS | {"ROIs": ROIS}, UPRIGHT, ValueError,
                r"ROIs \[count, 8\]"),
]  # fmt: skip
