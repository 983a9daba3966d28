"""paddle.to_tensor: a Tensor from Python numbers, nested lists, arrays or Tensors."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.convert import tensor_of
from paddle.core.place import Place
from paddle.core.tensor import Tensor

__all__ = ["to_tensor"]


def to_tensor(
    data: Any, dtype: Any = None, place: Place | str | None = None, stop_gradient: bool = True
) -> Tensor:
    """Makes a Tensor with a copy of the data.

    Without ``dtype``, Python ints give int64, floats the default type (float32), complex numbers
    complex64, booleans bool; an array keeps its own type. A single number has shape ``[1]``.

    Args:
        data (number|list|tuple|numpy.ndarray|Tensor): the values; nested lists must be regular.
        dtype (str|np.dtype, optional): the element type.
        place (CPUPlace|CUDAPlace|CUDAPinnedPlace|str, optional): where it lives; None means the
            current device.
        stop_gradient (bool, optional): False where gradients are wanted. Default: True.

    Returns:
        Tensor: the new Tensor, a leaf.

    Raises:
        ValueError: nested lists of different lengths, or an unknown ``dtype``.
        TypeError: data that no Tensor can be made of.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.to_tensor([[0.1, 0.2], [0.3, 0.4]], stop_gradient=False))
            # Tensor(shape=[2, 2], dtype=float32, place=CPUPlace, stop_gradient=False,
            #        [[0.10000000, 0.20000000],
            #         [0.30000001, 0.40000001]])
            print(paddle.to_tensor(1).shape)  # [1]
    """
    made = tensor_of(data, dtype, place)
    made.stop_gradient = stop_gradient
    made._name = unique_name.generate("generated_tensor")
    return made
