"""Values as integers between operators of oneDNN, as PaddlePaddle's int8 Programs hold them."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec
from paddle.core.op import op

_LIMITS = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


def _check_scale(name: str, *scales: float) -> None:
    if any(not scale > 0 for scale in scales):
        raise InvalidArgumentError(
            f"{name}: expected scales above 0, in steps for a value of 1, but received "
            f"{list(scales)}."
        )


def _whole(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return x.round_().clamp_(*_LIMITS[dtype]).to(dtype)


def _quantize_rule(inputs: list, attrs: dict) -> list[Spec]:
    _check_scale("quantize", attrs["Scale"])
    signed = attrs["is_negative_input"] and attrs["Shift"] == 0
    made = VarType.INT8 if signed else VarType.UINT8
    return [Spec(inputs[0].shape, VarType.BF16 if attrs["bfloat16"] else made)]


@op(
    "quantize",
    "Input -> Output",
    infer=_quantize_rule,
    differentiable=False,
    dtypes="full",
)
def quantize(
    x, *, is_negative_input=False, Scale=1.0, Shift=0.0, output_format="NHWC", bfloat16=False
):
    """Numbers of steps: signed where values may be negative and 0 stays 0."""
    _check_scale("quantize", Scale)
    if bfloat16:
        return x.to(torch.bfloat16)
    signed = is_negative_input and Shift == 0
    return _whole(x * Scale + Shift, torch.int8 if signed else torch.uint8)


def _dequantize_rule(inputs: list, attrs: dict) -> list[Spec]:
    _check_scale("dequantize", attrs["Scale"])
    return [Spec(inputs[0].shape, VarType.FP32)]


@op(
    "dequantize",
    "Input -> Output",
    infer=_dequantize_rule,
    differentiable=False,
    dtypes="numbers, not complex",
)
def dequantize(x, *, Scale=1.0, Shift=0.0):
    """What numbers of steps stand for."""
    _check_scale("dequantize", Scale)
    return (x.float() - Shift) / Scale


def _requantize_rule(inputs: list, attrs: dict) -> list[Spec]:
    _check_scale("requantize", attrs["Scale_in"], attrs["Scale_out"])
    return [inputs[0]]


@op(
    "requantize",
    "Input -> Output",
    infer=_requantize_rule,
    differentiable=False,
    dtypes="not bool",
)
def requantize(x, *, Scale_in=1.0, Scale_out=1.0, Shift_in=1.0, Shift_out=1.0):
    """Numbers of steps of another size."""
    _check_scale("requantize", Scale_in, Scale_out)
    if x.dtype not in _LIMITS:
        raise InvalidTypeError(
            "requantize: no kernel for these data types: expected Input to be int8 or uint8."
        )
    return _whole((x.float() - Shift_in) * (Scale_out / Scale_in) + Shift_out, x.dtype)
