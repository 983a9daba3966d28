"""The file of a training state: one pickle of plain data, and a checksum behind it."""

from __future__ import annotations

import os
import struct
from typing import Any

from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.serialization.files.atomic import atomic_write
from paddle.serialization.files.checksums import Summed, checksum
from paddle.serialization.pickles.reader import read_pickle
from paddle.serialization.pickles.writer import write_pickle

FORMAT, VERSION = "paddle.incubate.TrainingState", 1
_PROTOCOL = 4
_MARK = b"PDTRAIN1"
_END = struct.Struct(f"<{len(_MARK)}sQI")  # mark, size of the pickle, its CRC-32


def write(path: str, parts: dict[str, Any]) -> None:
    """Writes a training state in place of the file that may be there, all of it or nothing.

    Args:
        path (str): the file.
        parts (dict): plain data; arrays may be ``Deferred``.
    """
    with atomic_write(path) as file:
        dump(file, parts)


def dump(file: Any, parts: dict[str, Any]) -> None:
    """Writes a training state to an open file; see :func:`write`."""
    summed: Any = Summed(file)
    write_pickle({"format": FORMAT, "version": VERSION, "parts": parts}, summed, _PROTOCOL)
    file.write(_END.pack(_MARK, summed.size, summed.sum))


def read(path: str) -> dict[str, Any]:
    """Reads what :func:`write` wrote.

    Args:
        path (str): the file.

    Raises:
        MissingFileError: there is no such file.
        InvalidArgumentError: it is no training state, or not as it was written.
    """
    if not os.path.isfile(path):
        raise MissingFileError(f"TrainingState.load: there is no file '{path}'.")
    _check_sum(path)
    held = read_pickle(path)
    if not isinstance(held, dict) or held.get("format") != FORMAT or "parts" not in held:
        raise _foreign(path)
    if held.get("version") != VERSION:
        found = held["version"] if isinstance(held.get("version"), int) else "unknown"
        raise InvalidArgumentError(
            f"TrainingState.load: '{path}' has version {found} of the format; this release reads "
            f"version {VERSION}."
        )
    if not isinstance(held["parts"], dict):
        raise _foreign(path)
    return held["parts"]


def _foreign(path: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"TrainingState.load: expected a file that TrainingState.save wrote, but '{path}' is "
        "another file, or its end is missing."
    )


def _check_sum(path: str) -> None:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size - _END.size
        if size < 0:
            raise _foreign(path)
        file.seek(size)
        mark, told, wanted = _END.unpack(file.read(_END.size))
        if mark != _MARK or told != size:
            raise _foreign(path)
    found = checksum(path, size)
    if found != wanted:
        raise InvalidArgumentError(
            f"TrainingState.load: the file '{path}' is damaged: its content does not belong to "
            "its checksum."
        )
