"""Reading tensors as matrices, also those without elements."""

from __future__ import annotations

import torch


def as_matrix(x: torch.Tensor) -> torch.Tensor:
    """The rows of x in one dimension; of an empty tensor, ``reshape(-1, n)`` could not tell it."""
    return x.flatten(0, -2) if x.dim() > 1 else x.unsqueeze(0)
