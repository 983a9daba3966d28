"""LinearWarmup: a linear ramp in front of another schedule."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.optimizer.lr import checks
from paddle.optimizer.lr.plateau import ReduceOnPlateau
from paddle.optimizer.lr.scheduler import LRScheduler

_NESTED = "LinearWarmup_LR"


class LinearWarmup(LRScheduler):
    r"""A straight line from `start_lr` to `end_lr`, then a constant or another schedule.

    .. math::

        lr_t = start\_lr + (end\_lr - start\_lr) \cdot \frac{t}{warmup\_steps},
        \qquad t < warmup\_steps

    From step `warmup_steps` on the rate is `learning_rate` itself, or that of the schedule
    `learning_rate` at its own step ``t - warmup_steps``. A nested :class:`ReduceOnPlateau` lives on
    metrics: step it yourself, the warmup only reads its rate.

    Args:
        learning_rate (float|LRScheduler): what follows the warmup.
        warmup_steps (int): length of the warmup, > 0.
        start_lr (float): the rate at step 0.
        end_lr (float): the rate that the line aims at, > `start_lr`.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `learning_rate` is neither a number nor a schedule.
        ValueError: `warmup_steps` is not positive, or `end_lr` is not above `start_lr`.

    Examples:
        .. code-block:: python

            import paddle

            after = paddle.optimizer.lr.StepDecay(learning_rate=0.5, step_size=10, gamma=0.5)
            scheduler = paddle.optimizer.lr.LinearWarmup(after, 20, start_lr=0.0, end_lr=0.5)
            rates = []
            for step in (10, 20, 30):
                scheduler.step(step)
                rates.append(scheduler())
            print(rates)  # [0.25, 0.5, 0.25]
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        api = "LinearWarmup"
        if not isinstance(learning_rate, LRScheduler):
            learning_rate = checks.number(api, "learning_rate", learning_rate, at_least=0)
        self.learning_rate = learning_rate
        self.warmup_steps = checks.integer(api, "warmup_steps", warmup_steps, at_least=1)
        self.start_lr = checks.number(api, "start_lr", start_lr, at_least=0)
        self.end_lr = checks.number(api, "end_lr", end_lr)
        if self.end_lr <= self.start_lr:
            raise InvalidArgumentError(
                f"{api}: 'end_lr' must be greater than 'start_lr', got end_lr={end_lr} and "
                f"start_lr={start_lr}."
            )
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``, moving the nested schedule there."""
        if self.last_epoch < self.warmup_steps:
            rise = (self.end_lr - self.start_lr) * self.last_epoch
            return rise / self.warmup_steps + self.start_lr
        after = self.learning_rate
        if not isinstance(after, LRScheduler):
            return after
        if not isinstance(after, ReduceOnPlateau):
            after.step(self.last_epoch - self.warmup_steps)
        return after()

    def state_dict(self) -> dict[str, Any]:
        """Return the state; that of a nested schedule is under ``'LinearWarmup_LR'``.

        Returns:
            dict: ``last_epoch``, ``last_lr`` and, with a nested schedule, its state.
        """
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state[_NESTED] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state that :meth:`state_dict` returned, that of a nested schedule included.

        Args:
            state_dict (dict): the state.

        Raises:
            RuntimeError: an entry of the state is missing.
        """
        if not isinstance(self.learning_rate, LRScheduler) or not isinstance(state_dict, dict):
            super().set_state_dict(state_dict)
            return
        if _NESTED not in state_dict:
            raise NotFoundError(
                f"LinearWarmup.set_state_dict: expected the key '{_NESTED}' for the nested "
                f"{type(self.learning_rate).__name__}, not found in {list(state_dict)}."
            )
        own = dict(state_dict)
        nested = own.pop(_NESTED)
        super().set_state_dict(own)
        self.learning_rate.set_state_dict(nested)

    set_dict = set_state_dict
