"""What reading a pickle may cost, in proportion to its file, and short texts of what it holds."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import Any

_SCALAR_KEYS = (str, bytes, int, float, bool, complex, type(None))
_MAX_KEY_PARTS = 1000
_LONG_KEY = 64  # bytes of a key that are hashed and compared as if for nothing
# Memory that objects may take: what any file may use, and so much more for each of its bytes.
_FREE_MEMORY = 128 << 20
_MEMORY_PER_BYTE = 64
# Measured sizes of objects with their places in memo and stack, rounded up.
TUPLE, LIST, DICT, SET, MADE, MEMO, ENTRY = 56, 72, 80, 232, 256, 96, 96


class Refused(Exception):
    """The stream is damaged or asks for something that a parameter file never needs."""


class Limits:
    """Counts what a file makes its reader do.

    Args:
        size (int): bytes of the file.
    """

    def __init__(self, size: int) -> None:
        # What constructors may copy in all. A file holds at most one element per byte, and
        # protocol 2 copies array content twice (text to bytes to array).
        self._copies = 4 * size
        self._memory = _FREE_MEMORY + _MEMORY_PER_BYTE * size

    def spend(self, amount: int) -> None:
        """Counts copied elements; refuses when they are more than the file can hold."""
        self._copies -= amount
        if self._copies < 0:
            raise Refused("the file expands to more data than it holds")

    def occupy(self, amount: int) -> None:
        """Counts bytes of memory that objects take beside what the file says they hold."""
        self._memory -= amount
        if self._memory < 0:
            raise Refused(
                "it asks for far more objects than a file of its size describes: "
                f"more than {_MEMORY_PER_BYTE} bytes of memory for each of its bytes"
            )


class Known:
    """A global the reader understands; it stands for the object and is never that object."""

    __slots__ = ("build", "name")

    def __init__(self, name: str, build: Callable[[Any, tuple], Any] | None):
        self.name = name
        self.build = build


def kind_of(value: Any) -> str:
    """What a value is, for error texts."""
    return value.name if isinstance(value, Known) else type(value).__name__


def key_parts(key: Any) -> int:
    """What hashing a dict key or set element costs: its parts, long texts and numbers for more."""
    parts, length, pending = 0, 0, [key]
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind in (tuple, frozenset):
            pending.extend(part)
        elif kind not in _SCALAR_KEYS:
            raise Refused(f"{kind_of(part)} is used as a dict key or set element")
        elif kind in (str, bytes):
            length += len(part)
        elif kind is int:
            length += part.bit_length() // 8
        parts += 1
        if parts + len(pending) > _MAX_KEY_PARTS:
            raise Refused(f"a dict key or set element has more than {_MAX_KEY_PARTS} parts")
    return parts + length // _LONG_KEY


class _Short(reprlib.Repr):
    """Texts of bounded length, made in bounded time, whatever a file holds."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = 8
        self.maxstring = self.maxother = 60

    def repr_int(self, x: int, level: int) -> str:
        bits = x.bit_length()
        return repr(x) if bits <= 128 else f"an int of {bits} bits"

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x) if len(x) <= self.maxstring else f"{x[: self.maxstring]!r}..."

    def repr_bytearray(self, x: bytearray, level: int) -> str:
        return f"a bytearray of {len(x)} bytes"

    def repr_ndarray(self, x: Any, level: int) -> str:
        return f"an array of {x.dtype} and shape {self.repr1(x.shape, level)}"

    def repr_Known(self, x: Known, level: int) -> str:
        return x.name

    def repr_OrderedDict(self, x: Any, level: int) -> str:
        return f"an OrderedDict of {len(x)} entries"


shown = _Short().repr


def reason_of(error: Exception) -> str:
    """A short text for what went wrong inside of the reader."""
    told = error.args[0] if len(error.args) == 1 else ""
    text = shown(told) if not isinstance(told, str) else told[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
