"""A ring of the places of one process, and of all processes behind them.

Operators that exchange inside of the part of a Program that every place computes, such as batch
norm with the statistics of the whole batch, find this ring under the number 0. The threads of the
places meet in it; one of them then exchanges with the other processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import torch

from paddle.core.errors import PreconditionNotMetError, UnimplementedError
from paddle.core.rings import DONE, Alone, Communicator, Work, rings


class AnotherFailed(PreconditionNotMetError):
    """A place cannot go on, because another one failed."""


class Meeting:
    """Where threads exchange values; optionally one runs at a time, always in the same order.

    Args:
        count (int): how many threads.
        in_turn (bool): they take turns, from one exchange to the next, so that random numbers are
            drawn in the same order in every run.
    """

    def __init__(self, count: int, in_turn: bool) -> None:
        self.count, self.in_turn = count, in_turn
        self._changed = threading.Condition()
        self._given: dict[int, torch.Tensor] = {}
        self._results: Any = None
        self._round = 0
        self._turn = 0
        self._left = 0  # threads that are through
        self._failed: BaseException | None = None

    @contextmanager
    def taking_part(self, place: int) -> Iterator[None]:
        """Inside, a thread is one of those that meet.

        Args:
            place (int): which of them.
        """
        with self._changed:
            self._wait_for(lambda: self._may_run(place))
        try:
            yield
            with self._changed:
                self._left += 1
                self._turn = place + 1
                self._changed.notify_all()
                self._check_complete()
        except BaseException as error:
            with self._changed:
                self._failed = self._failed or error
                self._changed.notify_all()
            raise

    def _check_complete(self) -> None:
        """Raises where some wait for an exchange that others went past, who never come."""
        if self._left and self._given:
            raise PreconditionNotMetError(
                f"{len(self._given)} of {self.count} places take part in an exchange that another "
                "place left out: expected all to run the same exchanging operators.",
                hint="let conditions around sync_batch_norm have one value in all places",
            )

    def _may_run(self, place: int) -> bool:
        return not self.in_turn or self._turn == place

    def _wait_for(self, ready: Callable[[], bool]) -> None:
        self._changed.wait_for(lambda: ready() or self._failed is not None)
        if self._failed is not None and not ready():
            raise AnotherFailed(f"another place failed: {self._failed}") from self._failed

    def exchange(
        self, place: int, value: torch.Tensor, join: Callable[[list[torch.Tensor]], Any]
    ) -> Any:
        """Returns what ``join`` makes of the values of all threads; the last to come calls it.

        Args:
            place (int): which thread this is.
            value (Tensor): its value.
            join (callable): gets all values in the order of the threads.
        """
        with self._changed:
            self._given[place] = value
            self._check_complete()
            mine = self._round
            if len(self._given) == self.count:
                self._results = join([self._given[i] for i in range(self.count)])
                self._given = {}
                self._round += 1
                self._turn = 0
            else:
                self._turn = place + 1
            self._changed.notify_all()
            self._wait_for(lambda: self._round > mine and self._may_run(place))
            return self._results


class PlaceRing(Alone):
    """The ring as one place sees it.

    Args:
        meeting (Meeting): of the threads of all places.
        place (int): which of them this is.
        outer (Communicator): the processes.
    """

    def __init__(self, meeting: Meeting, place: int, outer: Communicator) -> None:
        self.meeting, self.place, self.outer = meeting, place, outer
        self.size = meeting.count * outer.size
        self.rank = outer.rank * meeting.count + place

    def all_reduce(self, buffer: torch.Tensor, op: int = 0) -> torch.Tensor:
        """Returns the sum over all places of all processes."""
        if op:
            self._refuse()

        def join(parts: list[torch.Tensor]) -> torch.Tensor:
            total = torch.stack([p.to(parts[0].device) for p in parts]).sum(0)
            return self.outer.all_reduce(total)

        return self.meeting.exchange(self.place, buffer, join).to(buffer.device)

    def all_reduce_async(self, buffer: torch.Tensor, op: int = 0) -> Work:
        """The same in place, over at once."""
        buffer.copy_(self.all_reduce(buffer, op))
        return DONE

    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Returns what all places of all processes have."""

        def join(parts: list[torch.Tensor]) -> list[torch.Tensor]:
            stacked = torch.stack([p.to(parts[0].device) for p in parts])
            return list(torch.cat(self.outer.all_gather(stacked)))

        found = self.meeting.exchange(self.place, buffer, join)
        return [part.to(buffer.device) for part in found]

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise UnimplementedError(
            "an operator exchanges values in the part of a Program that every place computes, in "
            "a way that places of one process do not have.",
            hint="start a process for each place by paddle.distributed.launch",
        )

    reduce = broadcast = reduce_scatter = scatter = all_to_all = barrier = _refuse  # type: ignore[assignment]
    reduce_async = broadcast_async = _refuse  # type: ignore[assignment]


@contextmanager
def as_place(meeting: Meeting, place: int) -> Iterator[None]:
    """Inside, ring 0 is that of all places, for this thread.

    Args:
        meeting (Meeting): of the threads of all places.
        place (int): which of them this is.
    """
    outer = rings.get(0)
    with meeting.taking_part(place), rings.here(PlaceRing(meeting, place, outer)):
        yield
