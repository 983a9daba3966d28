"""Which library reads image files, and reading one."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from PIL import Image

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.parsers.pictures import decoding

__all__ = ["set_image_backend", "get_image_backend", "image_load"]


_BACKENDS = ("pil", "cv2", "tensor")
_backend = "pil"


def _checked(api: str, backend: Any) -> str:
    if backend not in _BACKENDS:
        raise InvalidArgumentError(
            f"{api}: 'backend' must be one of {list(_BACKENDS)}, got {backend!r}."
        )
    return backend


def set_image_backend(backend: str) -> None:
    """Choose what :func:`image_load` and the image datasets return.

    Args:
        backend (str): 'pil', 'cv2' or 'tensor', see :func:`image_load`.

    Raises:
        ValueError: `backend` is unknown.

    Examples:
        .. code-block:: python

            from paddle.vision import get_image_backend, set_image_backend

            set_image_backend("cv2")
            print(get_image_backend())  # cv2
            set_image_backend("pil")
    """
    global _backend
    _backend = _checked("set_image_backend", backend)


def get_image_backend() -> str:
    """Return the backend chosen by :func:`set_image_backend`; 'pil' at first.

    Returns:
        str: 'pil', 'cv2' or 'tensor'.

    Examples:
        .. code-block:: python

            from paddle.vision import get_image_backend

            print(get_image_backend())  # pil
    """
    return _backend


def image_load(path: str, backend: str | None = None) -> Any:
    """Read an image file.

    Args:
        path (str): the file.
        backend (str, optional): what to return: 'pil', a PIL.Image; 'cv2', a uint8 numpy.ndarray of
            shape (H, W, 3) with the channels in the order blue, green, red; 'tensor', a uint8
            Tensor of shape (C, H, W). Default None, what :func:`set_image_backend` chose.
            OpenCV is not needed for any of them.

    Returns:
        PIL.Image|numpy.ndarray|Tensor: the image.

    Raises:
        TypeError: `path` is not a path.
        ValueError: `backend` is unknown.
        FileNotFoundError: there is no such file.
        OSError, ValueError: the file is damaged or no image; the text names it. (A 'pil' image is
            decoded when it is used.)

    Examples:
        .. code-block:: python

            import numpy as np
            from PIL import Image
            from paddle.vision import image_load

            Image.fromarray(np.zeros((4, 5, 3), "uint8")).save("black.png")
            print(image_load("black.png").size)  # (5, 4)
            print(image_load("black.png", backend="cv2").shape)  # (4, 5, 3)
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"image_load: 'path' must be a str, got {type(path).__name__}: {path!r}.")
    backend = _checked("image_load", _backend if backend is None else backend)
    with decoding(os.fspath(path)):
        if backend == "pil":
            return Image.open(path)
        with Image.open(path) as img:
            if backend == "cv2":
                return np.ascontiguousarray(np.asarray(img.convert("RGB"))[..., ::-1])
            array = np.asarray(img if img.mode in ("L", "RGB") else img.convert("RGB"))
    import paddle

    planes = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
    return paddle.to_tensor(np.ascontiguousarray(planes))


def load_sample(path: str) -> Any:
    """Read an image for a dataset: decoded, and in RGB where it is a PIL image."""
    image = image_load(path)
    if not isinstance(image, Image.Image):
        return image
    with decoding(os.fspath(path)):
        if image.mode != "RGB":
            return image.convert("RGB")
        image.load()
    return image


guard_module(globals())
