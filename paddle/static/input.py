"""InputSpec: shape, dtype and name of an input that is not there yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor

__all__ = ["InputSpec"]


class InputSpec:
    """Describes an input.

    Args:
        shape (list|tuple): sizes; None or -1 for one that varies.
        dtype (str|np.dtype): element type. Default: float32.
        name (str, optional): name of the input.

    Examples:
        .. code-block:: python

            from paddle.static import InputSpec
            print(InputSpec([None, 784], "float32", "x"))
            # InputSpec(shape=(-1, 784), dtype=VarType.FP32, name=x)
    """

    def __init__(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> None:
        self.shape = self._sizes(shape)
        self.dtype = VarType.FP32 if dtype is None else to_vartype(dtype)
        self.name = name

    @staticmethod
    def _sizes(shape: Any) -> tuple[int, ...]:
        if not isinstance(shape, (list, tuple)):
            raise TypeError(
                f"InputSpec(shape): expected a list or tuple, got {type(shape).__name__}."
            )
        sizes = []
        for size in shape:
            if size is not None and (isinstance(size, bool) or not isinstance(size, int)):
                raise TypeError(f"InputSpec(shape): expected ints or None, but it holds {size!r}.")
            if size is not None and size < -1:
                raise InvalidArgumentError(
                    f"InputSpec(shape): expected sizes of at least -1, but received {size}."
                )
            sizes.append(-1 if size is None else size)
        return tuple(sizes)

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> InputSpec:
        """Describes a Tensor.

        Args:
            tensor (Tensor): what is described.
            name (str, optional): None means the Tensor's own.
        """
        if not isinstance(tensor, Tensor):
            raise TypeError(f"from_tensor: expected a Tensor, got {type(tensor).__name__}.")
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: np.ndarray, name: str | None = None) -> InputSpec:
        """Describes an array.

        Args:
            ndarray (np.ndarray): what is described.
            name (str, optional): name of the input.
        """
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size: int) -> InputSpec:
        """Puts a batch dimension in front and returns itself.

        Args:
            batch_size (int): its size, -1 for one that varies.
        """
        if isinstance(batch_size, (list, tuple)):
            if len(batch_size) != 1:
                raise InvalidArgumentError(f"batch: expected one size, got {batch_size}.")
            batch_size = batch_size[0]
        if isinstance(batch_size, bool) or not isinstance(batch_size, int):
            raise TypeError(f"batch: expected an int, got {type(batch_size).__name__}.")
        self.shape = (batch_size, *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Takes the first dimension away and returns itself."""
        if not self.shape:
            raise InvalidArgumentError("unbatch: expected at least one dimension, got none.")
        self.shape = self.shape[1:]
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype}, name={self.name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSpec) and (self.shape, self.dtype, self.name) == (
            other.shape,
            other.dtype,
            other.name,
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))
