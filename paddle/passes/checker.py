"""Checks that a Program makes sense; in tests it runs after every pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paddle.analysis.aliasing import IN_PLACE
from paddle.analysis.marks import DROPS
from paddle.core.dtype import VarType
from paddle.core.errors import PreconditionNotMetError
from paddle.ir.block import SCOPE_ONLY, Block
from paddle.ir.needs import gradient_needs, inner_names, is_gradient
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.dead_code import outer_writes


class Promise(NamedTuple):
    """What a Program does and needs before all passes, and so after each of them.

    Attributes:
        results (set[str]): fetched variables that operators make, and stored ones they write.
        unmade (set[str]): variables that need not be made: they are fed, or nothing makes them.
    """

    results: set[str]
    unmade: set[str]


def promise(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> Promise:
    """Looks at a Program that is to be rewritten.

    Args:
        program (Program): what to look at.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables that are asked for.
    """
    return Promise(_results(program, fetches), _unmade(program) | set(feeds))


def _unmade(program: Program) -> set[str]:
    block = program.global_block()
    ops = _running(block)
    made, read = _written(ops), set()
    for op in ops:
        read.update(gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names)
        read |= inner_names(op)
    return {n for n in read - made if n in block.vars and not block.vars[n]._persistable}


def _results(program: Program, fetches: Sequence[str]) -> set[str]:
    block = program.global_block()
    ops = _running(block)
    kept = {
        n
        for op in ops
        for n in op.output_arg_names
        if n in block.vars and block.vars[n]._persistable and not _writes_back(op)
    }
    return kept | _written(ops) & set(fetches)


def _running(block: Block) -> list[Operator]:
    """What is run of a block: not the feed and fetch of saved Programs."""
    return [op for op in block.ops if op.type not in ("feed", "fetch")]


def _written(ops: Sequence[Operator]) -> set[str]:
    names = {n for op in ops for n in op.output_arg_names}
    return names | {n for op in ops for sub in op.sub_blocks for n in outer_writes(sub)}


def _writes_back(op: Operator) -> bool:
    """A batch norm that does not train hands on the statistics that it read; steps, their scale."""
    if op.type == "hierarchical_sigmoid":
        return True  # files name its weights as a result; nothing writes them
    known = op.definition
    if known is None or op.type == "fake_channel_wise_quantize_abs_max":
        return bool(known and op.attrs.get("is_test"))  # reads its OutScale then
    fixed = op.attrs.get("is_test", known.attrs.get("is_test"))
    back = known.statistics is not None or any(slot.writes for slot in known.outputs)
    return back and bool(fixed or op.attrs.get("use_global_stats"))


def check(
    program: Program, feeds: Sequence[str], after: str, before: Promise | None = None
) -> None:
    """Raises where a Program cannot run, or does less than before.

    Args:
        program (Program): what to check.
        feeds (Sequence[str]): variables that are given.
        after (str): the pass that ran last, for the message.
        before (Promise, optional): what the Program was before all passes.

    Raises:
        PreconditionNotMetError: blocks or operators do not know where they belong; an operator
            names a variable that is missing, reads one before it is made, or after it was dropped
            or overwritten; a result is lost.
    """
    for i, block in enumerate(program.blocks):
        if block.idx != i or block.program is not program:
            raise _broken(after, f"block {i} does not know its place")
        if block.idx and not 0 <= block.parent_idx < i:
            raise _broken(after, f"block {i} has parent {block.parent_idx}")
        _check_memory(block, after)
    _check_order(program.global_block(), set(feeds), after)
    if before is not None:
        lost = before.results - _results(program, sorted(before.results))
        lost |= _unmade(program) - before.unmade
        if lost:
            raise _broken(after, f"nothing makes {sorted(lost)} any more")


def _check_order(block: Block, defined: set[str], after: str) -> None:
    made = {n for op in block.ops for n in op.output_arg_names}
    for op in block.ops:
        if op.block is not block:
            raise _broken(after, f"operator {op.type} does not belong to its block")
        given = [] if op.type in SCOPE_ONLY else op.input_arg_names
        for name in [*given, *op.output_arg_names]:
            if _variable(block, op, name) is None:
                raise _broken(after, f"operator {op.type} names {name!r}, which is no variable")
        for name in op.input_arg_names:
            var = block.vars.get(name)
            late = var is not None and not var.persistable and name in made
            late = late and var is not None and var.type != VarType.LOD_TENSOR_ARRAY  # start empty
            if late and name not in defined and op.type not in ("while", "while_grad"):
                raise _broken(after, f"operator {op.type} reads {name!r} before it is made")
        defined.update(op.output_arg_names)
        for sub in op.sub_blocks:
            defined.update(n for o in sub.ops for n in o.output_arg_names if n not in sub.vars)


def _check_memory(block: Block, after: str) -> None:
    """What was dropped, or gave its memory to a result, must not be read any more."""
    gone: dict[str, str] = {}
    for op in block.ops:
        read = gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names
        for name in {*read, *inner_names(op)} & set(gone):
            raise _broken(after, f"operator {op.type} reads {name!r}, which is {gone[name]}")
        if IN_PLACE in op.attrs:
            gone[op.attrs[IN_PLACE][0]] = f"overwritten by {op.type}"
        gone.update(dict.fromkeys(op.attrs.get(DROPS, ()), f"dropped after {op.type}"))
        for name in op.output_arg_names:
            if name not in op.attrs.get(DROPS, ()):
                gone.pop(name, None)


def _variable(block: Block, op: Operator, name: str) -> object:
    found = block._find_var_recursive(name)
    if found is None and block.forward_block_idx >= 0:
        found = block.program.blocks[block.forward_block_idx]._find_var_recursive(name)
    return found


def _broken(after: str, what: str) -> Exception:
    return PreconditionNotMetError(f"after pass {after!r} the Program is broken: {what}.")
