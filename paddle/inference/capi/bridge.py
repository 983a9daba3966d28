"""What the C library calls: Config and Predictor, and memory of the program as arrays.

Handles are `paddle.inference.Tensor`; data types and precisions come as the numbers that
`include/paddle_tensor.h` and `include/paddle_analysis_config.h` give them, which are those of
`paddle.inference.DataType` and `PrecisionType`.
"""

from __future__ import annotations

import math

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.executor.inference_values import memory_of
from paddle.inference.config import Config
from paddle.inference.handles import Tensor
from paddle.inference.kinds import ARRAYS, DataType, PrecisionType, get_num_bytes_of_data_type
from paddle.inference.predictor import PredictorPool, create_predictor
from paddle.inference.versions import get_version

__all__ = ["Config", "PredictorPool", "create_predictor", "get_version"]

_DTYPES: dict[int, np.dtype] = {int(kind): array for kind, array in ARRAYS.items()}


def precision(code: int) -> PrecisionType:
    """Returns the precision of a number."""
    return PrecisionType(code)


def size_of_dtype(code: int) -> int:
    """Returns how many bytes an element takes."""
    return get_num_bytes_of_data_type(DataType(code))


def bytes_of(handle: Tensor, code: int) -> int:
    """Returns how many bytes the shape of a handle takes in a data type."""
    return math.prod(_sizes(handle)) * _DTYPES[code].itemsize


def copy_in(handle: Tensor, memory: memoryview, code: int) -> None:
    """Copies memory of the program into an input that has its shape."""
    handle.copy_from_cpu(np.ndarray(_sizes(handle), _DTYPES[code], memory))


def share(handle: Tensor, memory: memoryview, code: int, shape: list[int]) -> None:
    """Lets an input read memory of the program."""
    handle.share_external_data(np.ndarray(shape, _DTYPES[code], memory))


def array(memory: memoryview, code: int, shape: list[int]) -> np.ndarray:
    """Returns a copy of memory of the program."""
    return np.ndarray(shape, _DTYPES[code], memory).copy()


def contents(handle: Tensor, code: int) -> np.ndarray:
    """Returns the elements of a handle, without a copy where that is possible."""
    if handle.buffer is None:
        raise PreconditionNotMetError(
            f"{handle.name()!r} holds nothing yet: an input has to be set, an output comes from "
            "a run."
        )
    held = memory_of(handle.buffer)
    if held.dtype != _DTYPES[code]:
        raise InvalidArgumentError(
            f"{handle.name()!r} holds {handle.type().name}, but is read as {DataType(code).name}."
        )
    return held


def writable(handle: Tensor, code: int) -> np.ndarray:
    """Returns memory of the shape of an input, which the program writes and a run reads."""
    shape, dtype = _sizes(handle), _DTYPES[code]
    room = None if handle.buffer is None else memory_of(handle.buffer)
    if room is None or room.dtype != dtype:
        room = np.zeros(shape, dtype)
    handle.share_external_data(room)
    if not np.may_share_memory(room, memory_of(handle.buffer)):
        raise UnimplementedError(
            f"mutable_data: input {handle.name()!r} lies on another device; CopyFromCpu moves "
            "elements there."
        )
    return room


def _sizes(handle: Tensor) -> tuple[int, ...]:
    if handle.is_shapeless():
        raise PreconditionNotMetError(
            f"input {handle.name()!r} has no shape: call Reshape before its elements are set."
        )
    return tuple(handle.shape())
