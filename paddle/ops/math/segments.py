"""Segment reductions, and message passing between the nodes of a graph."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op

_KINDS = ("SUM", "MEAN", "MAX", "MIN")


def _expect_kind(name: str, attr: str, kind: str) -> None:
    if kind not in _KINDS:
        raise InvalidArgumentError(
            f"{name}: {attr} is expected to be one of {_KINDS}, but received {kind!r}."
        )


def _expect_numbers(name: str, slot: str, index: torch.Tensor) -> torch.Tensor:
    """Row numbers as int64, [n] or [n, 1]."""
    if index.dtype not in (torch.int32, torch.int64):
        raise InvalidTypeError(
            f"{name}: no kernel for these data types: expected {slot} of int32 or int64, but "
            f"received {str(index.dtype)[6:]}."
        )
    if index.dim() != 1 and index.shape[1:] != (1,):
        raise InvalidArgumentError(
            f"{name}: expected {slot} of shape [n] or [n, 1], but received {list(index.shape)}."
        )
    return index.reshape(-1).long()


def _expect_below(name: str, slot: str, index: torch.Tensor, rows: int) -> None:
    if not index.is_meta and index.numel():
        low, high = int(index.min()), int(index.max())
        if low < 0 or high >= rows:
            raise OutOfRangeError(
                f"{name}: expected {slot} in [0, {rows}), but they span [{low}, {high}]."
            )


def _counts(index: torch.Tensor, rows: int) -> torch.Tensor:
    blank = torch.zeros(rows, dtype=torch.int64, device=index.device)
    return blank.index_add(0, index, torch.ones_like(index))


def _collected(x, index, rows: int, kind: str):
    """Rows of x by the row that they go to, zeros where none does; and how many each time."""
    blank = torch.zeros(rows, *x.shape[1:], dtype=x.dtype, device=x.device)
    counts = _counts(index, rows)
    if kind in ("SUM", "MEAN"):
        out = blank.index_add(0, index, x)
        if kind == "MEAN":
            shape = [-1] + [1] * (x.dim() - 1)
            many = counts.clamp(min=1).reshape(shape)
            out = out / many if x.dtype.is_floating_point else torch.div(
                out, many, rounding_mode="trunc").to(x.dtype)  # fmt: skip
        return out, counts
    if not x.numel():
        return blank, counts
    where = index.reshape([-1] + [1] * (x.dim() - 1)).expand_as(x)
    how = "amax" if kind == "MAX" else "amin"
    return torch.scatter_reduce(blank, 0, where, x, how, include_self=False), counts


def _returned(d_out, rows, index, out, kind: str):
    """Gradients of the rows that ``_collected`` took; all that are equal to an extreme get its."""
    parts = d_out[index]
    if kind == "MEAN":
        counts = _counts(index, d_out.shape[0])[index]
        return parts / counts.reshape([-1] + [1] * (parts.dim() - 1))
    return parts if kind == "SUM" else parts * torch.eq(rows, out[index])


def _segment_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    counts = Spec((-1, 1), x.dtype) if attrs["pooltype"] == "MEAN" else None
    return [Spec((-1, *x.shape[1:]), x.dtype), counts]


@op("segment_pool", "X SegmentIds~ -> Out SummedIds?~", infer=_segment_rule,
    dtypes="numbers, not complex")  # fmt: skip
def segment_pool(x, ids, *, pooltype="SUM"):
    """Rows of X by the number of their segment, in ascending order; 0 for a segment of none."""
    _expect_kind("segment_pool", "pooltype", pooltype)
    index = _expect_numbers("segment_pool", "SegmentIds", ids)
    if index.shape[0] != x.shape[0] or not x.shape[0]:
        raise InvalidArgumentError(
            f"segment_pool: expected a number in SegmentIds for each row of X, at least one, but "
            f"received {index.shape[0]} for {x.shape[0]}."
        )
    if int(index[0]) < 0 or bool((torch.diff(index) < 0).any()):
        raise InvalidArgumentError("segment_pool: expected SegmentIds that ascend from 0 or more.")
    out, counts = _collected(x, index, int(index[-1]) + 1, pooltype)
    return out, counts.to(x.dtype).unsqueeze(1) if pooltype == "MEAN" else None


@segment_pool.grad("X SegmentIds Out")
def _(d_out, x, ids, out, *, pooltype):
    index = ids.reshape(-1).long()
    return _returned(d_out, x, index, out, pooltype), None


def _send_rule(inputs: list, attrs: dict) -> list:
    x, size = inputs[0], inputs[3]
    rows = -1 if size is not None else _rows(x.shape[0], attrs["out_size"])
    counts = Spec((rows,), VarType.INT32) if attrs["reduce_op"] == "MEAN" else None
    return [Spec((rows, *x.shape[1:]), x.dtype), counts]


def _rows(own: int, out_size) -> int:
    given = out_size[0] if len(out_size) else 0
    return given if given > 0 else own


@op("graph_send_recv", "X Src_index~ Dst_index~ Out_size?~ -> Out Dst_count?~", infer=_send_rule,
    dtypes="numbers, not complex")  # fmt: skip
def graph_send_recv(x, source, target, size, *, reduce_op="SUM", out_size=(0,)):
    """What the nodes of a graph get along its edges: rows of X from Src_index to Dst_index."""
    _expect_kind("graph_send_recv", "reduce_op", reduce_op)
    source = _expect_numbers("graph_send_recv", "Src_index", source)
    target = _expect_numbers("graph_send_recv", "Dst_index", target)
    if source.shape != target.shape:
        raise InvalidArgumentError(
            "graph_send_recv: expected as many numbers in Src_index as in Dst_index, but received "
            f"{source.shape[0]} and {target.shape[0]}."
        )
    rows = _rows(x.shape[0], out_size if size is None else size.reshape(-1).tolist())
    _expect_below("graph_send_recv", "Src_index", source, x.shape[0])
    _expect_below("graph_send_recv", "Dst_index", target, rows)
    out, counts = _collected(x[source], target, rows, reduce_op)
    return out, counts.to(torch.int32) if reduce_op == "MEAN" else None


@graph_send_recv.grad("X Src_index Dst_index Out")
def _(d_out, x, source, target, out, *, reduce_op):
    source, target = source.reshape(-1).long(), target.reshape(-1).long()
    parts = _returned(d_out, x[source], target, out, reduce_op)
    blank = torch.zeros(x.shape, dtype=d_out.dtype, device=d_out.device)
    return blank.index_add(0, source, parts), None, None, None
