"""Scaled dot-product attention in one operator."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import holds
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import op
from paddle.core.random import torch_generator
from paddle.ops.random.draws import kept_mask

_flash: Any = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
_flash_backward: Any = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


def _same(*sizes: int) -> bool:
    """Whether sizes are equal, as far as they are known."""
    return len({n for n in sizes if n != -1}) <= 1


def _together(q: Any, k: Any, v: Any) -> bool:
    """Whether Q, K and V belong together as they are; works on Specs and on buffers."""
    a, b, c = q.shape, k.shape, v.shape
    return (
        len(a) == len(b) == len(c) == 4
        and _same(a[0], b[0], c[0])
        and _same(a[1], b[1], c[1])
        and _same(b[2], c[2])
        and _same(a[3], b[3])
    )


def _covers(q: Any, k: Any, mask: Any) -> bool:
    """Whether the mask broadcasts to the scores, and not the scores to the mask."""
    scores = (*q.shape[:3], k.shape[2])
    return mask is None or (
        len(mask.shape) <= 4
        and all(
            n == 1 or _same(n, m)
            for n, m in zip(reversed(mask.shape), reversed(scores), strict=False)
        )
    )


def _check(q: Any, k: Any, v: Any, mask: Any) -> None:
    """Refuses shapes that do not belong together."""
    if not _together(q, k, v):
        raise InvalidArgumentError(
            "scaled_dot_product_attention: expected Q [batch, heads, queries, size], K [batch, "
            "heads, keys, size] and V [batch, heads, keys, value size], but received shapes "
            f"{list(q.shape)}, {list(k.shape)} and {list(v.shape)}."
        )
    if not _covers(q, k, mask):
        raise InvalidArgumentError(
            "scaled_dot_product_attention: expected Mask of a shape that broadcasts to [batch, "
            f"heads, queries, keys] = {[*q.shape[:3], k.shape[2]]}, but received "
            f"{list(mask.shape)}."
        )


def _rule(inputs: list, attrs: dict) -> list:
    q, k, v, mask = inputs
    if not attrs["broadcast"]:
        _check(q, k, v, mask)
    both = broadcast_shapes(q.shape[:2], k.shape[:2])  # -1 only where neither knows
    scores = (*both, q.shape[2], k.shape[2])
    if attrs["broadcast"]:
        both = broadcast_shapes(both, v.shape[:2])
        scores = broadcast_shapes(scores, () if mask is None else mask.shape)
        both = broadcast_shapes(both, scores[:2])
    out = Spec((*both, scores[2], v.shape[3]), q.dtype)
    if attrs["dropout_prob"]:
        weights = Spec(scores, q.dtype)
        return [out, weights, weights]
    wide = VarType.FP32 if q.dtype in (VarType.FP16, VarType.BF16) else q.dtype
    return [out, Spec(scores[:3], wide), None]


def _fusible(q: Any, k: Any, v: Any, mask: Any, *others: Any) -> bool:
    """Whether ATen's kernel can be used: it has no second derivative, and dies of empty inputs."""
    return (
        holds.fused_attention(q)
        and q.shape[3] == v.shape[3]
        and q.numel() > 0
        and k.numel() > 0
        and q.dtype is k.dtype is v.dtype
        and _together(q, k, v)
        and _covers(q, k, mask)
        and not any(t is not None and t.requires_grad for t in (q, k, v, mask, *others))
        and (mask is None or not _nothing_allowed(mask))
    )


def _nothing_allowed(mask: torch.Tensor) -> bool:
    """Whether some row is -inf all over: its softmax is NaN, for which ATen's kernel has zeros."""
    return bool(torch.isneginf(mask.amax(-1)).any())


def _whole(mask: Any, q: torch.Tensor, k: torch.Tensor) -> Any:
    """The mask in the form ATen asks for: 4 dimensions, the type of Q; nothing is copied."""
    if mask is None:
        return None
    return mask.to(q.dtype).expand(*q.shape[:3], k.shape[2])


def _scores(q: Any, k: Any, mask: Any, scale: float) -> torch.Tensor:
    product = torch.matmul(torch.mul(q, scale), k.transpose(2, 3))
    return product if mask is None else torch.add(product, mask.to(q.dtype))


@op(
    "scaled_dot_product_attention",
    "Q K V Mask? -> Out Saved?~ Keep?~",
    infer=_rule,
    proto="softmax(scale Q K^T + Mask) V in one call; a Program holds matmul_v2, softmax and so on",
    random=True,
    amp="white",
)
def scaled_dot_product_attention(q, k, v, mask, *, scale, dropout_prob=0.0, broadcast=False):
    """Saved is the logarithm of each softmax's denominator; with dropout, the weights before it.

    With ``broadcast`` batches and heads may differ, as in the products that a pass puts this for.
    """
    if not broadcast:
        _check(q, k, v, mask)
    if dropout_prob:
        weights = torch.softmax(_scores(q, k, mask, scale), -1)
        source = None if q.is_meta else torch_generator(q.device)
        keep = kept_mask(weights, dropout_prob, source)
        if dropout_prob != 1.0:
            keep.div_(1.0 - dropout_prob)
        return torch.matmul(torch.mul(weights, keep), v), weights.detach(), keep
    if _fusible(q, k, v, mask):
        out, logs = _flash(q, k, v, 0.0, False, attn_mask=_whole(mask, q, k), scale=scale)
        return out, logs, None
    scores = _scores(q, k, mask, scale)
    out = torch.matmul(torch.softmax(scores, -1), v)
    wide = torch.float32 if q.dtype in (torch.float16, torch.bfloat16) else q.dtype
    return out, torch.logsumexp(scores.to(wide), -1).detach(), None


@scaled_dot_product_attention.grad("Q K V Mask Out Saved Keep")
def _(d_out, q, k, v, mask, out, saved, keep, *, scale, needs_grad):
    if keep is None and not needs_grad[3] and _fusible(q, k, v, mask, d_out):
        grads = _flash_backward(
            d_out, q, k, v, out, saved, 0.0, False, attn_mask=_whole(mask, q, k), scale=scale
        )
        return (*grads, None)
    again = keep is None or any(
        t is not None and t.requires_grad for t in (d_out, q, k, v, mask)
    )  # so that a further derivative goes through the weights
    weights = torch.softmax(_scores(q, k, mask, scale), -1) if again else saved
    return _composed_backward(d_out, q, k, v, mask, weights, keep, scale, needs_grad)


def _composed_backward(d_out, q, k, v, mask, weights, keep, scale, needs_grad):
    d_q = d_k = d_v = d_mask = None
    if needs_grad[2]:
        used = weights if keep is None else torch.mul(weights, keep)
        d_v = torch.matmul(used.transpose(2, 3), d_out).sum_to_size(v.shape)
    if needs_grad[0] or needs_grad[1] or needs_grad[3]:
        d_used = torch.matmul(d_out, v.transpose(2, 3))
        d_weights = d_used if keep is None else torch.mul(d_used, keep)
        d_scores = torch._softmax_backward_data(d_weights, weights, -1, weights.dtype)
        if needs_grad[0]:
            d_q = torch.mul(torch.matmul(d_scores, k), scale).sum_to_size(q.shape)
        if needs_grad[1]:
            d_k = torch.mul(torch.matmul(d_scores.transpose(2, 3), q), scale).sum_to_size(k.shape)
        if needs_grad[3]:
            d_mask = d_scores.sum_to_size(mask.shape).to(mask.dtype)
    return d_q, d_k, d_v, d_mask
