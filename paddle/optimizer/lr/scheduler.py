"""LRScheduler: what all schedules have in common - counting, stepping and state."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.guards import Guarded
from paddle.core.user_frame import outside
from paddle.optimizer.lr import checks


class LRScheduler(Guarded):
    r"""Base of all schedules; calling a schedule returns the learning rate in force.

    A subclass sets its own attributes, calls ``super().__init__`` last, and defines
    :meth:`get_lr`, which computes the rate from ``self.last_epoch`` and ``self.base_lr``.
    Construction makes the first step, so that a new schedule stands at ``last_epoch + 1``.
    What one "epoch" is, an epoch or a batch, is up to where the training loop calls :meth:`step`.

    Args:
        learning_rate (float): the rate to start from, >= 0. Default 0.1.
        last_epoch (int): the step before the first one; give the last finished step to resume.
            Default -1, start from the beginning.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `learning_rate` is not a number or `last_epoch` is not an int.
        ValueError: `learning_rate` is negative, NaN or infinite.

    Examples:
        .. code-block:: python

            import paddle

            class HalveEvery(paddle.optimizer.lr.LRScheduler):
                def __init__(self, learning_rate, every, last_epoch=-1, verbose=False):
                    self.every = every
                    super().__init__(learning_rate, last_epoch, verbose)

                def get_lr(self):
                    return self.base_lr * 0.5 ** (self.last_epoch // self.every)

            scheduler = HalveEvery(0.1, every=2)
            rates = []
            for epoch in range(4):
                rates.append(scheduler())
                scheduler.step()
            print(rates)  # [0.1, 0.1, 0.05, 0.05]
    """

    def __init__(
        self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        api = type(self).__name__
        self.base_lr = checks.number(api, "learning_rate", learning_rate, at_least=0)
        self.last_lr = self.base_lr
        self.last_epoch = checks.integer(api, "last_epoch", last_epoch, at_least=-1)
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """Return the learning rate of the current step."""
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Move on and compute the learning rate there.

        Args:
            epoch (int, optional): the step to move to, >= 0. Default None, the next one.

        Raises:
            TypeError: `epoch` is not a number.
            ValueError: `epoch` is negative.
        """
        if epoch is None:
            self.last_epoch += 1
            self.last_lr = self.get_lr()
        else:
            self.last_epoch = self._checked_epoch(epoch)
            self.last_lr = self._lr_after_jump()
        if self.verbose:
            self._report()

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``; every subclass defines it."""
        raise NotImplementedError(
            f"{type(self).__name__} must define get_lr(self), which returns the learning rate at "
            "step self.last_epoch."
        )

    def state_keys(self) -> None:
        """Set ``self.keys``, the names of the attributes that make up the state.

        A subclass with more state overrides this method.
        """
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """Return the state as a dict of plain numbers.

        Returns:
            dict: the value of every attribute named by :meth:`state_keys`.
        """
        self.state_keys()
        held = vars(self)
        return {key: _plain(held[key]) for key in self.keys if key in held}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state that :meth:`state_dict` returned.

        Args:
            state_dict (dict): the state; an entry that this schedule does not have is reported by a
                warning.

        Raises:
            TypeError: `state_dict` is not a dict.
            RuntimeError: an entry of the state is missing; nothing has been changed.
        """
        api = f"{type(self).__name__}.set_state_dict"
        if not isinstance(state_dict, dict):
            raise TypeError(f"{api}: 'state_dict' must be a dict, got {type(state_dict).__name__}.")
        self.state_keys()
        missing = [key for key in self.keys if key not in state_dict]
        if missing:
            raise NotFoundError(
                f"{api}: expected the keys {self.keys}, {missing} not found in {list(state_dict)}.",
                hint="load the state of a schedule of the same class",
            )
        unused = [key for key in state_dict if key not in self.keys]
        if unused:
            warnings.warn(
                f"{api}: {unused} are not used; expected only {self.keys}. Was the state saved by "
                "another class of schedule?",
                stacklevel=outside(),
            )
        for key in self.keys:
            setattr(self, key, _plain(state_dict[key]))

    set_dict = set_state_dict

    def _checked_epoch(self, epoch: Any) -> Any:
        """Return `epoch` or say what is wrong with it; a fraction of an epoch is allowed."""
        api = f"{type(self).__name__}.step"
        if not isinstance(epoch, Real):
            raise TypeError(f"{api}: 'epoch' must be an int or None, got {epoch!r}.")
        if not float(epoch) >= 0:
            raise InvalidArgumentError(f"{api}: 'epoch' must be >= 0, got {epoch}.")
        return epoch

    def _lr_after_jump(self) -> float:
        """The rate after `step(epoch)`; a schedule computed from its previous rate overrides it."""
        return self.get_lr()

    def _report(self) -> None:
        """Print the line that `verbose` asks for."""
        name = type(self).__name__
        print(f"Epoch {self.last_epoch}: {name} set learning rate to {self.last_lr}.")


def _plain(value: Any) -> Any:
    """Turn a one-element Tensor, array or NumPy scalar into a Python number; leave the rest."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    return value.item() if hasattr(value, "item") else value
