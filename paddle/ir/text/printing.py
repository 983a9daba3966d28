"""Programs, Blocks, Operators and Variables as text, in PaddlePaddle's forms."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.ir.block import Block
from paddle.ir.operator import Operator, here
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


def program_details(program: Program, throw_on_error: bool, with_details: bool) -> str:
    """The text form of the wire format, with what it does not hold added to the variables."""
    _check_flags("Program", throw_on_error, with_details)
    from paddle.serialization.program.proto import to_message

    if not with_details:
        return _text(to_message(program), throw_on_error)
    return "".join(block_details(block, throw_on_error, True) for block in program.blocks)


def block_details(block: Block, throw_on_error: bool, with_details: bool) -> str:
    """The same for one block."""
    _check_flags("Block", throw_on_error, with_details)
    from paddle.serialization.program.proto import to_message

    if not with_details:
        return _text(to_message(block.program).blocks[block.idx], throw_on_error)
    body = [f"blocks {{\n  idx: {block.idx}\n  parent_idx: {block.parent_idx}\n"]
    for var in block.vars.values():
        text = variable_details(var, throw_on_error, True)
        body.append("  vars {\n" + _indent(text, "    ") + "  }\n")
    for op in block.ops:
        body.append("  ops {\n" + _indent(operator_details(op, throw_on_error), "    ") + "  }\n")
    return "".join(body) + "}\n"


def operator_details(op: Operator, throw_on_error: bool) -> str:
    """The text form of an operator in the wire format."""
    _check_flags("Operator", throw_on_error, False)
    from paddle.serialization.program.proto import operator_message

    return _text(operator_message(op), throw_on_error)


def _text(message: Any, throw_on_error: bool) -> str:
    from google.protobuf import text_format

    missing = message.FindInitializationErrors() if throw_on_error else None
    if missing:
        raise InvalidArgumentError(
            f"to_string: expected all required fields to be set, but {missing[:8]} are not.{here()}"
        )
    return text_format.MessageToString(message)


def variable_details(var: Variable, throw_on_error: bool, with_details: bool) -> str:
    """The text form of a variable in the wire format, with what it does not hold if asked for."""
    _check_flags("Variable", throw_on_error, with_details)
    from paddle.serialization.program.proto import variable_message

    text = _text(variable_message(var), throw_on_error)
    if not with_details:
        return text
    names = ["error_clip"]
    if isinstance(var, Parameter):
        names = ["trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip"]
    return text + "".join(f"{n}: {getattr(var, n)}\n" for n in names)


def _check_flags(owner: str, throw_on_error: Any, with_details: Any) -> None:
    for name, value in (("throw_on_error", throw_on_error), ("with_details", with_details)):
        if not isinstance(value, bool):
            raise TypeError(
                f"{owner}.to_string({name}): expected a bool, but got {type(value).__name__}."
                f"{here()}"
            )


def _indent(text: str, by: str) -> str:
    return "".join(f"{by}{line}\n" for line in text.splitlines())
