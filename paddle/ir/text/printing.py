"""Programs, Blocks, Operators and Variables as text, in PaddlePaddle's forms."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable


def _kind(var: Variable) -> str:
    if isinstance(var, Parameter):
        return ("trainable " if var.trainable else "") + "param"
    return "var"


def _persistence(var: Variable) -> str:
    return "persist " if var.persistable else ""


def _name(value: VarType) -> str:
    return str(value).rpartition(".")[2]


def variable_line(var: Variable) -> str:
    """As by print: ``var x : paddle.VarType.LOD_TENSOR.shape(2, 3).astype(VarType.FP32)``."""
    head = f"{_persistence(var)}{_kind(var)} {var.name} : paddle.VarType.{_name(var.type)}"
    if not _has_shape(var):
        return head
    return f"{head}.shape{tuple(var.shape)}.astype({var.dtype})"


def _in_program(var: Variable) -> str:
    """A variable within a printed Program."""
    head = f"{_persistence(var)}{_kind(var)} {var.name} : {_name(var.type)}"
    if _has_shape(var):
        head += f".shape{tuple(var.shape)}.dtype({dtype_name(var.dtype)})"
    return f"{head}.stop_gradient({var.stop_gradient})"


def _has_shape(var: Variable) -> bool:
    return var.type in (VarType.LOD_TENSOR, VarType.SELECTED_ROWS, VarType.LOD_TENSOR_ARRAY)


def _slots(slots: dict[str, list[str]]) -> str:
    return "{" + ", ".join(f"{k}={slots[k]}" for k in sorted(slots)) + "}"


def _attr_text(value: Any) -> str:
    if hasattr(value, "ops"):
        return f"block[{value.idx}]"
    if isinstance(value, list) and value and hasattr(value[0], "ops"):
        return "blocks[" + ", ".join(str(b.idx) for b in value) + "]"
    return str(value)


def operator_line(op: Operator) -> str:
    """``{Out=['y']} = relu(inputs={X=['x']}, op_device = , ...)``."""
    shown = op._attrs_with_defaults()
    shown.pop("op_callstack", None)
    attrs = ", ".join(f"{k} = {_attr_text(shown[k])}" for k in sorted(shown))
    head = f"{_slots(op.outputs)} = {op.type}(inputs={_slots(op.inputs)}"
    return f"{head}, {attrs})"


def block_text(block: Block) -> str:
    """One block: its variables, then its operators."""
    lines = [f"{{ // block {block.idx}"]
    lines += [f"    {_in_program(var)}" for var in block.vars.values()]
    lines.append("")
    lines += [f"    {operator_line(op)}" for op in block.ops]
    return "\n".join([*lines, "}"]) + "\n"


def program_text(program: Program) -> str:
    """All blocks, one after the other."""
    return "".join(block_text(block) for block in program.blocks)
