"""ReduceOnPlateau: lower the learning rate when a metric has stopped getting better."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.optimizer.lr import checks
from paddle.optimizer.lr.scheduler import LRScheduler


class ReduceOnPlateau(LRScheduler):
    r"""Multiply the rate by `factor` after more than `patience` steps without improvement.

    A metric `m` is better than the best so far, `b`, if

    ========= ========================= =====================
    mode      threshold_mode 'rel'      threshold_mode 'abs'
    ========= ========================= =====================
    'min'     m < b - b * threshold     m < b - threshold
    'max'     m > b + b * threshold     m > b + threshold
    ========= ========================= =====================

    After a reduction, `cooldown` steps pass in which nothing is counted. NaN is never better.

    Args:
        learning_rate (float): the rate to start from.
        mode (str): 'min' if smaller metrics are better, 'max' if larger. Default 'min'.
        factor (float): what the rate is multiplied by, < 1. Default 0.1.
        patience (int): steps without improvement that are tolerated. Default 10.
        threshold (float): how much better a metric has to be. Default 1e-4.
        threshold_mode (str): whether `threshold` is 'rel' (a fraction of the best) or 'abs'.
            Default 'rel'.
        cooldown (int): steps to wait after a reduction. Default 0.
        min_lr (float): the rate never falls below it. Default 0.
        epsilon (float): a reduction not greater than this is not made. Default 1e-8.
        verbose (bool): print a line at each reduction. Default False.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `mode` or `threshold_mode` is unknown, `factor` is not in [0, 1), or a count or
            rate is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=2)
            for loss in [0.9, 0.8, 0.8, 0.8, 0.8]:
                scheduler.step(loss)
            print(scheduler())  # 0.5
    """

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ) -> None:
        # The base's constructor would make a step, which here needs a metric.
        api = "ReduceOnPlateau"
        self.mode = _one_of(api, "mode", mode, ("min", "max"))
        self.threshold_mode = _one_of(api, "threshold_mode", threshold_mode, ("rel", "abs"))
        self.factor = checks.decay_factor(api, "factor", factor)
        self.patience = checks.integer(api, "patience", patience, at_least=0)
        self.threshold = checks.number(api, "threshold", threshold)
        self.cooldown = checks.integer(api, "cooldown", cooldown, at_least=0)
        self.min_lr = checks.number(api, "min_lr", min_lr, at_least=0)
        self.epsilon = checks.number(api, "epsilon", epsilon, at_least=0)
        self.base_lr = checks.number(api, "learning_rate", learning_rate, at_least=0)
        self.last_lr = self.base_lr
        self.last_epoch = 0
        self.verbose = verbose
        self.cooldown_counter = 0
        self.num_bad_epochs = 0
        self.best: float | None = None

    def state_keys(self) -> None:
        """Set ``self.keys``, the names of the attributes that make up the state."""
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take note of one more metric and reduce the rate if it is time to.

        Args:
            metrics (Tensor|numpy.ndarray|float): the metric, one element.
            epoch (int, optional): the step to move to, >= 0. Default None, the next one.

        Raises:
            TypeError: `metrics` is not a number, array or Tensor.
            ValueError: `metrics` has more or fewer elements than one.
        """
        value = checks.scalar("ReduceOnPlateau.step", "metrics", metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else self._checked_epoch(epoch)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self._is_better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
            self._reduce()

    def _reduce(self) -> None:
        rate = max(self.last_lr * self.factor, self.min_lr)
        if self.last_lr - rate > self.epsilon:
            self.last_lr = rate
            if self.verbose:
                self._report()

    def _is_better(self, value: float) -> bool:
        if self.best is None:
            return not math.isnan(value)
        margin = self.threshold * (self.best if self.threshold_mode == "rel" else 1)
        if self.mode == "min":
            return value < self.best - margin
        return value > self.best + margin


def _one_of(api: str, argument: str, value: Any, known: tuple[str, ...]) -> str:
    """Return the lower-case form of `value`; refuse what is not among `known`."""
    if not isinstance(value, str):
        raise TypeError(
            f"{api}: '{argument}' must be a str, got {type(value).__name__}: {value!r}."
        )
    if value.lower() not in known:
        raise InvalidArgumentError(f"{api}: '{argument}' must be one of {known}, got {value!r}.")
    return value.lower()
