"""Data types: PaddlePaddle's VarType and its mapping to NumPy, torch and strings."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import torch

from paddle.core.errors import InvalidTypeError


class VarType(enum.IntEnum):
    """Type codes of serialized Programs: first element types, then kinds of variables."""

    BOOL = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    FP16 = 4
    FP32 = 5
    FP64 = 6
    UINT8 = 20
    INT8 = 21
    BF16 = 22
    COMPLEX64 = 23
    COMPLEX128 = 24

    LOD_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    LOD_RANK_TABLE = 12
    LOD_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    TUPLE = 18

    # Nothing here computes with these; a file may name them.
    SIZE_T = 19
    STRING = 25
    STRINGS = 26
    VOCAB = 27
    FEED_LIST = 28
    PSTRING = 29
    SPARSE_COO = 30
    SPARSE_CSR = 31

    def __str__(self) -> str:
        return f"VarType.{self.name}"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, VarType)):
            return int(self) == int(other)
        try:
            return self is to_vartype(other)
        except (TypeError, ValueError):
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__  # enum's own is a Python call, and this is the key of every table


_TABLE = [
    # name, VarType, torch dtype, numpy dtype
    ("bool", VarType.BOOL, torch.bool, np.dtype("bool")),
    ("int8", VarType.INT8, torch.int8, np.dtype("int8")),
    ("uint8", VarType.UINT8, torch.uint8, np.dtype("uint8")),
    ("int16", VarType.INT16, torch.int16, np.dtype("int16")),
    ("int32", VarType.INT32, torch.int32, np.dtype("int32")),
    ("int64", VarType.INT64, torch.int64, np.dtype("int64")),
    ("float16", VarType.FP16, torch.float16, np.dtype("float16")),
    ("float32", VarType.FP32, torch.float32, np.dtype("float32")),
    ("float64", VarType.FP64, torch.float64, np.dtype("float64")),
    ("complex64", VarType.COMPLEX64, torch.complex64, np.dtype("complex64")),
    ("complex128", VarType.COMPLEX128, torch.complex128, np.dtype("complex128")),
    # NumPy has no bfloat16; PaddlePaddle stores its bits as uint16, and so do we.
    ("bfloat16", VarType.BF16, torch.bfloat16, np.dtype("uint16")),
]
NAMES = [name for name, *_ in _TABLE]
_BY_NAME = {name: var for name, var, *_ in _TABLE}
_TO_NAME = {var: name for name, var, *_ in _TABLE}
_TO_TORCH = {var: dt for _, var, dt, _ in _TABLE}
_TO_NUMPY = {var: dt for _, var, _, dt in _TABLE}
FROM_TORCH = {dt: var for _, var, dt, _ in _TABLE}
_FROM_NUMPY = {dt: var for _, var, _, dt in _TABLE}
_PYTHON = {bool: VarType.BOOL, int: VarType.INT64, float: VarType.FP32, complex: VarType.COMPLEX64}

FLOATING = frozenset({VarType.FP16, VarType.FP32, VarType.FP64, VarType.BF16})
INTEGER = frozenset({VarType.INT8, VarType.UINT8, VarType.INT16, VarType.INT32, VarType.INT64})

# What an operator may say of the data types it takes (`@op(dtypes=...)`).
_FULL = ("float32", "float64")
_HALF = ("float16", "bfloat16")
_COMPLEX = ("complex64", "complex128")
GROUPS: dict[str, tuple[str, ...]] = {
    "full": _FULL,
    "floats": (*_HALF, *_FULL),
    "floats and complex": (*_HALF, *_FULL, *_COMPLEX),
    "full and complex": (*_FULL, *_COMPLEX),
    "not bool": tuple(n for n in NAMES if n != "bool"),
    "not complex": tuple(n for n in NAMES if n not in _COMPLEX),
    "integers and bool": tuple(n for n in NAMES if _BY_NAME[n] in (*INTEGER, VarType.BOOL)),
    "numbers, not complex": tuple(n for n in NAMES if n not in (*_COMPLEX, "bool")),
}
ALLOWED: dict[str | None, frozenset] = {
    group: frozenset(t for n in names for t in (_BY_NAME[n], _TO_TORCH[_BY_NAME[n]]))
    for group, names in GROUPS.items()
}


def check_dtypes(op: Any, value: Any) -> None:
    """Refuses a first input (a buffer or a Spec, or a list of them) of a type ``op`` does not take.

    Args:
        op (OpDef): an operator that names a group of data types.
        value (Tensor|Spec|list|None): its first input.
    """
    group = op.dtypes or op.takes
    allowed = ALLOWED[group]
    for item in value if isinstance(value, list) else [value]:
        if item is not None and item.dtype not in allowed:
            came = item.dtype if isinstance(item.dtype, VarType) else FROM_TORCH[item.dtype]
            raise InvalidTypeError(
                f"no kernel for these data types: {op.name} expects {op.inputs[0].name} to be one "
                f"of {', '.join(GROUPS[group])}, but received {_TO_NAME[came]}.",
            )


def to_vartype(dtype: Any) -> VarType:
    """Returns the VarType meant by a VarType, a name, a NumPy dtype or a Python scalar type."""
    if type(dtype) is VarType:
        return dtype
    if isinstance(dtype, str):
        found = _BY_NAME.get(dtype)
        if found is not None:
            return found
        if dtype.startswith("VarType.") and dtype[8:] in VarType.__members__:
            return VarType[dtype[8:]]
    elif isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    elif isinstance(dtype, int) and not isinstance(dtype, bool) and dtype in _TO_NAME:
        return VarType(dtype)
    elif dtype is not None:  # NumPy takes None for float64
        try:
            found = _FROM_NUMPY.get(np.dtype(dtype))
        except TypeError:
            found = None
        if found is not None:
            return found
    raise _unknown(dtype)


def _unknown(dtype: Any) -> Exception:
    """The error for a value that names no data type."""
    return InvalidTypeError(
        f"expected a data type, one of {', '.join(NAMES)}, but received {dtype!r}."
    )


def dtype_name(dtype: Any) -> str:
    """Returns the name of a data type, such as ``'float32'``."""
    found = to_vartype(dtype)
    if found not in _TO_NAME:
        raise _unknown(dtype)
    return _TO_NAME[found]


def torch_dtype(dtype: Any) -> torch.dtype:
    """Returns torch's dtype for anything :func:`to_vartype` takes."""
    found = to_vartype(dtype)
    if found not in _TO_TORCH:
        raise _unknown(dtype)
    return _TO_TORCH[found]


def numpy_dtype(dtype: Any) -> np.dtype:
    """Returns NumPy's dtype for anything :func:`to_vartype` takes (bfloat16 as its uint16 bits)."""
    return _TO_NUMPY[to_vartype(dtype)]


_default = VarType.FP32


def set_default_dtype(d: Any) -> None:
    """Sets the floating type of Python floats and of new parameters.

    Args:
        d (str|np.dtype|VarType): one of float16, float32 and float64.

    Raises:
        TypeError: ``d`` is something else.

    Examples:
        .. code-block:: python

            import paddle
            paddle.set_default_dtype("float64")
            print(paddle.to_tensor(1.0).dtype)  # VarType.FP64
            paddle.set_default_dtype("float32")
    """
    global _default
    allowed = (VarType.FP16, VarType.FP32, VarType.FP64)
    try:
        found = to_vartype(d)
    except (ValueError, TypeError):
        found = None
    if found not in allowed:
        raise TypeError(
            f"set_default_dtype(d): expected float16, float32 or float64, but received {d!r}."
        )
    _default = found


def get_default_dtype() -> str:
    """Returns the name of the current default floating type.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.get_default_dtype())  # float32
    """
    return _TO_NAME[_default]
