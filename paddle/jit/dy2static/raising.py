"""A branch that raises: under a condition that only a run knows, the run fails."""

from __future__ import annotations

import dis
from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.op import C
from paddle.ir.variable import Variable
from paddle.jit.rewriting import convert
from paddle.static.print_op import noted_assert

_RAISE = dis.opmap["RAISE_VARARGS"]


def is_users(error: Exception) -> bool:
    """Says whether an exception comes from a ``raise`` or ``assert`` in the user's code.

    Args:
        error (Exception): caught from a branch; its traceback says what raised it.
    """
    from paddle.jit.dy2static.values import convert_assert

    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    if code is convert_assert.__code__:
        return True
    return not convert.is_library(code) and code.co_code[trace.tb_lasti] == _RAISE


def other_branch(
    condition: Variable, raised: bool, error: Exception, branch: Callable, args: Sequence[Any]
) -> Any:
    """Records that a run fails where the condition has a value; goes on with the other branch.

    Args:
        condition (Variable): the condition.
        raised (bool): which value of it leads to the error.
        error (Exception): what the branch raised.
        branch (callable): the other branch.
        args (Sequence): what it takes.
    """
    fine = C.logical_not(condition) if raised else condition
    noted_assert(fine, [], f"{type(error).__name__}: {error}")
    return branch(*args)
