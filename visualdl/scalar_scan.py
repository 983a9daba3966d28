"""The scalars of a piece of a log file, taken out as arrays by NumPy.

Ten million points get no objects of their own: records are found by what short ones look like,
each has to end where the next begins, and their fields are read column by column. What is not a
scalar goes through protobuf, one by one.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from visualdl.record import LARGEST, Record

_LENGTH = struct.Struct("<Q")
_HEAD = 8
_PAD = 16
"""Bytes after the end that may be looked at."""
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)


@dataclass
class Found:
    """What a piece of a file holds.

    Attributes:
        scalars: tag -> (steps, milliseconds, values), in the order of the file.
        others: (offset, size, Record) of the records that are no scalars.
        stop: where the last whole record ends.
        broken: a whole record starts there that cannot be decoded.
        bad: (offset, size) of scalars before that whose tags are no text.
    """

    scalars: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)
    others: list[tuple[int, int, Any]] = field(default_factory=list)
    stop: int = 0
    broken: bool = False
    bad: list[tuple[int, int]] = field(default_factory=list)


def scan(data: bytes) -> Found:
    """Reads a piece of a file that starts with a record.

    Args:
        data (bytes): the piece; its last record may be there in part.

    Returns:
        Found: up to the first byte that is not part of a whole, good record.
    """
    found = Found()
    buffer = np.frombuffer(data + bytes(_PAD), np.uint8)
    places, sizes, long = _records(data, buffer)
    fields = _Fields(buffer, places, sizes)
    odd = [(int(places[i]), int(sizes[i])) for i in np.flatnonzero(~fields.good)]
    for at, size in sorted(odd + long):
        try:
            record = Record.FromString(data[at + _HEAD : at + _HEAD + size])
        except DecodeError:
            found.stop, found.broken = at, True
            break
        found.others.append((at, size, record))
    else:
        ends = [at + _HEAD + size for at, size in long[-1:]]
        if len(places):
            ends.append(int(places[-1]) + _HEAD + int(sizes[-1]))
        found.stop = max(ends, default=0)
    keep = fields.good & (places < found.stop)
    found.scalars = fields.columns(keep, data)
    _add_misfits(found, fields.misfits, data)
    return found


def _records(data: bytes, buffer: np.ndarray) -> tuple[np.ndarray, np.ndarray, list]:
    """Finds the whole records: places and sizes of short ones of one value, and the others."""
    end = len(data)
    words = _view(buffer, "<u8")
    at = np.flatnonzero(buffer[_HEAD : max(_HEAD, end - 1)] == 0x0A)
    size = words[at]
    right = (size < 130) & (size > 2)
    at, size = at[right], size[right].astype(np.int64)
    right = (buffer[at + _HEAD + 1] == size - 2) & (at + _HEAD + size <= end)
    at, size = at[right], size[right]
    after = at + _HEAD + size
    kept: list[np.ndarray] = []
    long: list[tuple[int, int]] = []
    breaks = np.flatnonzero(after[:-1] != at[1:]) if len(at) else at
    place = 0
    first = 0
    while place + _HEAD < end:
        first += int(np.searchsorted(at[first:], place))
        if first < len(at) and at[first] == place:  # as far as each ends where the next begins
            which = int(np.searchsorted(breaks, first))
            last = int(breaks[which]) if which < len(breaks) else len(at) - 1
            kept.append(np.arange(first, last + 1))
            place = int(after[last])
            first = last + 1
            continue
        length = _LENGTH.unpack_from(data, place)[0]
        if not 0 < length <= LARGEST or place + _HEAD + length > end:
            break
        long.append((place, length))
        place += _HEAD + length
    index = np.concatenate(kept) if kept else np.zeros(0, np.int64)
    return at[index], size[index], long


class _Fields:
    """The fields of short records, read column by column.

    Attributes:
        good: which are scalars in the order every protobuf library writes fields.
        misfits: places of scalars whose tag could not be told by its number.
    """

    def __init__(self, buffer: np.ndarray, places: np.ndarray, sizes: np.ndarray) -> None:
        self.places, self.sizes, self.buffer = places, sizes, buffer
        self.misfits: list[tuple[int, int]] = []
        end = places + _HEAD + sizes
        at = places + _HEAD + 2
        good = np.ones(len(places), bool)
        self.step, at, good = _numbers(buffer, at, end, good, 0x08)
        good &= (buffer[at] == 0x12) & (at + 1 < end)
        self.length = buffer[np.where(good, at + 1, 0)].astype(np.int64)
        good &= (self.length > 0) & (self.length < 128)
        self.tag = at + 2
        at = np.where(good, self.tag + self.length, 0)
        good &= at < end
        self.time, at, good = _numbers(buffer, np.where(good, at, 0), end, good, 0x18)
        good &= (buffer[np.minimum(at, len(buffer) - _PAD)] == 0x25) & (at + 5 == end)
        self.good = good
        self.value = _view(buffer, "<f4")[np.where(good, at + 1, 0)]

    def columns(self, keep: np.ndarray, data: bytes) -> dict[str, tuple]:
        """Gives the scalars that are kept by their tags."""
        rows = np.flatnonzero(keep)
        if not len(rows):
            return {}
        start, length = self.tag[rows], self.length[rows]
        keys, same = self._keys(start, length)
        _, firsts, group = np.unique(keys, return_index=True, return_inverse=True)
        bad = ~same(firsts[group])
        if bad.any():
            self.misfits = [(int(self.places[i]), int(self.sizes[i])) for i in rows[bad]]
        kind = np.int16 if len(firsts) < 1 << 15 else np.int64
        order = np.argsort(group.astype(kind), kind="stable")
        if bad.any():
            order = order[~bad[order]]
        bounds = np.searchsorted(group[order], np.arange(len(firsts) + 1))
        result = {}
        for number in np.argsort(firsts):
            part = rows[order[bounds[number] : bounds[number + 1]]]
            at = int(start[firsts[number]])
            name = data[at : at + int(length[firsts[number]])]
            try:
                tag = name.decode()
            except UnicodeDecodeError:
                self.misfits += [(int(self.places[i]), int(self.sizes[i])) for i in part]
                continue
            result[tag] = (self.step[part], self.time[part], self.value[part])
        return result

    def _keys(self, start: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, Any]:
        """Makes a number of each tag, and a check that two rows with one number have one tag."""
        words = _view(self.buffer, "<u8")
        pieces = []
        for offset in range(0, int(length.max()), 8):
            # the bytes after the end of a tag are cut off
            left = np.clip(length - offset, 0, 8)
            mask = np.where(
                left > 7,
                np.uint64(0xFFFFFFFFFFFFFFFF),
                (np.uint64(1) << (left * 8 % 64).astype(np.uint64)) - np.uint64(1),
            )
            inside = np.minimum(start + offset, len(words) - 1)
            pieces.append(words[inside] & mask)
        keys = length.astype(np.uint64)
        for piece in pieces:
            keys = (keys ^ piece) * _FACTORS[0]
            keys = (keys ^ (keys >> np.uint64(29))) * _FACTORS[1]

        def same(others: np.ndarray) -> np.ndarray:
            equal = length == length[others]
            for piece in pieces:
                equal &= piece == piece[others]
            return equal

        return keys, same


def _numbers(
    buffer: np.ndarray, at: np.ndarray, end: np.ndarray, good: np.ndarray, key: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reads a field of whole numbers, 0 where it is absent; gives where the next field starts."""
    inside = np.minimum(at, len(buffer) - _PAD)
    there = good & (buffer[inside] == key)
    value = np.zeros(len(at), np.uint64)
    at = at + there
    open_ = np.flatnonzero(there)
    for shift in range(0, 70, 7):
        if not len(open_):
            break
        byte = buffer[at[open_]]
        value[open_] |= (byte & 127).astype(np.uint64) << np.uint64(shift)
        at[open_] += 1
        open_ = open_[(byte > 127) & (at[open_] < end[open_])]
    good = good.copy()
    good[open_] = False
    return value.view(np.int64), at, good


def _view(buffer: np.ndarray, kind: str) -> np.ndarray:
    """Sees a number at each byte."""
    return np.ndarray((len(buffer) - 7,), kind, buffer, strides=(1,))


def _add_misfits(found: Found, places: list[tuple[int, int]], data: bytes) -> None:
    """Adds records to the others, where protobuf takes them."""
    for at, size in places:
        try:
            record = Record.FromString(data[at + _HEAD : at + _HEAD + size])
        except DecodeError:
            found.bad.append((at, size))
            continue
        found.others.append((at, size, record))
    if places:
        found.others.sort(key=lambda other: other[0])
