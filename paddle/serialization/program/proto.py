"""Programs as bytes: the ProgramDesc messages of PaddlePaddle's program files.

What a file holds that the classes here have no place for stays with the object it belongs to, as
bytes under ``raw_fields``, and is written back. A Block and an Operator that came from a file keep
its order; others are written in PaddlePaddle's: variables, slots and attributes sorted by name.
Attributes that are ours alone are not written (:func:`paddle.ir.attribute_kinds.is_private`).
"""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.serialization.program.reading import read_program
from paddle.serialization.program.schema import message_class, parse
from paddle.serialization.program.writing import _write_operator as write_operator
from paddle.serialization.program.writing import write_program, write_variable


def from_bytes(data: bytes) -> Program:
    """Makes a Program of the bytes of a program file.

    Args:
        data (bytes): a ProgramDesc, as ``.pdmodel`` and ``__model__`` files hold it.

    Returns:
        Program: with ``program_version`` and ``op_versions`` as the file states them.

    Raises:
        InvalidArgumentError: the bytes are damaged, contradict themselves, or were written by a
            later release.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"parse_from_string(binary_str): expected bytes, but received {type(data).__name__}."
        )
    data = bytes(data)
    if not data:
        raise InvalidArgumentError("program: expected a ProgramDesc, but no bytes came.")
    return read_program(parse("ProgramDesc", data, "program"))


def from_message(message: Any) -> Program:
    """Makes a Program of a ProgramDesc message; see :func:`from_bytes`."""
    return read_program(parse("ProgramDesc", message.SerializePartialToString(), "program"))


def to_bytes(program: Program) -> bytes:
    """Returns a Program as the bytes of a program file; equal Programs give equal bytes.

    Args:
        program (Program): what to write. One that was read states the version it was read with,
            any other one 2.0.0.

    Raises:
        InvalidArgumentError: an attribute holds what no kind of attribute can.
    """
    return to_message(program).SerializeToString()


def to_message(program: Program) -> Any:
    """Returns a Program as a ProgramDesc message; see :func:`to_bytes`."""
    desc = message_class("ProgramDesc")()
    write_program(program, desc)
    return desc


def variable_message(var: Variable) -> Any:
    """Returns a Variable as a VarDesc message."""
    desc = message_class("VarDesc")()
    write_variable(var, desc)
    return desc


def operator_message(op: Any) -> Any:
    """Returns an Operator as an OpDesc message."""
    desc = message_class("BlockDesc")()
    write_operator(op, desc.ops)
    return desc.ops[0]
