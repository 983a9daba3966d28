"""Waits until servers listen; client libraries take it from here."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Sequence

from paddle.core.errors import ArgumentTypeError, ExecutionTimeoutError
from paddle.distributed.store import split_endpoint

__all__ = ["wait_server_ready"]

_EVERY = 0.5


def wait_server_ready(endpoints: Sequence[str], timeout: float | None = None) -> None:
    """Returns when a process listens at every address.

    Args:
        endpoints (list[str]): the addresses, each ``ip:port``.
        timeout (float, optional): seconds until it gives up; None: never. Not in 2.0.

    Raises:
        RuntimeError: the time is over; names who does not listen.
    """
    if isinstance(endpoints, str):
        raise ArgumentTypeError(
            "wait_server_ready(endpoints): expected a list of 'ip:port', but received a str."
        )
    places = [split_endpoint(endpoint, "wait_server_ready(endpoints)") for endpoint in endpoints]
    begin = said = time.monotonic()
    while True:
        missing = [f"{host}:{port}" for host, port in places if not _listens(host, port)]
        if not missing:
            return
        now = time.monotonic()
        if timeout is not None and now - begin >= timeout:
            raise ExecutionTimeoutError(
                f"wait_server_ready: nobody listens at {missing} after {timeout:g} s."
            )
        if now - said >= 3:
            print(f"servers that are not ready yet: {missing}", file=sys.stderr, flush=True)
            said = now
        time.sleep(_EVERY)


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), 2):
            return True
    except OSError:
        return False
