"""Waiting for what devices were asked to do."""

from __future__ import annotations

from paddle.core.backends import present


def synchronize() -> None:
    """Returns when all devices have done what was asked of them; a CPU always has."""
    for backend in present():
        backend.synchronize()
