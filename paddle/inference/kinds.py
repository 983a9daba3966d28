"""Enumerations of paddle.inference: data types, devices, precisions, by PaddlePaddle's codes."""

from __future__ import annotations

import enum
from typing import Any

from paddle.core.dtype import VarType, dtype_name, numpy_dtype
from paddle.core.errors import InvalidArgumentError, UnimplementedError


class _Code(enum.IntEnum):
    """A number with a name, which is what it prints as."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)


class DataType(_Code):
    """The data type of what a handle holds.

    Examples:
        .. code-block:: python

            from paddle.inference import DataType, get_num_bytes_of_data_type
            print(get_num_bytes_of_data_type(DataType.INT64))  # 8
    """

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7
    BFLOAT16 = 8


class PlaceType(_Code):
    """The kind of device that holds a value.

    Examples:
        .. code-block:: python

            from paddle.inference import PlaceType
            print(PlaceType.CPU.name)  # CPU
    """

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    NPU = 3
    CUSTOM = 4


class PrecisionType(_Code):
    """The precision of the arithmetic in which an engine computes.

    Examples:
        .. code-block:: python

            from paddle.inference import Config, PrecisionType
            print(Config.Precision.Half is PrecisionType.Half)  # True
    """

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


_TYPES = {
    VarType.FP32: DataType.FLOAT32,
    VarType.INT64: DataType.INT64,
    VarType.INT32: DataType.INT32,
    VarType.UINT8: DataType.UINT8,
    VarType.INT8: DataType.INT8,
    VarType.FP16: DataType.FLOAT16,
    VarType.BOOL: DataType.BOOL,
    VarType.FP64: DataType.FLOAT64,
    VarType.BF16: DataType.BFLOAT16,
}
_VARIABLES = {kind: var for var, kind in _TYPES.items()}
# The type of an array of each kind; bfloat16 is uint16 in arrays.
ARRAYS = {kind: numpy_dtype(var) for kind, var in _VARIABLES.items()}


def data_type_of(kind: VarType) -> DataType:
    """Returns the DataType for a type of variables."""
    found = _TYPES.get(kind)
    if found is None:
        names = ", ".join(t.name for t in DataType)
        raise UnimplementedError(
            f"paddle.inference.DataType has {names}, and nothing for {dtype_name(kind)}."
        )
    return found


def get_num_bytes_of_data_type(dtype: Any) -> int:
    """Returns how many bytes one number of a data type takes.

    Args:
        dtype (DataType): the data type.

    Returns:
        int: the bytes.

    Raises:
        InvalidArgumentError: it is no DataType.

    Examples:
        .. code-block:: python

            from paddle.inference import DataType, get_num_bytes_of_data_type
            print(get_num_bytes_of_data_type(DataType.FLOAT32))  # 4
    """
    if dtype not in ARRAYS:
        raise InvalidArgumentError(
            "get_num_bytes_of_data_type(dtype): expected a paddle.inference.DataType, but received "
            f"{dtype!r}."
        )
    return ARRAYS[dtype].itemsize
