"""Initializers in static mode: their operators go into the startup Program."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core import constants
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import hooked, no_grad
from paddle.core.tensor import Tensor
from paddle.ir.current import default_startup_program
from paddle.ir.recording.lowering import write


def record(init: Any, var: Any, block: Any = None) -> None:
    """Adds the operator by which an initializer fills a variable.

    It is the operator that the initializer calls in eager mode, with the same attributes; what an
    initializer computes with NumPy becomes a constant.

    Args:
        init (Initializer): says the value.
        var (Variable): what is filled.
        block (Block, optional): where the operator goes; None means the default startup Program.
    """
    shape = list(var.shape)
    if -1 in shape:
        raise InvalidArgumentError(
            f"{type(init).__name__}: expected a variable of known shape, but {var.name!r} has "
            f"shape {shape}."
        )
    block = default_startup_program().global_block() if block is None else block
    before = len(block.ops)
    target = var if block.has_var_recursive(var.name) else block.clone_with_kind(var)
    target = block._var_recursive(target.name)

    def put(op: Any, args: tuple, attrs: dict[str, Any]) -> Any:
        return write(target, op.name, list(args), attrs, block)

    with no_grad(), hooked(None if init._computes else put):
        value = init._value(shape, var.dtype)
    if init._computes:
        _put_array(target, value, block)
    if block.program.of_1x:
        _as_1x(init, block, before)


def _as_1x(init: Any, block: Any, before: int) -> None:
    """In Programs of 1.x, what was recorded last comes first, and numbers are not repeated."""
    made = block.ops[before:]
    for op in made:
        if op.type == "fill_constant":
            op._set_attr("str_value", "")
    if init._first_in_1x:
        block.ops[:] = [*made, *block.ops[:before]]
    block.note_change()


def _put_array(target: Any, value: Any, block: Any) -> None:
    array = value.numpy() if isinstance(value, Tensor) else np.asarray(value)
    held, attrs = constants.held(array, target.dtype)
    if held is target.dtype:
        write(target, "assign_value", [], attrs, block)
        return
    between = block.create_var(shape=list(array.shape), dtype=held)
    write(between, "assign_value", [], attrs, block)
    kinds = {"in_dtype": int(held), "out_dtype": int(target.dtype)}
    write(target, "cast", [between], kinds, block)
