"""Steps of 8 bits: which byte stands for a value, and back.

A value x is held as the byte ``round(x / scale * top) + zero``: ``scale`` is the value of the step
``top``, and ``zero`` the byte that stands for 0. It is 128 for values of either sign, with as many
steps on both sides, 0 for values that are never negative, and another one, with all steps that are
left above it, for values with a small negative part.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from paddle.core.errors import InvalidArgumentError

SIGNED, UNSIGNED = 128, 0  # the bytes that stand for 0
TOP, HIGHEST = 127, 255
_SMALL, _INSTEAD = 1e-30, 1e-6  # as the operators of fake quantization have it
# A float of this size has no fraction, and its last byte counts up from 0.
_WHOLE = 12582912.0
_PICTURE, _FEW = 4, 4  # dimensions of a picture; channels that are quicker ordered as floats


def wide(x: torch.Tensor) -> torch.Tensor:
    """The same in float32, or float64 where it is that."""
    return x if x.dtype is torch.float64 else x.float()


def above_zero(scale: torch.Tensor) -> torch.Tensor:
    """A scale by which one can divide."""
    return torch.where(scale <= _SMALL, scale + _INSTEAD, scale)


def check_scale(scale: torch.Tensor, name: str, layer: str) -> None:
    """Refuses scales of NaN or infinity.

    Raises:
        InvalidArgumentError: naming the variable and the layer.
    """
    if not bool(torch.isfinite(scale).all()):
        raise InvalidArgumentError(
            f"int8: the scale {name!r} of the layer that makes {layer!r} has NaN or infinities. "
            "Expected the largest absolute values of weights, or of what data gave; look at the "
            "weights, and calibrate or train the quantised model again."
        )


def lowest(zero: int, top: int) -> int:
    """The number of the lowest step."""
    return -top if zero == SIGNED else -zero


def numbers(x: torch.Tensor, scale: torch.Tensor, zero: int, top: int) -> torch.Tensor:
    """The numbers of steps as floats."""
    factor = above_zero(wide(scale)).reciprocal().mul(top).to(x.dtype)
    return x.mul(factor).round_().clamp_(lowest(zero, top), top)


def bytes_of(numbers: torch.Tensor, zero: int, top: int) -> torch.Tensor:
    """The bytes that stand for numbers of steps; the floats are written over."""
    if not zero and top <= TOP:
        return numbers.to(torch.int8).view(torch.uint8)
    # ATen converts to int8 several times faster than to uint8; the highest bit is turned after it.
    if zero != SIGNED:
        numbers.add_(zero - SIGNED)
    return numbers.to(torch.int8).view(torch.uint8).bitwise_xor_(128)


def quantizer(scale: torch.Tensor, zero: int, top: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """A function from values to the bytes that stand for them, with its numbers made before.

    Pictures come out with their channels last in memory.
    """
    factor = above_zero(wide(scale)).reciprocal().mul(top)
    low = lowest(zero, top)
    times, added = float(factor), torch.tensor(_WHOLE + zero)
    first, last = _WHOLE + zero + low, _WHOLE + zero + top

    def quantize(x: torch.Tensor) -> torch.Tensor:
        order = torch.preserve_format
        if x.dim() == _PICTURE:
            order = torch.channels_last
            if x.shape[1] <= _FEW:  # elsewhere bytes are put in order, a quarter of the floats
                x = x.contiguous(memory_format=order)
        if x.dtype is not torch.float32:
            x = wide(x).contiguous(memory_format=order)
            return bytes_of(x.mul(factor.to(x.dtype)).round_().clamp_(low, top), zero, top)
        # The sum is rounded as round() does it, half to even, where zero is even.
        numbers = torch.add(added, x, alpha=times).clamp_(first, last)
        return numbers.view(torch.int32).to(torch.uint8, memory_format=order)

    return quantize


def quantized(x: torch.Tensor, scale: torch.Tensor, zero: int, top: int) -> torch.Tensor:
    """The bytes that stand for values; pictures come out with their channels last in memory."""
    if x.dim() == _PICTURE:
        x = x.contiguous(memory_format=torch.channels_last)
    return bytes_of(numbers(wide(x), scale, zero, top), zero, top)


def dequantized(x: torch.Tensor, scale: torch.Tensor, zero: int, top: int) -> torch.Tensor:
    """What bytes stand for."""
    scale = wide(scale)
    return x.to(scale.dtype).sub_(zero).mul_(above_zero(scale) / top)
