"""paddle.to_tensor: a Tensor from Python numbers, nested lists, arrays or Tensors."""

from __future__ import annotations

import contextlib
from typing import Any

from paddle.core import constants, unique_name
from paddle.core.convert import array_of, tensor_of
from paddle.core.dtype import to_vartype
from paddle.core.mode import GRAD, get_mode, recording
from paddle.core.op import C
from paddle.core.place import Place, name_of
from paddle.core.tensor import Tensor

__all__ = ["to_tensor"]


def to_tensor(
    data: Any, dtype: Any = None, place: Place | str | None = None, stop_gradient: bool = True
) -> Tensor:
    """Makes a Tensor with a copy of the data.

    Without ``dtype``, Python ints give int64, floats the default type (float32), complex numbers
    complex64, booleans bool; an array keeps its own type. A single number has shape ``[1]``.

    In static mode the data become a constant of the Program.

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
    if get_mode() > GRAD and recording():
        return _recorded(data, dtype, place, stop_gradient)
    made = tensor_of(data, dtype, place)
    made.stop_gradient = stop_gradient
    made._name = unique_name.generate("generated_tensor")
    return made


def _recorded(data: Any, dtype: Any, place: Any, stop_gradient: bool) -> Any:
    """The constant of a static Program; a Variable is copied, a list of them stacked."""
    from paddle.ir.current import device_guard

    kind = None if dtype is None else to_vartype(dtype)
    with device_guard(_device(place)) if place is not None else contextlib.nullcontext():
        made = constant_of(data, kind)
        if kind is not None and kind is not made.dtype:
            made = C.cast(made, in_dtype=int(made.dtype), out_dtype=int(kind))
    made.stop_gradient = stop_gradient
    return made


def constant_of(data: Any, kind: Any) -> Any:
    """The Variable for data that may hold Variables: lists are stacked, numbers take their type."""
    if isinstance(data, Tensor) or _is_variable(data):
        return C.assign(data)
    if holds_variable(data):
        kind = _first_type(data) if kind is None else kind
        if all(_is_number(d) for d in data):  # each has shape [1], for there is no rank 0
            return C.concat([_cast(constant_of(d, kind), kind) for d in data], axis=0)
        return C.stack([constant_of(d, kind) for d in data], axis=0)
    return constants.array(array_of(data, kind is None), kind)


def _is_number(value: Any) -> bool:
    """Whether a value is a number of Python, or a Variable that stands for one."""
    return isinstance(value, (int, float)) or getattr(value, "_weak", False)


def _cast(made: Any, kind: Any) -> Any:
    if made.dtype is kind:
        return made
    return C.cast(made, in_dtype=int(made.dtype), out_dtype=int(kind))


def _is_variable(value: Any) -> bool:
    return getattr(value, "block", None) is not None


def _first_type(data: Any) -> Any:
    """The type of the first Variable in nested lists."""
    if _is_variable(data):
        return data.dtype
    found = map(_first_type, data) if isinstance(data, (list, tuple)) else ()
    return next((kind for kind in found if kind is not None), None)


def holds_variable(data: Any) -> bool:
    """Says whether a list holds Variables, or lists of them."""
    return isinstance(data, (list, tuple)) and any(
        _is_variable(d) or holds_variable(d) for d in data[:16]
    )


def _device(place: Any) -> str:
    """What device_guard calls a place."""
    if isinstance(place, str):
        return place
    if not isinstance(place, Place):
        raise TypeError(
            f"to_tensor(place): expected a Place or a str, but received {type(place).__name__}."
        )
    return name_of(place)
