"""Linear quantization by given scales, and look-ups of dequantized tables."""

from __future__ import annotations

import torch

from paddle.core.dtype import FLOATING
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.nn.common import _bad_ids as bad_ids
from paddle.ops.quantization.fake_quantize import (
    along,
    check_axis,
    follow,
    largest,
    steps,
    top_step,
)

_AXES = (-1, 0, 1)  # -1: one scale for all
_RATE = 0.9  # PaddlePaddle's moving_rate, which no saved Program names
_LOGARITHMS = 128


def _axis(name: str, x, scale, quant_axis: int) -> int | None:
    """The axis along which the scales lie; None for one scale."""
    check_axis(name, x.shape, quant_axis, _AXES)
    wanted = 1 if quant_axis < 0 else x.shape[quant_axis]
    fits = scale.numel() >= 1 if quant_axis < 0 else scale.numel() == wanted
    if not fits:
        raise InvalidArgumentError(
            f"{name}: expected {wanted} scales for quant_axis {quant_axis} of X of shape "
            f"{list(x.shape)}, but received Scale of shape {list(scale.shape)}."
        )
    return None if quant_axis < 0 else quant_axis


def _check_linear(name: str, shape: tuple, attrs: dict) -> None:
    check_axis(name, shape, attrs["quant_axis"], _AXES)
    top_step(name, attrs["bit_length"])
    if attrs["round_type"] not in (0, 1):
        raise InvalidArgumentError(
            f"{name}: expected round_type 0 (halves to even) or 1 (away from 0), but received "
            f"{attrs['round_type']}."
        )


def _quantize_rule(inputs: list, attrs: dict) -> list[Spec | None]:
    x, scale, _, accum, state = inputs
    _check_linear("quantize_linear", x.shape, attrs)
    return [x, state, accum, scale]


@op(
    "quantize_linear",
    "X Scale~ ZeroPoint?~ InAccum?~ InState?~ -> "
    "Y OutState=InState OutAccum=InAccum OutScale=Scale",
    infer=_quantize_rule,
    differentiable=False,
    dtypes="floats",
)
def quantize_linear(
    x, scale, zero_point, in_accum, in_state, *, quant_axis=0, bit_length=8, round_type=0,
    is_test=True, only_observer=False,
):  # fmt: skip
    """The numbers of the steps. PaddlePaddle does not look at ZeroPoint: 0 is 0."""
    name = "quantize_linear"
    _check_linear(
        name,
        x.shape,
        {"quant_axis": quant_axis, "bit_length": bit_length, "round_type": round_type},
    )
    axis = _axis(name, x, scale, quant_axis)
    if not is_test:
        found = follow(x, in_accum, in_state, _RATE, name) if axis is None else largest(x, axis)
        scale.copy_(found.reshape(-1).expand(scale.numel()).reshape(scale.shape))
    if only_observer:
        return x.clone(), in_state, in_accum, scale
    at = along(scale if axis is not None else scale.reshape(-1)[:1], x, axis)
    numbers = steps(x, at, top_step(name, bit_length), to_even=round_type == 0)
    return numbers.to(x.dtype), in_state, in_accum, scale


def _expect_floating(name: str, slot: str, dtype) -> None:
    floating = dtype.is_floating_point if isinstance(dtype, torch.dtype) else dtype in FLOATING
    if not floating:
        raise InvalidTypeError(
            f"{name}: no kernel for these data types: expected a floating {slot}, which the result "
            "has the data type of."
        )


def _dequantize_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, scale = inputs[:2]
    _check_linear("dequantize_linear", x.shape, attrs)
    _expect_floating("dequantize_linear", "Scale", scale.dtype)
    return [x if attrs["only_observer"] else Spec(x.shape, scale.dtype)]


@op(
    "dequantize_linear",
    "X Scale ZeroPoint? -> Y",
    infer=_dequantize_rule,
    differentiable=False,
    dtypes="numbers, not complex",
)
def dequantize_linear(
    x, scale, zero_point, *, quant_axis=0, bit_length=8, round_type=0, is_test=True,
    only_observer=False,
):  # fmt: skip
    """What steps stand for; the scales are never changed, so that ``is_test`` says nothing."""
    name = "dequantize_linear"
    _check_linear(
        name,
        x.shape,
        {"quant_axis": quant_axis, "bit_length": bit_length, "round_type": round_type},
    )
    _expect_floating(name, "Scale", scale.dtype)
    axis = _axis(name, x, scale, quant_axis)
    if only_observer:
        return x.clone()
    at = along(scale if axis is not None else scale.reshape(-1)[:1], x, axis)
    return x.to(scale.dtype) * at / top_step(name, bit_length)


def _one_scale(scale) -> None:
    if scale.numel() != 1:
        raise InvalidArgumentError(
            "dequantize_abs_max: expected Scale of one element, but received shape "
            f"{list(scale.shape)}."
        )


def _abs_max_rule(inputs: list, attrs: dict) -> list[Spec]:
    _expect_floating("dequantize_abs_max", "Scale", inputs[1].dtype)
    return [Spec(inputs[0].shape, inputs[1].dtype)]


@op(
    "dequantize_abs_max",
    "X Scale -> Out",
    lod="X",
    infer=_abs_max_rule,
    differentiable=False,
    dtypes="numbers, not complex",
)
def dequantize_abs_max(x, scale, *, max_range=REQUIRED):
    _expect_floating("dequantize_abs_max", "Scale", scale.dtype)
    _one_scale(scale)
    return x.to(scale.dtype) * along(scale, x, None) / max_range


# -- a table of values -----------------------------------------------------------------------------


def _log_rule(inputs: list, attrs: dict) -> list[Spec]:
    _expect_floating("dequantize_log", "Dict", inputs[1].dtype)
    return [Spec(inputs[0].shape, inputs[1].dtype)]


@op("dequantize_log", "X Dict -> Out", lod="X", infer=_log_rule, differentiable=False)
def dequantize_log(x, table):
    """Entry x of a table of 128; for x < 0 entry x + 128, negative."""
    if x.dtype is not torch.int8:
        raise InvalidTypeError(
            "dequantize_log: no kernel for these data types: expected X to be int8."
        )
    _expect_floating("dequantize_log", "Dict", table.dtype)
    if table.numel() != _LOGARITHMS:
        raise InvalidArgumentError(
            f"dequantize_log: expected Dict of {_LOGARITHMS} values, but received shape "
            f"{list(table.shape)}."
        )
    negative = x < 0
    found = torch.take(table, torch.where(negative, x.long() + _LOGARITHMS, x.long()))
    return torch.where(negative, -found, found)


_BEFORE = 2  # a row begins with its least and its largest value
_BYTES = 4  # codes in the place of a float32


def _lookup_rule(inputs: list, attrs: dict) -> list[Spec]:
    w, ids = inputs
    _check_lookup(w.shape, ids.shape)
    codes = (w.shape[1] - _BEFORE) * _BYTES if w.shape[1] >= 0 else -1
    return [Spec((*ids.shape[:-1], codes), w.dtype)]


def _check_lookup(w: tuple, ids: tuple) -> None:
    if len(w) != 2 or 0 <= w[1] < _BEFORE:
        raise InvalidArgumentError(
            "lookup_table_dequant: expected W of shape [rows, 2 + columns / 4], but received "
            f"{list(w)}."
        )
    if not ids or ids[-1] not in (1, -1):
        raise InvalidArgumentError(
            f"lookup_table_dequant: expected Ids of shape [..., 1], but received {list(ids)}."
        )


@op(
    "lookup_table_dequant",
    "W Ids -> Out",
    lod="Ids",
    infer=_lookup_rule,
    differentiable=False,
    dtypes="full",
)
def lookup_table_dequant(w, ids, *, padding_idx=-1):
    """Rows of a table whose values are bytes: 256 steps from a row's least to its largest value."""
    _check_lookup(tuple(w.shape), tuple(ids.shape))
    if w.dtype is not torch.float32 or ids.dtype is not torch.int64:
        raise InvalidTypeError(
            "lookup_table_dequant: no kernel for these data types: expected W to be float32, which "
            "holds four bytes, and Ids to be int64."
        )
    flat = ids.reshape(-1)
    try:
        rows = torch.embedding(w, flat)
    except (IndexError, RuntimeError) as error:
        raise bad_ids(flat, w.shape[0]) or error from None
    least, most = rows[:, :1], rows[:, 1:2]
    codes = rows[:, _BEFORE:].contiguous().view(torch.uint8)
    out = (most - least) / 256 * codes + least
    if padding_idx != -1:
        out = torch.where((flat == padding_idx).unsqueeze(1), out.new_zeros(()), out)
    return out.reshape([*ids.shape[:-1], codes.shape[1]])
