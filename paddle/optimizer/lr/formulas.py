"""Schedules whose learning rate is a smooth formula of the step count."""

from __future__ import annotations

import math
from collections.abc import Callable

from paddle.optimizer.lr import checks
from paddle.optimizer.lr.scheduler import LRScheduler


class NoamDecay(LRScheduler):
    r"""Linear growth for `warmup_steps`, then decay with the inverse square root of the step.

    .. math::

        lr_t = learning\_rate \cdot d_{model}^{-0.5} \cdot
               \min(t^{-0.5},\; t \cdot warmup\_steps^{-1.5})

    Args:
        d_model (int): the width of the model, > 0.
        warmup_steps (int): length of the growth, > 0.
        learning_rate (float): the factor in front. Default 1.0.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        ValueError: `d_model` or `warmup_steps` is not positive, or `learning_rate` is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.NoamDecay(d_model=64, warmup_steps=100)
            scheduler.step(100)
            print(scheduler())  # 0.0125
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        checks.positive("NoamDecay", "d_model", d_model)
        checks.positive("NoamDecay", "warmup_steps", warmup_steps)
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        step = self.last_epoch
        decay = step**-0.5 if step > 0 else 1
        return self.base_lr * self.d_model**-0.5 * min(decay, self.warmup_steps**-1.5 * step)


class NaturalExpDecay(LRScheduler):
    r"""Decay by a power of e.

    .. math::

        lr_t = learning\_rate \cdot e^{-gamma \cdot t}

    Args:
        learning_rate (float): the rate at step 0.
        gamma (float): the speed of the decay, > 0.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        ValueError: `gamma` is not positive, or `learning_rate` is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.NaturalExpDecay(learning_rate=0.5, gamma=0.1)
            scheduler.step()
            print(round(scheduler(), 4))  # 0.4524
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = checks.positive("NaturalExpDecay", "gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    r"""Decay with the inverse of the step.

    .. math::

        lr_t = \frac{learning\_rate}{1 + gamma \cdot t}

    Args:
        learning_rate (float): the rate at step 0.
        gamma (float): the speed of the decay, >= 0.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        ValueError: `gamma` or `learning_rate` is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.InverseTimeDecay(learning_rate=0.5, gamma=1.0)
            scheduler.step()
            print(scheduler())  # 0.25
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = checks.number("InverseTimeDecay", "gamma", gamma, at_least=0)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class ExponentialDecay(LRScheduler):
    r"""Multiplication by the same factor at each step.

    .. math::

        lr_t = learning\_rate \cdot gamma^{t}

    Args:
        learning_rate (float): the rate at step 0.
        gamma (float): the factor, > 0; the rate decays if it is below 1.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        ValueError: `gamma` is not positive, or `learning_rate` is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.ExponentialDecay(learning_rate=0.5, gamma=0.5)
            scheduler.step()
            print(scheduler())  # 0.25
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = checks.positive("ExponentialDecay", "gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        return self.base_lr * self.gamma**self.last_epoch


class PolynomialDecay(LRScheduler):
    r"""Descent from `learning_rate` to `end_lr` along a power of the remaining fraction.

    .. math::

        lr_t = (learning\_rate - end\_lr)
               \cdot \left(1 - \frac{t'}{T}\right)^{power} + end\_lr

    Without `cycle`, :math:`T = decay\_steps` and :math:`t' = \min(t, T)`: the rate stays at
    `end_lr` once it is reached. With `cycle`, :math:`t' = t` and :math:`T` is the smallest
    multiple of `decay_steps` not below :math:`t`: the rate jumps up again after each descent.

    Args:
        learning_rate (float): the rate at step 0.
        decay_steps (int): length of one descent, > 0.
        end_lr (float): the rate at its end. Default 0.0001.
        power (float): the exponent, > 0. Default 1.0, a straight line.
        cycle (bool): start again after each descent. Default False.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `decay_steps` is not an int.
        ValueError: `decay_steps` or `power` is not positive, or a rate is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.PolynomialDecay(0.5, decay_steps=20, end_lr=0.1)
            scheduler.step(10)
            print(round(scheduler(), 4))  # 0.3
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.decay_steps = checks.integer("PolynomialDecay", "decay_steps", decay_steps, 1)
        self.end_lr = checks.number("PolynomialDecay", "end_lr", end_lr, at_least=0)
        self.power = checks.positive("PolynomialDecay", "power", power)
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        step, length = self.last_epoch, self.decay_steps
        if self.cycle:
            length *= max(1, math.ceil(step / length))
        else:
            step = min(step, length)
        remaining = (1 - step / length) ** self.power
        return (self.base_lr - self.end_lr) * remaining + self.end_lr


class CosineAnnealingDecay(LRScheduler):
    r"""A cosine wave from `learning_rate` down to `eta_min` in `T_max` steps, and up again.

    .. math::

        lr_t = eta\_min + \frac{1}{2}(learning\_rate - eta\_min)
               \left(1 + \cos\left(\frac{t}{T\_max}\pi\right)\right)

    Stepping one by one derives each rate from the previous one, so that a rate changed from outside
    keeps its proportion; ``step(epoch)`` uses the formula above.

    Args:
        learning_rate (float): the rate at step 0.
        T_max (int): steps from the highest to the lowest rate, > 0.
        eta_min (float): the lowest rate, >= 0. Default 0.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `T_max` is not an int or `eta_min` is not a number.
        ValueError: `T_max` is not positive, or a rate is negative.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.CosineAnnealingDecay(learning_rate=0.5, T_max=10)
            scheduler.step(5)
            print(scheduler())  # 0.25
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.T_max = checks.integer("CosineAnnealingDecay", "T_max", T_max, 1)
        self.eta_min = checks.number("CosineAnnealingDecay", "eta_min", eta_min, at_least=0)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch`` from the one before."""
        step, half = self.last_epoch, self.T_max
        if step == 0:
            return self.base_lr
        if (step - 1 - half) % (2 * half) == 0:
            # The step before stood at the bottom, where the ratio of two heights is 0/0.
            rise = (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / half)) / 2
            return self.last_lr + rise
        ratio = self._height(step) / self._height(step - 1)
        return ratio * (self.last_lr - self.eta_min) + self.eta_min

    def _height(self, step: float) -> float:
        return 1 + math.cos(math.pi * step / self.T_max)

    def _lr_after_jump(self) -> float:
        span = self.base_lr - self.eta_min
        return self.eta_min + span * self._height(self.last_epoch) / 2


class LambdaDecay(LRScheduler):
    r"""The initial rate times a function of the step.

    .. math::

        lr_t = learning\_rate \cdot lr\_lambda(t)

    Args:
        learning_rate (float): the rate that the function scales.
        lr_lambda (callable): takes the step count and returns a factor; not part of the state.
        last_epoch (int): the step before the first one. Default -1.
        verbose (bool): print a line at each step. Default False.

    Raises:
        TypeError: `lr_lambda` is not callable or does not return a number.

    Examples:
        .. code-block:: python

            import paddle

            scheduler = paddle.optimizer.lr.LambdaDecay(0.5, lr_lambda=lambda step: 0.5**step)
            scheduler.step()
            print(scheduler())  # 0.25
    """

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not callable(lr_lambda):
            raise TypeError(
                "LambdaDecay: 'lr_lambda' must be a function of the step count, got "
                f"{type(lr_lambda).__name__}: {lr_lambda!r}."
            )
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the learning rate at ``self.last_epoch``."""
        factor = self.lr_lambda(self.last_epoch)
        return self.base_lr * checks.scalar("LambdaDecay", "the result of lr_lambda", factor)
