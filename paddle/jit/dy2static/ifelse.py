"""convert_ifelse: what ``if`` and the conditional expression become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.ir.control.blocks import reopened, sub_block
from paddle.ir.control.conditional import ConditionalBlock
from paddle.ir.current import default_main_program
from paddle.ir.recording.control_flow_shapes import common_shape
from paddle.ir.recording.replacing import replaced_variable
from paddle.ir.variable import Variable
from paddle.jit.dy2static.container_copies import Copies
from paddle.jit.dy2static.merging import Merger, Pair
from paddle.jit.dy2static.raising import is_users, other_branch
from paddle.jit.dy2static.symbolic_union import may_differ
from paddle.jit.dy2static.symbols import is_symbolic, is_weak, names_of, tracing, truth
from paddle.jit.dy2static.undefined import is_undefined, partial_value
from paddle.jit.dy2static.watching import watched
from paddle.jit.explaining import events

# Generated variables that are read only where they were assigned, which flags make sure of.
GUARDED = ("return_value_", "__return_value")


def convert_ifelse(
    pred: Any,
    true_fn: Callable,
    false_fn: Callable,
    true_args: Sequence[Any],
    false_args: Sequence[Any],
    return_vars: Sequence[Any],
) -> Any:
    """Runs one of two functions: Python's choice, or a run's if the condition is a Variable.

    Args:
        pred: the condition.
        true_fn (callable): the body of ``if``.
        false_fn (callable): the body of ``else``.
        true_args (tuple): the values of the variables that ``true_fn`` takes.
        false_args (tuple): the same for ``false_fn``.
        return_vars (tuple): the variables that both return; only for the reader of the code.

    Returns:
        What the functions return: one value, or a tuple of several.

    Raises:
        ValueError: the condition has more than one element.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([4.0])
            y = paddle.jit.dy2static.convert_ifelse(
                x > 3, lambda x: x - 1, lambda x: x, (x,), (x,), (x,))
            print(y.numpy())  # [3.]
    """
    symbolic = is_symbolic(pred)
    events.control("if", symbolic)
    if not symbolic:
        return true_fn(*true_args) if pred else false_fn(*false_args)
    return recorded_choice(pred, true_fn, false_fn, true_args, false_args)


def recorded_choice(
    pred: Any,
    true_fn: Callable,
    false_fn: Callable,
    true_args: Sequence[Any] = (),
    false_args: Sequence[Any] = (),
) -> Any:
    """Records two functions of which a run calls one; arguments as for convert_ifelse."""
    condition = truth(pred, "the condition of an if")
    names = names_of(true_fn)
    blocks = default_main_program().blocks
    count = len(blocks)
    try:
        yes = _Branch(true_fn, true_args)
        no = _Branch(false_fn, false_args)
        if yes.error or no.error:
            del blocks[count:]
            if yes.error and no.error:
                raise yes.error
            if yes.error:
                return other_branch(condition, True, yes.error, false_fn, false_args)
            return other_branch(condition, False, no.error, true_fn, true_args)
        merger = Merger((yes.copies, no.copies))
        if len(names) < 2:
            parts = [(names[0] if names else "", yes.result, no.result)]
        else:
            parts = list(zip(names, yes.result, no.result, strict=True))
        picking = condition if may_differ(true_fn) else None
        builds = [_merged(merger, name, a, b, picking) for name, a, b in parts]
        chosen = _chosen(condition, yes, no, merger.pairs)
    except BaseException:
        del blocks[count:]
        raise
    values = [build(chosen) for build in builds]
    for i, name in enumerate(names):
        if name.startswith(GUARDED) and is_undefined(values[i]):
            held = partial_value(values[i])
            values[i] = values[i] if held is None else held
    if len(true_args) == len(parts):
        values = list(map(_still_itself, values, true_args, parts))
    return values[0] if len(names) < 2 else tuple(values)


def _still_itself(value: Any, before: Any, part: tuple[str, Any, Any]) -> Any:
    """Keeps the object where branches wrote into a Tensor: other names may stand for it too."""
    if type(before) is not Variable or type(value) is not Variable or value is before:
        return value
    ends = [v for v in part[1:] if v is not before]
    if not all(type(v) is Variable and v.__dict__.get("written_from") is before for v in ends):
        return value
    if before.block is value.block and not before.persistable:
        return replaced_variable(before, value)
    value.written_from = before  # type: ignore[attr-defined]  # the branch around goes on
    return value


def _merged(merger: Merger, name: str, a: Any, b: Any, picking: Any) -> Any:
    """What a variable becomes. What is returned is used for sure: errors come at once."""
    merger.lazy = bool(name) and not name.startswith(GUARDED)
    merger.condition = picking if name.startswith(GUARDED) else None
    return merger.merge(name if merger.lazy else "", a, b)


class _Branch:
    """One of the two functions, recorded into a block of its own."""

    def __init__(self, function: Callable, args: Sequence[Any]) -> None:
        self.copies = Copies()
        self.outputs: list[Variable] = []
        self.error: Any = None  # what the user's own code raises if this branch is taken
        allowed = self.copies.is_copy
        with sub_block() as self.block, tracing(), watched(allowed) as results:
            try:
                self.result = function(*[self.copies.of(arg) for arg in args])
                results.append(self.result)
            except Exception as error:
                if not is_users(error):
                    raise
                self.error = error

    def hand_out(self, which: int, pairs: list[Pair]) -> None:
        """Copies the values that a run chooses from to variables around the block."""
        parent = self.block.parent_block
        assert parent is not None
        with reopened(self.block):
            for pair in pairs:
                value = pair.inside(which)
                target = parent.create_var(
                    type=value.type, shape=value.shape, dtype=value.dtype,
                    stop_gradient=value.stop_gradient,
                )  # fmt: skip
                self.block.append_op(
                    type="assign", inputs={"X": [value]}, outputs={"Out": [target]}
                )
                self.outputs.append(target)


def _chosen(condition: Variable, yes: _Branch, no: _Branch, pairs: list[Pair]) -> list[Variable]:
    """Records that the condition decides; returns the variables with the values it chose."""
    for which, branch in enumerate((yes, no)):
        branch.hand_out(which, pairs)
    blocks = default_main_program().blocks
    for branch in (no, yes):  # a block that does nothing goes if it is the last one
        if not branch.block.ops and blocks[-1] is branch.block:
            blocks.pop()
    if yes.block in blocks:
        ConditionalBlock([condition], is_scalar_condition=True).finish(yes.block)
    if no.block in blocks:
        ConditionalBlock([C.logical_not(condition)], is_scalar_condition=True).finish(no.block)
    if not pairs:
        return []
    mask = C.cast(condition, in_dtype=VarType.BOOL, out_dtype=VarType.INT32)
    parts = zip(pairs, no.outputs, yes.outputs, strict=True)
    return [_selected(mask, pair, n, y) for pair, n, y in parts]


def _selected(mask: Variable, pair: Pair, no: Variable, yes: Variable) -> Variable:
    parent = default_main_program().current_block()
    dims = [v._dims for v in (no, yes)]
    shape: Any = common_shape(dims) if not pair.array else max(dims, key=len)
    if len(pair.present) == 1:
        shape = (yes, no)[pair.present[0]]._dims
    made: Variable = parent.create_var(
        type=yes.type, shape=shape, dtype=pair.dtype,
        stop_gradient=yes.stop_gradient and no.stop_gradient,
    )  # fmt: skip
    parent.append_op(
        type="select_input", inputs={"X": [no, yes], "Mask": [mask]}, outputs={"Out": [made]}
    )
    made._dims = shape
    made._weak = all(is_weak(pair.values[i]) for i in pair.present)
    return made
