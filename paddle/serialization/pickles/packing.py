"""Turn what a user saves into the arrays and tables that a file holds."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from paddle.core.dtype import numpy_dtype
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.tensor import Tensor
from paddle.serialization.pickles.writer import Deferred

NAME_TABLE = "StructuredToParameterName@@"
SLICE_TABLE = "UnpackBigParamInfor@@"
# Protocols 2 and 3 store arrays of more bytes than this in parts.
SLICE_BYTES = 2**30 - 1

_LEAVES = (str, bytes, bytearray, int, float, bool, complex, type(None), slice, range)
_DICTS = (dict, OrderedDict)


class _Packer:
    """Turns an object into what the pickle writer takes, naming the place of what it cannot."""

    def __init__(self) -> None:
        self.done: dict[int, tuple[Any, Any]] = {}  # id -> (original, packed); keeps sharing
        self.open: set[int] = set()

    def pack(self, obj: Any, where: str) -> Any:
        kind = type(obj)
        if kind in _LEAVES or isinstance(obj, (np.generic, np.dtype)):
            self._check_numeric(obj, where)
            return obj
        if id(obj) in self.done:
            return self.done[id(obj)][1]
        if id(obj) in self.open:
            raise InvalidArgumentError(f"paddle.save: {where} contains itself")
        self.open.add(id(obj))
        packed = self._pack_new(obj, kind, where)
        self.open.discard(id(obj))
        self.done[id(obj)] = (obj, packed)
        return packed

    def _pack_new(self, obj: Any, kind: type, where: str) -> Any:
        if isinstance(obj, Tensor):
            return Deferred(obj.numpy, obj.name)
        if kind in (np.ndarray, np.memmap):
            self._check_numeric(obj, where)
            return np.asarray(obj)
        if kind in _DICTS:
            pairs = obj.items()
            return kind(
                (self.pack(k, f"a key of {where}"), self.pack(v, f"{where}[{k!r}]"))
                for k, v in pairs
            )
        if kind in (list, tuple):
            return kind([self.pack(v, f"{where}[{i}]") for i, v in enumerate(obj)])
        if kind in (set, frozenset):
            if any(isinstance(v, Tensor) for v in obj):
                raise UnimplementedError(
                    f"paddle.save: {where} is a {kind.__name__} of Tensors, which is written as "
                    "arrays, and arrays cannot be set elements",
                    hint="Save a list.",
                )
            return kind(self.pack(v, f"an element of {where}") for v in obj)
        raise self._unsupported(obj, where)

    @staticmethod
    def _check_numeric(obj: Any, where: str) -> None:
        dtype = getattr(obj, "dtype", obj)
        if isinstance(dtype, np.dtype) and dtype.kind not in "biufc":
            raise UnimplementedError(
                f"paddle.save: {where} is a NumPy object of dtype {dtype}; only numbers and bool "
                "are written"
            )

    @staticmethod
    def _unsupported(obj: Any, where: str) -> Exception:
        if callable(getattr(obj, "state_dict", None)):
            hint = "Save its values: paddle.save(x.state_dict(), path)."
        else:
            hint = (
                "Supported are Tensor, numpy.ndarray, numbers, str, bytes, None and the plain "
                "dict, OrderedDict, list, tuple and set of them."
            )
        name = f"{type(obj).__module__}.{type(obj).__qualname__}"
        return UnimplementedError(f"paddle.save cannot write a {name} ({where})", hint=hint)


def _holds_tensor(obj: Any) -> bool:
    """Whether a container has a Tensor anywhere inside."""
    seen: set[int] = set()
    pending = [obj]
    while pending:
        item = pending.pop()
        if isinstance(item, Tensor):
            return True
        if isinstance(item, (dict, list, tuple)) and id(item) not in seen:
            seen.add(id(item))
            pending.extend(item.values() if isinstance(item, dict) else item)
    return False


def _is_state_dict(obj: Any) -> bool:
    """A dict whose values are Tensors, or settings without Tensors such as ``LR_Scheduler``."""
    return type(obj) in _DICTS and all(
        isinstance(v, Tensor) or (isinstance(v, dict) and not _holds_tensor(v))
        for v in obj.values()
    )


def _pack_state_dict(obj: dict) -> dict:
    """The file form of a state dict: bare arrays, and the variable names in a table."""
    packer = _Packer()
    packed: dict[Any, Any] = {}
    names: dict[Any, str] = {}
    for key, value in obj.items():
        if isinstance(value, Tensor):
            packed[packer.pack(key, "a key of obj")] = Deferred(value.numpy)
            names[key] = value.name
        elif key != NAME_TABLE:  # one from load(keep_name_table=True) is made anew
            packed[packer.pack(key, "a key of obj")] = packer.pack(value, f"obj[{key!r}]")
    packed[NAME_TABLE] = names
    return packed


def _extent(value: Any, source: Any) -> tuple[int, int]:
    """Elements and bytes per element of a packed array, without fetching it."""
    if isinstance(value, np.ndarray):
        return value.size, value.itemsize
    if isinstance(source, Tensor) and value.name is None:
        return int(np.prod(source.shape, dtype=object)), numpy_dtype(source.dtype).itemsize
    return 0, 1


def _slice_large(packed: dict, source: dict) -> dict:
    """Cuts arrays that are too large for protocols 2 and 3 into flat parts."""
    result: dict[Any, Any] = {}
    parts: dict[str, Any] = {}
    table: dict[Any, Any] = {}
    for key, value in packed.items():
        if not isinstance(value, (Deferred, np.ndarray)):
            result[key] = value
            continue
        count, itemsize = _extent(value, source.get(key))
        limit = SLICE_BYTES // itemsize
        if count <= limit:
            result[key] = value
            continue
        array = value.fetch() if isinstance(value, Deferred) else value
        flat = array.reshape(-1)
        named = [f"{key}@@.{i}" for i in range(-(-count // limit))]
        for i, name in enumerate(named):
            parts[name] = flat[i * limit : (i + 1) * limit]
        table[key] = {"OriginShape": array.shape, "slices": named}
    if table:
        result.update(parts)
        result[SLICE_TABLE] = table
    return result


def to_file_form(obj: Any, protocol: int) -> Any:
    """What the pickle writer gets for ``obj``: containers, arrays and deferred arrays.

    A state dict becomes bare arrays and a table of names; elsewhere each Tensor becomes a named
    array. For protocols 2 and 3 large arrays of a dict are cut.
    """
    packed = _pack_state_dict(obj) if _is_state_dict(obj) else _Packer().pack(obj, "obj")
    if protocol < 4 and isinstance(packed, dict):
        packed = _slice_large(packed, obj)
    return packed


def arrays_to_file_form(
    arrays: dict[str, Deferred], tensors: dict[str, Tensor], protocol: int
) -> Any:
    """What the pickle writer gets for the state of a Program, which has no table of names.

    Args:
        arrays (dict): name -> array, fetched when it is written.
        tensors (dict): name -> the Tensor it comes from, for its size.
        protocol (int): the pickle protocol.
    """
    return _slice_large(arrays, tensors) if protocol < 4 else arrays
