"""Operators that read and write at positions given by index tensors."""

from __future__ import annotations

from math import prod

import torch

from paddle.core.backends import holds
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.manipulation.joining import in_range


def _flat_index(name: str, index: torch.Tensor) -> torch.Tensor:
    """Checks an index of shape [n] or [n, 1] and returns it with one dimension."""
    if index.dtype not in (torch.int64, torch.int32):
        raise InvalidArgumentError(
            f"{name}: index is expected to be int32 or int64, but received {str(index.dtype)[6:]}."
        )
    if index.dim() == 1:
        return index
    if index.dim() == 0 or (index.dim() == 2 and index.shape[1] == 1):
        return index.reshape(-1)
    raise InvalidArgumentError(
        f"{name}: index is expected to have shape [n] or [n, 1], but received {list(index.shape)}."
    )


def _taken_rule(x: Spec, index: Spec, axis: int) -> list:
    axis = in_range(axis, len(x.shape))
    if x.shape[axis] == 0 and prod(index.shape) > 0:
        raise OutOfRangeError(
            f"expected no indices for dimension {axis} of shape {list(x.shape)}, which has no "
            f"elements, but received some of shape {list(index.shape)}."
        )
    return [Spec((*x.shape[:axis], index.shape[0], *x.shape[axis + 1 :]), x.dtype)]


def _take(name: str, x: torch.Tensor, index: torch.Tensor, axis: int) -> torch.Tensor:
    try:
        return torch.index_select(x, axis, index)
    except (IndexError, RuntimeError) as error:
        # The last is what it says of a dimension of size 0.
        words = ("out of range in self", "out of DATA bounds", "axis dim should be positive")
        if not any(w in str(error) for w in words):
            raise
        raise OutOfRangeError(
            f"{name}: every index is expected to be in range of [0, {x.shape[axis] - 1}], for "
            f"dimension {axis} of shape {list(x.shape)}, but received indices from "
            f"{int(index.min())} to {int(index.max())}."
        ) from error


def _give_back(d_out, x_shape, index, axis):
    """The gradient of :func:`_take`: rows that were taken twice get both gradients."""
    zeros = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    return zeros.index_add(axis, index.reshape(-1), d_out)


def _gather_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, index, axis_whole = inputs
    if axis_whole is None:
        return _taken_rule(x, index, attrs["axis"])
    return [Spec((-1,) * len(x.shape), x.dtype)]


@op("gather", "X Index~ Axis?~ -> Out", infer=_gather_rule, linear="X")
def gather(x, index, axis_whole=None, *, axis=0, overwrite=True):
    if axis_whole is not None:
        axis = int(axis_whole)
    return _take("gather", x, _flat_index("gather", index), axis)


@gather.grad("X.shape Index Axis")
def _(d_out, x_shape, index, axis_whole, *, axis, overwrite):
    if overwrite and axis == 0 and axis_whole is None:
        # 1.x's default: of a row that was taken twice the last gradient counts
        zeros = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
        return zeros.index_copy(0, index.reshape(-1).long(), d_out), None, None
    axis = axis if axis_whole is None else int(axis_whole)
    return _give_back(d_out, x_shape, index, axis), None, None


@op(
    "index_select",
    "X Index~ -> Out",
    infer=lambda i, a: _taken_rule(i[0], i[1], a["dim"]),
    linear="X",
)
def index_select(x, index, *, dim=0):
    return _take("index_select", x, _flat_index("index_select", index), dim)


@index_select.grad("X.shape Index")
def _(d_out, x_shape, index, *, dim):
    return _give_back(d_out, x_shape, index, dim), None


@op("index_sample", "X Index~ -> Out", infer=lambda i, a: [Spec(i[1].shape, i[0].dtype)])
def index_sample(x, index):
    if x.dim() != 2 or index.dim() != 2 or x.shape[0] != index.shape[0]:
        raise InvalidArgumentError(
            "index_sample: x and index are expected to have 2 dimensions and as many rows as each "
            f"other, but received shapes {list(x.shape)} and {list(index.shape)}."
        )
    return torch.gather(x, 1, index.long())


@index_sample.grad("X.shape Index")
def _(d_out, x_shape, index):
    zeros = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    return zeros.scatter_add(1, index.long(), d_out), None


# -- several dimensions at once -----------------------------------------------------------------


def _nd(name: str, shape: tuple, index: torch.Tensor) -> tuple:
    """Splits an index of shape [..., k] into one index per leading dimension."""
    if index.dtype not in (torch.int64, torch.int32):
        raise InvalidArgumentError(
            f"{name}: index is expected to be int32 or int64, but received {str(index.dtype)[6:]}."
        )
    if index.shape[-1] > len(shape):
        raise InvalidArgumentError(
            f"{name}: the last dimension of index is expected to be at most {len(shape)}, the rank "
            f"of x of shape {list(shape)}, but index has shape {list(index.shape)}."
        )
    if holds.host(index) and index.numel() and int(index.min()) < 0:
        raise OutOfRangeError(
            f"{name}: indices are expected to be in range of the shape {list(shape)}, counted from "
            f"0, but received {int(index.min())}."
        )
    return torch.unbind(index.long(), -1)


def _gather_nd_rule(inputs: list, attrs: dict) -> list:
    x, index = inputs
    shape = index.shape[:-1] + x.shape[index.shape[-1] :]
    return [Spec(shape or (1,), x.dtype)]


@op("gather_nd", "X Index~ -> Out", lod="X", infer=_gather_nd_rule, linear="X")
def gather_nd(x, index):
    where = _nd("gather_nd", x.shape, index)
    if not where:
        return x.expand(index.shape[:-1] + x.shape)
    if index.dim() == 1:  # indices without dimensions would be read from the device one by one
        return x[tuple(i.reshape(1) for i in where)].squeeze(0)
    return x[where]


@gather_nd.grad("X.shape Index")
def _(d_out, x_shape, index):
    where = torch.unbind(index.long(), -1)
    if not where:
        return d_out.sum_to_size(x_shape), None
    zeros = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    shape = index.shape[:-1] + x_shape[index.shape[-1] :]
    return zeros.index_put(where, d_out.reshape(shape), accumulate=True), None


def _check_updates(name: str, expected: tuple, updates: torch.Tensor) -> None:
    if tuple(updates.shape) != tuple(expected) and updates.numel() != prod(expected):
        raise InvalidArgumentError(
            f"{name}: updates are expected to have shape {list(expected)}, but received "
            f"{list(updates.shape)}."
        )


@op("scatter_nd_add", "X Index~ Updates -> Out", infer="same", rank0=False)
def scatter_nd_add(x, index, updates):
    where = _nd("scatter_nd_add", x.shape, index)
    shape = index.shape[:-1] + x.shape[index.shape[-1] :]
    _check_updates("scatter_nd_add", shape, updates)
    updates = updates.reshape(shape)
    if not where:
        return x + updates.sum_to_size(x.shape)
    return x.index_put(where, updates, accumulate=True)


@scatter_nd_add.grad("X.shape Index Updates.shape")
def _(d_out, x_shape, index, updates_shape):
    where = torch.unbind(index.long(), -1)
    taken = d_out[where] if where else d_out.expand(index.shape[:-1] + x_shape)
    return d_out, None, taken.reshape(updates_shape)


# -- rows ---------------------------------------------------------------------------------------


def _last_writers(ids: torch.Tensor, rows: int) -> torch.Tensor:
    """For every row the position of the last entry of ``ids`` that names it, or -1."""
    order = torch.arange(ids.numel(), device=ids.device)
    none = torch.full((rows,), -1, dtype=torch.int64, device=ids.device)
    return none.scatter_reduce(0, ids.long(), order, "amax")


@op("scatter", "X Ids~ Updates -> Out", infer="same", rank0=False)
def scatter(x, ids, updates, *, overwrite=True):
    ids = _flat_index("scatter", ids)
    _check_updates("scatter", (ids.shape[0], *x.shape[1:]), updates)
    updates = updates.reshape(ids.shape[0], *x.shape[1:])
    if x.dtype is not updates.dtype:
        raise InvalidArgumentError(
            f"scatter: updates are expected to be {str(x.dtype)[6:]} like x, but received "
            f"{str(updates.dtype)[6:]}."
        )
    ids = ids.long()
    if not overwrite:
        return torch.index_add(torch.index_fill(x, 0, ids, 0), 0, ids, updates)
    if holds.racing_writes(x) and ids.numel():  # index_copy lets any of several writers win there
        winner = _last_writers(ids, x.shape[0])
        kept = (winner < 0).reshape([-1] + [1] * (x.dim() - 1))
        return torch.where(kept, x, updates.index_select(0, winner.clamp(min=0)))
    return torch.index_copy(x, 0, ids, updates)


@scatter.grad("Ids Updates.shape")
def _(d_out, ids, updates_shape, *, overwrite, needs_grad):
    ids = ids.reshape(-1).long()
    dx = torch.index_fill(d_out, 0, ids, 0) if needs_grad[0] else None
    if not needs_grad[2]:
        return dx, None, None
    d_updates = torch.index_select(d_out, 0, ids)
    if overwrite:  # a row that was written over again has no effect
        last = _last_writers(ids, d_out.shape[0]).index_select(0, ids)
        lost = last != torch.arange(ids.numel(), device=ids.device)
        d_updates = d_updates.masked_fill(lost.reshape([-1] + [1] * (d_out.dim() - 1)), 0)
    return dx, None, d_updates.reshape(updates_shape)
