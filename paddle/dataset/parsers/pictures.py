"""Decodes image files out of archives; says which one cannot be decoded."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from paddle.core.errors import InvalidArgumentError

__all__: list[str] = []


class UnreadableImageError(InvalidArgumentError, UnidentifiedImageError):
    """A file that is damaged or no image; Pillow's own errors of that are OSErrors, too."""

    def __init__(self, message: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint)


def opened(content: bytes, where: str, grey: bool = False) -> Any:
    """Decodes an image file to a PIL image.

    Args:
        content (bytes): the file.
        where (str): its name, for messages.
        grey (bool, optional): whether brightness will do, which JPEG files store on its own.

    Raises:
        ValueError: it is no image, or damaged.
    """
    with decoding(where):
        image = Image.open(io.BytesIO(content))
        if grey:
            image.draft("L", None)
        image.load()
        return image


@contextmanager
def decoding(where: str) -> Iterator[None]:
    """Turns what Pillow says of a damaged image file into an error that names it.

    Args:
        where (str): its name.
    """
    try:
        yield
    # Pillow's plugins raise these for damaged files, and its guard against huge ones the last.
    except (
        OSError, SyntaxError, ValueError, EOFError, struct.error, Image.DecompressionBombError,
    ) as error:  # fmt: skip
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the file cannot be opened
        raise UnreadableImageError(
            f"{where}: expected an image file, but decoding it says: {error}.",
            hint="replace the file, or leave it out (is_valid_file of DatasetFolder and "
            "ImageFolder)",
        ) from error


def as_array(content: bytes, where: str, is_color: bool) -> np.ndarray:
    """Decodes an image file to bytes [H, W, 3], blue first, or [H, W]; as OpenCV's imdecode does.

    It is turned the way that its EXIF data says; transparency is left out.

    Args:
        content (bytes): the file.
        where (str): its name, for messages.
        is_color (bool): which of the two.
    """
    image: Any = opened(content, where, grey=not is_color)
    with decoding(where):
        image = ImageOps.exif_transpose(image)
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
