"""Preparing images as arrays for networks of the first versions: crops, flips, means."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded, guard_module

__all__: list[str] = []


def resize_image(img: Image.Image, target_size: int) -> Image.Image:
    """Resizes a PIL image so that its shorter edge has a given length.

    Args:
        img (PIL.Image.Image): the image.
        target_size (int): the length of the shorter edge.

    Returns:
        PIL.Image.Image: the image, with its proportions kept.

    Examples:
        .. code-block:: python

            from PIL import Image
            from paddle.utils.image_util import resize_image
            print(resize_image(Image.new("RGB", (40, 20)), 10).size)  # (20, 10)
    """
    share = target_size / float(min(img.size))
    size = [round(edge * share) for edge in img.size]
    return img.resize(size, Image.Resampling.LANCZOS)


def flip(im: np.ndarray) -> np.ndarray:
    """Mirrors an image left to right.

    Args:
        im (numpy.ndarray): of shape [C, H, W] or [H, W].

    Returns:
        numpy.ndarray: the mirrored image.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.utils.image_util import flip
            print(flip(np.array([[1, 2]])))  # [[2 1]]
    """
    return im[..., ::-1]


def crop_img(im: np.ndarray, inner_size: int, color: bool = True, test: bool = True) -> np.ndarray:
    """Cuts a square out of an image, which is surrounded by zeros where it is too small.

    Args:
        im (numpy.ndarray): of shape [3, H, W] with ``color``, else [H, W].
        inner_size (int): the edge of the square.
        color (bool, optional): whether the image has channels. Default: True.
        test (bool, optional): whether the middle is taken; otherwise a random place, mirrored in
            half of the cases, by NumPy's random state. Default: True.

    Returns:
        numpy.ndarray: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.utils.image_util import crop_img
            print(crop_img(np.ones([3, 8, 6]), 4).shape)  # (3, 4, 4)
    """
    want = 3 if color else 2
    if im.ndim != want:
        raise InvalidArgumentError(
            f"crop_img(im): expected {want} dimensions with color={color}, but received the shape "
            f"{list(im.shape)}."
        )
    im = im.astype("float32")
    high, wide = (max(inner_size, edge) for edge in im.shape[-2:])
    padded = np.zeros((*im.shape[:-2], high, wide), "float32")
    top, left = (high - im.shape[-2]) // 2, (wide - im.shape[-1]) // 2
    padded[..., top : top + im.shape[-2], left : left + im.shape[-1]] = im
    if test:
        y, x = (high - inner_size) // 2, (wide - inner_size) // 2
    else:
        y = np.random.randint(0, high - inner_size + 1)
        x = np.random.randint(0, wide - inner_size + 1)
    part = padded[..., y : y + inner_size, x : x + inner_size]
    if not test and np.random.randint(2) == 0:
        part = flip(part)
    return part


def decode_jpeg(jpeg_string: bytes) -> np.ndarray:
    """Decodes the bytes of an image file.

    Args:
        jpeg_string (bytes): what the file holds.

    Returns:
        numpy.ndarray: of shape [C, H, W], or [H, W] where there is one channel.

    Examples:
        .. code-block:: python

            import io
            from PIL import Image
            from paddle.utils.image_util import decode_jpeg
            file = io.BytesIO()
            Image.new("RGB", (6, 4)).save(file, "jpeg")
            print(decode_jpeg(file.getvalue()).shape)  # (3, 4, 6)
    """
    array = np.array(Image.open(io.BytesIO(jpeg_string)))
    return array.transpose(2, 0, 1) if array.ndim == 3 else array


def preprocess_img(
    im: np.ndarray, img_mean: np.ndarray, crop_size: int, is_train: bool, color: bool = True
) -> np.ndarray:
    """Crops an image, takes its mean away and flattens it.

    Args:
        im (numpy.ndarray): of shape [3, H, W], or [H, W].
        img_mean (numpy.ndarray): the mean, of the shape of the crop.
        crop_size (int): the edge of the crop.
        is_train (bool): whether the crop is a random one, see :func:`crop_img`.
        color (bool, optional): whether the image has channels. Default: True.

    Returns:
        numpy.ndarray: float32, of one dimension.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.utils.image_util import preprocess_img
            mean = np.zeros([3, 4, 4])
            print(preprocess_img(np.ones([3, 8, 8]), mean, 4, is_train=False).shape)  # (48,)
    """
    return (crop_img(im, crop_size, color, test=not is_train) - img_mean).flatten()


def load_meta(meta_path: str, mean_img_size: int, crop_size: int, color: bool = True) -> np.ndarray:
    """Reads the mean image of a data set and cuts out its middle.

    Args:
        meta_path (str): a file of ``numpy.savez`` with the entry ``data_mean``, flattened.
        mean_img_size (int): the edge of the mean image.
        crop_size (int): the edge of the middle.
        color (bool, optional): whether it has three channels. Default: True.

    Returns:
        numpy.ndarray: float32, of shape [3, crop_size, crop_size], or without the channels.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.utils.image_util import load_meta
            np.savez("mean.npz", data_mean=np.zeros(3 * 8 * 8))
            print(load_meta("mean.npz", 8, 4).shape)  # (3, 4, 4)
    """
    border = (mean_img_size - crop_size) // 2
    if border < 0:
        raise InvalidArgumentError(
            f"load_meta(crop_size): expected at most mean_img_size = {mean_img_size}, but received "
            f"{crop_size}."
        )
    with np.load(meta_path) as stored:
        mean = stored["data_mean"]
    mean = mean.reshape((3,) * color + (mean_img_size, mean_img_size))
    part = slice(border, border + crop_size)
    return mean[..., part, part].astype("float32")


def load_image(img_path: str, is_color: bool = True) -> Image.Image:
    """Opens an image file.

    Args:
        img_path (str): the file.
        is_color (bool, optional): whether to convert to RGB; otherwise to gray. Default: True.

    Returns:
        PIL.Image.Image: the image.

    Examples:
        .. code-block:: python

            from PIL import Image
            from paddle.utils.image_util import load_image
            Image.new("L", (6, 4)).save("gray.png")
            print(load_image("gray.png").mode)  # RGB
    """
    with Image.open(img_path) as image:
        return image.convert("RGB" if is_color else "L")


def oversample(img: list[np.ndarray], crop_dims: Any) -> np.ndarray:
    """Cuts the four corners and the middle out of images, and mirrors them too.

    Args:
        img (list): images of shape [H, W, C].
        crop_dims (tuple): height and width of a crop.

    Returns:
        numpy.ndarray: float32, of shape [10 * images, height, width, C]: of each image the upper
        left, upper right, lower left and lower right corner and the middle, then these mirrored.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.utils.image_util import oversample
            print(oversample([np.ones([8, 8, 3])], (4, 4)).shape)  # (10, 4, 4, 3)
    """
    high, wide = (int(edge) for edge in crop_dims)
    rows, columns = img[0].shape[:2]
    if high > rows or wide > columns:
        raise InvalidArgumentError(
            f"oversample(crop_dims): expected crops within {[rows, columns]}, but received "
            f"{[high, wide]}."
        )
    corners = [(y, x) for y in (0, rows - high) for x in (0, columns - wide)]
    places = [*corners, ((rows - high) // 2, (columns - wide) // 2)]
    made = []
    for image in img:
        crops = [image[y : y + high, x : x + wide] for y, x in places]
        made += crops + [crop[:, ::-1] for crop in crops]
    return np.stack(made).astype("float32")


class ImageTransformer(Guarded):
    """Brings an image into the layout and the range that a network takes.

    Args:
        transpose (tuple, optional): the new order of axes. Default: None, as they are.
        channel_swap (tuple, optional): the new order of channels. Default: None, as they are.
        mean (numpy.ndarray, optional): what is taken away; one number per channel or per element.
            Default: None, nothing.
        is_color (bool, optional): whether there are channels. Default: True.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.utils.image_util import ImageTransformer
            prepare = ImageTransformer(transpose=(2, 0, 1), channel_swap=(2, 1, 0))
            print(prepare.transformer(np.ones([4, 6, 3])).shape)  # (3, 4, 6)
    """

    def __init__(
        self,
        transpose: Any = None,
        channel_swap: Any = None,
        mean: Any = None,
        is_color: bool = True,
    ) -> None:
        self.is_color = is_color
        self.set_transpose(transpose)
        self.set_channel_swap(channel_swap)
        self.set_mean(mean)

    def set_transpose(self, order: Any) -> None:
        """Sets the new order of axes; None leaves it."""
        if order is not None and self.is_color and len(order) != 3:
            raise InvalidArgumentError(
                f"ImageTransformer(transpose): expected three axes, but received {order}."
            )
        self.transpose = order

    def set_channel_swap(self, order: Any) -> None:
        """Sets the new order of channels, which are the first axis by then; None leaves it."""
        if order is not None and self.is_color and len(order) != 3:
            raise InvalidArgumentError(
                f"ImageTransformer(channel_swap): expected three channels, but received {order}."
            )
        self.channel_swap = order

    def set_mean(self, mean: Any) -> None:
        """Sets what is taken away; None takes nothing."""
        if mean is not None:
            mean = np.asarray(mean)
            if mean.ndim == 1:
                mean = mean[:, None, None]
        self.mean = mean

    def transformer(self, data: np.ndarray) -> np.ndarray:
        """Returns the image: transposed, its channels reordered, the mean taken away.

        Args:
            data (numpy.ndarray): the image.
        """
        if self.transpose is not None:
            data = data.transpose(self.transpose)
        if self.channel_swap is not None:
            data = data[list(self.channel_swap)]
        return data if self.mean is None else data - self.mean


guard_module(globals())
