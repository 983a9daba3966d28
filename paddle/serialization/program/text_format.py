"""Programs, Blocks, Operators and Variables in the text format of their protobuf messages."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.block import Block
from paddle.ir.operator import Operator, here
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program.proto import operator_message, to_message, variable_message


def program_details(program: Program, throw_on_error: bool, with_details: bool) -> str:
    """A Program in the text format of its message; details are what that does not hold."""
    _check_flags("Program", throw_on_error, with_details)
    if not with_details:
        return _text(to_message(program), throw_on_error)
    return "".join(block_details(block, throw_on_error, True) for block in program.blocks)


def block_details(block: Block, throw_on_error: bool, with_details: bool) -> str:
    """The same for one block."""
    _check_flags("Block", throw_on_error, with_details)
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
    """The text format of an operator's protobuf message."""
    _check_flags("Operator", throw_on_error, False)
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
    """The text format of a variable's protobuf message, with what it does not hold if asked for."""
    _check_flags("Variable", throw_on_error, with_details)
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
