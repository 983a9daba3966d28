"""Inlining of custom gradients: the operators of a user's backward or hook, where it is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from paddle.ir.autodiff.custom_operators import GIVEN, MADE
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.variable import Variable

if TYPE_CHECKING:
    from paddle.ir.autodiff.gradient_walk import GradientWalk


def apply_hook(op: Operator, walk: GradientWalk, gradient: str) -> str:
    """Adds the operators of a hook; returns the name of what replaces the gradient."""
    (made,) = inline(op, walk, [gradient])
    return gradient if made is None else made


def inline(op: Operator, walk: GradientWalk, given: list[str]) -> list[str | None]:
    """Adds copies of a block's operators; returns the names of what they give."""
    block: Block = op.attrs["sub_block"]
    names = dict(zip(op.attrs[GIVEN], given, strict=True))
    for name, var in block.vars.items():
        if name not in names:
            names[name] = walk.target.unused_name(name)
            _copy_variable(var, walk.target, names[name])

    def seen(name: str) -> str:
        if name == EMPTY or name in names:
            return names.get(name, name)
        return walk.value(name, written=name in op.output_arg_names)

    for inner in block.ops:
        step = walk.emit(
            inner.type,
            {s: [seen(n) for n in listed] for s, listed in inner.inputs.items()},
            {s: [names.get(n, n) for n in listed] for s, listed in inner.outputs.items()},
            {k: _moved(v, walk.target, seen) for k, v in inner.attrs.items()},
        )
        step.kinds = None if inner.attr_kinds is None else dict(inner.attr_kinds)
    return [None if n == EMPTY else seen(n) for n in op.attrs[MADE]]


def _copy_variable(var: Variable, block: Block, name: str) -> None:
    info = {**var.describe(), "name": name}
    block.vars[name] = Variable(block, **info)


def _moved(value: Any, parent: Block, seen: Callable[[str], str]) -> Any:
    """An attribute, with a copy of a block that it names."""
    if isinstance(value, list):
        return [_moved(v, parent, seen) if isinstance(v, Block) else v for v in value]
    if not isinstance(value, Block):
        return value
    program = parent.program
    made = Block(program, len(program.blocks), parent.idx)
    program.blocks.append(made)
    for name, var in value.vars.items():
        _copy_variable(var, made, name)

    def inside(name: str) -> str:
        return name if name == EMPTY or name in value.vars else seen(name)

    for op in value.ops:
        copy = Operator(
            made,
            op.type,
            {s: [inside(n) for n in names] for s, names in op.inputs.items()},
            {s: [inside(n) for n in names] for s, names in op.outputs.items()},
            {k: _moved(v, made, inside) for k, v in op.attrs.items()},
            op.location,
        )
        copy.attr_kinds = None if op.attr_kinds is None else dict(op.attr_kinds)
        made.ops.append(copy)
    return made
