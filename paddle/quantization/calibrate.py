"""How large the values of a Program become, and scales made of that, one way or another."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.executor.calibration import BINS, Histogram
from paddle.quantization.numbers import check_finite

COUNTED = ("KL", "KL_kept", "hist", "mse", "emd")  # for which it matters how many values lie where
ALGORITHMS = ("KL", "KL_kept", "hist", "mse", "emd", "avg", "abs_max", "min_max")
_SHARES = np.arange(0.3, 1.005, 0.02)  # of the largest value, tried as scales

_FAR = 1e4  # an outlier is so many times larger than usual


class Seen:
    """What was seen of one variable.

    Attributes:
        least (float): the smallest value.
        most (float): the largest value.
    """

    def __init__(self) -> None:
        self.least = math.inf
        self.most = -math.inf
        self._largest: list[float] = []  # of each sample
        self._histogram = Histogram()

    def add(self, value: np.ndarray, name: str) -> None:
        """Adds a batch.

        Args:
            value (np.ndarray): the first axis is that of samples.
            name (str): of the variable, for messages.

        Raises:
            ValueError: it has NaN or infinities.
        """
        self.look(value, name)
        self.count(value)

    def look(self, value: np.ndarray, name: str) -> None:
        """Takes down how large the values of a batch are; see :meth:`add`."""
        if not value.size:
            return
        found = np.ascontiguousarray(value, "float32")
        rows = found.reshape(len(found) if found.ndim else 1, -1)
        least, most = rows.min(axis=1), rows.max(axis=1)  # NaN goes on
        largest = np.maximum(-least, most)
        check_finite(largest, name)
        self._largest += largest.tolist()
        self.least = min(self.least, float(least.min()))
        self.most = max(self.most, float(most.max()))
        self._histogram.reach_array(found)

    def count(self, value: np.ndarray) -> None:
        """Counts how many values of a batch lie where; :meth:`look` saw it, and better all."""
        if value.size:
            self._histogram.add_array(value)

    @property
    def number(self) -> int:
        """How many samples there were."""
        return len(self._largest)

    @property
    def usual(self) -> float:
        """The largest absolute value of a sample in the middle."""
        return float(np.median(self._largest)) if self._largest else 0.0

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(self._largest, default=0.0)

    def scale(self, algorithm: str, bits: int, percent: float = 0.99999) -> float:
        """The value that the highest step stands for.

        Args:
            algorithm (str): one of ``ALGORITHMS``.
            bits (int): of a step.
            percent (float): for ``hist``, the share of values that the scale covers.
        """
        top = 2 ** (bits - 1) - 1
        if algorithm in ("abs_max", "min_max") or not self.largest:
            return self.largest
        if algorithm == "avg":
            return float(np.mean(self._largest))
        if algorithm in ("KL", "KL_kept"):
            if 2 * top >= BINS:
                return self.largest
            return self._histogram.by_divergence(top, kept=algorithm == "KL_kept")
        if algorithm == "hist":
            return self._by_share(percent)
        return self._by_error(top, algorithm)

    def _bins(self) -> tuple[np.ndarray, np.ndarray]:
        """The middle of each bin, and how many values it has; zeros are in none."""
        counts = self._histogram.counts.numpy()
        return (np.arange(BINS) + 0.5) * (self._histogram.most / BINS), counts

    def _by_share(self, percent: float) -> float:
        middle, counts = self._bins()
        total = np.cumsum(counts) + self._histogram.zeros
        at = int(np.argmax(total >= percent * total[-1]))
        return float(middle[at])

    def _by_error(self, top: int, algorithm: str) -> float:
        """The share of the largest value for which rounding does the least harm."""
        middle, counts = self._bins()
        number = counts.sum() + self._histogram.zeros
        best, found = math.inf, self._histogram.most
        for share in _SHARES:
            scale = share * self._histogram.most
            rounded = np.round(np.minimum(middle, scale) / scale * top) * scale / top
            if algorithm == "mse":
                error = float((counts * (middle - rounded) ** 2).sum() / number)
            else:
                error = _moved(middle, rounded, counts, number)
            if error < best:
                best, found = error, scale
        return float(found)


def _moved(values: np.ndarray, rounded: np.ndarray, counts: np.ndarray, number: float) -> float:
    """How far mean and spread of absolute values move by rounding."""
    means = [(counts * v).sum() / number for v in (values, rounded)]
    spreads = [
        math.sqrt(max((counts * v**2).sum() / number - m**2, 0.0))
        for v, m in zip((values, rounded), means, strict=True)
    ]
    return abs(means[0] - means[1]) + abs(spreads[0] - spreads[1])


def observe(
    executor: Any,
    program: Any,
    names: list[str],
    batches: Callable[[], Iterable[dict[str, Any]]],
    scope: Any,
    counted: bool = True,
) -> dict[str, Seen]:
    """Runs a Program over data and looks at variables.

    Args:
        executor (Executor): runs it.
        program (Program): of floats.
        names (list): which variables.
        batches (callable): returns what goes through the data: a dict of what is fed for each run.
        scope (Scope): where the weights are.
        counted (bool): also count how many values lie where. Ranges have to be known for that, so
            there are two runs over the data.

    Raises:
        ValueError: there is no data, or a value is not finite.
    """
    found = {name: Seen() for name in names}
    passes = [0, 0] if counted else [0]
    for number in range(len(passes)):
        for feed in batches():
            if not number:
                for name, value in feed.items():
                    check_finite(np.asarray(value), name)
            values = executor.run(program, feed=feed, fetch_list=names, scope=scope)
            for name, value in zip(names, values, strict=True):
                if number:
                    found[name].count(np.asarray(value))
                else:
                    found[name].look(np.asarray(value), name)
            passes[number] += 1
        if not passes[0] or not any(seen.number for seen in found.values()):
            raise InvalidArgumentError(
                "calibration: expected a batch of data at least, but the loader or generator gave "
                "none."
            )
    if passes[-1] != passes[0]:
        raise InvalidArgumentError(
            f"calibration: the data gave {passes[0]} batches when it was gone through first, and "
            f"{passes[1]} the second time. Expected a function that makes a new generator each "
            "time, or a loader that begins anew."
        )
    for name, seen in found.items():
        warn_of_outliers(seen, name)
    return found


def warn_of_outliers(seen: Seen, name: str) -> None:
    """Says that a value is so much larger than others that these will be rounded to nothing.

    Args:
        seen (Seen): what was seen.
        name (str): of what.
    """
    if seen.usual and seen.largest > _FAR * seen.usual:
        warnings.warn(
            f"calibration: {name!r} has a value of {seen.largest:.3g}, where the largest value of "
            f"a sample is about {seen.usual:.3g}: with steps for both, little is left of the "
            "others. Look for broken samples in the data.",
            stacklevel=2,
        )
