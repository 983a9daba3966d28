"""Recording into a sub-block, and what the operator that runs it names as inputs and outputs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import recording
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.operator import user_location
from paddle.ir.program import Program
from paddle.ir.variable import Variable


def need_static(api: str, instead: str) -> None:
    """Raises in dynamic mode, where a class that adds blocks to a Program makes no sense."""
    if not recording():
        raise PreconditionNotMetError(
            f"{api} adds to a static Program, but dynamic mode is on.",
            hint=f"call paddle.enable_static() first, or {instead}",
        )


@contextlib.contextmanager
def sub_block(program: Program | None = None) -> Iterator[Block]:
    """Opens a block inside the current one; it is taken away again if the body raises."""
    program = default_main_program() if program is None else program
    before, count = program.current_block_idx, len(program.blocks)
    block = program._create_block()
    try:
        yield block
    except BaseException:
        del program.blocks[count:]
        program.current_block_idx = before
        program.note_change()
        raise
    program.current_block_idx = before


@contextlib.contextmanager
def reopened(block: Block) -> Iterator[Block]:
    """Lets operators go to a block that was closed before."""
    program = block.program
    before, program.current_block_idx = program.current_block_idx, block.idx
    try:
        yield block
    finally:
        program.current_block_idx = before


def reads(block: Block) -> list[str]:
    """Variables from outside that the operators of a block, and of blocks inside it, read."""
    return _outer(block, "input_arg_names")


def writes(block: Block) -> list[str]:
    """Variables from outside that the operators of a block, and of blocks inside it, write."""
    return _outer(block, "output_arg_names")


def _outer(block: Block, kind: str) -> list[str]:
    names: dict[str, None] = {}
    parent = block.parent_block
    for op in block.ops:
        inner = [n for sub in op.sub_blocks for n in _outer(sub, kind)]
        for name in [*getattr(op, kind), *inner]:
            if name not in block.vars and parent is not None and parent.has_var_recursive(name):
                names[name] = None
    return list(names)


def step_scopes(block: Block) -> Variable:
    """Makes the variable in which an operator keeps what its gradient needs."""
    return block.create_var(type=VarType.STEP_SCOPES)


def has_value(block: Block, name: str) -> bool:
    """Says whether a variable from outside of a block may have a value before it runs."""
    var = block._var_recursive(name)
    if var.persistable or var.is_data:
        return True
    return any(name in op.output_arg_names for around in block._chain() for op in around.ops)


def check_condition(api: str, argument: str, value: Any) -> Variable:
    """Returns a condition: a Variable of one boolean.

    Raises:
        TypeError: it is no Variable, or not boolean.
        ValueError: it has more than one element.
    """
    if not isinstance(value, Variable):
        raise TypeError(
            f"{api}({argument}): expected a Variable, but received {type(value).__name__}."
        )
    if value.dtype != VarType.BOOL:
        raise TypeError(
            f"{api}({argument}): expected a bool Variable, but {value.name!r} is {value.dtype}."
            f"{location()}"
        )
    size = 1
    for n in value.shape:
        size *= abs(n)
    if size != 1:
        raise InvalidArgumentError(
            f"{api}({argument}): expected one element, but {value.name!r} has shape "
            f"{list(value.shape)}.{location()}",
            hint="reduce it by paddle.all or paddle.any",
        )
    return value


def location() -> str:
    """The user's line, for messages."""
    found = user_location()
    return f"\n  {found}" if found else ""
