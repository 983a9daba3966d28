"""Average pools of bytes: convolutions by weights of 1, each channel by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, infer, of_dimensions
from paddle.core.op import REQUIRED, op
from paddle.ops.nn.pool import pool2d
from paddle.ops.quantization.int8 import PROTO, check_steps, expect, result_type
from paddle.ops.quantization.int8_onednn import bind_conv2d, on_onednn
from paddle.ops.quantization.int8_results import requantizer
from paddle.ops.quantization.int8_steps import SIGNED, TOP, dequantized

_SIZES = 32  # of pictures that a plan keeps convolutions for
_POOL = ("ksize", "strides", "paddings", "padding_algorithm", "adaptive")


def prepared_average(in_scale, out_scale, **form: Any) -> Callable:
    """``function(x)`` for fixed scales: a convolution for each size of pictures it meets."""
    known: dict[tuple, Callable] = {}
    form = {**int8_avg_pool2d.attrs, **form}

    def average(x):
        bound = known.get(x.shape)
        if bound is None:
            if len(known) >= _SIZES:
                known.clear()
            bound = known[x.shape] = _bound(x, in_scale, out_scale, form)
        return bound(x)

    return average


def _bound(x, in_scale, out_scale, form: dict[str, Any]) -> Callable:
    window = _window(tuple(x.shape[2:]), form)
    if window is None or in_scale.dtype is torch.float64 or not on_onednn(x, in_scale, out_scale):
        return lambda x: _simulated(x, in_scale, out_scale, form)
    channels, size = x.shape[1], window.pop("ksize")
    ones = torch.ones(channels, 1, *size, dtype=torch.int8)
    step = torch.full((channels,), 1.0 / math.prod(size))
    steps = {key: form[key] for key in ("zero", "top", "out_zero", "out_top")}
    shape = list(x.shape)
    return bind_conv2d(
        ones, step, None, in_scale, out_scale, shape=shape, groups=channels, **window, **steps
    )


def _window(sizes: tuple[int, ...], form: dict[str, Any]) -> dict[str, Any] | None:
    """The window of the convolution; None where windows of an adaptive pool differ."""
    if not form["adaptive"]:
        return {k: form[k] for k in _POOL if k != "adaptive"}
    if any(n % count for n, count in zip(sizes, form["ksize"], strict=True)):
        return None
    window = [n // count for n, count in zip(sizes, form["ksize"], strict=True)]
    return {"ksize": window, "strides": window, "paddings": [0, 0]}


def _simulated(x, in_scale, out_scale, form: dict[str, Any]):
    pool = {k: form[k] for k in _POOL} | {"pooling_type": "avg", "exclusive": False}
    out = pool2d.kernel(dequantized(x, in_scale, form["zero"], form["top"]), **pool)
    to_bytes = requantizer(out_scale, form)
    return out if to_bytes is None else to_bytes(out)


def _check(inputs: list, attrs: dict[str, Any]) -> None:
    x, in_scale, out_scale = inputs
    expect("int8_avg_pool2d", "X", x.dtype, ("uint8",))
    check_steps("int8_avg_pool2d", in_scale, attrs["zero"], attrs["top"])
    if out_scale is not None:
        check_steps("int8_avg_pool2d", out_scale, attrs["out_zero"], attrs["out_top"])
    if len(x.shape) != 4:
        raise InvalidArgumentError(
            f"int8_avg_pool2d: expected X of four dimensions, but received shape {list(x.shape)}."
        )


def _rule(inputs: list, attrs: dict[str, Any]) -> list[Spec]:
    _check(inputs, attrs)
    pool = {k: attrs[k] for k in _POOL} | {"pooling_type": "avg"}
    [out] = infer(pool2d, [Spec(inputs[0].shape, VarType.FP32)], pool)
    return [Spec(out.shape, result_type(inputs[1]) if inputs[2] is None else VarType.UINT8)]


@op(
    "int8_avg_pool2d",
    "X InScale OutScale?~ -> Out",
    lod="X",
    infer=of_dimensions(_rule),
    differentiable=False,
    proto=PROTO,
    no_alias="Out",
)
def int8_avg_pool2d(
    x, in_scale, out_scale, *, ksize=REQUIRED, strides=(1, 1), paddings=(0, 0),
    padding_algorithm="EXPLICIT", adaptive=False, zero=SIGNED, top=TOP, out_zero=SIGNED,
    out_top=TOP,
):  # fmt: skip
    """The average of each window, whose padding counts; floats without OutScale, bytes with it."""
    form = {
        "ksize": ksize, "strides": strides, "paddings": paddings,
        "padding_algorithm": padding_algorithm, "adaptive": adaptive, "zero": zero, "top": top,
        "out_zero": out_zero, "out_top": out_top,
    }  # fmt: skip
    _check([x, in_scale, out_scale], form)
    return _bound(x, in_scale, out_scale, form)(x)
