"""memory_optimize and release_memory of 1.x, which change nothing."""

from __future__ import annotations

import warnings
from typing import Any

from paddle.core.user_frame import outside

__all__ = ["memory_optimize", "release_memory"]

_told: set[str] = set()


def _tell(name: str) -> None:
    if name not in _told:
        _told.add(name)
        warnings.warn(
            f"fluid.{name} changes nothing: when a Program runs, values end where nothing reads "
            "them any more, and operators write in place where they may.",
            DeprecationWarning,
            stacklevel=outside(),
        )


def memory_optimize(
    input_program: Any,
    skip_opt_set: Any = None,
    print_log: bool = False,
    level: int = 0,
    skip_grads: bool = True,
) -> None:
    """Changes nothing, for a run of a Program frees and reuses memory by itself; says so once.

    Args:
        input_program (Program): the Program.
        skip_opt_set (set, optional): variables that were to be left alone.
        print_log (bool): told what was reused. Default: False.
        level (int): 0 or 1. Default: 0.
        skip_grads (bool): left gradients alone. Default: True.
    """
    _tell("memory_optimize")


def release_memory(input_program: Any, skip_opt_set: Any = None) -> None:
    """Changes nothing, for a run of a Program frees memory by itself; says so once.

    Args:
        input_program (Program): the Program.
        skip_opt_set (set, optional): variables that were to be left alone.
    """
    _tell("release_memory")
