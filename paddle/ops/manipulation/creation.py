"""Operators that make tensors from attributes: constants, ranges, diagonals, copies."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.core.place import current_device
from paddle.ops.manipulation.attribute_tensors import ints, known

_CPU = torch.device("cpu")
_ON_CPU = 0  # `place_type` of a constant that stays in main memory


def _number(text: str) -> int | float | complex:
    """Reads ``str_value``, which keeps digits that a 32-bit attribute loses."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return complex(text)


def _as(value: complex, dtype: torch.dtype) -> complex:
    """Prepares a number for torch.full: integers are truncated, as a C cast does."""
    if type(value) is float and not (dtype.is_floating_point or dtype.is_complex):
        if dtype is torch.bool:
            return bool(value)
        if not math.isfinite(value):
            raise InvalidArgumentError(
                f"a Tensor of type {str(dtype)[6:]} cannot hold the value {value}."
            )
        return int(value)
    return value


def _shape_rule(inputs: list, attrs: dict) -> list:
    shape = known(attrs["shape"], *inputs[-2:])
    return [Spec(tuple(shape) or (1,), VarType(attrs["dtype"]))]


def _constant_rule(inputs: list, attrs: dict) -> list:
    if inputs[0] is None and not attrs["str_value"]:
        _as(attrs["value"], torch_dtype(attrs["dtype"]))
    return _shape_rule(inputs, attrs)


@op(
    "fill_constant", "ValueTensor? ShapeTensor? ShapeTensorList*? -> Out", infer=_constant_rule,
    differentiable=False, speculatable=True,
)  # fmt: skip
def fill_constant(
    value_whole=None, shape_whole=None, shape_parts=None, *, dtype=5, shape=(), value=0.0,
    str_value="", force_cpu=False, place_type=-1
):  # fmt: skip
    kind = torch_dtype(dtype)
    if shape_whole is not None or shape_parts:
        shape = ints(shape, shape_whole, shape_parts)
    device = _CPU if force_cpu or place_type == _ON_CPU else current_device()
    if value_whole is not None:
        return value_whole.reshape(()).to(device, kind).expand(shape).clone()
    if str_value:
        value = _number(str_value)
    return torch.full(shape, _as(value, kind), dtype=kind, device=device)


def _like_rule(inputs: list, attrs: dict) -> list:
    dtype = attrs["dtype"]
    return [Spec(inputs[0].shape, inputs[0].dtype if dtype == -1 else VarType(dtype))]


@op("fill_any_like", "X -> Out", lod="X", infer=_like_rule, differentiable=False)
def fill_any_like(x, *, value=0.0, dtype=-1):
    kind = x.dtype if dtype == -1 else torch_dtype(dtype)
    return torch.full(x.shape, _as(value, kind), dtype=kind, device=x.device)


@op("fill_zeros_like", "X -> Out", infer="same", differentiable=False)
def fill_zeros_like(x):
    return torch.zeros(x.shape, dtype=x.dtype, device=x.device)


def batch_shape(x_shape: tuple, attrs: dict) -> list:
    """The attribute ``shape`` with one dimension taken from the input's shape."""
    shape = list(attrs["shape"])
    shape[attrs["output_dim_idx"]] = x_shape[attrs["input_dim_idx"]]
    return shape


def batch_rule(inputs: list, attrs: dict) -> list:
    """Shape rule of the ``*_batch_size_like`` operators."""
    return [Spec(tuple(batch_shape(inputs[0].shape, attrs)), VarType(attrs["dtype"]))]


@op("fill_constant_batch_size_like", "Input -> Out", infer=batch_rule, differentiable=False)
def fill_constant_batch_size_like(
    input, *, shape, input_dim_idx=0, output_dim_idx=0, dtype=5, value=0.0, str_value="",
    force_cpu=False
):  # fmt: skip
    places = {"shape": shape, "input_dim_idx": input_dim_idx, "output_dim_idx": output_dim_idx}
    kind = torch_dtype(dtype)
    number = _as(_number(str_value) if str_value else value, kind)
    device = _CPU if force_cpu else input.device
    return torch.full(batch_shape(input.shape, places), number, dtype=kind, device=device)


@op("empty", "ShapeTensor? ShapeTensorList*? -> Out", infer=_shape_rule, differentiable=False)
def empty(shape_whole=None, shape_parts=None, *, shape=(), dtype=5):
    shape = ints(shape, shape_whole, shape_parts)
    return torch.empty(list(shape), dtype=torch_dtype(dtype), device=current_device())


# -- copies -------------------------------------------------------------------------------------


@op(
    "assign",
    "X -> Out",
    infer="same",
    direct=torch.clone,
    speculatable=True,
    rank0=True,
    linear="X",
)
def assign(x):
    return torch.clone(x)


@assign.grad()
def _(d_out):
    return d_out


@op(
    "assign_value",
    "-> Out",
    infer=lambda i, a: _shape_rule([None, None], a),
    differentiable=False,
    speculatable=True,
)
def assign_value(
    *, shape, dtype, bool_values=(), fp32_values=(), fp64_values=(), int32_values=(),
    int64_values=()
):  # fmt: skip
    values: Sequence[Any] = next(
        (v for v in (bool_values, fp32_values, fp64_values, int32_values, int64_values) if len(v)),
        [],
    )
    made = torch.tensor(list(values), dtype=torch_dtype(dtype), device=current_device())
    return made.reshape(list(shape))


# -- ranges -------------------------------------------------------------------------------------


@op("range", "Start End Step -> Out", differentiable=False,
    infer=lambda i, a: [Spec((-1,), i[0].dtype)])  # fmt: skip
def range_(start, end, step):
    first, last, by = start.item(), end.item(), step.item()
    if by == 0:
        raise InvalidArgumentError("arange: step is expected to differ from 0.")
    if (last - first) * by < 0:
        raise InvalidArgumentError(
            f"arange: step is expected to lead from start to end, but received start={first}, "
            f"end={last}, step={by}."
        )
    count = math.ceil((last - first) / by)
    if start.dtype.is_floating_point:
        steps = torch.arange(count, dtype=start.dtype, device=current_device())
        return steps.mul_(by).add_(first)
    return torch.arange(first, last, by, dtype=start.dtype, device=current_device())


@op("linspace", "Start Stop Num -> Out", differentiable=False,
    infer=lambda i, a: [Spec((-1,), VarType(a["dtype"]))])  # fmt: skip
def linspace(start, stop, num, *, dtype):
    count = int(num)
    if count < 1:
        raise InvalidArgumentError(
            f"linspace: num is expected to be positive, but received {count}."
        )
    kind = torch_dtype(dtype)
    first, last = start.item(), stop.item()
    if kind.is_floating_point:
        return torch.linspace(first, last, count, dtype=kind, device=current_device())
    # Integers are truncated values of the exact line, counted from whichever end is nearer.
    line = torch.linspace(first, last, count, dtype=torch.float64, device=current_device())
    return line.to(kind)


@op("eye", "-> Out", differentiable=False, infer=lambda i, a: [
    Spec((a["num_rows"], a["num_rows"] if a["num_columns"] == -1 else a["num_columns"]),
         VarType(a["dtype"]))])  # fmt: skip
def eye(*, num_rows, num_columns=-1, dtype=5):
    columns = num_rows if num_columns == -1 else num_columns
    return torch.eye(num_rows, columns, dtype=torch_dtype(dtype), device=current_device())


# -- diagonals ----------------------------------------------------------------------------------


@op("tril_triu", "X -> Out", infer="same")
def tril_triu(x, *, diagonal=0, lower=False):
    return torch.tril(x, diagonal) if lower else torch.triu(x, diagonal)


@tril_triu.grad()
def _(d_out, *, diagonal, lower):
    return torch.tril(d_out, diagonal) if lower else torch.triu(d_out, diagonal)


def _diag_rule(inputs: list, attrs: dict) -> list:
    x, offset = inputs[0], attrs["offset"]
    if len(x.shape) == 1:
        size = -1 if x.shape[0] == -1 else x.shape[0] + abs(offset)
        return [Spec((size, size), x.dtype)]
    rows, columns = x.shape
    if -1 in (rows, columns):
        return [Spec((-1,), x.dtype)]
    left = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    return [Spec((max(left, 0),), x.dtype)]


@op("diag_v2", "X -> Out", infer=_diag_rule)
def diag_v2(x, *, offset=0, padding_value=0.0):
    if x.dim() not in (1, 2):
        raise InvalidArgumentError(
            f"diag: x is expected to have 1 or 2 dimensions, but received shape {list(x.shape)}."
        )
    if x.dim() == 2:
        rows, columns = x.shape
        if offset >= columns or -offset >= rows:
            return x.reshape(-1)[:0]
        return torch.diagonal(x, offset)
    out = torch.diag_embed(x, offset)
    if padding_value == 0:
        return out
    on = torch.diag_embed(torch.ones(x.shape, dtype=torch.bool, device=x.device), offset)
    return torch.where(
        on, out, torch.full((), _as(padding_value, x.dtype), dtype=x.dtype, device=x.device)
    )


@diag_v2.grad("X.shape")
def _(d_out, x_shape, *, offset):
    if len(x_shape) == 1:
        return torch.diagonal(d_out, offset)
    grad = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    if d_out.numel():
        torch.diagonal(grad, offset).copy_(d_out)
    return grad
