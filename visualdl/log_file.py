"""One log file: its records, read on from where the last reading stopped.

A record that is not there whole yet waits for its end. What cannot be a record (a length of 2^63,
zeros that a power failure left, garbage) is passed over up to the next place where a record starts;
each is told once, with the file and the offset.
"""

from __future__ import annotations

import logging
import os
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from google.protobuf.message import DecodeError

from visualdl.record import LARGEST, Record

if TYPE_CHECKING:
    import numpy as np

logger = logging.getLogger("visualdl")

BLOCK = 8 << 20
"""Bytes that are read at once."""
_HEAD = 8
_LENGTH = struct.Struct("<Q")
_VALUES = 0x0A
"""The first byte of a record: field 1, a message."""
_SHORT = 130
"""Below so many bytes a record of one value has its length in one byte."""
_START = re.compile(rb"[^\x00]..\x00{5}\n|\x00[^\x00].\x00{5}\n|\x00\x00[^\x00]\x00{5}\n", re.S)
"""What a record looks like that is shorter than 16 MiB: its length, and the first byte."""
_OVERLAP = 16 << 10
"""A search goes on so far before the end of what it looked at: a short record may lie across it."""
_UNDECODABLE = "a record cannot be decoded"
_BEGINNING = 64
"""Bytes by which a file that took the place of another is told."""


@dataclass
class Columns:
    """What a block of a file holds: scalars as arrays, the other records as places.

    Attributes:
        scalars: tag -> (steps int64, milliseconds int64, values float32), in the file's order.
        others: (offset, size, value) of each other record; `LogFile.value_at(offset)` reads it
            again, so whoever keeps many of them keeps the offset only.
        read: bytes of the file that were consumed.
        more: whether there is more to read now.
    """

    scalars: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)
    others: list[tuple[int, int, Any]] = field(default_factory=list)
    read: int = 0
    more: bool = False


class LogFile:
    """Reads one log file, again and again while it grows.

    Args:
        path (str): the file.

    Attributes:
        path: the file.
        position: offset of the first byte that was not read yet.
        problems: (offset, text) of what was passed over.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.position = 0
        self.problems: list[tuple[int, str]] = []
        self._told: set[int] = set()
        self._searched = 0
        self._beginning = b""

    # -- reading ---------------------------------------------------------------------------------
    def read(self, limit: int | None = None) -> list[Any]:
        """Gives the values that were not read yet.

        Args:
            limit (int, optional): so many records at most.

        Returns:
            list: `Value` messages, in the file's order; empty while nothing was added.
        """
        values: list[Any] = []
        with open(self.path, "rb") as file:
            try:
                self._read_on(file, values, limit)
            except OSError:
                if not values:
                    raise  # else the next call meets it, and what was read is not lost
        return values

    def read_columns(self, limit_bytes: int = BLOCK) -> Columns:
        """Gives the next block of the file, its scalars as arrays without an object for each.

        Args:
            limit_bytes (int): about so many bytes at most are read.

        Returns:
            Columns: empty (`read` is 0) while nothing was added.
        """
        from visualdl.scalar_scan import scan

        base = self.position
        with open(self.path, "rb") as file:
            found = scan(self._block(file, limit_bytes))
            for at, size in sorted(found.bad):
                self._tell(f"{_UNDECODABLE}; its {size} bytes are passed over", base + at)
            self.position += found.stop
            if found.broken or not found.stop:
                with suppress(OSError):  # the next call meets it
                    self._pass_over(file, found.broken)
            left = os.fstat(file.fileno()).st_size - self.position
        others = [
            (base + at, size, value) for at, size, record in found.others for value in record.values
        ]
        read = self.position - base
        return Columns(found.scalars, others, read, read > 0 and left > 0)

    def value_at(self, offset: int) -> Any:
        """Reads again the record at an offset that `read_columns` gave.

        Args:
            offset (int): the place of the record, its length included.

        Returns:
            Value: the first value of the record.

        Raises:
            ValueError: there is no record any more.
            OSError: the file cannot be read.
        """
        with open(self.path, "rb") as file:
            file.seek(offset)
            head = file.read(_HEAD)
            size = _LENGTH.unpack(head)[0] if len(head) == _HEAD else 0
            left = os.fstat(file.fileno()).st_size - offset - _HEAD
            data = file.read(size) if 0 < size <= left else b""
        try:
            return Record.FromString(data).values[0]
        except (DecodeError, IndexError) as error:
            raise ValueError(f"{self.path}: no record is at offset {offset} any more.") from error

    def replaced(self) -> bool:
        """Says whether another file stands where the one was that has been read so far."""
        try:
            if os.stat(self.path).st_size < self.position:
                return True
            with open(self.path, "rb") as file:
                return file.read(len(self._beginning)) != self._beginning
        except OSError:
            return False

    # -- inside ----------------------------------------------------------------------------------
    def _read_on(self, file: BinaryIO, values: list[Any], left: int | None) -> None:
        """Adds the values that were not read yet, of so many records at most."""
        while left is None or left > 0:
            data = self._block(file, BLOCK)
            spans = split(data, left)
            good, count = decoded(data, spans)
            values += good
            stop = spans[count - 1][1] if count else 0
            self.position += stop
            if left is not None:
                left -= count
            broken = count < len(spans)
            if (broken or not count) and not self._pass_over(file, broken):
                break

    def _block(self, file: BinaryIO, wanted: int) -> bytes:
        """Reads from the position on, the whole of one record at least."""
        if len(self._beginning) < _BEGINNING:
            file.seek(0)
            self._beginning = file.read(_BEGINNING)
        file.seek(self.position)
        data = file.read(wanted)
        size = _LENGTH.unpack_from(data)[0] if len(data) >= _HEAD else 0
        missing = size + _HEAD - len(data)
        if 0 < missing <= os.fstat(file.fileno()).st_size - self.position - len(data):
            data += file.read(missing)
        return data

    def _pass_over(self, file: BinaryIO, broken: bool) -> bool:
        """Goes to the next record after what is none; says whether the position moved.

        Args:
            file (BinaryIO): the file.
            broken (bool): a whole record is at the position, and cannot be decoded.
        """
        file.seek(self.position)
        head = file.read(_HEAD + 12)
        if len(head) < _HEAD:
            return False
        size = _LENGTH.unpack_from(head)[0]
        if not broken and 0 < size <= LARGEST and looks_right(head, 0, size):
            return False  # it waits for its end
        what = _UNDECODABLE if broken else f"{size} is not the length of a record"
        wanted = BLOCK + (size if broken else 0)
        data = head + file.read(wanted - len(head))
        eof = len(data) < wanted
        after = _HEAD + size
        follows = starts_record(data, after) or decodes(data, after)
        if broken and (follows or (eof and after == len(data))):
            return self._skip(after, f"{what}; its {size} bytes are passed over")
        for at in _candidates(data, max(1, self._searched - self.position)):
            if starts_record(data, at):
                return self._skip(at, f"{what}; {at} bytes are passed over")
        end = max(1, len(data) - _OVERLAP)
        if not eof:
            return self._skip(end, f"{what}; looking for the next one", goes_on=True)
        self._searched = self.position + end  # what follows may still come
        if broken or not 0 < size <= LARGEST:
            self._tell(f"{what}; no record follows")
        return False

    def _skip(self, count: int, what: str, goes_on: bool = False) -> bool:
        """Moves on, and tells why; nothing more is told where the search goes on."""
        self._tell(what)
        self._searched = 0
        self.position += count
        if goes_on:
            self._told.add(self.position)
        return True

    def _tell(self, what: str, offset: int | None = None) -> None:
        """Tells once that something in the file is broken; at the position, if nothing is said."""
        offset = self.position if offset is None else offset
        if offset not in self._told:
            self._told.add(offset)
            self.problems.append((offset, what))
            logger.warning("%s: at offset %d: %s.", self.path, offset, what)


def split(data: bytes, limit: int | None = None) -> list[tuple[int, int]]:
    """Finds the records of a piece of a file that starts with one.

    Args:
        data (bytes): the piece.
        limit (int, optional): so many at most.

    Returns:
        list: (start, stop) of the bytes of each whole record.
    """
    spans: list[tuple[int, int]] = []
    at, end = 0, len(data)
    unpack, add = _LENGTH.unpack_from, spans.append
    most = end if limit is None else limit
    while at + _HEAD < end and len(spans) < most:
        start = at + _HEAD
        size = unpack(data, at)[0]
        at = start + size
        if at > end or not size:
            break
        add((start, at))
    return spans


def decoded(data: bytes, spans: list[tuple[int, int]]) -> tuple[list[Any], int]:
    """Decodes records up to the first that is broken.

    Returns:
        tuple: their values, and how many records were good.
    """
    values: list[Any] = []
    run: list[bytes] = []  # records one after another are one record that has all their values
    done = 0
    for count, (start, stop) in enumerate(spans):
        size = stop - start
        if size < _SHORT and data[start] == _VALUES and size > 2 and data[start + 1] == size - 2:
            run.append(data[start:stop])
            continue
        good = _decoded_run(run, values)
        done += good
        if good < len(run):
            return values, done
        run = []
        try:
            values += Record.FromString(data[start:stop]).values
        except DecodeError:
            return values, count
        done = count + 1
    return values, done + _decoded_run(run, values)


def _decoded_run(run: list[bytes], values: list[Any]) -> int:
    """Decodes records of one value at once, or one by one up to the first that is broken."""
    try:
        values += Record.FromString(b"".join(run)).values
        return len(run)
    except DecodeError:
        pass
    for count, data in enumerate(run):
        try:
            values += Record.FromString(data).values
        except DecodeError:
            return count
    return len(run)


def looks_right(data: bytes, at: int, size: int) -> bool:
    """Says whether a record of a size may start at a place, by its first bytes.

    A record is one value: its length is that of the record less what the length itself takes.
    """
    head = data[at + _HEAD : at + _HEAD + 12]
    if not head:
        return True
    if head[0] != _VALUES:
        return False
    inner = shift = 0
    for used, byte in enumerate(head[1:6], 2):
        inner |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return inner + used == size and (len(head) <= used or head[used] in (0x08, 0x12))
    return len(head) < 6


def starts_record(data: bytes, at: int) -> bool:
    """Says whether a whole record seems to be at a place."""
    if at + _HEAD >= len(data):
        return False
    size = _LENGTH.unpack_from(data, at)[0]
    return 0 < size <= len(data) - at - _HEAD and looks_right(data, at, size)


def decodes(data: bytes, at: int) -> bool:
    """Says whether a whole record that has values is at a place."""
    if at + _HEAD >= len(data):
        return False
    stop = at + _HEAD + _LENGTH.unpack_from(data, at)[0]
    try:
        return stop <= len(data) and len(Record.FromString(data[at + _HEAD : stop]).values) > 0
    except DecodeError:
        return False


def _candidates(data: bytes, begin: int) -> Iterator[int]:
    """Gives the places of a piece of a file where a record may start."""
    found = _START.search(data, begin)
    while found:
        yield found.start()
        found = _START.search(data, found.start() + 1)
