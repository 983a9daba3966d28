"""Runs a model by the kernels in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlelite.errors import LiteError
from paddlelite.kernels import KERNELS
from paddlelite.reader import read


class NumpyEngine:
    """A model that is run by NumPy.

    Args:
        content (buffer): the file; stays as it is.
    """

    name = "numpy"

    def __init__(self, content: Any) -> None:
        self.model = read(content)
        tensors = self.model.tensors
        self.inputs = [tensors[i] for i in self.model.inputs]
        self.outputs = [tensors[i].name for i in self.model.outputs]
        last = {i: at for at, op in enumerate(self.model.operators) for i in op.ins}
        kept = {*self.model.outputs, *(i for i, t in enumerate(tensors) if t.value is not None)}
        self._done: list[list[int]] = [[] for _ in self.model.operators]
        for i, at in last.items():
            if i >= 0 and i not in kept:
                self._done[at].append(i)

    def run(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Returns the outputs for some inputs."""
        values: list[Any] = [t.value for t in self.model.tensors]
        for i, array in zip(self.model.inputs, arrays, strict=True):
            values[i] = array
        with np.errstate(all="ignore"):
            for op, done in zip(self.model.operators, self._done):
                # how many results it has says what this one gives
                several = op.name == "multiclass_nms"
                floats = (*op.floats, len(op.outs)) if several else op.floats
                try:
                    made = KERNELS[op.name]([None if i < 0 else values[i] for i in op.ins],
                                            op.ints, floats)  # fmt: skip
                except LiteError as error:
                    place = self.model.tensors[op.outs[0]].name
                    raise LiteError(f"operator {op.name} that makes {place!r}: {error}") from None
                for i, value in zip(op.outs, made):
                    values[i] = value
                for i in done:
                    values[i] = None
        return [np.array(values[i]) for i in self.model.outputs]
