"""Transforms that change colours at random: brightness, contrast, saturation, hue, ColorJitter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.vision.transforms import checks, draws, functional
from paddle.vision.transforms.base import BaseTransform


def _factors(api: str, argument: str, value: Any) -> tuple[float, float] | None:
    """Return the range of a factor around 1, or None if it can only be 1."""
    if checks.is_number(value):
        value = checks.factor(api, argument, value)
        value = (max(0.0, 1 - value), 1 + value)
    low, high = checks.interval(api, argument, value)
    return None if low == high == 1 else (low, high)


def _turns(api: str, argument: str, value: Any) -> tuple[float, float] | None:
    """Return the range of a turn of the colour circle, or None if it can only be 0."""
    if checks.is_number(value):
        value = checks.factor(api, argument, value, 0, 0.5)
        value = (-value, value)
    low, high = checks.interval(api, argument, value, -0.5, 0.5)
    return None if low == high == 0 else (low, high)


class _RandomFactor(BaseTransform):
    """Draw one number per call from ``self.value`` and adjust the image by it."""

    _argument: str
    _range: Callable[[str, str, Any], tuple[float, float] | None] = staticmethod(_factors)
    _adjust: Callable[[Any, float], Any]

    def __init__(self, value: Any, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.value = self._range(type(self).__name__, self._argument, value)

    def _get_params(self, inputs: tuple) -> float | None:
        return None if self.value is None else draws.source().uniform(*self.value)

    def _apply_image(self, img: Any) -> Any:
        if self.params is None:
            return checks.image(type(self).__name__, img)
        return type(self)._adjust(img, self.params)


class BrightnessTransform(_RandomFactor):
    """Multiply an image by a random factor.

    Args:
        value (number|list|tuple): the range (min, max) of the factor, or a number `v` for
            (max(0, 1 - v), 1 + v).
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `value` is not a number or a list or tuple of numbers.
        ValueError: `value` is negative or not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.BrightnessTransform((2, 2))(np.array([[10, 200]], "uint8")))  # [[20 255]]
    """

    _argument = "value"
    _adjust = staticmethod(functional.adjust_brightness)


class ContrastTransform(_RandomFactor):
    """Stretch the distances from an image's mean brightness by a random factor.

    Args:
        value (number|list|tuple): the range (min, max) of the factor, or a number `v` for
            (max(0, 1 - v), 1 + v).
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `value` is not a number or a list or tuple of numbers.
        ValueError: `value` is negative or not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.ContrastTransform((0, 0))(np.array([[100, 200]], "uint8")))  # [[150 150]]
    """

    _argument = "value"
    _adjust = staticmethod(functional.adjust_contrast)


class SaturationTransform(_RandomFactor):
    """Blend an image with its gray version by a random factor.

    Args:
        value (number|list|tuple): the range (min, max) of the factor, or a number `v` for
            (max(0, 1 - v), 1 + v).
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `value` is not a number or a list or tuple of numbers.
        ValueError: `value` is negative or not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            red = np.array([[[255, 0, 0]]], "uint8")
            print(T.SaturationTransform((0, 0))(red))  # [[[76 76 76]]]
    """

    _argument = "value"
    _adjust = staticmethod(functional.adjust_saturation)


class HueTransform(_RandomFactor):
    """Turn the colour circle of an image by a random part of a full turn.

    Args:
        value (number|list|tuple): the range (min, max) within [-0.5, 0.5], or a number `v` in
            [0, 0.5] for (-v, v).
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `value` is not a number or a list or tuple of numbers.
        ValueError: `value` is out of range or not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            red = np.array([[[255, 0, 0]]], "uint8")
            print(T.HueTransform((0.5, 0.5))(red))  # [[[0 255 255]]]
    """

    _argument = "value"
    _range = staticmethod(_turns)
    _adjust = staticmethod(functional.adjust_hue)


class ColorJitter(BaseTransform):
    """Change brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness (number|list|tuple): see :class:`BrightnessTransform`. Default 0, no change.
        contrast (number|list|tuple): see :class:`ContrastTransform`. Default 0, no change.
        saturation (number|list|tuple): see :class:`SaturationTransform`. Default 0, no change.
        hue (number|list|tuple): see :class:`HueTransform`. Default 0, no change.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: an argument is not a number or a list or tuple of numbers.
        ValueError: an argument is out of range or not (min, max).

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            jitter = T.ColorJitter(brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1)
            print(jitter(np.zeros((20, 30, 3), "uint8")).shape)  # (20, 30, 3)
    """

    def __init__(
        self,
        brightness: Any = 0,
        contrast: Any = 0,
        saturation: Any = 0,
        hue: Any = 0,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.hue = hue
        self._steps = [
            BrightnessTransform(brightness),
            ContrastTransform(contrast),
            SaturationTransform(saturation),
            HueTransform(hue),
        ]

    def _get_params(self, inputs: tuple) -> list[tuple[_RandomFactor, float | None]]:
        """Return the steps in the order to take, each with its random number."""
        steps = list(self._steps)
        draws.source().shuffle(steps)
        return [(step, step._get_params(inputs)) for step in steps]

    def _apply_image(self, img: Any) -> Any:
        checks.image("ColorJitter", img)
        for step, factor in self.params:
            if factor is not None:
                img = type(step)._adjust(img, factor)
        return img
