"""Turn what a file holds into what the user saved: Tensors in the places of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import numpy_dtype, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import current_device
from paddle.core.tensor import Tensor, from_numpy, wrap
from paddle.serialization.pickles.limits import reason_of, shown
from paddle.serialization.pickles.packing import NAME_TABLE, SLICE_TABLE
from paddle.serialization.pickles.reader import is_placeholder


def _join_slices(loaded: dict, path: str) -> None:
    """Puts arrays that were stored in parts together again, in place."""
    table = loaded.pop(SLICE_TABLE)
    try:
        for key, entry in table.items():
            names = entry["slices"]
            if type(names) is not list or not all(type(name) is str for name in names):
                raise TypeError(f"the parts of {shown(key)} are {shown(names)}")
            parts = [loaded.pop(name) for name in names]
            if not all(isinstance(part, np.ndarray) for part in parts):
                raise TypeError(f"parts of {shown(key)} are no arrays")
            loaded[key] = np.concatenate(parts).reshape(_sizes(entry["OriginShape"]))
    except Exception as error:
        raise InvalidArgumentError(
            f"the table {SLICE_TABLE!r} of the file '{path}' does not fit its parts: "
            f"{reason_of(error)}"
        ) from None


def _sizes(shape: Any) -> Any:
    if type(shape) not in (tuple, list) or not all(type(n) is int for n in shape):
        raise TypeError(f"a shape is {shown(shape)}")
    return shape


def array_to_tensor(array: np.ndarray, name: Any = None) -> Tensor:
    """A Tensor on the current device; on the CPU it takes over the array's memory."""
    array = np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
    if array.dtype == np.uint16:  # the bits of bfloat16, for which NumPy has no type
        buf = from_numpy(array.view(np.int16))._buf.view(torch_dtype("bfloat16"))
    else:
        try:
            numpy_dtype(array.dtype)
        except (TypeError, ValueError):
            raise InvalidArgumentError(
                f"paddle.load: there is no Tensor of dtype {array.dtype}",
                hint="Use paddle.load(path, return_numpy=True).",
            ) from None
        buf = from_numpy(array)._buf
    tensor = wrap(buf.to(current_device()))
    if isinstance(name, str):
        tensor.name = name
    return tensor


def _is_named_array(obj: Any) -> bool:
    return (
        type(obj) is tuple
        and len(obj) == 2
        and type(obj[0]) is str
        and isinstance(obj[1], np.ndarray)
    )


class _Restorer:
    """Puts Tensors (or arrays) where a loaded object has their file form; works in place."""

    def __init__(self, as_tensor: bool, bare: bool):
        self.as_tensor = as_tensor
        self.bare = bare  # whether arrays without a name are Tensors too
        self.done: dict[int, tuple[Any, Any]] = {}

    def restore(self, obj: Any) -> Any:
        if is_placeholder(obj):
            raise InvalidArgumentError(f"the file holds the name {obj.name!r} in place of data")
        if not isinstance(obj, (dict, list, tuple, np.ndarray)):
            return obj
        if id(obj) in self.done:
            return self.done[id(obj)][1]
        if type(obj) is tuple:
            result = self._restore_tuple(obj)
        else:
            result = self._restore_array(obj) if isinstance(obj, np.ndarray) else obj
        self.done[id(obj)] = (obj, result)
        if type(obj) is list:
            obj[:] = [self.restore(item) for item in obj]
        elif isinstance(obj, dict):
            for key in obj:
                obj[key] = self.restore(obj[key])
        return result

    def _restore_tuple(self, obj: tuple) -> Any:
        if _is_named_array(obj):
            return array_to_tensor(obj[1], obj[0]) if self.as_tensor else obj[1]
        return tuple(self.restore(item) for item in obj)

    def _restore_array(self, obj: np.ndarray) -> Any:
        return array_to_tensor(obj) if self.as_tensor and self.bare else obj


def _has_named_array(obj: Any) -> bool:
    seen: set[int] = set()
    pending = [obj]
    while pending:
        item = pending.pop()
        if _is_named_array(item):
            return True
        if isinstance(item, (dict, list, tuple)) and id(item) not in seen:
            seen.add(id(item))
            pending.extend(item.values() if isinstance(item, dict) else item)
    return False


def _restore_state_dict(loaded: dict, as_tensor: bool, keep_names: bool) -> dict:
    """Tensors for the arrays of a state dict; settings such as ``LR_Scheduler`` stay."""
    names = loaded.pop(NAME_TABLE)
    known = names if isinstance(names, dict) else {}
    keep = _Restorer(as_tensor=False, bare=False)
    for key, value in loaded.items():
        if isinstance(value, np.ndarray):
            loaded[key] = array_to_tensor(value, known.get(key)) if as_tensor else value
        else:
            loaded[key] = keep.restore(value)
    if keep_names:
        loaded[NAME_TABLE] = names
    return loaded


def from_file_form(loaded: Any, path: str, as_tensor: bool, keep_names: bool) -> Any:
    """The object that a file's content stands for.

    Args:
        loaded (object): what the pickle holds; it is changed in place.
        path (str): the file, for error texts.
        as_tensor (bool): Tensors, or arrays.
        keep_names (bool): whether the table of names stays in a state dict.

    Raises:
        InvalidArgumentError: it is nested too deeply, or its tables do not fit what it holds.
    """
    try:
        if isinstance(loaded, dict) and SLICE_TABLE in loaded:
            _join_slices(loaded, path)
        if isinstance(loaded, dict) and NAME_TABLE in loaded:
            return _restore_state_dict(loaded, as_tensor, keep_names)
        return _Restorer(as_tensor, bare=not _has_named_array(loaded)).restore(loaded)
    except RecursionError:
        raise InvalidArgumentError(f"the file '{path}' is nested too deeply") from None
