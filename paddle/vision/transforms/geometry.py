"""Transforms that move pixels but keep the whole image: Resize, flips, Pad, RandomRotation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.vision.transforms import checks, draws, functional
from paddle.vision.transforms.base import BaseTransform


class Resize(BaseTransform):
    """Scale an image.

    Args:
        size (int|list|tuple): (height, width), or the length of the shorter side; then the other
            side keeps the proportions.
        interpolation (str): 'nearest', 'bilinear', 'bicubic' or 'lanczos'; for PIL images also
            'box' and 'hamming', for arrays and Tensors also 'area'. Default 'bilinear'.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `size` has the wrong type.
        ValueError: `size` is not positive; when called, `interpolation` is unknown.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.Resize(32)(np.ones((28, 28), "float32")).shape)  # (32, 32)
    """

    def __init__(
        self, size: Any, interpolation: str = "bilinear", keys: Sequence[str] | None = None
    ) -> None:
        super().__init__(keys)
        self.size = checks.resize_size("Resize", size)
        self.interpolation = interpolation

    def _apply_image(self, img: Any) -> Any:
        return functional.resize(img, self.size, self.interpolation)


class _RandomFlip(BaseTransform):
    """Decide once per call whether to flip."""

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.prob = checks.probability(type(self).__name__, prob)

    def _get_params(self, inputs: tuple) -> bool:
        return draws.source().random() < self.prob


class RandomHorizontalFlip(_RandomFlip):
    """Mirror an image left and right with a given probability.

    Args:
        prob (float): the probability, in [0, 1]. Default 0.5.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `prob` is not a number.
        ValueError: `prob` is not in [0, 1].

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.RandomHorizontalFlip(prob=1.0)(np.array([[1, 2, 3]])))  # [[3 2 1]]
    """

    def _apply_image(self, img: Any) -> Any:
        return functional.hflip(img) if self.params else img


class RandomVerticalFlip(_RandomFlip):
    """Mirror an image top and bottom with a given probability.

    Args:
        prob (float): the probability, in [0, 1]. Default 0.5.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `prob` is not a number.
        ValueError: `prob` is not in [0, 1].

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.RandomVerticalFlip(prob=1.0)(np.array([[1], [2]])))  # [[2] [1]]
    """

    def _apply_image(self, img: Any) -> Any:
        return functional.vflip(img) if self.params else img


class Pad(BaseTransform):
    """Add pixels around an image.

    Args:
        padding (int|list|tuple): how many: the same on all sides, (left and right, top and bottom),
            or (left, top, right, bottom).
        fill (number|list|tuple): the value for 'constant', or one value per channel. Default 0.
        padding_mode (str): 'constant', 'edge', 'reflect' or 'symmetric', see :func:`pad`.
            Default 'constant'.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `padding` has a wrong length or is negative, or `padding_mode` is unknown.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.Pad(2)(np.ones((4, 5), "uint8")).shape)  # (8, 9)
    """

    def __init__(
        self,
        padding: Any,
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        checks.padding("Pad", padding)
        self.padding = padding
        self.fill = checks.fill("Pad", fill)
        self.padding_mode = checks.padding_mode("Pad", padding_mode)

    def _apply_image(self, img: Any) -> Any:
        return functional.pad(img, self.padding, self.fill, self.padding_mode)


class RandomRotation(BaseTransform):
    """Turn an image by a random angle.

    Args:
        degrees (number|list|tuple): the range (min, max) of the angle, or a number `d` for (-d, d).
        interpolation (str): 'nearest', 'bilinear' or 'bicubic'. Default 'nearest'.
        expand (bool): enlarge the canvas to hold the whole turned image. Default False.
        center (list|tuple, optional): (x, y) of the point to turn around, from the upper left
            corner. Default None, the middle of the image.
        fill (number|list|tuple): the value outside of the image, or one per channel. Default 0.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `degrees` is a negative number or not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.RandomRotation((90, 90))(np.array([[1, 2], [3, 4]])))  # [[2 4] [1 3]]
    """

    def __init__(
        self,
        degrees: Any,
        interpolation: str = "nearest",
        expand: bool = False,
        center: Any = None,
        fill: Any = 0,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        if checks.is_number(degrees):
            checks.factor("RandomRotation", "degrees", degrees)
            degrees = (-degrees, degrees)
        self.degrees = checks.interval("RandomRotation", "degrees", degrees, -float("inf"))
        self.interpolation = interpolation
        self.expand = expand
        self.center = functional.checked_center("RandomRotation", center)
        self.fill = checks.fill("RandomRotation", fill)

    def _get_params(self, inputs: tuple) -> float:
        return draws.source().uniform(*self.degrees)

    def _apply_image(self, img: Any) -> Any:
        return functional.rotate(
            img, self.params, self.interpolation, self.expand, self.center, self.fill
        )
