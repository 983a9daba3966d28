"""Limits of one run of a Program: written into its function where the flags ask for them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from paddle.core.errors import ExecutionTimeoutError

if TYPE_CHECKING:
    from paddle.executor.codegen import Emitter


def limit_lines(em: Emitter) -> list[str]:
    """Returns the lines that begin a run which is limited; none for one that is not."""
    if em.run_limit is None:
        return []
    return [f"{em.limit} = {em.constant(Limit, 'Limit')}{em.run_limit}"]


class Limit:
    """Counts what one run takes.

    Args:
        seconds (float): of the clock; 0: any number.
        steps (int): of all loops together; 0: any number.
    """

    __slots__ = ("_end", "_left", "_seconds", "_steps")

    def __init__(self, seconds: float, steps: int) -> None:
        self._seconds, self._steps = seconds, steps
        self._end = time.monotonic() + seconds
        self._left = steps

    def check(self) -> None:
        """Before an operator: stops the run if its time is over."""
        if self._seconds and time.monotonic() > self._end:
            raise ExecutionTimeoutError(
                f"the run of the Program took longer than FLAGS_run_limit_seconds={self._seconds}.",
                hint="a loop may never end; 0 is no limit",
            )

    def step(self) -> None:
        """Before a step of a loop: stops the run if it has made all that it may."""
        self.check()
        self._left -= 1
        if self._left < 0 < self._steps:
            raise ExecutionTimeoutError(
                f"the loops of the Program took more than FLAGS_run_limit_steps={self._steps} "
                "steps in one run.",
                hint="a loop may never end; 0 is no limit",
            )
