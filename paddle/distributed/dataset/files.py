"""Files in parts, through the user's command where there is one; a part becomes blocks."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle.core.errors import ExternalError, InvalidArgumentError, NotFoundError
from paddle.distributed.dataset.records import Block, Problem, Slot, parse

_CHUNK = 1 << 22  # bytes of a part; each costs the trainer some time, beside that of its batches
_PIECE = 1 << 20  # bytes that are read from a command at a time
_LAST_WORDS = 2000
_REMOTE = ("hdfs:", "afs:")


@dataclass(frozen=True)
class Part:
    """What is read in one go.

    Attributes:
        path (str): of the file.
        first (int): where it begins; the line that this is inside of belongs to the part before.
        last (int): the line that this is inside of is the part's last; -1: all lines.
        command (str): what the whole file goes through; empty: nothing.
    """

    path: str
    first: int = 0
    last: int = -1
    command: str = ""


@dataclass(frozen=True)
class Source:
    """What to read, and how.

    Attributes:
        slots (list): of a line.
        named (tuple): what stands in front of the slots.
        skip (bool): whether bad records are left out, not raised.
        parts (list): in the order of their records.
    """

    slots: list[Slot]
    named: tuple[str, ...]
    skip: bool
    parts: list[Part]

    def blocks(self, part: Part) -> Iterator[Block]:
        """The blocks of a part; the last one says so."""
        line, waiting = 0, None
        for text in _texts(part):
            block, problems = parse(text, self.slots, self.named)
            if problems:
                line = line or _lines_before(part)
                told = [self._told(part, line, problem) for problem in problems]
                if not self.skip:
                    more = f" ({len(told)} bad records in this block)" if len(told) > 1 else ""
                    raise InvalidArgumentError(
                        told[0] + more, hint='set_on_bad_record("skip") leaves such records out'
                    )
                block.skipped = told
            if part.command:
                line += text.count(b"\n")
            if waiting is not None:
                yield waiting
            waiting = block
        waiting = waiting or Block(0, [])
        waiting.last = True
        yield waiting

    def place_of(self, slot: str, wanted: Callable[[np.ndarray], np.ndarray]) -> str:
        """File and line of the first record that has such a value; empty: none has.

        Args:
            slot (str): where the value is.
            wanted (callable): gets values of the slot, and says of each whether it is one.
        """
        used = [s.name for s in self.slots if s.used]
        for part in self.parts:
            line = 0
            for text in _texts(part):
                block, problems = parse(text, self.slots, self.named)
                column = block.columns[used.index(slot)]
                found = np.flatnonzero(wanted(column.values))
                if len(found):
                    ends = np.cumsum(column.each(block.size))
                    record = int(np.searchsorted(ends, found[0], "right"))
                    good = np.delete(
                        np.arange(block.size + len(problems)), [p.line for p in problems]
                    )
                    return _place(part, (line or _lines_before(part)) + int(good[record]))
                if part.command:
                    line += text.count(b"\n")
        return ""

    def _told(self, part: Part, line: int, problem: Problem) -> str:
        where = _place(part, line + problem.line)
        if problem.slot >= 0:
            name = self.slots[problem.slot].name
            where += f", slot {name!r} (number {problem.slot + 1} of {len(self.slots)})"
        return f"{where}: {problem.text}"


def _place(part: Part, line: int) -> str:
    made = f" of what {part.command!r} made of it" if part.command else ""
    return f"{part.path}, line {line + 1}{made}"


def parts_of(paths: list[str], command: str, download: str = "") -> list[Part]:
    """Cuts files into parts that can be read at the same time.

    Args:
        paths (list[str]): the files.
        command (str): a shell command that each goes through; "cat" does nothing.
        download (str): a command that writes a file of another file system to its output.
    """
    plain = command.strip() in ("", "cat")
    found = []
    for path in paths:
        if path.startswith(_REMOTE):
            fetch = f"{download or 'hadoop fs -cat'} {shlex.quote(path)}"
            found.append(Part(path, command=fetch if plain else f"{fetch} | {command}"))
        elif not plain:
            _size(path)
            found.append(Part(path, command=command))
        else:
            size = _size(path)
            found += [Part(path, at, min(at + _CHUNK, size)) for at in range(0, size, _CHUNK)]
    return found


def total(parts: list[Part]) -> int:
    """How many bytes the parts have at least; files behind commands count as large."""
    return sum(_PIECE + 1 if part.command else part.last - part.first for part in parts)


def _size(path: str) -> int:
    try:
        if os.path.isdir(path):
            raise InvalidArgumentError(f"set_filelist: expected files, but {path!r} is a folder.")
        return os.path.getsize(path)
    except OSError as error:
        raise _gone(path, error) from None


def _gone(path: str, error: OSError) -> Exception:
    return NotFoundError(f"set_filelist: {path!r} cannot be read: {error.strerror}.")


def _texts(part: Part) -> Iterator[bytes]:
    """Whole lines of a part."""
    if part.command:
        yield from _piped(part)
        return
    text = _range(part)
    if text:
        yield text


def _range(part: Part) -> bytes:
    try:
        with open(part.path, "rb") as file:
            if os.fstat(file.fileno()).st_size < part.last:
                raise ExternalError(
                    f"{part.path}: the file has become shorter since the run began: expected at "
                    f"least {part.last} bytes."
                )
            start = part.first
            if start:  # from the first line that begins here
                file.seek(start - 1)
                start += len(file.readline()) - 1
            if start >= part.last:
                return b""
            file.seek(start)
            text = file.read(part.last - start)
            return text if text.endswith(b"\n") else text + file.readline()
    except OSError as error:
        if isinstance(error, ExternalError):
            raise
        raise _gone(part.path, error) from None


def _lines_before(part: Part) -> int:
    """How many lines end before the first of a part; only asked for where a line is bad."""
    if part.command or not part.first:
        return 0
    with open(part.path, "rb") as file:
        left, lines = part.first - 1, 0
        while left > 0:
            piece = file.read(min(left, _CHUNK))
            left, lines = left - len(piece), lines + piece.count(b"\n")
        return lines + 1


def _piped(part: Part) -> Iterator[bytes]:
    """What a command makes of a file; its messages are shown when it has ended."""
    remote = part.path.startswith(_REMOTE)
    try:
        source = open(os.devnull if remote else part.path, "rb")  # noqa: SIM115  (see below)
    except OSError as error:
        raise _gone(part.path, error) from None
    with source, tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            part.command, shell=True, stdin=source, stdout=subprocess.PIPE, stderr=told,
            start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            rest = b""
            while piece := process.stdout.read(_PIECE):
                end = piece.rfind(b"\n") + 1
                if end:
                    yield rest + piece[:end]
                    rest = piece[end:]
                else:
                    rest += piece
            status = process.wait()
            words = _words(told)
            if status:
                raise ExternalError(_failed(part, status, words))
            if words:
                print(words, file=sys.stderr, flush=True)
            if rest:
                yield rest
        finally:
            process.stdout.close()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # the shell and all that it has started
                process.wait()


def _words(told: Any) -> str:
    size = told.seek(0, os.SEEK_END)
    told.seek(max(0, size - _LAST_WORDS))
    return told.read().decode("utf8", "replace").strip()


def _failed(part: Part, status: int, words: str) -> str:
    if status < 0:
        how = f"was killed by signal {signal.Signals(-status).name}"
    else:
        how = f"ended with status {status}"
    last = f"; its last words:\n{words}" if words else " and said nothing"
    return f"set_pipe_command: {part.command!r} {how} on {part.path}{last}"
