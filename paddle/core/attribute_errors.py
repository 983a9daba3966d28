"""What a kernel that failed says about its attributes, in words about the operator.

The backend checks arguments of its own functions and names those: ``diagonal(): argument 'offset'
(position 2) must be int``. Here the attribute that was wrong is found by what its kernel takes by
default, and what is left of such texts loses the names that the user never wrote.
"""

from __future__ import annotations

import math
import operator
import re
from typing import Any

import numpy as np

from paddle.core.lazy_pattern import LazyPattern
from paddle.core.op import REQUIRED

_MEMORY = LazyPattern(
    r"can't allocate memory|out of memory|not enough memory|Storage size calculation overflow"
    r"|numel: integer multiplication overflow|maximum allowed (dimension|size) exceeded"
    r"|array is too big|Overflow when (trying to )?(calculat|comput)|Stride calculation overflow",
    re.I,
)
_BYTES = LazyPattern(r"tried to allocate (\d+) bytes")
# "diagonal(): argument 'offset' (position 2) must be int, not str"
_ARGUMENT = LazyPattern(
    r"argument '\w+'(?: \(position \d+\))? (?:must be .+?, (?:not|but found)"
    r"|(?:failed to unpack|must be))|invalid combination of arguments|argument '\w+'"
)
_TYPE_MET = LazyPattern(r"(?:, not|but found|but got|got) (\w+)")
_OVERFLOW = LazyPattern(
    r"Overflow when unpacking|too (large|big) to convert|without overflow|too large for a C"
    r"|SymIntArrayRef|int too (big|large)|out of range of int64"
    r"|cannot convert float (NaN|infinity)",
    re.I,
)
_FUNCTION = LazyPattern(
    r"^(?:torch\.|aten::|at::)?_?\w+(?:\.\w+)*\((?:torch\.\w+\{.*?\}.*?\]|)\): "
    r"|\b(?:aten|at|c10)::"
)
_FILE = LazyPattern(
    r"INTERNAL ASSERT FAILED.*|\[enforce fail at [^\]]*\]\s*|, please report a bug.*"
)
_LIBRARY = LazyPattern(r"\btorch\.")


def too_large(error: Exception, text: str) -> str | None:
    """The words for a result that does not fit into memory; None for other errors."""
    if not isinstance(error, MemoryError) and not _MEMORY.search(text):
        return None
    size = _BYTES.search(text)
    if size:
        return f"out of memory: cannot allocate memory, {int(size[1]):,} bytes were asked for."
    return "out of memory: cannot allocate memory, a result has more elements than there can be."


def wrong_attribute(op: Any, attrs: dict[str, Any], error: Exception, text: str) -> str | None:
    """Names the attribute that is not of the type its kernel takes; None if all of them are.

    Args:
        op (OpDef): the operator.
        attrs (dict): its attributes.
        error (Exception): what the kernel raised.
        text (str): the first line of that.
    """
    of_arguments = bool(_ARGUMENT.search(text) or _OVERFLOW.search(text))
    if not of_arguments and not isinstance(error, (TypeError, AttributeError, OverflowError)):
        return None
    for name, value in attrs.items():
        due = _due(op.attrs.get(name, REQUIRED), value, of_arguments)
        if due is not None:
            return f"attribute {name} is expected to be {due}, but received {_described(value)}."
    if not of_arguments:
        return None
    met = _TYPE_MET.search(text)
    for name, value in attrs.items():  # the type that the backend met, where a default is no help
        if met is not None and type(value).__name__ == met[1]:
            return f"attribute {name} does not take {_described(value)}."
    for name, value in attrs.items():
        if isinstance(value, (list, tuple)) and not all(map(_plain_number, value)):
            return (
                f"attribute {name} is expected to hold numbers, but received {_described(value)}."
            )
    return None


def _due(default: Any, value: Any, strict: bool) -> str | None:
    """What an attribute with this default takes, if the value is not that.

    ``strict`` tells a bool from an int, as the backend does.
    """
    if _huge(value):
        return "a number that fits into 64 bits"
    if value is default or hasattr(value, "stop_gradient"):
        return None
    if isinstance(default, bool):
        return None if isinstance(value, (bool, np.bool_, int)) else "a bool"
    if isinstance(default, int):
        if isinstance(value, (list, tuple)):
            return None  # several axes, where one is the default
        if isinstance(value, bool) and strict:
            return "an int"
        try:
            operator.index(value)
        except TypeError:
            return None if isinstance(value, (float, np.floating)) and _whole(value) else "an int"
    if isinstance(default, float) and not isinstance(value, (int, float, np.number)):
        return "a number"
    if isinstance(default, str) and not isinstance(value, str):
        return "a str"
    if isinstance(default, (list, tuple)) and not isinstance(value, (list, tuple, int)):
        return "a list"
    return None


def _whole(value: Any) -> bool:
    return math.isfinite(value) and float(value).is_integer()


def _huge(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_huge, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def _plain_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) or hasattr(value, "stop_gradient")


def _described(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) < 80 else text[:77] + "..."


def in_our_words(text: str) -> str:
    """A text of the backend without the names of its functions, arguments and files."""
    if "SymIntArrayRef" in text:
        return "an integer is out of range."
    if "invalid combination of arguments" in text:
        return "its inputs and attributes are not of types that go together."
    text = _FILE.sub("", text)
    text = _FUNCTION.sub("", text)
    text = re.sub(r"argument '(\w+)' \(position \d+\)", r"an argument", text)
    text = re.sub(r"argument '(\w+)' must be", r"an argument must be", text)
    return _LIBRARY.sub("", text)
