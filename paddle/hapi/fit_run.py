"""FitRun: how far a run of Model.fit came, and where it begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from paddle.hapi.losses import Losses


@dataclass
class FitRun:
    """One run of ``Model.fit``; a callback may set it in ``on_train_begin`` to begin later.

    Attributes:
        loader (DataLoader|iterable): the data.
        told (CallbackList): the callbacks.
        log_freq (int): steps between lines of the log.
        epoch (int): the epoch under way.
        step (int): steps of this epoch that are done.
        total (int): steps of all epochs that are done.
        ended (bool): the steps of the epoch are done; its evaluation comes next.
        stopped (bool): a callback has stopped the training.
        logs (dict): those of the last step.
        losses (Losses): those of the epoch.
    """

    loader: Any
    told: Any
    log_freq: int = 10
    epoch: int = 0
    step: int = 0
    total: int = 0
    ended: bool = False
    stopped: bool = False
    logs: dict[str, Any] = field(default_factory=dict)
    losses: Losses = field(init=False)

    def __post_init__(self) -> None:
        self.losses = Losses(self.log_freq)

    def epochs(self, count: int) -> Iterator[int]:
        """The epochs that are left of ``count``."""
        while self.epoch < count and not self.stopped:
            yield self.epoch
            self.epoch, self.step, self.ended = self.epoch + 1, 0, False

    def batches(self) -> Iterator[tuple[int, Any]]:
        """The batches that are left of the epoch, each with its number."""
        first = self.step
        # A loader whose position is noted begins there by itself.
        noted = getattr(self.loader, "_progress", None) is not None
        data = self.loader if noted or not first else itertools.islice(self.loader, first, None)
        return enumerate(data, first)

    def advance(self) -> None:
        """Counts a step."""
        self.step += 1
        self.total += 1
