"""Read a pickle of arrays and plain containers without ever calling what the file names."""

from __future__ import annotations

import codecs
import collections
import contextlib
import os
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.serialization.pickles.constructors import array_bytes, find
from paddle.serialization.pickles.limits import (
    DICT,
    ENTRY,
    LIST,
    MADE,
    MEMO,
    SET,
    TUPLE,
    Known,
    Limits,
    Refused,
    key_parts,
    kind_of,
    reason_of,
    shown,
)

_STOP = object()
_CHUNK = 1 << 16
_MAX_RANK = 32
_MAX_LENGTH = 1 << 63  # of one side of an array
_MAX_DIGITS = 4300  # of a number in text, which takes quadratic time
_MAX_INDEX = 1 << 32  # of the memo


class _Reader(Limits):
    """A pickle machine that knows the opcodes of plain data and a fixed list of globals."""

    def __init__(self, file: BinaryIO, size: int):
        super().__init__(size)
        self.file = file
        self.size = size
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        # Arrays and dtypes that still wait for their BUILD, by id. Each may be built once.
        self.unbuilt: dict[int, Any] = {}

    # -- input ---------------------------------------------------------------------------
    def take(self, count: int) -> bytes:
        """The next ``count`` bytes; a length beyond the end of the file allocates nothing."""
        if count < 0:
            raise Refused(f"an item declares the length {count}")
        if count > _CHUNK and count > self.size - self.file.tell():
            raise Refused(
                f"an item declares {count} bytes and {self.size - self.file.tell()} follow: "
                "the file is truncated"
            )
        data = self.file.read(count)
        if len(data) < count:
            raise Refused("the file ends in the middle: it is truncated")
        return data

    def number(self, layout: str) -> Any:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def line(self) -> bytes:
        text = self.file.readline()
        if not text.endswith(b"\n"):
            raise Refused("the file ends in the middle of a line: it is truncated")
        return text[:-1]

    def digits(self) -> int:
        """A whole number in text."""
        text = self.line()
        if len(text) > _MAX_DIGITS:
            raise Refused(f"a number has {len(text)} digits")
        return int(text.removesuffix(b"L"))

    # -- stack ---------------------------------------------------------------------------
    def pop_mark(self) -> list[Any]:
        """Everything pushed since the last mark."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    def top(self, *kinds: type) -> Any:
        value = self.stack[-1]
        if type(value) not in kinds:
            names = " or ".join(kind.__name__ for kind in kinds)
            raise Refused(f"an opcode for a {names} meets a {kind_of(value)}")
        return value

    def run(self) -> Any:
        """Execute the stream and return the object it describes."""
        opcodes = _OPCODES
        while True:
            code = self.file.read(1)
            if not code:
                raise Refused("the file ends before the end of the object: it is truncated")
            action = opcodes.get(code)
            if action is None:
                raise Refused(f"opcode {code!r} is not part of a parameter file")
            if action(self) is _STOP:
                return self.stack.pop()


def _stack_global(reader: _Reader) -> None:
    name, module = reader.stack.pop(), reader.stack.pop()
    if type(name) is not str or type(module) is not str:
        raise Refused("a global is named by something that is not text")
    reader.stack.append(find(module, name))


def _instance(reader: _Reader) -> None:
    known = find(reader.line().decode(), reader.line().decode())
    raise Refused(f"it makes an instance of {known.name} in a way no array needs")


def _reduce(reader: _Reader) -> None:
    args, known = reader.stack.pop(), reader.stack.pop()
    if not isinstance(known, Known) or known.build is None or type(args) is not tuple:
        raise Refused(f"it calls {kind_of(known)}")
    reader.occupy(MADE)
    reader.stack.append(known.build(reader, args))


def _build(reader: _Reader) -> None:
    state, target = reader.stack.pop(), reader.stack[-1]
    if reader.unbuilt.pop(id(target), None) is None or type(state) is not tuple:
        raise Refused(f"it sets the state of {kind_of(target)}")
    if isinstance(target, np.ndarray):
        _build_array(reader, target, state)
    else:
        version, order, *rest = state
        plain = type(order) is str and order in ("<", ">", "|", "=")
        if type(version) is not int or version != 3 or not plain or any(rest[:3]):
            raise Refused(f"a dtype of the form {shown(state)}; only plain numbers are read")
        target.__setstate__((3, order, None, None, None, -1, -1, 0))


def _build_array(reader: _Reader, target: np.ndarray, state: tuple) -> None:
    shape, dtype, fortran, raw = state[-4:]
    if not isinstance(dtype, np.dtype) or type(shape) is not tuple or len(shape) > _MAX_RANK:
        raise Refused(f"an array of dtype {shown(dtype)} and shape {shown(shape)}")
    count, extent = 1, dtype.itemsize
    for length in shape:
        if type(length) is not int or not 0 <= length < _MAX_LENGTH:
            raise Refused(f"an array has the shape {shown(shape)}")
        count *= length
        extent *= max(length, 1)
    raw = array_bytes(raw)
    if count * dtype.itemsize != len(raw) or extent >= 1 << 62:
        raise Refused(f"an array of shape {shown(shape)} and dtype {dtype} has {len(raw)} bytes")
    reader.spend(len(raw))
    checked: Any = (1, shape, dtype, bool(fortran), raw)
    target.__setstate__(checked)


def _append(reader: _Reader) -> None:
    value = reader.stack.pop()
    reader.top(list).append(value)


def _appends(reader: _Reader) -> None:
    items = reader.pop_mark()
    reader.top(list).extend(items)


def _add_items(reader: _Reader) -> None:
    items = reader.pop_mark()
    reader.occupy(ENTRY * len(items))
    reader.spend(sum(map(key_parts, items)) - len(items))
    reader.top(set).update(items)


def _frozenset(reader: _Reader) -> None:
    items = reader.pop_mark()
    reader.occupy(SET + ENTRY * len(items))
    reader.spend(sum(map(key_parts, items)) - len(items))
    reader.stack.append(frozenset(items))


def _fill(reader: _Reader, target: dict, items: list[Any]) -> None:
    keys, values = items[::2], items[1::2]
    if len(keys) != len(values):
        raise Refused("a dict has a key without a value")
    reader.occupy(ENTRY * len(keys))
    for key, value in zip(keys, values):
        if type(key) is not str or len(key) > _CHUNK:
            reader.spend(key_parts(key) - 1)
        target[key] = value


def _set_items(reader: _Reader) -> None:
    items = reader.pop_mark()
    _fill(reader, reader.top(dict, collections.OrderedDict), items)


def _set_item(reader: _Reader) -> None:
    items = [reader.stack[-2], reader.stack[-1]]
    del reader.stack[-2:]
    _fill(reader, reader.top(dict, collections.OrderedDict), items)


def _new_dict(reader: _Reader) -> None:
    items = reader.pop_mark()
    reader.occupy(DICT)
    reader.stack.append({})
    _fill(reader, reader.stack[-1], items)


def _proto(reader: _Reader) -> None:
    version = reader.take(1)[0]
    if version > 5:
        raise Refused(f"pickle protocol {version} is not known")


def _frame(reader: _Reader) -> None:
    length = reader.number("<Q")
    if length > reader.size - reader.file.tell():
        raise Refused(f"a frame declares {length} bytes: the file is truncated")


def _int_line(reader: _Reader) -> None:
    text = reader.line()
    special = {b"00": False, b"01": True}
    if len(text) > _MAX_DIGITS:
        raise Refused(f"a number has {len(text)} digits")
    reader.stack.append(special[text] if text in special else int(text))


def _string_line(reader: _Reader) -> None:
    text = reader.line()
    if len(text) < 2 or text[:1] != text[-1:] or text[:1] not in (b"'", b'"'):
        raise Refused("a string is not in quotes")
    reader.stack.append(codecs.escape_decode(text[1:-1])[0].decode("latin-1"))


def _tuple(size: int) -> Callable[[_Reader], None]:
    def action(reader: _Reader) -> None:
        if len(reader.stack) < size:
            raise Refused("a tuple has fewer items than it declares")
        reader.occupy(TUPLE)
        items = tuple(reader.stack[-size:])
        reader.stack[-size:] = [items]

    return action


def _push(make: Callable[[_Reader], Any], memory: int = 0) -> Callable[[_Reader], None]:
    def action(reader: _Reader) -> None:
        if memory:
            reader.occupy(memory)
        value = make(reader)  # first: it may exchange the stack
        reader.stack.append(value)

    return action


def _put(index: Callable[[_Reader], int]) -> Callable[[_Reader], None]:
    def action(reader: _Reader) -> None:
        at = index(reader)
        if not 0 <= at < _MAX_INDEX:
            raise Refused(f"it numbers an object {shown(at)}")
        reader.occupy(MEMO)
        reader.memo[at] = reader.stack[-1]

    return action


def _stop(reader: _Reader) -> object:
    return _STOP


def _mark(reader: _Reader) -> None:
    reader.occupy(LIST)
    reader.marks.append(reader.stack)
    reader.stack = []


def _pop(reader: _Reader) -> None:
    if reader.stack:
        reader.stack.pop()
    else:
        reader.pop_mark()


def _text(layout: str, *coding: str) -> Callable[[_Reader], Any]:
    return lambda r: r.take(r.number(layout)).decode(*coding)


def _raw(layout: str) -> Callable[[_Reader], bytes]:
    return lambda r: r.take(r.number(layout))


def _long(layout: str) -> Callable[[_Reader], int]:
    return lambda r: int.from_bytes(r.take(r.number(layout)), "little", signed=True)


_UTF8 = ("utf-8", "surrogatepass")
_OPCODES: dict[bytes, Callable[[_Reader], Any]] = {
    b"\x80": _proto,
    b"\x95": _frame,
    b".": _stop,
    # stack and memo
    b"(": _mark,
    b"0": _pop,
    b"1": lambda r: r.pop_mark() and None,
    b"2": _push(lambda r: r.stack[-1]),
    b"g": _push(lambda r: r.memo[r.digits()]),
    b"h": _push(lambda r: r.memo[r.take(1)[0]]),
    b"j": _push(lambda r: r.memo[r.number("<I")]),
    b"p": _put(lambda r: r.digits()),
    b"q": _put(lambda r: r.take(1)[0]),
    b"r": _put(lambda r: r.number("<I")),
    b"\x94": _put(lambda r: len(r.memo)),
    # constants and numbers
    b"N": _push(lambda r: None),
    b"\x88": _push(lambda r: True),
    b"\x89": _push(lambda r: False),
    b"I": _int_line,
    b"J": _push(lambda r: r.number("<i")),
    b"K": _push(lambda r: r.take(1)[0]),
    b"M": _push(lambda r: r.number("<H")),
    b"L": _push(lambda r: r.digits()),
    b"\x8a": _push(_long("<B")),
    b"\x8b": _push(_long("<i")),
    b"F": _push(lambda r: float(r.line())),
    b"G": _push(lambda r: r.number(">d")),
    # text and bytes
    b"S": _string_line,
    b"T": _push(_text("<i", "latin-1")),
    b"U": _push(_text("<B", "latin-1")),
    b"V": _push(lambda r: r.line().decode("raw-unicode-escape")),
    b"X": _push(_text("<I", *_UTF8)),
    b"\x8c": _push(_text("<B", *_UTF8)),
    b"\x8d": _push(_text("<Q", *_UTF8)),
    b"B": _push(_raw("<I")),
    b"C": _push(_raw("<B")),
    b"\x8e": _push(_raw("<Q")),
    b"\x96": _push(lambda r: bytearray(r.take(r.number("<Q")))),
    # containers
    b"]": _push(lambda r: [], LIST),
    b"l": _push(lambda r: r.pop_mark(), LIST),
    b"a": _append,
    b"e": _appends,
    b")": _push(lambda r: ()),
    b"t": _push(lambda r: tuple(r.pop_mark()), TUPLE),
    b"\x85": _tuple(1),
    b"\x86": _tuple(2),
    b"\x87": _tuple(3),
    b"}": _push(lambda r: {}, DICT),
    b"d": _new_dict,
    b"s": _set_item,
    b"u": _set_items,
    b"\x8f": _push(lambda r: set(), SET),
    b"\x90": _add_items,
    b"\x91": _frozenset,
    # objects
    b"c": lambda r: r.stack.append(find(r.line().decode(), r.line().decode())),
    b"i": _instance,
    b"\x93": _stack_global,
    b"R": _reduce,
    b"b": _build,
}


def is_placeholder(value: Any) -> bool:
    """Whether a value that was read is a class or function name and no data."""
    return isinstance(value, Known)


def read_pickle(path: str, stream: BinaryIO | None = None) -> Any:
    """Read the object a pickle file describes, refusing everything but plain data.

    Nothing the file names is imported or called: the reader executes the opcodes of plain data
    itself and knows a dozen constructors (NumPy arrays, dtypes and scalars, builtin containers
    and numbers). Lengths are checked against the file before memory is taken for them.

    Args:
        path (str): a file written by pickle with protocol 0 to 4, by Python 2 or 3.
        stream (BinaryIO, optional): read from the place where this is, and leave it behind the
            pickle; ``path`` is then its name in error texts.

    Returns:
        The object: dicts, lists, tuples, sets, ``OrderedDict``, numbers, text, bytes,
        ``numpy.ndarray`` of numbers or bool.

    Raises:
        InvalidArgumentError: (a ValueError) the file is empty, truncated, damaged, or asks for
            anything else; the text names the file, its size, the place and the reason.
    """
    with open(path, "rb") if stream is None else contextlib.nullcontext(stream) as file:
        start = file.tell()
        size = file.seek(0, os.SEEK_END)
        file.seek(start)
        if size == start:
            raise InvalidArgumentError(f"the file '{path}' is empty (0 bytes)")
        reader = _Reader(file, size)
        try:
            return reader.run()
        except MemoryError:
            raise
        except Exception as error:
            # Every failure of the machine is a fault of the stream: stack underflow, a missing
            # memo entry, a bad digit, an unhashable key.
            reason = str(error) if isinstance(error, Refused) else f"malformed ({reason_of(error)})"
            place = min(file.tell(), size)
            raise InvalidArgumentError(
                f"cannot read the file '{path}' ({size} bytes) at byte {place}: {reason}",
                hint="The file must be one that paddle.save wrote, copied completely.",
            ) from (None if isinstance(error, Refused) else error)
