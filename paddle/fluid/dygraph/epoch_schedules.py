"""Schedules of the learning rate of 1.x dygraph that count epochs: the user calls ``epoch()``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.fluid.dygraph.learning_rate_scheduler import LearningRateDecay, _number

__all__ = ["LambdaDecay", "MultiStepDecay", "StepDecay"]


class _EpochDecay(LearningRateDecay):
    """Base of the schedules that count epochs: ``epoch()`` goes on, a call only looks."""

    def __init__(self, learning_rate: float, dtype: str = "float32") -> None:
        api = type(self).__name__
        if isinstance(learning_rate, bool) or not isinstance(learning_rate, (float, int)):
            raise TypeError(
                f"{api}(learning_rate): expected a float, "
                f"but received {type(learning_rate).__name__}."
            )
        self.base_lr, self.epoch_num, self.dtype = float(learning_rate), 0, dtype
        self.learning_rate: Any = self.base_lr

    def _state_keys(self) -> None:
        self.keys = ["epoch_num", "learning_rate"]

    def __call__(self) -> Any:
        """Returns the rate of this epoch as a Tensor ``[1]``."""
        self.learning_rate = _number(self.get_lr())
        return self.create_lr_var(self.learning_rate)

    def epoch(self, epoch: int | None = None) -> None:
        """Goes on by an epoch, or to a given one.

        Args:
            epoch (int, optional): None: the next one.
        """
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch
        self.learning_rate = self.get_lr()

    def step(self) -> Any:
        """Returns the rate of this epoch, as a float."""
        return _number(self.get_lr())

    def get_lr(self) -> float:
        """Returns the rate of the epoch ``epoch_num``, as a float."""
        raise NotImplementedError(f"{type(self).__name__} must override get_lr().")


def _below_one(api: str, rate: float) -> float:
    if rate >= 1.0:
        raise InvalidArgumentError(f"{api}(decay_rate): expected less than 1, received {rate}.")
    return rate


class StepDecay(_EpochDecay):
    """Multiplies the rate by ``decay_rate`` every ``step_size`` epochs.

    Args:
        learning_rate (float): the first rate.
        step_size (int): epochs between changes.
        decay_rate (float): the factor, below 1. Default: 0.1.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.StepDecay(1.0, 1, 0.5)
                rate.epoch()
                print(rate().numpy())  # [0.5]
    """

    def __init__(self, learning_rate: float, step_size: int, decay_rate: float = 0.1) -> None:
        if not isinstance(step_size, int) or isinstance(step_size, bool):
            raise TypeError(
                f"StepDecay(step_size): expected an int, but received {type(step_size).__name__}."
            )
        self.step_size, self.decay_rate = step_size, _below_one("StepDecay", decay_rate)
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        """Returns the rate of this epoch."""
        return self.base_lr * self.decay_rate ** (self.epoch_num // self.step_size)


class MultiStepDecay(_EpochDecay):
    """Multiplies the rate by ``decay_rate`` at each milestone.

    Args:
        learning_rate (float): the first rate.
        milestones (list[int]|tuple[int]): epochs, rising.
        decay_rate (float): the factor, below 1. Default: 0.1.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.MultiStepDecay(1.0, [2, 4], 0.5)
                rate.epoch(3)
                print(rate().numpy())  # [0.5]
    """

    def __init__(
        self, learning_rate: float, milestones: Sequence[int], decay_rate: float = 0.1
    ) -> None:
        if not isinstance(milestones, (tuple, list)):
            raise TypeError(
                "MultiStepDecay(milestones): expected a list of ints, "
                f"but received {type(milestones).__name__}."
            )
        if any(a >= b for a, b in itertools.pairwise(milestones)):
            raise InvalidArgumentError(
                f"MultiStepDecay(milestones): expected rising epochs, received {milestones}."
            )
        self.milestones, self.decay_rate = milestones, _below_one("MultiStepDecay", decay_rate)
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        """Returns the rate of this epoch."""
        passed = sum(self.epoch_num >= epoch for epoch in self.milestones)
        return self.base_lr * self.decay_rate**passed


class LambdaDecay(_EpochDecay):
    """The first rate times a function of the epoch.

    Args:
        learning_rate (float): the first rate.
        lr_lambda (callable): epoch -> factor.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.LambdaDecay(1.0, lambda epoch: 0.5**epoch)
                rate.epoch()
                print(rate().numpy())  # [0.5]
    """

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float]) -> None:
        if not callable(lr_lambda):
            raise TypeError(
                "LambdaDecay(lr_lambda): expected a function, "
                f"but received {type(lr_lambda).__name__}."
            )
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        """Returns the rate of this epoch."""
        return self.base_lr * self.lr_lambda(self.epoch_num)
