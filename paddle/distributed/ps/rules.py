"""How servers update: the optimizers' own rules, with penalties, clips and rates beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED
from paddle.ops.optimizer import lists
from paddle.ops.optimizer.counting import UpdateCount
from paddle.ops.optimizer.engine import FusedUpdate
from paddle.ops.optimizer.rules import UpdateRule
from paddle.ops.optimizer.updates import rule_of

KNOWN = ("sgd", "momentum", "adagrad", "adam", "adamax", "rmsprop")


class _OuterEpsilon(FusedUpdate):
    """Adam of 1.x: each update has an epsilon of its own."""

    def update(self, params: Any, grads: Any, states: Any, rate: float) -> None:
        epsilon, beta = self.settings["epsilon"], self.settings["beta2"]
        count: Any = self.count
        steps = count.done + 1 + count.ahead
        self.settings["epsilon"] = epsilon / math.sqrt(1.0 - beta**steps)
        try:
            super().update(params, grads, states, rate)
        finally:
            self.settings["epsilon"] = epsilon


@dataclass(frozen=True)
class Rule:
    """The optimizer of one table.

    Args:
        name (str): one of ``KNOWN``: the operator of local training.
        rate (float|callable): the learning rate, or a function that gives it for a number of steps.
        settings (dict): attributes of the operator, as ``{"beta1": 0.9}``.
        fill (dict): accumulator -> what it starts with, as ``{"moment": 0.1}``; the others are 0.
        factor (float): on the learning rate, as a ParamAttr may have one.
        l1 (float): coefficient of a penalty on the parameters that are updated.
        l2 (float): the same, of squares.
        clip (tuple, optional): least and greatest number in a gradient, before the penalties.
        outer_epsilon (bool): of Adam: epsilon is not scaled with the correction of the bias, as in
            1.x.

    Examples:
        .. code-block:: python

            from paddle.distributed.ps.rules import Rule
            rule = Rule("adam", rate=lambda step: 0.1 * 0.9**step, settings={"beta1": 0.8})
            print(rule.states)  # ['moment1', 'moment2']
    """

    name: str = "sgd"
    rate: float | Callable[[int], float] = 0.001
    settings: dict[str, Any] = field(default_factory=dict)
    fill: dict[str, float] = field(default_factory=dict)
    factor: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    clip: tuple[float, float] | None = None
    outer_epsilon: bool = False

    def __post_init__(self) -> None:
        if self.name not in KNOWN:
            raise InvalidArgumentError(
                f"Rule(name): expected one of {list(KNOWN)}, but received {self.name!r}.",
                hint="these optimizers update row by row on a server",
            )
        known = self._rule.settings
        unknown = [k for k in self.settings if k not in known]
        missing = [k for k, v in known.items() if v is REQUIRED and k not in self.settings]
        if unknown or missing:
            raise InvalidArgumentError(
                f"Rule(settings) of {self.name}: expected settings among {list(known)}, but "
                f"received {list(self.settings)}" + (f" without {missing}." if missing else ".")
            )
        if wrong := [k for k in self.fill if k not in self.states]:
            raise InvalidArgumentError(
                f"Rule(fill) of {self.name}: expected accumulators among {self.states}, but "
                f"received {wrong}."
            )

    @property
    def _rule(self) -> UpdateRule:
        found = rule_of(self.name)
        assert found is not None
        return found

    @property
    def states(self) -> list[str]:
        """Names of the accumulators, which have the parameter's shape."""
        return self._rule.states

    def rate_at(self, step: int) -> float:
        """The learning rate after so many steps."""
        rate = self.rate(step) if callable(self.rate) else self.rate
        return float(rate) * self.factor

    def update(self, by_rows: bool, done: int) -> FusedUpdate:
        """The kernels of local training with these settings.

        Args:
            by_rows (bool): whether rows of a table are updated, or a whole parameter.
            done (int): updates so far.
        """
        rule = self._rule
        defaults = {k: v for k, v in rule.settings.items() if v is not REQUIRED}
        settings = {**defaults, **self.settings}
        ahead = rule.rows_ahead if by_rows else 0
        kind = _OuterEpsilon if self.outer_epsilon and rule.powers else FusedUpdate
        return kind(rule, settings, UpdateCount(rule, settings, done, ahead))

    def prepared(self, grad: torch.Tensor, param: torch.Tensor) -> torch.Tensor:
        """The gradient with clip and penalties, ready for the update."""
        if self.clip is not None:
            grad = grad.clamp(*self.clip)
        if self.l2:
            grad = lists.decay_l2([param], [grad], self.l2)[0]
        if self.l1:
            grad = lists.decay_l1([param], [grad], self.l1)[0]
        return grad
