"""Prepares pictures that are NumPy arrays [H, W, C], blue first, or [H, W]; OpenCV is not needed.

Numbers are those of OpenCV: decoding gives the same bytes, resizing those of newer releases, which
differ from older ones by 1 at most.
``paddle.vision.transforms`` has the same and more for the data sets of 2.0.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.core.guards import guard_module
from paddle.dataset.parsers.archives import missing, tar_files
from paddle.dataset.parsers.pictures import as_array
from paddle.utils import array_resize

__all__ = [
    "batch_images_from_tar", "center_crop", "left_right_flip", "load_and_transform", "load_image",
    "load_image_bytes", "random_crop", "resize_short", "simple_transform", "to_chw",
]  # fmt: skip

_PICKLE_PROTOCOL = 2  # what 1.x wrote


def batch_images_from_tar(
    data_file: str, dataset_name: str, img2label: dict[str, Any], num_per_batch: int = 1024
) -> str:
    """Writes the image files of a tar archive to files of ``num_per_batch`` each, with labels.

    They come into ``{data_file}_batch/{dataset_name}_{process id}``: pickled dicts of the lists
    ``'data'`` (bytes) and ``'label'``. A folder that is there already will do.

    Args:
        data_file (str): the archive.
        dataset_name (str): name of the part, such as ``'train'``.
        img2label (dict): name in the archive -> label; other files are left out.
        num_per_batch (int, optional): images in a file; the last may have fewer. Default: 1024.

    Returns:
        str: a text file that lists the written ones, beside the folder.

    Raises:
        ValueError: the archive is damaged, or has none of the images.

    Examples:
        .. code-block:: python

            import io, os, pickle, tarfile, tempfile
            from paddle.dataset import image

            path = os.path.join(tempfile.mkdtemp(), "two.tar")
            with tarfile.open(path, "w") as archive:
                for name in ("a.jpg", "b.jpg"):
                    archive.addfile(tarfile.TarInfo(name), io.BytesIO())
            listed = image.batch_images_from_tar(path, "train", {"a.jpg": 3, "b.jpg": 5})
            with open(open(listed).read().strip(), "rb") as batch:
                print(pickle.load(batch)["label"])  # [3, 5]
    """
    if num_per_batch < 1:
        raise InvalidArgumentError(
            f"batch_images_from_tar(num_per_batch): expected at least 1, but received "
            f"{num_per_batch}."
        )
    if not isinstance(img2label, dict):
        raise TypeError(
            f"batch_images_from_tar(img2label): expected a dict of labels by name, but received "
            f"{type(img2label).__name__}."
        )
    folder = f"{data_file}_batch"
    place = f"{folder}/{dataset_name}_{os.getpid()}"
    listed = f"{place}.txt"
    if os.path.exists(place):
        return listed
    os.makedirs(folder, exist_ok=True)
    scratch = tempfile.mkdtemp(prefix=".batches-", dir=folder)
    try:
        names = _write_batches(data_file, scratch, img2label, num_per_batch)
        with open(listed, "w", encoding="utf-8") as file:
            file.writelines(f"{os.path.abspath(os.path.join(place, name))}\n" for name in names)
        os.replace(scratch, place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return listed


def _write_batches(
    data_file: str, folder: str, labels: dict[str, Any], per_batch: int
) -> list[str]:
    """Writes the files of :func:`batch_images_from_tar` and returns their names."""
    names: list[str] = []
    batch: dict[str, list[Any]] = {"label": [], "data": []}
    there: list[str] = []

    def write() -> None:
        names.append(f"batch_{len(names)}")
        with open(os.path.join(folder, names[-1]), "wb") as file:
            pickle.dump(batch, file, protocol=_PICKLE_PROTOCOL)
        for part in batch.values():
            part.clear()

    def wanted(name: str) -> bool:
        there.append(name)
        return name in labels

    for name, content in tar_files(data_file, wanted):
        batch["data"].append(content)
        batch["label"].append(labels[name])
        if len(batch["data"]) == per_batch:
            write()
    if batch["data"]:
        write()
    if labels and not names:
        raise missing(data_file, next(iter(labels)), there)
    return names


def load_image_bytes(bytes: Any, is_color: bool = True) -> np.ndarray:
    """Decodes the contents of an image file.

    Args:
        bytes (bytes): the contents.
        is_color (bool, optional): False gives greys. Default: True.

    Returns:
        np.ndarray: uint8 [H, W, 3], blue first, or [H, W].

    Raises:
        ValueError: it is no image, or damaged.

    Examples:
        .. code-block:: python

            import io
            from PIL import Image
            from paddle.dataset import image

            file = io.BytesIO()
            Image.new("RGB", (5, 4), (255, 0, 0)).save(file, "PNG")
            print(image.load_image_bytes(file.getvalue())[0, 0])  # [  0   0 255]
    """
    try:
        content = memoryview(bytes).tobytes()
    except TypeError:
        raise TypeError(
            f"load_image_bytes(bytes): expected the bytes of an image file, but received "
            f"{type(bytes).__name__}."
        ) from None
    return as_array(content, "load_image_bytes(bytes)", is_color)


def load_image(file: str, is_color: bool = True) -> np.ndarray:
    """Reads an image file.

    Args:
        file (str): its path.
        is_color (bool, optional): False gives greys. Default: True.

    Returns:
        np.ndarray: uint8 [H, W, 3], blue first, or [H, W].

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no image, or damaged.

    Examples:
        .. code-block:: python

            from PIL import Image
            from paddle.dataset import image

            Image.new("RGB", (5, 4), (255, 0, 0)).save("red.png")
            print(image.load_image("red.png").shape)  # (4, 5, 3)
            print(image.load_image("red.png", is_color=False).shape)  # (4, 5)
    """
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(
            f"load_image(file): expected the path of a file, a str, but received "
            f"{type(file).__name__}."
        )
    try:
        with open(file, "rb") as opened:
            content = opened.read()
    except FileNotFoundError:
        raise MissingFileError(
            f"load_image(file): expected a file at {file}, but there is none."
        ) from None
    return as_array(content, os.fspath(file), is_color)


def resize_short(im: np.ndarray, size: int) -> np.ndarray:
    """Resizes an image, by cubic interpolation, so that its shorter side gets a length.

    Args:
        im (np.ndarray): the image, [H, W, C] or [H, W].
        size (int): length of the shorter side, in pixels.

    Returns:
        np.ndarray: of the same dtype.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import image
            print(image.resize_short(np.zeros([30, 40, 3], "uint8"), 15).shape)  # (15, 20, 3)
    """
    height, width = _sides("resize_short", im)
    if size < 1:
        raise InvalidArgumentError(f"resize_short(size): expected at least 1, but received {size}.")
    short = min(height, width)
    return array_resize.resize(im, (size * height // short, size * width // short), "bicubic")


def to_chw(im: np.ndarray, order: Sequence[int] = (2, 0, 1)) -> np.ndarray:
    """Moves the channels of an image to the front.

    Args:
        im (np.ndarray): the image, [H, W, C].
        order (tuple|list, optional): which axis comes where. Default: ``(2, 0, 1)``.

    Returns:
        np.ndarray: a view [C, H, W].

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import image
            print(image.to_chw(np.zeros([4, 5, 3], "uint8")).shape)  # (3, 4, 5)
    """
    if not isinstance(im, np.ndarray) or sorted(order) != list(range(im.ndim)):
        got = list(im.shape) if isinstance(im, np.ndarray) else type(im).__name__
        raise InvalidArgumentError(
            f"to_chw: expected an array and each of its axes once in order, but received {got} "
            f"and order={order}."
        )
    return im.transpose(order)


def center_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """Cuts a square out of the middle of an image.

    Args:
        im (np.ndarray): the image, [H, W, C] or [H, W].
        size (int): side of the square, in pixels.
        is_color (bool, optional): whether it has channels. Default: True.

    Returns:
        np.ndarray: a view.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import image
            print(image.center_crop(np.arange(16).reshape(4, 4), 2, is_color=False).tolist())
            # [[5, 6], [9, 10]]
    """
    height, width = _room("center_crop", im, size, is_color)
    return _cut(im, (height - size) // 2, (width - size) // 2, size)


def random_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """Cuts a square out of an image, in a place that ``np.random`` draws.

    Args:
        im (np.ndarray): the image, [H, W, C] or [H, W].
        size (int): side of the square, in pixels.
        is_color (bool, optional): whether it has channels. Default: True.

    Returns:
        np.ndarray: a view.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import image
            print(image.random_crop(np.zeros([40, 50, 3], "uint8"), 24).shape)  # (24, 24, 3)
    """
    height, width = _room("random_crop", im, size, is_color)
    top = np.random.randint(0, height - size + 1)
    left = np.random.randint(0, width - size + 1)
    return _cut(im, top, left, size)


def left_right_flip(im: np.ndarray, is_color: bool = True) -> np.ndarray:
    """Mirrors an image from left to right.

    Args:
        im (np.ndarray): the image, [H, W, C] or [H, W].
        is_color (bool, optional): whether it has channels. Default: True.

    Returns:
        np.ndarray: a view.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import image
            print(image.left_right_flip(np.array([[1, 2, 3]]), is_color=False))  # [[3 2 1]]
    """
    _room("left_right_flip", im, 0, is_color and np.ndim(im) == 3)
    return im[:, ::-1]


def simple_transform(
    im: np.ndarray,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> np.ndarray:
    """Resizes an image and cuts a square out of it; for training at random, mirrored at random.

    Args:
        im (np.ndarray): the image, [H, W, C] or [H, W].
        resize_size (int): length of the shorter side before the cut, in pixels.
        crop_size (int): side of the square.
        is_train (bool): whether to draw place and direction, or to take the middle as it is.
        is_color (bool, optional): whether it has channels. Default: True.
        mean (np.ndarray|list|None, optional): subtracted: a number for each channel, or for each
            value. Default: None.

    Returns:
        np.ndarray: float32 [C, H, W], or [H, W].

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import image
            photo = np.full([40, 50, 3], 128, "uint8")
            made = image.simple_transform(photo, 32, 24, True, mean=[100.0, 110.0, 120.0])
            print(made.shape, made[:, 0, 0])  # (3, 24, 24) [28. 18.  8.]
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color)
    made = (to_chw(im) if im.ndim == 3 else im).astype(np.float32)
    if mean is None:
        return made
    means = np.asarray(mean, np.float32)
    if means.ndim == 1 and made.ndim == 3:
        means = means[:, None, None]
    try:
        made -= means
    except ValueError:
        raise InvalidArgumentError(
            f"simple_transform(mean): expected a number for each of {made.shape[0]} channels or an "
            f"array {list(made.shape)}, but received shape {list(np.shape(mean))}."
        ) from None
    return made


def load_and_transform(
    filename: str,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> np.ndarray:
    """Reads an image file and does with it what :func:`simple_transform` does.

    Args:
        filename (str): its path.
        resize_size (int): length of the shorter side before the cut, in pixels.
        crop_size (int): side of the square.
        is_train (bool): whether to draw place and direction, or to take the middle as it is.
        is_color (bool, optional): False gives greys. Default: True.
        mean (np.ndarray|list|None, optional): subtracted: a number for each channel, or for each
            value. Default: None.

    Returns:
        np.ndarray: float32 [3, H, W], or [H, W].

    Examples:
        .. code-block:: python

            from PIL import Image
            from paddle.dataset import image

            Image.new("RGB", (50, 40)).save("black.png")
            print(image.load_and_transform("black.png", 32, 24, is_train=False).shape)
            # (3, 24, 24)
    """
    im = load_image(filename, is_color)
    return simple_transform(im, resize_size, crop_size, is_train, is_color, mean)


def _sides(api: str, im: Any) -> tuple[int, int]:
    if not isinstance(im, np.ndarray) or im.ndim not in (2, 3) or not im.size:
        got = f"shape {list(im.shape)}" if isinstance(im, np.ndarray) else type(im).__name__
        raise InvalidArgumentError(
            f"{api}(im): expected an array [H, W, C] or [H, W] with pixels in it, but received "
            f"{got}."
        )
    return im.shape[0], im.shape[1]


def _room(api: str, im: Any, size: int, is_color: bool) -> tuple[int, int]:
    """Height and width of an image that a square of ``size`` fits into."""
    height, width = _sides(api, im)
    if is_color and im.ndim == 2:
        raise InvalidArgumentError(
            f"{api}: expected an array [H, W, C], as is_color is True, but received shape "
            f"{list(im.shape)}.",
            hint="give is_color=False for greys",
        )
    if not 0 <= size <= min(height, width):
        raise InvalidArgumentError(
            f"{api}(size): expected a number from 0 to {min(height, width)}, the shorter side of "
            f"the image, but received {size}."
        )
    return height, width


def _cut(im: np.ndarray, top: int, left: int, size: int) -> np.ndarray:
    return im[top : top + size, left : left + size]


guard_module(globals())
