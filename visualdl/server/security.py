"""What the server lets through: hosts it answers to, what a page may load, which files it gives."""

from __future__ import annotations

import gzip
import hashlib
import ipaddress
import mimetypes
import os
import threading
from dataclasses import dataclass

POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "worker-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    ]
)
"""What a page may load: what comes from this server; no script that stands in a page."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer."""

TEXT = ("text/", "application/json", "image/svg")
SMALL = 1 << 10
"""Shorter bodies are not packed."""
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
}


def host_name(header: str) -> str:
    """Gives the name in a Host header, without the port and the brackets of IPv6."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    if name.count(":") > 1:
        return name
    return name.partition(":")[0].rstrip(".")


def is_local(host: str) -> bool:
    """Says whether only this machine reaches a server bound to a host."""
    name = host_name(host)
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False  # 127.0.0.1.example.com is the name of another site


def host_allowed(header: str, host: str) -> bool:
    """Says whether a request with a Host header is answered.

    A server that only this machine reaches answers to this machine's own names: a page of another
    site whose name was made to point here carries that site's name. Who opens the server to others
    by `--host` knows under which names they come.

    Args:
        header (str): the Host header.
        host (str): what the server is bound to.
    """
    name = host_name(header)
    if not is_local(host):
        return bool(name)
    return name == host_name(host) or is_local(header)


@dataclass(frozen=True)
class StaticFile:
    """One file as it is sent.

    Attributes:
        body: its bytes.
        packed: the same by gzip, None where that is no use.
        kind: its media type.
        tag: the ETag, with quotes.
    """

    body: bytes
    packed: bytes | None
    kind: str
    tag: str


class StaticFiles:
    """The files below a folder, kept in memory once they were asked for.

    Args:
        folder (str): the folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self._kept: dict[str, tuple[tuple[int, int], StaticFile]] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> StaticFile | None:
        """Gives a file, None where there is none; nothing outside the folder is given.

        Args:
            name (str): the path below the folder, with slashes.
        """
        path = self._inside(name)
        if path is None:
            return None
        try:
            state = os.stat(path)
            mark = (state.st_mtime_ns, state.st_size)
            with self._lock:
                kept = self._kept.get(path)
                if kept is None or kept[0] != mark:
                    with open(path, "rb") as file:
                        kept = (mark, made(file.read(), path))
                    self._kept[path] = kept
            return kept[1]
        except OSError:
            return None

    def _inside(self, name: str) -> str | None:
        """Gives the path of a file of the folder, None for any other."""
        parts = name.split("/")
        if "\0" in name or "\\" in name or any(part in ("", ".", "..") for part in parts):
            return None
        path = os.path.realpath(os.path.join(self.folder, *parts))
        if not path.startswith(self.folder + os.sep) or not os.path.isfile(path):
            return None
        return path


def made(body: bytes, path: str) -> StaticFile:
    """Prepares a file to be sent.

    Args:
        body (bytes): its bytes.
        path (str): its name, which tells the media type.
    """
    ending = os.path.splitext(path)[1].lower()
    kind = TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    packed = packed_by_gzip(body, kind)
    return StaticFile(body, packed, kind, f'"{hashlib.sha1(body).hexdigest()[:20]}"')


def packed_by_gzip(body: bytes, kind: str, level: int = 6) -> bytes | None:
    """Gives a body packed by gzip, None where that is no use."""
    if len(body) < SMALL or not (kind.startswith(TEXT) or kind == "application/wasm"):
        return None
    packed = gzip.compress(body, level, mtime=0)
    return packed if len(packed) < len(body) else None
