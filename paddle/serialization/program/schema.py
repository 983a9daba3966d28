"""The protobuf messages of Programs, built at first use from the facts in framework.json.

protobuf is imported only when a Program is read or written.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.serialization.descriptors import message_classes

# Some operators keep whole files in a string attribute, which is not UTF-8. Serialized, strings and
# bytes are the same; read as bytes they survive.
_AS_BYTES = frozenset({("OpDesc.Attr", "s"), ("OpDesc.Attr", "strings")})


@functools.lru_cache(maxsize=1)
def facts() -> dict[str, Any]:
    """Returns messages and enumerations: ``{"package", "enums", "messages"}``."""
    return json.loads((Path(__file__).parent / "framework.json").read_text("utf8"))


@functools.lru_cache(maxsize=1)
def _classes() -> Callable[[str], Any]:
    """All of them from one pool: messages of two pools do not go into one another."""
    return message_classes(facts(), _AS_BYTES)


@functools.cache
def message_class(name: str) -> Any:
    """Returns the class of a message, such as ``"ProgramDesc"`` or ``"VarType.TensorDesc"``."""
    return _classes()(name)


def parse(name: str, data: bytes, what: str) -> Any:
    """Reads bytes as a message with all of its required fields.

    Args:
        name (str): the message.
        data (bytes): what it is read from.
        what (str): what the bytes should be, for the error.

    Raises:
        InvalidArgumentError: the bytes are no such message; says at which byte, or which field.
    """
    from google.protobuf.message import DecodeError

    found = message_class(name)()
    try:
        # Unlike ParseFromString, this leaves a missing field to the better message below.
        found.MergeFromString(data)
    except UnicodeDecodeError as error:  # the pure-Python protobuf; others give bytes as names
        raise InvalidArgumentError(
            f"{what}: expected names in UTF-8, but one is {error.object[:60]!r}."
        ) from error
    except DecodeError as error:
        raise InvalidArgumentError(
            f"{what}: expected a protobuf message {name}, but {_where(data)}.",
            hint="the file is truncated, damaged, or something else",
        ) from error
    _check_complete(found, what)
    return found


def _check_complete(message: Any, what: str) -> None:
    """Raises if a required field is missing, or holds a value that its enumeration lacks."""
    if message.IsInitialized():
        return
    path = message.FindInitializationErrors()[0]
    outer, _, field = path.rpartition(".")
    owner = message
    for part, index in re.findall(r"(\w+)(?:\[(\d+)\])?\.?", outer):
        owner = getattr(owner, part)
        owner = owner[int(index)] if index else owner
    described = owner.DESCRIPTOR.fields_by_name[field]
    if described.enum_type is not None:
        for number, value in _unknown(owner):
            if number == described.number and isinstance(value, int):
                enum = described.enum_type.full_name.removeprefix(facts()["package"] + ".")
                raise InvalidArgumentError(
                    f"{what}: {path} is {value}, which {enum} does not have; "
                    f"expected one of {sorted(described.enum_type.values_by_number)}."
                )
    raise InvalidArgumentError(f"{what}: the required field {path} is missing.")


def _unknown(message: Any) -> list[tuple[int, Any]]:
    """The fields of a message that the schema does not know: values of closed enumerations too."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    found = []
    for field in UnknownFieldSet(message):
        value = field.data
        if isinstance(value, int) and value >= 1 << 63:  # a negative value, as protobuf writes it
            value -= 1 << 64
        found.append((field.field_number, value))
    return found


def _where(data: bytes) -> str:
    """Says at which outermost field bytes stop to make sense."""
    at = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        if tag is None or not tag >> 3:
            return f"at byte {start} of {len(data)} there is no field of a message"
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            if value is None:
                return f"the number in field {tag >> 3} at byte {start} has no end"
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            size, at = _varint(data, at)
            if size is None or size > len(data) - at:
                return (
                    f"field {tag >> 3} at byte {start} should hold {size} bytes and "
                    f"{max(len(data) - at, 0)} are left"
                )
            at += size
        else:
            return f"field {tag >> 3} at byte {start} has the kind {kind}, which is none here"
    if at > len(data):
        return f"{len(data)} bytes came, which end within a number"
    return f"the {len(data)} bytes are damaged inside of one of the outermost fields"


def _varint(data: bytes, at: int) -> tuple[int | None, int]:
    """Reads a number of variable length; None where it does not end."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            return None, at
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    return None, at
