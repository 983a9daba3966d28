"""Write plain data and arrays as the pickle stream that PaddlePaddle writes, byte for byte."""

from __future__ import annotations

import codecs
import pickle
import struct
from collections.abc import Callable
from typing import Any, BinaryIO, ClassVar

import numpy as np

_LARGE = 1 << 16  # from here on array bytes go straight to the file, without a copy
_CHUNK = 1 << 22
_LIMIT_32 = 0xFFFFFFFF


class Deferred:
    """An array that is fetched only when its turn to be written comes.

    Args:
        fetch (callable): gives the ndarray.
        name (str|None): with a name the array is written as the tuple ``(name, array)``, the
            form of a Tensor inside an arbitrary object; without, as the bare array.
    """

    __slots__ = ("fetch", "name")

    def __init__(self, fetch: Callable[[], np.ndarray], name: str | None = None):
        self.fetch = fetch
        self.name = name


class _Global:
    """A function written under a fixed module name, whatever module defines it here.

    NumPy 2 moved its pickle helpers to ``numpy._core``, which NumPy 1 cannot import; the old
    place is understood by every version.
    """

    def __init__(self, module: str, name: str):
        self.module = module
        self.qualname = name

    def __call__(self) -> None:
        raise NotImplementedError("stands for a function in a pickle stream; it is never called")


class _Raw:
    """The content of a large array, to be written without making a bytes object of it."""

    def __init__(self, content: np.ndarray):
        self.content = content


class _RawAsText(_Raw):
    """The same for protocol 2, which spells bytes as Latin-1 text in UTF-8."""


_RECONSTRUCT = _Global("numpy.core.multiarray", "_reconstruct")
_SCALAR = _Global("numpy.core.multiarray", "scalar")


def _flat_bytes(array: np.ndarray) -> tuple[np.ndarray, bool]:
    """The elements in storage order as uint8, and whether that order is Fortran's."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    rows = np.ascontiguousarray(array.T if fortran else array)
    return rows.reshape(-1).view(np.uint8), fortran


# The pure Python class: the C one offers no way to rename a global.
_Pickler: Any = pickle._Pickler  # type: ignore[attr-defined]


class _Writer(_Pickler):
    """A pickler for the types a parameter file may hold."""

    dispatch: ClassVar[dict[Any, Any]] = dict(_Pickler.dispatch)

    def _save_deferred(self, obj: Deferred) -> None:
        if obj.name is None:
            self._write_array(obj.fetch(), obj)
        else:
            self.save_reduce(tuple, ((obj.name, obj.fetch()),), obj=obj)

    def _save_array(self, obj: np.ndarray) -> None:
        self._write_array(obj, obj)

    def _write_array(self, array: np.ndarray, owner: Any) -> None:
        content, fortran = _flat_bytes(array)
        state = (1, array.shape, array.dtype, fortran, self._bytes_of(content))
        # A fresh (0,) each time: equal objects of one identity are written as references.
        args = (np.ndarray, tuple(range(1)), b"b")
        self.save_reduce(_RECONSTRUCT, args, state, obj=owner)

    def _bytes_of(self, content: np.ndarray) -> Any:
        return content.tobytes() if content.size < _LARGE else _Raw(content)

    def _save_scalar(self, obj: np.generic) -> None:
        self.save_reduce(_SCALAR, (obj.dtype, obj.tobytes()), obj=obj)

    def _save_raw(self, obj: _Raw) -> None:

        if self.proto < 3:
            self.save_reduce(codecs.encode, (_RawAsText(obj.content), "latin1"), obj=obj)
            return
        size = obj.content.size
        if size > _LIMIT_32 and self.proto < 4:
            raise OverflowError("an array of more than 4 GiB needs pickle_protocol=4")
        header = (
            pickle.BINBYTES + struct.pack("<I", size)
            if size <= _LIMIT_32
            else pickle.BINBYTES8 + struct.pack("<Q", size)
        )
        self._write_large_bytes(header, obj.content.data)
        self.memoize(obj)

    def _save_raw_text(self, obj: _RawAsText) -> None:
        size = obj.content.size + int(np.count_nonzero(obj.content >= 0x80))
        if size > _LIMIT_32:
            raise OverflowError("an array of this size needs pickle_protocol=4")
        self.write(pickle.BINUNICODE + struct.pack("<I", size))
        for start in range(0, obj.content.size, _CHUNK):
            part = obj.content[start : start + _CHUNK].tobytes()
            self.write(part.decode("latin-1").encode("utf-8"))
        self.memoize(obj)

    def _save_named_global(self, obj: _Global) -> None:
        if self.proto >= 4:
            self.save(obj.module)
            self.save(obj.qualname)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.qualname}\n".encode("ascii"))
        self.memoize(obj)

    dispatch[Deferred] = _save_deferred
    dispatch[np.ndarray] = _save_array
    dispatch[_Raw] = _save_raw
    dispatch[_RawAsText] = _save_raw_text
    dispatch[_Global] = _save_named_global
    for _scalar_type in set(np.sctypeDict.values()):
        dispatch[_scalar_type] = _save_scalar
    del _scalar_type


def write_pickle(obj: Any, file: BinaryIO, protocol: int) -> None:
    """Pickle ``obj`` into an open file.

    Args:
        obj (object): plain containers, numbers, text, ndarrays, NumPy scalars, ``Deferred``.
        file (BinaryIO): open for writing.
        protocol (int): pickle protocol 2, 3 or 4.

    Raises:
        OverflowError: an array is too large for the protocol.
    """
    _Writer(file, protocol).dump(obj)
