"""Operators of common layers: linear, dropout, embedding, one-hot."""

from __future__ import annotations

import torch

from paddle.core.backends import backend_of
from paddle.core.dtype import VarType, dtype_name, torch_dtype
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from paddle.core.infer import Spec, of_dimensions
from paddle.core.op import op
from paddle.core.random import torch_generator
from paddle.ops.linalg.matrices import affine, as_matrix, product_of_rows
from paddle.ops.random.draws import kept_mask


@of_dimensions
def _linear_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, w = inputs[:2]
    if x.shape[-1] != w.shape[0] and -1 not in (x.shape[-1], w.shape[0]):
        raise InvalidArgumentError(
            f"linear: expected X of shape [..., {w.shape[0]}] beside W of shape {list(w.shape)}, "
            f"but received {list(x.shape)}."
        )
    if x.dtype != w.dtype:
        raise InvalidTypeError(
            f"no kernel for these data types: expected X and W of one type, but received "
            f"{dtype_name(x.dtype)} and {dtype_name(w.dtype)}."
        )
    return [Spec((*x.shape[:-1], w.shape[1]), x.dtype)]


@op(
    "linear",
    "X W Bias? -> Out",
    lod="X",
    infer=_linear_rule,
    proto="x @ w + b in one call; a Program holds matmul_v2 and elementwise_add instead",
    no_alias="Out",
    amp="white",
)
def linear(x, w, bias):
    if x.dim() == 2:
        return affine(x, w, bias)
    return affine(as_matrix(x), w, bias).reshape([*x.shape[:-1], w.shape[1]])


@linear.grad("X W Bias.shape", no_alias="X")
def _(d_out, x, w, bias_shape, *, needs_grad):
    flat = d_out if d_out.dim() == 2 else as_matrix(d_out)
    d_x = d_w = d_b = None
    if needs_grad[0]:
        d_x = affine(flat, w.t())
        if d_out.dim() != 2:
            d_x = d_x.reshape(x.shape)
    if needs_grad[1]:
        d_w = product_of_rows(x if x.dim() == 2 else as_matrix(x), flat)
    if needs_grad[2]:
        d_b = torch.sum(flat, 0)
    return d_x, d_w, d_b


def _check_chance(value: float) -> None:
    if not 0 <= value <= 1:
        raise InvalidArgumentError(
            f"dropout expects p to be in [0, 1], but received a dropout_prob of {value}."
        )


@of_dimensions
def _dropout_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    if not attrs["is_test"]:
        _check_chance(attrs["dropout_prob"])
    return [x, None if attrs["is_test"] else x]


@op("dropout", "X Seed? -> Out Mask?~", lod="X", infer=_dropout_rule, random=True)
def dropout(
    x,
    seed_tensor,
    *,
    dropout_prob=0.5,
    is_test=False,
    dropout_implementation="downgrade_in_infer",
    fix_seed=False,
    seed=0,
):
    if not x.is_floating_point():
        raise InvalidTypeError("dropout: no kernel for these data types: expected floating X.")
    upscale = dropout_implementation == "upscale_in_train"
    if is_test:
        return (x.detach() if upscale else torch.mul(x, 1.0 - dropout_prob)), None
    if dropout_prob == 1.0:
        return torch.zeros_like(x), torch.zeros_like(x)
    source = _source(x, seed_tensor, fix_seed, seed)
    keep = kept_mask(x, dropout_prob, source)
    if upscale:
        keep.div_(1.0 - dropout_prob)
    return torch.mul(x, keep), keep


def _source(
    x: torch.Tensor, seed: torch.Tensor | None, fix_seed: bool, number: int
) -> torch.Generator | None:
    """The random source: the framework's, or one of its own where a seed is given."""
    if x.is_meta:
        return None
    if seed is not None:
        number, fix_seed = int(seed), True
    if not fix_seed:
        return torch_generator(x.device)
    return backend_of(x).generator(x.device).manual_seed(number)


@dropout.grad("Mask")
def _(d_out, mask, *, dropout_prob, is_test, dropout_implementation):
    if mask is None:
        scale = 1.0 if dropout_implementation == "upscale_in_train" else 1.0 - dropout_prob
        return torch.mul(d_out, scale), None
    return torch.mul(d_out, mask), None


@of_dimensions
def _embedding_rule(inputs: list, attrs: dict) -> list[Spec]:
    w, ids = inputs[1], inputs[0]
    if ids.dtype not in (None, VarType.INT32, VarType.INT64):
        raise InvalidTypeError(
            f"no kernel for these data types: expected Ids of int32 or int64, got {ids.dtype}."
        )
    return [Spec((*ids.shape, w.shape[1]), w.dtype)]


@op("lookup_table_v2", "Ids~ W -> Out", lod="Ids", infer=_embedding_rule)
def lookup_table_v2(ids, w, *, padding_idx=-1, is_sparse=False):
    try:
        out = torch.embedding(w, ids)
    except (IndexError, RuntimeError) as error:
        raise _bad_ids(ids, w.shape[0]) or error from None
    if padding_idx != -1:
        out = torch.mul(out, torch.ne(ids, padding_idx).unsqueeze(-1))
    return out


def _bad_ids(ids: torch.Tensor, rows: int) -> Exception | None:
    """Says what is wrong with the row numbers, where they are the problem."""
    if ids.dtype not in (torch.int32, torch.int64):
        return InvalidTypeError(
            f"no kernel for these data types: expected Ids of int32 or int64, got {ids.dtype}."
        )
    wrong = ids[torch.logical_or(torch.lt(ids, 0), torch.ge(ids, rows))]
    if wrong.numel() == 0:
        return None
    return OutOfRangeError(f"expected row numbers in [0, {rows}), but received {int(wrong[0])}.")


@lookup_table_v2.grad("Ids W.shape")
def _(d_out, ids, w_shape, *, padding_idx):
    return None, torch.ops.aten.embedding_dense_backward(d_out, ids, w_shape[0], padding_idx, False)


@of_dimensions
def _one_hot_rule(inputs: list, attrs: dict) -> list[Spec]:
    depth = attrs["depth"] if inputs[1] is None else -1
    return [Spec((*inputs[0].shape, depth), VarType(attrs["dtype"]))]


@op("one_hot_v2", "X depth_tensor? -> Out", lod="X", infer=_one_hot_rule, differentiable=False)
def one_hot_v2(x, depth_tensor, *, depth=-1, dtype=5, allow_out_of_range=False):
    size = depth if depth_tensor is None else int(depth_tensor)
    classes = torch.arange(size, dtype=x.dtype, device=x.device)
    out = torch.eq(x.unsqueeze(-1), classes)
    if not allow_out_of_range and not x.is_meta:
        _check_range(x, size)
    return out.to(torch_dtype(dtype))


def _check_range(x: torch.Tensor, size: int) -> None:
    if x.numel() and (int(x.min()) < 0 or int(x.max()) >= size):
        raise InvalidArgumentError(
            f"Illegal index value: expected indices in [0, {size}), but they span "
            f"[{int(x.min())}, {int(x.max())}]."
        )


@op(
    "bilinear_tensor_product",
    "X Y Weight Bias? -> Out",
    lod="X",
    infer=lambda i, a: [Spec((i[0].shape[0], i[2].shape[0]), i[0].dtype)],
)
def bilinear_tensor_product(x, y, weight, bias):
    out = torch.einsum("ni,oij,nj->no", x, weight, y)
    return out if bias is None else torch.add(out, bias)


@op("diag_embed", "Input -> Out")
def diag_embed(x, *, offset=0, dim1=-2, dim2=-1):
    return torch.diag_embed(x, offset, dim1, dim2)
