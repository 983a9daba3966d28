"""Type promotion of 2.0: the left operand decides, except where a complex number is involved."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

from paddle.core import constants
from paddle.core.convert import tensor_of
from paddle.core.dtype import FROM_TORCH
from paddle.core.op import C
from paddle.core.tensor import Tensor, wrap

_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
_COMPLEX = (complex, np.complexfloating)

_COMPLEX_OF = {torch.float64: torch.complex128, torch.complex128: torch.complex128}


def unify(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Converts two operands to one data type.

    If either is complex, both become complex (complex128 if one of them has 64-bit parts);
    otherwise ``y`` takes the type of ``x``, with a warning as in PaddlePaddle unless ``y`` is a
    mask. A Variable that stands for a number of Python takes the type of the other operand, if
    that can hold it.
    """
    left, right = x._dt, y._dt
    if left.is_complex or right.is_complex:
        wide = torch.complex128 in (_COMPLEX_OF.get(left), _COMPLEX_OF.get(right))
        common = torch.complex128 if wide else torch.complex64
        return _cast(x, common), _cast(y, common)
    loose = getattr(x, "_weak", False), getattr(y, "_weak", False)
    if loose[0] != loose[1]:  # as a number of Python would
        number, other = (x, y) if loose[0] else (y, x)
        whole = not number._dt.is_floating_point and other._dt is not torch.bool
        fits = other._dt.is_floating_point or whole
        common = other._dt if fits else number._dt
        return _cast(x, common), _cast(y, common)
    if loose[0]:  # two numbers of Python: a counter of int64, a size of int32
        floats = [d for d in (left, right) if d.is_floating_point]
        common = floats[0] if floats else torch.int64
        return _cast(x, common), _cast(y, common)
    if right is torch.bool:  # a mask: nothing can be lost
        return x, _cast(y, left)
    warnings.warn(
        f"The dtype of left and right operands differ: left is {x.dtype}, right is {y.dtype}; "
        f"the right one is converted to {x.dtype}.",
        stacklevel=4,
    )
    return x, _cast(y, left)


def _cast(x: Tensor, dtype: torch.dtype) -> Tensor:
    if x._dt is dtype:
        return x
    return C.cast(x, in_dtype=int(x.dtype), out_dtype=int(FROM_TORCH[dtype]))


def as_operand(value: Any, like: Tensor) -> Tensor:
    """Makes a Tensor of a number or array that stands beside ``like`` in an expression.

    Beside a Variable of a static Program it is an operator that makes the constant.
    """
    if not isinstance(like, Tensor):
        if not isinstance(value, _NUMBERS):
            return constants.array(value)
        kind = torch.complex64 if isinstance(value, _COMPLEX) else like._dt
        made = constants.number(value, FROM_TORCH[kind])
        made._weak = True
        return made
    if isinstance(value, _NUMBERS):
        dtype = torch.complex64 if isinstance(value, _COMPLEX) else like._dt
        filled = torch.full((1,), value, dtype=dtype, device=like._buf.device)  # type: ignore[arg-type]
        return wrap(filled)
    return tensor_of(value, None, like.place)
