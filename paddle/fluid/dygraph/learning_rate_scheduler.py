"""Schedules of the learning rate of 1.x dygraph; an optimizer calls them at each step.

A call gives the rate of the present step and goes on: a Tensor of shape [1]. ``LearningRateDecay``
counts steps; those in ``epoch_schedules.py`` count what the user calls ``epoch()`` for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.tensor.to_tensor import to_tensor

__all__ = [
    "CosineDecay", "ExponentialDecay", "InverseTimeDecay", "LearningRateDecay", "LinearLrWarmup",
    "NaturalExpDecay", "NoamDecay", "PiecewiseDecay", "PolynomialDecay", "ReduceLROnPlateau",
]  # fmt: skip


class LearningRateDecay:
    """Base of the schedules that count steps; ``step()`` is what a subclass overrides.

    Args:
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid

            class Halving(fluid.dygraph.learning_rate_scheduler.LearningRateDecay):
                def step(self):
                    return 0.5 ** self.step_num

            with fluid.dygraph.guard():
                rate = Halving()
                print(rate().numpy(), rate().numpy())  # [1.] [0.5]
    """

    def __init__(self, begin: int = 0, step: int = 1, dtype: str = "float32") -> None:
        self.step_num, self.step_size, self.dtype = begin, step, dtype

    def __call__(self) -> Any:
        """Returns the rate of this step as a Tensor ``[1]``, and counts the step."""
        rate = self.step()
        made = rate if isinstance(rate, Tensor) else self.create_lr_var(rate)
        self.step_num += self.step_size
        return made

    def create_lr_var(self, lr: float) -> Any:
        """Makes a Tensor of a rate.

        Args:
            lr (float): the rate.

        Returns:
            Tensor: ``[1]``.
        """
        made = to_tensor(np.asarray([lr], self.dtype))
        made.name = unique_name.generate("learning_rate")
        return made

    def step(self) -> Any:
        """Returns the rate of the step ``step_num``."""
        raise NotImplementedError(f"{type(self).__name__} must override step().")

    def _state_keys(self) -> None:
        """Sets ``keys``, the attributes that belong to the state; a subclass may override this."""
        self.keys = ["step_num"]

    def state_dict(self) -> dict[str, Any]:
        """Returns what a run needs to go on, as Python numbers."""
        self._state_keys()
        return {key: _plain(getattr(self, key)) for key in self.keys if hasattr(self, key)}

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state.

        Args:
            state_dict (dict): what :meth:`state_dict` returned.

        Raises:
            RuntimeError: an entry is missing.
        """
        self._state_keys()
        for key in self.keys:
            if key not in state_dict:
                raise RuntimeError(
                    f"{type(self).__name__}.set_dict: expected the entries {self.keys}, "
                    f"but {key!r} is missing from {sorted(state_dict)}."
                )
            setattr(self, key, state_dict[key])

    set_state_dict = set_dict


def _plain(value: Any) -> Any:
    """A Tensor of one element as a number."""
    return _number(value) if isinstance(value, Tensor) else value


def _number(value: Any) -> float:
    """What a schedule was given or returned, as a float."""
    return float(np.asarray(value.numpy() if isinstance(value, Tensor) else value).reshape(-1)[0])


def _checked(api: str, rate: Any) -> Any:
    """A learning rate of the user: a number or a Tensor."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float, np.number, Tensor)):
        raise TypeError(
            f"{api}(learning_rate): expected a float, but received {type(rate).__name__}."
        )
    return rate


class PiecewiseDecay(LearningRateDecay):
    """Constant rates between boundaries.

    Args:
        boundaries (list[int]): the steps at which the next value begins.
        values (list[float]): the rates, one more than boundaries.
        begin (int): the first step.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.PiecewiseDecay([1, 2], [1.0, 0.5, 0.25], 0)
                print(rate().numpy(), rate().numpy(), rate().numpy())  # [1.] [0.5] [0.25]
    """

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], begin: int, step: int = 1,
        dtype: str = "float32",
    ) -> None:  # fmt: skip
        super().__init__(begin, step, dtype)
        if len(values) != len(boundaries) + 1:
            raise InvalidArgumentError(
                f"PiecewiseDecay(values): expected {len(boundaries) + 1}, one more than "
                f"boundaries, but received {len(values)}."
            )
        self.boundaries, self.values = boundaries, values

    def step(self) -> float:
        """Returns the rate of this step."""
        index = sum(self.step_num >= bound for bound in self.boundaries)
        return self.values[index]


class _Decay(LearningRateDecay):
    """What exponential, natural and inverse time decay have in common.

    Args:
        learning_rate (float): the first rate.
        decay_steps (int): after so many steps the rate is multiplied once.
        decay_rate (float): see the formula.
        staircase (bool): whole multiples of ``decay_steps`` only. Default: False.
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.
    """

    def __init__(
        self, learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False,
        begin: int = 0, step: int = 1, dtype: str = "float32",
    ) -> None:  # fmt: skip
        super().__init__(begin, step, dtype)
        self.learning_rate = _checked(type(self).__name__, learning_rate)
        self.decay_steps, self.decay_rate, self.staircase = decay_steps, decay_rate, staircase

    def _ratio(self) -> float:
        ratio = self.step_num / self.decay_steps
        return math.floor(ratio) if self.staircase else ratio


class NaturalExpDecay(_Decay):
    """``learning_rate * exp(-decay_rate * step / decay_steps)``.

    Args:
        learning_rate (float): the first rate.
        decay_steps (int): see the formula.
        decay_rate (float): see the formula.
        staircase (bool): round the quotient down. Default: False.
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.NaturalExpDecay(0.5, 10, 0.5)
                print(rate().numpy())  # [0.5]
    """

    def step(self) -> float:
        """Returns the rate of this step."""
        return self.learning_rate * math.exp(-self.decay_rate * self._ratio())


class ExponentialDecay(_Decay):
    """``learning_rate * decay_rate ** (step / decay_steps)``.

    Args:
        learning_rate (float): the first rate.
        decay_steps (int): see the formula.
        decay_rate (float): see the formula.
        staircase (bool): round the quotient down. Default: False.
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.ExponentialDecay(0.5, 1, 0.5)
                print(rate().numpy(), rate().numpy())  # [0.5] [0.25]
    """

    def step(self) -> float:
        """Returns the rate of this step."""
        return self.learning_rate * self.decay_rate ** self._ratio()


class InverseTimeDecay(_Decay):
    """``learning_rate / (1 + decay_rate * step / decay_steps)``.

    Args:
        learning_rate (float): the first rate.
        decay_steps (int): see the formula.
        decay_rate (float): see the formula.
        staircase (bool): round the quotient down. Default: False.
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.InverseTimeDecay(0.5, 1, 1.0)
                print(rate().numpy(), rate().numpy())  # [0.5] [0.25]
    """

    def step(self) -> float:
        """Returns the rate of this step."""
        return self.learning_rate / (1 + self.decay_rate * self._ratio())


class PolynomialDecay(LearningRateDecay):
    """``(learning_rate - end) * (1 - step / decay_steps) ** power + end``.

    Args:
        learning_rate (float): the first rate.
        decay_steps (int): the step at which the end is reached.
        end_learning_rate (float): the end. Default: 0.0001.
        power (float): Default: 1.0.
        cycle (bool): start again after the end, over a longer time. Default: False.
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.PolynomialDecay(1.0, 2, 0.0)
                print(rate().numpy(), rate().numpy(), rate().numpy())  # [1.] [0.5] [0.]
    """

    def __init__(
        self, learning_rate: float, decay_steps: int, end_learning_rate: float = 0.0001,
        power: float = 1.0, cycle: bool = False, begin: int = 0, step: int = 1,
        dtype: str = "float32",
    ) -> None:  # fmt: skip
        super().__init__(begin, step, dtype)
        self.learning_rate = _checked("PolynomialDecay", learning_rate)
        self.decay_steps, self.end_learning_rate = decay_steps, end_learning_rate
        self.power, self.cycle = power, cycle

    def step(self) -> float:
        """Returns the rate of this step."""
        at, length = self.step_num, self.decay_steps
        if self.cycle:
            length *= max(math.ceil(at / length), 1)
        else:
            at = min(at, length)
        share = (1 - at / length) ** self.power
        return (self.learning_rate - self.end_learning_rate) * share + self.end_learning_rate


class CosineDecay(LearningRateDecay):
    """``learning_rate * 0.5 * (cos(epoch * pi / epochs) + 1)``.

    Args:
        learning_rate (float): the first rate.
        step_each_epoch (int): steps of an epoch.
        epochs (int): the number of epochs.
        begin (int): the first step. Default: 0.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.CosineDecay(0.5, 1, 2)
                print(rate().numpy(), rate().numpy())  # [0.5] [0.25]
    """

    def __init__(
        self, learning_rate: float, step_each_epoch: int, epochs: int, begin: int = 0,
        step: int = 1, dtype: str = "float32",
    ) -> None:  # fmt: skip
        super().__init__(begin, step, dtype)
        self.learning_rate = _checked("CosineDecay", learning_rate)
        self.step_each_epoch, self.epochs = step_each_epoch, epochs

    def step(self) -> float:
        """Returns the rate of this step."""
        epoch = self.step_num // self.step_each_epoch
        return self.learning_rate * 0.5 * (math.cos(epoch * math.pi / self.epochs) + 1)


class NoamDecay(LearningRateDecay):
    """``learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5)``.

    Args:
        d_model (float): width of the model.
        warmup_steps (int): for so many steps the rate rises.
        begin (int): the first step. Default: 1.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.
        learning_rate (float): Default: 1.0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.NoamDecay(4, 4)
                print(rate().numpy())  # [0.0625]
    """

    def __init__(
        self, d_model: float, warmup_steps: int, begin: int = 1, step: int = 1,
        dtype: str = "float32", learning_rate: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(begin, step, dtype)
        self.d_model, self.warmup_steps = d_model, warmup_steps
        self.learning_rate = _checked("NoamDecay", learning_rate)

    def step(self) -> float:
        """Returns the rate of this step."""
        at = self.step_num
        rise = at * self.warmup_steps**-1.5
        fall = at**-0.5 if at else math.inf
        return self.learning_rate * self.d_model**-0.5 * min(rise, fall)


class LinearLrWarmup(LearningRateDecay):
    """Rises by ``(end_lr - start_lr) / warmup_steps`` a step, then gives ``learning_rate``.

    As in 1.8.5 the rise starts at zero, not at ``start_lr``: step n has n times the difference.

    Args:
        learning_rate (float|LearningRateDecay): what comes afterwards; a schedule counts from the
            first step on.
        warmup_steps (int): length of the rise.
        start_lr (float): see above.
        end_lr (float): more than ``start_lr``.
        begin (int): the first step. Default: 1.
        step (int): by how much a call goes on. Default: 1.
        dtype (str): of the rate. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.LinearLrWarmup(0.5, 2, 0.0, 1.0)
                print(rate().numpy(), rate().numpy())  # [0.5] [0.5]
    """

    def __init__(
        self, learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float,
        begin: int = 1, step: int = 1, dtype: str = "float32",
    ) -> None:  # fmt: skip
        super().__init__(begin, step, dtype)
        if not isinstance(learning_rate, LearningRateDecay):
            _checked("LinearLrWarmup", learning_rate)
        assert end_lr > start_lr, (
            f"LinearLrWarmup(end_lr): expected more than start_lr = {start_lr}, got {end_lr}."
        )
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.start_lr = start_lr
        self.lr_ratio_before_warmup = (end_lr - start_lr) / warmup_steps

    def step(self) -> Any:
        """Returns the rate of this step."""
        base: Any = self.learning_rate
        if isinstance(base, LearningRateDecay):
            base = base()
        if self.step_num < self.warmup_steps:
            return self.lr_ratio_before_warmup * self.step_num
        return base


class ReduceLROnPlateau(LearningRateDecay):
    """Lowers the rate when a loss has stopped to improve.

    Args:
        learning_rate (float): the first rate.
        mode (str): ``min``: the loss is to fall; ``max``: it is to rise. Default: min.
        decay_rate (float): the factor, below 1. Default: 0.1.
        patience (int): so many bad epochs are waited for. Default: 10.
        verbose (bool): print when the rate is lowered. Default: False.
        threshold (float): what counts as better. Default: 1e-4.
        threshold_mode (str): ``rel`` or ``abs``. Default: rel.
        cooldown (int): epochs after a reduction that do not count. Default: 0.
        min_lr (float): the least rate. Default: 0.
        eps (float): a smaller change of the rate is left out. Default: 1e-8.
        dtype (str): of the rate. Default: float32.

    Raises:
        ValueError: an unknown mode, or a ``decay_rate`` of 1 or more.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                rate = fluid.dygraph.ReduceLROnPlateau(1.0, decay_rate=0.5, patience=0)
                for loss in (1.0, 1.0):
                    rate.step(fluid.dygraph.to_variable(np.array([loss], "float32")))
                print(rate().numpy())  # [0.5]
    """

    def __init__(
        self, learning_rate: float, mode: str = "min", decay_rate: float = 0.1,
        patience: int = 10, verbose: bool = False, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0, eps: float = 1e-8,
        dtype: str = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        for name, value, known in (
            ("mode", mode.lower(), ("min", "max")),
            ("threshold_mode", threshold_mode.lower(), ("rel", "abs")),
        ):
            if value not in known:
                raise InvalidArgumentError(
                    f"ReduceLROnPlateau({name}): expected one of {list(known)}, got {value!r}."
                )
        if decay_rate >= 1.0:
            raise InvalidArgumentError(
                f"ReduceLROnPlateau(decay_rate): expected less than 1, but received {decay_rate}."
            )
        self.mode, self.threshold_mode = mode.lower(), threshold_mode.lower()
        self.learning_rate = _checked("ReduceLROnPlateau", learning_rate)
        self.decay_rate, self.patience, self.verbose = decay_rate, patience, verbose
        self.threshold, self.cooldown, self.min_lr, self.eps = threshold, cooldown, min_lr, eps
        self.cooldown_counter = self.num_bad_epochs = self.epoch_num = 0
        self.best_loss: Any = None

    def _state_keys(self) -> None:
        self.keys = [
            "cooldown_counter", "best_loss", "num_bad_epochs", "epoch_num", "learning_rate",
        ]  # fmt: skip

    def __call__(self) -> Any:
        """Returns the rate; :meth:`step` changes it."""
        rate = self.learning_rate
        return rate if isinstance(rate, Tensor) else self.create_lr_var(rate)

    def step(self, loss: Any) -> None:  # type: ignore[override]
        """Takes note of a loss, and lowers the rate if it is time to.

        Args:
            loss (Tensor): of shape ``[1]``.

        Raises:
            TypeError: it is no Tensor of one element.
        """
        if not isinstance(loss, Tensor) or list(loss.shape) != [1]:
            got = getattr(loss, "shape", type(loss).__name__)
            raise TypeError(
                f"ReduceLROnPlateau.step(loss): expected a Tensor of shape [1], received {got}."
            )
        self.epoch_num += 1
        value = _number(loss)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best_loss is None or self._is_better(value, _number(self.best_loss)):
            self.best_loss, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            self._lower()

    def _lower(self) -> None:
        old = _number(self.learning_rate)
        new = float(np.float32(max(old * self.decay_rate, self.min_lr)))
        if old - new > self.eps:
            if self.verbose:
                print(f"Epoch {self.epoch_num}: reducing learning rate from {old} to {new}.")
            self.learning_rate = new

    def _is_better(self, value: float, best: float) -> bool:
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return value < best - margin if self.mode == "min" else value > best + margin
