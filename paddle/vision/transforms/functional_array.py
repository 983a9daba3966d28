"""Transforms of NumPy images (H, W) or (H, W, C), as the 'cv2' backend does them."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.utils import array_resize, resampling
from paddle.utils.array_resize import as_dtype
from paddle.vision.transforms import checks, color_formulas


def hflip(img: np.ndarray) -> np.ndarray:
    """Mirror left and right."""
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img: np.ndarray) -> np.ndarray:
    """Mirror top and bottom."""
    return np.ascontiguousarray(img[::-1])


def crop(img: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Cut a window out; what lies outside of the image is zero."""
    window = img[max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)]
    if window.shape[:2] == (height, width):
        return np.ascontiguousarray(window)
    out = np.zeros((height, width, *img.shape[2:]), img.dtype)
    if window.size:
        y, x = max(-top, 0), max(-left, 0)
        out[y : y + window.shape[0], x : x + window.shape[1]] = window
    return out


def resize(img: np.ndarray, size: tuple[int, int], interpolation: str) -> np.ndarray:
    """Scale to (height, width)."""
    name = "resize of a numpy.ndarray"
    method = checks.one_of(name, "interpolation", interpolation, resampling.RESIZE_METHODS)
    return array_resize.resize(img, size, method)


def pad(
    img: np.ndarray, sides: tuple[int, int, int, int], fill: Any, padding_mode: Any
) -> np.ndarray:
    """Add (left, top, right, bottom) pixels."""
    left, top, right, bottom = sides
    if padding_mode != "constant":
        width = [(top, bottom), (left, right)] + [(0, 0)] * (img.ndim - 2)
        return np.pad(img, width, mode=padding_mode)
    rows, cols = img.shape[:2]
    shape = (rows + top + bottom, cols + left + right, *img.shape[2:])
    out = np.empty(shape, img.dtype)
    out[...] = _fill_for(img, fill)
    out[top : top + rows, left : left + cols] = img
    return out


def _fill_for(img: np.ndarray, fill: Any) -> np.ndarray:
    """Return the fill value as an array that broadcasts over the pixels."""
    if img.ndim == 3 or checks.is_number(fill):
        return np.asarray(checks.channel_fill(fill, img.shape[2] if img.ndim == 3 else 1))
    return np.asarray(checks.channel_fill(fill, 1))[0]


def rotate(
    img: np.ndarray, angle: float, interpolation: str, expand: bool, center: Any, fill: Any
) -> np.ndarray:
    """Turn counter-clockwise by `angle` degrees."""
    name = "rotate of a numpy.ndarray"
    method = checks.one_of(name, "interpolation", interpolation, resampling.ROTATE_METHODS)
    size, where, weights, inside = resampling.rotation_taps(
        img.shape[:2], angle, method, expand, center
    )
    pixels = img.reshape(img.shape[0] * img.shape[1], -1)
    if method == "nearest":
        turned = pixels[where[0]]
    else:
        turned = as_dtype(_combine_points(pixels, where, weights), img.dtype)
    turned[~inside] = np.asarray(checks.channel_fill(fill, pixels.shape[1]))
    return turned.reshape(*size, *img.shape[2:])


def _combine_points(pixels: np.ndarray, where: np.ndarray, weights: np.ndarray) -> np.ndarray:
    work = pixels.astype(np.result_type(pixels.dtype, np.float32))
    total: Any = 0
    for position, weight in zip(where, weights):
        total = total + work[position] * weight[:, None]
    return total


def to_grayscale(img: np.ndarray, num_output_channels: int) -> np.ndarray:
    """Reduce to brightness, in one channel or three equal ones."""
    gray = img if _channels(img, "to_grayscale") == 1 else _gray(img)
    gray = gray.reshape(*img.shape[:2], 1)
    return np.repeat(gray, 3, axis=2) if num_output_channels == 3 else gray


def _channels(img: np.ndarray, api: str) -> int:
    """Return 1 or 3; refuse images with another number of channels."""
    channels = img.shape[2] if img.ndim == 3 else 1
    if channels not in (1, 3):
        raise InvalidArgumentError(
            f"{api}: a numpy.ndarray image must have 1 or 3 channels, got shape {list(img.shape)}."
        )
    return channels


def _gray(img: np.ndarray) -> np.ndarray:
    """Return the brightness (H, W) of an image (H, W, 3) in its own dtype."""
    if img.dtype == np.uint8:
        # The weights in 1/32768, as cv2 has them; the sum rounds to nearest.
        weighted = img.astype(np.uint32) @ np.array([9798, 19235, 3735], np.uint32)
        return ((weighted + 16384) >> 15).astype(np.uint8)
    red, green, blue = np.moveaxis(img.astype(np.result_type(img.dtype, np.float32)), 2, 0)
    return as_dtype(color_formulas.brightness_of(red, green, blue), img.dtype)


def adjust_brightness(img: np.ndarray, factor: float) -> np.ndarray:
    """Multiply by `factor`."""
    if img.dtype == np.uint8:
        return _table(np.arange(256) * factor)[img]
    return as_dtype(img * np.asarray(factor, np.result_type(img.dtype, np.float32)), img.dtype)


def adjust_contrast(img: np.ndarray, factor: float) -> np.ndarray:
    """Stretch the distances from the mean brightness by `factor`."""
    gray = img if _channels(img, "adjust_contrast") == 1 else _gray(img)
    if img.dtype == np.uint8:
        mean = round(float(gray.mean()))
        return _table((np.arange(256) - mean) * factor + mean)[img]
    mean = gray.mean(dtype=np.float64)
    return as_dtype(
        ((img - mean) * factor + mean).astype(np.result_type(img, np.float32)), img.dtype
    )


def adjust_saturation(img: np.ndarray, factor: float) -> np.ndarray:
    """Blend with the gray image; images without colour stay."""
    if _channels(img, "adjust_saturation") == 1:
        return img.copy()
    work = img.astype(np.result_type(img.dtype, np.float32))
    gray = _gray(img)[..., None].astype(work.dtype)
    return as_dtype(work * work.dtype.type(factor) + gray * work.dtype.type(1 - factor), img.dtype)


def adjust_hue(img: np.ndarray, factor: float) -> np.ndarray:
    """Turn the colour circle by `factor` of a full turn; images without colour stay."""
    if _channels(img, "adjust_hue") == 1:
        return img.copy()
    work = np.moveaxis(img.astype(np.result_type(img.dtype, np.float32)), 2, 0)
    red, green, blue = work
    turned = color_formulas.turn_hue(np, red, green, blue, factor)
    return as_dtype(np.stack(turned, axis=2), img.dtype)


def _table(values: np.ndarray) -> np.ndarray:
    """Return a table of 256 entries: cut to 0..255, fractions dropped."""
    return np.clip(values, 0, 255).astype(np.uint8)
