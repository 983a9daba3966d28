"""Waiting for what a GPU was asked to do."""

from __future__ import annotations

from paddle.core.place import device_count


def synchronize() -> None:
    """Returns when the GPU has done all that was asked; at once where there is none."""
    if device_count():
        import torch

        torch.cuda.synchronize()
