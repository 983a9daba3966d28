"""Folding a batch norm into the weights of the convolution before it."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.infer import Spec
from paddle.core.op import op


def _rule(inputs: list, attrs: dict[str, Any]) -> list[Spec]:
    weight, scale = inputs[0], inputs[2]
    return [weight, Spec(scale.shape, weight.dtype)]


@op(
    "fold_batch_norm",
    "Filter Bias? Scale Shift Mean? Variance? -> FilterOut BiasOut",
    infer=_rule,
    differentiable=False,
    proto="left by the pass conv_bn of a plan; a Program holds conv2d and batch_norm instead",
    dtypes="floats",
    memoize=True,
)
def fold_batch_norm(weight, bias, scale, shift, mean, variance, *, epsilon=1e-5, axis=0):
    factor = scale
    if variance is not None:  # else the norm is a scale and a shift alone
        factor = torch.mul(scale, torch.rsqrt(torch.add(variance, epsilon)))
    shape = [1] * weight.dim()
    shape[axis] = -1
    mean = torch.zeros_like(scale) if mean is None else mean
    start = torch.neg(mean) if bias is None else torch.sub(bias, mean)
    folded = torch.addcmul(shift, start, factor)
    return torch.mul(weight, factor.reshape(shape).to(weight.dtype)), folded.to(weight.dtype)
