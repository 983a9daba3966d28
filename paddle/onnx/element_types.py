"""Element types: VarType, ONNX's numbers for them, and NumPy's types of constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import FLOATING, INTEGER, VarType, dtype_name, numpy_dtype, to_vartype
from paddle.core.errors import UnimplementedError

# VarType -> TensorProto.DataType
_NUMBERS = {
    VarType.FP32: 1, VarType.UINT8: 2, VarType.INT8: 3, VarType.INT16: 5, VarType.INT32: 6,
    VarType.INT64: 7, VarType.BOOL: 9, VarType.FP16: 10, VarType.FP64: 11, VarType.COMPLEX64: 14,
    VarType.COMPLEX128: 15, VarType.BF16: 16,
}  # fmt: skip


def element_type(dtype: Any) -> int:
    """Returns ONNX's number of an element type.

    Args:
        dtype (VarType|str|np.dtype): the type.
    """
    found = _NUMBERS.get(to_vartype(dtype))
    if found is None:
        raise UnimplementedError(f"paddle.onnx: ONNX has no element type {dtype}.")
    return found


def array_of(value: Any, dtype: Any) -> np.ndarray:
    """Returns numbers as an array of an element type; bfloat16 as its bits in uint16.

    Args:
        value: a number, a list or an array.
        dtype (VarType|str): the type.
    """
    kind = to_vartype(dtype)
    if kind == VarType.BF16:
        bits = np.asarray(value, np.float32).view(np.uint32)
        rounded = bits + 0x7FFF + ((bits >> 16) & 1)  # to the nearest, halves to even
        return (rounded >> 16).astype(np.uint16)
    return np.asarray(value).astype(numpy_dtype(kind))


def is_floating(dtype: Any) -> bool:
    """Says whether an element type is one of fractions."""
    return to_vartype(dtype) in FLOATING


def is_integer(dtype: Any) -> bool:
    """Says whether an element type is one of whole numbers."""
    return to_vartype(dtype) in INTEGER


__all__ = ["array_of", "dtype_name", "element_type", "is_floating", "is_integer"]
