"""Operators that find, order and pick elements."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import op
from paddle.ops.manipulation.joining import in_range
from paddle.ops.math.elementwise import reduce_to

# -- order --------------------------------------------------------------------------------------


def _argsort_rule(inputs: list, attrs: dict) -> list:
    in_range(attrs.get("axis", -1), len(inputs[0].shape))
    return [inputs[0], Spec(inputs[0].shape, VarType.INT64)]


def _put_back(d_out: torch.Tensor, indices: torch.Tensor, shape: tuple, axis: int) -> torch.Tensor:
    """Brings gradients of picked elements to where these came from."""
    zeros = torch.zeros(shape, dtype=d_out.dtype, device=d_out.device)
    return zeros.scatter(axis, indices, d_out)


@op("argsort", "X -> Out Indices~", lod="X", infer=_argsort_rule)
def argsort(x, *, axis=-1, descending=False):
    values, indices = torch.sort(x, dim=axis, descending=descending, stable=True)
    return values, indices


@argsort.grad("X.shape Indices")
def _(d_out, x_shape, indices, *, axis):
    return _put_back(d_out, indices, x_shape, axis)


def _topk_rule(inputs: list, attrs: dict) -> list:
    x, k_whole = inputs
    axis = in_range(attrs.get("axis", -1), len(x.shape))
    k = -1 if k_whole is not None else attrs["k"]
    shape = (*x.shape[:axis], k, *x.shape[axis + 1 :])
    return [Spec(shape, x.dtype), Spec(shape, VarType.INT64)]


def _top(x: torch.Tensor, k: int, axis: int, largest: bool, ordered: bool) -> tuple:
    size = x.shape[in_range(axis, x.dim())]
    if not 1 <= k <= size:
        raise InvalidArgumentError(
            f"topk: k is expected to be in range of [1, {size}], the size of dimension {axis} of "
            f"shape {list(x.shape)}, but received {k}."
        )
    values, indices = torch.topk(x, k, axis, largest, ordered)
    return values, indices


@op("top_k_v2", "X K?~ -> Out Indices~", lod="X", infer=_topk_rule)
def top_k_v2(x, k_whole=None, *, k=1, axis=-1, largest=True, sorted=True):
    return _top(x, k if k_whole is None else int(k_whole), axis, largest, sorted)


@top_k_v2.grad("X.shape Indices")
def _(d_out, x_shape, indices, *, axis):
    return _put_back(d_out, indices, x_shape, axis), None


@op("top_k", "X K?~ -> Out Indices~", lod="X", infer=_topk_rule)
def top_k(x, k_whole=None, *, k=1):
    return _top(x, k if k_whole is None else int(k_whole), -1, True, True)


@top_k.grad("X.shape Indices")
def _(d_out, x_shape, indices):
    return _put_back(d_out, indices, x_shape, -1), None


def _arg_rule(inputs: list, attrs: dict) -> list:
    shape = list(inputs[0].shape)
    dtype = VarType.INT64 if attrs["dtype"] == -1 else VarType(attrs["dtype"])
    if attrs["flatten"]:
        return [Spec((1,) * len(shape) if attrs["keepdims"] else (1,), dtype)]
    axis = in_range(attrs["axis"], len(shape))
    shape[axis : axis + 1] = [1] if attrs["keepdims"] else []
    return [Spec(tuple(shape) or (1,), dtype)]


def _arg(find, x, axis, keepdims, flatten, dtype):
    if flatten:
        out = find(x)
        out = out.reshape([1] * x.dim()) if keepdims else out
    else:
        out = find(x, axis, keepdims)
    return out if dtype in (3, -1) else out.to(torch_dtype(dtype))


@op("arg_max", "X -> Out", infer=_arg_rule, differentiable=False)
def arg_max(x, *, axis, keepdims=False, flatten=False, dtype=3):
    return _arg(torch.argmax, x, axis, keepdims, flatten, dtype)


@op("arg_min", "X -> Out", infer=_arg_rule, differentiable=False)
def arg_min(x, *, axis, keepdims=False, flatten=False, dtype=3):
    return _arg(torch.argmin, x, axis, keepdims, flatten, dtype)


# -- conditions ---------------------------------------------------------------------------------


def _where_rule(inputs: list, attrs: dict) -> list:
    condition, x, y = inputs
    shape = broadcast_shapes(broadcast_shapes(condition.shape, x.shape), y.shape)
    return [Spec(shape, x.dtype)]


@op("where", "Condition~ X Y -> Out", infer=_where_rule)
def where(condition, x, y):
    if condition.dtype is not torch.bool or x.dtype is not y.dtype:
        raise InvalidArgumentError(
            "where: condition is expected to be bool, x and y of one data type, but received "
            f"{str(condition.dtype)[6:]}, {str(x.dtype)[6:]} and {str(y.dtype)[6:]}."
        )
    return torch.where(condition, x, y)


@where.grad("Condition X.shape Y.shape")
def _(d_out, condition, x_shape, y_shape, *, needs_grad):
    return (
        None,
        reduce_to(torch.where(condition, d_out, 0), x_shape) if needs_grad[1] else None,
        reduce_to(torch.where(condition, 0, d_out), y_shape) if needs_grad[2] else None,
    )


@op("where_index", "Condition~ -> Out", differentiable=False,
    infer=lambda i, a: [Spec((-1, len(i[0].shape)), VarType.INT64)])  # fmt: skip
def where_index(condition):
    return torch.nonzero(condition)


@op("masked_select", "X Mask~ -> Y", infer=lambda i, a: [Spec((-1,), i[0].dtype)])
def masked_select(x, mask):
    if mask.dtype is not torch.bool:
        raise InvalidArgumentError(
            f"masked_select: mask is expected to be bool, but received {str(mask.dtype)[6:]}."
        )
    return torch.masked_select(x, mask)


@masked_select.grad("X.shape Mask")
def _(d_y, x_shape, mask):
    shape = broadcast_shapes(x_shape, mask.shape)
    zeros = torch.zeros(shape, dtype=d_y.dtype, device=d_y.device)
    return reduce_to(zeros.masked_scatter(mask.expand(shape), d_y), x_shape), None


# -- distinct values ----------------------------------------------------------------------------


def _unique_rule(inputs: list, attrs: dict) -> list:
    x, dtype = inputs[0], VarType(attrs["dtype"])
    axis = list(attrs["axis"])
    length = Spec((-1,), dtype)
    values = Spec((-1,), x.dtype)
    if axis:
        at = in_range(axis[0], len(x.shape))
        values = Spec((*x.shape[:at], -1, *x.shape[at + 1 :]), x.dtype)
    return [values, length, length, length]


@op("unique", "X -> Out Indices? Index Counts?", infer=_unique_rule, differentiable=False)
def unique(
    x, *, return_index=False, return_inverse=False, return_counts=False, axis=(), dtype=3,
    is_sorted=False
):  # fmt: skip
    kind = torch_dtype(dtype)
    along = in_range(axis[0], x.dim()) if len(axis) else None
    out, inverse, counts = torch.unique(
        x, sorted=True, return_inverse=True, return_counts=True, dim=along
    )
    inverse = inverse.reshape(-1)
    places = torch.arange(inverse.numel(), device=x.device)
    first = torch.full_like(counts, inverse.numel())
    first = first.scatter_reduce(0, inverse, places, "amin")
    if not is_sorted:  # the order of first appearance, as in 1.x
        order = torch.argsort(first)
        rank = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=x.device))
        out, inverse = out.index_select(along or 0, order), rank[inverse]
        first, counts = first[order], counts[order]
    return (
        out,
        first.to(kind) if return_index else None,
        inverse.to(kind),
        counts.to(kind) if return_counts else None,
    )
