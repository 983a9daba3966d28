"""Gradients that the user writes: a function with a backward of its own, and hooks on variables.

Both are recorded as a block of operators that takes gradients and gives gradients. It belongs to an
operator that computes nothing (``custom_gradient`` passes its values on, ``gradient_hook`` has no
result), and runs nowhere itself: when gradients are added, copies of its operators go to where the
gradient is needed. So the result is a Program like any other, which can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import set_grad_enabled
from paddle.ir.autodiff.custom_operators import CUSTOM, GIVEN, HOOK, MADE
from paddle.ir.autodiff.gradient_makers import grad_maker
from paddle.ir.autodiff.gradient_walk import GradientWalk
from paddle.ir.autodiff.inlining import inline
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.operator import EMPTY, Operator, here, user_location
from paddle.ir.variable import Variable

# How a user's function is called; paddle.jit converts it while it records one.
CONVERTERS: list[Callable[[Callable], Callable]] = []

Backward = Callable[[list[Variable]], Sequence[Any]]


# -- recording -------------------------------------------------------------------------------------


def converted(function: Callable) -> Callable:
    """Returns what to call for a function of the user's while a Program is recorded."""
    for convert in CONVERTERS:
        function = convert(function)
    return function


def record_custom_gradient(
    name: str, inputs: Sequence[Variable], values: Sequence[Variable],
    backward: Callable[[list[Variable]], Backward],
) -> list[Variable]:  # fmt: skip
    """Records a function with a gradient of its own; returns its results.

    Args:
        name (str): what to call it in messages.
        inputs (Sequence[Variable]): what gradients are given for.
        values (Sequence[Variable]): what it computed, without gradients.
        backward (callable): ``backward(results)`` returns a function from the gradients of the
            results to those of the inputs, one or None each.
    """
    block = default_main_program().current_block()
    outs = [
        block.create_var(
            name=block.unused_name(f"{CUSTOM}.out"), type=v.type, shape=v._dims, dtype=v.dtype,
            stop_gradient=False,
        )
        for v in values
    ]  # fmt: skip
    op = Operator(
        block,
        CUSTOM,
        {"X": [v._name for v in inputs], "Value": [v._name for v in values]},
        {"Out": [v._name for v in outs]},
        {},
        user_location(),
    )
    for out in outs:
        out.op = op
    _append(op, f"{name}.backward", outs, inputs, backward(outs))
    return outs


class Hook:
    """A hook on a Variable that is recorded."""

    def __init__(self, op: Operator) -> None:
        self._op: Operator | None = op

    def remove(self) -> bool:
        """Takes the hook off; returns whether it was there."""
        op, self._op = self._op, None
        if op is None or all(o is not op for o in op.block.ops):
            return False
        op.block.ops = [o for o in op.block.ops if o is not op]
        op.block.note_change()
        return True


def record_hook(var: Variable, hook: Callable) -> Hook:
    """Records that the gradient of a variable goes through a function.

    Args:
        var (Variable): whose gradient.
        hook (callable): takes the gradient; what it returns (unless None) replaces it.
    """
    if not callable(hook):
        raise TypeError(f"register_hook: expected a callable, but got {type(hook).__name__}.")
    if var.stop_gradient and not var.is_data:
        raise InvalidArgumentError(
            f"register_hook: expected a Variable with stop_gradient=False, but it is True for "
            f"{var.name!r}, so it has no gradient.{here()}"
        )
    block = var.block.program.current_block()
    if var._name not in block.vars:
        raise InvalidArgumentError(
            f"register_hook: {var.name!r} was made outside of this branch or loop, where only a "
            f"part of its gradient is known.{here()}",
            hint="register the hook where the value is made",
        )
    hook = converted(hook)
    op = Operator(block, HOOK, {"X": [var._name]}, {}, {}, user_location())
    _append(op, "register_hook", [var], [var], lambda grads: [hook(grads[0])])
    return Hook(op)


def _append(
    op: Operator,
    api: str,
    like: Sequence[Variable],
    inputs: Sequence[Variable],
    backward: Backward,
) -> None:
    """Adds an operator, and the block that computes gradients of inputs from those of others."""
    block, program = op.block, op.block.program
    before, count = program.current_block_idx, len(program.blocks)
    grad = set_grad_enabled(True)
    program._mark(op)
    block.ops.append(op)
    try:
        sub = program._create_block()
        given = [
            sub.create_var(
                name=sub.unused_name(f"{v._name}.gradient"), type=v.type, shape=v._dims,
                dtype=v.dtype, stop_gradient=False,
            )
            for v in like
        ]  # fmt: skip
        made = backward(given)
        made = made if isinstance(made, (list, tuple)) else [made]
        if len(made) != len(inputs):
            raise InvalidArgumentError(
                f"{api}: expected {len(inputs)} gradients, one per Tensor that forward took, "
                f"but it returned {len(made)}.{here()}"
            )
        names = [_inside(sub, _checked(api, g, v)) for g, v in zip(made, inputs, strict=True)]
        op.attrs |= {"sub_block": sub, GIVEN: [v._name for v in given], MADE: names}
    except BaseException:
        del program.blocks[count:]
        block.ops = [o for o in block.ops if o is not op]
        raise
    finally:
        set_grad_enabled(grad)
        program.current_block_idx = before
        program.note_change()


def _inside(sub: Block, name: str) -> str:
    """A variable of the block for what it gives, so that what it needs can be read off it."""
    if name == EMPTY or name in sub.vars:
        return name
    var = sub._var_recursive(name)
    made = sub.create_var(name=sub.unused_name(name), shape=var._dims, dtype=var.dtype)._name
    sub.ops.append(Operator(sub, "assign", {"X": [name]}, {"Out": [made]}, {}, user_location()))
    return made


def _checked(api: str, gradient: Any, var: Variable) -> str:
    """The name of a gradient that was returned for a variable; empty for None."""
    if gradient is None:
        return EMPTY
    if not isinstance(gradient, Variable):
        raise TypeError(
            f"{api}: expected Tensors or None as gradients, but got {type(gradient).__name__}."
            f"{here()}"
        )
    found, wanted = list(gradient.shape), list(var.shape)
    if len(found) != len(wanted) or any(
        m != n and -1 not in (m, n) for m, n in zip(found, wanted, strict=True)
    ):
        raise InvalidArgumentError(
            f"{api}: expected a gradient of shape {wanted}, but it returned one of shape {found}."
            f"{here()}"
        )
    return gradient._name


# -- differentiating -------------------------------------------------------------------------------


@grad_maker(CUSTOM)
def _custom_gradient(op: Operator, walk: GradientWalk) -> None:
    needs_grad = walk.needs_grad("X")
    if not any(needs_grad):
        return
    given = []
    for name in op.outputs["Out"]:
        gradient = walk.incoming(name)
        if gradient is None:
            gradient = walk.gradient_name(name)
            like = walk.value(name, written=True)
            walk.emit("fill_zeros_like", {"X": [like]}, {"Out": [gradient]}, {})
        given.append(gradient)
    for at, made in enumerate(inline(op, walk, given)):
        if made is not None and needs_grad[at]:
            walk.emit("assign", {"X": [made]}, {"Out": walk.outgoing_at("X", at)}, {})
