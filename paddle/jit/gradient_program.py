"""The gradients of a recorded function as a Program, to be differentiated in turn."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.core.errors import UnimplementedError
from paddle.executor.joined import connected, differentiated
from paddle.ir.cloning import clone
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.randomness import draws
from paddle.ir.recompute import UPDATES_STATISTICS

ADVICE = (
    "call the function as written (f.dygraph_function), call "
    "paddle.jit.ProgramTranslator().enable(False), or take the gradient inside of the function"
)


def gradient_program(
    program: Program, feeds: Sequence[str], fetches: Sequence[str], wanted: Sequence[str]
) -> tuple[Program, list[str], list[str]]:
    """Returns a Program that computes the forward part again, and from it gradients.

    Args:
        program (Program): the forward part; stays as it is.
        feeds (Sequence[str]): its fed variables.
        fetches (Sequence[str]): its results.
        wanted (Sequence[str]): fed or stored variables whose gradients are computed.

    Returns:
        tuple: the Program, its fed variables (those of the forward part, then a gradient for every
        result that has one), and the gradients, in the order of ``wanted``.

    Raises:
        UnimplementedError: a second run would not compute the same.
    """
    made = clone(program)
    for block in made.blocks:
        for op in block.ops:
            _check(op)
    marked = connected(made, wanted)
    through = list(dict.fromkeys(n for n in fetches if n in marked))
    given, grads = differentiated(made, through, wanted)
    for block in made.blocks:
        for op in block.ops:
            op.attrs["op_role"] = int(Role.FORWARD)
    return made, [*feeds, *given], [g for g in grads if g is not None]


def written_in(program: Program) -> list[str]:
    """The stored variables that a Program writes to."""
    block = program.global_block()
    names = [n for b in program.blocks for op in b.ops for n in op.output_arg_names]
    return [n for n in dict.fromkeys(names) if n in block.vars and block.vars[n].persistable]


def _check(op: Operator) -> None:
    if draws(op) and not op.attrs.get("is_test"):
        raise UnimplementedError(
            "paddle.grad(create_graph=True): the second derivative of a converted function "
            f"computes it once more, and operator {op.type} would draw other numbers.",
            hint=ADVICE,
        )
    block = op.block
    for name in op.output_arg_names:
        var = block._find_var_recursive(name)
        if var is not None and var.persistable and op.type not in UPDATES_STATISTICS:
            raise UnimplementedError(
                "paddle.grad(create_graph=True): the second derivative of a converted function "
                f"computes it once more, but operator {op.type} changed {name!r} meanwhile.",
                hint=ADVICE,
            )
