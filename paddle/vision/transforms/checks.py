"""Checks of transform arguments: each returns a canonical value or says what was expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from PIL import Image

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor

_NUMBERS = (int, float)
_LISTS = (tuple, list)
PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def describe(value: Any) -> str:
    """Say what `value` is, for an error message."""
    if isinstance(value, np.ndarray):
        return f"numpy.ndarray of shape {list(value.shape)}"
    if isinstance(value, Tensor):
        return f"Tensor of shape {list(value.shape)}"
    return f"{type(value).__name__}: {value!r}"[:120]


def is_number(value: Any) -> bool:
    """Whether `value` is a real number and no bool."""
    # The types that come nearly always come first: an instance check of numbers is slow.
    return type(value) in _NUMBERS or (isinstance(value, Real) and not isinstance(value, bool))


def is_integer(value: Any) -> bool:
    """Whether `value` is an integer and no bool."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_sequence(value: Any) -> bool:
    """Whether `value` is a list or tuple or another sequence, but no text."""
    return type(value) in _LISTS or (
        isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
    )


def image(api: str, value: Any) -> Any:
    """Return `value` if it is an image: PIL, an array (H, W[, C]) or a Tensor (C, H, W)."""
    if isinstance(value, Image.Image):
        return value
    if isinstance(value, np.ndarray) and value.ndim in (2, 3):
        return value
    if isinstance(value, Tensor) and len(value.shape) == 3:
        return value
    if isinstance(value, (np.ndarray, Tensor)):
        raise TypeError(
            f"{api}: an image must be a PIL.Image, a numpy.ndarray with 2 or 3 dimensions (H, W, C)"
            f" or a Tensor with 3 dimensions (C, H, W), got a {describe(value)}."
        )
    raise TypeError(
        f"{api}: an image must be a PIL.Image, a numpy.ndarray or a Tensor, got {describe(value)}."
    )


def image_size(img: Any) -> tuple[int, int]:
    """Return (height, width) of an image."""
    if isinstance(img, Image.Image):
        return img.height, img.width
    if isinstance(img, Tensor):
        return img.shape[-2], img.shape[-1]
    return img.shape[0], img.shape[1]


def pair(api: str, argument: str, value: Any) -> tuple[int, int]:
    """Return (height, width) from an int or a sequence of two, all positive."""
    if is_integer(value):
        value = (value, value)
    if not is_sequence(value) or not all(is_integer(v) for v in value):
        raise TypeError(
            f"{api}: '{argument}' must be an int or a list or tuple of two ints (height, width), "
            f"got {describe(value)}."
        )
    if len(value) != 2 or min(value) <= 0:
        raise InvalidArgumentError(
            f"{api}: '{argument}' must be one positive int or two (height, width), got {value}."
        )
    return int(value[0]), int(value[1])


def resize_size(api: str, value: Any) -> int | tuple[int, int]:
    """Return a size for resizing: an int (the shorter side) or a pair (height, width)."""
    size = pair(api, "size", value)
    return size[0] if is_integer(value) else size


def probability(api: str, value: Any) -> float:
    """Return `value` if it is a number in [0, 1]."""
    if not is_number(value):
        raise TypeError(f"{api}: 'prob' must be a number in [0, 1], got {describe(value)}.")
    if not 0 <= value <= 1:
        raise InvalidArgumentError(f"{api}: 'prob' must be in [0, 1], got {value}.")
    return value


def padding(api: str, value: Any) -> tuple[int, int, int, int]:
    """Return (left, top, right, bottom) from an int, (horizontal, vertical) or all four."""
    sides = [value] if is_integer(value) else value
    if not is_sequence(sides) or not all(is_integer(v) for v in sides):
        raise TypeError(
            f"{api}: 'padding' must be an int or a list or tuple of 2 or 4 ints, got "
            f"{describe(value)}."
        )
    if len(sides) not in (2, 4) and not is_integer(value):
        raise InvalidArgumentError(
            f"{api}: 'padding' must be an int or have 2 elements (left and right, top and bottom) "
            f"or 4 (left, top, right, bottom), got {len(sides)} elements: {value}."
        )
    if min(sides) < 0:
        raise InvalidArgumentError(f"{api}: 'padding' must be >= 0, got {value}.", hint="use crop")
    left, top, right, bottom = (list(sides) * 4)[:4]
    return int(left), int(top), int(right), int(bottom)


def padding_mode(api: str, value: Any) -> str:
    """Return `value` if it is the name of a padding mode."""
    return one_of(api, "padding_mode", value, PADDING_MODES)


def one_of(api: str, argument: str, value: Any, known: Any) -> Any:
    """Return `value` if it is among `known`."""
    names = list(known)
    if not isinstance(value, str):
        raise TypeError(f"{api}: '{argument}' must be one of {names}, got {describe(value)}.")
    if value not in names:
        raise InvalidArgumentError(f"{api}: '{argument}' must be one of {names}, got {value!r}.")
    return value


def fill(api: str, value: Any) -> Any:
    """Return a fill value: a number, a tuple of one per channel, or a colour name (PIL)."""
    if is_number(value) or isinstance(value, str):
        return value
    if is_sequence(value) and all(is_number(v) for v in value):
        return tuple(value)
    raise TypeError(
        f"{api}: 'fill' must be a number or a list or tuple of one number per channel, got "
        f"{describe(value)}."
    )


def channel_fill(value: Any, channels: int) -> tuple[float, ...]:
    """Return one fill number per channel of an array or Tensor."""
    if isinstance(value, str):
        raise TypeError(
            f"'fill' must be a number or one number per channel for arrays and Tensors, got "
            f"{value!r}."
        )
    values = (value,) * channels if is_number(value) else tuple(value)
    if len(values) != channels:
        raise InvalidArgumentError(
            f"'fill' must be one number or one per channel, that is {channels}, got {len(values)}: "
            f"{value}."
        )
    return values


def factor(api: str, argument: str, value: Any, low: float = 0, high: float = math.inf) -> float:
    """Return `value` if it is a number in [low, high]."""
    if not is_number(value):
        raise TypeError(f"{api}: '{argument}' must be a number, got {describe(value)}.")
    if not low <= value <= high:
        bounds = f">= {low}" if high == math.inf else f"in [{low}, {high}]"
        raise InvalidArgumentError(f"{api}: '{argument}' must be {bounds}, got {value}.")
    return float(value)


def interval(
    api: str, argument: str, value: Any, low: float = 0, high: float = math.inf
) -> tuple[float, float]:
    """Return (min, max) from a sequence of two numbers within [low, high]."""
    if not is_sequence(value) or not all(is_number(v) for v in value):
        raise TypeError(
            f"{api}: '{argument}' must be a list or tuple of two numbers (min, max), got "
            f"{describe(value)}."
        )
    if len(value) != 2 or not low <= value[0] <= value[1] <= high:
        raise InvalidArgumentError(
            f"{api}: '{argument}' must be (min, max) with {low} <= min <= max"
            f"{'' if high == math.inf else f' <= {high}'}, got {value}."
        )
    return float(value[0]), float(value[1])
