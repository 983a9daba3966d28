"""Seals: checksums behind pickles, by which readers see damage and which files belong together.

Every reader of pickles stops where the object ends, so PaddlePaddle does not see what follows it.
There we write a table of the files that were saved together, the file itself among them, with the
size and the CRC-32 of each. Files of one save have equal tables; a table of another save tells
that a save was interrupted between two renames. Formats that end with their last byte (programs,
tensor streams) have their line in the table of a pickle beside them.
"""

from __future__ import annotations

import functools
import json
import os
import struct
import zlib
from collections.abc import Iterable
from typing import Any, BinaryIO, NamedTuple

from paddle.core import flags
from paddle.core.errors import InvalidArgumentError
from paddle.serialization.files.atomic import FileSet
from paddle.serialization.files.checksums import Summed, checksum
from paddle.serialization.pickles.reader import read_pickle

_HEAD, _TAIL = b"\0paddle-seal-1\0", b"\0sealed\0"
_END = struct.Struct(f"<II{len(_TAIL)}s")  # checksum and length of the table, mark
_SEARCHED = 1 << 16  # bytes at the end in which a cut seal is looked for
_STRICT = "FLAGS_require_checksums"


class Seal(NamedTuple):
    """What a file tells of the save that it is of."""

    key: str  # the file itself in the table
    files: dict[str, tuple[int, int]]  # end of the name -> size and CRC-32
    start: int  # where the seal begins, which is where the file's own content ends


# -- writing --------------------------------------------------------------------------------------


class SaveSet(FileSet):
    """The files of one save, of which pickles get a seal.

    Args:
        base (str): what all names begin with; the table has the rest, so that files of one save
            may be renamed together.
    """

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base
        self._written: list[tuple[str, Summed, BinaryIO, bool]] = []
        self._elsewhere: dict[str, tuple[int, int]] = {}

    def open(self, path: str, sealed: bool = False) -> Any:
        """Opens a file for writing.

        Args:
            path (str): begins with ``base``.
            sealed (bool): a pickle, which has room for a seal behind it.
        """
        file = super().open(path)
        summed = Summed(file)
        self._written.append((path.removeprefix(self._base), summed, file, sealed))
        return summed

    def add(self, files: dict[str, tuple[int, int]]) -> None:
        """Adds lines for files that are written by themselves: end of the name -> size and sum."""
        self._elsewhere.update(files)

    def sums(self) -> dict[str, tuple[int, int]]:
        """End of the name -> size and checksum of what was written."""
        return {key: (summed.size, summed.sum) for key, summed, _, _ in self._written}

    def commit(self) -> None:
        """Writes the seals, and gives all files their names."""
        table = {**self._elsewhere, **self.sums()}
        for key, _, file, sealed in self._written:
            if sealed:
                file.write(_sealing(key, table))
        super().commit()


def seal_wanted(options: dict[str, Any], program: bool) -> bool:
    """Takes the option ``checksum`` of paddle.save out of the others; returns what it says.

    Args:
        options (dict): the keyword arguments.
        program (bool): whether a Program is written, whose format has no room.
    """
    wanted = options.pop("checksum", None)
    if wanted is not None and type(wanted) is not bool:
        raise InvalidArgumentError(
            f"paddle.save: expected checksum to be a bool, but received {type(wanted).__name__}."
        )
    if wanted and program:
        raise InvalidArgumentError(
            "paddle.save: a program file has no room for a checksum.",
            hint="jit.save and static.save write files beside it that have",
        )
    return bool(flags.get(_STRICT)) if wanted is None else wanted


def _sealing(key: str, table: dict[str, tuple[int, int]]) -> bytes:
    told = {"files": dict(sorted(table.items())), "this": key}
    text = json.dumps(told, separators=(",", ":")).encode()
    return _HEAD + text + _END.pack(zlib.crc32(text), len(text), _TAIL)


# -- reading --------------------------------------------------------------------------------------


def read_seal(path: str) -> Seal | None:
    """Returns the seal of a file, None if it has none; does not check the content against it.

    Raises:
        InvalidArgumentError: there is one, and it is damaged.
    """
    told = os.stat(path)
    return _read_seal(path, (told.st_ino, told.st_size, told.st_mtime_ns))


@functools.lru_cache(maxsize=4)  # a folder of 1.x has one for a file per variable
def _read_seal(path: str, state: tuple[int, ...]) -> Seal | None:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        seal = _at_end(file, size)
        if seal is None and _is_cut(file, size):
            raise _damaged(path, "the checksum behind its content is cut off or damaged")
        if seal is not None and (seal.key not in seal.files or seal.start < 0):
            raise _damaged(path, "the checksum behind its content is damaged")
        return seal


def _at_end(file: BinaryIO, size: int) -> Seal | None:
    """The seal at the end of a file; one without a name where it is damaged."""
    if size < _END.size:
        return None
    file.seek(size - _END.size)
    total, length, mark = _END.unpack(file.read(_END.size))
    if mark != _TAIL:
        return None
    start = size - _END.size - length - len(_HEAD)
    broken = Seal("", {}, -1)
    if start < 0:
        return broken
    file.seek(start)
    data = file.read(len(_HEAD) + length)
    text = data[len(_HEAD) :]
    if not data.startswith(_HEAD) or zlib.crc32(text) != total:
        return broken
    try:
        told = json.loads(text)
        files = {str(k): (int(n), int(c)) for k, (n, c) in told["files"].items()}
        return Seal(str(told["this"]), files, start)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return broken


def _is_cut(file: BinaryIO, size: int) -> bool:
    """Whether a file without a mark at its end has a piece of a seal there.

    A whole one with something behind it is part of what the user saved.
    """
    file.seek(max(0, size - _SEARCHED))
    data = file.read()
    at = data.rfind(_HEAD)
    return at >= 0 and _TAIL not in data[at:]


def _damaged(path: str, reason: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"cannot read the file '{path}' ({os.path.getsize(path)} bytes): {reason}.",
        hint="The file must be one that paddle.save wrote, copied completely.",
    )


def check_sealed(path: str) -> Seal | None:
    """Checks a pickle against its seal, if it has one.

    Args:
        path (str): the file.

    Raises:
        InvalidArgumentError: the content is not what was written; or there is no seal and
            ``FLAGS_require_checksums`` is set.
    """
    seal = read_seal(path)
    if seal is None:
        if flags.get(_STRICT) and os.path.getsize(path):
            raise _without(path)
        return None
    size, total = seal.files[seal.key]
    if seal.start != size:
        raise _damaged(path, f"it was saved with {size} bytes of content, but has {seal.start}")
    if checksum(path, size) != total:
        raise _damaged(path, "its content is not what was saved: the checksum differs")
    return seal


def _without(path: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"the file '{path}' was saved without a checksum, and {_STRICT} is set.",
        hint="paddle.save(obj, path, checksum=True), Model.save, static.save and jit.save write "
        f"one; paddle.set_flags({{'{_STRICT}': False}}) reads files without",
    )


def read_sealed(path: str) -> Any:
    """Reads a pickle, checked against its seal; see :func:`check_sealed`.

    Args:
        path (str): the file.

    Raises:
        InvalidArgumentError: the file is damaged, or holds more than plain data.
    """
    check_sealed(path)
    return read_pickle(path)


def check_beside(path: str, pickles: Iterable[tuple[str, str]]) -> None:
    """Checks a file without room for a seal against the seals of pickles beside it.

    Args:
        path (str): the file.
        pickles (Iterable): paths of pickles that may tell of it, which need not exist, each with
            what the names of the files of its save begin with.

    Raises:
        InvalidArgumentError: a seal tells of the file, and none of what it holds; or none does and
            ``FLAGS_require_checksums`` is set.
    """
    told: tuple[str, tuple[int, int]] | None = None
    size = os.path.getsize(path)
    for pickle, base in pickles:
        seal = read_seal(pickle) if path.startswith(base) and os.path.isfile(pickle) else None
        line = None if seal is None else seal.files.get(path.removeprefix(base))
        if line is None:
            continue
        if line[0] == size and checksum(path, size) == line[1]:
            return
        told = pickle, line
    if told is None:
        if flags.get(_STRICT):
            raise _without(path)
        return
    pickle, line = told
    what = "the checksum differs" if line[0] == size else f"that one had {line[0]} bytes"
    raise InvalidArgumentError(
        f"'{path}' ({size} bytes) is not the file that was saved together with '{pickle}': {what}.",
        hint="it is damaged or of another save; save or copy all files of the model again (if it "
        f"is meant to be another one, remove '{pickle}')",
    )


def check_together(first: str, second: str, where: str, hint: str) -> None:
    """Checks that two pickles are of one save, where their seals tell.

    Args:
        first (str): a file.
        second (str): another one, ending in a suffix that the save added.
        where (str): the function that is called, for error texts.
        hint (str): what the user can do.

    Raises:
        InvalidArgumentError: they are of two saves.
    """
    one, two = read_seal(first), read_seal(second)
    if one is not None and two is not None and one.files != two.files:
        raise InvalidArgumentError(
            f"{where}: '{first}' and '{second}' are of two different saves; the later one may have "
            "been interrupted.",
            hint=hint,
        )
