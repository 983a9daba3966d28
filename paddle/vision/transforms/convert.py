"""Transforms that change what an image is made of: ToTensor, Normalize, Transpose, Grayscale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.vision.transforms import checks, functional, functional_tensor, to_numbers
from paddle.vision.transforms.base import BaseTransform


class ToTensor(BaseTransform):
    """Convert an image to a Tensor; bytes become float32 in [0, 1], see :func:`to_tensor`.

    Args:
        data_format (str): 'CHW' or 'HWC', the order of the result's dimensions. Default 'CHW'.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        ValueError: `data_format` is unknown.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            image = np.zeros((20, 30, 3), dtype="uint8")
            print(T.ToTensor()(image).shape)  # [3, 20, 30]
    """

    def __init__(self, data_format: str = "CHW", keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.data_format = checks.one_of("ToTensor", "data_format", data_format, ("CHW", "HWC"))

    def _apply_image(self, img: Any) -> Tensor:
        return functional.to_tensor(img, self.data_format)

    def _joined(self, following: Any, data: Any) -> Any:
        """With Normalize, as in most pipelines, the image needs no second and third memory."""
        if type(following) is not Normalize or not self.keys == following.keys == ("image",):
            return None
        f = following
        return to_numbers.to_normalized(
            data, self.data_format, f.mean, f.std, f.data_format, f.to_rgb
        )


class Normalize(BaseTransform):
    r"""Subtract a mean and divide by a standard deviation, channel by channel.

    .. math::

        output[c] = \frac{input[c] - mean[c]}{std[c]}

    Args:
        mean (number|list|tuple): the mean; a number stands for three channels. Default 0.0.
        std (number|list|tuple): the standard deviation; a number stands for three channels.
            Default 1.0.
        data_format (str): 'CHW' or 'HWC', the order of the image's dimensions. Default 'CHW'.
        to_rgb (bool): reverse the channels first, BGR to RGB. Default False.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `mean` or `std` is not a number or a list of numbers.
        ValueError: `data_format` is unknown or `std` has a 0.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            normalize = T.Normalize(mean=[127.5] * 3, std=[127.5] * 3, data_format="HWC")
            print(normalize(np.full((4, 4, 3), 255, "uint8")).max())  # 1.0
    """

    def __init__(
        self,
        mean: Any = 0.0,
        std: Any = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.mean = [mean] * 3 if checks.is_number(mean) else mean
        self.std = [std] * 3 if checks.is_number(std) else std
        self.data_format = data_format
        self.to_rgb = to_rgb
        to_numbers.checked_statistics(self.mean, self.std, data_format)

    def _apply_image(self, img: Any) -> Any:
        return functional.normalize(img, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Reorder the dimensions of an image, by default (H, W, C) to (C, H, W).

    An image (H, W) gets a channel dimension at the end first.

    Args:
        order (list|tuple): for each new dimension, the old one. Default (2, 0, 1).
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Raises:
        TypeError: `order` is not a list or tuple of ints.
        ValueError: `order` is not an order of the dimensions 0, 1, 2.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.Transpose()(np.zeros((20, 30, 3))).shape)  # (3, 20, 30)
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        if not isinstance(order, (list, tuple)) or not all(checks.is_integer(i) for i in order):
            raise TypeError(
                f"Transpose: 'order' must be a list or tuple of ints, got {checks.describe(order)}."
            )
        if sorted(order) != [0, 1, 2]:
            raise InvalidArgumentError(
                f"Transpose: 'order' must hold 0, 1 and 2 once each, got {order}."
            )
        self.order = order

    def _apply_image(self, img: Any) -> Any:
        checks.image("Transpose", img)
        if isinstance(img, Tensor):
            return functional_tensor.transpose(img, list(self.order))
        array = np.asarray(img) if isinstance(img, Image.Image) else img
        return (array[..., None] if array.ndim == 2 else array).transpose(self.order)


class Grayscale(BaseTransform):
    """Reduce an image to its brightness.

    Args:
        num_output_channels (int): 1, or 3 for three equal channels. Default 1.
        keys (list|tuple, optional): see :class:`BaseTransform`. Default None.

    Returns:
        callable: the transform; the image keeps its type.

    Raises:
        ValueError: `num_output_channels` is neither 1 nor 3.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            print(T.Grayscale()(np.zeros((20, 30, 3), "uint8")).shape)  # (20, 30, 1)
    """

    def __init__(self, num_output_channels: int = 1, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.num_output_channels = functional.checked_gray_channels(
            "Grayscale", num_output_channels
        )

    def _apply_image(self, img: Any) -> Any:
        return functional.to_grayscale(img, self.num_output_channels)
