"""Convolutions and products of 8-bit integers, and the steps on either side of them.

What a byte stands for says ``int8_steps``. Weights are signed, with a step for each channel of the
result. ``int8_onednn`` multiplies on CPUs that can, ``int8_matrices`` on GPUs, which have no
convolutions of bytes; elsewhere sums of floats stand in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from paddle.core.backends import backend_on, holds
from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec, infer, of_dimensions
from paddle.core.op import REQUIRED, op
from paddle.ops.nn.conv import conv2d
from paddle.ops.nn.pool import pool2d
from paddle.ops.nn.window import resolve_padding, torch_pad
from paddle.ops.quantization import int8_matrices, int8_onednn
from paddle.ops.quantization.fake_quantize import along, check_axis, largest
from paddle.ops.quantization.int8_onednn import CLIPPED, on_onednn, usable
from paddle.ops.quantization.int8_results import FUNCTIONS, simulated
from paddle.ops.quantization.int8_steps import (
    HIGHEST,
    SIGNED,
    TOP,
    UNSIGNED,
    above_zero,
    dequantized,
    numbers,
    quantized,
    quantizer,
    wide,
)

__all__ = [
    "SIGNED",
    "UNSIGNED",
    "convolves",
    "multiplies",
    "prepared_conv2d",
    "prepared_linear",
    "prepared_quantize",
    "usable",
    "why_in_floats",
]

PROTO = "left by the passes of int8; a Program holds operators of floats and of fake quantization"
ACTIVATIONS = frozenset(FUNCTIONS)
OF_PICTURES = ACTIVATIONS - {"gelu", "gelu_tanh", "tanh"}  # behind a convolution


# -- where bytes are multiplied --------------------------------------------------------------------


def convolves(kind: str) -> bool:
    """Says whether there are convolutions of bytes on a kind of device, as torch calls it."""
    return backend_on(torch.device(kind)).tuned_forms and usable()


def multiplies(kind: str) -> bool:
    """Says whether there are products of rows of bytes on a kind of device, as torch calls it."""
    return not why_in_floats(torch.device(kind))


def why_in_floats(device: torch.device) -> str:
    """Says why nothing is computed by bytes on a device; nothing where it is."""
    record = backend_on(device)
    if record.tuned_forms:
        return "" if usable() else "this CPU has no instructions that multiply bytes exactly (VNNI)"
    if record.integer_products and int8_matrices.works(device):
        return ""
    return f"there are no products of bytes on this {record.title}"


# -- steps -----------------------------------------------------------------------------------------


def check_steps(name: str, scale: Any, zero: int, top: int) -> None:
    """Checks what a byte stands for, and that its scale is one floating number."""
    highest = HIGHEST - zero
    free = zero in (SIGNED, UNSIGNED)  # to leave out the last steps
    if not 0 <= zero < HIGHEST or not (1 if free else highest) <= top <= highest:
        raise InvalidArgumentError(
            f"{name}: expected a zero of 0 or 128, and a top from 1 to what is left of 255, or "
            f"another zero from 1 to 254 and a top of 255 - zero, but received zero {zero} and top "
            f"{top}."
        )
    if len(scale.shape) != 1 or scale.shape[0] not in (1, -1):
        raise InvalidArgumentError(
            f"{name}: expected a Scale of one element, but received shape {list(scale.shape)}."
        )
    expect(name, "Scale", scale.dtype, _FLOATS)


_BYTE, _INTEGER = ("uint8",), ("int8",)
_FLOATS = ("float16", "bfloat16", "float32", "float64")


def _name(dtype: Any) -> str:
    """The name of the data type of a buffer or a Spec."""
    if isinstance(dtype, torch.dtype):
        return str(dtype).removeprefix("torch.")
    return dtype_name(dtype)


def expect(name: str, slot: str, dtype: Any, wanted: tuple[str, ...]) -> None:
    """Checks the data type of an input."""
    if _name(dtype) not in wanted:
        raise InvalidTypeError(
            f"{name}: no kernel for these data types: expected {slot} to be {' or '.join(wanted)}, "
            f"but it is {_name(dtype)}."
        )


def result_type(factor: Any) -> VarType:
    """The data type of results that floats of another one are factors of."""
    return VarType.FP64 if _name(factor.dtype) == "float64" else VarType.FP32


def _check_value(name: str, x: Any, scale: Any, attrs: dict, source: tuple[str, ...]) -> None:
    check_steps(name, scale, attrs["zero"], attrs["top"])
    expect(name, "X", x.dtype, source)


def _steps_rule(name: str, source: tuple[str, ...], made: Callable):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        x, scale = inputs
        _check_value(name, x, scale, attrs, source)
        return [Spec(x.shape, made(x, scale))]

    return rule


@op(
    "int8_round",
    "X Scale~ -> Out",
    lod="X",
    infer=_steps_rule("int8_round", _FLOATS, lambda x, scale: x.dtype),
    differentiable=False,
    dtypes="full",
    proto="marks a value that the passes of int8 hold as bytes; in floats it is rounded to steps",
)
def int8_round(x, scale, *, zero=SIGNED, top=TOP, with_weight=False):
    """The nearest step; ``with_weight`` says that products may quantise their weights too."""
    _check_value("int8_round", x, scale, {"zero": zero, "top": top}, _FLOATS)
    step = above_zero(wide(scale)) / top
    return numbers(wide(x), scale, zero, top).mul_(step.to(wide(x).dtype)).to(x.dtype)


@op(
    "int8_quantize",
    "X Scale~ -> Out",
    lod="X",
    infer=_steps_rule("int8_quantize", _FLOATS, lambda x, scale: VarType.UINT8),
    no_alias="Out",
    differentiable=False,
    dtypes="full",
    proto=PROTO,
)
def int8_quantize(x, scale, *, zero=SIGNED, top=TOP):
    _check_value("int8_quantize", x, scale, {"zero": zero, "top": top}, _FLOATS)
    return quantized(wide(x), scale, zero, top)


@op(
    "int8_dequantize",
    "X Scale -> Out",
    lod="X",
    infer=_steps_rule("int8_dequantize", _BYTE, lambda x, scale: result_type(scale)),
    no_alias="Out",
    differentiable=False,
    proto=PROTO,
)
def int8_dequantize(x, scale, *, zero=SIGNED, top=TOP):
    _check_value("int8_dequantize", x, scale, {"zero": zero, "top": top}, _BYTE)
    return dequantized(x, scale, zero, top)


def _check_weight(x: Any, scale: Any, axis: int) -> int:
    """Checks the scales; returns how many positions the axis has."""
    check_axis("int8_weight", x.shape, axis)
    expect("int8_weight", "X", x.dtype, (*_FLOATS, *_INTEGER))
    count = x.shape[axis]
    given = None if scale is None or -1 in (*scale.shape, count) else math.prod(scale.shape)
    if given not in (None, 1, count):
        raise InvalidArgumentError(
            f"int8_weight: expected one scale, or {count}, but received shape {list(scale.shape)}."
        )
    if scale is None and _name(x.dtype) not in _FLOATS:
        raise InvalidTypeError("int8_weight: expected a Scale for X of integers.")
    return count


def _weight_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, scale = inputs
    count = _check_weight(x, scale, attrs["axis"])
    return [
        Spec(x.shape, VarType.INT8),
        Spec((count,), result_type(x if scale is None else scale)),
    ]


@op("int8_weight", "X Scale? -> Out Step", infer=_weight_rule, differentiable=False, proto=PROTO)
def int8_weight(x, scale, *, axis=0, top=TOP, in_steps=False):
    """A weight as numbers of steps, and what a step is worth in each position of an axis.

    ``Scale`` is the value of the step ``top``; without it, the largest value of a position. With
    ``in_steps`` X holds numbers of steps already.
    """
    _check_weight(x, scale, axis)
    scale = largest(x, axis) if scale is None else scale.reshape(-1).expand(x.shape[axis])
    step = above_zero(wide(scale)) / top
    numbers = x if in_steps else x / along(step, x, axis)
    return numbers.round().clamp(-128, TOP).to(torch.int8), step


# -- products --------------------------------------------------------------------------------------


def check_product(
    name: str, x, filter, step, channels: int, scales: list, attrs: dict, known: frozenset[str]
) -> None:
    expect(name, "the first input", x.dtype, _BYTE)
    expect(name, "the weight", filter.dtype, _INTEGER)
    expect(name, "Step", step.dtype, _FLOATS)
    in_scale, out_scale = scales
    check_steps(name, in_scale, attrs["zero"], attrs["top"])
    if out_scale is not None:
        check_steps(name, out_scale, attrs["out_zero"], attrs["out_top"])
    if tuple(step.shape) != (channels,) and -1 not in (channels, *step.shape):
        raise InvalidArgumentError(
            f"{name}: expected a Step for each of {channels} channels, but received shape "
            f"{list(step.shape)}."
        )
    partial = out_scale is not None and attrs["out_top"] < HIGHEST - attrs["out_zero"]
    if partial and attrs["activation"] not in CLIPPED:
        raise InvalidArgumentError(
            f"{name}: expected an out_top of {HIGHEST - attrs['out_zero']}, all steps above 0, "
            f"behind the activation {attrs['activation']!r}, but received {attrs['out_top']}."
        )
    if attrs["activation"] not in known:
        raise InvalidArgumentError(
            f"{name}: expected activation to be one of {sorted(known)}, but received "
            f"{attrs['activation']!r}."
        )


def prepared_conv2d(
    filter, step, bias, in_scale, out_scale, residual_scale, *, shape=None, **form
) -> Callable:
    """``function(x, residual)`` for fixed weights: packed ones where oneDNN takes them."""
    weights = filter, step, bias, in_scale, out_scale
    if step.dtype is torch.float32 and on_onednn(*weights):
        return int8_onednn.bind_conv2d(*weights, residual_scale, shape=shape, **form)
    return lambda x, residual=None: int8_conv2d.kernel(
        x, *weights, residual, residual_scale, **form
    )


def prepared_linear(weight, step, bias, in_scale, out_scale, **form) -> Callable:
    """``function(x)`` for fixed weights, or ``function(x, residual)`` where ``residual`` is true.

    They are packed where oneDNN takes them.
    """
    weights = weight, step, bias, in_scale, out_scale
    bind = _linear_binder(step, *weights)
    if bind is not None:
        return bind(*weights, **form)
    form.pop("residual", None)
    return lambda x, residual=None: int8_linear.kernel(x, *weights, residual, **form)


def _linear_binder(step: torch.Tensor, *buffers: torch.Tensor | None) -> Callable | None:
    """What makes weights ready where these buffers are; None where sums of floats stand in."""
    if step.dtype is not torch.float32:
        return None
    if on_onednn(*buffers):
        return int8_onednn.bind_linear
    if all(b is None or holds.integer_products(b) for b in buffers):
        return int8_matrices.bind_linear if int8_matrices.works(step.device) else None
    return None


def prepared_quantize(scale, *, zero=SIGNED, top=TOP) -> Callable:
    """``function(x)`` for a fixed scale."""
    return quantizer(scale, zero, top)


def _check_residual(residual, residual_scale, out_scale, attrs: dict) -> None:
    """A residual is of floats where the result is, or of bytes."""
    if residual is None:
        return
    if attrs["activation"] not in ("", "relu") or (residual_scale is None) != (out_scale is None):
        raise InvalidArgumentError(
            "int8_conv2d: expected no activation but relu where a Residual is added, and an "
            "OutScale where it has a ResidualScale, and only there."
        )
    if residual_scale is None:
        return
    expect("int8_conv2d", "Residual", residual.dtype, _BYTE)
    check_steps("int8_conv2d", residual_scale, attrs["residual_zero"], attrs["residual_top"])
    if not attrs["out_zero"] and attrs["out_top"] != 255:
        raise InvalidArgumentError(
            "int8_conv2d: expected an out_top of 255 for the sum with a Residual of bytes, but "
            f"received {attrs['out_top']}."
        )


def _check_conv(inputs: list, attrs: dict) -> None:
    x, filter, step, _, in_scale, out_scale, residual, residual_scale = inputs
    scales = [in_scale, out_scale]
    if len(filter.shape) != 4 or len(x.shape) != 4:
        raise InvalidArgumentError(
            f"int8_conv2d: expected Input and Filter of four dimensions, but received shapes "
            f"{list(x.shape)} and {list(filter.shape)}."
        )
    channels, groups, (count, each) = x.shape[1], attrs["groups"], filter.shape[:2]
    if (-1 not in (channels, each) and channels != each * groups) or (
        count != -1 and count % groups
    ):
        raise InvalidArgumentError(
            "int8_conv2d: expected the channels of Input to be those of Filter times groups, but "
            f"received {channels} channels, Filter of shape {list(filter.shape)} and groups = "
            f"{groups}."
        )
    channels = filter.shape[0]
    check_product("int8_conv2d", x, filter, step, channels, scales, attrs, OF_PICTURES)
    _check_residual(residual, residual_scale, out_scale, attrs)


_WINDOW = ("strides", "paddings", "padding_algorithm", "dilations", "groups")


def _memory(inputs: dict[str, list], attrs: dict[str, Any]) -> str:
    return "" if attrs.get("overwrite") else "Output"


def _conv_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, filter, step, out_scale = inputs[0], inputs[1], inputs[2], inputs[5]
    _check_conv(inputs, attrs)
    window = {k: attrs[k] for k in _WINDOW} | {"data_format": "NCHW"}
    [out] = infer(conv2d, [x, filter, None, None], window)
    return [Spec(out.shape, result_type(step) if out_scale is None else VarType.UINT8)]


@op(
    "int8_conv2d",
    "Input Filter Step Bias? InScale~ OutScale?~ Residual? ResidualScale?~ -> Output",
    lod="Input",
    infer=of_dimensions(_conv_rule),
    differentiable=False,
    proto=PROTO,
    no_alias=_memory,
)
def int8_conv2d(
    x, filter, step, bias, in_scale, out_scale, residual, residual_scale, *, strides=(1, 1),
    paddings=(0, 0), padding_algorithm="EXPLICIT", dilations=(1, 1), groups=1, zero=SIGNED,
    top=TOP, out_zero=SIGNED, out_top=TOP, activation="", residual_zero=SIGNED, residual_top=TOP,
    overwrite=False,
):  # fmt: skip
    """A convolution of bytes with signed bytes; floats without OutScale, bytes with it.

    Plans pack the weights once (``bind_conv2d``), and may let ``overwrite`` write the result where
    the residual was; this does all at once, and leaves it.
    """
    form = {
        "zero": zero, "top": top, "out_zero": out_zero, "out_top": out_top,
        "activation": activation, "residual_zero": residual_zero, "residual_top": residual_top,
    }  # fmt: skip
    window = {
        "strides": strides, "paddings": paddings, "padding_algorithm": padding_algorithm,
        "dilations": dilations, "groups": groups,
    }  # fmt: skip
    given = [x, filter, step, bias, in_scale, out_scale, residual, residual_scale]
    _check_conv(given, {**form, **window})
    if step.dtype is torch.float32 and on_onednn(x, filter, residual):
        bound = int8_onednn.bind_conv2d(
            filter, step, bias, in_scale, out_scale, residual_scale, **window, **form
        )
        return bound(x, residual)
    dtype = wide(step).dtype
    sides = resolve_padding(
        list(paddings), padding_algorithm, x.shape[2:], list(filter.shape[2:]), list(strides)
    )
    values = torch.constant_pad_nd(x.to(dtype).sub_(zero), torch_pad(*sides))
    spread = [1, 1] if padding_algorithm == "SAME" else list(dilations)
    sums = torch.conv2d(values, filter.to(dtype), None, list(strides), 0, spread, groups)
    if residual_scale is not None:
        residual = dequantized(residual, residual_scale, residual_zero, residual_top)
    return simulated(sums, step, bias, residual, in_scale, out_scale, form, 1)


def _check_linear(inputs: list, attrs: dict) -> None:
    x, weight, step, _, in_scale, out_scale, residual = inputs
    columns = attrs["columns"]
    if len(weight.shape) != 2 or not 1 <= columns < len(x.shape):
        raise InvalidArgumentError(
            "int8_linear: expected W of two dimensions and columns from 1 to the rank of X, but "
            f"received W of shape {list(weight.shape)}, columns {columns} and X of shape "
            f"{list(x.shape)}."
        )
    width = 1
    for size in x.shape[columns:]:
        width = -1 if -1 in (size, width) else width * size
    if width != weight.shape[0] and -1 not in (width, weight.shape[0]):
        raise InvalidArgumentError(
            f"int8_linear: expected rows of X as long as W is high, but received X of shape "
            f"{list(x.shape)} and W of shape {list(weight.shape)}."
        )
    scales = [in_scale, out_scale]
    check_product("int8_linear", x, weight, step, weight.shape[1], scales, attrs, ACTIVATIONS)
    if residual is None:
        return
    if attrs["activation"] not in ("", "relu") or out_scale is not None:
        raise InvalidArgumentError(
            "int8_linear: expected no activation but relu, and no OutScale, where a Residual is "
            "added."
        )
    shape = (*x.shape[:columns], weight.shape[1])
    if -1 not in (*shape, *residual.shape) and tuple(residual.shape) != shape:
        raise InvalidArgumentError(
            f"int8_linear: expected a Residual of shape {list(shape)}, but received "
            f"{list(residual.shape)}."
        )


def _linear_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, weight, step, out_scale, columns = *inputs[:3], inputs[5], attrs["columns"]
    _check_linear(inputs, attrs)
    dtype = result_type(step) if out_scale is None else VarType.UINT8
    return [Spec((*x.shape[:columns], weight.shape[1]), dtype)]


@op(
    "int8_linear",
    "X W Step Bias? InScale~ OutScale?~ Residual? -> Out",
    lod="X",
    infer=of_dimensions(_linear_rule),
    differentiable=False,
    proto=PROTO,
    no_alias="Out",
)
def int8_linear(
    x, weight, step, bias, in_scale, out_scale, residual, *, columns=REQUIRED, zero=SIGNED,
    top=TOP, out_zero=SIGNED, out_top=TOP, activation="",
):  # fmt: skip
    """Rows of bytes by a matrix of signed bytes; the rows begin at the dimension ``columns``."""
    form = {
        "zero": zero, "top": top, "out_zero": out_zero, "out_top": out_top,
        "activation": activation,
    }  # fmt: skip
    given = [x, weight, step, bias, in_scale, out_scale, residual]
    _check_linear(given, {**form, "columns": columns})
    bind = _linear_binder(step, x, weight)
    if bind is not None:
        added = () if residual is None else (residual,)
        bound = bind(*given[1:-1], columns=columns, residual=bool(added), **form)
        return bound(x, *added)
    dtype = wide(step).dtype
    rows = x.to(dtype).sub_(zero).reshape(*x.shape[:columns], weight.shape[0])
    sums = torch.matmul(rows, weight.to(dtype))
    return simulated(sums, step, bias, residual, in_scale, out_scale, form, sums.dim() - 1)


# -- pools -----------------------------------------------------------------------------------------


def _pool_rule(inputs: list, attrs: dict) -> list[Spec]:
    expect("int8_max_pool2d", "X", inputs[0].dtype, _BYTE)
    window = {k: attrs[k] for k in ("ksize", "strides", "paddings", "ceil_mode")}
    given = Spec(inputs[0].shape, VarType.FP32)
    [out] = infer(pool2d, [given], {**window, "pooling_type": "max"})
    return [Spec(out.shape, VarType.UINT8)]


@op(
    "int8_max_pool2d",
    "X -> Out",
    lod="X",
    infer=of_dimensions(_pool_rule),
    differentiable=False,
    proto=PROTO,
    no_alias="Out",
)
def int8_max_pool2d(x, *, ksize=REQUIRED, strides=(1, 1), paddings=(0, 0), ceil_mode=False):
    """The largest byte of each window."""
    expect("int8_max_pool2d", "X", x.dtype, _BYTE)
    window = list(ksize), list(strides), list(paddings), [1, 1], ceil_mode
    if holds.tuned_forms(x) and hasattr(torch.ops.quantized, "max_pool2d"):
        return torch.ops.quantized.max_pool2d(x, *window)
    return torch.max_pool2d(x.float(), *window).to(torch.uint8)
