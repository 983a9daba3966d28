"""The number of updates: kept as an int by eager optimizers, as powers of beta in a scope."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import torch

from paddle.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    from paddle.ops.optimizer.rules import UpdateRule

Buffers = list[torch.Tensor]

_ONE = "expected one element where a number is due, but a Tensor of several came."


def number(one: torch.Tensor) -> float:
    """The number in a tensor; shapes alone have none."""
    if one.is_meta:
        if one.numel() != 1:
            raise InvalidArgumentError(_ONE)
        return 0.5
    return float(one)


def steps_of(powers: list[Buffers], betas: list[float]) -> Buffers:
    """For each parameter the number of this update, from the powers of beta that are stored.

    That of the last beta, beta2, which is the larger one, is the last to vanish; then the number is
    infinite and all bias corrections are 1, as they should be.
    """
    for held, beta in zip(reversed(powers), reversed(betas), strict=True):
        if beta > 0:
            base = math.log(beta)
            return [torch.round(torch.log(p.double()) / base).reshape(()).float() for p in held]
    return [torch.ones((), device=power.device) for power in powers[0]]


def corrections_of(powers: list[Buffers]) -> list[tuple[float, ...]]:
    """For each parameter ``1 - beta**t`` of every beta."""
    return [tuple(1.0 - number(p) for p in each) for each in zip(*powers, strict=True)]


class UpdateCount:
    """The number of updates of some parameters, one for all, kept as an int.

    Args:
        rule (UpdateRule): which form of the number its function takes.
        settings (dict): of the rule.
        done (int): updates so far.
        ahead (int): how many updates ahead the function counts.
    """

    def __init__(
        self, rule: UpdateRule, settings: dict[str, Any], done: int, ahead: int = 0
    ) -> None:
        self.done = done
        self._form, self.ahead = rule.counts, ahead
        self._betas = rule.betas(settings)
        self._counted: list[tuple] = [()]

    def advance(self, params: Buffers) -> list[tuple]:
        """Counts one update more of these parameters.

        Returns:
            list[tuple]: what the function takes behind the rate, for all parameters together.
        """
        self.done += 1
        if self._form == "steps":
            if not self._counted[0]:  # on the device, so that none waits
                now = torch.tensor(float(self.done + self.ahead), device=params[0].device)
                self._counted = [([now] * len(params),)]
            else:
                self._counted[0][0][0].add_(1)
        elif self._form:
            count = self.done + self.ahead
            self._counted = [(tuple(1.0 - beta**count for beta in self._betas),)]
        return self._counted


class PowerCount:
    """The number of updates of each of some parameters, kept as powers of beta in buffers.

    The arguments are those of :class:`UpdateCount`.
    """

    def __init__(self, rule: UpdateRule, settings: dict[str, Any], ahead: int = 0) -> None:
        self._form, self.ahead = rule.counts, ahead
        self._betas, self._multiplies = rule.betas(settings), rule.writes_powers
        self.powers: list[Buffers] = []
        self._shared: Any = None
        self._seen_version = -1
        self._counted: list[tuple] = [()]

    def take(self, powers: list[Buffers]) -> list[Buffers]:
        """Takes the powers, a list for each beta; returns the buffers that now hold them.

        Those that updates multiply share one buffer, so that this takes one call.
        """
        self._seen_version = -1
        if self._multiplies:
            self._shared = torch.cat([b.reshape(1) for b in itertools.chain(*powers)])
            part = self._shared[: len(powers[0])]
            self._factors = torch.cat([torch.full_like(part, b) for b in self._betas])
            views = iter(self._shared.split(1))
            powers = [[next(views).view(b.shape) for b in held] for held in powers]
        self.powers = powers
        return powers

    def advance(self, params: Buffers) -> list[tuple]:
        """Counts one update more.

        Returns:
            list[tuple]: what the function takes behind the rate: for all parameters together, or
            where they differ for each.
        """
        if self._form == "corrections":
            each = corrections_of(self.powers)
            self._counted = [(c,) for c in (each if len(set(each)) > 1 else each[:1])]
        elif self._form and (self._shared is None or self._seen_version != self._shared._version):
            self._counted = [(self._steps(),)]
        elif self._form:
            for step in {id(s): s for s in self._counted[0][0]}.values():
                step.add_(1)
        if self._multiplies:
            self._shared.mul_(self._factors)
            self._seen_version = self._shared._version
        return self._counted

    def _steps(self) -> Buffers:
        """The number of this update for every parameter; usually it is one for all."""
        steps = steps_of(self.powers, self._betas)
        if self.ahead:
            steps = [s + self.ahead for s in steps]
        same = all(float(s) == float(steps[0]) for s in steps)
        return [steps[0]] * len(steps) if same else steps
