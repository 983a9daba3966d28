"""Helpers from the time of Python 2: text and bytes, rounding away from zero."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.guards import guard_module

__all__ = [
    "floor_division", "get_exception_message", "long_type", "round", "to_bytes", "to_text",
]  # fmt: skip

long_type = int


def _each(obj: Any, convert: Any, inplace: bool) -> Any:
    """Converts the entries of a list or set (into itself with ``inplace``), or one object."""
    if isinstance(obj, list):
        made: Any = [convert(item) for item in obj]
        if not inplace:
            return made
        obj[:] = made
        return obj
    if isinstance(obj, set):
        made = {convert(item) for item in obj}
        if not inplace:
            return made
        obj.clear()
        obj.update(made)
        return obj
    return convert(obj)


def to_text(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Decodes bytes, alone or as the entries of a list, a set, or the keys and values of a dict.

    Args:
        obj (bytes|str|list|set|dict|int|float|bool|None): what is neither bytes nor a container
            is returned as it is.
        encoding (str, optional): Default: "utf-8".
        inplace (bool, optional): whether a container is changed itself. Default: False, a new one.

    Returns:
        The str, or the container with str in it.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.compat.to_text([b"a", "b"]))  # ['a', 'b']
    """

    def convert(item: Any) -> Any:
        if isinstance(item, bytes):
            return item.decode(encoding)
        if item is None or isinstance(item, (str, bool, int, float)):
            return item
        if isinstance(item, (list, set, dict)):
            return to_text(item, encoding, inplace)
        return str(item)

    if isinstance(obj, dict):
        made = {convert(key): convert(value) for key, value in obj.items()}
        if not inplace:
            return made
        obj.clear()
        obj.update(made)
        return obj
    return _each(obj, convert, inplace)


def to_bytes(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Encodes str, alone or as the entries of a list or a set.

    Args:
        obj (str|bytes|list|set|None): None and bytes are returned as they are.
        encoding (str, optional): Default: "utf-8".
        inplace (bool, optional): whether a container is changed itself. Default: False, a new one.

    Returns:
        The bytes, or the container with bytes in it.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.compat.to_bytes(["a", b"b"]))  # [b'a', b'b']
    """

    def convert(item: Any) -> Any:
        if item is None or isinstance(item, bytes):
            return item
        return str(item).encode(encoding)

    return _each(obj, convert, inplace)


def round(x: float, d: int = 0) -> float:
    """Rounds half away from zero, as Python 2 did; Python 3 rounds half to even.

    Args:
        x (float): the number; infinity and NaN are returned as they are.
        d (int, optional): digits to keep behind the point. Default: 0.

    Returns:
        float: the rounded number.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.compat.round(2.5), paddle.compat.round(-2.5))  # 3.0 -3.0
    """
    if math.isinf(x) or math.isnan(x) or x == 0.0:
        return float(x)
    if abs(d) > 400:  # beyond the digits of any float
        return float(x) if d > 0 else math.copysign(0.0, x)
    unit = 10**d
    return math.copysign(math.floor(abs(x) * unit + 0.5) / unit, x)


def floor_division(x: int, y: int) -> int:
    """Returns ``x // y``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.compat.floor_division(7, 2))  # 3
    """
    return x // y


def get_exception_message(exc: BaseException) -> str:
    """Returns what an exception says.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.compat.get_exception_message(ValueError("no")))  # no
    """
    if not isinstance(exc, BaseException):
        raise TypeError(
            f"get_exception_message(exc): expected an exception, but received {type(exc).__name__}."
        )
    return str(exc)


guard_module(globals())
