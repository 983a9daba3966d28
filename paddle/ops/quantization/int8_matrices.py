"""Products of rows of bytes by ATen's product of integer matrices, for devices without oneDNN.

``_int_mm`` multiplies signed bytes to whole sums. What a byte for 0 adds to each column is taken
off with the bias. cuBLAS asks for more than 16 rows and for widths of whole eights: zeros are put
around what is smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import torch
from torch import _int_mm

from paddle.ops.quantization.int8_results import finished, requantizer
from paddle.ops.quantization.int8_steps import SIGNED, TOP, above_zero, wide

_ROWS, _EIGHT = 17, 8  # the fewest rows; what widths are multiples of


@lru_cache(maxsize=8)
def works(device: torch.device) -> bool:
    """Says whether matrices of bytes are multiplied exactly on a device; it is tried once."""
    count = 64
    try:
        rows = torch.full((1, count), 255, dtype=torch.uint8, device=device)
        weight = torch.full((count, count), TOP, dtype=torch.int8, device=device)
        step, scale = torch.ones(count, device=device), torch.ones(1, device=device)
        found = bind_linear(weight, step, None, scale, None, zero=0, top=1)(rows)
    except (RuntimeError, AssertionError):  # no such kernel; a torch without such devices
        return False
    return float(found.min()) == float(found.max()) == 255.0 * TOP * count


def _eights(count: int) -> int:
    return -(-count // _EIGHT) * _EIGHT


def bind_linear(
    weight, step, bias, in_scale, out_scale, *, columns=1, zero=SIGNED, top=TOP,
    out_zero=SIGNED, out_top=TOP, activation="", residual=False,
) -> Callable:  # fmt: skip
    """Makes a weight ready for products of rows.

    Args:
        weight, step, bias, in_scale, out_scale (Tensor): as ``int8_linear`` takes them.
        residual (bool): whether something is added.

    Returns:
        callable: ``function(x)``, or ``function(x, residual)``, computes it.
    """
    count, width = weight.shape
    packed = weight.new_zeros(_eights(width), _eights(count))
    packed[:width, :count] = weight.t()
    matrix = packed.t()  # column after column, as libraries for GPUs have it
    factor = wide(step) * (above_zero(wide(in_scale)) / top)
    # The rows that are multiplied hold their bytes less 128.
    shift = weight.sum(0, dtype=torch.float64) * ((SIGNED - zero) * factor.double())
    shift = (shift if bias is None else shift + bias.double()).to(factor.dtype)
    to_bytes = requantizer(out_scale, {"out_zero": out_zero, "out_top": out_top})
    more = packed.shape[1] - count

    def call(x, other=None):
        rows = x.reshape(-1, count)
        signed = rows.bitwise_xor(SIGNED).view(torch.int8)
        below = max(0, _ROWS - len(rows))
        if more or below:
            signed = torch.constant_pad_nd(signed, [0, more, 0, below])
        sums = _int_mm(signed.contiguous(), matrix)[: len(rows), :width]
        out = torch.addcmul(shift, sums.to(factor.dtype), factor)
        out = out.reshape(*x.shape[:columns], width)
        return finished(out, other, activation, to_bytes)

    return call if residual else lambda x: call(x)
