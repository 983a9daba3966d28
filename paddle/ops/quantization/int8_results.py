"""What becomes of the sums of a product in floats: steps, bias, activation, bytes again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from paddle.ops.quantization.fake_quantize import along
from paddle.ops.quantization.int8_steps import HIGHEST, above_zero, bytes_of, wide

# Activations behind a product.
FUNCTIONS: dict[str, Callable] = {
    "": lambda x: x,
    "relu": torch.relu,
    "relu6": lambda x: x.clamp(0.0, 6.0),
    "hard_swish": torch.nn.functional.hardswish,
    "swish": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": partial(torch.nn.functional.gelu, approximate="tanh"),
    "tanh": torch.tanh,
}


def simulated(sums, step, bias, residual, in_scale, out_scale, form: dict, axis: int):
    """The result of a product from its sums in floats, where nothing else has integers."""
    dtype = sums.dtype
    out = sums * along(step, sums, axis).to(dtype)
    out = out * (above_zero(wide(in_scale)) / form["top"]).to(dtype)
    if bias is not None:
        out = out + along(bias, out, axis).to(dtype)
    return finished(out, residual, form["activation"], requantizer(out_scale, form))


def finished(out: torch.Tensor, residual: Any, activation: str, to_bytes: Any) -> torch.Tensor:
    """A product in floats with what is added, its activation, and its bytes if it has steps."""
    if residual is not None:
        out = out + residual
    out = FUNCTIONS[activation](out)
    return out if to_bytes is None else to_bytes(out)


def requantizer(out_scale: Any, form: dict) -> Callable | None:
    """A function from results to their bytes; None where they stay in floats."""
    if out_scale is None:
        return None
    zero, top = form["out_zero"], form["out_top"]
    factor = top / above_zero(wide(out_scale))
    most = HIGHEST - zero if zero else top

    def to_bytes(out: torch.Tensor) -> torch.Tensor:
        return bytes_of((out * factor.to(out.dtype)).round_().clamp_(-zero, most), zero, top)

    return to_bytes
