"""Numbers and arrays of Python as constants of a static Program."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType, to_vartype
from paddle.core.op import C

# The attribute of assign_value that holds values of a type.
_VALUES = {
    VarType.BOOL: "bool_values",
    VarType.FP32: "fp32_values",
    VarType.FP64: "fp64_values",
    VarType.INT32: "int32_values",
    VarType.INT64: "int64_values",
}
# Other types are held as one of these and converted by an operator.
_HELD_AS = {
    VarType.FP16: VarType.FP32,
    VarType.BF16: VarType.FP32,
    VarType.INT8: VarType.INT32,
    VarType.INT16: VarType.INT32,
    VarType.UINT8: VarType.INT32,
}
_PARTS = {VarType.COMPLEX64: VarType.FP32, VarType.COMPLEX128: VarType.FP64}


def digits(value: Any) -> str:
    """A number in full: as an attribute of a Program it has 32 bits only."""
    return repr(value)


def number(value: Any, dtype: Any, on_cpu: bool = False) -> Any:
    """Records a number as a Variable of shape [1].

    Args:
        value (number): the number.
        dtype (VarType): its type in the Program.
        on_cpu (bool): whether it stays in main memory, where it is read as a size. Default: False.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        value = int(value)
    plain = 0.0 if isinstance(value, complex) else value
    return C.fill_constant(
        shape=[1], dtype=dtype, value=plain, str_value=digits(value), force_cpu=on_cpu
    )


def array(values: np.ndarray, dtype: Any = None) -> Any:
    """Records an array as a Variable.

    Args:
        values (np.ndarray): the values; an array without dimensions gets shape [1].
        dtype (VarType, optional): its type in the Program; None means the array's own.
    """
    kind = to_vartype(values.dtype if dtype is None else dtype)
    values = values.reshape(1) if values.ndim == 0 else values
    if kind in _PARTS:
        real = array(np.ascontiguousarray(values.real), _PARTS[kind])
        imaginary = array(np.ascontiguousarray(values.imag), _PARTS[kind])
        turned = C.elementwise_mul(_cast(imaginary, kind), number(1j, kind))
        return C.elementwise_add(_cast(real, kind), turned)
    kept, attrs = held(values, kind)
    made = C.assign_value(**attrs)
    return made if kept is kind else _cast(made, kind)


def held(values: np.ndarray, kind: VarType) -> tuple[VarType, dict[str, Any]]:
    """Returns the type in which assign_value holds an array, and its attributes."""
    kept = _HELD_AS.get(kind, kind)
    if values.dtype == np.uint16 and kept is VarType.FP32:  # the bits of bfloat16
        values = (values.astype(np.uint32) << 16).view(np.float32)
    if kept not in _VALUES:
        raise TypeError(
            f"a static Program cannot hold an array of {values.dtype} as {kind}; feed it through "
            "paddle.static.data instead."
        )
    listed = _plain(values, kept).reshape(-1).tolist()
    return kept, {"shape": list(values.shape), "dtype": kept, _VALUES[kept]: listed}


def _plain(values: np.ndarray, kind: VarType) -> np.ndarray:
    """The array in the type in which it is held; integers stay exact on the way to floats."""
    kinds = {VarType.BOOL: "bool", VarType.FP32: "float32", VarType.FP64: "float64"}
    return values.astype(kinds.get(kind, "int64"))


def _cast(x: Any, kind: VarType) -> Any:
    return C.cast(x, in_dtype=int(x.dtype), out_dtype=int(kind))
