"""Descriptions of variables, ``x.desc``; see ``desc.py``."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable, sizes
from paddle.serialization.program.desc_view import View, text
from paddle.serialization.program.proto import variable_message

__all__ = ["VarDesc"]


class VarDesc(View):
    """What a variable is; ``VarDesc.VarType`` names the types there are.

    Args:
        of (Variable|str): what is described, or the name of one that is in no Program yet.
    """

    VarType = VarType
    _of: Variable
    _kind = Variable
    _instead = "what a variable is for is said when it is made: block.create_parameter(...)"

    def __init__(self, of: Variable | str) -> None:
        if isinstance(of, (str, bytes)):
            of = Program().global_block().create_var(name=text(of))
        super().__init__(of)

    def name(self) -> str:
        """Returns its name."""
        return self._of.name

    def set_name(self, name: str) -> None:
        """Renames it, in the operators that use it as well.

        Args:
            name (str): its name from now on.
        """
        self._of.name = text(name)

    def type(self) -> Any:
        """Returns the kind of variable: LOD_TENSOR, LOD_TENSOR_ARRAY, ..."""
        return self._of.type

    def set_type(self, type: Any) -> None:
        """Makes it another kind of variable.

        Args:
            type (VarType): LOD_TENSOR, SELECTED_ROWS, LOD_TENSOR_ARRAY, ...
        """
        known = [kind for kind in VarType if kind == type]
        if not known:
            raise InvalidArgumentError(f"VarDesc.set_type: expected a VarType, but got {type!r}.")
        self._of.type = known[0]

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

    def set_dtype(self, dtype: Any) -> None:
        """Gives it another data type.

        Args:
            dtype (VarType|str): FP32, INT64, ...
        """
        self._of.dtype = dtype

    def lod_level(self) -> int:
        """Returns how many LoD levels it has."""
        return self._of.lod_level

    def set_lod_level(self, lod_level: int) -> None:
        """Gives it another number of LoD levels.

        Args:
            lod_level (int): 0 for a dense tensor.
        """
        if isinstance(lod_level, bool) or not isinstance(lod_level, int) or lod_level < 0:
            raise InvalidArgumentError(
                f"VarDesc.set_lod_level: expected an int >= 0, but got {lod_level!r}."
            )
        self._of.lod_level = lod_level

    def dtypes(self) -> list[Any]:
        """Returns the data types of what a READER reads."""
        return [VarType(each.tensor.data_type) for each in self._read().type.reader.lod_tensor]

    def shapes(self) -> list[list[int]]:
        """Returns the shapes of what a READER reads."""
        return [list(each.tensor.dims) for each in self._read().type.reader.lod_tensor]

    def lod_levels(self) -> list[int]:
        """Returns the numbers of LoD levels of what a READER reads."""
        return [each.lod_level for each in self._read().type.reader.lod_tensor]

    def set_dtypes(self, dtypes: Any) -> None:
        """Says of which data types the tensors are that a READER reads.

        Args:
            dtypes (list[VarType|str]): one for each.
        """
        message, parts = self._parts("set_dtypes", dtypes)
        for part, dtype in zip(parts, dtypes, strict=True):
            part.tensor.data_type = int(to_vartype(dtype))
        self._of.raw_fields = message.SerializePartialToString()

    def set_shapes(self, shapes: Any) -> None:
        """Says of which shapes the tensors are that a READER reads.

        Args:
            shapes (list[list[int]]): one for each; -1 stands for an unknown size.
        """
        message, parts = self._parts("set_shapes", shapes)
        for part, shape in zip(parts, shapes, strict=True):
            part.tensor.dims[:] = sizes(shape, self.name())
        self._of.raw_fields = message.SerializePartialToString()

    def set_lod_levels(self, lod_levels: Any) -> None:
        """Says how many LoD levels the tensors have that a READER reads.

        Args:
            lod_levels (list[int]): one for each.
        """
        message, parts = self._parts("set_lod_levels", lod_levels)
        for part, level in zip(parts, lod_levels, strict=True):
            part.lod_level = level
        self._of.raw_fields = message.SerializePartialToString()

    def _read(self) -> Any:
        """The message of a READER, which alone holds what it reads."""
        if self._of.type != VarType.READER:
            raise InvalidArgumentError(
                f"VarDesc of {self.name()!r}: expected a READER, the kind of variable that stands "
                f"for several tensors, but it is {self._of.type.name}."
            )
        return variable_message(self._of)

    def _parts(self, call: str, values: Any) -> tuple[Any, Any]:
        message = self._read()
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise TypeError(f"VarDesc.{call}: expected a list, but got {type(values).__name__}.")
        parts = message.type.reader.lod_tensor
        while len(parts) < len(values):
            parts.add().tensor.data_type = int(VarType.FP32)
        del parts[len(values) :]
        return message, parts

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

    def set_stop_gradient(self, stop_gradient: bool) -> None:
        """Says whether it gets no gradient.

        Args:
            stop_gradient (bool): it gets none.
        """
        self._of.stop_gradient = stop_gradient

    def need_check_feed(self) -> bool:
        """Says whether the Executor checks what is fed."""
        return self._of.need_check_feed

    def set_need_check_feed(self, need_check_feed: bool) -> None:
        """Says whether the Executor checks what is fed.

        Args:
            need_check_feed (bool): it does.
        """
        self._of.need_check_feed = bool(need_check_feed)

    def is_parameter(self) -> bool:
        """Says whether it is a Parameter."""
        return isinstance(self._of, Parameter)

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message VarDesc."""
        return variable_message(self._of).SerializeToString()
