"""From Python data to buffers: numbers, nested lists, arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from paddle.core import dtype as _dtype
from paddle.core.backends import page_locked
from paddle.core.dtype import VarType
from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.core.place import Place, current_device, to_torch_device
from paddle.core.tensor import Tensor, wrap

_NESTED = (list, tuple, np.ndarray)
_CPU = torch.device("cpu")
_FLOATS = frozenset({np.dtype("float16"), np.dtype("float32"), np.dtype("float64")})
_default_numpy: dict[Any, np.dtype] = {
    VarType.FP16: np.dtype("float16"),
    VarType.FP32: np.dtype("float32"),
    VarType.FP64: np.dtype("float64"),
}


def tensor_of(data: Any, dtype: Any, place: Place | str | None) -> Tensor:
    """Makes a Tensor with memory of its own; see :func:`paddle.to_tensor` for the rules."""
    source = _CPU
    if isinstance(data, Tensor):
        buf = data._buf.clone()
        source = buf.device
    elif isinstance(data, np.ndarray):
        buf = _from_array(data, copy=True)
    else:
        array = _array_of(data)
        buf = _from_array(array if dtype is not None else _in_default_type(array), copy=False)
    if dtype is not None:
        wanted = _dtype.torch_dtype(dtype)
        if buf.dtype is not wanted:
            buf = buf.to(wanted)
    device = current_device() if place is None else to_torch_device(place)
    if place is None and isinstance(data, Tensor):
        device = source
    pinned = isinstance(place, Place) and place.is_cuda_pinned_place()
    if device != source:
        buf = buf.to(device)
    if pinned:
        buf = page_locked(buf)
    made = wrap(buf)
    if pinned:
        made._place = place if isinstance(place, Place) else None
    return made


def _from_array(array: np.ndarray, copy: bool) -> torch.Tensor:
    kind = array.dtype
    if kind.kind not in "biufc" or kind in (np.dtype("uint32"), np.dtype("uint64")):
        if kind.kind == "O":
            raise _ragged(array)
        raise ArgumentTypeError(
            f"to_tensor: expected data of type {', '.join(_dtype.NAMES)}, but received {kind}."
        )
    if (kind.itemsize > 8 and kind.kind == "f") or not kind.isnative:
        wanted = np.dtype("float64") if kind.itemsize > 8 else kind.newbyteorder("=")
        array = array.astype(wanted)
        copy = False
    if copy:
        array = np.array(array, order="C")
    elif not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    buf = torch.from_numpy(array)
    return buf.view(torch.bfloat16) if kind == np.uint16 else buf


def _array_of(data: Any) -> np.ndarray:
    """The array of a number, or of (nested) lists of numbers, arrays or Tensors."""
    if isinstance(data, (list, tuple, range)):
        if _holds_tensor(data):
            data = _plain(data)
        try:
            array = np.array(data)
        except ValueError:
            raise _ragged(data) from None
    elif isinstance(data, (bool, int, float, complex, np.generic)):
        array = np.array([data])
    elif hasattr(data, "__dlpack__") or hasattr(data, "__array__"):
        array = np.asarray(data).copy()
    else:
        raise ArgumentTypeError(
            "to_tensor: expected a number, list, tuple, numpy.ndarray or paddle.Tensor, "
            f"but received {type(data).__name__}."
        )
    if array.dtype.kind == "O":
        if array.size and all(isinstance(v, int) for v in array.flat):
            raise InvalidArgumentError(
                "to_tensor: expected integers that fit into 64 bits (int64), but the data holds "
                f"{max(array.flat, key=abs)}."
            )
        raise _ragged(data)
    return array


def array_of(data: Any, in_default_type: bool) -> np.ndarray:
    """The array of anything :func:`paddle.to_tensor` takes but a Tensor.

    Args:
        data: a number, (nested) lists or an array.
        in_default_type (bool): floating numbers that are no array get the default type.
    """
    if isinstance(data, np.ndarray):
        return data
    array = _array_of(data)
    return _in_default_type(array) if in_default_type else array


def _in_default_type(array: np.ndarray) -> np.ndarray:
    """Python's floats are double; without a wish they get the default type instead."""
    if array.dtype in _FLOATS:
        return array.astype(_default_numpy[_dtype._default], copy=False)
    if array.dtype.kind == "c":
        double = _dtype._default is VarType.FP64
        wanted = np.dtype("complex128") if double else np.dtype("complex64")
        return array.astype(wanted, copy=False)
    return array


def _ragged(data: Any) -> Exception:
    """The seeds' error for data without a regular shape, with where it becomes irregular."""
    if _has_other(data):
        return TypeError(
            "to_tensor: expected numbers in the list, but it holds "
            f"{_has_other(data)}, from which no Tensor can be made."
        )
    return InvalidArgumentError(
        "\n\tFaild to convert input data to a regular ndarray :\n\t - Usually this means the input "
        "data contains nested lists with different lengths. "
        f"Lengths found at one depth: {_lengths(data)}."
    )


def _has_other(data: Any) -> str | None:
    if _holds_objects(data):
        return next((found for d in data if (found := _has_other(d))), None)
    if isinstance(data, (bool, int, float, complex, np.generic, np.ndarray, Tensor)):
        return None
    return type(data).__name__


def _lengths(data: Any) -> list:
    level = [data]
    while level:
        sizes = [len(d) if isinstance(d, _NESTED) else 0 for d in level]
        if len(set(sizes)) > 1:
            return sizes[:10]
        level = [e for d in level if _holds_objects(d) for e in d]
    return []


def _holds_objects(data: Any) -> bool:
    """Whether these are Python objects one after the other, not numbers in memory."""
    if isinstance(data, np.ndarray):
        return data.dtype.kind == "O" and data.ndim > 0
    return isinstance(data, (list, tuple))


def _holds_tensor(data: Any) -> bool:
    """Looks along the first elements only, so that big lists of numbers stay cheap."""
    while isinstance(data, (list, tuple)) and data:
        if any(isinstance(d, Tensor) for d in data[:2]):
            return True
        data = data[0]
    return False


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor):
        return (data.astype("float32") if data.dtype is VarType.BF16 else data).numpy()  # type: ignore[attr-defined]
    return [_plain(d) for d in data] if isinstance(data, (list, tuple)) else data
