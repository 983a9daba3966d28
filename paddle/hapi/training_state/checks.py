"""What a part of a training state says when the file does not fit it."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from paddle.core.dtype import dtype_name, numpy_dtype
from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.core.tensor import Tensor

WHERE = "TrainingState.load"
_LISTED = 6


def mismatch(part: str, text: str) -> InvalidArgumentError:
    """The error for a state that does not fit; nothing has been changed by then."""
    return InvalidArgumentError(
        f"{WHERE}: {part}: {text}",
        hint="the objects given to TrainingState have to be made as in the run that saved it; "
        "nothing was loaded",
    )


def expect_dict(part: str, saved: Any, keys: Iterable[Any]) -> dict[Any, Any]:
    """Returns ``saved`` if it is a dict with just these keys."""
    keys = list(keys)
    if not isinstance(saved, dict):
        raise mismatch(part, f"expected a dict, but the file has {type(saved).__name__}.")
    lacking = [key for key in keys if key not in saved]
    known = set(keys)
    surplus = [key for key in saved if key not in known]
    if lacking or surplus:
        told = [f"it lacks {_listing(lacking)}"] if lacking else []
        told += [f"it has {_listing(surplus)} besides"] if surplus else []
        raise mismatch(part, f"the file belongs to something else: {', and '.join(told)}.")
    return saved


def _listing(names: list[Any]) -> str:
    shown = ", ".join(f"{str(name)[:60]!r}" for name in names[:_LISTED])
    return shown + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def checked(part: Any, name: str, saved: Any) -> None:
    """Lets a part look at its data; whatever it stumbles over is a fault of the file."""
    try:
        part.check(saved)
    except FrameworkError:
        raise
    except Exception as error:
        raise mismatch(name, f"the data is malformed ({type(error).__name__}).") from error


def expect_like(part: str, saved: dict[str, Any], now: dict[str, Any]) -> None:
    """Raises where a number of the present state has something else than one in the file."""
    for key, value in now.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if number and saved[key] is not None and not isinstance(saved[key], Real):
            raise mismatch(
                part, f"expected a number as {key!r}, but the file has {type(saved[key]).__name__}."
            )


def expect_tensor(part: str, saved: Any, tensor: Tensor) -> None:
    """Raises unless an array can become the value of a Tensor."""
    if not isinstance(saved, np.ndarray):
        raise mismatch(part, f"expected an array, but the file has {type(saved).__name__}.")
    wanted = numpy_dtype(tensor.dtype)
    if list(saved.shape) != tensor.shape or saved.dtype != wanted:
        raise mismatch(
            part,
            f"expected {dtype_name(tensor.dtype)} of shape {tensor.shape}, but the file has "
            f"{saved.dtype} of shape {list(saved.shape)}.",
        )
