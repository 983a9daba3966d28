"""Reads `.nb` files. Whatever is in one: the result is a checked model, or a LiteError."""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np

MAGIC, VERSION = b"PYPDNB\r\n", 1
NONE = 0xFFFFFFFF
NO_VALUE = 0xFFFFFFFFFFFFFFFF
DTYPES: tuple[np.dtype, ...] = (np.dtype("<f4"), np.dtype("<i8"), np.dtype("<i4"))
BYTES: dict[int, np.dtype] = {8: np.dtype("<i1"), 9: np.dtype("<i2")}
MAX_RANK = 8
MAX_ELEMENTS = 1 << 28
_HEADER = struct.Struct("<8sII5QQ")

# Operator; least and most operands, results, whole numbers; other numbers; operands that may be
# missing, as bits. `csrc/paddle_lite.c` has the same table; a test compares them.
_TABLE = """
    conv2d 4 4 1 1 10 10 2 12, conv2d_transpose 3 3 1 1 9 9 0 4, recurrent 5 5 1 1 2 2 0 24,
    arg_max 1 1 1 1 2 2 0 0, matmul 3 3 1 1 2 2 1 4,
    pool2d 1 1 1 1 12 12 0 0, activation 1 1 1 1 1 1 2 0, binary 2 2 1 1 2 2 0 0,
    layer_norm 3 3 1 1 1 1 1 6, softmax 1 1 1 1 1 1 0 0, reduce 1 1 1 1 2 10 0 0,
    reshape 1 1 1 1 0 8 0 0, transpose 1 1 1 1 0 8 0 0, concat 1 1024 1 1 1 1 0 0,
    slice 1 1 1 1 4 32 0 0, pad 1 1 1 1 1 17 1 0, gather 2 2 1 1 1 1 0 0, cast 1 1 1 1 1 1 0 0,
    interpolate 1 1 1 1 5 5 2 0, yolo_box 2 2 2 2 5 67 2 0, multiclass_nms 2 2 1 3 4 4 3 0
"""
OPERATORS = {row.split()[0]: tuple(map(int, row.split()[1:])) for row in _TABLE.split(",")}


class LiteError(RuntimeError):
    """A file cannot be read, or what was given to a model does not fit it."""


class Tensor(NamedTuple):
    """A tensor of a model; `value` is None where it is computed or fed."""

    name: str
    dtype: np.dtype
    dims: tuple[int, ...]
    value: np.ndarray | None


class Operator(NamedTuple):
    """An operator; operands are numbers of tensors, -1 where one is not given."""

    name: str
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    ints: tuple[int, ...]
    floats: tuple[float, ...]


class Model(NamedTuple):
    """What a file holds."""

    tensors: list[Tensor]
    operators: list[Operator]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class _Cursor:
    """Reads numbers off bytes, never beyond their end."""

    def __init__(self, content: memoryview, unclaimed: int) -> None:
        self.content, self.at = content, 0
        self.unclaimed = unclaimed  # bytes of the arrays that no tensor has taken yet

    def take(self, layout: str) -> tuple:
        size = struct.calcsize("<" + layout)
        if size > len(self.content) - self.at:
            raise LiteError("damaged .nb file: its program ends too early")
        found = struct.unpack_from("<" + layout, self.content, self.at)
        self.at += size
        return found

    def text(self, length: int) -> str:
        try:
            return self.take(f"{length}s")[0].decode()
        except UnicodeDecodeError:
            raise LiteError("damaged .nb file: a name is not UTF-8") from None


def check(holds: Any, problem: str) -> None:
    """Raises a LiteError unless something holds."""
    if not holds:
        raise LiteError(problem)


def read(content: Any) -> Model:
    """Returns the model in some bytes, which have to stay as they are.

    Args:
        content (buffer): a whole file, perhaps mapped.
    """
    view = memoryview(content).cast("B")
    check(view[:8] == MAGIC, "not a .nb file of paddlelite (those of the original Paddle Lite are "
          "another layout); paddle_lite_opt makes one of a saved model")  # fmt: skip
    check(len(view) >= _HEADER.size, "damaged .nb file: it ends in its header")
    _, version, crc, total, program, size, blob, blob_size, zero = _HEADER.unpack_from(view)
    check(version == VERSION, f".nb file of version {version}; this paddlelite reads {VERSION}")
    check(total == len(view), f"damaged .nb file: {len(view)} bytes where it states {total}")
    check(zlib.crc32(view[16:]) == crc, "damaged .nb file: its checksum does not fit")
    fits = program == _HEADER.size and size <= total - program and zero == 0
    fits = fits and blob % 64 == 0 and blob >= program + size and blob + blob_size == total
    check(fits, "damaged .nb file: the places in its header")
    return _program(_Cursor(view[program : program + size], blob_size), view[blob:])


def _program(cursor: _Cursor, blob: memoryview) -> Model:
    count, steps, ins, outs = cursor.take("4I")
    room = len(cursor.content)  # nothing takes less than a byte
    check(max(count, steps, ins, outs) <= room, "damaged .nb file: its counts")
    check(outs > 0, "damaged .nb file: it has no outputs")
    tensors = [_tensor(cursor, blob) for _ in range(count)]
    operators = [_operator(cursor, count) for _ in range(steps)]
    model = Model(tensors, operators, cursor.take(f"{ins}I"), cursor.take(f"{outs}I"))
    check(cursor.at == room, "damaged .nb file: there is more behind its program")
    _check_order(model)
    return model


def _tensor(cursor: _Cursor, blob: memoryview) -> Tensor:
    kind, stored, rank, axis, length = cursor.take("BBBBH")
    name = cursor.text(length)
    check(kind < len(DTYPES), f"damaged .nb file: data type {kind} of {name!r}")
    check(rank <= MAX_RANK, f"damaged .nb file: {name!r} has {rank} dimensions")
    dims = cursor.take(f"{rank}i")
    at, size = cursor.take("2Q")
    if at == NO_VALUE:
        check(size == 0 and stored == kind, f"damaged .nb file: {name!r}")
        check(all(d >= -1 for d in dims), f"damaged .nb file: sizes of {name!r}")
        return Tensor(name, DTYPES[kind], dims, None)
    check(stored == kind or (kind == 0 and stored in BYTES), f"damaged .nb file: {name!r}")
    dtype = DTYPES[kind] if stored == kind else BYTES[stored]
    check(all(d >= 0 for d in dims), f"damaged .nb file: sizes of {name!r}")
    value = _array(blob, at, dtype, dims, name)
    cursor.unclaimed -= size  # so no file becomes far larger in memory
    fits = size == value.nbytes and cursor.unclaimed >= 0
    check(fits, f"damaged .nb file: the size of {name!r}")
    if stored != kind:
        check(axis < rank, f"damaged .nb file: the axis of {name!r}")
        scale = _array(blob, cursor.take("Q")[0], DTYPES[0], (dims[axis],), name)
        with np.errstate(all="ignore"):
            value = value * scale.reshape([-1 if i == axis else 1 for i in range(rank)])
    return Tensor(name, DTYPES[kind], dims, value)


def _array(
    blob: memoryview, at: int, dtype: np.dtype, dims: tuple[int, ...], name: str
) -> np.ndarray:
    size = math.prod(dims) * dtype.itemsize
    check(at % 64 == 0 and at <= len(blob) and size <= len(blob) - at,
          f"damaged .nb file: {name!r} lies outside")  # fmt: skip
    return np.frombuffer(blob[at : at + size], dtype).reshape(dims)


def _operator(cursor: _Cursor, count: int) -> Operator:
    length, *counts = cursor.take("B4H")
    name = cursor.text(length)
    limits = OPERATORS.get(name)
    if limits is None:
        raise LiteError(f"this paddlelite has no operator {name!r}; is the file of a later one?")
    operands = [-1 if i == NONE else i for i in cursor.take(f"{counts[0] + counts[1]}I")]
    check(all(i < count for i in operands), f"damaged .nb file: an operand of {name}")
    ins, outs = tuple(operands[: counts[0]]), tuple(operands[counts[0] :])
    ints, floats = cursor.take(f"{counts[2]}i"), cursor.take(f"{counts[3]}f")
    least = all(n >= limits[2 * i] for i, n in enumerate(counts[:3]))
    most = all(n <= limits[2 * i + 1] for i, n in enumerate(counts[:3]))
    check(least and most and counts[3] == limits[6], f"damaged .nb file: the counts of {name}")
    missing = [i for i, n in enumerate(ins) if n < 0 and not limits[7] >> i & 1]
    check(not missing and min(outs) >= 0, f"damaged .nb file: {name} lacks an operand")
    return Operator(name, ins, outs, ints, floats)


def _check_order(model: Model) -> None:
    """Every tensor is made once, before it is read."""
    known = {i for i, t in enumerate(model.tensors) if t.value is not None}
    for i in model.inputs:
        check(i < len(model.tensors) and i not in known, "damaged .nb file: its inputs")
        known.add(i)
    for op in model.operators:
        check(all(i < 0 or i in known for i in op.ins), f"damaged .nb file: the order of {op.name}")
        for i in op.outs:
            check(i not in known, f"damaged .nb file: {op.name} writes twice")
            known.add(i)
    check(all(i in known for i in model.outputs), "damaged .nb file: its outputs")
