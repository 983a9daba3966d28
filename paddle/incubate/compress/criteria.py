"""How much each channel matters, by its weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.incubate.compress.dependency import ChannelGroup, Dependencies

Criterion = Callable[[str, np.ndarray], Any]
NAMES = ("l1", "l2", "fpgm", "bn_scale", "random")


def _l1(filters: np.ndarray) -> np.ndarray:
    return np.abs(filters).mean(axis=1)


def _l2(filters: np.ndarray) -> np.ndarray:
    return np.sqrt((filters**2).mean(axis=1))


def _geometric_median(filters: np.ndarray) -> np.ndarray:
    """The sum of distances to all others: small near the middle, which the others can stand for."""
    squares = (filters**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * filters @ filters.T
    return np.sqrt(np.maximum(distances, 0)).sum(axis=1)


_BY_WEIGHTS = {"l1": _l1, "l2": _l2, "fpgm": _geometric_median}


class Scores:
    """The scores of the units of channel groups; those with the lowest go first.

    Where several parameters make the same channels, each one's scores are divided by their mean
    and then added up.

    Args:
        dependencies (Dependencies): what goes together.
        value_of (callable): parameter -> its value as an array.
        criterion (str|callable): one of ``NAMES``, or a function of a parameter's name and its
            weights with a row for each channel, that returns a number for each.
        seed (int): of ``random``.
        where (str): the function that is called, for error texts.

    Raises:
        TypeError: the criterion is neither a str nor a function.
        ValueError: there is no criterion of that name.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        value_of: Callable[[str], np.ndarray],
        criterion: str | Criterion,
        seed: int,
        where: str,
    ) -> None:
        if not isinstance(criterion, str) and not callable(criterion):
            raise TypeError(
                f"{where}(criterion): expected one of {NAMES} or a function, "
                f"but received {type(criterion).__name__}."
            )
        if isinstance(criterion, str) and criterion not in NAMES:
            raise InvalidArgumentError(
                f"{where}(criterion): expected one of {NAMES} or a function, "
                f"but received {criterion!r}."
            )
        self._dependencies, self._value_of = dependencies, value_of
        self._criterion, self._where = criterion, where
        self._random = np.random.RandomState(seed)

    def of(self, group: ChannelGroup) -> np.ndarray:
        """Returns a number for each unit of a group.

        Args:
            group (ChannelGroup): the channels.
        """
        if self._criterion == "random":
            return self._random.permutation(len(group.units)).astype("float64")
        sources, by_weights = group.makers, self._criterion
        if self._criterion == "bn_scale":
            factors = set(self._dependencies.factors)
            named = [member for member in group.members if member[0] in factors]
            sources, by_weights = (named, "l1") if named else (sources, "l1")
        total = np.zeros(len(group.units))
        for name, axis in sources:
            total += self._of_parameter(name, axis, group.units, by_weights)
        return total

    def _of_parameter(
        self, name: str, axis: int, units: np.ndarray, criterion: str | Criterion
    ) -> np.ndarray:
        value = np.asarray(self._value_of(name), dtype="float64")
        places = self._dependencies.units_of(name, axis)
        inside = np.isin(places, units)  # others may lie along the same axis
        filters = np.moveaxis(value, axis, 0).reshape(value.shape[axis], -1)
        if isinstance(criterion, str):
            scores = _BY_WEIGHTS[criterion](filters)
        else:
            scores = np.asarray(criterion(name, filters), dtype="float64")
        if scores.shape != (len(filters),):
            raise InvalidArgumentError(
                f"{self._where}(criterion): expected {len(filters)} numbers for the channels of "
                f"{name!r}, but it returned shape {list(scores.shape)}."
            )
        if not np.isfinite(scores).all():
            raise InvalidArgumentError(
                f"{self._where}: the scores of {name!r} are not finite.",
                hint="its weights may hold NaN or infinities",
            )
        order = np.argsort(units)
        at = order[np.searchsorted(units[order], places[inside])]
        summed = np.bincount(at, scores[inside], len(units))
        counts = np.maximum(np.bincount(at, minlength=len(units)), 1)
        means = summed / counts
        middle = np.abs(means).mean()
        return means / middle if middle > 0 else means
