"""Descriptions in the style of 2.0's native objects: ``op.desc.input("X")``, ``program.desc``.

They are views: they hold nothing of their own, show what the object is now, and what is written
through them is written to it.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from paddle.core.errors import OutOfRangeError
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program.desc_writing import (
    BlockWriting,
    OpWriting,
    ProgramWriting,
    VarWriting,
    text,
)
from paddle.serialization.program.proto import (
    from_bytes,
    operator_message,
    to_bytes,
    to_message,
    variable_message,
)

if TYPE_CHECKING:
    from paddle.ir.block import Block
    from paddle.ir.operator import Operator


class _View:
    """What the descriptions have in common: they are equal where they describe the same object."""

    def __init__(self, of: Any) -> None:
        self.described = of

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.described is self.described  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), id(self.described)))


class OpDesc(OpWriting, _View):
    """What an operator is, attributes with their defaults included.

    Args:
        op (Operator): what is described.
    """

    described: Operator

    def type(self) -> str:
        """Returns the operator's name."""
        return self.described.type

    def input(self, name: str) -> list[str]:
        """Returns the variable names of an input slot."""
        return self.described.input(name)

    def output(self, name: str) -> list[str]:
        """Returns the variable names of an output slot."""
        return self.described.output(name)

    def inputs(self) -> dict[str, list[str]]:
        """Returns the variable names of each input slot."""
        return {slot: list(names) for slot, names in self.described.inputs.items()}

    def outputs(self) -> dict[str, list[str]]:
        """Returns the variable names of each output slot."""
        return {slot: list(names) for slot, names in self.described.outputs.items()}

    def input_names(self) -> list[str]:
        """Returns the names of the input slots."""
        return self.described.input_names

    def output_names(self) -> list[str]:
        """Returns the names of the output slots."""
        return self.described.output_names

    def input_arg_names(self) -> list[str]:
        """Returns the names of all variables that it reads."""
        return self.described.input_arg_names

    def output_arg_names(self) -> list[str]:
        """Returns the names of all variables that it writes."""
        return self.described.output_arg_names

    def get_attr_map(self) -> dict[str, Any]:
        """Returns all attributes; those that nobody gave have their defaults."""
        return {n: copy.copy(v) for n, v in self.described._attrs_with_defaults().items()}

    def attr_names(self, with_attr_var: bool = False) -> list[str]:
        """Returns the names of all attributes, sorted.

        Args:
            with_attr_var (bool): also those whose values are variables; here no attribute's is.
        """
        return sorted(self.get_attr_map())

    def has_attr(self, name: str, with_attr_var: bool = False) -> bool:
        """Says whether it has an attribute.

        Args:
            name (str): the attribute.
            with_attr_var (bool): as in :meth:`attr_names`.
        """
        return name in self.described._attrs_with_defaults()

    def attr(self, name: str, with_attr_var: bool = False) -> Any:
        """Returns an attribute.

        Args:
            name (str): the attribute.
            with_attr_var (bool): as in :meth:`attr_names`.
        """
        return self.described.attr(name)

    def attr_type(self, name: str, with_attr_var: bool = False) -> int:
        """Returns the kind of an attribute when it is serialized.

        Args:
            name (str): the attribute.
            with_attr_var (bool): as in :meth:`attr_names`.
        """
        return self.described.attr_type(name)

    def block(self) -> BlockDesc:
        """Returns the description of the block it is in."""
        return BlockDesc(self.described.block)

    def _block_attr_id(self, name: str) -> int:
        return self.described._block_attr_id(name)

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message OpDesc."""
        return operator_message(self.described).SerializeToString()


class VarDesc(VarWriting, _View):
    """What a variable is.

    Args:
        var (Variable): what is described.
    """

    described: Variable

    def name(self) -> str:
        """Returns its name."""
        return self.described.name

    def type(self) -> Any:
        """Returns the kind of variable: LOD_TENSOR, LOD_TENSOR_ARRAY, ..."""
        return self.described.type

    def shape(self) -> list[int]:
        """Returns its shape; -1 stands for an unknown dimension."""
        return list(self.described.shape)

    get_shape = shape

    def dtype(self) -> Any:
        """Returns its data type."""
        return self.described.dtype

    def lod_level(self) -> int:
        """Returns how many LoD levels it has."""
        return self.described.lod_level

    def persistable(self) -> bool:
        """Says whether it outlives a run."""
        return self.described.persistable

    def stop_gradient(self) -> bool:
        """Says whether it gets no gradient."""
        return self.described.stop_gradient

    def need_check_feed(self) -> bool:
        """Says whether the Executor checks what is fed."""
        return self.described.need_check_feed

    def is_parameter(self) -> bool:
        """Says whether it is a Parameter."""
        return isinstance(self.described, Parameter)

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message VarDesc."""
        return variable_message(self.described).SerializeToString()


class BlockDesc(BlockWriting, _View):
    """What a block is: its variables and operators.

    Args:
        block (Block): what is described.
    """

    described: Block

    @property
    def id(self) -> int:
        """Its position in the Program."""
        return self.described.idx

    @property
    def parent(self) -> int:
        """The position of the block around it; -1 for the global one."""
        return self.described.parent_idx

    def get_forward_block_idx(self) -> int:
        """Returns the block that this one computes gradients of, or -1."""
        return self.described.forward_block_idx

    def op_size(self) -> int:
        """Returns the number of operators."""
        return len(self.described.ops)

    def op(self, index: int) -> OpDesc:
        """Returns the description of an operator by its position."""
        if not 0 <= index < len(self.described.ops):
            raise OutOfRangeError(
                f"BlockDesc.op(index): expected one of {len(self.described.ops)} operators, "
                f"but received {index}."
            )
        return OpDesc(self.described.ops[index])

    def find_var(self, name: str | bytes) -> VarDesc | None:
        """Returns the description of a variable of this block, or None."""
        found = self.described.vars.get(text(name))
        return None if found is None else VarDesc(found)

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        """Returns the description of a variable of this block or one around it, or None."""
        found = self.described._find_var_recursive(text(name))
        return None if found is None else VarDesc(found)

    def has_var(self, name: str | bytes) -> bool:
        """Says whether this block has a variable."""
        return text(name) in self.described.vars

    def has_var_recursive(self, name: str | bytes) -> bool:
        """Says whether this block or one around it has a variable."""
        return self.find_var_recursive(name) is not None

    def all_vars(self) -> list[VarDesc]:
        """Returns the descriptions of all variables, by name."""
        return [VarDesc(self.described.vars[name]) for name in sorted(self.described.vars)]

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message BlockDesc."""
        return to_message(self.described.program).blocks[self.id].SerializeToString()


class ProgramDesc(ProgramWriting, _View):
    """A Program as it is serialized.

    Args:
        program (Program|ProgramDesc|bytes, optional): what is described; of another description or
            of the bytes of one, a new Program is made. None: a new, empty Program.
    """

    described: Program

    def __init__(self, program: Program | ProgramDesc | bytes | None = None) -> None:
        if isinstance(program, ProgramDesc):
            program = program.described.clone()
        elif isinstance(program, bytes):
            program = from_bytes(program)
        super().__init__(Program() if program is None else program)

    @property
    def program(self) -> Program:
        """The Program that it describes."""
        return self.described

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message ProgramDesc."""
        return to_bytes(self.described)

    def num_blocks(self) -> int:
        """Returns the number of blocks."""
        return len(self.described.blocks)

    def block(self, index: int) -> BlockDesc:
        """Returns the description of a block by its position."""
        return BlockDesc(self.described.block(index))

    def _version(self) -> int:
        return self.described.program_version
