"""Lays out Python values and calls as source text of at most 100 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError

WIDTH = 100
STEP = "    "
SKIP = "  # fmt: skip"  # the lists of numbers in a statement are packed, not one a line
_PACKED = 8  # a list of more numbers or strings than this is packed


class Code(str):
    """Text that already is Python source, such as the name of a variable."""

    __slots__ = ()


def statement(target: str, function: str, arguments: Sequence[tuple[str, Any]], indent: str) -> str:
    """One call by keywords, on one line or several.

    Args:
        target (str): what the result is assigned to; empty for none.
        function (str): what is called.
        arguments (Sequence[tuple[str, Any]]): names and values; a value without a name goes first.
        indent (str): spaces before the statement.

    Returns:
        str: the text, with a newline at its end.
    """
    head = f"{indent}{target + ' = ' if target else ''}{function}("
    flat = ", ".join(_named(name) + literal(value) for name, value in arguments)
    if len(head) + len(flat) + 1 <= WIDTH:
        return f"{head}{flat})\n"
    inner = indent + STEP
    if len(inner) + len(flat) <= WIDTH:
        return f"{head}\n{inner}{flat}\n{indent})\n"
    lines, packed = [head], False
    for name, value in arguments:
        text, is_packed = _spread(value, inner, len(inner) + len(_named(name)))
        lines.append(f"{inner}{_named(name)}{text},")
        packed |= is_packed
    lines.append(f"{indent}){SKIP if packed else ''}")
    return "\n".join(lines) + "\n"


def _named(name: str) -> str:
    return f"{name}=" if name else ""


def _spread(value: Any, indent: str, column: int) -> tuple[str, bool]:
    """A value that starts at a column of an indented line; whether some list in it is packed."""
    flat = literal(value)
    if column + len(flat) + 1 <= WIDTH or not value or not isinstance(value, (dict, list, tuple)):
        return flat, False
    inner = indent + STEP
    if not isinstance(value, dict):
        return _spread_list(value, indent)
    lines, packed = ["{"], False
    for key, item in value.items():
        head = f"{inner}{literal(key)}: "
        text, is_packed = _spread(item, inner, len(head))
        lines.append(f"{head}{text},")
        packed |= is_packed
    return "\n".join([*lines, indent + "}"]), packed


def _spread_list(value: Sequence[Any], indent: str) -> tuple[str, bool]:
    inner = indent + STEP
    items = [literal(v) for v in value]
    ends = "[]" if isinstance(value, list) else "()"
    short = all(len(inner) + len(text) < WIDTH for text in items)
    if len(items) <= _PACKED or not short:
        body = "".join(f"{inner}{text},\n" for text in items)
        return f"{ends[0]}\n{body}{indent}{ends[1]}", False
    lines, line = [], inner
    for text in items:
        if len(line) + len(text) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = inner
        line += f"{text}, "
    lines.append(line.rstrip())
    return "\n".join([ends[0], *lines, indent + ends[1]]), True


def literal(value: Any) -> str:
    """A value as a Python expression on one line, which gives an equal value of the same type.

    Raises:
        InvalidArgumentError: Python has no expression for such a value.
    """
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        text = ", ".join(literal(v) for v in value)
        return f"({text},)" if len(value) == 1 else f"({text})"
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    if isinstance(value, (str, bytes)):
        return _quoted(value)
    if hasattr(value, "tolist"):  # an array or number of NumPy
        return literal(value.tolist())
    if value is None or isinstance(value, (bool, VarType)):
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))  # a member of another enum is written as its number
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, complex):
        return f"complex({_float(value.real)}, {_float(value.imag)})"
    raise InvalidArgumentError(
        f"to_python: expected a number, a string, or a list or dict of them, but received "
        f"{type(value).__name__} {value!r:.60}, which cannot be written as Python source."
    )


def _float(value: float) -> str:
    return repr(value).replace("e+", "e") if math.isfinite(value) else f'float("{value}")'


def _quoted(value: str | bytes) -> str:
    text = repr(value)
    if text.endswith("'") and '"' not in text:
        start = text.index("'")
        return text[:start] + '"' + text[start + 1 : -1] + '"'
    return text


def bytes_lines(target: str, value: bytes, indent: str) -> str:
    """An assignment of bytes, over as many lines as it takes."""
    flat = f'{indent}{target} = bytes.fromhex("{value.hex(" ")}")\n'
    if len(flat) <= WIDTH + 1:
        return flat
    parts = textwrap.wrap(value.hex(" "), WIDTH - len(indent) - len(STEP) - 2)
    body = "".join(f'{indent}{STEP}"{part}"\n' for part in parts)
    return f"{indent}{target} = bytes.fromhex(\n{body}{indent})\n"
