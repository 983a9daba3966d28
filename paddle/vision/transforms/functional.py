"""Transforms as functions: each checks its arguments and calls the code for the image's type."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.vision.transforms import (
    checks,
    functional_array,
    functional_pil,
    functional_tensor,
)
from paddle.vision.transforms.to_numbers import normalize, to_tensor

__all__ = [
    "to_tensor",
    "hflip",
    "vflip",
    "resize",
    "pad",
    "rotate",
    "to_grayscale",
    "crop",
    "center_crop",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "normalize",
]


def code_for(api: str, img: Any) -> Any:
    """Return the module that transforms images of this type."""
    if isinstance(img, Image.Image):
        return functional_pil
    checks.image(api, img)
    return functional_array if isinstance(img, np.ndarray) else functional_tensor


def hflip(img: Any) -> Any:
    """Mirror an image left and right.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.

    Returns:
        The mirrored image, of the same type.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.hflip(np.array([[1, 2], [3, 4]])))  # [[2 1] [4 3]]
    """
    return code_for("hflip", img).hflip(img)


def vflip(img: Any) -> Any:
    """Mirror an image top and bottom.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.

    Returns:
        The mirrored image, of the same type.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.vflip(np.array([[1, 2], [3, 4]])))  # [[3 4] [1 2]]
    """
    return code_for("vflip", img).vflip(img)


def resize(img: Any, size: Any, interpolation: str = "bilinear") -> Any:
    """Scale an image.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        size (int|list|tuple): (height, width), or the length of the shorter side; then the other
            side keeps the proportions.
        interpolation (str): 'nearest', 'bilinear', 'bicubic' or 'lanczos'; for PIL images also
            'box' and 'hamming', for arrays and Tensors also 'area'. Pillow smooths when it shrinks
            an image; for arrays and Tensors only 'area' does. Default 'bilinear'.

    Returns:
        The scaled image, of the same type.

    Raises:
        TypeError: `img` is not an image or `size` has the wrong type.
        ValueError: `size` is not positive or `interpolation` is unknown.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            image = np.zeros((20, 40, 3), dtype="uint8")
            print(T.resize(image, 10).shape)  # (10, 20, 3)
            print(T.resize(image, (5, 6)).shape)  # (5, 6, 3)
    """
    code = code_for("resize", img)
    size = checks.resize_size("resize", size)
    if isinstance(size, int):
        height, width = checks.image_size(img)
        if min(height, width) == size:
            return img
        if width < height:
            size = (int(size * height / width), size)
        else:
            size = (size, int(size * width / height))
    return code.resize(img, size, interpolation)


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """Add pixels around an image.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        padding (int|list|tuple): how many: the same on all sides, (left and right, top and bottom),
            or (left, top, right, bottom).
        fill (number|list|tuple): the value for 'constant', or one value per channel. Default 0.
        padding_mode (str): 'constant'; 'edge', the last pixel again and again; 'reflect', mirrored
            at the last pixel; or 'symmetric', mirrored behind it. Default 'constant'.

    Returns:
        The larger image, of the same type.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `padding` has a wrong length or is negative, `padding_mode` is unknown, or
            `fill` does not fit the channels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.pad(np.array([[1, 2, 3]]), (2, 0), padding_mode="reflect"))  # [[3 2 1 2 3 2 1]]
    """
    code = code_for("pad", img)
    sides = checks.padding("pad", padding)
    mode = checks.padding_mode("pad", padding_mode)
    return code.pad(img, sides, checks.fill("pad", fill), mode)


def rotate(
    img: Any,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Any = None,
    fill: Any = 0,
) -> Any:
    """Turn an image counter-clockwise.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        angle (float): degrees.
        interpolation (str): 'nearest', 'bilinear' or 'bicubic'. Default 'nearest'.
        expand (bool): enlarge the canvas to hold the whole turned image; for PIL images only if
            `center` is None. Default False.
        center (list|tuple, optional): (x, y) of the point to turn around, from the upper left
            corner. Default None, the middle of the image.
        fill (number|list|tuple): the value outside of the image, or one per channel. Default 0.

    Returns:
        The turned image, of the same type.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `interpolation` is unknown, or `center` or `fill` has a wrong length.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.rotate(np.array([[1, 2], [3, 4]]), 90))  # [[2 4] [1 3]]
    """
    code = code_for("rotate", img)
    if not checks.is_number(angle):
        raise TypeError(f"rotate: 'angle' must be a number, got {checks.describe(angle)}.")
    center = checked_center("rotate", center)
    return code.rotate(img, angle, interpolation, expand, center, checks.fill("rotate", fill))


def checked_center(api: str, center: Any) -> tuple[float, float] | None:
    """Return (x, y) or None."""
    if center is None:
        return None
    if not checks.is_sequence(center) or not all(checks.is_number(v) for v in center):
        raise TypeError(
            f"{api}: 'center' must be a list or tuple of two numbers (x, y) or None, got "
            f"{checks.describe(center)}."
        )
    if len(center) != 2:
        raise InvalidArgumentError(
            f"{api}: 'center' must have two elements (x, y), got {len(center)}: {center}."
        )
    return center[0], center[1]


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Reduce an image to its brightness.

    .. math::

        gray = 0.299 R + 0.587 G + 0.114 B

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image, with one or three channels.
        num_output_channels (int): 1, or 3 for three equal channels. Default 1.

    Returns:
        The gray image, of the same type.

    Raises:
        ValueError: `num_output_channels` is neither 1 nor 3.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.to_grayscale(np.zeros((4, 5, 3), "uint8")).shape)  # (4, 5, 1)
    """
    code = code_for("to_grayscale", img)
    return code.to_grayscale(img, checked_gray_channels("to_grayscale", num_output_channels))


def checked_gray_channels(api: str, value: Any) -> int:
    """Return 1 or 3."""
    if not checks.is_integer(value) or value not in (1, 3):
        raise InvalidArgumentError(
            f"{api}: 'num_output_channels' must be 1 or 3, got {checks.describe(value)}."
        )
    return int(value)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Cut a window out of an image; what lies outside of the image is zero.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        top (int): first row.
        left (int): first column.
        height (int): rows.
        width (int): columns.

    Returns:
        The window, of the same type as the image.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `height` or `width` is not positive.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.crop(np.arange(9).reshape(3, 3), 1, 0, 2, 2))  # [[3 4] [6 7]]
    """
    code = code_for("crop", img)
    for name, value in (("top", top), ("left", left)):
        if not checks.is_integer(value):
            raise TypeError(f"crop: '{name}' must be an int, got {checks.describe(value)}.")
    height, width = checks.pair("crop", "(height, width)", (height, width))
    return code.crop(img, int(top), int(left), height, width)


def center_crop(img: Any, output_size: Any) -> Any:
    """Cut the middle out of an image.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        output_size (int|list|tuple): (height, width), or one length for both.

    Returns:
        The middle, of the same type as the image.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `output_size` is not positive.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.center_crop(np.arange(16).reshape(4, 4), 2))  # [[5 6] [9 10]]
    """
    code = code_for("center_crop", img)
    height, width = checks.pair("center_crop", "output_size", output_size)
    rows, cols = checks.image_size(img)
    return code.crop(img, round((rows - height) / 2), round((cols - width) / 2), height, width)


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Multiply an image by a factor.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        brightness_factor (float): 0 makes it black, 1 keeps it, 2 doubles the brightness.

    Returns:
        The image, of the same type.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the factor is negative.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.adjust_brightness(np.array([[100, 200]], "uint8"), 1.5))  # [[150 255]]
    """
    factor = checks.factor("adjust_brightness", "brightness_factor", brightness_factor)
    return code_for("adjust_brightness", img).adjust_brightness(img, factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Stretch the distances from an image's mean brightness by a factor.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        contrast_factor (float): 0 makes it gray all over, 1 keeps it, 2 doubles the contrast.

    Returns:
        The image, of the same type.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the factor is negative.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.adjust_contrast(np.array([[100, 200]], "uint8"), 0.5))  # [[125 175]]
    """
    factor = checks.factor("adjust_contrast", "contrast_factor", contrast_factor)
    return code_for("adjust_contrast", img).adjust_contrast(img, factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Blend an image with its gray version.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        saturation_factor (float): 0 makes it gray, 1 keeps it, 2 doubles the saturation.

    Returns:
        The image, of the same type.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the factor is negative.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.vision.transforms import functional as F

            red = np.array([[[255, 0, 0]]], "uint8")
            print(F.adjust_saturation(red, 0.0))  # [[[76 76 76]]]
    """
    factor = checks.factor("adjust_saturation", "saturation_factor", saturation_factor)
    return code_for("adjust_saturation", img).adjust_saturation(img, factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Turn the colour circle of an image.

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        hue_factor (float): the part of a full turn, in [-0.5, 0.5]; 0 keeps the image.

    Returns:
        The image, of the same type; one without colour as it was.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the factor is not in [-0.5, 0.5].

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            red = np.array([[[255, 0, 0]]], "uint8")
            print(T.adjust_hue(red, 0.5))  # [[[0 255 255]]]
    """
    factor = checks.factor("adjust_hue", "hue_factor", hue_factor, -0.5, 0.5)
    return code_for("adjust_hue", img).adjust_hue(img, factor)


guard_module(globals())
