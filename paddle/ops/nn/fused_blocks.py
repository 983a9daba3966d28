"""Parts of transformers that 2.6 writes as one operator: attention, dropout and what follows."""

from __future__ import annotations

import math
from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.nn.attention import scaled_dot_product_attention

# -- attention ------------------------------------------------------------------------------------


def _check_heads(q: Any, k: Any, v: Any) -> None:
    if not len(q.shape) == len(k.shape) == len(v.shape) == 4:
        raise InvalidArgumentError(
            "flash_attn: expected q, k and v [batch, steps, heads, size], but received shapes "
            f"{list(q.shape)}, {list(k.shape)} and {list(v.shape)}."
        )
    heads, shared = q.shape[2], k.shape[2]
    if -1 in (heads, shared, v.shape[2]):
        return  # a run knows them
    if shared != v.shape[2] or shared < 1 or heads % shared:
        raise InvalidArgumentError(
            f"flash_attn: expected k and v with as many heads, which divide the {heads} of q, but "
            f"received {shared} and {v.shape[2]}."
        )


def _flash_rule(inputs: list, attrs: dict) -> list:
    q, k, v = inputs[:3]
    _check_heads(q, k, v)
    return [Spec((*q.shape[:3], v.shape[3]), q.dtype), None, None, None]


@op(
    "flash_attn",
    "q k v fixed_seed_offset?~ attn_mask?~ -> out softmax?~ softmax_lse?~ seed_offset?~",
    infer=_flash_rule,
    dtypes="floats",
    amp="white",
)
def flash_attn(q, k, v, seed, mask, *, dropout=0.0, causal=False, return_softmax=False,
               is_test=False):  # fmt: skip
    """Attention over [batch, steps, heads, size]; several heads of q may share one of k and v.

    What PaddlePaddle's kernel keeps for its gradient is not made.
    """
    _check_heads(q, k, v)
    if return_softmax:
        raise UnimplementedError("flash_attn(return_softmax): the weights are not handed out.")
    if causal and q.shape[1] != k.shape[1]:
        raise UnimplementedError(
            f"flash_attn(causal): expected as many steps of q as of k, but received {q.shape[1]} "
            f"and {k.shape[1]}; give attn_mask."
        )
    _check_drops_nothing("flash_attn", dropout, is_test)
    share = q.shape[2] // k.shape[2]
    if share > 1:
        k, v = (t.repeat_interleave(share, 2) for t in (k, v))
    if causal:
        steps = q.shape[1]
        later = torch.full((steps, steps), -math.inf, dtype=q.dtype, device=q.device).triu(1)
        mask = later if mask is None else mask + later
    out = scaled_dot_product_attention.kernel(
        *(t.transpose(1, 2) for t in (q, k, v)),
        mask,
        scale=1.0 / math.sqrt(q.shape[3]),
    )[0]
    return out.transpose(1, 2), None, None, None


# -- dropout and what follows it ------------------------------------------------------------------


def _check_drops_nothing(name: str, chance: float, is_test: bool) -> None:
    """Refuses to train with dropout: the gradient would have to draw the same numbers again."""
    if chance and not is_test:
        raise UnimplementedError(
            f"{name}: dropout of {chance} in training is not there; it runs with is_test or a "
            "chance of 0.",
            hint="train with the operators that it joins: dropout, elementwise_add, layer_norm",
        )


def _dropped(x: torch.Tensor, chance: float, is_test: bool, how: str) -> Any:
    """What dropout gives in a test: all of x, or its expected share."""
    return x if not is_test or how == "upscale_in_train" else torch.mul(x, 1.0 - chance)


@op(
    "fused_dropout_add",
    "x y seed_tensor?~ PTensor?~ -> out seed_offset?~",
    infer=lambda inputs, attrs: [inputs[0], None],
    dtypes="floats",
)
def fused_dropout_add(x, y, seed_tensor, chance, *, p, is_test, mode, seed=0, fix_seed=False):
    """dropout(x) + y."""
    if x.shape != y.shape:
        raise InvalidArgumentError(
            f"fused_dropout_add: expected x and y of the same shape, but received {list(x.shape)} "
            f"and {list(y.shape)}."
        )
    p = p if chance is None or chance.is_meta else float(chance)
    _check_drops_nothing("fused_dropout_add", p, is_test)
    return torch.add(_dropped(x, p, is_test, mode), y), None


def _residual_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    rows = Spec((math.prod(x.shape[:-1]) if -1 not in x.shape[:-1] else -1,), VarType.FP32)
    wide = rows if x.dtype is not VarType.FP64 else Spec(rows.shape, x.dtype)
    return [x, x, None, wide, wide]


@op(
    "fused_bias_dropout_residual_layer_norm",
    "X Residual Bias? LnScale? LnBias? -> Y BiasDropoutResidualOut~ DropoutMaskOut?~ LnMean~ "
    "LnVariance~",
    infer=_residual_rule,
    dtypes="floats",
)
def fused_bias_dropout_residual_layer_norm(
    x, residual, bias, scale, shift, *, dropout_rate=0.5, is_test=False, dropout_fix_seed=True,
    dropout_seed=1, dropout_implementation="downgrade_in_infer", ln_epsilon=1e-5
):  # fmt: skip
    """layer_norm(Residual + dropout(X + Bias)) over the last axis."""
    name, size = "fused_bias_dropout_residual_layer_norm", x.shape[-1]
    if x.shape != residual.shape:
        raise InvalidArgumentError(
            f"{name}: expected X and Residual of the same shape, but received {list(x.shape)} and "
            f"{list(residual.shape)}."
        )
    wrong = [t for t in (bias, scale, shift) if t is not None and t.numel() != size]
    if wrong:
        raise InvalidArgumentError(
            f"{name}: expected Bias, LnScale and LnBias of {size} elements, but received shape "
            f"{list(wrong[0].shape)}."
        )
    x = x if bias is None else torch.add(x, bias)
    _check_drops_nothing(name, dropout_rate, is_test)
    total = torch.add(_dropped(x, dropout_rate, is_test, dropout_implementation), residual)
    wide = total.float() if total.dtype in (torch.float16, torch.bfloat16) else total
    variance, mean = torch.var_mean(wide, -1, correction=0)
    weight, offset = (None if t is None else t.to(wide.dtype).reshape(-1) for t in (scale, shift))
    out = torch.nn.functional.layer_norm(wide, (size,), weight, offset, ln_epsilon)
    out = out.to(total.dtype)
    return out, total, None, mean.reshape(-1).detach(), variance.reshape(-1).detach()
