"""Transforms of Tensor images (C, H, W), written with the framework's own operators.

They run where the Tensor lives and let gradients through. Floating images hold values in [0, 1],
as `to_tensor` makes them; the colour transforms cut their results to that range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.utils import resampling
from paddle.vision.transforms import checks, color_formulas

_FLOATING = (VarType.FP16, VarType.BF16, VarType.FP32, VarType.FP64)


def hflip(img: Tensor) -> Tensor:
    """Mirror left and right."""
    return tensor.flip(img, axis=[2])


def vflip(img: Tensor) -> Tensor:
    """Mirror top and bottom."""
    return tensor.flip(img, axis=[1])


def crop(img: Tensor, top: int, left: int, height: int, width: int) -> Tensor:
    """Cut a window out; what lies outside of the image is zero."""
    rows, cols = img.shape[1:]
    if top >= 0 and left >= 0 and top + height <= rows and left + width <= cols:
        return img[:, top : top + height, left : left + width]
    return _select(img, np.arange(top, top + height), np.arange(left, left + width), 0)


def _select(img: Tensor, rows: np.ndarray, cols: np.ndarray, fill: Any) -> Tensor:
    """Take `rows` and `cols` of an image; `fill` where they lie outside of it."""
    height, width = img.shape[1:]
    picked = _take(img, np.clip(rows, 0, height - 1), axis=1)
    picked = _take(picked, np.clip(cols, 0, width - 1), axis=2)
    inside = ((rows >= 0) & (rows < height))[:, None] & ((cols >= 0) & (cols < width))
    return picked if inside.all() else _fill_outside(picked, inside, fill)


def _fill_outside(img: Tensor, inside: np.ndarray, fill: Any) -> Tensor:
    """Put `fill` where the mask `inside` (H, W) is false."""
    values = np.asarray(checks.channel_fill(fill, img.shape[0])).reshape(-1, 1, 1)
    shape = tuple(img.shape)
    mask = tensor.to_tensor(np.broadcast_to(inside, shape).copy(), place=img.place)
    return tensor.where(mask, img, _beside(img, np.broadcast_to(values, shape).copy()))


def _take(img: Tensor, positions: np.ndarray, axis: int) -> Tensor:
    return tensor.index_select(img, tensor.to_tensor(positions, place=img.place), axis=axis)


def _beside(img: Tensor, values: np.ndarray) -> Tensor:
    """Make a Tensor of the dtype of `img`, on its device."""
    return tensor.cast(tensor.to_tensor(values, place=img.place), img.dtype)


def pad(img: Tensor, sides: tuple[int, int, int, int], fill: Any, padding_mode: Any) -> Tensor:
    """Add (left, top, right, bottom) pixels."""
    left, top, right, bottom = sides
    height, width = img.shape[1:]
    if padding_mode == "constant":
        rows, cols = np.arange(-top, height + bottom), np.arange(-left, width + right)
    else:
        rows = np.pad(np.arange(height), (top, bottom), mode=padding_mode)
        cols = np.pad(np.arange(width), (left, right), mode=padding_mode)
    return _select(img, rows, cols, fill)


def resize(img: Tensor, size: tuple[int, int], interpolation: str) -> Tensor:
    """Scale to (height, width)."""
    name = "resize of a Tensor"
    method = checks.one_of(name, "interpolation", interpolation, resampling.RESIZE_METHODS)
    old = (img.shape[1], img.shape[2])
    if method == "nearest":
        rows, cols = (resampling.resize_taps(s, t, method)[0][0] for s, t in zip(old, size))
        return _select(img, rows, cols, 0)
    method = resampling.resize_method(old, size, method)
    work = _floating(img)
    down, across = (
        _beside(work, resampling.resize_matrix(s, t, method)) for s, t in zip(old, size)
    )
    scaled = tensor.matmul(tensor.matmul(down, work), across, transpose_y=True)
    return _like(scaled, img)


def rotate(
    img: Tensor, angle: float, interpolation: str, expand: bool, center: Any, fill: Any
) -> Tensor:
    """Turn counter-clockwise by `angle` degrees."""
    name = "rotate of a Tensor"
    method = checks.one_of(name, "interpolation", interpolation, resampling.ROTATE_METHODS)
    channels, height, width = img.shape
    size, where, weights, inside = resampling.rotation_taps(
        (height, width), angle, method, expand, center
    )
    pixels = tensor.reshape(img if method == "nearest" else _floating(img), [channels, -1])
    turned: Any = 0
    for position, weight in zip(where, weights):
        taken = _take(pixels, position, axis=1)
        if method == "nearest":
            turned = taken
        else:
            turned = taken * _beside(taken, weight) + turned
    turned = tensor.reshape(_like(turned, img), [channels, *size])
    return _fill_outside(turned, inside.reshape(size), fill)


def transpose(img: Tensor, order: list[int]) -> Tensor:
    """Reorder the dimensions."""
    return tensor.transpose(img, order)


def to_grayscale(img: Tensor, num_output_channels: int) -> Tensor:
    """Reduce to brightness, in one channel or three equal ones."""
    gray = img
    if _channels(img, "to_grayscale") == 3:
        gray = _like(color_formulas.brightness_of(*_split(_floating(img))), img)
    return gray if num_output_channels == 1 else tensor.concat([gray, gray, gray], axis=0)


def adjust_brightness(img: Tensor, factor: float) -> Tensor:
    """Multiply by `factor`."""
    return _in_range(_floating(img) * factor, img)


def adjust_contrast(img: Tensor, factor: float) -> Tensor:
    """Stretch the distances from the mean brightness by `factor`."""
    work = _floating(img)
    gray = work
    if _channels(img, "adjust_contrast") == 3:
        gray = color_formulas.brightness_of(*_split(work))
    return _in_range(work * factor + tensor.mean(gray) * (1 - factor), img)


def adjust_saturation(img: Tensor, factor: float) -> Tensor:
    """Blend with the gray image; images without colour stay."""
    if _channels(img, "adjust_saturation") == 1:
        return img
    work = _floating(img)
    gray = color_formulas.brightness_of(*_split(work))
    return _in_range(work * factor + gray * (1 - factor), img)


def adjust_hue(img: Tensor, factor: float) -> Tensor:
    """Turn the colour circle by `factor` of a full turn; images without colour stay."""
    if _channels(img, "adjust_hue") == 1:
        return img
    red, green, blue = _split(_floating(img))
    channels = color_formulas.turn_hue(tensor, red, green, blue, factor)
    return _in_range(tensor.concat(channels, axis=0), img)


def normalize(
    img: Tensor, mean: np.ndarray, std: np.ndarray, channel_axis: int, to_rgb: bool
) -> Tensor:
    """Subtract the mean and divide by the standard deviation of each channel."""
    work = _floating(img)
    if to_rgb:
        work = tensor.flip(work, axis=[channel_axis])
    return (work - _beside(work, mean)) / _beside(work, std)


def _channels(img: Tensor, api: str) -> int:
    """Return 1 or 3; refuse images with another number of channels."""
    channels = img.shape[0]
    if channels not in (1, 3):
        raise InvalidArgumentError(
            f"{api}: a Tensor image must have 1 or 3 channels in dimension 0, got shape "
            f"{list(img.shape)}."
        )
    return channels


def _split(img: Tensor) -> list[Tensor]:
    """Return red, green and blue, each of shape (1, H, W)."""
    return [img[i : i + 1] for i in range(3)]


def _is_floating(img: Tensor) -> bool:
    return img.dtype in _FLOATING


def _floating(img: Tensor) -> Tensor:
    return img if _is_floating(img) else tensor.cast(img, "float32")


def _in_range(values: Tensor, img: Tensor) -> Tensor:
    """Cut colours to what the dtype of `img` shows, and convert them to it."""
    if _is_floating(img):
        return tensor.clip(values, 0.0, 1.0)
    return tensor.cast(tensor.floor(tensor.clip(values, 0.0, 255.0)), img.dtype)


def _like(values: Tensor, img: Tensor) -> Tensor:
    """Convert floating results to the dtype of `img`, rounding and saturating integers."""
    if _is_floating(img) or values.dtype == img.dtype:
        return values
    return tensor.cast(tensor.round(tensor.clip(values, 0.0, 255.0)), img.dtype)
