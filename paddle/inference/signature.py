"""What a saved model takes and gives, as its Program states it: names, shapes and dtypes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paddle.core.dtype import VarType, dtype_name, numpy_dtype
from paddle.ir.inference import feed_names, fetch_variables
from paddle.ir.program import Program
from paddle.ir.variable import Variable

_DENSE = (VarType.LOD_TENSOR, VarType.SELECTED_ROWS)


class Argument(NamedTuple):
    """An input or an output of a model.

    Attributes:
        name (str): the variable.
        shape (tuple[int, ...]): the sizes; -1 where a size is known only in a run.
        dtype (str): the element type, such as ``"float32"``.
        lod_level (int): number of LoD levels; 0 for a dense tensor.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    lod_level: int = 0

    @property
    def numpy(self) -> np.dtype:
        """NumPy's dtype for the elements; bfloat16 has its bits as uint16."""
        return numpy_dtype(self.dtype)

    def __str__(self) -> str:
        sizes = ", ".join("?" if size < 0 else str(size) for size in self.shape)
        lod = f", {self.lod_level} LoD levels" if self.lod_level else ""
        return f"{self.name}: {self.dtype} [{sizes}]{lod}"


class Signature(NamedTuple):
    """The inputs and outputs of a model, each in the model's order."""

    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @classmethod
    def of(cls, program: Program) -> Signature:
        """Reads the signature off a Program for inference.

        Args:
            program (Program): states its inputs and outputs by feed and fetch operators.
        """
        variables = program.global_block().vars
        inputs = (argument(variables[name]) for name in feed_names(program))
        return cls(tuple(inputs), tuple(map(argument, fetch_variables(program))))


def argument(var: Variable) -> Argument:
    """Returns what a Program states of a variable."""
    if var.type not in _DENSE:
        return Argument(var.name, (), str(var.type).rpartition(".")[2].lower())
    return Argument(var.name, tuple(var.shape), dtype_name(var.dtype), var.lod_level)
