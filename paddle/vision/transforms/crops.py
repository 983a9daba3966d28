"""Transforms that cut a window out of an image: CenterCrop, RandomCrop, RandomResizedCrop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.random import numpy_rng
from paddle.vision.transforms import checks, draws, functional
from paddle.vision.transforms.base import BaseTransform


class CenterCrop(BaseTransform):
    """Cut the middle out of an image.

    Args:
        size (int|list|tuple): (height, width), or one length for both.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `size` has the wrong type.
        ValueError: `size` is not positive.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.CenterCrop(24)(np.zeros((30, 40, 3), "uint8")).shape)  # (24, 24, 3)
    """

    def __init__(self, size: Any, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.size = checks.pair("CenterCrop", "size", size)

    def _apply_image(self, img: Any) -> Any:
        return functional.center_crop(img, self.size)


class RandomCrop(BaseTransform):
    """Cut a window out of an image at a random place.

    Args:
        size (int|list|tuple): (height, width) of the window, or one length for both.
        padding (int|list|tuple, optional): pixels to add around the image first, see :func:`pad`.
            Default None, none.
        pad_if_needed (bool): where the image is smaller than the window, add what it lacks, on both
            sides. Default False.
        fill (number|list|tuple): the value of added pixels, or one per channel. Default 0.
        padding_mode (str): 'constant', 'edge', 'reflect' or 'symmetric'. Default 'constant'.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `size` is not positive, `padding` has a wrong length; when called, the image is
            smaller than the window and `pad_if_needed` is not set.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.RandomCrop(32, padding=4)(np.zeros((32, 32, 3), "uint8")).shape)  # (32, 32, 3)
    """

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.size = checks.pair("RandomCrop", "size", size)
        if padding is not None:
            checks.padding("RandomCrop", padding)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = checks.fill("RandomCrop", fill)
        self.padding_mode = checks.padding_mode("RandomCrop", padding_mode)

    def _get_params(self, inputs: tuple) -> tuple[list[tuple], tuple[int, int]]:
        """Return the paddings to make, one after the other, and where to cut."""
        rows, cols = checks.image_size(self._image_of(inputs))
        height, width = self.size
        paddings = []
        if self.padding is not None:
            paddings.append(checks.padding("RandomCrop", self.padding))
        if self.pad_if_needed:
            lacks_x = max(width - cols - sum(p[0] + p[2] for p in paddings), 0)
            paddings.append((lacks_x, 0, lacks_x, 0))
            lacks_y = max(height - rows - sum(p[1] + p[3] for p in paddings), 0)
            paddings.append((0, lacks_y, 0, lacks_y))
        rows += sum(p[1] + p[3] for p in paddings)
        cols += sum(p[0] + p[2] for p in paddings)
        if (rows, cols) == (height, width):
            return paddings, (0, 0)
        if rows < height or cols < width:
            raise InvalidArgumentError(
                f"RandomCrop: the image must be at least as large as the window {self.size} "
                f"(height, width), got {(rows, cols)} including padding.",
                hint="set pad_if_needed=True",
            )
        draw = draws.source()
        return paddings, (draw.randint(0, rows - height), draw.randint(0, cols - width))

    def _apply_image(self, img: Any) -> Any:
        paddings, (top, left) = self.params
        for sides in paddings:
            if any(sides):
                img = functional.pad(img, sides, self.fill, self.padding_mode)
        if checks.image_size(img) == self.size:
            return img
        return functional.crop(img, top, left, *self.size)


class RandomResizedCrop(BaseTransform):
    """Cut a window of random size and proportions out of an image and scale it.

    Args:
        size (int|list|tuple): (height, width) of the result, or one length for both.
        scale (list|tuple): range of the window's area as a part of the image. Default (0.08, 1.0).
        ratio (list|tuple): range of the window's width / height. Default (3/4, 4/3).
        interpolation (str): how to scale, see :func:`resize`. Default 'bilinear'.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `size` is not positive, or a range is not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            crop = T.RandomResizedCrop(16)
            print(crop(np.zeros((30, 40, 3), "uint8")).shape)  # (16, 16, 3)
    """

    def __init__(
        self,
        size: Any,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
        interpolation: str = "bilinear",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.size = checks.pair("RandomResizedCrop", "size", size)
        self.scale = checks.interval("RandomResizedCrop", "scale", scale)
        self.ratio = checks.interval("RandomResizedCrop", "ratio", ratio)
        if self.ratio[0] <= 0:
            raise InvalidArgumentError(f"RandomResizedCrop: 'ratio' must be > 0, got {ratio}.")
        self.interpolation = interpolation

    def _get_params(self, inputs: tuple) -> tuple[int, int, int, int]:
        """Return top, left, height and width of the window."""
        rows, cols = checks.image_size(self._image_of(inputs))
        draw, areas = draws.source(), numpy_rng()
        low, high = math.log(self.ratio[0]), math.log(self.ratio[1])
        for _ in range(10):
            area = areas.uniform(*self.scale) * rows * cols
            shape = math.exp(areas.uniform(low, high))
            width = round(math.sqrt(area * shape))
            height = round(math.sqrt(area / shape))
            if 0 < width <= cols and 0 < height <= rows:
                return draw.randint(0, rows - height), draw.randint(0, cols - width), height, width
        return self._middle(rows, cols)

    def _middle(self, rows: int, cols: int) -> tuple[int, int, int, int]:
        """The largest window in the middle that keeps to `ratio`."""
        low, high = self.ratio
        height, width = rows, cols
        if cols / rows < low:
            height = max(round(cols / low), 1)
        elif cols / rows > high:
            width = max(round(rows * high), 1)
        return (rows - height) // 2, (cols - width) // 2, height, width

    def _apply_image(self, img: Any) -> Any:
        window = functional.crop(img, *self.params)
        return functional.resize(window, self.size, self.interpolation)
