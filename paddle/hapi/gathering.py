"""Gathered: the batches whose gradients wait for one update together."""

from __future__ import annotations

from typing import Any


class Gathered:
    """Weights that make the gradients of several batches those of one large batch.

    A loss that is a mean counts each batch by its samples, and the sum is divided by all of them.
    One with ``reduction="sum"`` only adds up.

    Args:
        loss (Layer|callable, optional): the loss.
    """

    def __init__(self, loss: Any = None) -> None:
        self._adds_up = getattr(loss, "reduction", None) == "sum"
        self.sizes: list[int] = []

    def __len__(self) -> int:
        return len(self.sizes)

    def add(self, samples: int) -> float:
        """Takes a batch; returns the factor of its loss, 1 for one of the first one's size."""
        self.sizes.append(samples)
        return 1.0 if self._adds_up else samples / max(self.sizes[0], 1)

    def take(self) -> float:
        """Ends the group; returns the factor of its gradients."""
        sizes, self.sizes = self.sizes, []
        return 1.0 if self._adds_up or not sizes else max(sizes[0], 1) / max(sum(sizes), 1)
