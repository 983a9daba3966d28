"""Random seeds, under 2.0's module path."""

from __future__ import annotations

from paddle.core.random import get_cuda_rng_state, seed, set_cuda_rng_state
from paddle.core.random_state import get_rng_state, set_rng_state
from paddle.ir.current import default_main_program, default_startup_program

__all__ = ["get_cuda_rng_state", "get_rng_state", "seed", "set_cuda_rng_state", "set_rng_state"]


def _manual_program_seed(seed: int) -> None:
    """Seeds the default Programs; the test suites of client libraries call it."""
    default_main_program().random_seed = seed
    default_startup_program().random_seed = seed
