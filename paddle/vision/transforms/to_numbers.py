"""to_tensor and normalize: from images of bytes to floating arrays and Tensors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import current_backend
from paddle.core.tensor import Tensor, from_numpy
from paddle.vision.transforms import checks, functional_tensor

_UNIT = np.float32(1 / 255)
_DATA_FORMATS = ("CHW", "HWC")
# Pixel formats of 16 bits have no tensor type of their own.
_WIDER = {"I;16": np.int32, "I;16L": np.int32, "I;16B": np.int32, "I;16N": np.int32}


def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """Convert an image to a Tensor.

    Values of type uint8 become float32 in [0, 1]; all others keep their type and range. A Tensor is
    returned as it is.

    Args:
        pic (PIL.Image|numpy.ndarray|Tensor): the image; an array has shape (H, W) or (H, W, C).
        data_format (str): 'CHW' or 'HWC', the order of the result's dimensions. Default 'CHW'.

    Returns:
        Tensor: shape (C, H, W) or (H, W, C); an image without channels gets one.

    Raises:
        TypeError: `pic` is not an image.
        ValueError: `data_format` is unknown.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            gray = np.full((28, 28), 255, dtype="uint8")
            print(T.to_tensor(gray).shape)  # [1, 28, 28]
            print(float(T.to_tensor(gray).max()))  # 1.0
    """
    if data_format not in _DATA_FORMATS:
        checks.one_of("to_tensor", "data_format", data_format, _DATA_FORMATS)
    array = _pixels(pic)
    if array is None:
        return checks.image("to_tensor", pic)
    return _tensor_from(_laid_out(array, data_format))


def _pixels(pic: Any) -> np.ndarray | None:
    """Return the values of a PIL image or array; None where it is neither."""
    if isinstance(pic, Image.Image):
        array = np.asarray(pic, dtype=_WIDER.get(pic.mode))
        return array.astype(np.float32) if array.dtype == np.bool_ else array
    if isinstance(pic, np.ndarray):
        return pic if pic.ndim in (2, 3) else checks.image("to_tensor", pic)
    return None


def to_normalized(
    pic: Any, data_format: str, mean: Any, std: Any, normal_format: str, to_rgb: bool
) -> Tensor | None:
    """Do what :func:`to_tensor` and :func:`normalize` do one after the other, in one memory.

    Returns:
        Tensor|None: the image; None where it takes both, one after the other.
    """
    array = _pixels(pic) if current_backend().host and not to_rgb else None
    if array is None or array.dtype != np.uint8:
        return None
    shift, scale = checked_statistics(mean, std, normal_format)
    own = _laid_out(array, data_format)
    try:
        if np.broadcast_shapes(own.shape, shift.shape, scale.shape) != own.shape:
            return None
    except ValueError:  # statistics that do not fit, which normalize explains
        return None
    return from_numpy(_normalized(own, shift, scale, out=own))


def _laid_out(array: np.ndarray, data_format: str) -> np.ndarray:
    """Return a fresh C-ordered array in `data_format`, bytes scaled to [0, 1]."""
    if array.ndim == 2:
        array = array[None] if data_format == "CHW" else array[..., None]
    elif data_format == "CHW":
        array = array.transpose(2, 0, 1)
    if array.dtype == np.uint8:
        scaled = array.astype(np.float32, order="C")
        scaled *= _UNIT
        return scaled
    if array.dtype == np.uint16:
        return array.astype(np.int32, order="C")
    return np.array(array, order="C")


def _tensor_from(array: np.ndarray) -> Tensor:
    """Make a Tensor on the current device out of an array nobody else uses."""
    if current_backend().host:
        return from_numpy(array)
    return tensor.to_tensor(array)


def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    r"""Subtract a mean and divide by a standard deviation, channel by channel.

    .. math::

        output[c] = \frac{input[c] - mean[c]}{std[c]}

    Args:
        img (PIL.Image|numpy.ndarray|Tensor): the image.
        mean (number|list|tuple): the mean, or one per channel.
        std (number|list|tuple): the standard deviation, or one per channel; not 0.
        data_format (str): 'CHW' or 'HWC', the order of the image's dimensions. Default 'CHW'.
        to_rgb (bool): reverse the channels first, BGR to RGB. Default False.

    Returns:
        numpy.ndarray|Tensor: a floating image; an array for a PIL image.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: `data_format` is unknown, a length does not fit the channels, or `std` has a 0.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            image = np.full((3, 2, 2), 128.0, dtype="float32")
            print(T.normalize(image, mean=127.0, std=2.0)[0])  # [[0.5 0.5] [0.5 0.5]]
    """
    checks.image("normalize", img)
    shift, scale = checked_statistics(mean, std, data_format)
    is_tensor = isinstance(img, Tensor)
    if not is_tensor:
        img = _floating_array(img, data_format)
    axis = 0 if data_format == "CHW" else -1
    _check_channels(img, max(shift.size, scale.size), data_format, axis)
    if is_tensor:
        if to_rgb or not _is_plain(img):
            return functional_tensor.normalize(img, shift, scale, axis % 3, to_rgb)
        # An image of a dataset: NumPy writes over its copy, operators would make two more.
        own = img.numpy()
        return from_numpy(_normalized(own, shift, scale, out=own))
    if to_rgb:
        img = img[::-1] if axis == 0 else img[..., ::-1]
    return _normalized(img, shift, scale)


def _is_plain(img: Tensor) -> bool:
    """Whether a Tensor is an image in main memory and nobody asks for its gradient."""
    return img.stop_gradient and img.dtype is VarType.FP32 and img.place.is_cpu_place()


def _normalized(img: np.ndarray, shift: np.ndarray, scale: np.ndarray, out: Any = None) -> Any:
    """Return (img - shift) / scale; `out` is memory for it, where the image keeps its shape."""
    shape = img.shape
    if np.broadcast_shapes(shape, shift.shape, scale.shape) != shape:
        return (img - shift) / scale  # an image of one channel becomes several
    if shift.shape == scale.shape == (1, 1, shape[-1]):
        # Rows of pixels instead of pixels: long loops in place of many with three turns.
        rows = (shape[0], shape[1] * shape[2])
        img, out = img.reshape(rows), None if out is None else out.reshape(rows)
        shift, scale = (np.tile(values.ravel(), shape[1]) for values in (shift, scale))
    moved = np.subtract(img, shift, out=out)
    return np.divide(moved, scale, out=moved).reshape(shape)


def _floating_array(img: Any, data_format: str) -> np.ndarray:
    """Return a PIL image or array as a floating array with three dimensions."""
    array = np.asarray(img)
    if array.dtype != np.float64:
        array = array.astype(np.float32, order="C", copy=False)
    if array.ndim == 2:
        array = array[None] if data_format == "CHW" else array[..., None]
    return array


def checked_statistics(mean: Any, std: Any, data_format: str) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation as float32 arrays that broadcast over an image."""
    try:
        return _statistics(_hashable(mean), _hashable(std), data_format)
    except TypeError as error:
        if not str(error).startswith("unhashable"):
            raise
        raise TypeError(
            f"normalize: expected numbers as mean and std, but received {mean!r:.50} and "
            f"{std!r:.50}."
        ) from None


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(value) if isinstance(value, list) else value


@lru_cache(maxsize=64)
def _statistics(mean: Any, std: Any, data_format: str) -> tuple[np.ndarray, np.ndarray]:
    checks.one_of("normalize", "data_format", data_format, _DATA_FORMATS)
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    made = []
    for name, value in (("mean", mean), ("std", std)):
        numbers = value if isinstance(value, tuple) else (value,)
        if not numbers or not all(checks.is_number(v) for v in numbers):
            raise TypeError(
                f"normalize: '{name}' must be a number or a list or tuple of numbers, got "
                f"{checks.describe(value)}."
            )
        made.append(np.array(numbers, np.float32).reshape(shape))
    if not made[1].all():
        raise InvalidArgumentError(f"normalize: 'std' must not be 0, got {std}.")
    return made[0], made[1]


def _check_channels(img: Any, values: int, data_format: str, axis: int) -> None:
    """Refuse statistics for more or fewer channels than the image has."""
    channels = img.shape[axis]
    if values not in (1, channels) and channels != 1:
        raise InvalidArgumentError(
            f"normalize: 'mean' and 'std' must be one number or one per channel, got {values} for "
            f"an image of shape {list(img.shape)}, which has {channels} channels in data_format "
            f"{data_format!r}.",
            hint="PIL images and arrays are 'HWC' unless ToTensor or Transpose came before",
        )
