"""The job's store, and how the launchers of several machines meet at it before each round.

Torch elastic's own rendezvous is not used: it keeps pickles in the store and reads what it finds
there, and its store listens on every interface. Here the store holds numbers and plain text, and
listens where it is told.
"""

from __future__ import annotations

import socket
import time
from datetime import timedelta
from typing import Any

from torch.distributed import PrefixStore, TCPStore
from torch.distributed.elastic.rendezvous.api import (
    RendezvousHandler,
    RendezvousInfo,
    RendezvousStoreInfo,
)

from paddle.distributed.launch.job import Job

_MEET_SECONDS = 600.0
_ANSWER_SECONDS = 10.0  # of a store that is there: torch waits for it without seeing signals
_LEAVE_SECONDS = 3.0
_CLOSED, _WANTED = "agents/closed", "agents/wanted"


def open_store(job: Job, seconds: float = _MEET_SECONDS) -> TCPStore:
    """Opens the job's store: hosts it on the first machine, else connects to it.

    Args:
        job (Job): the job.
        seconds (float): how long to wait for the first machine.
    """
    plan = job.plan
    ip, port = plan.store
    limit = timedelta(seconds=_MEET_SECONDS)
    if plan.listener is None:
        return _connect(job, ip, port, seconds)
    listening = plan.listener.detach()  # the store closes it
    plan.listener = None
    return TCPStore(
        ip, port, is_master=True, timeout=limit, wait_for_workers=False, master_listen_fd=listening
    )


def _connect(job: Job, ip: str, port: int, seconds: float) -> TCPStore:
    """Connects to the store of the first machine, which may not be there yet."""
    end = time.monotonic() + seconds
    while True:
        job.signals.check()
        try:
            with socket.create_connection((ip, port), timeout=2):
                pass
            limit = timedelta(seconds=_ANSWER_SECONDS)
            return TCPStore(ip, port, is_master=False, timeout=limit, wait_for_workers=False)
        except (OSError, RuntimeError) as error:  # torch's errors are RuntimeErrors
            if time.monotonic() > end:
                raise TimeoutError(
                    f"the first machine did not answer at {ip}:{port} for {seconds:.0f} s."
                ) from error
        time.sleep(0.2)


class Meeting(RendezvousHandler):
    """The machines of a job are known; before each round all of them have to be there.

    Args:
        job (Job): the job.
        store (Store): its store.
    """

    use_agent_store = True

    def __init__(self, job: Job, store: Any) -> None:
        self._job, self._store = job, store
        self._count, self._rank = len(job.plan.machines), job.plan.machine
        self.round = -1
        self._asked = 0.0
        self.left = False

    def get_backend(self) -> str:
        """The name of this kind of meeting, for torch's logs."""
        return "pypaddle"

    def get_run_id(self) -> str:
        """The name of the job, for torch's logs."""
        return "job"

    def next_rendezvous(self) -> RendezvousInfo:
        """Waits for all machines; whoever comes first thereby calls the others."""
        self.round += 1
        if self._count > 1:
            self._store.set(f"{_WANTED}/{self.round}", "")
            here = f"agents/{self.round}/here"
            self._store.add(here, 1)
            self._wait(lambda: self._store.add(here, 0) >= self._count or self.is_closed())
        ip, port = self._job.plan.store
        store = PrefixStore(f"agents/{self.round}", self._store)
        return RendezvousInfo(store, self._rank, self._count, RendezvousStoreInfo(ip, port))

    def _wait(self, met: Any, limit: float | None = _MEET_SECONDS) -> None:
        end = time.monotonic() + (limit or 0)
        while not met():
            self._job.signals.check()
            if limit is not None and time.monotonic() > end:
                raise TimeoutError(
                    f"after {_MEET_SECONDS:.0f} s not all of the {self._count} machines have come."
                )
            time.sleep(0.05)

    def is_closed(self) -> bool:
        """Says whether a machine has given the job up."""
        return self._count > 1 and self._store.check([_CLOSED])

    def set_closed(self) -> None:
        """Gives the job up, for all machines."""
        if self._count > 1:
            self._store.set(_CLOSED, "")

    def num_nodes_waiting(self) -> int:
        """Says whether a machine asks for the next round; two times a second at most."""
        if self._count == 1 or time.monotonic() - self._asked < 0.5:
            return 0
        self._asked = time.monotonic()
        return int(self.is_called())

    def is_called(self) -> bool:
        """Says whether a machine asks for the next round."""
        return self._count > 1 and self._store.check([f"{_WANTED}/{self.round + 1}"])

    def all_done(self) -> None:
        """Waits until the processes of every machine have ended well, or one gives the job up."""
        if self._count == 1:
            return
        done = f"agents/{self.round}/done"
        self._store.add(done, 1)
        self._wait(
            lambda: self._store.add(done, 0) >= self._count or self.is_closed() or self.is_called(),
            limit=None,
        )

    def leave(self) -> None:
        """Notes, once, that this machine needs the store no more."""
        if self._count > 1 and not self.left:
            self.left = True
            self._store.add("agents/left", 1)

    def wait_for_the_others(self) -> None:
        """The machine with the store goes last: a moment for the others to read from it."""
        end = time.monotonic() + _LEAVE_SECONDS
        while self._count > 1 and self._rank == 0 and time.monotonic() < end:
            if self._store.add("agents/left", 0) >= self._count:
                break
            time.sleep(0.05)

    def shutdown(self) -> bool:
        """Gives the job up."""
        self.set_closed()
        return True
