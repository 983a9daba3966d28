"""Copies of a Program: whole, for testing, or only what some targets need."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.autodiff.custom_operators import remove_custom_gradients
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.unused import drop_unused_blocks, drop_unused_variables
from paddle.ir.variable import Parameter, Variable


def clone(program: Program) -> Program:
    """Returns an equal Program that shares nothing with this one."""
    made = Program()
    made.blocks = [Block(made, b.idx, b.parent_idx) for b in program.blocks]
    made.current_block_idx = program.current_block_idx
    made._seed = program._seed
    made.program_version = program.program_version
    made.op_versions = dict(program.op_versions)
    made.of_1x = program.of_1x
    made._parameters_grads = program._parameters_grads
    made.__dict__.update({k: v for k, v in program.__dict__.items() if k.startswith("_fleet")})
    if "_lr_schedulers" in program.__dict__:
        made.__dict__["_lr_schedulers"] = dict(program.__dict__["_lr_schedulers"])
    _copy_rest(program, made)
    for old, new in zip(program.blocks, made.blocks, strict=True):
        new.forward_block_idx = old.forward_block_idx
        _copy_rest(old, new)
        for var in old.vars.values():
            copy_variable(var, new)
        new.ops = [copy_operator(op, new) for op in old.ops]
    return made


def _copy_rest(old: Any, new: Any) -> None:
    """What a file held beyond our classes goes along, and with it the file's order."""
    if old.raw_fields is not None:
        new.raw_fields = old.raw_fields


def copy_variable(var: Variable, block: Block) -> Variable:
    """Makes the same variable in another block."""
    info = var.describe()
    name = info["name"]
    if isinstance(var, Parameter):
        dims, dtype = info.pop("shape"), info.pop("dtype")
        made: Variable = Parameter(block, dims, dtype, **info)
    else:
        made = Variable(block, **info)
    _copy_rest(var, made)
    block.vars[name] = made
    return made


def copy_operator(op: Operator, block: Block) -> Operator:
    """Makes the same operator for another block, of a Program with as many blocks."""
    blocks = block.program.blocks

    def moved(value: Any) -> Any:
        if isinstance(value, Block):
            return blocks[value.idx]
        return [moved(v) for v in value] if isinstance(value, list) else value

    made = Operator(
        block,
        op.type,
        {s: list(n) for s, n in op.inputs.items()},
        {s: list(n) for s, n in op.outputs.items()},
        {k: moved(v) for k, v in op.attrs.items()},
        op.location,
    )
    made.attr_kinds = None if op.attr_kinds is None else op.attr_kinds.copy()
    made.is_target = op.is_target
    return made


def for_testing(program: Program) -> Program:
    """A copy without backward and optimizer, with ``is_test`` set."""
    made = clone(program)
    remove_custom_gradients(made)
    trained = any(_trains(op) for block in made.blocks for op in block.ops)
    for block in made.blocks:
        block.ops = [op for op in block.ops if not _trains(op)]
        for op in block.ops:
            known = op.definition
            if "is_test" in op.attrs or (known is not None and "is_test" in known.attrs):
                op._set_attr("is_test", True)
            if op.attrs.get("use_global_stats", False) is None:
                del op.attrs["use_global_stats"]
    drop_unused_blocks(made)
    if trained:  # as PaddlePaddle has it, what nothing uses stays else
        drop_unused_variables(made)
    made._parameters_grads = None
    return made


def _trains(op: Operator) -> bool:
    return bool(op.role & (Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED)) and (
        op.role != Role.NOT_SPECIFIED
    )


def prune(program: Program, feeds: list[str], targets: Any) -> Program:
    """A copy with only the operators of the global block that the targets need.

    Args:
        program (Program): what to prune.
        feeds (list[str]): variables that are given, so that nothing before them is needed.
        targets: Variables, Operators or names, or a list of them.
    """
    listed = targets if isinstance(targets, (list, tuple)) else [targets]
    needed: set[str] = set()
    wanted: set[int] = set()
    for target in listed:
        if isinstance(target, Operator):
            wanted.add(target.idx)
            continue
        name = target if isinstance(target, str) else getattr(target, "name", None)
        if name is None or program.global_block()._find_var_recursive(name) is None:
            raise InvalidArgumentError(f"prune: {target!r} is no variable of the Program.")
        needed.add(name)
    made = clone(program)
    block = made.global_block()
    kept = []
    given = set(feeds) - _inputs(block, feeds)
    needed -= given
    for i in range(len(block.ops) - 1, -1, -1):
        op = block.ops[i]
        if i in wanted or needed & set(op.output_arg_names) or op.is_target:
            kept.append(op)
            needed |= reads(op) - given
    block.ops = kept[::-1]
    drop_unused_blocks(made)
    drop_unused_variables(made)
    return made


def _inputs(block: Block, feeds: list[str]) -> set[str]:
    """Fed variables that nothing computes first: what writes them later (a loop) changes them."""
    found: set[str] = set()
    open_ = set(feeds)
    for op in block.ops:
        if op.type != "feed":
            found |= open_ & reads(op)
            open_ -= {*found, *op.output_arg_names}
    return found


def reads(op: Operator) -> set[str]:
    """Everything that an operator reads, in its sub-blocks too."""
    names = set(op.input_arg_names)
    for sub in op.sub_blocks:
        for inner in sub.ops:
            names |= {n for n in reads(inner) if n not in sub.vars}
    return names
