"""Gradients of control flow rewritten as control flow, so that they can be differentiated in turn.

``while_grad`` and ``conditional_block_grad`` run on values that the forward operator keeps out of
sight. Where they are to be differentiated, the forward block writes these values into tensor arrays
instead, one element per run of the block, and the gradient becomes an ordinary ``while`` or
``conditional_block`` that reads the arrays. That has a gradient like any other, so derivatives of
every order exist. What nobody differentiates stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from paddle.core.dtype import VarType
from paddle.ir.autodiff.control_rewriting import (
    MAYBE,
    SCOPES,
    Rewriting,
    is_array,
    outer_reads,
    outer_writes,
    rename,
)
from paddle.ir.autodiff.gradient_flow import Flags, flags_of
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.variable import Variable

Source = Callable[[Variable, bool], bool]


def make_differentiable(
    block: Block, count: Callable[[], int], is_source: Source, blocked: Collection[str],
    targets: Iterable[str],
) -> tuple[list[Operator], list[Flags]]:  # fmt: skip
    """Returns the operators to differentiate and their flags, gradients of blocks rewritten.

    Args:
        block (Block): where the operators are.
        count (callable): how many of the block's operators come into question.
        is_source, blocked: as for :func:`paddle.ir.autodiff.gradient_flow.flags_of`.
        targets: names of the variables that are differentiated.
    """
    program = block.program
    if not any(op.type in SCOPES for b in program.blocks for op in b.ops):
        ops = block.ops[: count()]
        return ops, flags_of(block, ops, is_source, blocked)
    while True:
        ops = block.ops[: count()]
        flags = flags_of(block, ops, is_source, blocked)
        found = _first_gradient(block, ops, flags, set(targets))
        if found is None:
            return ops, flags
        _rewrite(found)


def _first_gradient(
    block: Block, ops: Sequence[Operator], flags: Sequence[Flags], live: set[str]
) -> Operator | None:
    """A gradient operator of control flow that a walk over the operators would meet."""
    for op, marked in zip(reversed(ops), reversed(flags), strict=True):
        if not marked or not live & set(op.output_arg_names):
            continue
        if op.type in SCOPES:
            return op
        for sub in op.sub_blocks:
            inside = flags_of(sub, sub.ops, lambda v, made: not made)
            written = {n for o in sub.ops for n in o.output_arg_names}
            found = _first_gradient(sub, sub.ops, inside, written)
            if found is not None:
                return found
        for slot, wanted in marked.items():
            live |= {n for n, want in zip(op.inputs[slot], wanted, strict=True) if want}
    return None


def _rewrite(op: Operator) -> None:
    """Replaces a gradient operator, those inside its block first."""
    if op.type == "recurrent_grad":
        from paddle.ir.autodiff.recurrent_loops import rewrite_recurrent_gradient

        rewrite_recurrent_gradient(op)
        return
    sub: Block = op.attrs["sub_block"]
    for inner in list(sub.ops):
        _rewrite_inside(inner)
    _REWRITES[op.type](Rewriting(op))
    op.block.note_change()


def _rewrite_inside(op: Operator) -> None:
    if op.type in SCOPES:
        _rewrite(op)
        return
    for sub in op.sub_blocks:
        for inner in list(sub.ops):
            _rewrite_inside(inner)


# -- conditions ------------------------------------------------------------------------------------


def _conditional(work: Rewriting) -> None:
    """A conditional block that runs where the forward block ran."""
    op, block, body = work.op, work.block, work.body
    ran, position = work.position(), "Cond"
    position = work.like(ran, block, body, block.unused_name("run"))
    condition = block.create_var(
        name=block.unused_name("ran"), shape=[1], dtype="bool", stop_gradient=True
    )._name
    nothing = _number(work, 0)
    work.before("greater_than", {"X": [ran], "Y": [nothing]}, {"Out": [condition]}, axis=-1)
    given = dict(zip(op.inputs.get("Out", []), op.inputs.get("Out@GRAD", []), strict=False))
    pairs = zip(op.inputs["Input"], op.outputs["Input@GRAD"], strict=True)
    results = []
    for name, gradient in pairs:
        if gradient == EMPTY:
            continue
        result = work.like(gradient, block, block, block.unused_name(f"{gradient}.made"))
        passed = given.get(name, EMPTY)
        if passed != EMPTY:
            work.before("assign", {"X": [passed]}, {"Out": [result]})
            if is_array(block, passed):  # the block changes it in place
                rename(body, passed, result, written=True)
        else:
            work.before("fill_zeros_like", {"X": [name]}, {"Out": [result]}, **{MAYBE: True})
        inner = f"{name}@GRAD"
        if any(inner in o.output_arg_names for o in body.ops) and inner in body.vars:
            work.last("assign", {"X": [inner]}, {"Out": [result]})
        elif not is_array(block, result):
            work.last("fill_zeros_like", {"X": [name]}, {"Out": [result]}, **{MAYBE: True})
        results.append((result, gradient))
    work.detach(position)
    work.first(
        "fill_constant", {}, {"Out": [position]}, shape=[1], value=0.0, dtype=int(VarType.INT64)
    )
    written = [r for r, _ in results]
    work.before(
        "conditional_block",
        {"Cond": [condition], "Input": list(dict.fromkeys([*outer_reads(body), *written]))},
        {"Out": written, "Scope": [work.scopes()]},
        sub_block=body, is_scalar_condition=True, skip_eager_deletion_vars=[],
    )  # fmt: skip
    work.end(results)


def _number(work: Rewriting, value: int) -> str:
    name = work.block.create_var(
        name=work.block.unused_name("number"), shape=[1], dtype="int64", stop_gradient=True
    )._name
    attrs = {"shape": [1], "value": float(value), "dtype": int(VarType.INT64)}
    work.before("fill_constant", {}, {"Out": [name]}, **attrs)
    return name


# -- loops -----------------------------------------------------------------------------------------


def _while(work: Rewriting) -> None:
    """A loop over the runs of the forward block, the last one first."""
    op, block, body = work.op, work.block, work.body
    runs = work.position()
    left = work.like(runs, block, block, block.unused_name("left"))
    going = block.create_var(
        name=block.unused_name("going"), shape=[1], dtype="bool", stop_gradient=True
    )._name
    nothing = _number(work, 0)
    work.before("assign", {"X": [runs]}, {"Out": [left]})
    work.before("greater_than", {"X": [left], "Y": [nothing]}, {"Out": [going]}, axis=-1)
    carried = _carried(work)
    results = []
    for name, gradient in zip(op.inputs["X"], op.outputs["X@GRAD"], strict=False):
        if gradient == EMPTY:
            continue
        inner = f"{name}@GRAD"
        if inner in carried:
            results.append((carried[inner], gradient))
            continue
        total = work.like(gradient, block, block, block.unused_name(f"{gradient}.made"))
        work.before("fill_zeros_like", {"X": [name]}, {"Out": [total]}, **{MAYBE: True})
        if inner in body.vars and any(inner in o.output_arg_names for o in body.ops):
            work.last("sum", {"X": [total, inner]}, {"Out": [total]}, **{MAYBE: True})
        results.append((total, gradient))
    changed = {n for n in outer_writes(work.run) if _is_copied(work.run, n)}
    work.detach(left, changed)
    work.first("increment", {"X": [left]}, {"Out": [left]}, step=-1.0)
    work.last("greater_than", {"X": [left], "Y": [nothing]}, {"Out": [going]}, axis=-1)
    written = outer_writes(body)
    read = [n for n in dict.fromkeys([*outer_reads(body), *written]) if n != going]
    work.before(
        "while",
        {"X": read, "Condition": [going]},
        {"Out": written, "StepScopes": [work.scopes()]},
        sub_block=body, is_test=False, skip_eager_deletion_vars=[],
    )  # fmt: skip
    work.end(results)


def _carried(work: Rewriting) -> dict[str, str]:
    """Variables for the gradients that go from run to run: name in the block -> name outside."""
    op, block, body = work.op, work.block, work.body
    outside = op.inputs.get("Out@GRAD", [])
    found: dict[str, str] = {}
    for inner, outer in zip(op.attrs.get("original_output_grad") or outside, outside, strict=True):
        made = work.like(outer, block, block, block.unused_name(f"{inner}.made"))
        work.before("assign", {"X": [outer]}, {"Out": [made]})
        work.first("assign", {"X": [made]}, {"Out": [inner]})
        work.last("assign", {"X": [inner]}, {"Out": [made]})
        if inner not in body.vars:
            work.like(outer, block, body, inner)
        found[inner] = made
    return found


def _is_copied(run: Block, name: str) -> bool:
    """Whether a gradient block sees an outer variable as it was when a run began."""
    if is_array(run, name):
        return False
    return not any(name in o.input_arg_names and name in o.output_arg_names for o in run.ops)


_REWRITES: dict[str, Callable[[Rewriting], None]] = {
    "conditional_block_grad": _conditional,
    "while_grad": _while,
}
