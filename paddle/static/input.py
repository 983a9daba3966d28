"""InputSpec: shape, dtype and name of an input that is not there yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.core.guards import Guarded, guard_module
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable

__all__ = ["InputSpec"]


class InputSpec(Guarded):
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

    Attributes:
        shape (tuple[int]): its sizes, -1 for one that varies.
        dtype (VarType): its element type.
        name (str|None): its name.
        stop_gradient (bool): whether no gradient of it is wanted; False where it stands for a
            Tensor of a call that has one. It does not count in comparisons. Default: True.

    Raises:
        TypeError: the shape is no list or tuple, or a size no integer.
        ValueError: a size is below -1.
    """

    stop_gradient = True

    def __init__(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> None:
        self.shape = self._sizes(shape)
        self.dtype = VarType.FP32 if dtype is None else to_vartype(dtype)
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"InputSpec(name): expected a str or None, but received {type(name).__name__}."
            )
        self.name = name

    @staticmethod
    def _sizes(shape: Any) -> tuple[int, ...]:
        if not isinstance(shape, (list, tuple)):
            raise TypeError(
                f"InputSpec(shape): expected a list or tuple, got {type(shape).__name__}."
            )
        sizes = []
        for size in shape:
            if isinstance(size, np.integer):
                size = int(size)
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
            tensor (Tensor): what is described; a Variable too.
            name (str, optional): None means the Tensor's own.

        Returns:
            InputSpec: of the same shape and dtype.

        Raises:
            TypeError: ``tensor`` is no Tensor.

        Examples:
            .. code-block:: python

                import paddle
                from paddle.static import InputSpec
                print(InputSpec.from_tensor(paddle.ones([2, 2]), name="x"))
                # InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)
        """
        if not isinstance(tensor, (Tensor, Variable)):
            raise ArgumentTypeError(
                f"InputSpec.from_tensor(tensor): expected a Tensor, got {type(tensor).__name__}."
            )
        return cls(tuple(tensor.shape), tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: np.ndarray, name: str | None = None) -> InputSpec:
        """Describes an array.

        Args:
            ndarray (np.ndarray): what is described.
            name (str, optional): name of the input.

        Returns:
            InputSpec: of the same shape and dtype.

        Raises:
            TypeError: ``ndarray`` is no array.

        Examples:
            .. code-block:: python

                import numpy as np
                from paddle.static import InputSpec
                print(InputSpec.from_numpy(np.ones([2, 2], "float32"), name="x"))
                # InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)
        """
        if not isinstance(ndarray, np.ndarray):
            raise TypeError(
                "InputSpec.from_numpy(ndarray): expected a NumPy array, "
                f"got {type(ndarray).__name__}."
            )
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size: int) -> InputSpec:
        """Puts a batch dimension in front and returns itself.

        Args:
            batch_size (int|list[int]): its size, -1 or None for one that varies.

        Raises:
            TypeError: the size is no integer.
            ValueError: the size is below -1, or there are several.

        Examples:
            .. code-block:: python

                from paddle.static import InputSpec
                print(InputSpec([64], "float32", "x").batch(4))
                # InputSpec(shape=(4, 64), dtype=VarType.FP32, name=x)
        """
        if isinstance(batch_size, (list, tuple)):
            if len(batch_size) != 1:
                raise InvalidArgumentError(
                    f"InputSpec.batch(batch_size): expected one size, got {batch_size}."
                )
            batch_size = batch_size[0]
        if batch_size is None:
            batch_size = -1
        if isinstance(batch_size, bool) or not isinstance(batch_size, (int, np.integer)):
            raise TypeError(
                f"InputSpec.batch(batch_size): expected an int, got {type(batch_size).__name__}."
            )
        if batch_size < -1:
            raise InvalidArgumentError(
                f"InputSpec.batch(batch_size): expected at least -1, got {batch_size}."
            )
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Takes the first dimension away and returns itself.

        Raises:
            ValueError: there is no dimension.

        Examples:
            .. code-block:: python

                from paddle.static import InputSpec
                print(InputSpec([4, 64], "float32", "x").unbatch())
                # InputSpec(shape=(64,), dtype=VarType.FP32, name=x)
        """
        if not self.shape:
            raise InvalidArgumentError(
                "InputSpec.unbatch: expected at least one dimension, got none."
            )
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


guard_module(globals())
