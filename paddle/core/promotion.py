"""Type promotion of 2.0: the left operand decides, except where a complex number is involved."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

from paddle.core.op import C
from paddle.core.tensor import Tensor

_COMPLEX_OF = {torch.float64: torch.complex128, torch.complex128: torch.complex128}


def unify(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Converts two operands to one data type.

    If either is complex, both become complex (complex128 if one of them has 64-bit parts);
    otherwise ``y`` takes the type of ``x``, with a warning as in PaddlePaddle.
    """
    left, right = x._dt, y._dt
    if left.is_complex or right.is_complex:
        wide = torch.complex128 in (_COMPLEX_OF.get(left), _COMPLEX_OF.get(right))
        common = torch.complex128 if wide else torch.complex64
        return _cast(x, common), _cast(y, common)
    warnings.warn(
        f"The dtype of left and right operands differ: left is {x.dtype}, right is {y.dtype}; "
        f"the right one is converted to {x.dtype}.",
        stacklevel=4,
    )
    return x, _cast(y, left)


def _cast(x: Tensor, dtype: torch.dtype) -> Tensor:
    from paddle.core.dtype import FROM_TORCH

    if x._dt is dtype:
        return x
    return C.cast(x, in_dtype=int(x.dtype), out_dtype=int(FROM_TORCH[dtype]))


def as_operand(value: Any, like: Tensor) -> Tensor:
    """Makes a Tensor of a number or array that stands beside ``like`` in an expression."""
    import paddle

    if isinstance(value, (complex, np.complexfloating)) and np.ndim(value) == 0:
        return paddle.to_tensor(value, dtype="complex64", place=like.place)
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return paddle.full([1], value, dtype=like.dtype)
    return paddle.to_tensor(value, place=like.place)
