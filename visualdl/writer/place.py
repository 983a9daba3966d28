"""Where a writer writes: names of folders and log files, and files that are gone on with."""

from __future__ import annotations

import logging
import os
import struct
import time
import warnings
from datetime import datetime
from typing import Any

from visualdl.log_file import looks_right
from visualdl.log_folder import MARK
from visualdl.record import LARGEST

logger = logging.getLogger("visualdl")
_LENGTH = struct.Struct("<Q")


def folder_of(logdir: Any, comment: Any) -> str:
    """Gives the folder of a log: the one that is named, or one of `runs` by the time."""
    if not isinstance(comment, str):
        raise ValueError(f"comment: expected a text, but got {comment!r}.")
    if logdir is None or logdir == "":
        name = datetime.now().strftime("%b%d_%H-%M-%S")
        return os.path.join("runs", f"{name}.{comment}" if comment else name)
    try:
        folder = os.fspath(logdir)
    except TypeError:
        folder = None
    if not isinstance(folder, str) or "\0" in folder:
        raise ValueError(f"logdir: expected the path of a folder, but got {logdir!r}.")
    return folder


def file_of(folder: str, suffix: Any, name: Any) -> str:
    """Gives the log file to write to; makes the folder, and the file where it is new.

    Args:
        folder (str): the folder.
        suffix (str): what the name of a new file ends in.
        name (str): a file to go on with, or an empty text for a new one.

    Raises:
        ValueError: a name is none.
        OSError: the folder or the file cannot be made.
    """
    for argument, text in (("filename_suffix", suffix), ("file_name", name)):
        if not isinstance(text, str) or "\0" in text:
            raise ValueError(f"{argument}: expected a text, but got {text!r}.")
    if os.path.basename(suffix) != suffix:
        raise ValueError(f"filename_suffix: expected no folder in it, but got {suffix!r}.")
    os.makedirs(folder, exist_ok=True)
    if name and MARK in os.path.basename(name):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            cut_half_record(path)
        return path
    if name:
        warnings.warn(
            f"LogWriter: a log file has {MARK!r} in its name, which file_name={name!r} has not; "
            "a new file is made",
            stacklevel=3,
        )
    seconds = int(time.time())
    while True:
        path = os.path.join(folder, f"{MARK}.{seconds:010d}.log{suffix}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return path
        except FileExistsError:
            seconds += 1


def cut_half_record(path: str) -> None:
    """Cuts off the part of a record that a killed process left at the end of a log.

    What follows it would not be found otherwise. Anything else at the end is left alone.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        at = whole_until(file, size)
        file.seek(at)
        rest = file.read(32)
    if len(rest) < 8:
        half = bool(rest)
    else:
        length = _LENGTH.unpack_from(rest)[0]
        half = 0 < length <= LARGEST and looks_right(rest, 0, length)
    if half:
        logger.warning("%s: half a record at offset %d is cut off.", path, at)
        os.truncate(path, at)


def whole_until(file: Any, size: int) -> int:
    """Gives the offset at which whole records end."""
    base = 0
    while True:
        file.seek(base)
        data = file.read(1 << 20)
        at, end = 0, len(data)
        while at + 8 <= end:
            length = _LENGTH.unpack_from(data, at)[0]
            if not length or base + at + 8 + length > size:
                return base + at
            at += 8 + length
        if at == 0 or base + at >= size:
            return base + at
        base += at
