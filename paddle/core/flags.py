"""All flags in one typed table; each can be set by environment variable or paddle.set_flags."""

from __future__ import annotations

import difflib
import os
from typing import Any

from paddle.core.errors import InvalidArgumentError

# name -> (default, what it does)
TABLE: dict[str, tuple[Any, str]] = {
    "FLAGS_check_nan_inf": (False, "stop at the operator that makes a NaN or an infinity"),
    "FLAGS_selected_gpus": ("0", "GPU this process uses, as a launcher sets it"),
}
_values: dict[str, Any] = {}


def _parse(name: str, text: Any) -> Any:
    default = TABLE[name][0]
    if isinstance(default, bool):
        if isinstance(text, str):
            return text.strip().lower() in ("1", "true", "yes", "on")
        return bool(text)
    try:
        return type(default)(text)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"flag {name}: expected {type(default).__name__}, but received {text!r}."
        ) from None


def _known(name: str) -> str:
    if name in TABLE:
        return name
    near = difflib.get_close_matches(name, TABLE, n=1)
    raise InvalidArgumentError(
        f"there is no flag {name!r}.",
        hint=f"did you mean {near[0]}?" if near else f"there are {list(TABLE)}",
    )


def get(name: str) -> Any:
    """Returns the value of a flag: as set, else from the environment, else its default."""
    _known(name)
    if name not in _values:
        text = os.environ.get(name)
        _values[name] = TABLE[name][0] if text is None else _parse(name, text)
    return _values[name]
