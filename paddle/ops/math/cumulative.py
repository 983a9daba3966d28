"""Cumulative sums, histograms and multiplex."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import AxisError, InvalidArgumentError
from paddle.core.infer import Spec, in_range
from paddle.core.op import op


def _count(shape) -> int:
    product = 1
    for n in shape:
        if n == -1:
            return -1
        product *= n
    return product


def _cumsum_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    if attrs["flatten"]:
        return [Spec((_count(x.shape),), x.dtype)]
    in_range(attrs["axis"], len(x.shape))
    return [x]


def _running(x: torch.Tensor, axis: int, exclusive: bool, reverse: bool) -> torch.Tensor:
    if reverse:
        x = torch.flip(x, [axis])
    out = torch.cumsum(x, axis, dtype=x.dtype)
    if exclusive:
        out = torch.sub(out, x)
    return torch.flip(out, [axis]) if reverse else out


@op("cumsum", "X -> Out", lod="X", infer=_cumsum_rule)
def cumsum(x, *, axis=-1, flatten=False, exclusive=False, reverse=False):
    if flatten:
        x, axis = x.reshape(-1), 0
    if not -x.dim() <= axis < x.dim():
        raise AxisError(f"cumsum: expected axis in [-{x.dim()}, {x.dim()}), but received {axis}.")
    return _running(x, axis, exclusive, reverse)


@cumsum.grad("X.shape")
def _(d_out, x_shape, *, axis, flatten, exclusive, reverse):
    grad = _running(d_out, 0 if flatten else axis, exclusive, not reverse)
    return grad.reshape(x_shape) if flatten else grad


def _histogram_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((attrs["bins"],), VarType.INT64)]


@op("histogram", "X -> Out", infer=_histogram_rule, differentiable=False, dtypes="not complex")
def histogram(x, *, bins=100, min=0, max=0):
    if bins < 1:
        raise InvalidArgumentError(f"histogram: expected bins >= 1, but received {bins}.")
    if max < min:
        raise InvalidArgumentError(
            f"histogram: expected max >= min, but received min = {min} and max = {max}."
        )
    if x.is_meta:
        return torch.empty([bins], dtype=torch.int64, device=x.device)
    values = x.reshape(-1).to(torch.float64)
    low, high = float(min), float(max)
    if low == high and values.numel():
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        raise InvalidArgumentError(f"histogram: expected finite values, found [{low}, {high}].")
    return torch.histc(values, bins, low, high).to(torch.int64)


def _multiplex_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [inputs[0][0]]


@op("multiplex", "X* Ids -> Out", infer=_multiplex_rule)
def multiplex(x, ids):
    if len(x) < 2:
        raise InvalidArgumentError(f"multiplex: expected at least 2 tensors, received {len(x)}.")
    if any(candidate.shape != x[0].shape for candidate in x):
        raise InvalidArgumentError(
            "multiplex: expected tensors of one shape, but received "
            f"{[list(candidate.shape) for candidate in x]}."
        )
    rows = ids.reshape(-1).to(torch.int64)
    if rows.shape[0] != x[0].shape[0]:
        raise InvalidArgumentError(
            f"multiplex: expected one index for each of the {x[0].shape[0]} rows, "
            f"but received {rows.shape[0]}."
        )
    if not rows.is_meta and rows.numel():
        low, high = int(rows.min()), int(rows.max())
        if low < 0 or high >= len(x):
            raise InvalidArgumentError(
                f"multiplex: expected indices in [0, {len(x)}), but they span [{low}, {high}]."
            )
    return torch.stack(list(x))[rows, torch.arange(rows.shape[0], device=rows.device)]


@multiplex.grad("X.shape Ids")
def _(d_out, shapes, ids):
    rows = ids.reshape([-1] + [1] * (d_out.dim() - 1))
    return [torch.mul(d_out, torch.eq(rows, k)) for k in range(len(shapes))], None
