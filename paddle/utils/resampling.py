"""Weights and positions of the pixels that make up a pixel of a resized or rotated image."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

# Names follow the 'cv2' family: no smoothing when shrinking, except by 'area'.
RESIZE_METHODS = ("nearest", "bilinear", "area", "bicubic", "lanczos")
ROTATE_METHODS = ("nearest", "bilinear", "bicubic")


def _cubic(t: np.ndarray) -> np.ndarray:
    """Weights of the four neighbours for offsets `t` in [0, 1): Keys' kernel with a = -0.75."""
    a = np.float32(-0.75)
    far = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    u = 1 - t
    beyond = ((a + 2) * u - (a + 3)) * u * u + 1
    return np.stack([far, near, beyond, 1 - far - near - beyond])


def _lanczos(t: np.ndarray) -> np.ndarray:
    """Weights of the eight neighbours for offsets `t`: sinc windowed by a wider sinc."""
    x = t[None] + np.arange(3, -5, -1)[:, None]
    weights = np.sinc(x) * np.sinc(x / 4)
    return weights / weights.sum(0)


def _linear(t: np.ndarray) -> np.ndarray:
    return np.stack([1 - t, t])


_KERNELS = {"bilinear": _linear, "bicubic": _cubic, "lanczos": _lanczos}


@lru_cache(maxsize=256)
def resize_taps(source: int, target: int, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Say which pixels along one axis make up each pixel of the resized axis.

    Args:
        source (int): pixels there are.
        target (int): pixels there will be.
        method (str): one of `RESIZE_METHODS`, or 'area-enlarged' (see :func:`resize_method`).

    Returns:
        tuple: positions, int (taps, target), and float32 weights of the same shape.
    """
    if method == "area":
        return _area_taps(source, target)
    if method == "area-enlarged":
        return _enlarged_taps(source, target)
    scale = _scale(source, target)
    steps = np.arange(target)
    if method == "nearest":
        near = np.minimum(np.floor(steps * scale).astype(np.int64), source - 1)
        return near[None], np.ones((1, target), np.float32)
    centre = ((steps + 0.5) * scale - 0.5).astype(np.float32)
    first = np.floor(centre)
    weights = _KERNELS[method](centre - first).astype(np.float32)
    taps = len(weights)
    offsets = np.arange(taps)[:, None] - (taps // 2 - 1)
    return np.clip(first.astype(np.int64) + offsets, 0, source - 1), weights


def _scale(source: int, target: int) -> float:
    """Return source pixels per target pixel, rounded the way cv2 does: it decides ties."""
    return 1 / (target / source)


def _area_taps(source: int, target: int) -> tuple[np.ndarray, np.ndarray]:
    """Average over the stretch of the source that a pixel covers."""
    edges = np.arange(target + 1) * _scale(source, target)
    start = np.floor(edges[:-1]).astype(np.int64)
    taps = math.ceil(source / target) + 1
    where = start[None] + np.arange(taps)[:, None]
    covered = np.minimum(where + 1, edges[1:]) - np.maximum(where, edges[:-1])
    covered = np.clip(covered, 0, None)
    return np.minimum(where, source - 1), (covered / covered.sum(0)).astype(np.float32)


def _enlarged_taps(source: int, target: int) -> tuple[np.ndarray, np.ndarray]:
    """Repeat pixels, with a linear transition where an edge falls into a new pixel."""
    steps = np.arange(target)
    first = np.floor(steps * _scale(source, target)).astype(np.int64)
    t = (steps + 1) - (first + 1) * (target / source)
    t = np.where(t <= 0, 0, t - np.floor(t)).astype(np.float32)
    return np.minimum(np.stack([first, first + 1]), source - 1), _linear(t)


def resize_method(source: tuple[int, int], target: tuple[int, int], method: str) -> str:
    """Return the method to use for both axes: 'area' averages only if neither axis grows."""
    grows = target[0] > source[0] or target[1] > source[1]
    return "area-enlarged" if method == "area" and grows else method


@lru_cache(maxsize=256)
def resize_matrix(source: int, target: int, method: str) -> np.ndarray:
    """Return the same weights as a float32 matrix (target, source)."""
    where, weights = resize_taps(source, target, method)
    matrix = np.zeros((target, source), np.float32)
    for position, weight in zip(where, weights):
        np.add.at(matrix, (np.arange(target), position), weight)
    return matrix


def rotation_size(height: int, width: int, angle: float) -> tuple[int, int]:
    """Return (height, width) of the smallest canvas that holds the image turned by `angle`."""
    if angle % 180 == 90:
        return width, height
    turn = math.radians(angle)
    cos, sin = round(math.cos(turn), 15), round(math.sin(turn), 15)
    xs = [x * cos + y * sin for x in (-width / 2, width / 2) for y in (-height / 2, height / 2)]
    ys = [y * cos - x * sin for x in (-width / 2, width / 2) for y in (-height / 2, height / 2)]
    out_width = math.ceil(max(xs) + width / 2) - math.floor(min(xs) + width / 2)
    return math.ceil(max(ys) + height / 2) - math.floor(min(ys) + height / 2), out_width


def rotation_taps(
    size: tuple[int, int],
    angle: float,
    method: str,
    expand: bool,
    center: tuple[float, float] | None,
) -> tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]:
    """Say which pixels make up each pixel of an image turned counter-clockwise by `angle` degrees.

    Args:
        size (tuple): (height, width) of the image.
        angle (float): degrees.
        method (str): one of `ROTATE_METHODS`.
        expand (bool): make the canvas large enough for the whole turned image.
        center (tuple, optional): (x, y) to turn around, from the upper left corner. Default None,
            the middle.

    Returns:
        tuple: the new size (height, width); flat positions, int (taps, pixels); float32 weights of
        the same shape; and, (pixels,), whether the pixel lies inside of the old image.
    """
    height, width = size
    out_height, out_width = rotation_size(height, width, angle) if expand else size
    turn = math.radians(angle)
    cos, sin = round(math.cos(turn), 15), round(math.sin(turn), 15)
    cx, cy = (width / 2, height / 2) if center is None else center
    # Distances of the new pixels' middles from the point that the old centre is drawn at.
    if expand:
        # The middle of the old image is drawn at the middle of the new one.
        mx, my = width / 2 - cx, height / 2 - cy
        at_x = out_width / 2 - (mx * cos + my * sin)
        at_y = out_height / 2 - (my * cos - mx * sin)
    else:
        at_x, at_y = cx, cy
    dx = (np.arange(out_width) + 0.5 - at_x)[None]
    dy = (np.arange(out_height) + 0.5 - at_y)[:, None]
    x = (dx * cos - dy * sin + cx).ravel()
    y = (dx * sin + dy * cos + cy).ravel()
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    where_x, weight_x = _point_taps(x, width, method)
    where_y, weight_y = _point_taps(y, height, method)
    where = where_y[:, None] * width + where_x[None]
    weight = weight_y[:, None] * weight_x[None]
    pixels = out_height * out_width
    weight = weight.reshape(-1, pixels).astype(np.float32)
    return (out_height, out_width), where.reshape(-1, pixels), weight, inside


def _point_taps(at: np.ndarray, limit: int, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Positions and weights along one axis of `limit` pixels for points `at`, edges repeated."""
    if method == "nearest":
        near = np.clip(np.floor(at), 0, limit - 1).astype(np.int64)
        return near[None], np.ones((1, at.size))
    first = np.floor(at - 0.5)
    weights = _KERNELS[method](at - 0.5 - first)
    taps = len(weights)
    offsets = np.arange(taps)[:, None] - (taps // 2 - 1)
    return np.clip(first.astype(np.int64) + offsets, 0, limit - 1), weights
