"""What is written through descriptions: each change is made to the object that is described."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from paddle.core.errors import NotFoundError, OutOfRangeError
from paddle.ir.cloning import copy_operator
from paddle.ir.operator import Operator
from paddle.ir.operator_checks import check_attributes
from paddle.ir.recording.shapes import infer_outputs
from paddle.ir.variable import Variable

if TYPE_CHECKING:
    from paddle.ir.block import Block
    from paddle.ir.program import Program


def text(name: str | bytes) -> str:
    """A name, which 2.0's native objects take as bytes too."""
    return name.decode() if isinstance(name, bytes) else name


def _texts(names: Any) -> list[str]:
    listed = [names] if isinstance(names, (str, bytes)) else names
    return [text(n) if isinstance(n, (str, bytes)) else n.name() for n in listed]


class OpWriting:
    """What is written of an operator."""

    described: Operator

    def _note(self) -> None:
        self.described.block.program.note_change()

    def set_type(self, type: str) -> None:
        """Makes it another operator.

        Args:
            type (str): the operator's name.
        """
        self.described.type = text(type)
        self._note()

    def set_input(self, name: str, names: Iterable[str]) -> None:
        """Says what an input slot reads.

        Args:
            name (str): the slot.
            names (list[str]): variables.
        """
        self.described.inputs[name] = _texts(names)
        self._note()

    def set_output(self, name: str, names: Iterable[str]) -> None:
        """Says what an output slot writes.

        Args:
            name (str): the slot.
            names (list[str]): variables.
        """
        self.described.outputs[name] = _texts(names)
        self._note()

    def remove_input(self, name: str) -> None:
        """Takes an input slot away."""
        self.described.inputs.pop(name, None)
        self._note()

    def remove_output(self, name: str) -> None:
        """Takes an output slot away."""
        self.described.outputs.pop(name, None)
        self._note()

    def _rename_input(self, old: str, new: str) -> None:
        self.described._rename_input(text(old), text(new))

    def _rename_output(self, old: str, new: str) -> None:
        self.described._rename_output(text(old), text(new))

    def _set_attr(self, name: str, value: Any) -> None:
        if isinstance(value, BlockWriting):
            value = value.described
        elif isinstance(value, list) and any(isinstance(v, BlockWriting) for v in value):
            value = [v.described for v in value]
        self.described._set_attr(name, value)

    def set_block_attr(self, name: str, block: BlockWriting) -> None:
        """Sets an attribute to a block.

        Args:
            name (str): the attribute.
            block (BlockDesc): the block.
        """
        self._set_attr(name, block)

    def set_blocks_attr(self, name: str, blocks: list[BlockWriting]) -> None:
        """Sets an attribute to several blocks.

        Args:
            name (str): the attribute.
            blocks (list[BlockDesc]): the blocks.
        """
        self._set_attr(name, list(blocks))

    def remove_attr(self, name: str) -> None:
        """Takes an attribute away; it then has its default."""
        self.described._remove_attr(name)

    def copy_from(self, other: OpWriting) -> None:
        """Becomes like another operator, in the block where it is.

        Args:
            other (OpDesc): the other one.
        """
        source, here = other.described, self.described
        made = source if source.sub_blocks else copy_operator(source, here.block)
        here.type, here.attr_kinds = made.type, made.attr_kinds
        here.inputs = {s: list(names) for s, names in made.inputs.items()}
        here.outputs = {s: list(names) for s, names in made.outputs.items()}
        here.attrs = dict(made.attrs)
        self._note()

    def check_attrs(self) -> None:
        """Checks the attributes against what the operator declares.

        Raises:
            ValueError: one is of another kind.
        """
        if self.described.declared is None:
            raise NotFoundError(f"Operator {self.described.type!r} has not been registered.")
        check_attributes(self.described)

    def infer_shape(self, block: BlockWriting | None = None) -> None:
        """Finds shape and type of its results from what its inputs are now.

        Args:
            block (BlockDesc): the block it is in, which it knows.
        """
        infer_outputs(self.described)
        self._note()

    def infer_var_type(self, block: BlockWriting | None = None) -> None:
        """Finds the type of its results, which are made where they are missing.

        Args:
            block (BlockDesc): the block it is in, which it knows.
        """
        home = self.described.block
        found = {n: home._find_var_recursive(n) for n in self.described.output_arg_names}
        shapes = {n: () if var is None else var.shape for n, var in found.items()}
        infer_outputs(self.described)
        for name, shape in shapes.items():
            home._var_recursive(name).shape = shape

    def is_target(self) -> bool:
        """Says whether a Program that is pruned keeps it."""
        return self.described.is_target

    def set_is_target(self, target: bool) -> None:
        """Says whether a Program that is pruned keeps it.

        Args:
            target (bool): it does.
        """
        self.described.is_target = target


class VarWriting:
    """What is written of a variable."""

    described: Variable

    def set_name(self, name: str) -> None:
        """Renames it, in the operators too."""
        self.described.name = text(name)

    def set_shape(self, shape: Any) -> None:
        """Gives it another shape, which no other variable follows.

        Args:
            shape (list): the sizes; -1 stands for an unknown one.
        """
        self.described.shape = shape

    def set_dtype(self, dtype: Any) -> None:
        """Gives it another data type."""
        self.described.dtype = dtype

    def set_type(self, type: Any) -> None:
        """Makes it another kind of variable: LOD_TENSOR, LOD_TENSOR_ARRAY, ..."""
        self.described.type = type

    def set_lod_level(self, lod_level: int) -> None:
        """Sets the number of LoD levels."""
        self.described.lod_level = lod_level

    def set_persistable(self, persistable: bool) -> None:
        """Says whether it outlives a run.

        Args:
            persistable (bool): it does.
        """
        self.described.persistable = persistable

    def set_stop_gradient(self, stop_gradient: bool) -> None:
        """Says whether it gets no gradient."""
        self.described.stop_gradient = stop_gradient

    def set_need_check_feed(self, need_check_feed: bool) -> None:
        """Says whether the Executor checks what is fed."""
        self.described.need_check_feed = bool(need_check_feed)
        self.described.block.program.note_change()


class BlockWriting:
    """What is written of a block."""

    described: Block

    def _insert(self, at: int) -> Any:
        made = Operator(self.described, "")
        self.described.ops.insert(at, made)
        self.described.program.note_change()
        return made.desc

    def append_op(self) -> Any:
        """Adds an empty operator at the end, to be written through what is returned.

        Returns:
            OpDesc: the operator, without a type.
        """
        return self._insert(len(self.described.ops))

    def _prepend_op(self) -> Any:
        return self._insert(0)

    def _insert_op(self, index: int) -> Any:
        return self._insert(index)

    def _remove_op(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= len(self.described.ops):
            raise OutOfRangeError(
                f"BlockDesc._remove_op: expected a range of {len(self.described.ops)} operators, "
                f"but received [{start}, {end})."
            )
        del self.described.ops[start:end]
        self.described.program.note_change()

    def var(self, name: str | bytes) -> Any:
        """Returns the description of a variable of this block, which is made if it is not there."""
        return self.described.create_var(name=text(name)).desc

    def _remove_var(self, name: str | bytes) -> None:
        self.described._remove_var(text(name))

    def _rename_var(self, old: str | bytes, new: str | bytes) -> None:
        self.described._rename_var(text(old), text(new))

    def _set_forward_block_idx(self, index: int) -> None:
        self.described.forward_block_idx = index


class ProgramWriting:
    """What is written of a Program."""

    described: Program

    def append_block(self, parent: BlockWriting) -> Any:
        """Adds a block inside of another one.

        Args:
            parent (BlockDesc): the block around it.

        Returns:
            BlockDesc: the new block.
        """
        before = self.described.current_block_idx
        made = self.described._create_block(parent.described.idx)
        self.described.current_block_idx = before
        return made.desc

    def flush(self) -> None:
        """Has nothing to do: a description shows what the Program is now."""

    def _set_version(self, version: int = 0) -> None:
        self.described.program_version = version
        self.described.note_change()
