"""Fake quantization: quantization in floats, between training and integers.

A value becomes the number of a step, a whole number that is kept as a float, and a value again. The
scale is the largest absolute value, of the tensor, of a channel, or of the batches so far.
"""

from __future__ import annotations

import math

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import NeedsData, Spec
from paddle.core.op import REQUIRED, op

_HALF = (torch.float16, torch.bfloat16)
_SMALL, _INSTEAD = 1e-30, 1e-6  # PaddlePaddle's: a scale up to this is made larger by that
_SAME = 1e-6  # PaddlePaddle's: scales that differ by less are one


def top_step(name: str, bit_length: int) -> int:
    """The number of the highest step that so many bits can tell apart."""
    if not 1 <= bit_length <= 16:
        raise InvalidArgumentError(
            f"{name}: expected a bit_length from 1 to 16, but received {bit_length}."
        )
    return 2 ** (bit_length - 1) - 1


def check_axis(name: str, shape: tuple | torch.Size, axis: int, allowed: tuple = (0, 1)) -> None:
    """Refuses a channel axis that there is not."""
    if axis not in allowed or axis >= len(shape):
        raise InvalidArgumentError(
            f"{name}: expected quant_axis to be one of {list(allowed)} and an axis of X, but "
            f"received {axis} for X of shape {list(shape)}."
        )


def largest(x: torch.Tensor, axis: int | None = None) -> torch.Tensor:
    """The largest absolute value, of all or of each position of an axis; 0 of nothing."""
    if axis is None:
        return x.abs().amax().reshape(1) if x.numel() else x.new_zeros(1)
    if not x.numel():
        return x.new_zeros(x.shape[axis])
    others = [d for d in range(x.dim()) if d != axis]
    return x.abs().amax(others) if others else x.abs()


def along(scale: torch.Tensor, x: torch.Tensor, axis: int | None) -> torch.Tensor:
    """The scale in a shape that meets X: one number, or one for each position of an axis."""
    if axis is None:
        return scale.reshape([1] * max(x.dim(), 1))
    return scale.reshape([-1 if d == axis else 1 for d in range(x.dim())])


def steps(x: torch.Tensor, scale: torch.Tensor, top: int, to_even: bool = False) -> torch.Tensor:
    """The numbers of the steps of X, whose step ``top`` is at ``scale``; halves in float32.

    Halfway between two steps the one farther from 0 is taken, or with ``to_even`` the even one;
    there is a step more below 0 then, as in PaddlePaddle.
    """
    x = x.float() if x.dtype in _HALF else x
    scale = scale.to(x.dtype)
    factor = torch.where(scale <= _SMALL, scale + _INSTEAD, scale).reciprocal() * top
    if to_even:
        return torch.round(x * factor).clamp(-top - 1, top)
    # Of ATen's calls clamp by tensors and trunc are not vectorised: 7 and 40 times slower.
    found = torch.maximum(torch.minimum(x, scale), -scale).mul_(factor)
    # The largest number below 1/2: what is just below a half must not be rounded up by the sum.
    nearly = 0.5 - torch.finfo(x.dtype).eps / 4
    sign = torch.sign(found)
    return found.abs_().add_(nearly).floor_().mul_(sign)


def values(numbers: torch.Tensor, scale: torch.Tensor, top: int) -> torch.Tensor:
    """What steps stand for, in their place."""
    return numbers.mul_(scale.to(numbers.dtype)).div_(top)


def follow(x: torch.Tensor, accum, state, rate: float, name: str) -> torch.Tensor:
    """Moves the average of the largest absolute values on by X; returns it.

    ``accum`` is the sum of all so far, ``state`` their number, old ones counting less and less.
    """
    if accum is None or state is None:
        raise InvalidArgumentError(
            f"{name}: expected InAccum and InState, from which the scale is computed in training, "
            f"but received {'no InAccum' if accum is None else 'no InState'}."
        )
    state.mul_(rate).add_(1.0)
    accum.mul_(rate).add_(largest(x).to(accum.dtype).reshape(accum.shape))
    return accum / state


def _check_state(name: str, **given: torch.Tensor | None) -> None:
    for slot, value in given.items():
        if value is not None and value.numel() != 1:
            raise InvalidArgumentError(
                f"{name}: expected {slot} of one element, but received shape {list(value.shape)}."
            )


def _whole_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [inputs[0], Spec((1,), inputs[0].dtype)]


def _channel_rule(name: str):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        x, axis = inputs[0], attrs["quant_axis"]
        check_axis(name, x.shape, axis)
        top_step(name, attrs["bit_length"])
        return [x, Spec((x.shape[axis],), x.dtype)]

    return rule


def _straight(d_out):
    """The gradient as if nothing had been rounded or cut off."""
    return d_out.clone()


# -- one scale, of the tensor itself ---------------------------------------------------------------


@op(
    "fake_quantize_abs_max",
    "X -> Out OutScale~",
    lod="X",
    infer=_whole_rule,
    differentiable=False,
    dtypes="floats",
)
def fake_quantize_abs_max(x, *, bit_length=8):
    top, scale = top_step("fake_quantize_abs_max", bit_length), largest(x)
    return steps(x, along(scale, x, None), top).to(x.dtype), scale


@op("fake_quantize_dequantize_abs_max", "X -> Out OutScale~", infer=_whole_rule, dtypes="floats")
def fake_quantize_dequantize_abs_max(x, *, bit_length=8):
    top, scale = top_step("fake_quantize_dequantize_abs_max", bit_length), largest(x)
    at = along(scale, x, None)
    return values(steps(x, at, top), at, top).to(x.dtype), scale


@fake_quantize_dequantize_abs_max.grad()
def _(d_out):
    return _straight(d_out)


# -- a scale for each channel ----------------------------------------------------------------------


@op(
    "fake_channel_wise_quantize_abs_max",
    "X -> Out OutScale~",
    lod="X",
    infer=_channel_rule("fake_channel_wise_quantize_abs_max"),
    differentiable=False,
    dtypes="floats",
)
def fake_channel_wise_quantize_abs_max(x, *, quant_axis=0, bit_length=8, is_test=False):
    name = "fake_channel_wise_quantize_abs_max"
    check_axis(name, x.shape, quant_axis)
    if is_test:
        raise NeedsData(
            f"{name}: with is_test it has to read OutScale, which is no input of it.",
            hint="set is_test=False: the scales are then taken from X, as in training",
        )
    top, scale = top_step(name, bit_length), largest(x, quant_axis)
    return steps(x, along(scale, x, quant_axis), top).to(x.dtype), scale


@op(
    "fake_channel_wise_quantize_dequantize_abs_max",
    "X -> Out OutScale~",
    infer=_channel_rule("fake_channel_wise_quantize_dequantize_abs_max"),
    dtypes="floats",
)
def fake_channel_wise_quantize_dequantize_abs_max(x, *, quant_axis=0, bit_length=8):
    name = "fake_channel_wise_quantize_dequantize_abs_max"
    check_axis(name, x.shape, quant_axis)
    top, scale = top_step(name, bit_length), largest(x, quant_axis)
    at = along(scale, x, quant_axis)
    return values(steps(x, at, top), at, top).to(x.dtype), scale


@fake_channel_wise_quantize_dequantize_abs_max.grad()
def _(d_out):
    return _straight(d_out)


# -- a scale that is kept between batches ----------------------------------------------------------


def _range_rule(inputs: list, attrs: dict) -> list[Spec | None]:
    return [inputs[0], inputs[1], None]


@op(
    "fake_quantize_range_abs_max",
    "X InScale~ Iter?~ -> Out OutScale=InScale OutScales?~",
    lod="X",
    infer=_range_rule,
    differentiable=False,
    dtypes="floats",
)
def fake_quantize_range_abs_max(
    x, in_scale, iter_, *, window_size=10000, bit_length=8, is_test=False
):
    """In training only within a Program, by ``range_step``: OutScales is read there too."""
    name = "fake_quantize_range_abs_max"
    _check_state(name, InScale=in_scale)
    if not is_test:
        raise NeedsData(
            f"{name}: in training it has to read OutScales, the largest values of the last "
            f"{window_size} batches, which is no input of it.",
            hint="set is_test=True, or train with fake_quantize_moving_average_abs_max",
        )
    numbers = steps(x, along(in_scale, x, None), top_step(name, bit_length))
    return numbers.to(x.dtype), in_scale, None


def range_step(x, in_scale, iter_, window, *, window_size=10000, bit_length=8):
    """A batch of training: the steps, and the window after it; writes the scale into InScale.

    The scale is the largest value in the window, the last ``window_size`` batches. It is looked
    for anew only where the largest one falls out.
    """
    name = "fake_quantize_range_abs_max"
    _check_state(name, InScale=in_scale, Iter=iter_)
    if window.numel() != window_size:
        raise InvalidArgumentError(
            f"{name}: expected OutScales of window_size {window_size} elements, but it has shape "
            f"{list(window.shape)}."
        )
    count = int(iter_)
    at = count % window_size
    latest, last = largest(x).to(in_scale.dtype), in_scale.reshape(1)
    window = window.reshape(-1).clone()
    removed = window[at : at + 1].clone()
    window[at] = latest[0]
    kept = window[: min(max(count, 1), window_size)].amax()
    falls_out = (removed - last).abs() < _SAME
    scale = torch.where(last < latest, latest, torch.where(falls_out, kept, last))
    in_scale.copy_(scale.reshape(in_scale.shape))
    numbers = steps(x, along(scale, x, None), top_step(name, bit_length))
    return numbers.to(x.dtype), window


def _average_rule(inputs: list, attrs: dict) -> list[Spec | None]:
    x, scale, accum, state = inputs
    return [x, scale, state, accum]


def _averaged(name, x, in_scale, in_accum, in_state, moving_rate, bit_length, is_test):
    """The steps of X by the scale that InScale then holds, that scale, and the highest step."""
    _check_state(name, InScale=in_scale, InAccum=in_accum, InState=in_state)
    top = top_step(name, bit_length)
    if not is_test:
        in_scale.copy_(follow(x, in_accum, in_state, moving_rate, name).reshape(in_scale.shape))
    at = along(in_scale, x, None)
    return steps(x, at, top), at, top


@op(
    "fake_quantize_moving_average_abs_max",
    "X InScale~ InAccum?~ InState?~ -> Out OutScale=InScale OutState=InState OutAccum=InAccum",
    lod="X",
    infer=_average_rule,
    differentiable=False,
    dtypes="floats",
)
def fake_quantize_moving_average_abs_max(
    x, in_scale, in_accum, in_state, *, moving_rate=0.9, bit_length=8, is_test=False
):
    numbers, _, _ = _averaged(
        "fake_quantize_moving_average_abs_max",
        x, in_scale, in_accum, in_state, moving_rate, bit_length, is_test,
    )  # fmt: skip
    return numbers.to(x.dtype), in_scale, in_state, in_accum


@op(
    "fake_quantize_dequantize_moving_average_abs_max",
    "X InScale~ InAccum?~ InState?~ -> Out OutScale=InScale OutState=InState OutAccum=InAccum",
    lod="X",
    infer=_average_rule,
    dtypes="floats",
)
def fake_quantize_dequantize_moving_average_abs_max(
    x, in_scale, in_accum, in_state, *, moving_rate=0.9, bit_length=8, is_test=False
):
    found = _averaged(
        "fake_quantize_dequantize_moving_average_abs_max",
        x, in_scale, in_accum, in_state, moving_rate, bit_length, is_test,
    )  # fmt: skip
    return values(*found).to(x.dtype), in_scale, in_state, in_accum


@fake_quantize_dequantize_moving_average_abs_max.grad()
def _(d_out):
    return _straight(d_out), None, None, None


def _observer_rule(inputs: list, attrs: dict) -> list[Spec | None]:
    x, accum, state = inputs
    return [x, None if attrs["is_test"] else Spec((1,), x.dtype), state, accum]


@op(
    "moving_average_abs_max_scale",
    "X InAccum?~ InState?~ -> Out OutScale?~ OutState=InState OutAccum=InAccum",
    lod="X",
    infer=_observer_rule,
    dtypes="floats",
)
def moving_average_abs_max_scale(x, in_accum, in_state, *, moving_rate=0.9, is_test=False):
    """X itself; its scale is taken down in training. In a test OutScale stays as it is."""
    name = "moving_average_abs_max_scale"
    _check_state(name, InAccum=in_accum, InState=in_state)
    scale = None
    if not is_test:
        scale = follow(x, in_accum, in_state, moving_rate, name).to(x.dtype).reshape(1)
    return x.view(x.shape), scale, in_state, in_accum


@moving_average_abs_max_scale.grad()
def _(d_out):
    return _straight(d_out), None, None


@op(
    "stright_throuth_estimator_grad",
    "Out@GRAD -> X@GRAD",
    infer="same",
    proto="the gradient operator of all that quantise and dequantise, by its name in 2.x Programs",
)
def straight_through_gradient(d_out):
    return d_out.clone()


# -- back to values --------------------------------------------------------------------------------


@op(
    "fake_dequantize_max_abs",
    "X Scale~ -> Out",
    infer="same",
    differentiable=False,
    dtypes="floats",
)
def fake_dequantize_max_abs(x, scale, *, max_range=REQUIRED):
    _check_state("fake_dequantize_max_abs", Scale=scale)
    return x * along(scale, x, None).to(x.dtype) / max_range


@op(
    "fake_channel_wise_dequantize_max_abs",
    "X Scales*~ -> Out",
    infer="same",
    differentiable=False,
    dtypes="floats",
    rank0=False,
)
def fake_channel_wise_dequantize_max_abs(
    x, scales, *, quant_bits=(8,), quant_axis=0, x_num_col_dims=1
):
    """One list of scales: by channel of a weight. A second, of one number: that of the input too.

    The result of a convolution or a product has its channels on axis ``x_num_col_dims``.
    """
    name = "fake_channel_wise_dequantize_max_abs"
    if len(scales) not in (1, 2) or len(quant_bits) < len(scales):
        raise InvalidArgumentError(
            f"{name}: expected one or two Scales, with quant_bits for each, but received "
            f"{len(scales)} and {list(quant_bits)}."
        )
    axis = quant_axis if len(scales) == 1 else x_num_col_dims
    if not 0 <= axis < x.dim():
        raise InvalidArgumentError(
            f"{name}: expected {'quant_axis' if len(scales) == 1 else 'x_num_col_dims'} to be an "
            f"axis of X, but received {axis} for X of shape {list(x.shape)}."
        )
    if scales[0].numel() != x.shape[axis] or math.prod(s.numel() for s in scales[1:]) != 1:
        raise InvalidArgumentError(
            f"{name}: expected {x.shape[axis]} scales, one for each position of axis {axis} of X"
            f"{', and one more' if len(scales) == 2 else ''}, but received Scales of shapes "
            f"{[list(s.shape) for s in scales]} for X of shape {list(x.shape)}."
        )
    top = math.prod(2 ** (b - 1) - 1 for b in quant_bits[: len(scales)])
    out = x * along(scales[0], x, axis).to(x.dtype)
    if len(scales) == 2:
        out = out * along(scales[1], x, None).to(x.dtype)
    return out / top
