"""What stands in a Program for eager Tensors that recorded code meets."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.tensor import Parameter, Tensor
from paddle.ir.program import Program
from paddle.ir.variable import Variable


class Captured:
    """The eager Tensors that recorded code uses, as stored variables of its Program.

    Args:
        program (Program): where their variables are made.

    Attributes:
        tensors (dict[str, Tensor]): them, by the name of their variable.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tensors: dict[str, Tensor] = {}
        self._names: dict[int, str] = {}

    def take(self, tensor: Tensor) -> Variable:
        """Returns the variable that stands for a Tensor; the first call makes it."""
        block = self.program.global_block()
        name = self._names.get(id(tensor))
        if name is None:
            name = tensor.name
            while name in block.vars:
                name = unique_name.generate(tensor.name)
            self._names[id(tensor)] = name
            self.tensors[name] = tensor
            self._declare(block, name, tensor)
        return block.vars[name]

    @staticmethod
    def _declare(block: Any, name: str, tensor: Tensor) -> None:
        shape, dtype = tensor.shape, tensor.dtype
        if isinstance(tensor, Parameter) and all(shape):
            block.create_parameter(
                name=name, shape=shape, dtype=dtype, trainable=not tensor.stop_gradient,
                optimize_attr=tensor.optimize_attr, regularizer=tensor.regularizer,
                need_clip=tensor.need_clip,
            )  # fmt: skip
            return
        block.create_var(
            name=name, shape=shape, dtype=dtype, persistable=True,
            stop_gradient=tensor.stop_gradient,
        )  # fmt: skip
