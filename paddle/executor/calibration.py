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
_CUT = 1e-3  # the share of values that may lie above a limit
_ABSURD = 1e8  # times the middle value, values count as the largest one below that
_SAMPLE = 4096  # of which the middle value is looked for
_LEAST = 1e-12  # stands for no probability at all


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
        most = float(sizes.amax()) if sizes.numel() else 0.0
        zeros = sizes.numel() - int(torch.count_nonzero(sizes))
        self.zeros += zeros
        if not most:
            return
        some = sizes[:: max(1, sizes.numel() // _SAMPLE)]
        some = some[some > 0]
        if some.numel() and most > _ABSURD * float(some.median()):
            # A defect of the data: by its range, all other values would be 0.
            most = float(sizes[sizes <= _ABSURD * some.median()].amax())
            sizes.clamp_(max=most)
        if most > self.most:
            self._widen(most)
        found = torch.histc(sizes, BINS, 0.0, self.most).double()
        # 0 is a step of its own, whatever the scale.
        found[0] -= zeros
        self.counts += found

    def add_array(self, values: np.ndarray) -> None:
        """Counts the values of one more batch, an array of NumPy."""
        self.add(torch.from_numpy(np.ascontiguousarray(values, "float32")))

    def _widen(self, most: float) -> None:
        if self.most:
            at = ((torch.arange(BINS) + 0.5) * (self.most / most)).long().clamp_(0, BINS - 1)
            self.counts = torch.zeros_like(self.counts).index_add_(0, at, self.counts)
        self.most = most

    def by_divergence(self, top: int) -> float:
        """The largest value to tell apart, so that ``top`` steps lose the least information.

        For each possible limit, what lies above it counts as the limit; the counts are then spread
        evenly over each step. The limit is taken for which the divergence of both (Kullback and
        Leibler's) is least. Where most values are a few that come again and again, as of an even
        background, that would cut off all others; so a limit counts only if at most one value in a
        thousand lies above it.
        """
        if not self.counts.sum():
            return self.most
        best, limit = float("inf"), BINS
        below = self.counts.cumsum(0)
        for size in range(top + 1, BINS + 1, 16):
            if below[size - 1] < (1 - _CUT) * below[-1]:
                continue
            found = self._divergence(size, top)
            if found < best:
                best, limit = found, size
        return self.most * limit / BINS

    def _divergence(self, size: int, top: int) -> float:
        kept = self.counts[:size].clone()
        spread = kept.clone()
        kept[-1] += self.counts[size:].sum()
        step = torch.arange(size) * top // size
        filled = (spread > 0).double()
        sums = torch.zeros(top, dtype=torch.float64).index_add_(0, step, spread)
        numbers = torch.zeros(top, dtype=torch.float64).index_add_(0, step, filled)
        evenly = (sums / numbers.clamp(min=1))[step] * filled
        p, q = kept / kept.sum(), evenly / evenly.sum().clamp(min=_LEAST)
        given = p > 0
        return float((p[given] * (p[given] / q[given].clamp(min=_LEAST)).log()).sum())


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
