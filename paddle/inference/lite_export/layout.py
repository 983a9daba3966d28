"""The `.nb` file: how a lowered program and its weights become bytes.

`docs/lite.md` has the layout as a table; `lite/paddlelite/reader.py` and `lite/csrc/paddle_lite.c`
read it. It is a layout of this project: the `.nb` files of the original Paddle Lite are others.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.serialization.files.atomic import FileSet, atomic_files

MAGIC, VERSION, ALIGNMENT = b"PYPDNB\r\n", 1, 64
NONE = 0xFFFFFFFF  # an operand that is not there
NO_VALUE = 0xFFFFFFFFFFFFFFFF  # the offset of a tensor that is computed
DTYPES = {"float32": 0, "int64": 1, "int32": 2}
BYTES = {"int8": 8, "int16": 9}  # forms in which float32 may be stored, with scales
_HEADER = struct.Struct("<8sII5QQ")
_CHECKED_FROM = 16  # the checksum is of all bytes from here


@dataclass
class Step:
    """One operator of a lowered program.

    Attributes:
        name (str): the operator.
        ins (list[str]): names of tensors; empty: not given.
        outs (list[str]): names of results.
        ints (list[int]): its whole numbers, in the order of `docs/lite.md`.
        floats (list[float]): its other numbers.
    """

    name: str
    ins: list[str]
    outs: list[str]
    ints: Sequence[int] = ()
    floats: Sequence[float] = ()


@dataclass
class Lowered:
    """A program for the lite runtime.

    Attributes:
        inputs (dict[str, tuple]): input -> name of the data type, and sizes (-1: any).
        outputs (list[str]): what it returns.
        steps (list[Step]): operators, in their order.
        constants (dict[str, ndarray]): weights.
        channels (dict[str, int]): weight -> axis of its output channels; these may be stored in
            fewer bits.
    """

    inputs: dict[str, tuple[str, tuple[int, ...]]]
    outputs: list[str]
    steps: list[Step] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    channels: dict[str, int] = field(default_factory=dict)


def quantized(array: np.ndarray, axis: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns whole numbers and the scale of each channel, so that their product is near an array.

    Args:
        array (ndarray): of finite floats.
        axis (int): of the channels.
        kind (str): "int8" or "int16".
    """
    top = np.iinfo(kind).max
    others = tuple(i for i in range(array.ndim) if i != axis)
    largest = np.abs(array).max(others, keepdims=True)
    scale = np.where(largest > 0, largest / top, 1).astype("float32")
    return np.rint(array / scale).clip(-top, top).astype(kind), scale.reshape(-1)


class _Blob:
    """Arrays behind each other, each at a multiple of ALIGNMENT."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: np.ndarray) -> tuple[int, int]:
        """Appends an array; returns where it is, and its bytes."""
        content = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        at = self.size
        self.parts += [content, bytes(-len(content) % ALIGNMENT)]
        self.size += len(content) + len(self.parts[-1])
        return at, len(content)


def nb_bytes(lowered: Lowered, weights: str = "float32") -> bytes:
    """Returns the contents of a file.

    Args:
        lowered (Lowered): the program.
        weights (str): how weights of products are stored: "float32", "int16" or "int8".

    Raises:
        InvalidArgumentError: weights that are to be stored in fewer bits are not finite.
    """
    blob, table, out = _Blob(), _numbered(lowered), bytearray()
    for name in table:
        out += _tensor(lowered, name, weights, blob)
    for step in lowered.steps:
        out += _step(step, table)
    out += struct.pack(f"<{len(lowered.inputs)}I", *(table[n] for n in lowered.inputs))
    out += struct.pack(f"<{len(lowered.outputs)}I", *(table[n] for n in lowered.outputs))
    counts = len(table), len(lowered.steps), len(lowered.inputs), len(lowered.outputs)
    program = struct.pack("<4I", *counts) + bytes(out)
    gap = bytes(-(_HEADER.size + len(program)) % ALIGNMENT)
    start = _HEADER.size + len(program) + len(gap)
    places = start + blob.size, _HEADER.size, len(program), start, blob.size, 0
    body = _HEADER.pack(MAGIC, VERSION, 0, *places)[_CHECKED_FROM:] + program + gap
    crc = zlib.crc32(body)
    for part in blob.parts:
        crc = zlib.crc32(part, crc)
    return b"".join([MAGIC, struct.pack("<II", VERSION, crc), body, *blob.parts])


def _numbered(lowered: Lowered) -> dict[str, int]:
    """The number of each tensor: those that a step mentions, inputs and outputs."""
    names = dict.fromkeys([*lowered.inputs, *lowered.outputs])
    for step in lowered.steps:
        names.update(dict.fromkeys(n for n in (*step.ins, *step.outs) if n))
    return {name: i for i, name in enumerate(names)}


def _tensor(lowered: Lowered, name: str, weights: str, blob: _Blob) -> bytes:
    array = lowered.constants.get(name)
    dtype, dims = lowered.inputs.get(name, ("float32", ()))
    if array is not None:
        dtype, dims = array.dtype.name, array.shape
    stored, axis, place, scales = DTYPES[dtype], 255, (NO_VALUE, 0), b""
    if array is not None and name in lowered.channels and weights != "float32":
        if not np.isfinite(array).all():
            raise InvalidArgumentError(
                f"paddle_lite_opt: weight {name!r} has values that are not finite; it cannot be "
                f"stored as {weights}."
            )
        axis, stored = lowered.channels[name], BYTES[weights]
        array, scale = quantized(array, axis, weights)
        place = blob.add(array)
        scales = struct.pack("<Q", blob.add(scale)[0])
    elif array is not None:
        place = blob.add(array)
    text = name.encode()[:255]
    head = struct.pack("<BBBBH", DTYPES[dtype], stored, len(dims), axis, len(text))
    return head + text + struct.pack(f"<{len(dims)}i2Q", *dims, *place) + scales


def _step(step: Step, table: dict[str, int]) -> bytes:
    text = step.name.encode()
    counts = len(step.ins), len(step.outs), len(step.ints), len(step.floats)
    operands = [table.get(name, NONE) for name in (*step.ins, *step.outs)]
    return (
        struct.pack("<B4H", len(text), *counts)
        + text
        + struct.pack(f"<{len(operands)}I", *operands)
        + struct.pack(f"<{counts[2]}i", *(max(-(2**31), min(2**31 - 1, int(i))) for i in step.ints))
        + struct.pack(f"<{counts[3]}f", *step.floats)
    )


def write_nb(path: str, content: bytes) -> None:
    """Writes a file, or leaves what was there."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with atomic_files(FileSet()) as files:
        files.open(path).write(content)
