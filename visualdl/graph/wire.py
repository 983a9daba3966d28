"""A walk over protobuf bytes before they are parsed: tells what is cut, damaged or too much.

A parser makes an object of each message, so two bytes of a hostile file cost fifty of memory; the
walk counts first. It also finds the parts of a large file that are worth reading: weights are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.schema import table

MOST_FIELDS = 4_000_000  # a model of 100,000 operators has about 2.5 million
_DEEPEST = 40


def fields(data: Any, start: int, end: int, what: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Goes through the fields of one message.

    Args:
        data (bytes|mmap): what holds it.
        start (int): where the message begins.
        end (int): where it ends.
        what (str): name of the file, for the error.

    Returns:
        Iterator: number, wire type, where the field begins, where its content begins and ends.

    Raises:
        GraphError: a field reaches beyond the end, or has no kind that exists.
    """
    at = start
    while at < end:
        begin = at
        key, at = _varint(data, at, end, what)
        kind = key & 7
        if kind == 0:
            content = at
            _, at = _varint(data, at, end, what)
        elif kind == 2:
            length, content = _varint(data, at, end, what)
            at = content + length
        elif kind in (1, 5):
            content = at
            at += 8 if kind == 1 else 4
        else:
            raise GraphError(f"{what}: no model: byte {begin} begins no field of a message.")
        if at > end:
            raise GraphError(f"{what}: the file is cut: the field at byte {begin} has no end.")
        yield key >> 3, kind, begin, content, at


def check(data: Any, family: str, message: str, what: str) -> None:
    """Refuses bytes that a parser would fail on or that would fill the memory.

    Args:
        data (bytes): the message.
        family (str): ``"paddle"`` or ``"onnx"``.
        message (str): its name in the table.
        what (str): name of the file, for the error.

    Raises:
        GraphError: the bytes are cut, damaged, nested too deeply, or too many.
    """
    known = {
        name: {number: kind for number, _, kind in rows.values()}
        for name, rows in table(family).items()
    }
    count = 0
    path = [(known[message], fields(data, 0, len(data), what))]
    while path:
        rows, left = path[-1]
        for number, kind, _, content, at in left:
            count += 1
            if count > MOST_FIELDS:
                raise GraphError(f"{what}: the model has more than {MOST_FIELDS} fields.")
            if kind == 2 and content < at and rows.get(number) in known:
                if len(path) > _DEEPEST:
                    raise GraphError(f"{what}: messages lie in each other over {_DEEPEST} deep.")
                path.append((known[rows[number]], fields(data, content, at, what)))
                break
        else:
            path.pop()


def _varint(data: Any, at: int, end: int, what: str) -> tuple[int, int]:
    value = shift = 0
    start = at
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise GraphError(f"{what}: no model: byte {start} begins no number.")
    raise GraphError(f"{what}: the file is cut at byte {end}.")
