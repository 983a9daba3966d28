"""Brings the many forms of strides, paddings and sizes that users may write into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def check_input(api: str, name: str, x: Any, rank: int) -> None:
    """Raises unless ``x`` is a Tensor of ``rank`` dimensions."""
    if not hasattr(x, "stop_gradient"):
        raise TypeError(f"{api}({name}): expected a Tensor, but received {type(x).__name__}.")
    if len(x.shape) != rank:
        raise InvalidArgumentError(
            f"{api}({name}): expected a Tensor of {rank} dimensions, but received shape {x.shape}."
        )


def channel_last(api: str, data_format: Any, rank: int) -> bool:
    """Says whether ``data_format`` has channels last; raises unless it is one for ``rank``."""
    first, last = _FORMATS[rank]
    if data_format == first:
        return False
    if data_format == last:
        return True
    raise InvalidArgumentError(
        f"{api}(data_format): expected {first!r} or {last!r}, but received {data_format!r}."
    )


def integer(api: str, name: str, value: Any) -> int:
    """Returns an int, a NumPy integer or a Tensor of one element as an int."""
    if type(value) is int:
        return value
    if isinstance(value, (bool, str, float)) or not (
        hasattr(value, "__index__") or hasattr(value, "stop_gradient")
    ):
        raise ArgumentTypeError(f"{api}({name}): expected an integer, but received {value!r}.")
    try:
        return int(value)
    except (TypeError, ValueError):  # a class, an array or a Tensor of several
        came = f"{type(value).__name__} {value!r:.60}"
        raise ArgumentTypeError(
            f"{api}({name}): expected an integer, but received {came}."
        ) from None


def integers(api: str, name: str, value: Any, count: int, least: int = 1) -> list[int]:
    """Returns one integer, or ``count`` of them, as a list of ``count``.

    Args:
        api, name (str): what to call it in an error.
        value (int|Sequence[int|Tensor]|Tensor): what the user gave; a sequence of one counts as
            one integer.
        count (int): number of spatial dimensions.
        least (int): the smallest allowed value.
    """
    if type(value) is int and value >= least:  # the usual case, quickly
        return [value] * count
    if hasattr(value, "stop_gradient"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        listed = [integer(api, name, v) for v in value]
        if len(listed) == 1:
            listed = listed * count
    else:
        listed = [integer(api, name, value)] * count
    if len(listed) != count:
        raise InvalidArgumentError(
            f"{api}({name}): expected one integer or {count}, but received {value!r}."
        )
    if min(listed) < least:
        raise InvalidArgumentError(
            f"{api}({name}): expected integers of at least {least}, but received {value!r}."
        )
    return listed


def padding_of(api: str, padding: Any, rank: int, last: bool) -> tuple[list[int], str]:
    """Returns paddings - ``rank`` of them, or two for each dimension - and the algorithm.

    Args:
        api (str): what to call it in an error.
        padding: ``'SAME'``, ``'VALID'``, one integer, one per dimension, two per dimension (in
            front, behind), or a pair for every dimension including batch and channels.
        rank (int): number of spatial dimensions.
        last (bool): whether channels come last.
    """
    if type(padding) is int and padding >= 0:  # the usual case, quickly
        return [padding] * rank, "EXPLICIT"
    if isinstance(padding, str):
        algorithm = padding.upper()
        if algorithm not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f"{api}(padding): expected 'SAME', 'VALID' or numbers, but received {padding!r}."
            )
        return [0] * rank, algorithm
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        padding = _from_pairs(api, padding, rank, last)
    if isinstance(padding, (list, tuple)) and len(padding) == 2 * rank:
        both = integers(api, "padding", padding, 2 * rank, least=0)
        return (both[::2] if both[::2] == both[1::2] else both), "EXPLICIT"
    return integers(api, "padding", padding, rank, least=0), "EXPLICIT"


def _from_pairs(api: str, padding: Sequence, rank: int, last: bool) -> list[int]:
    pairs = [list(p) for p in padding]
    inner = pairs[1:-1] if last else pairs[2:]
    outer = [pairs[0], pairs[-1 if last else 1]] if len(pairs) > 1 else []
    if len(pairs) != rank + 2 or any(len(p) != 2 for p in pairs):
        raise InvalidArgumentError(
            f"{api}(padding): expected {rank + 2} pairs, one per dimension, "
            f"but received {list(padding)!r}."
        )
    if any(any(p) for p in outer):
        raise InvalidArgumentError(
            f"{api}(padding): expected no padding of batch and channels, "
            f"but received {list(padding)!r}."
        )
    return [n for p in inner for n in p]


def both_sides(paddings: list[int], rank: int) -> list[int]:
    """Returns padding in front and behind for every dimension."""
    return paddings if len(paddings) == 2 * rank else [p for p in paddings for _ in range(2)]
