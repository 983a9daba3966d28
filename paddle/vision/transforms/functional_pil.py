"""Transforms of PIL images, by Pillow's own operations."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from paddle.core.errors import InvalidArgumentError
from paddle.vision.transforms import checks

_RESAMPLING = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "box": Image.Resampling.BOX,
    "lanczos": Image.Resampling.LANCZOS,
    "hamming": Image.Resampling.HAMMING,
}
_ROTATE_METHODS = ("nearest", "bilinear", "bicubic")


def hflip(img: Image.Image) -> Image.Image:
    """Mirror left and right."""
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vflip(img: Image.Image) -> Image.Image:
    """Mirror top and bottom."""
    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def crop(img: Image.Image, top: int, left: int, height: int, width: int) -> Image.Image:
    """Cut a window out; what lies outside of the image is black."""
    return img.crop((left, top, left + width, top + height))


def resize(img: Image.Image, size: tuple[int, int], interpolation: str) -> Image.Image:
    """Scale to (height, width)."""
    method = checks.one_of("resize of a PIL image", "interpolation", interpolation, _RESAMPLING)
    return img.resize(size[::-1], _RESAMPLING[method])


def pad(
    img: Image.Image, sides: tuple[int, int, int, int], fill: Any, padding_mode: Any
) -> Image.Image:
    """Add (left, top, right, bottom) pixels."""
    if padding_mode == "constant":
        return ImageOps.expand(img, border=sides, fill=_fill_for(img, fill))
    left, top, right, bottom = sides
    palette = img.getpalette() if img.mode == "P" else None
    array = np.asarray(img)
    width = [(top, bottom), (left, right)] + [(0, 0)] * (array.ndim - 2)
    padded = Image.fromarray(np.pad(array, width, mode=padding_mode))
    if palette is not None:
        padded.putpalette(palette)
    return padded


def rotate(
    img: Image.Image, angle: float, interpolation: str, expand: bool, center: Any, fill: Any
) -> Image.Image:
    """Turn counter-clockwise by `angle` degrees."""
    name = "rotate of a PIL image"
    method = _RESAMPLING[checks.one_of(name, "interpolation", interpolation, _ROTATE_METHODS)]
    return img.rotate(angle, method, expand, center, fillcolor=_fill_for(img, fill))


def to_grayscale(img: Image.Image, num_output_channels: int) -> Image.Image:
    """Reduce to brightness, in one channel or three equal ones."""
    gray = img.convert("L")
    return gray if num_output_channels == 1 else Image.merge("RGB", (gray, gray, gray))


def adjust_brightness(img: Image.Image, factor: float) -> Image.Image:
    """Blend with black."""
    return ImageEnhance.Brightness(img).enhance(factor)


def adjust_contrast(img: Image.Image, factor: float) -> Image.Image:
    """Blend with the mean brightness."""
    return ImageEnhance.Contrast(img).enhance(factor)


def adjust_saturation(img: Image.Image, factor: float) -> Image.Image:
    """Blend with the gray image."""
    return ImageEnhance.Color(img).enhance(factor)


def adjust_hue(img: Image.Image, factor: float) -> Image.Image:
    """Turn the colour circle by `factor` of a full turn; images without colour stay."""
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turn = int(factor * 255) % 256
    hue = hue.point([(h + turn) % 256 for h in range(256)])
    return Image.merge("HSV", (hue, saturation, value)).convert(img.mode)


def _fill_for(img: Image.Image, fill: Any) -> Any:
    """Return a fill value in the form that Pillow wants for the image's channels."""
    channels = len(img.getbands())
    if isinstance(fill, str) or checks.is_number(fill):
        return fill if channels == 1 or isinstance(fill, str) else (fill,) * channels
    if len(fill) not in (1, channels):
        raise InvalidArgumentError(
            f"'fill' must be one number or one per channel, that is {channels} for an image of mode"
            f" {img.mode!r}, got {len(fill)}: {fill}."
        )
    if len(fill) == 1:
        return fill[0] if channels == 1 else fill * channels
    return fill
