"""The few constructors that a parameter file may name, each checking what it is given."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from paddle.core.lazy_pattern import LazyPattern
from paddle.serialization.pickles.limits import Known, Refused, key_parts, kind_of, shown

_NUMERIC_DTYPE = LazyPattern(r"[<>=|]?[biufc](1|2|4|8|16)\Z")


class Budget(Protocol):
    """What a constructor needs of the reader that calls it."""

    unbuilt: dict[int, Any]

    def spend(self, amount: int) -> None:
        """Counts copied elements; refuses when they are more than the file can hold."""


Build = Callable[[Any, tuple], Any]


def _plain(kind: Any) -> Build:
    """Constructor of a builtin container from one that was read already."""

    def build(reader: Budget, args: tuple) -> Any:
        if not args:
            return kind()
        (source,) = args
        if type(source) not in (list, tuple, set, frozenset, dict, collections.OrderedDict):
            raise Refused(f"{kind.__name__}() is called on {kind_of(source)}")
        reader.spend(len(source))
        if issubclass(kind, dict):
            pairs = list(source.items() if isinstance(source, dict) else source)
            if any(type(pair) not in (list, tuple) or len(pair) != 2 for pair in pairs):
                raise Refused(f"{kind.__name__}() is called on something that is not pairs")
            reader.spend(sum(key_parts(key) for key, _ in pairs) - len(pairs))
            return kind(pairs)
        if issubclass(kind, (set, frozenset)):
            reader.spend(sum(map(key_parts, source)) - len(source))
        return kind(source)

    return build


def _number(kind: type) -> Build:
    def build(reader: Budget, args: tuple) -> Any:
        if any(type(arg) not in (int, float, bool) for arg in args):
            raise Refused(f"{kind.__name__}() is called on something that is not a number")
        return kind(*args)

    return build


def _slice(reader: Budget, args: tuple) -> slice:
    if any(arg is not None and type(arg) is not int for arg in args):
        raise Refused("slice() is called on something that is not an integer")
    return slice(*args)


def _bytes(kind: type) -> Build:
    def build(reader: Budget, args: tuple) -> Any:
        if not args:
            return kind()
        source = _encode(reader, args) if type(args[0]) is str else args[0]
        if type(source) is not bytes:
            raise Refused(f"{kind.__name__}() is called on {kind_of(source)}")
        reader.spend(len(source))
        return kind(source)

    return build


def _encode(reader: Budget, args: tuple) -> bytes:
    """Protocols below 3 have no bytes opcode and spell bytes as Latin-1 text."""
    text, name = args if len(args) == 2 else (*args, "utf-8")
    if type(text) is not str or name not in ("latin1", "latin-1"):
        raise Refused("_codecs.encode is used for something other than Latin-1 bytes")
    reader.spend(len(text))
    return text.encode("latin-1")


def _dtype(reader: Budget, args: tuple) -> np.dtype:
    code = args[0]
    if type(code) is not str or not _NUMERIC_DTYPE.match(code):
        raise Refused(f"an array has the dtype {shown(code)}; only numbers and bool are read")
    # A copy of its own: BUILD sets the byte order of this object, not of the shared one.
    result = np.dtype(code, align=False, copy=True)
    reader.unbuilt[id(result)] = result
    return result


def _reconstruct(reader: Budget, args: tuple) -> np.ndarray:
    kind = args[0]
    if not isinstance(kind, Known) or kind.name != "numpy.ndarray":
        raise Refused("an array of a class other than numpy.ndarray")
    result = np.empty((0,), np.int8)
    reader.unbuilt[id(result)] = result
    return result


def array_bytes(raw: Any) -> bytes:
    """Array content; Python 2 wrote it as ``str``, which is read as Latin-1."""
    if type(raw) is str:
        raw = raw.encode("latin-1")
    if type(raw) is not bytes:
        raise Refused(f"array content is a {kind_of(raw)}, not bytes")
    return raw


def _scalar(reader: Budget, args: tuple) -> np.generic:
    dtype, raw = args
    raw = array_bytes(raw)
    if not isinstance(dtype, np.dtype) or len(raw) != dtype.itemsize:
        raise Refused(f"a NumPy scalar of {shown(dtype)} has {len(raw)} bytes")
    return np.frombuffer(raw, dtype)[0]


BUILDERS: dict[tuple[str, str], Build | None] = {
    ("numpy", "ndarray"): None,
    ("numpy", "dtype"): _dtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("collections", "OrderedDict"): _plain(collections.OrderedDict),
    ("_codecs", "encode"): _encode,
    ("builtins", "bytes"): _bytes(bytes),
    ("builtins", "bytearray"): _bytes(bytearray),
    ("builtins", "slice"): _slice,
    **{("builtins", k.__name__): _plain(k) for k in (dict, list, tuple, set, frozenset)},
    **{("builtins", k.__name__): _number(k) for k in (int, float, bool, complex, range)},
}
_SAME_MODULE = {"__builtin__": "builtins", "numpy._core.multiarray": "numpy.core.multiarray"}
_SAME_NAME = {("__builtin__", "xrange"): "range", ("__builtin__", "long"): "int"}


def find(module: str, name: str) -> Known:
    """The stand-in for a global; refuses all but the listed ones."""
    key = (_SAME_MODULE.get(module, module), _SAME_NAME.get((module, name), name))
    if key not in BUILDERS:
        raise Refused(
            f"it asks for '{module[:60]}.{name[:60]}', and only NumPy arrays and builtin "
            "containers are read (a pickle can run any program that it names)"
        )
    return Known(".".join(key), BUILDERS[key])
