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

_SIDE = 16


class PixelTable:
    """What a transform makes of each byte value of a one-channel image.

    Args:
        values (np.ndarray): the results for 0 to 255, flat.
        shape (tuple): shape of the result for a 16 x 16 image.
    """

    def __init__(self, values: np.ndarray, shape: tuple[int, ...]) -> None:
        self._values = values
        self._shape = shape

    def apply(self, frames: np.ndarray) -> np.ndarray:
        """Transforms frames ``[N, H, W]`` of bytes.

        Args:
            frames (np.ndarray): uint8 images.
        """
        height, width = frames.shape[1:]
        sides = iter((height, width))
        sizes = [next(sides) if size == _SIDE else size for size in self._shape]
        return np.take(self._values, frames).reshape(len(frames), *sizes)


def pixel_table(transform: Any, backend: str) -> PixelTable | None:
    """Returns the table of a transform, or None where pixels are not all it looks at.

    Args:
        transform (callable|None): None, ToTensor, Normalize or a Compose of these.
        backend (str): what images are before the transform, ``'pil'`` or ``'cv2'``.
    """
    if not _is_pixelwise(transform):
        return None
    bytes_in_order = np.arange(_SIDE * _SIDE, dtype=np.uint8).reshape(_SIDE, _SIDE)
    image: Any = bytes_in_order.astype(np.float32)
    if backend == "pil":
        from PIL import Image

        image = Image.fromarray(bytes_in_order)
    try:
        result = image if transform is None else transform(image)
    except Exception:
        return None  # a single sample shows the same error, with its own shape in it
    if isinstance(result, Tensor):
        result = result.numpy()
    elif not isinstance(result, np.ndarray):
        result = image_array(result)
    if result.shape not in ((1, _SIDE, _SIDE), (_SIDE, _SIDE, 1), (_SIDE, _SIDE)):
        return None
    return PixelTable(np.ascontiguousarray(result).ravel(), result.shape)


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
