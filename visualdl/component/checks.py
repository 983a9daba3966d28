"""What the components ask of arguments.

Each error names the argument, says what was expected, and what came.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Mapping, Sequence
from typing import Any

from visualdl.record import Record, Value

_SECONDS = 2_000_000_000
"""Times below are seconds, and milliseconds above: in seconds this is the year 2033."""
_BFLOAT16 = ("VarType.BF16", "paddle.bfloat16", "torch.bfloat16")


def record(tag: str, step: Any, walltime: Any, **member: Any) -> Any:
    """Gives a Record of one value, whose tag, step and time are checked."""
    return Record(
        values=[
            Value(
                id=step_number(step), tag=tag_name(tag), timestamp=milliseconds(walltime), **member
            )
        ]
    )


def tag_name(tag: Any, name: str = "tag") -> str:
    """Checks a tag.

    Args:
        tag (str): the name of a row of values.
        name (str): what the argument is called.

    Returns:
        str: the tag.

    Raises:
        ValueError: it is no text, is empty, or holds `%`, which VisualDL's reader takes for `/`.
    """
    if not isinstance(tag, str) or not tag:
        raise ValueError(f"{name}: expected a text that is not empty, but got {tag!r}.")
    if "%" in tag:
        raise ValueError(f"{name}: % cannot be in a name, it is read as /; got {tag!r}.")
    return text(tag, name)


def text(value: Any, name: str) -> str:
    """Checks that a text can be stored: UTF-8 has no halves of surrogate pairs."""
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a text, but got {_kind(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: {value!r} is not Unicode text: {error.reason}.") from error
    return value


def whole(value: Any, name: str, least: int = -(1 << 63), most: int = (1 << 63) - 1) -> int:
    """Checks a whole number, which may be a Tensor or of NumPy.

    Raises:
        ValueError: it is none, or out of range.
    """
    try:
        number = operator.index(value)
    except TypeError:
        wide = real(value, name)
        if not math.isfinite(wide) or wide != int(wide):
            raise ValueError(f"{name}: expected a whole number, but got {value!r}.") from None
        number = int(wide)
    if not least <= number <= most:
        raise ValueError(f"{name}: expected {least} to {most}, but got {number}.")
    return number


def step_number(step: Any) -> int:
    """Checks a step; None stands for 0."""
    return 0 if step is None else whole(step, "step")


def milliseconds(walltime: Any) -> int:
    """Gives the time a record gets: now where none is given.

    A float is seconds, as `time.time()` gives them, where it is too small to be milliseconds;
    a whole number is stored as it is.
    """
    if walltime is None:
        return round(time.time() * 1000)
    try:
        return whole(operator.index(walltime), "walltime")
    except TypeError:
        wide = real(walltime, "walltime")
    if not math.isfinite(wide):
        raise ValueError(f"walltime: expected a time, but got {walltime!r}.")
    return whole(round(wide * 1000 if abs(wide) < _SECONDS else wide), "walltime")


def shown_time(timestamp: int) -> int:
    """Gives the milliseconds of a record's time, which older programs wrote in seconds."""
    return timestamp * 1000 if 0 <= timestamp < _SECONDS else timestamp


def real(value: Any, name: str) -> float:
    """Gives a number as a float: of Python, of NumPy, or a Tensor of one element.

    Raises:
        ValueError: it is no single number.
    """
    if not isinstance(value, str):
        try:
            if not getattr(value, "ndim", 0) and not hasattr(value, "numpy"):
                return float(value)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            pass
        try:
            found = array(value, name)
        except ValueError:
            found = None
        if found is not None and found.size == 1 and found.dtype.kind in "biuf":
            return float(found.reshape(-1)[0])
    raise ValueError(f"{name}: expected one number, but got {_kind(value)}.")


def logged_number(value: Any, name: str) -> float:
    """Gives a number to log, which may be written as text: PaddleDetection gives "0.123456".

    Raises:
        ValueError: it is no single number.
    """
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            pass
    return real(value, name)


def array(value: Any, name: str) -> Any:
    """Gives numbers as a NumPy array: a Tensor, an array, a number, or lists of them.

    Raises:
        ValueError: they are no numbers, or rows have unequal lengths.
    """
    import numpy as np

    try:
        found = np.asarray(_plain(value))
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{name}: expected numbers, but got {_kind(value)}: {error}") from error
    if found.dtype.kind == "V" and "float" in found.dtype.name:  # bfloat16 of ml_dtypes
        found = found.astype(np.float32)
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected numbers, but got {_kind(value)}.")
    return found


def _plain(value: Any) -> Any:
    """Takes Tensors out of a value; they are known by their method `numpy`."""
    if callable(getattr(value, "numpy", None)):
        if str(getattr(value, "dtype", "")) in _BFLOAT16:  # paddle gives its bits as uint16
            value = value.astype("float32") if hasattr(value, "astype") else value.float()
        try:
            return value.numpy()
        except (RuntimeError, TypeError):  # of a device, or with a gradient
            return value.detach().cpu().numpy()
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def number_shown(value: float) -> float | str:
    """Gives a number as JSON can have it: NaN and infinities are texts."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def names(values: Any, name: str) -> list[str]:
    """Checks a row of texts."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, (Sequence, set)):
        raise ValueError(f"{name}: expected a list of texts, but got {_kind(values)}.")
    return [text(value, name) for value in values]


def _kind(value: Any) -> str:
    """Says what a value is, for errors."""
    shape = getattr(value, "shape", None)  # of a class it is no shape
    shown = f"shape {tuple(shape)}" if isinstance(shape, (tuple, list)) else repr(value)
    return f"{type(value).__name__} {shown if len(shown) < 80 else shown[:77] + '...'}"
