"""The store of a job: where its processes find each other, and leave reports that outlive them.

It is torch's TCPStore. Who hosts it opens the listening socket itself, bound to the one address
that was asked for: left to itself the store listens on every interface. Keys lie below the job's
token, so whoever does not know the token finds nothing.
"""

from __future__ import annotations

import atexit
import datetime
import os
import queue
import socket
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch.distributed as c10d  # torch itself imports it

from paddle.core.errors import ExternalError, InvalidArgumentError, PreconditionNotMetError
from paddle.core.user_frame import outside

_CONNECT_SECONDS = 300.0
_ANSWER_SECONDS = 60.0  # for which a store that somebody listens for may say nothing
QUIET_SECONDS = 15.0  # a process that waits longer says for whom
_opened: dict[str, Any] = {}


def split_endpoint(endpoint: str, what: str) -> tuple[str, int]:
    """Returns host and port of an ``ip:port``.

    Args:
        endpoint (str): the address.
        what (str): where it came from, for the error.
    """
    host, colon, port = endpoint.strip().rpartition(":")
    if not (colon and host and port.isdigit() and 0 < int(port) < 65536):
        raise InvalidArgumentError(
            f"{what}: expected an address ip:port, but received {endpoint!r}."
        )
    return host, int(port)


def listening_socket(host: str, port: int = 0) -> socket.socket:
    """Opens a listening socket at one address and nowhere else.

    Args:
        host (str): name or number of the interface.
        port (int): 0 lets the system choose a free one.

    Raises:
        OSError: the port is taken, or the address is not this machine's.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(1024)
    except OSError as error:
        opened.close()
        raise ExternalError(
            f"the job's store cannot listen at {host}:{port}: {error.strerror}.",
            hint="choose another port, or end the process that has it",
        ) from error
    return opened


def host_store(listening: socket.socket) -> Any:
    """Starts a store in this process.

    Args:
        listening (socket): from :func:`listening_socket`; the store takes it over.

    Returns:
        torch.distributed.TCPStore: the store; it serves until it is collected.
    """
    host, port = listening.getsockname()[:2]
    limit = datetime.timedelta(seconds=_CONNECT_SECONDS)
    return c10d.TCPStore(host, port, None, True, limit, False, False, listening.detach())


def connect(endpoint: str, what: str, seconds: float = _CONNECT_SECONDS) -> Any:
    """Connects to a store that another process hosts.

    Args:
        endpoint (str): its ``ip:port``.
        what (str): where the address came from, for the error.
        seconds (float): how long to try.

    Raises:
        OSError: nobody answered.
    """
    host, port = split_endpoint(endpoint, what)
    _reach(host, port, what, seconds)
    limit = datetime.timedelta(seconds=seconds)
    found = _answer(lambda: c10d.TCPStore(host, port, None, False, limit, False), seconds)
    if not isinstance(found, Exception):
        return found
    raise ExternalError(
        f"{what}: what answers at {endpoint} is no store: {str(found).splitlines()[0]}",
        hint="is the address right, and does another program have the port?",
    ) from found


def _answer(call: Callable[[], Any], seconds: float) -> Any:
    """What a call gives or raises; an exception as well when it takes too long.

    Torch's store waits without a limit for a program that takes a connection and says nothing.
    """
    results: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put(call())
        except Exception as error:  # torch's own kinds differ from release to release
            results.put(error)

    threading.Thread(target=run, daemon=True, name="connecting to a store").start()
    limit = min(seconds, _ANSWER_SECONDS)
    try:
        return results.get(timeout=limit)
    except queue.Empty:
        return TimeoutError(f"it said nothing for {limit:.0f} s")


def _reach(host: str, port: int, what: str, seconds: float) -> None:
    """Returns when somebody listens; torch's store would fill the terminal while it waits."""
    begin, told = time.monotonic(), False
    while True:
        try:
            socket.create_connection((host, port), timeout=5).close()
            return
        except OSError as error:
            waited, why = time.monotonic() - begin, error
        if waited > seconds:
            raise ExternalError(
                f"{what}: nobody answered at {host}:{port} for {seconds:.0f} s: {why}",
                hint="is the first process of the job running, and is the address right?",
            ) from why
        if waited > QUIET_SECONDS and not told:
            told = True
            warnings.warn(
                f"{what}: nobody answers at {host}:{port} yet ({why}); this process waits for "
                f"another {seconds - waited:.0f} s.",
                stacklevel=outside(),
            )
        time.sleep(0.1)


def file_store(path: str, count: int) -> Any:
    """Opens a store in a file that all processes see.

    Args:
        path (str): the file; the last of the processes deletes it.
        count (int): how many processes there are.
    """
    return c10d.FileStore(path, count)


def token() -> str:
    """The secret that the launcher drew for this job; empty where there is none."""
    return os.environ.get("PADDLE_JOB_TOKEN", "")


def restart_round() -> int:
    """How often the launcher has started this group of processes before."""
    return int(os.environ.get("PADDLE_RESTART_ROUND") or 0)


def below(store: Any, *names: Any) -> Any:
    """Returns the part of a store whose keys begin with these names."""
    return c10d.PrefixStore("/".join(str(name) for name in names), store)


def job_store(seconds: float = _CONNECT_SECONDS) -> Any:
    """Returns the store of this job, opened once: the keys of this round, below the token.

    Args:
        seconds (float): how long to try; at most some minutes.

    Raises:
        RuntimeError: no variable says where it is.
        OSError: it cannot be reached.
    """
    if "job" not in _opened:
        opened = _open(min(seconds, _CONNECT_SECONDS))
        _opened["job"] = below(opened, token() or "job", restart_round())
    return _opened["job"]


def known() -> bool:
    """Says whether the job has a store: jobs whose roles were given by hand may meet elsewhere."""
    return "job" in _opened or bool(os.environ.get("PADDLE_JOB_STORE"))


def _open(seconds: float) -> Any:
    """The launcher's store, or one that the first process hosts at its endpoint."""
    given = os.environ.get("PADDLE_JOB_STORE")
    if given:
        return connect(given, "PADDLE_JOB_STORE", seconds)
    endpoints = [e for e in os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",") if e]
    if not endpoints:
        raise PreconditionNotMetError(
            "PADDLE_TRAINER_ENDPOINTS: expected the addresses of all processes, but it is not set.",
            hint="start the script by python -m paddle.distributed.launch, or call "
            "paddle.distributed.spawn",
        )
    if os.environ.get("PADDLE_TRAINER_ID", "0") != "0":
        return connect(endpoints[0], "PADDLE_TRAINER_ENDPOINTS", seconds)
    host, port = split_endpoint(endpoints[0], "PADDLE_TRAINER_ENDPOINTS")
    hosted = host_store(listening_socket(host, port))
    atexit.register(_wait_for_the_others, hosted, len(endpoints))
    return hosted


def left(rank: int) -> None:
    """Notes that this process needs the store no more.

    Args:
        rank (int): its number.
    """
    if "job" in _opened and rank:
        try:
            _opened["job"].add("left", 1)
        except Exception:  # the host has gone: nobody waits for the note
            _opened.clear()


def _wait_for_the_others(hosted: Any, count: int, seconds: float = 5.0) -> None:
    """Keeps the store open a while for processes that are still at work."""
    store, end = below(hosted, token() or "job", restart_round()), time.monotonic() + seconds
    while time.monotonic() < end and store.add("left", 0) < count - 1:
        time.sleep(0.02)


def close() -> None:
    """Forgets the store; it ends with its last user."""
    _opened.clear()
