"""Descriptions in the style of 2.0's native objects: ``op.desc.input("X")``, ``program.desc``.

They are views: they hold nothing of their own and show what the object is now. Through them is
written what libraries of 1.x write; for the rest the objects themselves have methods.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from paddle.core.errors import NotFoundError, OutOfRangeError, UnimplementedError
from paddle.ir.recording.shapes import infer_outputs
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program.proto import (
    operator_message,
    to_bytes,
    to_message,
    variable_message,
)

if TYPE_CHECKING:
    from paddle.ir.block import Block
    from paddle.ir.operator import Operator
    from paddle.ir.program import Program

_WRITING = ("set_", "_set_", "remove_", "_remove_", "_rename_", "append_", "_insert_", "_prepend_",
            "clear_", "copy_from", "infer_", "check_attrs", "flush", "_move_from")  # fmt: skip


class _View:
    """What the descriptions have in common: equality, and that little is written to them."""

    _instead: ClassVar[str]

    def __init__(self, of: Any) -> None:
        self._of = of

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._of is self._of  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), id(self._of)))

    def __getattr__(self, name: str) -> Callable:
        kind = type(self).__name__
        if not name.startswith(_WRITING):
            raise AttributeError(f"{kind} has no attribute {name!r}")

        def refuse(*args: Any, **kwargs: Any) -> None:
            raise UnimplementedError(
                f"{kind}.{name}: this is not written through a description.", hint=self._instead
            )

        return refuse


class OpDesc(_View):
    """What an operator is, attributes with their defaults included.

    Args:
        op (Operator): what is described.
    """

    _of: Operator
    _instead = "change the operator: op._set_attr(name, value), op._rename_input(old, new), ..."

    def type(self) -> str:
        """Returns the operator's name."""
        return self._of.type

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

    def block(self) -> BlockDesc:
        """Returns the description of the block it is in."""
        return BlockDesc(self._of.block)

    def infer_shape(self, block: BlockDesc | None = None) -> None:
        """Finds shape and type of its results from what its inputs are now.

        Args:
            block (BlockDesc): the block it is in, which it knows.
        """
        infer_outputs(self._of)
        for name in self._of.output_arg_names:
            var = self._of.block._find_var_recursive(name)
            if var is not None:
                var.shape = var.shape  # so that the Program notes the change

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


class VarDesc(_View):
    """What a variable is.

    Args:
        var (Variable): what is described.
    """

    _of: Variable
    _instead = "change the variable: var.stop_gradient = True, var.shape = [...], ..."

    def name(self) -> str:
        """Returns its name."""
        return self._of.name

    def type(self) -> Any:
        """Returns the kind of variable: LOD_TENSOR, LOD_TENSOR_ARRAY, ..."""
        return self._of.type

    def shape(self) -> list[int]:
        """Returns its shape; -1 stands for an unknown dimension."""
        return list(self._of.shape)

    get_shape = shape

    def set_shape(self, shape: Any) -> None:
        """Gives it another shape, which no other variable follows.

        Args:
            shape (list): the sizes; -1 stands for an unknown one.
        """
        self._of.shape = shape

    def dtype(self) -> Any:
        """Returns its data type."""
        return self._of.dtype

    def lod_level(self) -> int:
        """Returns how many LoD levels it has."""
        return self._of.lod_level

    def persistable(self) -> bool:
        """Says whether it outlives a run."""
        return self._of.persistable

    def set_persistable(self, persistable: bool) -> None:
        """Says whether it outlives a run.

        Args:
            persistable (bool): it does.
        """
        self._of.persistable = persistable

    def stop_gradient(self) -> bool:
        """Says whether it gets no gradient."""
        return self._of.stop_gradient

    def need_check_feed(self) -> bool:
        """Says whether the Executor checks what is fed."""
        return self._of.need_check_feed

    def is_parameter(self) -> bool:
        """Says whether it is a Parameter."""
        return isinstance(self._of, Parameter)

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message VarDesc."""
        return variable_message(self._of).SerializeToString()


class BlockDesc(_View):
    """What a block is: its variables and operators.

    Args:
        block (Block): what is described.
    """

    _of: Block
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

    def var(self, name: str | bytes) -> VarDesc:
        """Returns the description of a variable of this block."""
        found = self.find_var(name)
        if found is None:
            raise NotFoundError(f"BlockDesc.var: block {self.id} has no variable {_text(name)!r}.")
        return found

    def find_var(self, name: str | bytes) -> VarDesc | None:
        """Returns the description of a variable of this block, or None."""
        found = self._of.vars.get(_text(name))
        return None if found is None else VarDesc(found)

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        """Returns the description of a variable of this block or one around it, or None."""
        found = self._of._find_var_recursive(_text(name))
        return None if found is None else VarDesc(found)

    def has_var(self, name: str | bytes) -> bool:
        """Says whether this block has a variable."""
        return _text(name) in self._of.vars

    def has_var_recursive(self, name: str | bytes) -> bool:
        """Says whether this block or one around it has a variable."""
        return self.find_var_recursive(name) is not None

    def all_vars(self) -> list[VarDesc]:
        """Returns the descriptions of all variables, by name."""
        return [VarDesc(self._of.vars[name]) for name in sorted(self._of.vars)]

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message BlockDesc."""
        return to_message(self._of.program).blocks[self.id].SerializeToString()


class ProgramDesc(_View):
    """A Program as it is serialized.

    Args:
        program (Program): what is described.
    """

    _of: Program
    _instead = "change the Program: its blocks, operators and variables"

    @property
    def program(self) -> Program:
        """The Program that it describes."""
        return self._of

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message ProgramDesc."""
        return to_bytes(self._of)

    def num_blocks(self) -> int:
        """Returns the number of blocks."""
        return len(self._of.blocks)

    def block(self, index: int) -> BlockDesc:
        """Returns the description of a block by its position."""
        return BlockDesc(self._of.block(index))

    def flush(self) -> None:
        """Has nothing to do: a description shows what the Program is now."""

    def _version(self) -> int:
        return self._of.program_version

    def _set_version(self, version: int = 0) -> None:
        self._of.program_version = version
        self._of._changed()


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name
