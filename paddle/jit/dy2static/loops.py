"""convert_while_loop: what ``while`` becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.ir.control.blocks import reopened, sub_block
from paddle.ir.control.loop import While
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable
from paddle.jit.dy2static.first_iteration import first_iteration
from paddle.jit.dy2static.loop_vars import Again, LoopVar, as_values, remember
from paddle.jit.dy2static.symbols import (
    block,
    filled,
    is_symbolic,
    names_of,
    tracing,
    truth,
    used_after,
)
from paddle.jit.dy2static.watching import watched
from paddle.jit.explaining import events


def convert_while_loop(cond: Callable, body: Callable, loop_vars: Sequence[Any]) -> tuple:
    """Repeats a function as long as a condition holds.

    Iterations run in Python until the condition is a Variable; the rest becomes a loop of the
    Program.

    Args:
        cond (callable): the condition; takes the loop variables.
        body (callable): takes the loop variables and returns their new values.
        loop_vars (tuple): the values before the loop.

    Returns:
        tuple: the values after the loop.

    Raises:
        ValueError: the condition has more than one element.

    Examples:
        .. code-block:: python

            import paddle
            i, = paddle.jit.dy2static.convert_while_loop(
                lambda i: i < 5, lambda i: (i + 2,), (paddle.to_tensor([0]),))
            print(i.numpy())  # [6]
    """
    values = tuple(loop_vars)
    while True:
        going = cond(*values)
        if is_symbolic(going):
            events.control("while", True)
            names = names_of(body)
            return recorded_loop(going, cond, body, values, names, used_after(body, names))
        events.control("while", False)
        if not going:
            return values
        values = as_values(body(*values), len(values))


def recorded_loop(
    going: Any,
    cond: Callable,
    body: Callable,
    values: tuple,
    names: Sequence[str],
    used: Sequence[bool],
) -> tuple:
    """Records a loop.

    The body is recorded as the values before the loop suggest; where what it returns is of another
    kind, that is thrown away, and it is recorded again with what has been learnt.

    Args:
        going (Variable): the condition before the first iteration.
        cond (callable): the condition.
        body (callable): the body.
        values (tuple): the values before the loop.
        names (Sequence[str]): what the variables are called.
        used (Sequence[bool]): whether they may be read after the loop.
    """
    first = truth(going, "the condition of a while")
    variables = [LoopVar(name, value) for name, value in zip(names, values, strict=True)]
    while True:
        mark = _Mark()
        try:
            return _attempt(first, cond, body, variables)
        except Again:  # what is known of the variables only grows, so this ends
            mark.rewind()
            if any(v.begins_with_none() for v in variables):
                break
    # The value that None gets in the first iteration is the one that the others go on with.
    after = first_iteration(first, body, variables, names, used)
    going = C.logical_and(first, truth(cond(*after), "the condition of a while"))
    return recorded_loop(going, cond, body, after, names, used)


def _attempt(first: Variable, cond: Callable, body: Callable, variables: list[LoopVar]) -> tuple:
    condition = C.assign(first)
    passed = [v.open() for v in variables]
    loop = While(condition)
    with sub_block() as inside:
        with tracing(), watched(lambda container: False) as results:
            results.append(passed)
            found = as_values(body(*passed), len(variables))
            results.append(found)
            new = [v.take(value) for v, value in zip(variables, found, strict=True)]
            again = cond(*new)
        if is_symbolic(again):
            again = truth(again, "the condition of a while")
        else:
            again = filled(bool(again), VarType.BOOL)
    born = [pair for v in variables for pair in v.bear()]
    with reopened(inside):
        remember([*born, *(pair for v in variables for pair in v.stores()), (condition, again)])
    loop.finish(inside)
    return tuple(v.result() for v in variables)


class _Mark:
    """A position in the Program to which an attempt can be taken back."""

    def __init__(self) -> None:
        self.block = block()
        self.count = len(self.block.ops)
        self.names = set(self.block.vars)
        self.blocks = len(default_main_program().blocks)
        self.events = events.count()

    def rewind(self) -> None:
        """Removes what was recorded since."""
        events.forget(self.events)
        here = self.block
        made = {n for op in here.ops[self.count :] for n in op.output_arg_names}
        del here.ops[self.count :]
        del here.program.blocks[self.blocks :]
        for name in (made - self.names) & set(here.vars):
            if not here.vars[name].persistable:
                del here.vars[name]
        here.program.note_change()
