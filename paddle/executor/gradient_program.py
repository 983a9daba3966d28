"""The gradients of a recorded function as a Program, to be differentiated in turn."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.core.errors import UnimplementedError
from paddle.executor.joined import connected, differentiated
from paddle.ir.autodiff.custom_operators import HOOK
from paddle.ir.autodiff.linear_gradients import not_linear
from paddle.ir.cloning import clone, reads
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.randomness import draws
from paddle.passes.dead_code import EFFECT, remove_dead_code

ADVICE = (
    "call the function as written (f.dygraph_function), call "
    "paddle.jit.ProgramTranslator().enable(False), or take the gradient inside of the function"
)


def gradient_program(
    program: Program, feeds: Sequence[str], fetches: Sequence[str], wrt: Sequence[str]
) -> tuple[Program, list[str], list[str]]:
    """Returns a Program that computes the forward part again, and from it gradients.

    It draws as many random numbers as the first run did, and in the same order, so that it finds
    the same ones where the generator starts in the same state. It prints nothing.

    Args:
        program (Program): the forward part; stays as it is.
        feeds (Sequence[str]): its fed variables.
        fetches (Sequence[str]): its results.
        wrt (Sequence[str]): fed or stored variables whose gradients are computed.

    Returns:
        tuple: the Program, its fed variables (those of the forward part, then a gradient for every
        result that has one), and the gradients, in the order of ``wrt``.

    Raises:
        UnimplementedError: what the user wrote for a gradient does not add up.
    """
    strange = not_linear(program)
    if strange is not None:
        what = "a hook" if strange.type == HOOK else "the backward of a PyLayer"
        raise UnimplementedError(
            "paddle.grad(create_graph=True): the second derivative of a converted function "
            f"computes it once more, and {what} in it, which is not linear in the gradient, would "
            f"get two parts of a gradient one by one.\n  {strange.location or ''}",
            hint=ADVICE,
        )
    made = clone(program)
    for block in made.blocks:
        for op in block.ops:
            if op.type == "print":
                op.type, op.inputs = "assign", {"X": op.inputs["In"]}
    marked = connected(made, wrt)
    through = list(dict.fromkeys(n for n in fetches if n in marked))
    given, grads = differentiated(made, through, wrt)
    found = [g for g in grads if g is not None]
    remove_dead_code(made, feeds, [*fetches, *found])
    for op in made.global_block().ops:
        if _draws(op):
            op.attrs[EFFECT] = True
    for block in made.blocks:
        for op in block.ops:
            op.attrs["op_role"] = int(Role.FORWARD)
    return made, [*feeds, *given], found


def _draws(op: Operator) -> bool:
    return draws(op) or any(_draws(inner) for sub in op.sub_blocks for inner in sub.ops)


def written_in(program: Program) -> list[str]:
    """The stored variables that a Program writes to."""
    block = program.global_block()
    names = [n for b in program.blocks for op in b.ops for n in op.output_arg_names]
    return [n for n in dict.fromkeys(names) if n in block.vars and block.vars[n].persistable]


def replaced_in(program: Program) -> list[str]:
    """The stored variables that a Program writes to and that it reads before, such as counters.

    Running statistics do not count: what a layer computes in training does not depend on them.
    """
    written, block = set(written_in(program)), program.global_block()
    found: dict[str, None] = {}
    for op in block.ops:
        known = op.definition
        if known is None or known.statistics is None:
            found.update((n, None) for n in reads(op) & written)
        if not op.sub_blocks:
            written.difference_update(op.output_arg_names)
    return list(found)
