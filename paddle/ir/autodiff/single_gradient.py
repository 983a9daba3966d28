"""The gradient operators of one operator alone, apart from the backward of its Program."""

from __future__ import annotations

from collections.abc import Collection

from paddle.core.errors import UnimplementedError
from paddle.ir.autodiff.gradient_flow import carries, slots_in, slots_out
from paddle.ir.autodiff.gradient_makers import differentiate
from paddle.ir.autodiff.gradient_walk import GradientWalk
from paddle.ir.cloning import copy_operator, copy_variable
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program


def gradient_operators(
    op: Operator, no_grad: Collection[str] = ()
) -> tuple[list[Operator], dict[str, str]]:
    """Makes the operators that turn the gradients of all results into those of the inputs.

    They are in a Program of their own, which has the operator's variables as they are now.

    Args:
        op (Operator): what is differentiated; without blocks of its own.
        no_grad (set[str]): names of gradients (``x@GRAD``) that are not asked for.

    Returns:
        tuple[list[Operator], dict[str, str]]: the operators, and of each gradient that they read or
        write by its name, what it is the gradient of.
    """
    if op.sub_blocks:
        raise UnimplementedError(
            f"the gradient of operator {op.type} alone: it has blocks of its own.",
            hint="use paddle.static.append_backward, which differentiates these too",
        )
    block = Program().global_block()
    for name in {*op.input_arg_names, *op.output_arg_names}:
        var = op.block._find_var_recursive(name)
        if var is None:
            block.create_var(name=name)
        else:
            copy_variable(var, block)
    alone = copy_operator(op, block)

    def asked(name: str) -> bool:
        return name != EMPTY and f"{name}@GRAD" not in no_grad and carries(block.var(name))

    flags = {s: [asked(n) for n in alone.inputs.get(s, ())] for s in slots_in(alone)}
    flags = {slot: wanted for slot, wanted in flags.items() if any(wanted)}
    walk = GradientWalk(block, [alone], [flags], block, checks_overwritten=False)
    for slot in slots_out(alone):
        for name in alone.outputs.get(slot, ()):
            if name != EMPTY and carries(block.var(name)):
                walk.start(name, walk.gradient_name(name))
    walk.run(differentiate)
    walk.write()
    return list(block.ops), {g: n for n, g in walk.found.items()}
