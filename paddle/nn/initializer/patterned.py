"""Initializers with a fixed pattern: bilinear upsampling, identity (Dirac), orthogonal rows."""

from __future__ import annotations

import math

import numpy as np

from paddle.core.dtype import VarType, numpy_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.nn.initializer.base import Initializer, floating, number


def _array_dtype(dtype: VarType) -> np.dtype:
    """The type to compute in: NumPy has no bfloat16, so its values are made in float32."""
    return np.dtype("float32") if dtype is VarType.BF16 else numpy_dtype(dtype)


class Bilinear(Initializer):
    """Fills the weight of a transposed convolution so that it enlarges images bilinearly.

    Every channel gets the same kernel: with size ``k``, ``f = ceil(k / 2)`` and
    ``c = (2f - 1 - f % 2) / (2f)``, the value at (y, x) is ``(1 - |y/f - c|) (1 - |x/f - c|)``.
    To enlarge by ``factor`` take a kernel of size ``2 * factor - factor % 2``, ``stride=factor``,
    ``padding=ceil((factor - 1) / 2)`` and ``groups=channels``.

    Examples:
        .. code-block:: python

            import paddle
            weight = paddle.ones([1, 1, 4, 4])
            paddle.nn.initializer.Bilinear()(weight)
            print(weight[0, 0, 1].numpy().tolist())  # [0.1875, 0.5625, 0.5625, 0.1875]
    """

    _computes = True

    def __init__(self) -> None:
        """Takes nothing: shape and values follow from the parameter."""

    def _value(self, shape: list[int], dtype: VarType) -> np.ndarray:
        floating(self, dtype)
        if len(shape) != 4 or shape[2] != shape[3]:
            raise InvalidArgumentError(
                "Bilinear: expected a weight of shape [out, in, k, k] with a square kernel, "
                f"but received shape {shape}."
            )
        size = shape[3]
        factor = math.ceil(size / 2)
        center = (2 * factor - 1 - factor % 2) / (2.0 * max(factor, 1))
        line = 1 - np.abs(np.arange(size) / max(factor, 1) - center)
        kernel = np.outer(line, line).astype(_array_dtype(dtype))
        return np.broadcast_to(kernel, shape).copy()


class Dirac(Initializer):
    """Fills a convolution's weight so that each group passes its input channels on unchanged.

    The middle of the kernel is 1 where output channel and input channel have the same number
    within their group, all else is 0.

    Args:
        groups (int): how many equal parts the output channels fall into.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            weight = paddle.ones([2, 2, 3])
            paddle.nn.initializer.Dirac()(weight)
            print(weight[1].numpy().tolist())  # [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

    _computes = True

    def __init__(self, groups: int = 1, name: str | None = None) -> None:
        if isinstance(groups, bool) or not isinstance(groups, int):
            raise TypeError(f"Dirac(groups): expected an int, got {type(groups).__name__}.")
        if groups < 1:
            raise InvalidArgumentError(f"Dirac(groups): expected at least 1, received {groups}.")
        self._groups = groups

    def _value(self, shape: list[int], dtype: VarType) -> np.ndarray:
        floating(self, dtype)
        if len(shape) not in (3, 4, 5) or shape[0] % self._groups:
            raise InvalidArgumentError(
                "Dirac: expected a weight of 3, 4 or 5 dimensions whose first is divisible by "
                f"groups={self._groups}, but received shape {shape}."
            )
        weight = np.zeros(shape, _array_dtype(dtype))
        per_group = shape[0] // self._groups
        middle: tuple[int, ...] = tuple(k // 2 for k in shape[2:])
        for i in range(min(per_group, shape[1])):
            for channel in range(i, shape[0], per_group):
                place = (channel, i, *middle)
                weight[place] = 1
        return weight


class Orthogonal(Initializer):
    """Fills a parameter with a random matrix of orthonormal rows or columns, times ``gain``.

    A parameter of more than two dimensions counts as the matrix ``[shape[0], the rest]``. Where
    the matrix is wide its rows are orthonormal, else its columns.

    Args:
        gain (float): a factor on the whole.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            weight = paddle.ones([2, 3])
            paddle.nn.initializer.Orthogonal()(weight)
            print(paddle.matmul(weight, weight, transpose_y=True))  # the 2 x 2 identity
    """

    _computes = True

    def __init__(self, gain: float = 1.0, name: str | None = None) -> None:
        self._gain = number("Orthogonal(gain)", gain)

    def _value(self, shape: list[int], dtype: VarType) -> np.ndarray:
        floating(self, dtype)
        if len(shape) < 2:
            raise InvalidArgumentError(
                f"Orthogonal: expected at least 2 dimensions, but received shape {shape}."
            )
        rows, columns = shape[0], math.prod(shape[1:])
        long, short = max(rows, columns), min(rows, columns)
        drawn = C.gaussian_random(shape=[long, short], dtype=int(VarType.FP64)).numpy()
        q, r = np.linalg.qr(drawn)
        # The sign of R's diagonal is the algorithm's choice; fixing it makes q uniformly drawn.
        q = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)
        matrix = q.T if rows < columns else q
        return np.ascontiguousarray(self._gain * matrix, _array_dtype(dtype)).reshape(shape)
