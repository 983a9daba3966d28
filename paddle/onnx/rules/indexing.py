"""Rules of look-ups and of writes to places: gather, scatter, where, embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule


@rule("gather")
def _(g: Any, op: Any) -> str:
    axis = op.attr("axis")
    if op.has("Axis"):
        given = op.known("Axis")
        if given is None:
            raise op.refuse("an axis that only a run can tell")
        axis = int(given.reshape(-1)[0])
    index = op["Index"]
    if op.rank("Index") == 2:
        index = g.squeeze(index, [1])
    return g.Gather(op["X"], index, axis=int(axis))


@rule("index_select")
def _(g: Any, op: Any) -> str:
    return g.Gather(op["X"], op["Index"], axis=int(op.attr("dim")))


@rule("gather_nd")
def _(g: Any, op: Any) -> str:
    if op.rank("Index") == 1 and op.shape("Index")[0] < 0:
        raise op.refuse("an index of a length that only a run can tell")
    made = g.GatherND(op["X"], g.int64(op["Index"], op.dtype("Index")))
    scalar = op.rank("Index") == 1 and op.shape("Index")[0] == op.rank("X")
    return op.scalar(made) if scalar else made


@rule("index_sample")
def _(g: Any, op: Any) -> str:
    return g.GatherElements(op["X"], op["Index"], axis=1)


@rule("take_along_axis")
def _(g: Any, op: Any) -> str:
    return g.GatherElements(op["Input"], op["Index"], axis=int(op.attr("Axis")))


@rule("put_along_axis")
def _(g: Any, op: Any) -> str:
    how = {"assign": None, "add": "add", "mul": "mul", "multiply": "mul", "amax": "max",
           "amin": "min"}.get(op.attr("Reduce"), "")  # fmt: skip
    if how == "" or (how and not op.attr("Include_self")):
        raise op.refuse(f"Reduce = {op.attr('Reduce')!r} without the values that are there")
    if how is not None:
        g.need(18 if how in ("max", "min") else 16, op.op.type)
    value = g.Expand(op["Value"], op.sizes("Index"))
    return g.ScatterElements(
        op["Input"], op["Index"], value, axis=int(op.attr("Axis")), reduction=how
    )


@rule("lookup_table_v2", "lookup_table")
def _(g: Any, op: Any) -> str:
    ids, table = op["Ids"], op["W"]
    if op.op.type == "lookup_table" and op.rank("Ids") > 1:
        ids = g.squeeze(ids, [op.rank("Ids") - 1])
    found = g.Gather(table, ids, axis=0)
    padding = int(op.attr("padding_idx"))
    if padding == -1:
        return found
    number = np.array(padding, np.int64)
    kept = g.Not(g.Equal(g.int64(ids, op.dtype("Ids")), number))
    return g.Mul(found, g.unsqueeze(g.cast(kept, op.dtype("W")), [-1]))


@rule("scatter")
def _(g: Any, op: Any) -> str:
    ids = g.int64(op["Ids"], op.dtype("Ids"))
    if op.rank("Ids") == 2:
        ids = g.squeeze(ids, [1])
    where = g.unsqueeze(ids, [1])
    if op.attr("overwrite"):
        return g.ScatterND(op["X"], where, op["Updates"])
    # Rows that are named begin from zero, and what comes for them is added up.
    g.need(16, op.op.type)
    zeros = g.fill(op.sizes("Updates"), 0, op.dtype("X"))
    cleared = g.ScatterND(op["X"], where, zeros)
    return g.ScatterND(cleared, where, op["Updates"], reduction="add")


@rule("scatter_nd_add")
def _(g: Any, op: Any) -> str:
    g.need(16, op.op.type)
    where = g.int64(op["Index"], op.dtype("Index"))
    return g.ScatterND(op["X"], where, op["Updates"], reduction="add")


@rule("index_add")
def _(g: Any, op: Any) -> str:
    g.need(16, op.op.type)
    rank, axis = op.rank("X"), op.axis("axis")
    order = [axis, *[a for a in range(rank) if a != axis]]
    back = [order.index(a) for a in range(rank)]
    where = g.unsqueeze(g.int64(op["Index"], op.dtype("Index")), [1])
    made = g.ScatterND(
        g.Transpose(op["X"], perm=order), where, g.Transpose(op["AddValue"], perm=order),
        reduction="add",
    )  # fmt: skip
    return g.Transpose(made, perm=back)


@rule("where")
def _(g: Any, op: Any) -> str:
    return g.where(op["Condition"], op["X"], op["Y"], op.dtype("X"))


@rule("where_index")
def _(g: Any, op: Any) -> str:
    given = op["Condition"]
    dtype = op.dtype("Condition")
    if dtype in (VarType.INT8, VarType.INT16, VarType.FP64):
        given = g.Not(g.Equal(given, op.number(0, "Condition")))
    return g.Transpose(g.NonZero(given), perm=[1, 0])


@rule("masked_select")
def _(g: Any, op: Any) -> str:
    value, mask = op["X"], op["Mask"]
    if op.shape("X") != op.shape("Mask"):
        value, mask = g.Expand(value, op.sizes("Mask")), g.Expand(mask, op.sizes("X"))
    return g.Compress(g.Reshape(value, [-1]), g.Reshape(mask, [-1]), axis=0)


@rule("multiplex")
def _(g: Any, op: Any) -> str:
    stacked = g.Concat(*[g.unsqueeze(v, [0]) for v in op.values("X")], axis=0)
    ids = g.Reshape(g.int64(op["Ids"], op.dtype("Ids")), [-1])
    count = g.squeeze(g.size(ids, 0), [0])
    rows = g.Range(np.array(0, np.int64), count, np.array(1, np.int64))
    where = g.Concat(g.unsqueeze(ids, [1]), g.unsqueeze(rows, [1]), axis=1)
    return g.GatherND(stacked, where)


@rule("set_value")
def _(g: Any, op: Any) -> str:
    places = _places(g, op)
    rank, dropped, added = op.rank("Input"), op.ints("decrease_axes"), op.ints("none_axes")
    part = g.Concat(
        *[g.Shape(p) if p is not None else op.sizes("Input", [a]) for a, p in enumerate(places)],
        axis=0,
    )
    shown = _shown(rank, dropped, added)
    value, own = _value_to_set(g, op)
    if own > len(shown):  # only ones may stand before
        value = g.squeeze(value, list(range(own - len(shown))))
    elif own < len(shown):
        value = g.unsqueeze(value, list(range(len(shown) - own)))
    new = [i for i, axis in enumerate(shown) if axis is None]
    if new:
        value = g.squeeze(value, new)
    if dropped:
        value = g.unsqueeze(value, sorted(a % rank for a in dropped))
    value = g.Expand(value, part)
    kept = [axis for axis, at in enumerate(places) if at is not None]
    return _written(g, op, value, places, kept) if kept else value


def _places(g: Any, op: Any) -> list[str | None]:
    """The positions that are written in each dimension, int64 vectors; None: all of them."""
    starts, ends, steps = (
        op.vector(f"{n.capitalize()}TensorList", attr=n) for n in ("starts", "ends", "steps")
    )
    if not all(isinstance(v, list) for v in (starts, ends, steps)):
        raise op.refuse("places that only a run can tell")
    shape, axes = op.shape("Input"), op.ints("axes")
    places: list[str | None] = [None] * len(shape)
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(axes)):
        size = shape[axis]
        if end == -1 and step < 0:
            end = -(2**31)  # before the first element
        if size < 0:
            places[axis] = _open_places(g, g.size(op["Input"], axis), start, end, step)
        else:
            found = np.arange(size)[start : (None if end < -size and step < 0 else end) : step]
            places[axis] = g.value(found.astype(np.int64))
    return places


def _open_places(g: Any, size: str, start: int, end: int, step: int) -> str:
    """Positions in a dimension whose size only a run can tell."""
    line = g.Range(np.array(0, np.int64), g.rank0(size), np.array(1, np.int64))
    return g.slice(line, [start], [end], [0], [step])


def _shown(rank: int, dropped: list[int], added: list[int]) -> list[int | None]:
    """The dimensions that the value has to the user: without integers' axes, None for new ones."""
    left = list(added)
    shown: list[int | None] = []
    for axis in range(rank):
        while left and left[0] <= axis:
            shown.append(None)
            left.pop(0)
        if axis not in dropped:
            shown.append(axis)
    return shown + [None] * len(left)


def _value_to_set(g: Any, op: Any) -> tuple[str, int]:
    """The value, and how many dimensions it has."""
    dtype = op.dtype("Input")
    if op.has("ValueTensor"):
        return g.cast(op["ValueTensor"], dtype), op.rank("ValueTensor")
    names = ("values", "bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values")
    given = np.asarray(next(list(op.attr(n)) for n in names if op.attr(n)))
    shape = op.ints("shape")
    if shape and np.prod(shape) == given.size:
        given = given.reshape(shape)
    return g.constant(given, dtype), given.ndim


def _written(g: Any, op: Any, value: str, places: list[str | None], kept: list[int]) -> str:
    """Writes a value to positions in some dimensions."""
    order = kept + [a for a in range(op.rank("Input")) if a not in kept]
    back = [order.index(a) for a in range(len(order))]
    count = len(kept)
    if all(g.known(places[a]) is not None for a in kept):
        grid = np.meshgrid(*[g.known(places[a]) for a in kept], indexing="ij")
        where = g.value(np.stack(grid, -1).astype(np.int64))
    else:
        shape = g.Concat(*[g.Shape(places[a]) for a in kept], axis=0)
        lines = [
            g.Reshape(places[a], [1] * i + [-1] + [1] * (count - 1 - i)) for i, a in enumerate(kept)
        ]
        where = g.Concat(*[g.unsqueeze(g.Expand(v, shape), [-1]) for v in lines], axis=-1)
    made = g.ScatterND(g.Transpose(op["Input"], perm=order), where, g.Transpose(value, perm=order))
    return g.Transpose(made, perm=back)
