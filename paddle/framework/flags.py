"""Reading and setting flags, which are also read from the environment."""

from __future__ import annotations

from typing import Any

from paddle.core import flags as _flags

__all__ = ["get_flags", "set_flags"]


def set_flags(flags: dict[str, Any]) -> None:
    """Sets flags for this process; the environment variables of their names are the defaults.

    Args:
        flags (dict): flag -> value.

    Raises:
        TypeError: flags is no dict.
        ValueError: there is no such flag, or it takes values of another kind; nothing is set.

    Examples:
        .. code-block:: python

            import paddle
            paddle.set_flags({"FLAGS_check_nan_inf": False})
    """
    if not isinstance(flags, dict):
        raise TypeError(f"set_flags(flags): expected a dict, but received {type(flags).__name__}.")
    before = {name: _flags.get(name) for name in flags}  # raises where there is no such flag
    try:
        for name, value in flags.items():
            _flags.set(name, value)
    except Exception:
        for name, value in before.items():
            _flags.set(name, value)
        raise


def get_flags(flags: str | list[str] | tuple[str, ...]) -> dict[str, Any]:
    """Returns the values of flags.

    Args:
        flags (str|list|tuple): one flag or several.

    Returns:
        dict: flag -> value.

    Raises:
        TypeError: flags is neither a str nor a list or tuple.
        ValueError: there is no such flag.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.get_flags("FLAGS_check_nan_inf"))  # {'FLAGS_check_nan_inf': False}
    """
    if isinstance(flags, str):
        flags = [flags]
    if not isinstance(flags, (list, tuple)):
        raise TypeError(
            f"get_flags(flags): expected a str, a list or a tuple, but received "
            f"{type(flags).__name__}."
        )
    return {name: _flags.get(name) for name in flags}
