"""Variables for the results of operators that a layer function of 1.x appends by itself."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable


def layer_of(kind: str, name: str | None = None) -> str:
    """The name of a layer: the user's, or ``kind_0``, ``kind_1``, ..."""
    return unique_name.generate(kind) if name is None else name


def result(layer: str, dtype: Any = None, **kwargs: Any) -> Variable:
    """Makes ``<layer>.tmp_0``, ``<layer>.tmp_1``, ... in the current block.

    Args:
        layer (str): the layer's name.
        dtype (VarType|str, optional): its element type.
        **kwargs: what ``Block.create_var`` takes.
    """
    name = unique_name.generate(f"{layer}.tmp")
    return current_block().create_var(name=name, dtype=dtype, **kwargs)


def current_block() -> Block:
    """The block that operators go to."""
    return default_main_program().current_block()


def append(type: str, inputs: dict, outputs: dict, **attrs: Any) -> Any:
    """Adds an operator to the current block."""
    return current_block().append_op(type=type, inputs=inputs, outputs=outputs, attrs=attrs)
