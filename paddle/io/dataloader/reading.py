"""Reading: how one pass over a loader goes, and how far it came."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reading:
    """One pass whose position can be saved.

    Attributes:
        tasks (Iterator): what the batches are made from.
        seed (int): what the seeds of the workers are made of.
        first (int): the number of the first batch, where earlier ones are left out.
        states (list): for each worker the state of its random numbers after the last batch that
            the trainer got from it; None: the one that belongs to its seed.
        start (dict): states of random numbers and sampler before the pass.
        handed (int): how many tasks were taken from the sampler.
        delivered (int): how many batches the trainer got, earlier ones included.
        arrived (deque): for batches that were read but not delivered, worker and state.
    """

    tasks: Iterator[Any]
    seed: int
    first: int
    states: list[Any]
    start: dict[str, Any]
    handed: int = 0
    delivered: int = 0
    arrived: collections.deque[tuple[int, Any]] = field(default_factory=collections.deque)

    def counted(self, tasks: Iterator[Any]) -> Iterator[Any]:
        """The tasks, each counted when it is taken."""
        for task in tasks:
            self.handed += 1
            yield task

    def deliver(self) -> None:
        """Notes that the trainer gets a batch."""
        self.delivered += 1
        if self.arrived:
            worker, state = self.arrived.popleft()
            if state is not None:
                self.states[worker] = state
