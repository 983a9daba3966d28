"""Decodes image files out of archives; says which one cannot be decoded."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError

__all__: list[str] = []


def opened(content: bytes, where: str, grey: bool = False) -> Any:
    """Decodes an image file to a PIL image.

    Args:
        content (bytes): the file.
        where (str): its name, for messages.
        grey (bool, optional): whether brightness will do, which JPEG files store on its own.

    Raises:
        ValueError: it is no image, or damaged.
    """
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(content))
        if grey:
            image.draft("L", None)
        image.load()
    # Pillow's plugins raise these for damaged files, and its guard against huge ones the last.
    except (
        OSError, SyntaxError, ValueError, EOFError, struct.error, Image.DecompressionBombError,
    ) as error:  # fmt: skip
        raise InvalidArgumentError(
            f"{where}: expected an image file, but decoding it says: {error}.",
            hint="replace the file, or leave it out",
        ) from error
    return image


def as_array(content: bytes, where: str, is_color: bool) -> np.ndarray:
    """Decodes an image file to bytes [H, W, 3], blue first, or [H, W]; as OpenCV's imdecode does.

    It is turned the way that its EXIF data says; transparency is left out.

    Args:
        content (bytes): the file.
        where (str): its name, for messages.
        is_color (bool): which of the two.
    """
    from PIL import ImageOps

    image = ImageOps.exif_transpose(opened(content, where, grey=not is_color))
    if image.mode.startswith("I"):  # 16 bits
        high = (np.asarray(image).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8)
        return np.repeat(high[..., None], 3, axis=2) if is_color else high
    if not is_color and image.mode in ("L", "LA", "1"):
        return np.array(image.convert("L"))
    colors = np.asarray(image.convert("RGB"))
    return np.ascontiguousarray(colors[..., ::-1]) if is_color else _brightness(colors)


def _brightness(colors: np.ndarray) -> np.ndarray:
    """Greys in the fixed-point arithmetic that OpenCV's decoders have."""
    weighted = colors.astype(np.uint32) @ np.array([9797, 19234, 3737], np.uint32)
    return (weighted >> 15).astype(np.uint8)
