"""Losses: those of the steps of a run through data, fetched from the device only when needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.mode import hooked, no_grad
from paddle.tensor import stack

_MOST_WAITING = 512  # steps whose losses may stay on the device


class Losses:
    """The losses of the steps of an epoch, or of an evaluation.

    Args:
        every (int): steps between the ones that ``points`` has.

    Attributes:
        points (list): step, counted from 1, and loss of every ``every``-th step.
        tell (callable|None): gets the number of every step, from 0, and what came of it by name
            (``loss``, a list, or the metrics) once it is fetched.
    """

    def __init__(self, every: int = 10) -> None:
        self._every = every
        self.tell: Callable[[int, dict[str, Any]], None] | None = None
        self.clear()

    def clear(self) -> None:
        """Begins anew."""
        self._waiting: list[tuple[int, int, list]] = []  # step, samples, losses
        self._sums: list[float] = []
        self._samples = 0
        self._last: list[float] = []
        self.points: list[tuple[int, float]] = []

    def add(self, step: int, samples: int, losses: list) -> None:
        """Takes the losses of a step, as Tensors."""
        self._waiting.append((step, samples, losses))
        if len(self._waiting) >= _MOST_WAITING:
            self.fetch()

    def fetch(self) -> list[float]:
        """Fetches what waits, all at once; returns the losses of the last step."""
        if not self._waiting:
            return self._last
        waiting, self._waiting = self._waiting, []
        table = numbers([losses for _, _, losses in waiting])
        for (step, samples, _), values in zip(waiting, table, strict=True):
            self._sums = self._sums or [0.0] * len(values)
            self._sums = [a + b * samples for a, b in zip(self._sums, values, strict=True)]
            self._samples += samples
            if (step + 1) % self._every == 0:
                self.points.append((step + 1, sum(values)))
            self._last = values
            if self.tell is not None:
                self.tell(step, {"loss": values})
        return self._last

    def means(self) -> list[float]:
        """The mean of each loss over the samples; empty where there was no loss."""
        self.fetch()
        return [total / max(self._samples, 1) for total in self._sums]

    def state(self) -> dict[str, Any]:
        """What goes into a file when a step is done."""
        last = self.fetch()
        return {
            "sums": list(self._sums),
            "samples": self._samples,
            "last": list(last),
            "points": [list(point) for point in self.points],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes back to what :meth:`state` returned."""
        self._waiting.clear()
        self._sums, self._samples = list(state["sums"]), state["samples"]
        self._last = list(state["last"])
        self.points = [(step, loss) for step, loss in state["points"]]


def numbers(rows: list[list[Any]]) -> list[list[float]]:
    """The losses of several steps as numbers; of one with several elements the first."""
    tensors = [loss for losses in rows for loss in losses]
    if not tensors:
        return [[] for _ in rows]
    first = tensors[0]
    alike = all(t.shape == first.shape and t.dtype == first.dtype for t in tensors)
    with hooked(None), no_grad():
        if len(tensors) == 1 or not alike or first.size != 1:
            flat = [_plain(t) for t in tensors]
        else:
            flat = _floats(stack(tensors)).reshape(-1).tolist()
    found = iter(flat)
    return [[next(found) for _ in losses] for losses in rows]


def _floats(tensor: Any) -> np.ndarray:
    # Half types have no arrays that all of NumPy knows.
    half = tensor.dtype in (VarType.FP16, VarType.BF16)
    return np.asarray((tensor.astype("float32") if half else tensor).numpy())


def _plain(loss: Any) -> float:
    return float(_floats(loss).reshape(-1)[0])
