"""What parts of fluid record with: operators whose results are named as 1.8.5 names them."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import to_vartype
from paddle.ir.block import Block
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.variable import Variable


def recorded(
    type: str,
    inputs: dict[str, Any] | None = None,
    attrs: dict[str, Any] | None = None,
    block: Block | None = None,
    stop: bool = False,
) -> Variable:
    """Adds an operator of one result ``Out`` and returns that, named ``type_0.tmp_0``.

    Args:
        type (str): the operator.
        inputs (dict, optional): Variables by slot.
        attrs (dict, optional): its attributes.
        block (Block, optional): where; None means the current block.
        stop (bool): the result needs no gradient. Default: False.
    """
    block = default_main_program().current_block() if block is None else block
    name = unique_name.generate(f"{unique_name.generate(type)}.tmp")
    made = block.create_var(name=name, stop_gradient=stop)
    block.append_op(type, inputs or {}, {"Out": made}, attrs)
    return made


def temporary(block: Block, like: Variable) -> Variable:
    """Makes a variable ``tmp_0`` of a Variable's shape and type, as arithmetic on it does.

    Args:
        block (Block): where.
        like (Variable): whose shape and type it has.
    """
    return block.create_var(
        name=unique_name.generate("tmp"), shape=like.shape, dtype=like.dtype, stop_gradient=True
    )


def persistable(
    name: str,
    shape: list[int],
    dtype: Any,
    start: float,
    belongs: bool = False,
    force_cpu: bool = False,
) -> Variable:
    """Makes a variable that lives in the scope; the startup Program fills it before all else.

    Args:
        name (str): its name.
        shape (list[int]): its shape.
        dtype (str|VarType): its data type.
        start (float): the number that it is filled with.
        belongs (bool): it is an optimizer's accumulator. Default: False.
        force_cpu (bool): an attribute of the operator. Default: False.
    """
    info = {"name": name, "shape": shape, "dtype": to_vartype(dtype), "persistable": True}
    block = default_main_program().global_block()
    made = block.create_var(**info, stop_gradient=True, belong_to_optimizer=belongs)
    fill(name, shape, dtype, start, force_cpu)
    return made


def fill(name: str, shape: list[int], dtype: Any, start: float, force_cpu: bool = False) -> None:
    """Lets the default startup Program fill a variable, before what it does already.

    Args:
        name (str): the variable.
        shape (list[int]): its shape.
        dtype (str|VarType): its data type.
        start (float): the number.
        force_cpu (bool): an attribute of the operator. Default: False.
    """
    top = default_startup_program().global_block()
    kind = to_vartype(dtype)
    there = top.create_var(name=name, shape=shape, dtype=kind, persistable=True, stop_gradient=True)
    attrs = {"shape": shape, "dtype": int(kind), "value": float(start), "force_cpu": force_cpu}
    top._prepend_op("fill_constant", {}, {"Out": there}, attrs)
