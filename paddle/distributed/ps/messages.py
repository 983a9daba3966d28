"""The wire format: a header of fixed size, then row numbers, values and text as they lie in memory.

Nothing that arrives is interpreted beyond that: no pickle, no names of types. Lengths have to add
up to the body exactly, and arrays are views of the body, so a frame takes no memory but its own.
A message is one frame or several, one behind the other, and is answered by as many.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from paddle.core import errors
from paddle.core.errors import InvalidArgumentError

# 1: first version. A peer of another version is refused by both sides.
VERSION = 1
MAGIC = b"PPSF"
# magic, version, kind, dtype, table, rows, width, trainer, flags, sequence, length of text, status
HEADER = struct.Struct("<4sHBBIIIHHQII")
# The longest frame, and the longest text in one. Longer requests are sent in pieces.
FRAME_LIMIT = 256 << 20
TEXT_LIMIT = 1 << 20
FRAMES_LIMIT = 4096  # frames of one message
NUMBER_BITS = 40  # of a push's sequence: its number; the bits above are the client's session
TRAINERS_LIMIT = 4096  # trainers of one job: their numbers are beside every table


class Kind(IntEnum):
    """What a request asks for; an answer has the kind of its request."""

    HELLO = 1
    PULL = 2
    PUSH = 3
    PULL_DENSE = 4
    PUSH_DENSE = 5
    BARRIER = 6
    STEP = 7
    RATE = 8
    SAVE = 9
    LOAD = 10
    SHRINK = 11
    STAT = 12
    STOP = 13


class Flag(IntEnum):
    """Bits of the header: which arrays follow, and how they are meant."""

    IDS = 1
    VALUES = 2
    DELTA = 4  # values are added as they are, without an optimizer
    ASSIGN = 8  # values replace what is there
    LOOK = 16  # rows that are not there are not made


_ALL_FLAGS = sum(Flag)
DTYPES: dict[int, Any] = {
    1: np.dtype("<f4"),
    2: np.dtype("<f8"),
    3: np.dtype("<i8"),
    4: np.dtype("<f2"),
}
DTYPE_CODES = {str(t): code for code, t in DTYPES.items()}
# The status of an answer is a place in this list, 0 is success.
_ERRORS: list[Any] = [
    None,
    errors.InvalidArgumentError,
    errors.OutOfRangeError,
    errors.NotFoundError,
    errors.ResourceExhaustedError,
    errors.PreconditionNotMetError,
    errors.PermissionDeniedError,
    errors.ExecutionTimeoutError,
    errors.UnavailableError,
    errors.ExternalError,
    errors.UnimplementedError,
]
UNAVAILABLE = _ERRORS.index(errors.UnavailableError)  # ask again


@dataclass(slots=True)
class Frame:
    """One request or answer.

    Attributes:
        kind: what is asked for.
        table: number of the table.
        trainer: number of the trainer that asks.
        sequence: of a push, the client's session and its number; of other kinds a plain number.
        flags: bits of :class:`Flag` that say how values are meant.
        ids: row numbers, int64, or None.
        values: ``[rows, width]``, or None.
        text: a name or a description.
        status: of an answer; not 0 means that ``text`` is an error's.
    """

    kind: int
    table: int = 0
    trainer: int = 0
    sequence: int = 0
    flags: int = 0
    ids: np.ndarray | None = None
    values: np.ndarray | None = None
    text: str = ""
    status: int = field(default=0)


def encode(*frames: Frame) -> bytes:
    """Returns the bytes of frames, one behind the other."""
    return b"".join([piece for frame in frames for piece in _pieces(frame)])


def _pieces(frame: Frame) -> list[Any]:
    flags, rows, width, dtype = frame.flags & ~(Flag.IDS | Flag.VALUES), 0, 0, 0
    parts: list[Any] = [b""]
    if frame.ids is not None:
        flags |= Flag.IDS
        rows = len(frame.ids)
        if rows:
            parts.append(np.ascontiguousarray(frame.ids, "<i8").data)
    if frame.values is not None:
        flags |= Flag.VALUES
        values = np.ascontiguousarray(frame.values)
        rows, width = values.shape
        dtype = DTYPE_CODES[str(values.dtype)]
        if values.size:
            parts.append(values.data)
    text = frame.text.encode()
    if text:
        parts.append(text)
    parts[0] = HEADER.pack(
        MAGIC, VERSION, frame.kind, dtype, frame.table, rows, width, frame.trainer, flags,
        frame.sequence, len(text), frame.status,
    )  # fmt: skip
    return parts


def decode(body: Any, limit: int = FRAME_LIMIT) -> Frame:
    """Reads a frame; its arrays are views of ``body``.

    Args:
        body (bytes): what came.
        limit (int): the longest body that is accepted.

    Raises:
        InvalidArgumentError: it is none, is of another version, or its lengths do not add up.
    """
    frame, end = read(body, 0, limit)
    if end != len(body):
        raise InvalidArgumentError(
            f"message: its header says {end} bytes, but received {len(body)}."
        )
    return frame


def read(body: Any, at: int, limit: int = FRAME_LIMIT) -> tuple[Frame, int]:
    """Reads one of several frames; see :func:`decode`.

    Args:
        body (bytes): what came.
        at (int): where the frame begins.
        limit (int): the longest body that is accepted.

    Returns:
        tuple: the frame, and where the next one begins.
    """
    size = len(body)
    if size - at < HEADER.size:
        raise InvalidArgumentError(
            f"message: expected at least {HEADER.size} bytes, but received {size - at}."
        )
    if size > limit:
        raise InvalidArgumentError(
            f"message: expected at most {limit} bytes, but received {size}; send it in pieces."
        )
    (magic, version, kind, dtype, table, rows, width, trainer, flags, sequence, letters, status) = (
        HEADER.unpack_from(body, at)
    )
    if magic != MAGIC:
        raise InvalidArgumentError(
            f"message: expected a frame that begins with {MAGIC!r}, but received {magic!r}."
        )
    if version != VERSION:
        raise InvalidArgumentError(
            f"message: expected version {VERSION} of the format, but received version {version}.",
            hint="run the same release of pypaddle on all trainers and servers",
        )
    _check(kind, dtype, flags, letters, status)
    frame = Frame(kind, table, trainer, sequence, flags, status=status)
    start = at + HEADER.size
    middle = start + (rows * 8 if flags & Flag.IDS else 0)
    count = rows * width if flags & Flag.VALUES else 0
    text = middle + (count * DTYPES[dtype].itemsize if count else 0)
    end = text + letters
    if end > size:
        raise InvalidArgumentError(
            f"message: its header says {end - at} bytes, but received {size - at}."
        )
    if flags & Flag.IDS:
        frame.ids = np.frombuffer(body, "<i8", rows, start)
    if flags & Flag.VALUES:
        flat = np.frombuffer(body, DTYPES[dtype], count, middle)
        frame.values = flat.reshape(rows, width)
    if letters:
        frame.text = _text(bytes(memoryview(body)[text:end]))
    return frame, end


def _check(kind: int, dtype: int, flags: int, letters: int, status: int) -> None:
    if not Kind.HELLO <= kind <= Kind.STOP:
        raise InvalidArgumentError(f"message: expected a known kind, but received {kind}.")
    if flags & ~_ALL_FLAGS:
        raise InvalidArgumentError(f"message: expected known flags, but received {flags}.")
    if (dtype not in DTYPES) if flags & Flag.VALUES else dtype:
        raise InvalidArgumentError(f"message: expected a known data type, but received {dtype}.")
    if letters > TEXT_LIMIT:
        raise InvalidArgumentError(
            f"message: expected a text of at most {TEXT_LIMIT} bytes, but received {letters}."
        )
    if status >= len(_ERRORS):
        raise InvalidArgumentError(f"message: expected a known status, but received {status}.")


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InvalidArgumentError("message: expected a text in UTF-8, but received other bytes.")


def error_frame(kind: int, error: Exception) -> Frame:
    """The answer that makes a client raise the same error."""
    status = next((i for i, e in enumerate(_ERRORS) if e is not None and type(error) is e), None)
    if status is None:
        status = next((i for i, e in enumerate(_ERRORS) if e and isinstance(error, e)), 9)
    known = kind if Kind.HELLO <= kind <= Kind.STOP else Kind.STAT
    text = str(error) or type(error).__name__
    if isinstance(error, errors.FrameworkError):
        text = text.removeprefix(f"({error.code}) ")
    else:
        text = f"{type(error).__name__}: {text}"
    return Frame(known, text=text[:2000], status=status)


def raise_error(frame: Frame, where: str) -> None:
    """Raises what an answer reports.

    Args:
        frame (Frame): an answer.
        where (str): which server and table were asked, for the text.
    """
    if frame.status:
        raise _ERRORS[frame.status](f"{where}: {frame.text}")
