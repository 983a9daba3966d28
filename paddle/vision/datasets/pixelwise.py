"""Finds out whether a transform maps single pixels, and then applies it to whole batches at once.

Converting 64 digits one by one takes longer than a small network needs to learn from them. ToTensor
and Normalize treat every pixel of a one-channel image alike, so a table of what they make of the
256 byte values says it all, and gives the same numbers to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.tensor import Tensor
from paddle.io.dataloader.collate import image_array

_SHAPES = ((16, 16), (8, 32))


class PixelTable:
    """What a transform makes of each byte value of a one-channel image.

    Args:
        values (np.ndarray): the results for 0 to 255, flat.
        before (int): dimensions of size 1 that the result has before height and width.
        after (int): such dimensions after them.
    """

    def __init__(self, values: np.ndarray, before: int, after: int) -> None:
        self._values = values
        self._before = (1,) * before
        self._after = (1,) * after

    def apply(self, frames: np.ndarray) -> np.ndarray:
        """Transforms frames ``[N, H, W]`` of bytes.

        Args:
            frames (np.ndarray): uint8 images.
        """
        count, *sides = frames.shape
        made = np.take(self._values, frames)
        return made.reshape(count, *self._before, *sides, *self._after)


def pixel_table(transform: Any, backend: str) -> PixelTable | None:
    """Returns the table of a transform, or None where pixels are not all it looks at.

    Args:
        transform (callable|None): None, ToTensor, Normalize or a Compose of these.
        backend (str): what images are before the transform, ``'pil'`` or ``'cv2'``.
    """
    if not _is_pixelwise(transform):
        return None
    tables = []
    for shape in _SHAPES:
        try:
            result = _transformed(transform, backend, shape)
        except Exception:
            return None  # a single sample shows the same error, with its own shape in it
        axes = {(1, *shape): (1, 0), (*shape, 1): (0, 1), shape: (0, 0)}.get(result.shape)
        if axes is None:
            return None
        tables.append((result.ravel(), axes))
    (values, axes), (again, other_axes) = tables
    # A mean per column would look right for one shape, but not for two.
    if axes != other_axes or not np.array_equal(values, again, equal_nan=True):
        return None
    return PixelTable(values, *axes)


def _transformed(transform: Any, backend: str, shape: tuple[int, int]) -> np.ndarray:
    """Applies a transform to an image of all byte values, in order."""
    frame = np.arange(256, dtype=np.uint8).reshape(shape)
    image: Any = frame.astype(np.float32)
    if backend == "pil":
        from PIL import Image

        image = Image.fromarray(frame)
    result = image if transform is None else transform(image)
    if isinstance(result, (Tensor, np.ndarray)):
        return np.asarray(result)
    return image_array(result)


def _is_pixelwise(transform: Any) -> bool:
    if transform is None:
        return True
    if not type(transform).__module__.startswith("paddle.vision.transforms"):
        return False
    from paddle.vision.transforms import Compose, Normalize, ToTensor

    if type(transform) is Compose:
        return all(step is not None and _is_pixelwise(step) for step in transform.transforms)
    # Exactly these: a subclass may do anything.
    return type(transform) in (ToTensor, Normalize) and tuple(transform.keys) == ("image",)
