"""Runs passes over a Program, with the checker and the report where they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from paddle.core.debug import enabled
from paddle.ir.program import Program
from paddle.passes.checker import check, promise
from paddle.passes.fusion import Replacement

# pass(program, feeds, fetches) changes the Program it is given; a fusion says what it replaced.
Pass = Callable[[Program, Sequence[str], Sequence[str]], list[Replacement] | None]
# Whether the checker runs after every pass; tests/conftest.py turns it on.
checking = os.environ.get("PADDLE_CHECK_PASSES", "") not in ("", "0")


def run_passes(
    table: Iterable[tuple[str, Pass]],
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    after: Callable[[str, Program], None] | None = None,
) -> None:
    """Lets passes change a Program, one after the other.

    Args:
        table (Iterable): names and functions, in their order.
        program (Program): what they change.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables that are asked for.
        after (callable, optional): called as ``after(name, program)`` after each pass.
    """
    before_all = promise(program, feeds, fetches) if checking else None
    noisy = enabled("passes")
    if noisy:
        from paddle.passes.report import run_and_report
    for name, rewrite in table:
        if noisy:
            run_and_report(name, rewrite, program, feeds, fetches)
        else:
            rewrite(program, feeds, fetches)
        if before_all is not None:
            check(program, feeds, name, before_all)
        if after is not None:
            after(name, program)
