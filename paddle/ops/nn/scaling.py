"""Affine channel, and clipping by norm."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED, op


@op("affine_channel", "X Scale Bias -> Out", infer="same")
def affine_channel(x, scale, bias, *, data_layout="AnyLayout"):
    """x * scale + bias, an element of each for every channel."""
    last = data_layout == "NHWC"
    channels = x.shape[-1 if last else 1] if x.dim() > 1 else None
    if channels is None or scale.shape != (channels,) or bias.shape != (channels,):
        raise InvalidArgumentError(
            "affine_channel: expected X of rank >= 2 and one element of Scale and Bias for each "
            f"channel, but received {list(x.shape)}, {list(scale.shape)} and {list(bias.shape)} "
            f"with data_layout {data_layout}."
        )
    shape = [-1] if last else [-1] + [1] * (x.dim() - 2)
    return torch.addcmul(bias.reshape(shape), x, scale.reshape(shape))


@op("clip_by_norm", "X -> Out", infer="same", dtypes="floats")
def clip_by_norm(x, *, max_norm=REQUIRED):
    """Scales X down to the L2 norm ``max_norm`` where it is longer."""
    if max_norm <= 0:
        raise InvalidArgumentError(
            f"clip_by_norm(max_norm): expected a positive value, but received {max_norm}."
        )
    # Squares of half precision overflow: the norm is taken in float32.
    half = x.dtype in (torch.float16, torch.bfloat16)
    norm = torch.linalg.vector_norm(x, dtype=torch.float32 if half else None)
    return torch.mul(x, (max_norm / torch.clamp(norm, min=max_norm)).to(x.dtype))
