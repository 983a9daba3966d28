"""Images: arrays in, PNG out."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Sequence
from typing import Any

from visualdl.component import checks
from visualdl.record import Record

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_GRID = 8
"""Columns of the picture that is made of a batch."""


def to_record(tag: str, img: Any, step: Any, walltime: Any = None, dataformats: str = "HWC") -> Any:
    """Gives an image as a Record; see `LogWriter.add_image`."""
    return packed(tag, encoded(pixels(img, dataformats)), step, walltime)


def matrix_to_record(
    tag: str,
    imgs: Any,
    step: Any,
    rows: Any = -1,
    scale: Any = 1.0,
    walltime: Any = None,
    dataformats: str = "HWC",
) -> Any:
    """Gives several images as one; see `LogWriter.add_image_matrix`."""
    if callable(getattr(imgs, "numpy", None)) or hasattr(imgs, "ndim"):
        imgs = list(checks.array(imgs, "imgs"))
    if not isinstance(imgs, Sequence) or not len(imgs):
        raise ValueError(f"imgs: expected a list of images, but got {imgs!r}.")
    parts = [pixels(img, dataformats, "imgs") for img in imgs]
    count = checks.whole(rows, "rows")
    if count != -1 and not 1 <= count <= len(parts):
        raise ValueError(f"rows: expected -1 or 1 to {len(parts)}, but got {count}.")
    factor = checks.real(scale, "scale")
    if not 0 < factor < 1e4:
        raise ValueError(f"scale: expected a number above 0, but got {scale!r}.")
    if count == -1:
        count = math.ceil(len(parts) / math.ceil(math.sqrt(len(parts))))
    whole = tiled(parts, math.ceil(len(parts) / count))
    return packed(tag, encoded(whole, factor), step, walltime)


def figure_to_record(tag: str, figure: Any, step: Any, walltime: Any = None) -> Any:
    """Gives a drawing of Matplotlib as a Record; see `LogWriter.add_figure`."""
    if not callable(getattr(figure, "savefig", None)):
        raise ValueError(f"figure: expected a Figure of Matplotlib, but got {figure!r}.")
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi="figure")
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and isinstance(figure, pyplot.Figure):
        pyplot.close(figure)  # as VisualDL does: it would be kept for ever otherwise
    return packed(tag, data.getvalue(), step, walltime)


def packed(tag: str, data: bytes, step: Any, walltime: Any) -> Any:
    """Gives a PNG as a Record."""
    return checks.record(tag, step, walltime, image=Record.Image(encoded_image_string=data))


def pixels(img: Any, dataformats: str, name: str = "img") -> Any:
    """Gives an image as an array of bytes: height, width, channels.

    Numbers up to 1 are taken for shares of white, larger ones for levels up to 255; what lies
    outside is cut off, and NaN is black. Four axes (with `N`) give one picture of all images.

    Raises:
        ValueError: the array has not the axes that `dataformats` names.
    """
    import numpy as np

    axes = str(dataformats).upper()
    if "".join(sorted(axes)) not in ("HW", "CHW", "CHNW"):
        raise ValueError(f"dataformats: expected HW, HWC, CHW or NCHW, but got {dataformats!r}.")
    found = checks.array(img, name)
    if found.ndim == 2 and axes == "HWC":
        axes = "HW"
    if found.ndim != len(axes) or not found.size:
        raise ValueError(
            f"{name}: expected {len(axes)} axes as {axes} names them, none empty, "
            f"but got shape {found.shape}."
        )
    order = [axes.index(axis) for axis in "NHWC" if axis in axes]
    found = levels(found.transpose(order))
    if found.ndim == 2:
        found = found[:, :, None]
    if found.shape[-1] not in _MODES:
        first = len(axes) == 3 and np.shape(img)[0] in _MODES
        hint = " Where the channels come first, say dataformats='CHW'." if first else ""
        raise ValueError(
            f"{name}: expected 1 to 4 channels, but got shape {np.shape(img)} as {axes}.{hint}"
        )
    return tiled(list(found), min(len(found), _GRID)) if found.ndim == 4 else found


def levels(found: Any) -> Any:
    """Gives numbers as bytes."""
    import numpy as np

    if found.dtype == bool:
        return found.astype(np.uint8) * np.uint8(255)
    if found.dtype.kind == "f":
        wide = np.nan_to_num(found.astype(np.float64), nan=0.0, posinf=255.0, neginf=0.0)
        if wide.max() <= 1 and wide.min() >= 0:
            wide = wide * 255
        return wide.clip(0, 255).astype(np.uint8)
    if found.min() >= 0 and found.max() <= 1:  # a mask
        return found.astype(np.uint8) * np.uint8(255)
    return found.clip(0, 255).astype(np.uint8)


def tiled(parts: list[Any], columns: int) -> Any:
    """Puts images side by side, row by row; smaller ones stand in the middle of their place."""
    import numpy as np

    height = max(part.shape[0] for part in parts)
    width = max(part.shape[1] for part in parts)
    depth = max(part.shape[2] for part in parts)
    rows = math.ceil(len(parts) / columns)
    whole = np.zeros((rows * height, columns * width, depth), np.uint8)
    for number, part in enumerate(parts):
        row, column = divmod(number, columns)
        top = row * height + (height - part.shape[0]) // 2
        left = column * width + (width - part.shape[1]) // 2
        place = whole[top : top + part.shape[0], left : left + part.shape[1]]
        place[:] = _deepened(part, depth)
    return whole


def _deepened(part: Any, depth: int) -> Any:
    """Gives an image a number of channels: grey becomes a colour, what has no alpha is opaque."""
    import numpy as np

    have = part.shape[2]
    if have == depth:
        return part
    colours = part[:, :, : (1 if have < 3 else 3)]
    alpha = part[:, :, -1:] if have in (2, 4) else np.full_like(part[:, :, :1], 255)
    if depth >= 3 and colours.shape[2] == 1:
        colours = colours.repeat(3, 2)
    return np.concatenate([colours, alpha], 2)[:, :, :depth]


def encoded(found: Any, scale: float = 1.0) -> bytes:
    """Gives an array of bytes as a PNG."""
    from PIL import Image

    height, width, depth = found.shape
    flat = found[:, :, 0] if depth == 1 else found
    picture = Image.frombytes(_MODES[depth], (width, height), flat.tobytes())
    if scale != 1.0:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        picture = picture.resize(size)
    data = io.BytesIO()
    picture.save(data, format="PNG", compress_level=3)
    return data.getvalue()


def from_record(value: Any) -> Any:
    """Gives the picture of a record as an array: height, width, and channels if it has several."""
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(value.image.encoded_image_string)) as picture:
        return np.asarray(picture)


def to_json(value: Any) -> dict[str, int]:
    """Gives `{"step", "wallTime"}`; the picture itself is asked for by its place."""
    return {"step": value.id, "wallTime": checks.shown_time(value.timestamp)}
