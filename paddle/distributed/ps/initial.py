"""What a row of a table holds when it is first touched, and which rows are let in at all.

Every number of a row follows from the seed, the row's id and its column alone, so it is the same
whichever server makes it, and whenever.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from paddle.core.errors import InvalidArgumentError

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = (np.uint64(n) for n in (30, 27, 31, 11))
_KINDS = ("constant", "uniform", "gaussian", "truncated_gaussian")


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Scrambles 64-bit numbers (the finalizer of SplitMix64); makes a new array."""
    z = numbers.view(np.uint64) * _GOLDEN
    for shift, factor in ((_S30, _MIX_1), (_S27, _MIX_2)):
        z ^= z >> shift
        z *= factor
    z ^= z >> _S31
    return z


def chances(ids: np.ndarray, seed: int, width: int) -> np.ndarray:
    """Numbers above 0 and below 1, ``[len(ids), width]``, evenly spread."""
    rows = mixed(ids + np.int64(seed % (1 << 62)))
    with np.errstate(over="ignore"):
        columns = mixed(np.arange(1, width + 1, dtype=np.int64))
    bits = mixed(rows[:, None] ^ columns[None, :])
    found = (bits >> _S11).astype(np.float64)
    found += 0.5
    found *= 1.0 / (1 << 53)
    return found


@dataclass(frozen=True)
class Initial:
    """The initializer of a table's rows.

    Args:
        kind (str): ``constant``, ``uniform``, ``gaussian`` or ``truncated_gaussian`` (cut off two
            deviations from the mean).
        value (float): of ``constant``.
        low (float): of ``uniform``.
        high (float): of ``uniform``.
        mean (float): of the gaussians.
        std (float): of the gaussians.
        seed (int): another seed makes other rows.
    """

    kind: str = "constant"
    value: float = 0.0
    low: float = -1.0
    high: float = 1.0
    mean: float = 0.0
    std: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise InvalidArgumentError(
                f"Initial(kind): expected one of {list(_KINDS)}, but received {self.kind!r}."
            )
        if not self.low <= self.high or not self.std >= 0:
            raise InvalidArgumentError(
                "Initial: expected low <= high and std >= 0, but received "
                f"low={self.low}, high={self.high}, std={self.std}."
            )

    def rows(self, ids: np.ndarray, width: int, dtype: Any = np.float32) -> np.ndarray:
        """Makes the rows of some ids.

        Args:
            ids (numpy.ndarray): int64.
            width (int): numbers in a row.
            dtype (numpy.dtype): of the result.

        Returns:
            numpy.ndarray: ``[len(ids), width]``.
        """
        if self.kind == "constant":
            return np.full((len(ids), width), self.value, dtype)
        chance = chances(ids, self.seed, width)
        if self.kind == "uniform":
            chance *= self.high - self.low
            chance += self.low
            return chance.astype(dtype)
        if self.kind == "truncated_gaussian":
            least = 0.5 * math.erfc(math.sqrt(2.0))  # what lies below two deviations
            chance *= 1.0 - 2.0 * least
            chance += least
        found = torch.special.ndtri(torch.from_numpy(chance))
        found.mul_(self.std).add_(self.mean)
        return found.numpy().astype(dtype)


@dataclass(frozen=True)
class CountFilter:
    """Lets a row in when it was asked for ``count`` times; until then it reads as zeros."""

    count: int

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise InvalidArgumentError(
                f"CountFilter(count): expected an integer of at least 1, but received "
                f"{self.count!r}."
            )


@dataclass(frozen=True)
class Probability:
    """Lets this part of all ids in; which ones, follows from the id. The others read as zeros."""

    probability: float
    seed: int = field(default=0x5EED)

    def __post_init__(self) -> None:
        if not 0.0 < self.probability <= 1.0:
            raise InvalidArgumentError(
                "Probability(probability): expected a number above 0 and at most 1, but received "
                f"{self.probability!r}."
            )

    def lets_in(self, ids: np.ndarray) -> np.ndarray:
        """For each id whether it gets a row."""
        return chances(ids, self.seed, 1)[:, 0] < self.probability
