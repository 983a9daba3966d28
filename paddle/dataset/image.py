"""Pictures as NumPy arrays: reading, resizing, cropping, mirroring, and archives of them.

Arrays are of bytes, [H, W, 3] in the order blue, green, red, or [H, W]. OpenCV is not needed.
"""

from __future__ import annotations

import io
import os
import pickle
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.core.guards import guard_module
from paddle.dataset.files import TarMembers
from paddle.utils import array_resize

__all__ = [
    "batch_images_from_tar", "center_crop", "left_right_flip", "load_and_transform", "load_image",
    "load_image_bytes", "random_crop", "resize_short", "simple_transform", "to_chw",
]  # fmt: skip


def batch_images_from_tar(
    data_file: str, dataset_name: str, img2label: Mapping[str, Any], num_per_batch: int = 1024
) -> str:
    """Copies pictures of a tar archive, still encoded, with their labels into files of pickles.

    They lie in ``<data_file>_batch/<dataset_name>/``; if that is there, it is taken as it is. Each
    holds a dict with the lists ``'data'`` (bytes) and ``'label'``.

    Args:
        data_file (str): the archive.
        dataset_name (str): name of the folder.
        img2label (dict): the members that are copied, and their labels.
        num_per_batch (int, optional): pictures in a file. Default: 1024.

    Returns:
        str: the path of a text file with the paths of the files, one a line.

    Raises:
        ValueError: the archive is damaged, or ``num_per_batch`` is below 1.

    Examples:
        .. code-block:: python

            import io, os, tarfile, tempfile
            from paddle.dataset.image import batch_images_from_tar

            path = os.path.join(tempfile.mkdtemp(), "pictures.tar")
            with tarfile.open(path, "w") as archive:
                member = tarfile.TarInfo("a.jpg")
                member.size = 3
                archive.addfile(member, io.BytesIO(b"abc"))
            listing = batch_images_from_tar(path, "train", {"a.jpg": 7})
            print(os.path.basename(open(listing).read().strip()))  # batch_0
    """
    if num_per_batch < 1:
        raise InvalidArgumentError(
            f"batch_images_from_tar(num_per_batch): expected at least 1, "
            f"but received {num_per_batch}."
        )
    folder = f"{data_file}_batch"
    target, listing = os.path.join(folder, dataset_name), os.path.join(folder, dataset_name)
    listing += ".txt"
    if os.path.isdir(target) and os.path.isfile(listing):
        return listing
    os.makedirs(folder, exist_ok=True)
    # Under another name until all is there: an interrupted call leaves nothing that counts.
    scratch = tempfile.mkdtemp(prefix=".unfinished-", dir=folder)
    try:
        made = os.path.join(scratch, "batches")
        os.mkdir(made)
        names = _write_batches(data_file, img2label, num_per_batch, made)
        text = os.path.join(scratch, "listing")
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"{os.path.abspath(os.path.join(target, n))}\n" for n in names)
        if os.path.isdir(target):  # without its listing: from a call that was interrupted
            os.replace(target, os.path.join(scratch, "old"))
        os.replace(made, target)
        os.replace(text, listing)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return listing


def _write_batches(path: str, labels: Mapping[str, Any], size: int, folder: str) -> list[str]:
    archive = TarMembers(path)
    try:
        members = [name for name in archive if name in labels]
        written = []
        for start in range(0, len(members), size):
            part = members[start : start + size]
            written.append(f"batch_{start // size}")
            batch = {"label": [labels[n] for n in part], "data": [archive.read(n) for n in part]}
            with open(os.path.join(folder, written[-1]), "wb") as file:
                pickle.dump(batch, file, protocol=2)
        return written
    finally:
        archive.close()


def decode(content: bytes, where: str, backend: str = "cv2", gray: bool = False) -> Any:
    """Decodes an image file to a PIL image, or for 'cv2' to an array [H, W, C] or [H, W].

    Args:
        content (bytes): the file.
        where (str): its name, for the error.
        backend (str): ``'pil'`` or ``'cv2'``.
        gray (bool): let a JPEG's decoder give the brightness, which is stored as such.

    Raises:
        ValueError: it is no image, or damaged.
    """
    try:
        image = Image.open(io.BytesIO(content))
        if gray and image.format == "JPEG":
            image.draft("L", image.size)
        image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise InvalidArgumentError(
            f"{where}: expected an image file, but decoding it says: {error}."
        ) from error
    return image if backend == "pil" else np.array(image)


def images_in_tar(archive: TarMembers, img2label: Mapping[str, Any]) -> Iterator[tuple[bytes, Any]]:
    """Reads pictures out of an archive, in its order, with their labels.

    Args:
        archive (TarMembers): the archive.
        img2label (dict): the members that count, and their labels.
    """
    for name in archive:
        if name in img2label:
            yield archive.read(name), img2label[name]


def load_image_bytes(bytes: bytes, is_color: bool = True) -> np.ndarray:
    """Decodes an image file that is in memory; it is turned as its Exif data says.

    Args:
        bytes (bytes): the file.
        is_color (bool, optional): whether to give colours, otherwise the brightness. Default: True.

    Returns:
        numpy.ndarray: uint8, [H, W, 3] in the order blue, green, red; or [H, W].

    Raises:
        ValueError: it is no image, or damaged.

    Examples:
        .. code-block:: python

            import io
            from PIL import Image
            from paddle.dataset.image import load_image_bytes

            file = io.BytesIO()
            Image.new("RGB", (3, 2), (1, 2, 3)).save(file, "PNG")
            print(load_image_bytes(file.getvalue())[0, 0])  # [3 2 1]
    """
    return _loaded(bytes, "load_image_bytes(bytes)", is_color)


def load_image(file: str, is_color: bool = True) -> np.ndarray:
    """Reads an image file; it is turned as its Exif data says.

    Args:
        file (str): its path.
        is_color (bool, optional): whether to give colours, otherwise the brightness. Default: True.

    Returns:
        numpy.ndarray: uint8, [H, W, 3] in the order blue, green, red; or [H, W].

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no image, or damaged.

    Examples:
        .. code-block:: python

            import os, tempfile
            from PIL import Image
            from paddle.dataset.image import load_image

            path = os.path.join(tempfile.mkdtemp(), "red.png")
            Image.new("RGB", (3, 2), (255, 0, 0)).save(path)
            print(load_image(path).shape, load_image(path, is_color=False)[0, 0])  # (2, 3, 3) 76
    """
    try:
        with open(file, "rb") as opened:
            content = opened.read()
    except FileNotFoundError:
        raise MissingFileError(
            f"load_image(file): expected a file at {file}, but there is none."
        ) from None
    return _loaded(content, file, is_color)


def _loaded(content: bytes, where: str, is_color: bool) -> np.ndarray:
    image = decode(content, where, "pil", gray=not is_color)
    form = image.format
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits
        pixels = (np.asarray(image).astype(np.int64) >> 8).astype(np.uint8)
        return np.repeat(pixels[:, :, None], 3, axis=2) if is_color else pixels
    if is_color:
        return np.ascontiguousarray(np.asarray(image.convert("RGB"))[..., ::-1])
    if form == "PNG" and image.mode not in ("1", "L", "LA"):
        # As libpng does it, which has its own weights and rounds down.
        red, green, blue = np.moveaxis(np.asarray(image.convert("RGB")).astype(np.int32), 2, 0)
        return (red * 9797 + green * 19234 + blue * 3737 >> 15).astype(np.uint8)
    return np.array(image.convert("L"))


def _check_image(api: str, im: Any, ndims: Sequence[int] = (2, 3)) -> None:
    if not isinstance(im, np.ndarray) or im.ndim not in ndims:
        got = str(list(im.shape)) if isinstance(im, np.ndarray) else type(im).__name__
        shapes = " or ".join({2: "[H, W]", 3: "[H, W, C]"}[n] for n in ndims)
        raise InvalidArgumentError(f"{api}(im): expected an array {shapes}, but received {got}.")


def resize_short(im: np.ndarray, size: int) -> np.ndarray:
    """Resizes an image so that its shorter edge has a given length, by bicubic interpolation.

    Args:
        im (numpy.ndarray): [H, W, C] or [H, W].
        size (int): the length of the shorter edge.

    Returns:
        numpy.ndarray: the image, with its proportions kept.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset.image import resize_short
            print(resize_short(np.zeros([40, 20, 3], "uint8"), 10).shape)  # (20, 10, 3)
    """
    _check_image("resize_short", im)
    if size < 1:
        raise InvalidArgumentError(f"resize_short(size): expected at least 1, but received {size}.")
    height, width = im.shape[:2]
    new = (size * height // width, size) if height > width else (size, size * width // height)
    return array_resize.resize(im, new, "bicubic")


def to_chw(im: np.ndarray, order: Sequence[int] = (2, 0, 1)) -> np.ndarray:
    """Brings the axes of an image into another order: channels first, if not told otherwise.

    Args:
        im (numpy.ndarray): [H, W, C].
        order (Sequence[int], optional): for each new axis which one it was. Default: (2, 0, 1).

    Returns:
        numpy.ndarray: a view of the image.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset.image import to_chw
            print(to_chw(np.zeros([4, 5, 3])).shape)  # (3, 4, 5)
    """
    if im.ndim != len(order):
        raise InvalidArgumentError(
            f"to_chw(order): expected an entry for each of the {im.ndim} axes of the image, "
            f"but received {list(order)}."
        )
    return im.transpose(order)


def center_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """Cuts the middle out of an image.

    Args:
        im (numpy.ndarray): [H, W, C] or [H, W].
        size (int): the edge of the square.
        is_color (bool, optional): whether the image has channels. Default: True.

    Returns:
        numpy.ndarray: a view of the image.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset.image import center_crop
            print(center_crop(np.zeros([8, 6, 3]), 4).shape)  # (4, 4, 3)
    """
    _check_crop("center_crop", im, size, is_color)
    top, left = (im.shape[0] - size) // 2, (im.shape[1] - size) // 2
    return im[top : top + size, left : left + size]


def random_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """Cuts a square out of an image at a random place, by NumPy's random state.

    Args:
        im (numpy.ndarray): [H, W, C] or [H, W].
        size (int): the edge of the square.
        is_color (bool, optional): whether the image has channels. Default: True.

    Returns:
        numpy.ndarray: a view of the image.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset.image import random_crop
            print(random_crop(np.zeros([8, 6, 3]), 4).shape)  # (4, 4, 3)
    """
    _check_crop("random_crop", im, size, is_color)
    top = np.random.randint(0, im.shape[0] - size + 1)
    left = np.random.randint(0, im.shape[1] - size + 1)
    return im[top : top + size, left : left + size]


def _check_crop(api: str, im: np.ndarray, size: int, is_color: bool) -> None:
    _check_image(api, im, (3,) if is_color else (2, 3))
    if not 1 <= size <= min(im.shape[:2]):
        raise InvalidArgumentError(
            f"{api}(size): expected from 1 to the shorter edge of the image "
            f"{list(im.shape)}, but received {size}."
        )


def left_right_flip(im: np.ndarray, is_color: bool = True) -> np.ndarray:
    """Mirrors an image left to right.

    Args:
        im (numpy.ndarray): [H, W, C] or [H, W].
        is_color (bool, optional): whether the image has channels; its dimensions tell. Default:
            True.

    Returns:
        numpy.ndarray: a view of the image.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset.image import left_right_flip
            print(left_right_flip(np.array([[1, 2]]), is_color=False))  # [[2 1]]
    """
    _check_image("left_right_flip", im)
    return im[:, ::-1]


def simple_transform(
    im: np.ndarray,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> np.ndarray:
    """Prepares an image for a network: resized, cropped, channels first, less the mean.

    Args:
        im (numpy.ndarray): [H, W, C] or [H, W].
        resize_size (int): what the shorter edge is brought to.
        crop_size (int): the edge of the square that is cut out.
        is_train (bool): cut at a random place and mirror half of the images; otherwise the middle.
        is_color (bool, optional): whether the image has channels. Default: True.
        mean (array|list, optional): of each channel, or of each element. Default: None.

    Returns:
        numpy.ndarray: float32, [C, crop_size, crop_size] or [crop_size, crop_size].

    Raises:
        ValueError: the image is smaller than ``crop_size``, or ``mean`` does not fit it.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset.image import simple_transform
            image = np.full([40, 30, 3], 9, "uint8")
            print(simple_transform(image, 16, 12, False, mean=[1, 2, 3])[:, 0, 0])  # [8. 7. 6.]
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color)
    im = (to_chw(im) if im.ndim == 3 else im).astype(np.float32)
    if mean is None:
        return im
    means = np.array(mean, dtype=np.float32)
    if means.ndim == 1 and is_color:
        means = means[:, None, None]
    try:
        return np.subtract(im, means, out=im)
    except ValueError:
        raise InvalidArgumentError(
            f"simple_transform(mean): expected one for each channel, or for each element of the "
            f"image {list(im.shape)}, but received the shape {list(np.shape(mean))}."
        ) from None


def load_and_transform(
    filename: str,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> np.ndarray:
    """Reads an image file and prepares it as :func:`simple_transform` does.

    Args:
        filename (str): its path.
        resize_size (int): what the shorter edge is brought to.
        crop_size (int): the edge of the square that is cut out.
        is_train (bool): cut at a random place and mirror half of the images; otherwise the middle.
        is_color (bool, optional): whether to read colours. Default: True.
        mean (array|list, optional): of each channel, or of each element. Default: None.

    Returns:
        numpy.ndarray: float32, [3, crop_size, crop_size] or [crop_size, crop_size].

    Examples:
        .. code-block:: python

            import os, tempfile
            from PIL import Image
            from paddle.dataset.image import load_and_transform

            path = os.path.join(tempfile.mkdtemp(), "red.png")
            Image.new("RGB", (30, 40), (255, 0, 0)).save(path)
            print(load_and_transform(path, 16, 12, False).shape)  # (3, 12, 12)
    """
    image = load_image(filename, is_color)
    return simple_transform(image, resize_size, crop_size, is_train, is_color, mean)


guard_module(globals())
