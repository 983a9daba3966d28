"""The process that answers: a WSGI server that lets requests finish when it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Callable
from time import monotonic, sleep
from types import FrameType
from typing import Any

import waitress

from paddle.inference.serve.service import Service

_POLL_SECONDS = 0.02
_SPARE_BYTES = 1 << 20


class Server:
    """Answers on a socket, until it is told to stop.

    Args:
        app (Flask): the application.
        service (Service): which it answers for.
        host (str): an address of this machine, or a name of one.
        port (int): 0 takes a free one.
        threads (int): how many requests are answered at once; each of them may wait.
        max_bytes (int): the most that a request may have.
    """

    def __init__(
        self, app: Any, service: Service, host: str, port: int, threads: int, max_bytes: int
    ) -> None:
        self._service = service
        self._server = waitress.create_server(
            app,
            sockets=[_bound(host, port)],
            threads=threads,
            connection_limit=2 * threads + 100,
            # What is not much too large is read to its end: who sends it then sees the refusal.
            max_request_body_size=2 * max_bytes + _SPARE_BYTES,
            asyncore_use_poll=True,
            ident="pypaddle",
        )
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # the queue is full by design
        self.stopped = threading.Event()

    @property
    def address(self) -> str:
        """Where it answers: ``http://127.0.0.1:8000``."""
        host, port = self._server.effective_host, self._server.effective_port
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def run(self, ready: Callable[[str], object], patience: float) -> bool:
        """Answers until SIGTERM or Ctrl-C, and then until requests that have come are answered.

        Args:
            ready (callable): called with the address as soon as it answers.
            patience (float): how many seconds requests may take after the signal.

        Returns:
            bool: whether all of them were answered.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)
        threading.Thread(target=self._server.run, name="http", daemon=True).start()
        ready(self.address)
        self.stopped.wait()
        return self._finish(patience)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # the second one ends the process at once
        self.stopped.set()

    def _finish(self, patience: float) -> bool:
        until = monotonic() + patience
        self._service.close(patience)  # meanwhile what comes is refused by an answer
        self._server.accepting = False
        self._server.pull_trigger()
        while not self._idle() and monotonic() < until:
            sleep(_POLL_SECONDS)
        return self._idle()

    def _idle(self) -> bool:
        """Whether every request that came whole is answered, and every answer sent."""
        channels = list(self._server.active_channels.values())
        sent = all(not c.requests and not c.total_outbufs_len for c in channels)
        return sent and not self._service.metrics.in_progress


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made
