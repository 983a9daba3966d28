"""Products of 8-bit integers by oneDNN, with weights that are packed once.

oneDNN multiplies bytes exactly where the CPU has the instructions for it (VNNI, AMX); on older ones
its sums of two products saturate, which :func:`usable` finds out by trying.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

from paddle.core.backends import holds
from paddle.ops.nn.window import resolve_padding, torch_pad
from paddle.ops.quantization.int8_steps import HIGHEST, SIGNED, TOP, above_zero

# What oneDNN calls an activation; and its way, where it has several.
_POINTWISE = {
    "": "none", "relu": "relu", "hard_swish": "hardswish", "swish": "swish", "gelu": "gelu",
    "gelu_tanh": "gelu", "tanh": "tanh",
}  # fmt: skip
_WAYS = {"gelu": "none", "gelu_tanh": "tanh"}
CLIPPED = ("", "relu", "relu6")  # activations that a highest value can be joined with


# -- whether the machine can do it -----------------------------------------------------------------


@lru_cache(maxsize=1)
def usable() -> bool:
    """Says whether oneDNN multiplies bytes exactly on this machine; it is tried once."""
    onednn = torch.ops.onednn
    if not torch.backends.mkldnn.is_available() or not hasattr(onednn, "qconv2d_pointwise"):
        return False
    count = 64
    x = torch.full((1, count, 4, 4), 255, dtype=torch.uint8)
    w = torch.full((count, count, 3, 3), TOP, dtype=torch.int8)
    step, scale = torch.ones(count), torch.ones(1)
    try:
        out = bind_conv2d(w, step, None, scale, None, zero=0, top=1, paddings=(1, 1))(x, None)
        rows = x.reshape(16, count)
        product = bind_linear(w[:, :, 0, 0].t(), step, None, scale, None, zero=0, top=1)(rows)
    except (RuntimeError, AttributeError, TypeError):
        return False
    each = 255.0 * TOP * count
    return float(out[0, 0, 1, 1]) == each * 9 and float(product.min()) == each


def on_onednn(*buffers: torch.Tensor | None) -> bool:
    """Says whether oneDNN multiplies what these buffers hold."""
    return all(b is None or holds.tuned_forms(b) for b in buffers) and usable()


class _Result:
    """What becomes of the sums of a product: scale, activation, and perhaps bytes again."""

    def __init__(self, in_scale, out_scale, zero, top, out_zero, out_top, activation) -> None:
        self.in_step = float(above_zero(in_scale)) / top
        self.in_zero, self.out_zero = zero, out_zero
        self.dtype, self.out_step = torch.float32, 1.0
        self.attr, self.numbers = _POINTWISE.get(activation, "hardtanh"), []
        self.way = _WAYS.get(activation, "")
        if activation == "relu6":
            self.numbers = [0.0, 6.0]
        if out_scale is None:
            self.out_zero = 0
            return
        self.dtype = torch.uint8
        limit = float(above_zero(out_scale))
        self.out_step = limit / out_top
        if out_zero or activation not in CLIPPED:
            return
        # Bytes end at 0 by themselves, and at the highest one; a step below that has to be said.
        most = min(limit, 6.0) if activation == "relu6" else limit
        if out_top == HIGHEST and most == limit:
            self.attr, self.numbers = "none", []
        else:
            self.attr, self.numbers = "hardtanh", [0.0, most]


def _called(name: str, form: str) -> Callable:
    """What an overload calls itself: one Python frame less for every product."""
    overload = getattr(getattr(torch.ops.onednn, name), form)
    return getattr(overload, "_op", overload)


def _without_zero(bias, step, in_step, zero, weight) -> torch.Tensor:
    """A bias that takes off what a byte for 0 adds to each channel of a product.

    oneDNN does the same with every call, which can take longer than the product; around a picture
    there have to be bytes for 0 then.
    """
    sums = weight.flatten(1).sum(1, dtype=torch.float64)
    off = sums * step.double() * (in_step * zero)
    return ((0.0 if bias is None else bias.double()) - off).float()


class _Edges:
    """What is put around a picture before a convolution: oneDNN pads evenly, with bytes of 0.

    Attributes:
        paddings (list[int]): what oneDNN pads.
        pad (callable, optional): ``pad(x)`` puts the rest around a picture.
    """

    def __init__(self, kernel, strides, paddings, algorithm: str, zero: int) -> None:
        self._window = list(kernel), list(strides)
        self._zero, self.paddings = zero, [0, 0]
        self._fixed: list[int] | None = None
        if algorithm != "SAME":
            before, after = resolve_padding(list(paddings), algorithm, (), *self._window)
            if before == after and not zero:
                self.paddings, before, after = before, [0, 0], [0, 0]
            self._fixed = torch_pad(before, after)
        self.pad: Callable | None = None
        if self._fixed is None or any(self._fixed):
            self.pad = self._put

    def _of(self, sizes) -> list[int]:
        """Left, right, top and bottom of a picture of a size."""
        if self._fixed is not None:
            return self._fixed
        return torch_pad(*resolve_padding([], "SAME", tuple(sizes), *self._window))

    def _put(self, x: torch.Tensor) -> torch.Tensor:
        edges = self._of(x.shape[2:])
        return torch.constant_pad_nd(x, edges, self._zero) if any(edges) else x

    def padded(self, shape: list[int] | None) -> list[int] | None:
        """The shape that oneDNN sees."""
        if shape is None:
            return None
        left, right, top, bottom = self._of(shape[2:])
        return [*shape[:2], shape[2] + top + bottom, shape[3] + left + right]


def bind_conv2d(
    filter, step, bias, in_scale, out_scale, residual_scale=None, *, shape=None, strides=(1, 1),
    paddings=(0, 0), padding_algorithm="EXPLICIT", dilations=(1, 1), groups=1, zero=SIGNED,
    top=TOP, out_zero=SIGNED, out_top=TOP, activation="", residual_zero=SIGNED, residual_top=TOP,
    overwrite=False,
) -> Callable:  # fmt: skip
    """Packs the weights of a convolution for oneDNN.

    Args:
        filter, step, bias, in_scale, out_scale, residual_scale (Tensor): as ``int8_conv2d`` takes
            them.
        shape (list[int], optional): of the input, if it is known.
        overwrite (bool): the result may be written where the residual was.

    Returns:
        callable: ``function(x, residual)`` computes it.
    """
    to = _Result(in_scale, out_scale, zero, top, out_zero, out_top, activation)
    strides, dilations = list(strides), list(dilations)
    step, zeros = step.float().contiguous(), torch.zeros(len(step), dtype=torch.int32)
    bias = None if bias is None else bias.float().contiguous()
    edges = _Edges(filter.shape[2:], strides, paddings, padding_algorithm, zero)
    paddings, shape, pad = edges.paddings, edges.padded(shape), edges.pad
    if padding_algorithm == "SAME":
        dilations = [1, 1]
    if zero:
        bias = _without_zero(bias, step, to.in_step, zero, filter)
        zero = 0
    packed = torch.ops.onednn.qconv_prepack(
        filter.contiguous(), step, to.in_step, zero, strides, paddings, dilations, groups, shape
    )
    plain, summed = _called("qconv2d_pointwise", "default"), _called("qconv2d_pointwise", "binary")
    given = (to.in_step, zero, packed, step, zeros)
    window = (strides, paddings, dilations, groups)
    form = (*window, to.out_step, to.out_zero, to.dtype)
    attr, numbers = to.attr, to.numbers
    after = "relu" if activation == "relu" and (to.out_zero or out_scale is None) else None
    added = (1.0, 0)
    if residual_scale is not None:
        added = float(above_zero(residual_scale)) / residual_top, residual_zero
    with_residual: tuple[Any, ...] = (*form, *added, "sum", 1.0, after, [], "")

    def call(x, residual=None):
        if pad is not None:
            x = pad(x)
        if residual is None:
            return plain(x, *given, bias, *form, attr, numbers, "")
        into = residual
        if not overwrite or not residual.is_contiguous(memory_format=torch.channels_last):
            into = residual.clone(memory_format=torch.channels_last)
        return summed(x, *given, into, bias, *with_residual)

    return call


def bind_linear(
    weight, step, bias, in_scale, out_scale, *, columns=1, zero=SIGNED, top=TOP,
    out_zero=SIGNED, out_top=TOP, activation="", residual=False,
) -> Callable:  # fmt: skip
    """Packs the weight of a product of rows for oneDNN.

    Args:
        weight, step, bias, in_scale, out_scale (Tensor): as ``int8_linear`` takes them.
        residual (bool): whether something is added.

    Returns:
        callable: ``function(x)``, or ``function(x, residual)``, computes it.
    """
    to = _Result(in_scale, out_scale, zero, top, out_zero, out_top, activation)
    step, zeros = step.float().contiguous(), torch.zeros(len(step), dtype=torch.int32)
    bias = None if bias is None else bias.float().contiguous()
    packed = torch.ops.onednn.qlinear_prepack(weight.t().contiguous(), None)
    count, wide = weight.shape
    function, with_other = (_called("qlinear_pointwise", form) for form in ("default", "binary"))
    weights = (to.in_step, zero, packed, step, zeros)
    given = (*weights, bias)
    result = (to.out_step, to.out_zero, to.dtype)
    form = (*result, to.attr, to.numbers, to.way)
    total: tuple[Any, ...] = (*result, 1.0, 0, "add", 1.0, to.attr, [], "")

    def add(x, other):
        rows, others = x.reshape(-1, count), other.reshape(-1, wide)
        out = with_other(rows, *weights, others, bias, *total)
        return out.reshape(other.shape)

    def call(x):
        if x.dim() == 2:
            return function(x.contiguous(), *given, *form)
        lead = x.shape[:columns]
        return function(x.reshape(-1, count), *given, *form).reshape(*lead, wide)

    return add if residual else call
