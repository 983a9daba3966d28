"""The ranges of a Program's values, measured over data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from paddle.core.errors import InvalidArgumentError
from paddle.executor.inference import InferenceProgram
from paddle.executor.scope import Scope
from paddle.ir.program import Program

BINS = 2048
_FROM = 0.7  # of the largest value: the least limit that is tried
KEPT = 0.999  # the share of values that are no outliers
COVERED = 0.99  # the share that any limit covers, so that no background is cut off
_ABSURD = 1e8  # times the middle value, values count as the largest one below that
_SAMPLE = 4096  # of which the middle value is looked for


class Histogram:
    """How often the absolute values of a variable lie where.

    Attributes:
        most (float): the largest absolute value.
        counts (Tensor): how many values, but for zeros, lie in each of ``BINS`` parts between 0
            and that.
        zeros (int): how many values are 0.
    """

    def __init__(self) -> None:
        self.most = 0.0
        self.zeros = 0
        self.counts = torch.zeros(BINS, dtype=torch.float64)

    def add(self, values: torch.Tensor) -> None:
        """Counts the values of one more batch."""
        sizes = values.detach().abs().float().flatten()
        zeros = sizes.numel() - int(torch.count_nonzero(sizes))
        self.zeros += zeros
        if zeros == sizes.numel():
            return
        self._reach(sizes)
        sizes.clamp_(max=self.most)
        found = torch.histc(sizes, BINS, 0.0, self.most).double()
        # 0 is a step of its own, whatever the scale.
        found[0] -= zeros
        self.counts += found

    def reach(self, values: torch.Tensor) -> None:
        """Lets the range contain the values of one more batch, which are not counted yet.

        Counts of a range that is known before are exact; where it becomes wider later, those
        so far are put into the bins that are next to where they were.
        """
        self._reach(values.detach().abs().float().flatten())

    def _reach(self, sizes: torch.Tensor) -> None:
        most = float(sizes.amax()) if sizes.numel() else 0.0
        if most <= self.most:
            return
        some = sizes[:: max(1, sizes.numel() // _SAMPLE)]
        some = some[some > 0]
        if some.numel() and most > _ABSURD * float(some.median()):
            # A defect of the data: by its range, all other values would be 0.
            most = float(sizes[sizes <= _ABSURD * some.median()].amax())
        if most > self.most:
            self._widen(most)

    def add_array(self, values: np.ndarray) -> None:
        """Counts the values of one more batch, an array of NumPy."""
        self.add(torch.from_numpy(np.ascontiguousarray(values, "float32")))

    def reach_array(self, values: np.ndarray) -> None:
        """Lets the range contain the values of one more batch, an array of NumPy."""
        self.reach(torch.from_numpy(np.ascontiguousarray(values, "float32")))

    def _widen(self, most: float) -> None:
        if self.most:
            at = ((torch.arange(BINS) + 0.5) * (self.most / most)).long().clamp_(0, BINS - 1)
            self.counts = torch.zeros_like(self.counts).index_add_(0, at, self.counts)
        self.most = most

    def by_divergence(self, top: int, kept: bool = False) -> float:
        """The largest value to tell apart, so that steps lose the least information.

        As published with PaddlePaddle 1.8 and 2.0, but for backgrounds: limits from 0.7 of the
        largest value on are tried that cover ``COVERED`` of the values. What lies above a limit
        counts as the limit; the counts below it are merged into as many groups as there are steps
        of both signs and spread evenly over each group again. The limit is taken for which the
        divergence of both (Kullback and Leibler's) is least. Where nothing is above 0.7 but the
        largest value itself, as of an outlier, the largest value below that counts; unless it
        comes more than once in a thousand values, as in a picture of black and white, which
        PaddlePaddle would cut down to 0. All shares are of the values that are not 0.

        The divergence does not see how far away a value is that is cut off. With ``kept``, a limit
        covers ``KEPT`` of the values, and fewer lie above it than in the last bin below it: a
        single large value among few is kept, the thin end of many values is cut off.

        Args:
            top (int): the number of the highest step.
            kept (bool): cut off as little as described.
        """
        if not self.most:
            return self.most
        values = self.counts.numpy()
        below = np.cumsum(values)
        sizes = np.arange(int(_FROM * (BINS - 1)), BINS + kept)
        covered, last = below[sizes - 1], values[sizes - 1]
        tried = (last > 0) & (covered >= (KEPT if kept else COVERED) * below[-1])
        if kept:
            tried &= below[-1] - covered < last
        counts = values.copy()
        counts[0] += self.zeros
        if tried.any():
            found = _divergences(counts, sizes[tried], 2 * top + 1)
            size = int(sizes[tried][np.argmin(found)])
            return min(float((size + 0.5) * self.most / BINS), self.most)
        size = int(np.max(np.flatnonzero(counts[: sizes[0] + 1]), initial=0))
        if kept or below[-1] - below[size] > (1 - KEPT) * below[-1]:
            return self.most
        return float((size + 0.5) * self.most / BINS)


def _divergences(counts: np.ndarray, sizes: np.ndarray, groups: int) -> np.ndarray:
    """By how much counts cut at some sizes differ from those spread evenly over groups.

    The groups have ``size // groups`` bins, but for the last one, which ends at the size. Bins
    without counts stay so. The sums over bins are differences of running sums, so that each size
    takes a few additions.

    Args:
        counts (np.ndarray): how many values are in each bin.
        sizes (np.ndarray): the bins that are kept, for each try; the last of them has counts.
        groups (int): how many.
    """
    below = np.append(0.0, np.cumsum(counts))
    filled = np.append(0, np.cumsum(counts > 0))
    information = np.append(0.0, np.cumsum(_times_log(counts, counts)))
    kept, total = below[sizes], below[-1]
    last = counts[sizes - 1] + (total - kept)
    found = information[sizes - 1] + _times_log(last, last) + total * np.log(kept / total)
    for width in np.unique(sizes // groups):
        some = sizes // groups == width
        edges = np.arange(groups) * width
        sums, numbers = np.diff(below[edges]), np.diff(filled[edges])
        found[some] -= _times_log(sums, sums / np.maximum(numbers, 1)).sum()
        start = edges[-1]  # of the last group
        sums, numbers = kept[some] - below[start], filled[sizes[some]] - filled[start]
        found[some] -= _times_log(sums + (total - kept[some]), sums / numbers)
    return found


def _times_log(number: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Numbers times the logarithms of others; 0 where the number is 0."""
    return number * np.log(np.where(number > 0, of, 1.0))


def measure(
    program: Program,
    feeds: Sequence[str],
    scope: Scope,
    batches: Sequence[Sequence[Any]],
    names: Sequence[str],
) -> dict[str, Histogram]:
    """Runs a Program over data and returns how large the values of some variables are.

    Args:
        program (Program): of floats.
        feeds (Sequence[str]): variables that are given.
        scope (Scope): holds the weights.
        batches (Sequence): for each run, the buffers of the fed variables.
        names (Sequence[str]): which variables.

    Raises:
        InvalidArgumentError: there are no batches, or a value is not a number or infinite.
    """
    if not batches:
        raise InvalidArgumentError("calibration: expected a batch of data at least, but got none.")
    found = {name: Histogram() for name in names}
    run = InferenceProgram(program, feeds, list(names), scope)
    for batch in batches:
        for name, value in zip(names, run(batch), strict=True):
            if not bool(torch.isfinite(value).all()):
                raise InvalidArgumentError(
                    f"calibration: variable {name!r} has values that are infinite or not a number.",
                    hint="look at the data, and at what the model gives for it",
                )
            found[name].add(value)
    return found
