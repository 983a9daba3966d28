"""Descriptions in the style of 2.0's native objects: ``op.desc.input("X")``, ``program.desc``.

They are views: they hold nothing of their own, show what the object is now, and what is written to
them is written to the object. One that is made by itself, ``OpDesc()``, describes an object of its
own that is in no Program yet.
"""

from __future__ import annotations

import copy
from typing import Any

from paddle.core.errors import NotFoundError, OutOfRangeError
from paddle.ir.block import Block
from paddle.ir.cloning import clone
from paddle.ir.operator import Operator
from paddle.ir.operator_checks import check_attributes
from paddle.ir.program import Program
from paddle.ir.recording.shapes import infer_outputs
from paddle.passes.graph import described
from paddle.serialization.program.desc_variable import VarDesc
from paddle.serialization.program.desc_view import View, text
from paddle.serialization.program.proto import (
    from_bytes,
    operator_message,
    to_bytes,
    to_message,
)

__all__ = ["BlockDesc", "OpDesc", "ProgramDesc", "VarDesc"]


class OpDesc(View):
    """What an operator is, attributes with their defaults included.

    Args:
        of (Operator, optional): what is described. None: an empty one outside of any Program, to be
            filled and copied: ``block.desc.append_op().copy_from(desc)``.
    """

    _of: Operator
    _kind = Operator
    _instead = "change the operator: op._set_attr(name, value), op._rename_input(old, new), ..."

    def __init__(self, of: Operator | None = None) -> None:
        super().__init__(Operator(Program().global_block(), "") if of is None else of)

    def type(self) -> str:
        """Returns the operator's name."""
        return self._of.type

    def set_type(self, type: str) -> None:
        """Makes it another operator; slots and attributes stay.

        Args:
            type (str): the operator's name.
        """
        self._of.type = text(type)
        self._of.block.note_change()

    def copy_from(self, other: OpDesc) -> None:
        """Makes it equal to another one.

        Args:
            other (OpDesc): type, slots and attributes are taken from it.
        """
        if not isinstance(other, OpDesc):
            raise TypeError(
                f"OpDesc.copy_from(other): expected an OpDesc, but got {other.__class__.__name__}."
            )
        made, like = self._of, described(other)
        made.type, made.is_target, made.location = like.type, like.is_target, like.location
        made.inputs = {slot: list(names) for slot, names in like.inputs.items()}
        made.outputs = {slot: list(names) for slot, names in like.outputs.items()}
        made.attrs = {name: copy.copy(value) for name, value in like.attrs.items()}
        made.attr_kinds = copy.copy(like.attr_kinds)
        made.block.note_change()

    def set_input(self, name: str, args: Any) -> None:
        """Says what it reads by an input slot.

        Args:
            name (str): the slot.
            args (list[str]): names of variables.
        """
        self._of.inputs[text(name)] = _texts("OpDesc.set_input", args)
        self._of.block.note_change()

    def set_output(self, name: str, args: Any) -> None:
        """Says what it writes by an output slot.

        Args:
            name (str): the slot.
            args (list[str]): names of variables.
        """
        self._of.outputs[text(name)] = _texts("OpDesc.set_output", args)
        self._of.block.note_change()

    def remove_input(self, name: str) -> None:
        """Takes an input slot out.

        Args:
            name (str): the slot.
        """
        self._of.inputs.pop(text(name), None)
        self._of.block.note_change()

    def remove_output(self, name: str) -> None:
        """Takes an output slot out.

        Args:
            name (str): the slot.
        """
        self._of.outputs.pop(text(name), None)
        self._of.block.note_change()

    def _rename_input(self, old: str, new: str) -> None:
        self._of._rename_input(text(old), text(new))

    def _rename_output(self, old: str, new: str) -> None:
        self._of._rename_output(text(old), text(new))

    def input(self, name: str) -> list[str]:
        """Returns the variable names of an input slot."""
        return self._of.input(name)

    def output(self, name: str) -> list[str]:
        """Returns the variable names of an output slot."""
        return self._of.output(name)

    def inputs(self) -> dict[str, list[str]]:
        """Returns the variable names of each input slot."""
        return {slot: list(names) for slot, names in self._of.inputs.items()}

    def outputs(self) -> dict[str, list[str]]:
        """Returns the variable names of each output slot."""
        return {slot: list(names) for slot, names in self._of.outputs.items()}

    def input_names(self) -> list[str]:
        """Returns the names of the input slots."""
        return self._of.input_names

    def output_names(self) -> list[str]:
        """Returns the names of the output slots."""
        return self._of.output_names

    def input_arg_names(self) -> list[str]:
        """Returns the names of all variables that it reads."""
        return self._of.input_arg_names

    def output_arg_names(self) -> list[str]:
        """Returns the names of all variables that it writes."""
        return self._of.output_arg_names

    def get_attr_map(self) -> dict[str, Any]:
        """Returns all attributes; those that nobody gave have their defaults."""
        return {n: copy.copy(v) for n, v in self._of._attrs_with_defaults().items()}

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
        return name in self._of._attrs_with_defaults()

    def attr(self, name: str, with_attr_var: bool = False) -> Any:
        """Returns an attribute.

        Args:
            name (str): the attribute.
            with_attr_var (bool): as in :meth:`attr_names`.
        """
        return self._of.attr(name)

    def attr_type(self, name: str, with_attr_var: bool = False) -> int:
        """Returns the kind of an attribute when it is serialized.

        Args:
            name (str): the attribute.
            with_attr_var (bool): as in :meth:`attr_names`.
        """
        return self._of.attr_type(name)

    def set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute.

        Args:
            name (str): the attribute.
            value: its value; a Block or its description for an operator of control flow.
        """
        listed = isinstance(value, (list, tuple))
        value = [described(each) for each in value] if listed else described(value)
        self._of._set_attr(text(name), value)

    _set_attr = set_block_attr = set_blocks_attr = set_attr

    def remove_attr(self, name: str) -> None:
        """Takes an attribute out; it has its default then.

        Args:
            name (str): the attribute.
        """
        self._of._remove_attr(text(name))

    def _blocks_attr_ids(self, name: str) -> list[int]:
        return [block.idx for block in self._of.attr(name)]

    def block(self) -> BlockDesc:
        """Returns the description of the block it is in."""
        return BlockDesc(self._of.block)

    def check_attrs(self) -> None:
        """Checks the attributes against the operator's declaration.

        Raises:
            InvalidArgumentError: one is of another kind.
            NotFoundError: there is no such operator.
        """
        if self._of.declared is None:
            raise NotFoundError(f"Operator {self._of.type!r} has not been registered.")
        check_attributes(self._of)

    def infer_var_type(self, block: BlockDesc | None = None) -> None:
        """Finds the types of its results, which are made where they are missing.

        Args:
            block (BlockDesc): the block it is in, which it knows.
        """
        home = self._of.block
        found = {n: home._find_var_recursive(n) for n in self._of.output_arg_names}
        shapes = {n: () if var is None else var.shape for n, var in found.items()}
        infer_outputs(self._of)
        for name, shape in shapes.items():
            home._var_recursive(name).shape = shape

    def infer_shape(self, block: BlockDesc | None = None) -> None:
        """Finds shape and type of its results from what its inputs are now.

        Args:
            block (BlockDesc): the block it is in, which it knows.
        """
        infer_outputs(self._of)
        self._of.block.note_change()

    def is_target(self) -> bool:
        """Says whether a Program that is pruned keeps it."""
        return self._of.is_target

    def set_is_target(self, target: bool) -> None:
        """Says whether a Program that is pruned keeps it.

        Args:
            target (bool): it does.
        """
        self._of.is_target = target

    def _block_attr_id(self, name: str) -> int:
        return self._of._block_attr_id(name)

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message OpDesc."""
        return operator_message(self._of).SerializeToString()


class BlockDesc(View):
    """What a block is: its variables and operators.

    Args:
        of (Block): what is described.
    """

    _of: Block
    _kind = Block
    _instead = "change the block: block.append_op(...), block.create_var(...), ..."

    @property
    def id(self) -> int:
        """Its position in the Program."""
        return self._of.idx

    @property
    def parent(self) -> int:
        """The position of the block around it; -1 for the global one."""
        return self._of.parent_idx

    def get_forward_block_idx(self) -> int:
        """Returns the block that this one computes gradients of, or -1."""
        return self._of.forward_block_idx

    def _set_forward_block_idx(self, idx: int) -> None:
        self._of._set_forward_block_idx(idx)

    def op_size(self) -> int:
        """Returns the number of operators."""
        return len(self._of.ops)

    def op(self, index: int) -> OpDesc:
        """Returns the description of an operator by its position."""
        if not 0 <= index < len(self._of.ops):
            raise OutOfRangeError(
                f"BlockDesc.op(index): expected one of {len(self._of.ops)} operators, "
                f"but received {index}."
            )
        return OpDesc(self._of.ops[index])

    def append_op(self) -> OpDesc:
        """Adds an empty operator at the end; returns its description, to be filled."""
        return self._insert_op(len(self._of.ops))

    def _prepend_op(self) -> OpDesc:
        return self._insert_op(0)

    def _insert_op(self, index: int) -> OpDesc:
        self._check_place("_insert_op(index)", index)
        made = Operator(self._of, "")
        self._of.ops.insert(index, made)
        self._of.note_change()
        return OpDesc(made)

    def _remove_op(self, start: int, end: int) -> None:
        for place in (start, end):
            self._check_place("_remove_op(start, end)", place)
        del self._of.ops[start:end]
        self._of.note_change()

    def _check_place(self, call: str, place: int) -> None:
        if not 0 <= place <= len(self._of.ops):
            raise OutOfRangeError(
                f"BlockDesc.{call}: expected places from 0 to {len(self._of.ops)}, "
                f"but received {place}."
            )

    def var(self, name: str | bytes) -> VarDesc:
        """Returns the description of a variable of this block, which is made if there is none."""
        return self.find_var(name) or VarDesc(self._of.create_var(name=text(name)))

    def _remove_var(self, name: str | bytes) -> None:
        self._of._remove_var(text(name))

    def _rename_var(self, old: str | bytes, new: str | bytes) -> None:
        self._of._rename_var(text(old), text(new))

    def find_var(self, name: str | bytes) -> VarDesc | None:
        """Returns the description of a variable of this block, or None."""
        found = self._of.vars.get(text(name))
        return None if found is None else VarDesc(found)

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        """Returns the description of a variable of this block or one around it, or None."""
        found = self._of._find_var_recursive(text(name))
        return None if found is None else VarDesc(found)

    def has_var(self, name: str | bytes) -> bool:
        """Says whether this block has a variable."""
        return text(name) in self._of.vars

    def has_var_recursive(self, name: str | bytes) -> bool:
        """Says whether this block or one around it has a variable."""
        return self.find_var_recursive(name) is not None

    def all_vars(self) -> list[VarDesc]:
        """Returns the descriptions of all variables, by name."""
        return [VarDesc(self._of.vars[name]) for name in sorted(self._of.vars)]

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message BlockDesc."""
        return to_message(self._of.program).blocks[self.id].SerializeToString()


class ProgramDesc(View):
    """A Program as it is serialized.

    Args:
        of (Program|ProgramDesc|bytes, optional): what is described; a description is copied, its
            bytes are read. None: a Program of its own with one empty block.
    """

    _of: Program
    _kind = Program
    _instead = "change the Program: its blocks, operators and variables"

    def __init__(self, of: Program | ProgramDesc | bytes | None = None) -> None:
        if isinstance(of, ProgramDesc):
            of = clone(described(of))
        elif isinstance(of, bytes):
            of = from_bytes(of)
        super().__init__(Program() if of is None else of)

    @property
    def program(self) -> Program:
        """The Program that it describes."""
        return self._of

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message ProgramDesc."""
        return to_bytes(self._of)

    def parse_from_string(self, data: bytes) -> None:
        """Makes it what the bytes of the protobuf message ProgramDesc say.

        Args:
            data (bytes): what :meth:`serialize_to_string` returned.
        """
        self.take(from_bytes(data))

    def take(self, other: Program) -> None:
        """Takes the blocks of another Program, which is not used any more.

        Args:
            other (Program): a Program of one's own.
        """
        program = self._of
        program.blocks, program.program_version = other.blocks, other.program_version
        for block in program.blocks:
            block.program = program
        program.note_change()

    def num_blocks(self) -> int:
        """Returns the number of blocks."""
        return len(self._of.blocks)

    def append_block(self, parent: BlockDesc) -> BlockDesc:
        """Adds an empty block, for an operator of control flow.

        Args:
            parent (BlockDesc): the block around it.
        """
        return BlockDesc(self._of.create_block(described(parent)))

    def block(self, index: int) -> BlockDesc:
        """Returns the description of a block by its position."""
        return BlockDesc(self._of.block(index))

    def flush(self) -> None:
        """Has nothing to do: a description shows what the Program is now."""

    def _version(self) -> int:
        return self._of.program_version

    def _set_version(self, version: int = 0) -> None:
        self._of.program_version = version
        self._of.note_change()


def _texts(call: str, names: Any) -> list[str]:
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__"):
        raise TypeError(f"{call}: expected a list of names, but got {type(names).__name__}.")
    return [text(name) for name in names]
