"""While, Switch, IfElse, StaticRNN and while_loop: 2.0's machinery with what 1.x records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.fluid.mode import settle_static
from paddle.ir.block import Block
from paddle.ir.control import functions, loop, rnn, row_split, switch
from paddle.ir.control.blocks import check_condition, reads, reopened, step_scopes, writes
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable

__all__ = [
    "IfElse", "StaticRNN", "Switch", "While", "case", "cond", "switch_case", "while_loop",
]  # fmt: skip


class While(loop.While):
    """Repeats the operators of a ``with`` block as long as a condition holds.

    Args:
        cond (Variable): one boolean, which the block has to write anew.
        is_test (bool): keep nothing for a backward pass. Default: False.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                i = fluid.layers.fill_constant([1], "int64", 0)
                n = fluid.layers.fill_constant([1], "int64", 10)
                going = fluid.layers.less_than(i, n)
                with fluid.layers.While(going).block():
                    i = fluid.layers.increment(i, 1, in_place=True)
                    fluid.layers.less_than(i, n, cond=going)
                print(fluid.Executor().run(fetch_list=[i])[0])  # [10]
            paddle.disable_static()
    """

    def __init__(self, cond: Any, is_test: bool = False, name: str | None = None) -> None:
        settle_static("fluid.layers.While")
        super().__init__(cond, is_test, name)

    def finish(self, block: Block) -> None:
        """Adds the operator; what the block only writes is none of its inputs."""
        parent = block.parent_block
        assert parent is not None
        condition = self.cond_var.name
        parent.append_op(
            type="while",
            inputs={
                "X": [n for n in reads(block) if n != condition],
                "Condition": [self.cond_var],
            },
            outputs={"Out": writes(block), "StepScopes": [step_scopes(parent)]},
            attrs={"sub_block": block, "is_test": self.is_test, "skip_eager_deletion_vars": []},
        )


class Switch(switch.Switch):
    """Runs the first of several blocks whose condition holds: see ``paddle.static.control.Switch``.

    Args:
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                rate = fluid.layers.create_global_var([1], 0.0, "float32", persistable=True)
                step = fluid.data("step", [1], "float32")
                with fluid.layers.Switch() as switch:
                    with switch.case(step < 10.0):
                        fluid.layers.assign(fluid.layers.fill_constant([1], "float32", 1.0), rate)
                    with switch.default():
                        fluid.layers.assign(fluid.layers.fill_constant([1], "float32", 0.1), rate)
                exe = fluid.Executor()
                print(exe.run(feed={"step": [20.0]}, fetch_list=[rate])[0])  # [0.1]
            paddle.disable_static()
    """

    def __init__(self, name: str | None = None) -> None:
        settle_static("fluid.layers.Switch")
        super().__init__(name)


class IfElse(row_split.IfElse):
    """Sends the rows of a batch one way or another: see ``paddle.static.control.IfElse``.

    Args:
        cond (Variable): bool, of shape [rows, 1].
        name (str, optional): prefix of the names made.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [None, 1])
                ways = fluid.layers.IfElse(x > 0.0)
                with ways.true_block():
                    ways.output(ways.input(x) * 10.0)
                with ways.false_block():
                    ways.output(ways.input(x) - 1.0)
                out, = ways()
                result, = fluid.Executor().run(feed={"x": [[1.0], [-1.0]]}, fetch_list=[out])
                print(result.tolist())  # [[10.0], [-2.0]]
            paddle.disable_static()
    """

    OUT_IF_ELSE_BLOCKS = 0
    IN_IF_ELSE_TRUE_BLOCKS = 1
    IN_IF_ELSE_FALSE_BLOCKS = 2

    def __init__(self, cond: Any, name: str | None = None) -> None:
        settle_static("fluid.layers.IfElse")
        super().__init__(cond, name)

    @property
    def status(self) -> int:
        """Which block is open."""
        if self._inside is None:
            return self.OUT_IF_ELSE_BLOCKS
        return self.IN_IF_ELSE_TRUE_BLOCKS if self._inside else self.IN_IF_ELSE_FALSE_BLOCKS


class StaticRNN(rnn.StaticRNN):
    """One step of a network over sequences of one length: see ``paddle.static.control.StaticRNN``.

    Args:
        name (str, optional): prefix of the names made.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [3, 2, 1])
                rnn = fluid.layers.StaticRNN()
                with rnn.step():
                    item = rnn.step_input(x)
                    total = rnn.memory(shape=[-1, 1], batch_ref=item)
                    new = total + item
                    rnn.update_memory(total, new)
                    rnn.step_output(new)
                sums, = fluid.Executor().run(
                    feed={"x": np.ones([3, 2, 1], "float32")}, fetch_list=[rnn()])
                print(sums[:, 0, 0])  # [1. 2. 3.]
            paddle.disable_static()
    """

    def __init__(self, name: str | None = None) -> None:
        settle_static("fluid.layers.StaticRNN")
        super().__init__(name)


class _Carried(functions.Loop):
    """The values of a loop, which are the user's own variables: the loop changes these."""

    def _variable(self, value: Any) -> Any:
        if isinstance(value, Variable):
            return value
        return super()._variable(value)

    def store(self) -> None:
        """Writes the new values into the variables, also those that stay as they are."""
        kept = [(old, new) for old, new in zip(self.values, self.results, strict=True)
                if new is old and isinstance(old, Variable)]  # fmt: skip
        super().store()
        for old, _ in kept:
            if old.type == VarType.LOD_TENSOR:
                functions.copy_into(old, old)


def while_loop(
    cond: Callable, body: Callable, loop_vars: Any, is_test: bool = False, name: str | None = None
) -> list:
    """Repeats a function as long as a condition holds.

    Args:
        cond (callable): ``cond(*loop_vars)`` returns one boolean.
        body (callable): ``body(*loop_vars)`` returns the new values, in the same structure.
        loop_vars (list|tuple): Variables, tensor arrays, and pytrees of them. As in 1.x, and other
            than in 2.0, the Variables themselves are given their new values.
        is_test (bool): keep nothing for a backward pass. Default: False.
        name (str, optional): has no effect.

    Returns:
        list: ``loop_vars``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                i = fluid.layers.fill_constant([1], "int64", 0)
                n = fluid.layers.fill_constant([1], "int64", 10)
                i, n = fluid.layers.while_loop(
                    lambda i, n: fluid.layers.less_than(i, n), lambda i, n: [i + 1, n], [i, n])
                print(fluid.Executor().run(fetch_list=[i])[0])  # [10]
            paddle.disable_static()
    """
    good = callable(cond) and callable(body) and isinstance(loop_vars, (list, tuple))
    if not good or not loop_vars or not recording():
        return functions.while_loop(cond, body, loop_vars, is_test, name)
    start = list(loop_vars)
    values = _Carried(start)
    given = functions.rebuilt(start, values.values)
    condition = check_condition("while_loop", "cond", cond(*given))
    with While(condition, is_test).block():
        values.take(body(*given))
        again = cond(*functions.rebuilt(start, values.results))
        values.store()
        functions.copy_into(check_condition("while_loop", "cond", again), condition)
    return functions.rebuilt(start, values.values)


def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """Runs one of two functions, depending on a condition: see ``paddle.static.nn.cond``.

    Args:
        pred (Variable): one boolean.
        true_fn (callable, optional): without arguments; runs if ``pred`` is true.
        false_fn (callable, optional): without arguments; runs if it is false.
        name (str, optional): has no effect.

    Returns:
        What the function returns; both have to return the same structure.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [1])
                y = fluid.layers.cond(x > 0.0, lambda: x * 2.0, lambda: x - 1.0)
                print(fluid.Executor().run(feed={"x": [-3.0]}, fetch_list=[y])[0])  # [-4.]
            paddle.disable_static()
    """
    usable = all(f is None or callable(f) for f in (true_fn, false_fn))
    if not recording() or not usable:
        return functions.cond(pred, true_fn, false_fn, name)
    check_condition("cond", "pred", pred)
    yes = _branch("true_fn", true_fn, pred)
    other = C.logical_not(pred)
    no = _branch("false_fn", false_fn, other)
    functions.check_branches(yes, no)
    if yes.result is None:
        return None
    mask = None
    merged = []
    for a, b in zip(yes.outputs, no.outputs, strict=True):
        if isinstance(a, Variable):
            if mask is None:
                mask = C.cast(pred, in_dtype=VarType.BOOL, out_dtype=VarType.INT32)
            a = functions.select(mask, b, a)
        merged.append(a)
    return functions.rebuilt(yes.result, merged)


def _branch(label: str, function: Callable | None, condition: Variable) -> Any:
    """Records one function of cond, and the operator that runs it; 1.x does one after the other."""
    made = functions.Branch(label, function, condition)
    made.hand_out([functions.common_type(v, v) for v in functions.leaves(made.result)])
    functions.run_branch(condition, made)
    return made


def case(pred_fn_pairs: Any, default: Callable | None = None, name: str | None = None) -> Any:
    """Runs the function of the first condition that holds: see ``paddle.static.nn.case``.

    Args:
        pred_fn_pairs (list[tuple]|tuple[tuple]): pairs of one boolean and a function.
        default (callable, optional): runs if no condition holds; None means the last function.
        name (str, optional): has no effect.

    Returns:
        Variable|list[Variable]: what the function returned.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                n = fluid.layers.fill_constant([1], "int64", 1)
                low = fluid.layers.less_than(n, n)
                out = fluid.layers.case(
                    [(low, lambda: fluid.layers.fill_constant([1], "float32", 1.0))],
                    default=lambda: fluid.layers.fill_constant([1], "float32", 2.0),
                )
            print(fluid.Executor().run(out.block.program, fetch_list=[out]))
    """
    with functions.branching_by(cond):
        return functions.case(pred_fn_pairs, default, name)


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable | None = None, name: str | None = None
) -> Any:
    """Runs the function that belongs to a number: see ``paddle.static.nn.switch_case``.

    Args:
        branch_index (Variable): one integer: uint8, int32 or int64.
        branch_fns (dict|list|tuple): number -> function, as a dict, pairs, or a list from 0.
        default (callable, optional): runs for other numbers; None means the last function.
        name (str, optional): has no effect.

    Returns:
        Variable|list[Variable]: what the function returned.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                n = fluid.layers.fill_constant([1], "int64", 1)
                out = fluid.layers.switch_case(
                    n,
                    {1: lambda: fluid.layers.fill_constant([1], "float32", 1.0)},
                    default=lambda: fluid.layers.fill_constant([1], "float32", 2.0),
                )
            print(fluid.Executor().run(out.block.program, fetch_list=[out]))
    """
    with functions.branching_by(cond):
        return functions.switch_case(branch_index, branch_fns, default, name)


@contextmanager
def outside() -> Iterator[Block]:
    """Lets operators go to the block around the current one."""
    parent = default_main_program().current_block().parent_block
    assert parent is not None
    with reopened(parent):
        yield parent
