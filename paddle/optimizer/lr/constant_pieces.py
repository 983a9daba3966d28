"""Schedules that hold the learning rate constant and change it at chosen steps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from paddle.core.errors import InvalidArgumentError
from paddle.optimizer.lr import checks
from paddle.optimizer.lr.scheduler import LRScheduler


class PiecewiseDecay(LRScheduler):
    r"""A given rate between each two boundaries.

    The rate is ``values[i]`` from step ``boundaries[i - 1]`` up to, not including, step
    ``boundaries[i]``; the last value holds from the last boundary on.

    Args:
        boundaries (list|tuple): steps at which the rate changes, strictly increasing.
        values (list|tuple): the rates, one more than there are boundaries.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `boundaries` or `values` is not a list or tuple of numbers.
        ValueError: the lengths do not match, the boundaries do not increase, or a rate is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.PiecewiseDecay([3, 6], values=[0.1, 0.2, 0.3])
            scheduler.step(3)
            print(scheduler())  # 0.2
    """

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        api = "PiecewiseDecay"
        self.boundaries = checks.increasing(api, "boundaries", boundaries)
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise TypeError(
                f"{api}: 'values' must be a list or tuple of numbers, got {type(values).__name__}: "
                f"{values!r}."
            )
        if len(values) != len(boundaries) + 1:
            raise InvalidArgumentError(
                f"{api}: 'values' must have one element more than 'boundaries', that is "
                f"{len(boundaries) + 1}, got {len(values)}."
            )
        self.values = [
            checks.number(api, f"values[{i}]", value, at_least=0) for i, value in enumerate(values)
        ]
        super().__init__(self.values[0], last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        return self.values[bisect_right(self.boundaries, self.last_epoch)]


class MultiStepDecay(LRScheduler):
    r"""Multiplication by `gamma` at each milestone.

    .. math::

        lr_t = learning\_rate \cdot gamma^{\,n(t)}, \qquad
        n(t) = \text{number of milestones} \le t

    Args:
        learning_rate (float): the rate at step 0.
        milestones (list|tuple): steps at which the rate changes, strictly increasing.
        gamma (float): the factor, < 1. Default 0.1.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `milestones` is not a list or tuple of numbers.
        ValueError: the milestones do not increase, or `gamma` is not in [0, 1).

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.MultiStepDecay(0.5, milestones=[30, 50], gamma=0.5)
            scheduler.step(50)
            print(scheduler())  # 0.125
    """

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.milestones = checks.increasing("MultiStepDecay", "milestones", milestones)
        self.gamma = checks.decay_factor("MultiStepDecay", "gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        return self.base_lr * self.gamma ** bisect_right(self.milestones, self.last_epoch)


class StepDecay(LRScheduler):
    r"""Multiplication by `gamma` every `step_size` steps.

    .. math::

        lr_t = learning\_rate \cdot gamma^{\lfloor t / step\_size \rfloor}

    Args:
        learning_rate (float): the rate at step 0.
        step_size (int): steps between two changes, > 0.
        gamma (float): the factor, < 1. Default 0.1.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `step_size` is not an int.
        ValueError: `step_size` is not positive, or `gamma` is not in [0, 1).

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.StepDecay(learning_rate=0.5, step_size=30, gamma=0.5)
            scheduler.step(60)
            print(scheduler())  # 0.125
    """

    def __init__(
        self,
        learning_rate: float,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.step_size = checks.integer("StepDecay", "step_size", step_size, at_least=1)
        self.gamma = checks.decay_factor("StepDecay", "gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)
