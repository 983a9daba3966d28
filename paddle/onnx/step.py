"""Step: one operator of a Program as a rule sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core.dtype import VarType, numpy_dtype
from paddle.core.op import REQUIRED
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.onnx.element_types import is_floating
from paddle.onnx.graph import Graph

if TYPE_CHECKING:
    from paddle.onnx.conversion import Conversion


class Refused(Exception):
    """A rule cannot express an operator with the attributes or sizes that it has."""


class Step:
    """An operator that is being converted: its inputs as values of ONNX, attributes and shapes.

    Args:
        op (Operator): the operator.
        graph (Graph): where its nodes go.
        conversion (Conversion): what it is a part of.
        env (dict): variable -> value.
    """

    def __init__(
        self, op: Operator, graph: Graph, conversion: Conversion, env: dict[str, str]
    ) -> None:
        self.op = op
        self.graph = graph
        self.conversion = conversion
        self.env = env

    # -- inputs -------------------------------------------------------------------------------

    def __getitem__(self, slot: str) -> str:
        """The value of an input slot."""
        return self.values(slot)[0]

    def get(self, slot: str) -> str | None:
        """The value of an input slot, or None where nothing was given."""
        found = self.values(slot)
        return found[0] if found else None

    def has(self, slot: str) -> bool:
        """Says whether something was given in an input slot."""
        return bool(self._names(slot))

    def values(self, slot: str) -> list[str]:
        """The values of an input slot that takes several."""
        names = self._names(slot)
        for name in names:
            if name not in self.env and self._is_array(name):
                self.env[name] = self.graph.sequence(self.op.block._var_recursive(name).dtype)
            if name not in self.env:
                raise Refused(f"nothing in ONNX's form of what is before gives its input {slot}")
        return [self.env[name] for name in names]

    def _is_array(self, name: str) -> bool:
        found = self.op.block._find_var_recursive(name)
        return found is not None and found.type == VarType.LOD_TENSOR_ARRAY

    def _names(self, slot: str) -> list[str]:
        return [n for n in self.op.inputs.get(slot, ()) if n != EMPTY]

    def known(self, slot: str) -> np.ndarray | None:
        """The numbers of an input that is a constant; None for any other, and where none is."""
        found = self.get(slot)
        return None if found is None else self.graph.known(found)

    # -- what is said of variables ------------------------------------------------------------

    def _variable(self, slot: str, at: int = 0) -> Any:
        names = self._names(slot) or [n for n in self.op.outputs.get(slot, ()) if n != EMPTY]
        return self.op.block._var_recursive(names[at])

    def shape(self, slot: str, at: int = 0) -> list[int]:
        """The sizes of an input or output, -1 where only a run can tell."""
        return list(self._variable(slot, at).shape)

    def rank(self, slot: str, at: int = 0) -> int:
        """How many dimensions an input or output has."""
        return len(self.shape(slot, at))

    def dtype(self, slot: str, at: int = 0) -> VarType:
        """The element type of an input or output."""
        return self._variable(slot, at).dtype

    def is_floating(self, slot: str) -> bool:
        """Says whether an input or output holds fractions."""
        return is_floating(self.dtype(slot))

    def wants(self, slot: str) -> bool:
        """Says whether somebody reads an output."""
        return any(n in self.conversion.read for n in self.op.outputs.get(slot, ()))

    def outputs(self, slot: str) -> int:
        """How many variables an output slot has."""
        return len(self.op.outputs.get(slot, ()))

    def axis(self, name: str, slot: str = "X") -> int:
        """An attribute that counts dimensions of an input, as a number from 0."""
        axis, rank = int(self.attr(name)), self.rank(slot)
        return axis + rank if axis < 0 else axis

    # -- attributes ---------------------------------------------------------------------------

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute; a missing one has its default, or else ``default``."""
        if name in self.op.attrs:
            return self.op.attrs[name]
        known = self.op.definition
        found = None if known is None else known.attrs.get(name)
        return default if found is None or found is REQUIRED else found

    def ints(self, name: str) -> list[int]:
        """An attribute that is a list of integers, or one; [] where it is missing."""
        found = self.attr(name)
        if found is None:
            return []
        return [int(v) for v in found] if isinstance(found, (list, tuple)) else [int(found)]

    # -- making values ------------------------------------------------------------------------

    def number(self, value: Any, slot: str = "X") -> str:
        """A constant of rank 0 of the type that an input or output has."""
        return self.graph.constant(value, self.dtype(slot))

    def sizes(self, slot: str, axes: Sequence[int] | None = None, at: int = 0) -> str:
        """Sizes of an input as an int64 vector: a constant, if they are known."""
        dims = self.shape(slot, at)
        chosen = range(len(dims)) if axes is None else axes
        return self.graph.sizes(self.values(slot)[at], dims, list(chosen))

    def vector(self, *slots: str, attr: str = "") -> list[int] | str:
        """Integers that an attribute gives, or tensors in its place: a list, or an int64 value.

        Args:
            *slots: input slots that come before the attribute, the first one given counts: one
                tensor of all numbers, or a list of tensors of one number each.
            attr (str): the attribute.
        """
        g = self.graph
        for slot in slots:
            given = self.values(slot)
            if not given:
                continue
            parts = [self._flat(slot, i, v) for i, v in enumerate(given)]
            numbers = [g.known_ints(v) for v in parts]
            if all(n is not None for n in numbers):
                return [v for n in numbers for v in n or ()]
            return parts[0] if len(parts) == 1 else g.Concat(*parts, axis=0)
        return self.ints(attr)

    def _flat(self, slot: str, at: int, value: str) -> str:
        """Integers as an int64 vector."""
        g, rank = self.graph, self.rank(slot, at)
        known = g.known_ints(value)
        if known is not None:
            return g.value(known)
        value = g.int64(value, self.dtype(slot, at))
        # Not every vector goes through a Reshape: onnxruntime 1.32 takes one in front of the shape
        # of another Reshape for a chain of two, and joins them.
        return value if rank == 1 else g.unsqueeze(value, [0]) if rank == 0 else g.Reshape(
            value, [-1]
        )  # fmt: skip

    def scalar(self, value: str, slot: str = "Out") -> str:
        """A value of rank 0 as the Program says that it is: of shape [1] in 2.0.

        This is the one place where that is decided: whatever drops all dimensions comes here.
        """
        return value if self.rank(slot) == 0 else self.graph.Reshape(value, [1])

    def bound(self, values: Mapping[str, str], dtypes: Sequence[VarType]) -> Mapping[str, Any]:
        """Lets variables have values, whether they are in an output slot or not.

        Args:
            values (Mapping): variable -> value.
            dtypes (Sequence[VarType]): their element types.

        Returns:
            dict: what a rule returns then: nothing for the slots.
        """
        self.env.update(values)
        self.graph.model.dtypes.update(zip(values.values(), dtypes))
        return {}

    def of_sizes(self, why: str) -> dict[str, Any]:
        """Computes an operator that goes by nothing of its inputs but their sizes.

        Args:
            why (str): what the refusal says where a size is not known.
        """
        shapes = {slot: [self.shape(slot, i) for i in range(len(names))]
                  for slot, names in self.op.inputs.items()}  # fmt: skip
        if any(-1 in shape for listed in shapes.values() for shape in listed):
            raise Refused(why)
        return self.conversion.computed(self, {
            slot: [np.zeros(shape, numpy_dtype(self.dtype(slot, i)))
                   for i, shape in enumerate(listed)]
            for slot, listed in shapes.items()
        })  # fmt: skip

    def refuse(self, why: str) -> Exception:
        """Returns the error to raise where ONNX cannot say what the operator asks for."""
        return Refused(why)

    # -- blocks -------------------------------------------------------------------------------

    def block(self, name: str = "sub_block") -> Block:
        """A block among the attributes."""
        return self.op.attrs[name]

    def convert_block(self, block: Block, given: Mapping[str, str]) -> tuple[Graph, dict[str, str]]:
        """Converts the operators of a block into a Graph of their own.

        Args:
            block (Block): the block.
            given (Mapping): variables that have other values inside: inputs of a ``Loop``'s body.

        Returns:
            tuple: the Graph, and the values of all variables at its end. Values of the graphs
            around it may be used inside.
        """
        inner = Graph(self.graph.model)
        env = {**self.env, **given}
        self.conversion.convert(block, inner, env)
        return inner, env
