"""Reductions: sums, means, extremes, products and norms over some or all axes."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import op
from paddle.core.traits import InPlace
from paddle.ops.math.constants import operand
from paddle.ops.math.elementwise import add_into
from paddle.ops.math.half import HALF
from paddle.ops.math.unary import dtype_of_code


def reduced_axes(rank: int, dim, reduce_all: bool) -> list[int] | None:
    """The axes to reduce as numbers >= 0, None for all of them."""
    if reduce_all:
        return None
    axes = [dim] if isinstance(dim, int) else list(dim)
    if len(axes) == 1 and 0 <= axes[0] < rank:
        return axes if rank > 1 else None
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise InvalidArgumentError(
                f"The axis to reduce is expected to be in the range [-{rank}, {rank}) for a Tensor "
                f"with {rank} dimensions, but received {axis}."
            )
        axes[i] = axis + rank if axis < 0 else axis
    return axes if axes and len(axes) < rank else None


def reduced_shape(shape, dim, keep_dim: bool, reduce_all: bool) -> tuple[int, ...]:
    """The shape that is left of ``shape``; a scalar has shape (1,)."""
    axes = reduced_axes(len(shape), dim, reduce_all)
    if keep_dim:
        return tuple(1 if axes is None or i in axes else n for i, n in enumerate(shape))
    if axes is None:
        return (1,)
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    shape = reduced_shape(x.shape, attrs["dim"], attrs["keep_dim"], attrs["reduce_all"])
    code = attrs.get("out_dtype", -1)
    return [Spec(shape, x.dtype if code == -1 else VarType(code))]


def _sum_rule(inputs: list, attrs: dict) -> list[Spec]:
    counted = attrs.get("out_dtype", -1) == -1 and inputs[0].dtype == VarType.BOOL
    return _rule(inputs, {**attrs, "out_dtype": int(VarType.INT64)} if counted else attrs)


def _bool_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(_rule(inputs, {**attrs, "out_dtype": -1})[0].shape, VarType.BOOL)]


def spread(value: torch.Tensor, shape, dim, keep_dim: bool, reduce_all: bool) -> torch.Tensor:
    """Gives a reduced value its axes back, of length one, so that it broadcasts with ``shape``."""
    if keep_dim:
        return value
    axes = reduced_axes(len(shape), dim, reduce_all)
    if axes is None:
        return value.reshape([1] * len(shape))
    return value.reshape([1 if i in axes else n for i, n in enumerate(shape)])


def _sum_of_all(x: torch.Tensor) -> torch.Tensor:
    # A vector keeps its axis: making a scalar one-dimensional costs as much as adding does.
    return torch.sum(x, 0, True) if x.dim() == 1 else torch.sum(x)


@op(
    "reduce_sum",
    "X -> Out",
    lod="X",
    infer=_sum_rule,
    no_alias="Out",
    amp="black",
    speculatable=True,
    linear="X",
)
def reduce_sum(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    dtype = x.dtype
    axes = None if reduce_all else reduced_axes(x.dim(), dim, False)
    if out_dtype == -1 and dtype.is_floating_point:
        if axes is None and not keep_dim:
            return _sum_of_all(x)
        return torch.sum(x, axes, keep_dim)
    # torch widens small integers by itself; the operator does so only where out_dtype says so.
    dtype = dtype if out_dtype == -1 else dtype_of_code(out_dtype)
    if dtype is torch.bool and out_dtype == -1:  # what is true is counted
        dtype = torch.int64
    if axes is None and not keep_dim:
        return torch.sum(x, dtype=dtype)
    return torch.sum(x, axes, keep_dim, dtype=dtype)


@reduce_sum.grad("X.shape")
def _(d_out, x_shape, *, dim, keep_dim, reduce_all, in_dtype):
    if in_dtype != -1 and d_out.dtype is not dtype_of_code(in_dtype):
        d_out = d_out.to(dtype_of_code(in_dtype))
    return spread(d_out, x_shape, dim, keep_dim, reduce_all).expand(x_shape)


@op(
    "reduce_mean",
    "X -> Out",
    lod="X",
    infer=_rule,
    no_alias="Out",
    amp="black",
    speculatable=True,
    linear="X",
)
def reduce_mean(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    if out_dtype != -1:
        x = x.to(dtype_of_code(out_dtype))
    axes = None if reduce_all else reduced_axes(x.dim(), dim, False)
    return torch.mean(x) if axes is None and not keep_dim else torch.mean(x, axes, keep_dim)


@reduce_mean.grad("X.shape")
def _(d_out, x_shape, *, dim, keep_dim, reduce_all, in_dtype):
    if in_dtype != -1 and d_out.dtype is not dtype_of_code(in_dtype):
        d_out = d_out.to(dtype_of_code(in_dtype))
    count = x_shape.numel() // max(d_out.numel(), 1)
    d_out = torch.div(d_out, operand(count, d_out.dtype))
    return spread(d_out, x_shape, dim, keep_dim, reduce_all).expand(x_shape)


@op(
    "mean",
    "X -> Out",
    infer=lambda inputs, attrs: [Spec((1,), inputs[0].dtype)],
    no_alias="Out",
    amp="black",
    speculatable=True,
)
def mean(x):
    return torch.mean(x)


@mean.grad("X.shape")
def _(d_out, x_shape):
    d_out = torch.div(d_out, operand(x_shape.numel(), d_out.dtype))
    return d_out.reshape([1] * len(x_shape)).expand(x_shape)


def _extreme(reduce, x, dim, keep_dim, reduce_all, out_dtype):
    axes = reduced_axes(x.dim(), dim, reduce_all)
    out = reduce(x, () if axes is None else axes, keep_dim)
    return out if out_dtype == -1 else out.to(dtype_of_code(out_dtype))


def _extreme_grad(d_out, x, out, dim, keep_dim, reduce_all):
    # Every element that equals the extreme one gets the whole gradient, as in PaddlePaddle.
    chosen = torch.eq(x, spread(out, x.shape, dim, keep_dim, reduce_all))
    return torch.mul(spread(d_out, x.shape, dim, keep_dim, reduce_all).to(x.dtype), chosen)


@op("reduce_max", "X -> Out", lod="X", infer=_rule, speculatable=True)
def reduce_max(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    return _extreme(torch.amax, x, dim, keep_dim, reduce_all, out_dtype)


@reduce_max.grad("X Out")
def _(d_out, x, out, *, dim, keep_dim, reduce_all):
    return _extreme_grad(d_out, x, out, dim, keep_dim, reduce_all)


@op("reduce_min", "X -> Out", lod="X", infer=_rule, speculatable=True)
def reduce_min(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    return _extreme(torch.amin, x, dim, keep_dim, reduce_all, out_dtype)


@reduce_min.grad("X Out")
def _(d_out, x, out, *, dim, keep_dim, reduce_all):
    return _extreme_grad(d_out, x, out, dim, keep_dim, reduce_all)


@op("reduce_prod", "X -> Out", lod="X", infer=_rule)
def reduce_prod(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    dtype = x.dtype if out_dtype == -1 else dtype_of_code(out_dtype)
    axes = reduced_axes(x.dim(), dim, reduce_all)
    if axes is None:
        out = torch.prod(x, dtype=dtype)
        return out.reshape([1] * x.dim()) if keep_dim else out
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keep_dim, dtype=dtype)
    return x


@op("reduce_all", "X -> Out", lod="X", infer=_bool_rule, differentiable=False, speculatable=True)
def reduce_all(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    axes = reduced_axes(x.dim(), dim, reduce_all)
    return torch.all(x.to(torch.bool), axes, keep_dim)


@op("reduce_any", "X -> Out", lod="X", infer=_bool_rule, differentiable=False, speculatable=True)
def reduce_any(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    axes = reduced_axes(x.dim(), dim, reduce_all)
    return torch.any(x.to(torch.bool), axes, keep_dim)


def _logsumexp_rule(inputs: list, attrs: dict) -> list[Spec]:
    shape = reduced_shape(inputs[0].shape, attrs["axis"], attrs["keepdim"], attrs["reduce_all"])
    return [Spec(shape, inputs[0].dtype)]


@op("logsumexp", "X -> Out", infer=_logsumexp_rule)
def logsumexp(x, *, axis=(0,), keepdim=False, reduce_all=False):
    if not x.is_floating_point():
        raise InvalidTypeError(f"logsumexp: expected floating values, got {str(x.dtype)[6:]}.")
    axes = reduced_axes(x.dim(), axis, reduce_all)
    return torch.logsumexp(x, list(range(x.dim())) if axes is None else axes, keepdim)


@logsumexp.grad("X Out")
def _(d_out, x, out, *, axis, keepdim, reduce_all):
    share = torch.exp(x - spread(out, x.shape, axis, keepdim, reduce_all))
    if x.dtype in HALF:  # the result was rounded, and an exponential multiplies that
        axes = reduced_axes(x.dim(), axis, reduce_all)
        whole = torch.logsumexp(x.float(), list(range(x.dim())) if axes is None else axes, True)
        share = torch.exp(x.float() - whole).to(x.dtype)
    return torch.mul(spread(d_out, x.shape, axis, keepdim, reduce_all), share)


@op("frobenius_norm", "X -> Out", infer=_rule, dtypes="floats")
def frobenius_norm(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    dtype = None if out_dtype == -1 else dtype_of_code(out_dtype)
    axes = reduced_axes(x.dim(), dim, reduce_all)
    return torch.linalg.vector_norm(x, 2, axes, keep_dim, dtype=dtype)


def _p_norm_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [
        Spec(reduced_shape(x.shape, attrs["axis"], attrs["keepdim"], attrs["asvector"]), x.dtype)
    ]


@op("p_norm", "X -> Out", infer=_p_norm_rule)
def p_norm(x, *, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    axes = reduced_axes(x.dim(), axis, asvector)
    return torch.linalg.vector_norm(x, porder, axes, keepdim)


@op("squared_l2_norm", "X -> Out", infer=lambda inputs, attrs: [Spec((1,), inputs[0].dtype)])
def squared_l2_norm(x):
    flat = x.reshape(-1)
    return torch.dot(flat, flat)


@squared_l2_norm.grad("X")
def _(d_out, x):
    return torch.mul(torch.mul(x, 2), d_out)


@op("l1_norm", "X -> Out", infer=lambda inputs, attrs: [Spec((1,), inputs[0].dtype)])
def l1_norm(x):
    return torch.sum(torch.abs(x))


@l1_norm.grad("X")
def _(d_out, x):
    return torch.mul(torch.sign(x), d_out)


def _terms_rule(inputs: list, attrs: dict) -> list[Spec]:
    shape = inputs[0][0].shape
    for term in inputs[0][1:]:
        shape = broadcast_shapes(shape, term.shape)
    return [Spec(shape, inputs[0][0].dtype)]


def _sum_no_alias(inputs: dict[str, list], attrs: dict) -> str:
    """A plan may hand on the only term that there is."""
    return "Out" if len(inputs["X"]) > 1 else ""


@op(
    "sum",
    "X* -> Out",
    lod="X",
    infer=_terms_rule,
    no_alias=_sum_no_alias,
    inplace=InPlace(add_into),
    amp="black",
    linear="X",
)
def sum(x):
    if len(x) == 1:
        return x[0].clone()
    out = torch.add(x[0], x[1])
    for term in x[2:]:
        out = torch.add(out, term)
    return out


@sum.grad("X.shape")
def _(d_out, shapes):
    return [d_out] * len(shapes)
