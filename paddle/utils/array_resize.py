"""Scales images that are NumPy arrays (H, W) or (H, W, C), to the numbers that cv2 gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.utils import resampling

__all__: list[str] = []


def resize(img: np.ndarray, size: tuple[int, int], method: str) -> np.ndarray:
    """Scales an image.

    Args:
        img (np.ndarray): the image, (H, W) or (H, W, C).
        size (tuple): its new height and width.
        method (str): one of ``resampling.RESIZE_METHODS``.
    """
    if img.shape[:2] == size:
        return img.copy()
    if method == "nearest":
        rows, cols = (resampling.resize_taps(s, t, method)[0][0] for s, t in zip(img.shape, size))
        return np.ascontiguousarray(img[rows[:, None], cols])
    method = resampling.resize_method(img.shape[:2], size, method)
    rows, cols = (resampling.resize_taps(s, t, method) for s, t in zip(img.shape, size))
    if img.dtype == np.uint8 and len(rows[0]) == 2:
        return _resize_bytes(img, rows, cols)
    work = img.astype(np.result_type(img.dtype, np.float32))
    work = _combine(_combine(work, *cols, axis=1), *rows, axis=0)
    return as_dtype(work, img.dtype)


def _resize_bytes(img: np.ndarray, rows: tuple, cols: tuple) -> np.ndarray:
    """Interpolates linearly between bytes in the fixed-point arithmetic of cv2, to the last bit."""
    (where_y, weight_y), (where_x, weight_x) = rows, cols
    weight_y, weight_x = (np.rint(w * 2048).astype(np.int32) for w in (weight_y, weight_x))
    lines = _combine(img.astype(np.int32), where_x, weight_x, axis=1) >> 4
    weight_y = weight_y.reshape(2, -1, *[1] * (img.ndim - 1))
    upper, lower = (lines[at] * weight >> 16 for at, weight in zip(where_y, weight_y))
    return (upper + lower + 2 >> 2).astype(np.uint8)


def _combine(work: np.ndarray, where: np.ndarray, weights: np.ndarray, axis: int) -> np.ndarray:
    """Sums the pixels at ``where`` along ``axis``, weighted."""
    shape = [1] * work.ndim
    shape[axis] = -1
    total: Any = 0
    for position, weight in zip(where, weights):
        total = total + work.take(position, axis) * weight.reshape(shape)
    return total


def as_dtype(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts floating results to the dtype of the input, rounding and saturating integers."""
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
    return values.astype(dtype, copy=False)
