"""Transposed convolutions of bytes: a convolution for all remainders of a stride at once.

oneDNN's operators of torch have no transposed form for bytes. A result at ``stride * q + r`` is a
sum over the values at ``q`` and around it by the elements of the filter that lie ``stride`` apart,
so each remainder ``r`` is a plain convolution with a small filter of its own. They are made
together, as channels of one convolution, whose results are then put side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, infer, of_dimensions
from paddle.core.op import op
from paddle.ops.nn.conv_transpose import conv2d_transpose
from paddle.ops.quantization.int8 import OF_PICTURES, PROTO, check_product, result_type
from paddle.ops.quantization.int8_onednn import bind_conv2d, on_onednn
from paddle.ops.quantization.int8_results import simulated
from paddle.ops.quantization.int8_steps import SIGNED, TOP, wide

_WINDOW = ("strides", "paddings", "output_padding")


class _Side(NamedTuple):
    """One dimension of a transposed convolution as a plain one.

    Attributes:
        kernel, stride (int): of the transposed convolution.
        padding (int): on both sides of it.
        first, taps (int): how far behind a value the first element of the small filter reaches,
            and how many elements it has.
        before, after (int): padding of the plain convolution.
        beyond (int): results are ``stride * size + beyond``.
    """

    kernel: int
    stride: int
    padding: int
    first: int
    taps: int
    before: int
    after: int
    beyond: int

    def element(self, remainder: int, at: int) -> int | None:
        """Which element of the filter the small filter of a remainder has at a place."""
        found = remainder + self.padding + self.stride * (self.first - at)
        return found if 0 <= found < self.kernel else None


def _side(kernel: int, stride: int, padding: int, extra: int) -> _Side | None:
    """None where the plain convolution would have to leave values out."""
    first = (kernel - 1 - padding) // stride
    last = -((stride - 1 + padding) // stride)
    beyond = kernel - 2 * padding + extra - stride
    after = -(-(beyond + stride) // stride) - 1 - last
    if first < 0 or after < 0:
        return None
    taps = first - last + 1
    return _Side(kernel, stride, padding, first, taps, first, after, beyond)


def transposed_sides(
    kernel: Sequence[int], strides: Sequence[int], paddings: Sequence[int], extra: Sequence[int]
) -> tuple[_Side, ...] | None:
    """Returns the plain convolution of both dimensions; None where there is none.

    Args:
        kernel, strides (Sequence[int]): of the transposed convolution.
        paddings (Sequence[int]): one number a dimension.
        extra (Sequence[int]): what is put behind the result, or nothing.
    """
    more = list(extra) or [0, 0]
    sides = tuple(_side(*numbers) for numbers in zip(kernel, strides, paddings, more, strict=True))
    return None if any(side is None for side in sides) else sides  # type: ignore[return-value]


def _small_filters(filter: torch.Tensor, sides: Sequence[_Side]) -> torch.Tensor:
    """The filters of all remainders; channels of the result lie next to each other in each."""
    high, wide_ = sides
    channels, made = filter.shape[:2]
    parts = filter.new_zeros(high.stride, wide_.stride, made, channels, high.taps, wide_.taps)
    for r in range(high.stride):
        for s in range(wide_.stride):
            for i in range(high.taps):
                for j in range(wide_.taps):
                    at = high.element(r, i), wide_.element(s, j)
                    if None not in at:
                        parts[r, s, :, :, i, j] = filter[:, :, at[0], at[1]].t()
    return parts.flatten(0, 2)


def prepared_conv2d_transpose(
    filter, step, bias, in_scale, out_scale, *, shape=None, strides=(1, 1), paddings=(0, 0),
    output_padding=(), **form,
) -> Callable:  # fmt: skip
    """``function(x)`` for fixed weights: packed ones where oneDNN takes them."""
    sides = transposed_sides(filter.shape[2:], strides, paddings, output_padding)
    weights = filter, step, bias, in_scale, out_scale
    if sides is None or step.dtype is not torch.float32 or not on_onednn(*weights):
        window = {"strides": strides, "paddings": paddings, "output_padding": output_padding}
        return lambda x: int8_conv2d_transpose.kernel(x, *weights, **window, **form)
    high, across = sides
    times, made = high.stride * across.stride, filter.shape[1]
    around = [high.before, high.after, across.before, across.after]
    plain = bind_conv2d(
        _small_filters(filter, sides), step.repeat(times),
        None if bias is None else bias.repeat(times), in_scale, out_scale, shape=shape,
        paddings=around, **form,
    )  # fmt: skip

    def call(x):
        out = plain(x).permute(0, 2, 3, 1)
        count, rows, columns = out.shape[:3]
        out = out.reshape(count, rows, columns, high.stride, across.stride, made).transpose(2, 3)
        out = out.reshape(count, rows * high.stride, columns * across.stride, made)
        height = high.stride * x.shape[2] + high.beyond
        width = across.stride * x.shape[3] + across.beyond
        out = out[:, :height, :width].permute(0, 3, 1, 2)
        return out.contiguous(memory_format=torch.channels_last)

    return call


def _check(inputs: list, attrs: dict[str, Any]) -> None:
    x, filter, step, _, in_scale, out_scale = inputs
    if (
        len(filter.shape) != 4
        or len(x.shape) != 4
        or (-1 not in (x.shape[1], filter.shape[0]) and (x.shape[1] != filter.shape[0]))
    ):
        raise InvalidArgumentError(
            "int8_conv2d_transpose: expected Input and Filter of four dimensions, with as many "
            f"channels as the Filter has first, but received shapes {list(x.shape)} and "
            f"{list(filter.shape)}."
        )
    scales = [in_scale, out_scale]
    check_product(
        "int8_conv2d_transpose", x, filter, step, filter.shape[1], scales, attrs, OF_PICTURES
    )


def _rule(inputs: list, attrs: dict[str, Any]) -> list[Spec]:
    _check(inputs, attrs)
    x, filter, step, out_scale = inputs[0], inputs[1], inputs[2], inputs[5]
    window = {key: attrs[key] for key in _WINDOW}
    [out] = infer(conv2d_transpose, [x, filter, None], window)
    return [Spec(out.shape, result_type(step) if out_scale is None else VarType.UINT8)]


@op(
    "int8_conv2d_transpose",
    "Input Filter Step Bias? InScale~ OutScale?~ -> Output",
    infer=of_dimensions(_rule),
    differentiable=False,
    proto=PROTO,
    no_alias="Output",
)
def int8_conv2d_transpose(
    x, filter, step, bias, in_scale, out_scale, *, strides=(1, 1), paddings=(0, 0),
    output_padding=(), zero=SIGNED, top=TOP, out_zero=SIGNED, out_top=TOP, activation="",
):  # fmt: skip
    """A transposed convolution of bytes with signed bytes, in one group, without dilation.

    Floats without OutScale, bytes with it. Plans pack the weights once.
    """
    form: dict[str, Any] = {
        "zero": zero, "top": top, "out_zero": out_zero, "out_top": out_top,
        "activation": activation,
    }  # fmt: skip
    window: dict[str, Any] = {
        "strides": strides, "paddings": paddings, "output_padding": output_padding,
    }  # fmt: skip
    weights = filter, step, bias, in_scale, out_scale
    _check([x, *weights], {**form, **window})
    sides = transposed_sides(filter.shape[2:], strides, paddings, output_padding)
    if sides is not None and step.dtype is torch.float32 and on_onednn(x, *weights):
        bound = prepared_conv2d_transpose(filter, step, bias, in_scale, out_scale, **window, **form)
        return bound(x)
    dtype = wide(step).dtype
    sums = conv2d_transpose.kernel(x.to(dtype).sub_(zero), filter.to(dtype), None, **window)
    return simulated(sums, step, bias, None, in_scale, out_scale, form, 1)
