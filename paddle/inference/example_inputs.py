"""Makes inputs of a saved model from what its Program states of them, for trials and benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.inference.signature import Argument, Signature
from paddle.ir.program import Program

# Sizes where the Program leaves one open, by what the tensor most likely is.
_CHANNELS, _PIXELS, _LINE_WIDTH, _STEPS = 3, 224, 320, 128
_ROWS = 16  # of a sequence in an input with LoD
_LOOKUPS = frozenset({"lookup_table", "lookup_table_v2"})
# What models of detection call the size of the picture, and what it is of height and width.
_PICTURE_SIZES = {
    "im_shape": (0, 1), "im_size": (0, 1), "im_info": (0, 1, None), "scale_factor": (None, None),
}  # fmt: skip
_SAME_VALUES = frozenset({
    "assign", "cast", "flatten2", "flatten_contiguous_range", "reshape", "reshape2", "squeeze",
    "squeeze2", "unsqueeze", "unsqueeze2",
})  # fmt: skip


class Example(NamedTuple):
    """One input that was made.

    Attributes:
        array (np.ndarray): the values.
        lod (list[list[int]]): offsets of its sequences; empty for a dense tensor.
        assumed (str): what was assumed of its shape, or nothing.
    """

    array: np.ndarray
    lod: list[list[int]]
    assumed: str


def example_inputs(
    program: Program,
    batch: int = 1,
    shapes: Mapping[str, Sequence[int]] | None = None,
    dtypes: Mapping[str, str] | None = None,
    seed: int = 0,
) -> dict[str, Example]:
    """Returns an input for each that a Program states.

    Numbers are drawn from [0, 1); whole numbers are 1, or lie below the size of the table in which
    they are looked up. ``im_shape`` and the like state the size of the picture among the inputs.

    Args:
        program (Program): for inference.
        batch (int): the first size, where it is open. Default: 1.
        shapes (Mapping[str, Sequence[int]], optional): input -> its shape.
        dtypes (Mapping[str, str], optional): input -> its element type.
        seed (int): of the numbers. Default: 0.

    Raises:
        InvalidArgumentError: a shape is of no input, or does not fit what the Program states.
    """
    inputs = Signature.of(program).inputs
    shapes, dtypes = shapes or {}, dtypes or {}
    for name in (*shapes, *dtypes):
        if name not in [i.name for i in inputs]:
            raise InvalidArgumentError(
                f"the model has no input {name!r}; its inputs are {[i.name for i in inputs]}."
            )
    rng = np.random.RandomState(seed)
    found: dict[str, Example] = {}
    for stated in inputs:
        made = stated._replace(dtype=dtypes.get(stated.name, stated.dtype))
        shape, assumed = _shape(made, batch, shapes.get(stated.name))
        array = _values(rng, shape, made.numpy, _table_size(program, stated.name))
        found[stated.name] = Example(array, _lod(made, shape, batch), assumed)
    _state_picture_sizes(found)
    return found


def _state_picture_sizes(found: dict[str, Example]) -> None:
    """Puts the height and width of the picture, and the scale 1, where a model is told them."""
    picture = next((x.array.shape[-2:] for x in found.values() if x.array.ndim == 4), None)
    for name, meanings in _PICTURE_SIZES.items():
        made = found.get(name)
        if picture and made and made.array.shape[1:] == (len(meanings),):
            made.array[:] = [1 if at is None else picture[at] for at in meanings]


def check_shape(stated: Argument, shape: Sequence[int]) -> None:
    """Checks that a shape is one that the Program takes for an input.

    Raises:
        InvalidArgumentError: the rank differs, or a size that the Program fixes.
    """
    fits = len(shape) == len(stated.shape) and all(
        size >= 0 and wanted in (-1, size) for size, wanted in zip(shape, stated.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("?" if size < 0 else str(size) for size in stated.shape)
        raise InvalidArgumentError(
            f"input {stated.name!r}: expected the shape [{wanted}], of rank {len(stated.shape)}, "
            f"but got {list(shape)}, of rank {len(shape)}."
        )


def _shape(
    stated: Argument, batch: int, given: Sequence[int] | None
) -> tuple[tuple[int, ...], str]:
    if given is not None:
        check_shape(stated, given)
        return tuple(given), ""
    sizes = [_size(stated, i, batch) if size < 0 else size for i, size in enumerate(stated.shape)]
    open_ = [i for i, size in enumerate(stated.shape) if size < 0]
    if not open_:
        return tuple(sizes), ""
    assumed = ", ".join(f"{sizes[i]} for dimension {i}" for i in open_)
    return tuple(sizes), f"the model leaves sizes open: {assumed}"


def _size(stated: Argument, i: int, batch: int) -> int:
    rank = len(stated.shape)
    if i == 0:
        return batch * _ROWS if stated.lod_level else batch
    if rank < 4:
        return _STEPS
    if i == 1:
        return _CHANNELS
    return _LINE_WIDTH if i == rank - 1 and stated.shape[i - 1] > 0 else _PIXELS


def _lod(stated: Argument, shape: tuple[int, ...], batch: int) -> list[list[int]]:
    if not stated.lod_level:
        return []
    rows = shape[0]
    count = min(batch, rows) or 1
    offsets = [round(rows * i / count) for i in range(count + 1)]
    outer = [list(range(count + 1)) for _ in range(stated.lod_level - 1)]
    return [*outer, offsets]


def _values(
    rng: np.random.RandomState, shape: tuple[int, ...], dtype: np.dtype, table: int | None
) -> np.ndarray:
    if dtype.kind in "iu":
        drawn = np.ones(shape) if table is None else rng.randint(0, table, shape)
        return np.asarray(drawn, dtype)
    if dtype.kind == "b":
        return np.ones(shape, dtype)
    return np.asarray(rng.random_sample(shape), dtype)


def _table_size(program: Program, name: str) -> int | None:
    """How many rows the smallest table has in which an input is looked up; None: in none."""
    block = program.global_block()
    same, sizes = {name}, []
    for op in block.ops:
        if op.type in _LOOKUPS and same.intersection(op.inputs.get("Ids", ())):
            table = block.vars.get(op.inputs["W"][0])
            if table is not None and table.shape[0] > 0:
                sizes.append(table.shape[0])
        elif op.type in _SAME_VALUES and same.intersection(op.inputs.get("X", ())):
            same.update(op.outputs.get("Out", ()))
    return min(sizes, default=None)
