"""Scalars: one number a step, and groups of them that share a chart.

A scalar is written some 10,000 times a second, so its bytes are put together here; what they are is
in `visualdl.record`, and the tests compare them to protobuf's.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from visualdl.component import checks
from visualdl.record import Record, Value, framed

_FLOAT = struct.Struct("<f")
_LENGTH = struct.Struct("<Q")
_MASK = (1 << 64) - 1


def varint(number: int) -> bytes:
    """Gives a whole number as protobuf writes it: seven bits a byte, the low ones first."""
    number &= _MASK
    if number < 128:
        return bytes((number,))
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def tag_field(tag: str) -> bytes:
    """Gives the bytes of the field `tag`, and of the key that comes after it."""
    data = tag.encode()
    return b"\x12" + varint(len(data)) + data + b"\x18"


def frame(step: int, tag: bytes, time: bytes, value: float) -> bytes:
    """Gives a scalar as it stands in a file.

    Args:
        step (int): its step.
        tag (bytes): what `tag_field` gave.
        time (bytes): what `varint` gives for the milliseconds.
        value (float): the number; what is too large for 32 bits is infinite.
    """
    try:
        number = _FLOAT.pack(value)
    except OverflowError:
        number = _FLOAT.pack(float("inf") if value > 0 else float("-inf"))
    if step:
        inner = b"\x08" + varint(step) + tag + time + b"\x25" + number
    else:
        inner = tag + time + b"\x25" + number
    count = len(inner)
    if count < 128:
        return b"%c\0\0\0\0\0\0\0\n%c%b" % (count + 2, count, inner)
    size = varint(count)
    return _LENGTH.pack(1 + len(size) + count) + b"\x0a" + size + inner


def to_record(tag: str, value: Any, step: Any, walltime: Any = None) -> bytes:
    """Gives one scalar as it stands in a file; see `LogWriter.add_scalar`."""
    return frame(
        checks.step_number(step),
        tag_field(checks.tag_name(tag)),
        varint(checks.milliseconds(walltime)),
        checks.logged_number(value, "value"),
    )


def group_to_records(main_tag: str, tag_scalar_dict: Any, step: Any, walltime: Any = None) -> bytes:
    """Gives a group of scalars, a record each; see `LogWriter.add_scalars`."""
    checks.tag_name(main_tag, "main_tag")
    if not isinstance(tag_scalar_dict, Mapping):
        raise ValueError(f"tag_scalar_dict: expected a dict, but got {tag_scalar_dict!r}.")
    time, step = checks.milliseconds(walltime), checks.step_number(step)
    frames = []
    for tag, value in tag_scalar_dict.items():
        checks.text(tag, "tag_scalar_dict")
        number = narrow(checks.logged_number(value, f"tag_scalar_dict[{tag!r}]"))
        pair = Record.TagValue(tag=tag, value=number)
        made = Record(values=[Value(id=step, tag=main_tag, timestamp=time, tag_value=pair)])
        frames.append(framed(made.SerializeToString()))
    return b"".join(frames)


def narrow(value: float) -> float:
    """Gives a number that 32 bits can hold."""
    try:
        return _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def from_record(value: Any) -> float:
    """Gives the number of a record, of a group's too."""
    return value.tag_value.value if value.HasField("tag_value") else value.value


def to_json(value: Any) -> list[Any]:
    """Gives `[milliseconds, step, number]`; NaN and infinities are texts."""
    return [
        checks.shown_time(value.timestamp),
        value.id,
        checks.number_shown(from_record(value)),
    ]
