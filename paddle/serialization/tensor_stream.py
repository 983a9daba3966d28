"""Tensors as bytes: the streams that parameter files consist of (``.pdiparams``, ``__params__``).

A file of one variable holds one stream; a combined file holds those of all variables, in ascending
order of their names and without the names. NumPy has no bfloat16: such values are their bits as
uint16, and the element type is given beside them.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np

from paddle.core.dtype import VarType, dtype_name, numpy_dtype, to_vartype
from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.serialization.program.schema import message_class, parse

MAX_RANK = 32  # what every NumPy can hold; PaddlePaddle stops at 9

Lod = list[list[int]]


class Dense(NamedTuple):
    """A tensor with its LoD (offsets, such as ``[[0, 2, 5]]``) and element type."""

    array: np.ndarray
    lod: Lod
    dtype: VarType


class RowsValue(NamedTuple):
    """Some rows of a tall tensor: their indices, the number of all rows, and the values."""

    rows: list[int]
    height: int
    array: np.ndarray
    dtype: VarType


# -- writing --------------------------------------------------------------------------------------


def write_tensor(
    file: IO[bytes], array: Any, lod: Iterable[Sequence[int]] = (), dtype: Any = None
) -> None:
    """Appends a dense tensor to a binary file.

    Args:
        file: where to write.
        array (np.ndarray): the values.
        lod: the LoD as offsets. Default: none.
        dtype: the element type where the array does not tell it: ``"bfloat16"`` for bits in
            uint16. None takes the array's.

    Raises:
        InvalidArgumentError: the type cannot be stored, or the levels are no ascending offsets.
    """
    array, kind = _storable(array, dtype)
    levels = [[int(n) for n in level] for level in lod]
    _check_lod(levels, "write_tensor(lod)")
    file.write(struct.pack("<IQ", 0, len(levels)))
    for level in levels:
        file.write(struct.pack(f"<Q{len(level)}Q", 8 * len(level), *level))
    _write_values(file, array, kind)


def write_selected_rows(
    file: IO[bytes], rows: Sequence[int], height: int, array: Any, dtype: Any = None
) -> None:
    """Appends some rows of a tall tensor to a binary file.

    Args:
        file: where to write.
        rows (Sequence[int]): the index of each row.
        height (int): how many rows there are in all.
        array (np.ndarray): the values, a row for each index.
        dtype: as for :func:`write_tensor`.

    Raises:
        InvalidArgumentError: the number of indices is not that of the rows.
    """
    array, kind = _storable(array, dtype)
    if array.ndim == 0 or len(rows) != array.shape[0]:
        raise InvalidArgumentError(
            f"write_selected_rows(rows): expected an index for each row of an array of shape "
            f"{list(array.shape)}, but {len(rows)} came."
        )
    file.write(struct.pack(f"<IQ{len(rows)}qq", 0, len(rows), *map(int, rows), height))
    _write_values(file, array, kind)


def write_combined(
    file: IO[bytes], tensors: Mapping[str, Any], names: Iterable[str] | None = None
) -> None:
    """Writes the streams of many dense tensors in ascending order of their names.

    Args:
        file: where to write.
        tensors (Mapping): name -> array, or :class:`Dense`.
        names (Iterable[str], optional): which of them; None means all.
    """
    for name in sorted(tensors if names is None else names):
        value = tensors[name]
        dense = value if isinstance(value, Dense) else Dense(value, [], None)  # type: ignore[arg-type]
        try:
            write_tensor(file, dense.array, dense.lod, dense.dtype)
        except FrameworkError as error:
            raise InvalidArgumentError(f"variable {name!r}: {plain(error)}") from error


def _storable(array: Any, dtype: Any) -> tuple[np.ndarray, VarType]:
    """Returns values in C order and little-endian, and their element type."""
    array = np.asarray(array)
    native = array.dtype.newbyteorder("=")
    try:
        kind = to_vartype(native if dtype is None else dtype)
        dtype_name(kind)  # a kind of variable is no element type
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"expected an array of a type that tensors have, but it is {dtype or array.dtype}."
        ) from error
    stored = numpy_dtype(kind)
    if native != stored:
        raise InvalidArgumentError(
            f"expected an array of {stored} for {dtype_name(kind)}, but it is of {array.dtype}."
        )
    # Not ascontiguousarray: it would give an array without dimensions one.
    return np.asarray(array, dtype=stored.newbyteorder("<"), order="C"), kind


def _write_values(file: IO[bytes], array: np.ndarray, kind: VarType) -> None:
    desc = message_class("VarType.TensorDesc")(data_type=int(kind), dims=array.shape)
    header = desc.SerializeToString()
    file.write(struct.pack("<Ii", 0, len(header)) + header)
    if array.size:
        file.write(array.data if array.ndim else array.tobytes())


# -- reading --------------------------------------------------------------------------------------


def read_tensor(file: IO[bytes]) -> tuple[np.ndarray, Lod]:
    """Reads the dense tensor at the current position of a binary file.

    Args:
        file: where to read; stands behind the tensor afterwards.

    Returns:
        tuple: the array (bfloat16 as uint16), and its LoD as offsets.

    Raises:
        InvalidArgumentError: the bytes are truncated or damaged; says at which position what was
            expected and what came. Nothing is allocated that the file is too short for.
    """
    dense = read_dense(file)
    return dense.array, dense.lod


def read_dense(file: IO[bytes]) -> Dense:
    """Reads like :func:`read_tensor`, and returns the element type too."""
    return _dense(_Reader(file))


def read_selected_rows(file: IO[bytes]) -> RowsValue:
    """Reads what :func:`write_selected_rows` wrote; fails like :func:`read_tensor`."""
    reader = _Reader(file)
    reader.version("SelectedRows")
    count = reader.number("Q", "the number of rows")
    reader.need(8 * count, f"{count} row indices")
    rows = list(struct.unpack(f"<{count}q", reader.take(8 * count, "row indices")))
    at = reader.position
    height = reader.number("q", "the height")
    if height < 0 or any(n < 0 or (height and n >= height) for n in rows):  # 0: not known
        raise InvalidArgumentError(
            f"tensor stream at byte {at}: expected row indices from 0 to below the height, but the "
            f"height is {height} and the rows are {rows[:8]}."
        )
    array, kind = _values(reader)
    if array.ndim == 0 or array.shape[0] != count:
        raise InvalidArgumentError(
            f"tensor stream at byte {at}: expected values of {count} rows, but their shape is "
            f"{list(array.shape)}."
        )
    return RowsValue(rows, height, array, kind)


def read_combined(file: IO[bytes], names: Iterable[str]) -> dict[str, Dense]:
    """Reads a file of many dense tensors, which must end behind the last one.

    Args:
        file: where to read.
        names (Iterable[str]): the variables; the file has them in ascending order.

    Returns:
        dict: name -> :class:`Dense`.

    Raises:
        InvalidArgumentError: the file has fewer or more bytes than these variables, or is damaged.
    """
    reader = _Reader(file)
    found: dict[str, Dense] = {}
    for name in sorted(set(names)):
        try:
            found[name] = _dense(reader)
        except FrameworkError as error:
            raise InvalidArgumentError(f"variable {name!r}: {plain(error)}") from error
    if reader.left:
        raise InvalidArgumentError(
            f"tensor stream at byte {reader.position}: expected the end behind {len(found)} "
            f"variables, but {reader.left} bytes are left.",
            hint="the file belongs to another program, which has more variables",
        )
    return found


class _Reader:
    """Takes bytes from a file whose end it knows."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self.position = file.tell()
            self.end = file.seek(0, io.SEEK_END)
            file.seek(self.position)
        except (OSError, AttributeError):  # a pipe; one cannot know its end but by reading it
            data = file.read()
            file, self.position, self.end = io.BytesIO(data), 0, len(data)
        self.file = file

    @property
    def left(self) -> int:
        """How many bytes there are yet."""
        return self.end - self.position

    def need(self, size: int, what: str) -> None:
        """Fails if the file has fewer bytes left."""
        if size > self.left:
            raise InvalidArgumentError(
                f"tensor stream at byte {self.position}: expected {what} in {size} bytes, "
                f"but {self.left} are left.",
                hint="the file is truncated, damaged, or belongs to another program",
            )

    def take(self, size: int, what: str) -> bytes:
        """Returns the next bytes."""
        self.need(size, what)
        data = self.file.read(size)
        self._moved(len(data), size, what)
        return data

    def fill(self, array: np.ndarray, what: str) -> None:
        """Reads straight into the memory of an array."""
        into = getattr(self.file, "readinto", None)
        view = array.reshape(-1).view(np.uint8)
        if into is None:
            view[:] = np.frombuffer(self.take(array.nbytes, what), np.uint8)
        else:
            self._moved(into(view.data), array.nbytes, what)

    def _moved(self, got: int, size: int, what: str) -> None:
        if got != size:
            raise InvalidArgumentError(
                f"tensor stream at byte {self.position}: expected {what} in {size} bytes, "
                f"but the file ended after {got}."
            )
        self.position += size

    def number(self, code: str, what: str) -> int:
        """Returns the next integer."""
        code = "<" + code
        return struct.unpack(code, self.take(struct.calcsize(code), what))[0]

    def version(self, what: str) -> None:
        """Reads a version word, which has only ever been 0."""
        at = self.position
        found = self.number("I", f"the version of the {what}")
        if found:
            raise InvalidArgumentError(
                f"tensor stream at byte {at}: expected version 0 of the {what}, but it is {found}.",
                hint="the file is damaged or holds something else",
            )


def _dense(reader: _Reader) -> Dense:
    reader.version("LoDTensor")
    at = reader.position
    levels = reader.number("Q", "the number of LoD levels")
    reader.need(8 * levels, f"{levels} LoD levels")
    lod: Lod = []
    for _ in range(levels):
        start = reader.position
        size = reader.number("Q", "the size of a LoD level")
        if size % 8:
            raise InvalidArgumentError(
                f"tensor stream at byte {start}: expected a LoD level of a multiple of 8 bytes, "
                f"but it has {size}."
            )
        lod.append(list(struct.unpack(f"<{size // 8}Q", reader.take(size, "a LoD level"))))
    _check_lod(lod, f"tensor stream at byte {at}")
    array, kind = _values(reader)
    return Dense(array, lod, kind)


def _values(reader: _Reader) -> tuple[np.ndarray, VarType]:
    """Reads element type, shape and values."""
    reader.version("Tensor")
    at = reader.position
    size = reader.number("i", "the size of the TensorDesc")
    if size < 0:
        raise InvalidArgumentError(
            f"tensor stream at byte {at}: expected a TensorDesc of 0 or more bytes, "
            f"but its size is {size}."
        )
    at = reader.position
    data = reader.take(size, "the TensorDesc")
    desc = parse("VarType.TensorDesc", data, f"tensor stream at byte {at}")
    kind: Any = VarType._value2member_map_.get(desc.data_type)
    try:
        stored = numpy_dtype(kind).newbyteorder("<")
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidArgumentError(
            f"tensor stream at byte {at}: expected an element type, but data_type is "
            f"{desc.data_type}."
        ) from error
    dims = list(desc.dims)
    if len(dims) > MAX_RANK or any(n < 0 for n in dims):
        raise InvalidArgumentError(
            f"tensor stream at byte {at}: expected up to {MAX_RANK} sizes >= 0, but the shape is "
            f"{dims[:MAX_RANK]}{'...' if len(dims) > MAX_RANK else ''}."
        )
    what = f"values of {dtype_name(kind)}{dims}"
    reader.need(math.prod(dims) * stored.itemsize, what)
    array = None
    with contextlib.suppress(ValueError, OverflowError, MemoryError):
        array = np.empty(dims, stored)  # can fail only for sizes beside a size of 0
    if array is None:
        raise InvalidArgumentError(
            f"tensor stream at byte {at}: expected sizes that fit into memory, but they are {dims}."
        )
    if array.size:
        reader.fill(array, what)
    if kind == VarType.BOOL:
        array = array.view(np.uint8) != 0  # whatever byte stands for true
    native = array if sys.byteorder == "little" else array.astype(array.dtype.newbyteorder("="))
    return native, VarType(kind)


def _check_lod(lod: Lod, where: str) -> None:
    for level in lod:
        if not level or level[0] or any(a > b for a, b in itertools.pairwise(level)):
            raise InvalidArgumentError(
                f"{where}: expected LoD levels of ascending offsets from 0, but one is "
                f"{level[:8]}{'...' if len(level) > 8 else ''}."
            )


def plain(error: FrameworkError) -> str:
    """The text of an error without its code."""
    return str(error.args[0]).partition(") ")[2]
