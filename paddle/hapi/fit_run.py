"""FitRun: how far a run of Model.fit came, and where it begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.hapi.losses import Losses


@dataclass
class FitRun:
    """One run of ``Model.fit``; a callback may set it in ``on_train_begin`` to begin later.

    Attributes:
        loader (DataLoader|iterable): the data.
        told (CallbackList): the callbacks.
        log_freq (int): steps between lines of the log.
        accumulate (int): batches per update.
        limit (int|None): the most steps of all epochs.
        epoch (int): the epoch under way.
        step (int): steps of this epoch that are done.
        total (int): steps of all epochs that are done.
        ended (bool): the steps of the epoch are done; its evaluation comes next.
        stopped (bool): a callback has stopped the training.
        whole (bool): no step is under way, so that what is there may be gone on from.
        interrupted (bool): Ctrl-C was pressed, and has been answered.
        saving (bool): a checkpoint is being saved that says where the run stands.
        job (dict|None): what a checkpoint of several processes knows them by.
        logs (dict): those of the last step.
        losses (Losses): those of the epoch.
    """

    loader: Any
    told: Any
    log_freq: int = 10
    accumulate: int = 1
    limit: int | None = None
    epoch: int = 0
    step: int = 0
    total: int = 0
    ended: bool = False
    stopped: bool = False
    whole: bool = True
    interrupted: bool = False
    saving: bool = False
    job: dict[str, int] | None = None
    logs: dict[str, Any] = field(default_factory=dict)
    losses: Losses = field(init=False)

    def __post_init__(self) -> None:
        self.losses = Losses(self.log_freq)

    def epochs(self, count: int) -> Iterator[int]:
        """The epochs that are left of ``count``."""
        while self.epoch < count and not self.stopped:
            yield self.epoch
            self.epoch, self.step, self.ended = self.epoch + 1, 0, False

    def data_left(self) -> Iterator[Any]:
        """The batches that are left of the epoch."""
        if self.full:
            return iter(())
        found = iter(self.loader)
        # A loader whose position is noted begins there by itself.
        if getattr(self.loader, "_progress", None) is None:
            for _ in itertools.islice(found, self.step):
                pass
        return found

    @property
    def full(self) -> bool:
        """Whether there have been as many steps as were asked for."""
        return self.limit is not None and self.total >= self.limit

    def advance(self) -> None:
        """Counts a step."""
        self.step += 1
        self.total += 1

    def updates(self, steps: int | None) -> bool:
        """Whether the step that comes next ends a group of batches.

        Args:
            steps (int|None): the steps of an epoch, where that is known.
        """
        return self.accumulate == 1 or (
            (self.step + 1) % self.accumulate == 0
            or self.step + 1 == steps
            or (self.limit is not None and self.total + 1 >= self.limit)
        )

    def data(self) -> dict[str, Any]:
        """What has to be the same in a run that goes on; None: not known."""
        sampler = getattr(self.loader, "batch_sampler", None)
        size = getattr(sampler, "batch_size", getattr(self.loader, "batch_size", None))
        try:
            samples = len(self.loader.dataset)
        except (AttributeError, TypeError, RuntimeError):
            samples = None
        return {
            "samples": samples,
            "batch_size": size if isinstance(size, int) else None,
            "drop_last": getattr(sampler, "drop_last", None),
            "num_workers": getattr(self.loader, "num_workers", None),
            "accumulate_grad_batches": self.accumulate,
        }


def check_counts(where: str, **given: Any) -> None:
    """Refuses anything but ints of at least 1, and None where it means no limit.

    Args:
        where (str): the method of Model.
        **given: its arguments.
    """
    for name, count in given.items():
        if name == "num_iters" and count is None:
            continue
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InvalidArgumentError(
                f"Model.{where}({name}): expected an int of at least 1, but received {count!r}."
            )
