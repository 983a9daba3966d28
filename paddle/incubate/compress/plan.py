"""Which channels go: by shares that are asked for, or by what is to be left of the operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.incubate.compress.counting import FlopCounter
from paddle.incubate.compress.criteria import Scores
from paddle.incubate.compress.dependency import ChannelGroup, Dependencies

_STEPS = 24  # of the search for a share
_SHOWN = 6


class Planner:
    """Chooses channels that go.

    Args:
        dependencies (Dependencies): what goes together.
        scores (Scores): how much each unit matters.
        given (Mapping[str, str]): other names of parameters -> those in ``dependencies``.
        where (str): the function that is called, for error texts.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        scores: Scores,
        given: Mapping[str, str],
        where: str,
    ) -> None:
        self.dependencies, self._scores = dependencies, scores
        self._given, self._where = given, where
        self.counter = FlopCounter(dependencies.views[-1])
        self._orders: dict[int, np.ndarray] = {}

    # -- names ------------------------------------------------------------------------------------

    def resolved(self, name: Any, argument: str) -> str:
        """Returns the parameter that a name means.

        Args:
            name (str): as in the Layer, or that of the Parameter itself.
            argument (str): whose it is, for error texts.

        Raises:
            TypeError: it is no str.
            ValueError: there is no such parameter, or it makes no channels.
        """
        where = f"{self._where}({argument})"
        if not isinstance(name, str):
            raise TypeError(f"{where}: expected names of parameters, but received {name!r}.")
        outputs = self.dependencies.outputs
        found = name if name in outputs else self._given.get(name, name)
        if found in outputs:
            return found
        known = found in self.dependencies.parameters
        what = "makes no channels of its own" if known else "is no parameter of the model"
        some = ", ".join(map(repr, list(outputs)[:_SHOWN]))
        raise NotFoundError(
            f"{where}: {name!r} {what}. Expected weights of convolutions, of Linear or Embedding: "
            f"{some or 'there are none'}{', ...' if len(outputs) > _SHOWN else ''}."
        )

    def _groups_of(self, name: str) -> list[ChannelGroup]:
        found = self.dependencies.groups_of(name)
        if not found:
            reason = self.dependencies.fixed.get(name, "they are not followed")
            partners = [n for n, why in self.dependencies.fixed.items()
                        if why == reason and n != name]  # fmt: skip
            beside = f"; so have those of {', '.join(map(repr, partners[:3]))}" if partners else ""
            raise InvalidArgumentError(
                f"{self._where}: the channels of {name!r} have to stay: {reason}{beside}."
            )
        return found

    def choosable(self, skip: Iterable[str]) -> list[ChannelGroup]:
        """Returns the groups that may be pruned.

        Args:
            skip (Iterable[str]): parameters whose channels stay.

        Raises:
            ValueError: there are none.
        """
        named = {self.resolved(name, "skip") for name in skip}
        left = [g for g in self.dependencies.groups
                if len(g.units) > 1 and not named & {n for n, _ in g.members}]  # fmt: skip
        if not left:
            reasons = [f"{n!r}: {why}" for n, why in list(self.dependencies.fixed.items())[:_SHOWN]]
            raise InvalidArgumentError(
                f"{self._where}: there is nothing to prune. "
                + ("; ".join(reasons) or "No parameter makes channels that something else reads.")
            )
        return left

    # -- choice -----------------------------------------------------------------------------------

    def by_names(self, ratios: Mapping[Any, Any]) -> list[int]:
        """Returns the units that go, for a share of each parameter.

        Args:
            ratios (Mapping): parameter -> share that goes.

        Raises:
            ValueError: a share is out of range, or two of one group differ.
        """
        chosen: dict[int, tuple[ChannelGroup, str, float]] = {}
        for given, ratio in ratios.items():
            name = self.resolved(given, "ratios")
            share = checked_share(ratio, f"{self._where}(ratios)[{given!r}]")
            for group in self._groups_of(name):
                _, other, before = chosen.setdefault(id(group), (group, given, share))
                if before != share:
                    raise InvalidArgumentError(
                        f"{self._where}(ratios): {other!r} and {given!r} lose the same channels, "
                        f"but {before} is asked for one and {share} for the other."
                    )
        return [u for group, _, share in chosen.values() for u in self._lowest(group, share)]

    def by_share(self, share: float, groups: Iterable[ChannelGroup]) -> list[int]:
        """Returns the units that go where each group loses the same share.

        Args:
            share (float): of the channels of each group.
            groups (Iterable[ChannelGroup]): the groups.
        """
        return [unit for group in groups for unit in self._lowest(group, share)]

    def by_flops(self, left: float, choose: Callable[[float], list[int]]) -> list[int]:
        """Returns the fewest units with which at most a share of the operations is left.

        Args:
            left (float): that share.
            choose (callable): number from 0 to 1 -> units that go, more for a higher number.

        Raises:
            ValueError: more is left whatever goes.
        """
        whole = self.count(())
        least = self.count(choose(1.0)) / max(whole, 1)
        if least > left:
            raise InvalidArgumentError(
                f"{self._where}(flops): expected a share that can be reached, but received {left}; "
                f"{least:.3f} is left when each group keeps one channel."
            )
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self.count(choose(middle)) <= left * whole:
                high = middle
            else:
                low = middle
        return choose(high)

    def count(self, removed: Iterable[int]) -> int:
        """Returns the operations that are left.

        Args:
            removed (Iterable[int]): units that go.
        """
        return self.counter.count(self.dependencies.staying(removed))

    def _lowest(self, group: ChannelGroup, share: float) -> list[int]:
        """The units of the lowest scores; one at least stays."""
        order = self._orders.get(id(group))
        if order is None:
            order = np.argsort(self._scores.of(group), kind="stable")
            self._orders[id(group)] = order
        count = min(round(len(order) * share), len(order) - 1)
        return group.units[order[:count]].tolist()


def checked_share(value: Any, where: str) -> float:
    """Returns a share of channels that goes.

    Args:
        value: a number.
        where (str): what it was given for.

    Raises:
        TypeError: it is no number.
        ValueError: it is below 0, or nothing would be left.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{where}: expected a number in [0, 1), but received {value!r}.")
    if not 0 <= float(value) < 1:
        raise InvalidArgumentError(
            f"{where}: expected a share of its channels in [0, 1), but received {value}; "
            "of each parameter some have to stay."
        )
    return float(value)
