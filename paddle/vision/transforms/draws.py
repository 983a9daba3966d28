"""Where random transforms get their numbers from, so that a seed makes them repeatable."""

from __future__ import annotations

import random
from collections.abc import MutableSequence

from paddle.core.random import get_seed, numpy_rng


class _SeededDraws:
    """The part of the module `random` that transforms use, drawn from the state of paddle.seed."""

    def random(self) -> float:
        return numpy_rng().random_sample()

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * numpy_rng().random_sample()

    def randint(self, low: int, high: int) -> int:
        return int(numpy_rng().randint(low, high + 1))

    def shuffle(self, items: MutableSequence) -> None:
        numpy_rng().shuffle(items)


_seeded = _SeededDraws()


def source():
    """Return an object with `random`, `uniform`, `randint` and `shuffle`.

    It follows `paddle.seed` once that was called. Before, it is Python's `random`, so that a script
    which only calls ``random.seed`` is repeatable too and draws what PaddlePaddle draws.
    (Areas of RandomResizedCrop come from ``np.random`` there: `numpy_rng` does the same.)
    """
    return random if get_seed() is None else _seeded
