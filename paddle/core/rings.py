"""Rings: groups of processes by number, as operators that communicate name them.

This module knows what a group can do, and which number means which group; ``paddle.distributed``
makes the groups.
"""

from __future__ import annotations

import abc
import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import torch

from paddle.core.errors import PreconditionNotMetError


class Work(Protocol):
    """An exchange that was begun."""

    def wait(self) -> None:
        """Returns when it is over; raises where it failed."""


class Done:
    """An exchange that was over at once."""

    def wait(self) -> None:
        """Returns."""


DONE = Done()


class Communicator(abc.ABC):
    """Exchanges buffers between the members of a group; members are counted from 0.

    What a method is given stays as it is, and a result may be the very buffer that was given. The
    methods whose names end in ``_async`` overwrite their buffer instead, and return while the
    exchange goes on: nobody may touch the buffer before the Work was waited for. Reductions are
    numbered as in :class:`paddle.distributed.ReduceOp`. All members have to call the same methods
    in the same order.

    Attributes:
        rank (int): the number of this process within the group.
        size (int): how many members there are.
    """

    rank = 0
    size = 1

    @abc.abstractmethod
    def compare(self, text: str) -> None:
        """Raises on every member where not all say the same of what they are about to do."""

    @abc.abstractmethod
    def all_reduce(self, buffer: torch.Tensor, op: int = 0) -> torch.Tensor:
        """Returns the sum (product, ...) of everybody's buffer, to everybody."""

    @abc.abstractmethod
    def reduce(self, buffer: torch.Tensor, dst: int, op: int = 0) -> torch.Tensor:
        """Returns the sum (product, ...) to one member, and to the others their own buffer."""

    @abc.abstractmethod
    def broadcast(self, buffer: torch.Tensor, src: int) -> torch.Tensor:
        """Returns one member's buffer to everybody."""

    @abc.abstractmethod
    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Returns everybody's buffer to everybody; all have one shape."""

    @abc.abstractmethod
    def reduce_scatter(self, buffers: list[torch.Tensor], op: int = 0) -> torch.Tensor:
        """Returns to each member the sum (product, ...) of what everybody has for it."""

    @abc.abstractmethod
    def scatter(self, buffers: list[torch.Tensor], like: torch.Tensor, src: int) -> torch.Tensor:
        """Returns to each member its one of the buffers that one member has."""

    @abc.abstractmethod
    def all_to_all(
        self, buffers: list[torch.Tensor], like: list[torch.Tensor] | None = None
    ) -> list[torch.Tensor]:
        """Returns to each member what every member has for it.

        ``like`` has the shapes of what comes, where they differ from those of what goes.
        """

    @abc.abstractmethod
    def send(self, buffer: torch.Tensor, dst: int) -> None:
        """Sends a buffer to another member, which receives it."""

    @abc.abstractmethod
    def recv(self, like: torch.Tensor, src: int) -> torch.Tensor:
        """Returns the buffer that another member sends, of the shape and dtype of ``like``."""

    @abc.abstractmethod
    def barrier(self) -> None:
        """Returns when everybody has called it."""

    @abc.abstractmethod
    def all_reduce_async(self, buffer: torch.Tensor, op: int = 0) -> Work:
        """Begins to replace everybody's buffer by the sum (product, ...) of all."""

    @abc.abstractmethod
    def reduce_async(self, buffer: torch.Tensor, dst: int, op: int = 0) -> Work:
        """The same for one member's buffer; those of the others may hold anything afterwards."""

    @abc.abstractmethod
    def broadcast_async(self, buffer: torch.Tensor, src: int) -> Work:
        """Begins to replace everybody's buffer by that of one member."""

    @abc.abstractmethod
    def send_async(self, buffer: torch.Tensor, dst: int) -> Work:
        """Begins to send a buffer, which stays as it is."""

    @abc.abstractmethod
    def recv_async(self, buffer: torch.Tensor, src: int) -> Work:
        """Begins to replace a buffer by what another member sends."""

    def numbers(self, own: int) -> list[int]:
        """Returns everybody's number, by rank; each is below 2 ** 63."""
        return [int(n) for n in self.all_gather(torch.tensor([int(own)]))]


class Alone(Communicator):
    """A group of one: what is exchanged is what there was."""

    def compare(self, text: str) -> None:
        """Finds nobody to differ from."""

    def all_reduce(self, buffer: torch.Tensor, op: int = 0) -> torch.Tensor:
        return buffer

    def reduce(self, buffer: torch.Tensor, dst: int, op: int = 0) -> torch.Tensor:
        return buffer

    def broadcast(self, buffer: torch.Tensor, src: int) -> torch.Tensor:
        return buffer

    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        return [buffer]

    def reduce_scatter(self, buffers: list[torch.Tensor], op: int = 0) -> torch.Tensor:
        return buffers[0]

    def scatter(self, buffers: list[torch.Tensor], like: torch.Tensor, src: int) -> torch.Tensor:
        return buffers[0]

    def all_to_all(
        self, buffers: list[torch.Tensor], like: list[torch.Tensor] | None = None
    ) -> list[torch.Tensor]:
        return list(buffers)

    def send(self, buffer: torch.Tensor, dst: int) -> None:
        raise _nobody("send")

    def recv(self, like: torch.Tensor, src: int) -> torch.Tensor:
        raise _nobody("recv")

    def barrier(self) -> None:
        return None

    def all_reduce_async(self, buffer: torch.Tensor, op: int = 0) -> Work:
        return DONE

    def reduce_async(self, buffer: torch.Tensor, dst: int, op: int = 0) -> Work:
        return DONE

    def broadcast_async(self, buffer: torch.Tensor, src: int) -> Work:
        return DONE

    def send_async(self, buffer: torch.Tensor, dst: int) -> Work:
        raise _nobody("send")

    def recv_async(self, buffer: torch.Tensor, src: int) -> Work:
        raise _nobody("recv")


def _nobody(what: str) -> Exception:
    return PreconditionNotMetError(f"{what}: there is no other process in this group of one.")


class Rings:
    """Which number means which group. Any number means this process alone until one is set."""

    def __init__(self) -> None:
        self._rings: dict[int, Communicator] = {}
        self._opening: Callable[[], None] | None = None  # makes ring 0 when it is first needed
        self._here = threading.local()  # a thread may have a ring 0 of its own
        self.alone = Alone()
        self.world_size = 1  # of all processes of the job, as who registers says

    def register(self, number: int, communicator: Communicator) -> None:
        """Lets a number mean a group.

        Args:
            number (int): 0 is the group of all processes.
            communicator (Communicator): the group.
        """
        self._rings[number] = communicator
        if not number:
            self._opening = None

    def expect(self, world_size: int, opening: Callable[[], None]) -> None:
        """Lets ring 0 be made when it is first asked for.

        Args:
            world_size (int): of all processes of the job.
            opening (callable): registers ring 0.
        """
        self.world_size, self._opening = world_size, opening

    def expect_nobody(self) -> None:
        """Takes :meth:`expect` back, if ring 0 was not needed since."""
        if self._opening is not None:
            self.world_size, self._opening = 1, None

    def forget(self) -> None:
        """Forgets all groups, as when a job is over."""
        self._rings.clear()
        self._opening = None
        self.world_size = 1

    def connect(self, number: int, endpoints: Sequence[str], rank: int) -> None:
        """Lets a number mean the processes at these addresses; each of them has to call it.

        Args:
            number (int): of the ring.
            endpoints (list[str]): the addresses of its members, in their order.
            rank (int): which of them this process is.
        """
        # What connects processes lies above this package, and only such Programs need it.
        importlib.import_module("paddle.distributed.opening").connect(number, endpoints, rank)

    @contextmanager
    def here(self, communicator: Communicator) -> Iterator[None]:
        """Inside, ring 0 is another one for this thread.

        Args:
            communicator (Communicator): the ring.
        """
        self._here.ring = communicator
        try:
            yield
        finally:
            del self._here.ring

    def known(self, number: int) -> bool:
        """Says whether a number has a group, or will have one when it is asked for."""
        return number in self._rings or (number == 0 and self._opening is not None)

    def connected(self, number: int) -> bool:
        """Says whether the group of a number is there already."""
        return number in self._rings

    def numbers(self) -> list[int]:
        """Returns the numbers that were given a group."""
        return list(self._rings)

    def get(self, number: int = 0) -> Communicator:
        """Returns the group of a number.

        Raises:
            RuntimeError: there are several processes and the number was never given a group.
        """
        found = self._rings.get(number)
        if not number:
            found = getattr(self._here, "ring", found)
        if found is not None:
            return found
        if not number and self._opening is not None:
            self._opening()
            return self._rings[0]
        if self.world_size > 1:
            raise PreconditionNotMetError(
                f"ring {number}: expected a group of processes, but none has this number.",
                hint="call paddle.distributed.init_parallel_env() or fleet.init() first; the "
                "operator c_comm_init makes other rings",
            )
        return self.alone


rings = Rings()
