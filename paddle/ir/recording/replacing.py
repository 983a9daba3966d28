"""replaced_variable: what a function that changes a Tensor in place does to a Variable."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.current import default_main_program
from paddle.ir.operator import here
from paddle.ir.recording.context import is_capturing
from paddle.ir.recording.lowering import as_variable, write
from paddle.ir.variable import Variable


def replaced_variable(x: Any, out: Variable) -> Any:
    """Lets ``x`` stand for ``out`` from now on, where a function of dynamic mode is recorded.

    The Python object takes the name of the new value; operators that read the old one keep it.
    What is stored between runs is written.

    Args:
        x (Variable|Tensor): what is changed.
        out (Variable): its new contents.

    Returns:
        ``x``; in static mode ``out``, for there nothing is changed in place.
    """
    if not is_capturing():
        return out
    if not isinstance(x, Variable) or x.persistable:
        old = as_variable(x)
        if tuple(old.shape) != tuple(out.shape):
            raise InvalidArgumentError(
                f"{old.name!r} is stored with shape {list(old.shape)}, and an operation in place "
                f"would give it shape {list(out.shape)}.{here()}",
                hint="use the form without '_'",
            )
        write(x, "assign", [out], {})
        return x
    if x is out:
        return x
    if x.block is not default_main_program().current_block() or type(x) is not type(out):
        raise InvalidArgumentError(
            f"{x.name!r} is changed in place under a condition or in a loop that a Tensor decides "
            f"about, but it was made outside of it.{here()}",
            hint="use the form without '_' and assign its result to a name",
        )
    names = x.block.vars
    x.__dict__, out.__dict__ = out.__dict__, x.__dict__
    names[x.name], names[out.name] = x, out
    if "written_from" in out.__dict__:  # a copy that a branch writes stays one
        x.written_from = out.__dict__.pop("written_from")  # type: ignore[attr-defined]
    return x
