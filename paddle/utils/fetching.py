"""Fetches a file over the network: continued, tried again, checked, and placed when all is well."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import shutil
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paddle.core.errors import PermissionDeniedError, UnavailableError
from paddle.utils.part_file import PartFile

__all__: list[str] = []

TIMEOUT_SECONDS = 30
PAUSE_SECONDS = 0.5
_CHUNK = 1 << 20
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_ASK_AGAIN = (408, 425, 429)  # of the answers 4xx, those that another attempt may change


@dataclass(frozen=True)
class Wanted:
    """A file to be fetched.

    Args:
        url (str): http, https or file address.
        path (str): where the file goes.
        md5sum (str|None): its checksum; None does not check.
        hint (str): what the user can do when it cannot be had.
        setting (str): what moves the folder to another place.
        attempts (int): how often it is tried in vain.
    """

    url: str
    path: str
    md5sum: str | None = None
    hint: str = ""
    setting: str = ""
    attempts: int = 3

    def is_there(self) -> bool:
        """Says whether the file exists and passes the check."""
        if not os.path.isfile(self.path):
            return False
        return self.md5sum is None or md5_of(self.path) == self.md5sum


def md5_of(path: str) -> str:
    """Returns the MD5 checksum of a file in hexadecimal."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fetch(
    wanted: Wanted, check_exist: bool = True, prepare: Callable[[str], None] | None = None
) -> None:
    """Sees to it that a file is there; of several processes one downloads and the others wait.

    Args:
        wanted (Wanted): the file.
        check_exist (bool): whether one that is there already, and passes the check, will do.
        prepare (callable|None): called with the path of the new file before it gets its name; when
            it raises, the file is dropped.

    Raises:
        RuntimeError: it cannot be had, or there is no place for it.
    """
    before = _identity(wanted.path)
    if check_exist and wanted.is_there():
        return
    try:
        os.makedirs(os.path.dirname(wanted.path), exist_ok=True)
        opened = PartFile(wanted.path)
    except OSError as error:
        raise PermissionDeniedError(
            f"download: expected to write {wanted.path}, but the folder cannot be written: "
            f"{error}.",
            hint=f"choose another folder by {wanted.setting}"
            if wanted.setting
            else "choose another folder, or put the file there as a user who may",
        ) from error
    with opened as part:
        # While this process waited for the lock, another one may have done it all.
        if _identity(wanted.path) != before and wanted.is_there():
            part.restart()
            return
        _attempts(wanted, part)
        if prepare is not None:
            try:
                prepare(part.path)
            except BaseException:
                part.restart()
                raise
        part.place()


def _identity(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _attempts(wanted: Wanted, part: PartFile) -> None:
    """Downloads until all is there; an attempt counts as failed only if it brought little."""
    failures = 0
    while True:
        size = part.size()
        try:
            _transfer(wanted, part)
            _check(wanted, part)
            return
        except (OSError, ValueError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in _NO_SPACE:
                raise _no_space(wanted, part, str(error)) from error
            failures += part.size() - size < _CHUNK
            code = getattr(error, "code", None)
            final = isinstance(code, int) and 400 <= code < 500 and code not in _ASK_AGAIN
            if failures >= wanted.attempts or final:
                raise UnavailableError(
                    f"download: {wanted.url} could not be fetched to {wanted.path}: {error} "
                    f"({failures} of {wanted.attempts} attempts).{_remarks(wanted, part)}",
                    hint=wanted.hint
                    or f"check the network, or put the file there yourself: {wanted.path}",
                ) from error
        if failures:
            time.sleep(PAUSE_SECONDS * failures)


def _remarks(wanted: Wanted, part: PartFile) -> str:
    """What else the user should know about the files in the folder."""
    text = ""
    if wanted.md5sum and os.path.isfile(wanted.path):
        text += (
            f" The file that is there has the MD5 {md5_of(wanted.path)}, expected is "
            f"{wanted.md5sum}."
        )
    if part.about() and part.size():
        text += f" The {part.size()} bytes that came are kept, and continued next time."
    return text


def _no_space(wanted: Wanted, part: PartFile, reason: str) -> UnavailableError:
    hint = "free some space"
    if wanted.setting:
        hint += f", or choose another folder by {wanted.setting}"
    return UnavailableError(
        f"download: the disk of {wanted.path} is full: {reason}.{_remarks(wanted, part)}",
        hint=hint,
    )


def _check(wanted: Wanted, part: PartFile) -> None:
    if not part.size() and wanted.md5sum is None:
        raise OSError("expected a file, but the answer is empty")
    if wanted.md5sum is None:
        return
    received = md5_of(part.path)
    if received != wanted.md5sum:
        part.restart()
        raise OSError(f"expected MD5 {wanted.md5sum}, but received {received}")


def _transfer(wanted: Wanted, part: PartFile) -> None:
    """Asks once for the bytes that are missing, and appends them."""
    about = part.about() if part.size() else {}
    if any(about.get(key) != value for key, value in _of(wanted).items()):
        about = {}
    start = part.size() if about else 0
    if not start:
        part.restart()
    elif about.get("length") == start:
        return
    answer = _ask(wanted, part, about, start)
    if answer is None:
        return
    with answer:
        if start and getattr(answer, "status", None) != 206:
            start = 0
        if not start:
            part.restart(_described(wanted, answer))
        announced = answer.headers.get("Content-Length") or ""
        total = start + int(announced) if announced.isdigit() else None
        if total is not None:
            free = shutil.disk_usage(os.path.dirname(part.path)).free
            if free < total - start:
                reason = f"{total - start} bytes are to come, and {free} are free"
                raise OSError(errno.ENOSPC, reason)
        with _Progress(wanted, start, total) as progress:
            # Not read(): what came before the connection broke would be lost.
            while chunk := answer.read1(_CHUNK):
                part.file.write(chunk)
                part.file.flush()
                progress.advance(len(chunk))
    if total is not None and part.size() != total:
        raise OSError(f"expected {total} bytes, but received {part.size()}")


def _of(wanted: Wanted) -> dict[str, Any]:
    return {"url": wanted.url, "md5sum": wanted.md5sum}


def _described(wanted: Wanted, answer: Any) -> dict[str, Any] | None:
    """What tells later that the bytes still fit the server's file; None: nothing does."""
    etag = answer.headers.get("ETag") or ""
    # A weak tag may stay when bytes change.
    version = etag if etag.startswith('"') else answer.headers.get("Last-Modified")
    if version is None and wanted.md5sum is None:
        return None
    length = answer.headers.get("Content-Length") or ""
    return {
        **_of(wanted),
        "version": version,
        "length": int(length) if length.isdigit() else None,
    }


def _ask(wanted: Wanted, part: PartFile, about: dict[str, Any], start: int) -> Any:
    """Sends the request; None if the server says that nothing is missing."""
    headers = {"User-Agent": "pypaddle"}
    if start:
        headers["Range"] = f"bytes={start}-"
        if about.get("version"):
            headers["If-Range"] = str(about["version"])
    request = urllib.request.Request(wanted.url, headers=headers)
    try:
        answer = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != 416:
            raise
        if start and error.headers.get("Content-Range") == f"bytes */{start}":
            return None
        part.restart()
        raise OSError("the server has no such range of the file any more") from error
    if getattr(answer, "status", None) == 206:
        place, _, total = (answer.headers.get("Content-Range") or "").partition("/")
        fits = place.startswith(f"bytes {start}-") and about.get("length") in (None, _number(total))
        if not (start and fits):
            answer.close()
            part.restart()
            raise OSError(
                f"expected the bytes from {start} on, but the server sends those of {place!r}"
            )
    return answer


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


class _Progress:
    """One short line on stderr; in a terminal it is rewritten as the bytes come."""

    def __init__(self, wanted: Wanted, start: int, total: int | None) -> None:
        self._done, self._start, self._total = start, start, total
        self._name = os.path.basename(wanted.path)
        self._began = self._shown = time.monotonic()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        further = f", from byte {start} on" if start else ""
        print(f"Downloading {wanted.url} to {wanted.path}{further}", file=sys.stderr)

    def advance(self, count: int) -> None:
        """Counts bytes and shows the line a few times a second."""
        self._done += count
        now = time.monotonic()
        if self._terminal and now - self._shown > 0.2:
            self._shown = now
            self._show(now)

    def _show(self, now: float) -> None:
        rate = (self._done - self._start) / max(now - self._began, 1e-3)
        share = f"{100 * self._done / self._total:3.0f} % of " if self._total else ""
        size = (self._total or self._done) / 1e6
        print(
            f"\r{self._name}: {share}{size:.1f} MB, {rate / 1e6:.1f} MB/s \x1b[K",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal and self._shown != self._began:
            self._show(time.monotonic())
            print(file=sys.stderr)
