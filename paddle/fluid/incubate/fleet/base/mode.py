"""Fleet of 1.x: kinds of training."""

from __future__ import annotations

__all__ = ["Mode"]


class Mode:
    """How a job trains: with parameter servers, with pslib's, or collectively."""

    TRANSPILER = 1
    PSLIB = 2
    COLLECTIVE = 3
