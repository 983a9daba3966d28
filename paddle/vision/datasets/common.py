"""What the image datasets share: checking arguments, decoding images."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.files import check_mode
from paddle.dataset.parsers.pictures import opened

_BACKENDS = ("pil", "cv2")


def check_arguments(
    api: str, mode: Any, modes: tuple[str, ...], transform: Any, backend: Any
) -> tuple[str, str]:
    """Checks the arguments all datasets take and returns the mode and the backend.

    Args:
        api (str): name of the dataset, for messages.
        mode (str): part of the dataset, in any case.
        modes (tuple): the parts there are.
        transform (callable|None): what is applied to images.
        backend (str|None): kind of images; None means the one set for paddle.vision.
    """
    mode = check_mode(api, mode, modes)
    if transform is not None and not callable(transform):
        raise TypeError(
            f"{api}(transform): expected a function or None, "
            f"but received {type(transform).__name__}."
        )
    if backend is None:
        from paddle.vision.image import get_image_backend

        backend = get_image_backend()
        # The vision module knows 'tensor' as well; a dataset of files starts from arrays then.
        backend = backend if backend in _BACKENDS else "cv2"
    if backend not in _BACKENDS:
        raise InvalidArgumentError(
            f"{api}(backend): expected one of {list(_BACKENDS)} or None, but received {backend!r}."
        )
    return mode, backend


def decode(content: bytes, where: str, backend: str) -> Any:
    """Decodes an image file to a PIL image, or for 'cv2' to an array [H, W, C] or [H, W]."""
    image = opened(content, where)
    return image if backend == "pil" else np.array(image)
