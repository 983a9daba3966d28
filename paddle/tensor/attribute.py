"""What a tensor is: rank, shape, the parts of complex numbers."""

from __future__ import annotations

from paddle.core.errors import check_tensors
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import constant

__all__ = ["imag", "rank", "real", "shape"]


def rank(input: Tensor) -> Tensor:
    """Returns the number of dimensions as a Tensor.

    Args:
        input (Tensor): any Tensor.

    Returns:
        Tensor: int32, of shape ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.rank(paddle.ones([3, 1, 2])).numpy())  # [3]
    """
    check_tensors("rank", input=input)
    return constant(len(input.shape))


def shape(input: Tensor) -> Tensor:
    """Returns the shape as a Tensor, which in a static Program is known when it runs.

    Args:
        input (Tensor): any Tensor.

    Returns:
        Tensor: int32, one element per dimension.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.shape(paddle.ones([3, 1, 2])).numpy())  # [3 1 2]
    """
    return C.shape(input)


def real(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the real parts of a complex Tensor.

    Args:
        x (Tensor): of type complex64 or complex128.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``, float32 or float64.

    Raises:
        TypeError: ``x`` is not complex.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1 + 2j, 3 - 1j])
            print(paddle.real(x).numpy())  # [1. 3.]
    """
    return C.real(x)


def imag(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the imaginary parts of a complex Tensor.

    Args:
        x (Tensor): of type complex64 or complex128.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``, float32 or float64.

    Raises:
        TypeError: ``x`` is not complex.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1 + 2j, 3 - 1j])
            print(paddle.imag(x).numpy())  # [ 2. -1.]
    """
    return C.imag(x)
