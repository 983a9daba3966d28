"""Norms, embeddings and attention of encoders, as passes for inference join them."""

from __future__ import annotations

import math

import torch

from paddle.core.backends import holds
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, broadcast_shapes, of_dimensions
from paddle.core.op import op
from paddle.ops.nn.attention import scaled_dot_product_attention
from paddle.ops.nn.common import lookup_table_v2

# -- norms ------------------------------------------------------------------------------------


def _check_norm(name: str, x: tuple[int, ...], begin_norm_axis: int, *parameters: tuple) -> None:
    if not 0 <= begin_norm_axis < len(x):
        raise InvalidArgumentError(
            f"{name}: expected begin_norm_axis in [0, {len(x)}), but received {begin_norm_axis} "
            f"for X of shape {list(x)}."
        )
    count = x[begin_norm_axis:]
    for shape in parameters:
        if -1 not in (*count, *shape) and math.prod(shape) != math.prod(count):
            raise InvalidArgumentError(
                f"{name}: expected Scale and Bias of {math.prod(count)} elements, but received "
                f"shape {list(shape)}."
            )


def _norm_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, scale, bias = inputs
    given = [p.shape for p in (scale, bias) if p is not None]
    _check_norm("layer_norm_result", x.shape, attrs["begin_norm_axis"], *given)
    return [x]


@op(
    "layer_norm_result",
    "X Scale? Bias? -> Y",
    infer=_norm_rule,
    differentiable=False,
    proto="layer_norm whose statistics nobody reads, left by layer_norm_result_pass of a plan",
    no_alias="Y",
    dtypes="floats",
)
def layer_norm_result(x, scale, bias, *, epsilon=1e-5, begin_norm_axis=1):
    shape = x.shape[begin_norm_axis:]
    if len(shape) != 1:
        scale, bias = (p if p is None else p.reshape(shape) for p in (scale, bias))
    return torch.layer_norm(x, shape, scale, bias, epsilon)


def _sum_and_norm_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y, scale, bias = inputs
    _check_norm(
        "skip_layernorm",
        x.shape,
        attrs["begin_norm_axis"] % max(len(x.shape), 1),
        scale.shape,
        bias.shape,
    )
    if len(x.shape) != len(y.shape):
        raise InvalidArgumentError(
            f"skip_layernorm: expected X and Y of one shape, but received {list(x.shape)} and "
            f"{list(y.shape)}."
        )
    return [x]


@op(
    "skip_layernorm",
    "X Y Scale Bias -> Out",
    infer=_sum_and_norm_rule,
    differentiable=False,
    no_alias="Out",
    dtypes="floats",
)
def skip_layernorm(x, y, scale, bias, *, epsilon, begin_norm_axis):
    """Layer norm of X + Y."""
    axis = begin_norm_axis if begin_norm_axis >= 0 else x.dim() + begin_norm_axis
    return layer_norm_result(torch.add(x, y), scale, bias, epsilon=epsilon, begin_norm_axis=axis)


# -- embeddings -------------------------------------------------------------------------------


def _check_tables(ids: list, tables: list) -> None:
    if len(ids) != len(tables) or not ids:
        raise InvalidArgumentError(
            "fused_embedding_eltwise_layernorm: expected as many Embs as Ids, but received "
            f"{len(tables)} and {len(ids)}."
        )
    for numbers in ids:
        if len(numbers.shape) > 2 and numbers.shape[2:] not in ((1,), (-1,)):
            raise InvalidArgumentError(
                "fused_embedding_eltwise_layernorm: expected Ids of shape [batch, n] or "
                f"[batch, n, 1], but received {list(numbers.shape)}."
            )


@of_dimensions
def _embedding_rule(inputs: list, attrs: dict) -> list[Spec]:
    ids, tables, bias, scale = inputs
    _check_tables(ids, tables)
    shape: tuple[int, ...] = ()
    for numbers in ids:
        own = numbers.shape[:-1] if len(numbers.shape) == 3 else numbers.shape
        shape = broadcast_shapes(shape, own)
    shape = (*shape, tables[0].shape[1])
    name = "fused_embedding_eltwise_layernorm"
    _check_norm(name, shape, len(shape) - 1, bias.shape, scale.shape)
    return [Spec(shape, tables[0].dtype)]


@op(
    "fused_embedding_eltwise_layernorm",
    "Ids*~ Embs* Bias Scale -> Out",
    infer=_embedding_rule,
    differentiable=False,
    no_alias="Out",
)
def fused_embedding_eltwise_layernorm(ids, tables, bias, scale, *, epsilon=1e-5):
    """Layer norm of the sum of one row of each table; Ids are [batch, n] or [batch, n, 1]."""
    _check_tables(ids, tables)
    total = _row_of(ids[0], tables[0])
    for numbers, table in zip(ids[1:], tables[1:], strict=True):
        total = torch.add(total, _row_of(numbers, table))
    return torch.layer_norm(total, scale.shape, scale, bias, epsilon)


def _row_of(numbers: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    return lookup_table_v2(numbers.squeeze(-1) if numbers.dim() == 3 else numbers, table)


def _padded_rule(inputs: list, attrs: dict) -> list[Spec]:
    w, row = inputs[0], attrs["padding_idx"]
    if len(w.shape) != 2 or (w.shape[0] not in (-1, 0) and not 0 <= row < w.shape[0]):
        raise InvalidArgumentError(
            f"padded_table: expected padding_idx to be a row of W, but received {row} beside shape "
            f"{list(w.shape)}."
        )
    return [w]


@op(
    "padded_table",
    "W -> Out",
    infer=_padded_rule,
    differentiable=False,
    proto="left by embedding_eltwise_layernorm_fuse_pass of a plan; a look-up has padding_idx",
    dtypes="floats",
)
def padded_table(w, *, padding_idx):
    """The table with zeros in one row; itself, where they are there already."""
    _padded_rule([w], {"padding_idx": padding_idx})
    if not w.shape[0] or not (w.is_meta or torch.any(w[padding_idx])):
        return w
    out = w.clone()
    out[padding_idx].zero_()
    return out


# -- attention --------------------------------------------------------------------------------

_MOST_SCORES = 1 << 23  # that are held at once; of more, ATen's kernel makes a part at a time


@of_dimensions
def _attention_rule(inputs: list, attrs: dict) -> list[Spec]:
    q, k, v, _ = inputs
    heads = attrs["heads"]
    for name, value in (("Q", q), ("K", k), ("V", v)):
        if len(value.shape) != 3 or (value.shape[2] != -1 and value.shape[2] % heads):
            raise InvalidArgumentError(
                f"attention_of_rows: expected {name} of shape [batch, rows, size] with a size that "
                f"{heads} heads divide, but received {list(value.shape)}."
            )
    return [Spec((q.shape[0], q.shape[1], v.shape[2]), q.dtype)]


@op(
    "attention_of_rows",
    "Q K V Mask? -> Out",
    infer=_attention_rule,
    differentiable=False,
    proto="left by multihead_matmul_fuse_pass_v3 of a plan; a Program has its reshapes too",
    no_alias="Out",
    dtypes="floats",
)
def attention_of_rows(q, k, v, mask, *, scale, heads):
    """Attention whose heads lie beside one another in each row of Q, K, V and the result."""
    try:
        q, k, v = (x.unflatten(2, (heads, x.shape[2] // heads)).transpose(1, 2) for x in (q, k, v))
    except (RuntimeError, IndexError):
        _attention_rule([q, k, v, mask], {"heads": heads})  # says what does not fit
        raise
    if q.dtype is torch.bfloat16 and holds.fused_attention(q) and k.shape[0] == q.shape[0]:
        if q.shape[0] * heads * q.shape[2] * k.shape[2] <= _MOST_SCORES:
            return _in_bfloat16(q, k, v, mask, scale)
    out, _, _ = scaled_dot_product_attention(q, k, v, mask, scale=scale, broadcast=True)
    return out.transpose(1, 2).flatten(2)


def _in_bfloat16(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, scale: float
) -> torch.Tensor:
    """Products in bfloat16, softmax in float32: 0.59 ms for 12 heads of [128, 64].

    ATen's own kernel takes 0.77 ms in float32 and 0.87 in bfloat16.
    """
    batch, heads, rows, keys = q.shape[0], q.shape[1], q.shape[2], k.shape[2]
    q, k, v = q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)
    scores = torch.bmm(q, k.transpose(1, 2)).unflatten(0, (batch, heads))
    if mask is None:
        scores = scores.float().mul_(scale)
    else:
        scores = torch.add(mask.float(), scores, alpha=scale)
    weights = torch.softmax(scores, -1).bfloat16().reshape(batch * heads, rows, keys)
    return torch.bmm(weights, v).unflatten(0, (batch, heads)).transpose(1, 2).flatten(2)


@of_dimensions
def _joined_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, heads = inputs[0], attrs["heads"]
    if len(x.shape) != 3 or (x.shape[2] != -1 and x.shape[2] % (3 * heads)):
        raise InvalidArgumentError(
            "attention_of_joined_rows: expected X of shape [batch, rows, 3 * size] with a size "
            f"that {heads} heads divide, but received {list(x.shape)}."
        )
    return [Spec((*x.shape[:2], -1 if x.shape[2] == -1 else x.shape[2] // 3), x.dtype)]


@op(
    "attention_of_joined_rows",
    "X Mask? -> Out",
    infer=_joined_rule,
    differentiable=False,
    proto="left by multihead_matmul_fuse_pass_v3 of a plan; a Program cuts X into three by slice",
    no_alias="Out",
    dtypes="floats",
)
def attention_of_joined_rows(x, mask, *, scale, heads):
    """Attention of a row's first third to the second and third, each with heads side by side."""
    if x.dim() != 3 or x.shape[2] % (3 * heads):
        _joined_rule([x], {"heads": heads})
    size = x.shape[2] // 3
    q, k, v = x[..., :size], x[..., size : 2 * size], x[..., 2 * size :]
    return attention_of_rows(q, k, v, mask, scale=scale, heads=heads)
