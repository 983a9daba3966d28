"""Fused operators, as the passes of PaddlePaddle leave them in a Program."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import op
from paddle.ops.math.elementwise import align


@op("fused_softmax_mask_upper_triangle", "X -> Out", infer="same")
def fused_softmax_mask_upper_triangle(x):
    if x.dim() != 4 or x.shape[2] != x.shape[3]:
        raise InvalidArgumentError(
            "fused_softmax_mask_upper_triangle: expected X of shape [N, heads, n, n], but received "
            f"{list(x.shape)}."
        )
    later = torch.ones(x.shape[2:], dtype=torch.bool, device=x.device).triu(1)
    return torch.softmax(x.masked_fill(later, -math.inf), -1)


@fused_softmax_mask_upper_triangle.grad("Out")
def _(d_out, out):
    return torch._softmax_backward_data(d_out, out, -1, out.dtype)


_BINARY: dict[str, Callable] = {"elementwise_add": torch.add, "elementwise_mul": torch.mul}
_UNARY: dict[str, Callable] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
}


def _unary(name: str, value: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.mul(value, scale) if name == "scale" else _UNARY[name](value)


def _fused_rule(inputs: list, attrs: dict) -> list:
    x, y = inputs
    if len(y.shape) > len(x.shape):
        x = y
    inner = y if attrs["functor_list"][0] in _BINARY else x
    return [x, inner if attrs["save_intermediate_out"] else None]


@op("fused_elemwise_activation", "X Y -> Out IntermediateOut?~", lod="X Y", infer=_fused_rule)
def fused_elemwise_activation(
    x, y, *, functor_list, axis=-1, scale=0.0, save_intermediate_out=False
):
    outer, inner = [name.strip() for name in functor_list]
    unary, binary = (inner, outer) if outer in _BINARY else (outer, inner)
    if binary not in _BINARY or not (unary == "scale" or unary in _UNARY):
        raise InvalidArgumentError(
            f"fused_elemwise_activation: expected one of {sorted(_BINARY)} and one of "
            f"{sorted([*_UNARY, 'scale'])} in functor_list, but received {list(functor_list)}."
        )
    if outer in _BINARY:
        between = _unary(inner, y, scale)
        out = _BINARY[outer](x, align(x, between, axis))
    else:
        between = _BINARY[inner](x, align(x, y, axis))
        out = _unary(outer, between, scale)
    return out, between.detach() if save_intermediate_out else None
