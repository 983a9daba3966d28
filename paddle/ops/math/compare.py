"""Comparisons, logic, bits, and tests for special values; none of them has a gradient."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.infer import Spec
from paddle.core.op import define, op
from paddle.ops.math.elementwise import both


def _one_bool(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((1,), VarType.BOOL)]


def _comparison(name: str, function) -> None:
    def kernel(x, y, *, axis=-1):
        return function(*both(x, y, axis))

    kernel.__name__ = name
    define(
        name, "X Y -> Out", kernel, infer="compare", direct=function, differentiable=False,
        unify="recorded", speculatable=True,
    )  # fmt: skip


_name: str
_function: Any

for _name, _function in {
    "equal": torch.eq,
    "not_equal": torch.ne,
    "less_than": torch.lt,
    "less_equal": torch.le,
    "greater_than": torch.gt,
    "greater_equal": torch.ge,
}.items():
    _comparison(_name, _function)

for _name, _function in {
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
}.items():
    define(_name, "X Y -> Out", _function, infer="compare", differentiable=False, speculatable=True)
define(
    "logical_not", "X -> Out", torch.logical_not, infer="to_bool", differentiable=False,
    speculatable=True,
)  # fmt: skip

for _name, _function in {
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
}.items():
    define(
        _name, "X Y -> Out", _function, infer="broadcast", unify=True, differentiable=False,
        takes="integers and bool",
    )  # fmt: skip
define(
    "bitwise_not", "X -> Out", torch.bitwise_not, infer="same", differentiable=False,
    takes="integers and bool",
)  # fmt: skip

for _name, _function in {
    "isfinite_v2": torch.isfinite,
    "isinf_v2": torch.isinf,
    "isnan_v2": torch.isnan,
}.items():
    define(_name, "X -> Out", _function, infer="to_bool", differentiable=False, speculatable=True)


# The operators of 1.x: one answer for the whole tensor.


@op("isfinite", "X -> Out", infer=_one_bool, differentiable=False)
def isfinite(x):
    return torch.all(torch.isfinite(x))


@op("isinf", "X -> Out", infer=_one_bool, differentiable=False)
def isinf(x):
    return torch.any(torch.isinf(x))


@op("isnan", "X -> Out", infer=_one_bool, differentiable=False)
def isnan(x):
    return torch.any(torch.isnan(x))


@op("allclose", "Input Other Rtol? Atol? -> Out", infer=_one_bool, differentiable=False)
def allclose(x, y, rtol_tensor, atol_tensor, *, rtol="1e-5", atol="1e-8", equal_nan=False):
    # The tolerances are text, because a float attribute would be rounded to single precision.
    relative = float(rtol) if rtol_tensor is None else rtol_tensor.reshape(())
    absolute = float(atol) if atol_tensor is None else atol_tensor.reshape(())
    near = torch.le(torch.abs(x - y), torch.add(torch.mul(torch.abs(y), relative), absolute))
    near = torch.logical_or(torch.logical_and(near, torch.isfinite(y)), torch.eq(x, y))
    if equal_nan:
        near = torch.logical_or(near, torch.logical_and(torch.isnan(x), torch.isnan(y)))
    return torch.all(near)


@op("equal_all", "X Y -> Out", infer=_one_bool, differentiable=False, speculatable=True)
def equal_all(x, y):
    if x.shape != y.shape:
        return torch.zeros([1], dtype=torch.bool, device=x.device)
    return torch.all(torch.eq(x, y))


@op("is_empty", "X -> Out", infer=_one_bool, differentiable=False)
def is_empty(x):
    return torch.full([1], x.numel() == 0, dtype=torch.bool, device=x.device)


@op(
    "shape",
    "Input -> Out",
    infer=lambda inputs, attrs: [Spec((len(inputs[0].shape),), VarType.INT32)],
    differentiable=False,
    speculatable=True,
)
def shape(x):
    return torch.tensor(list(x.shape), dtype=torch.int32, device=x.device)


@op(
    "size",
    "Input -> Out",
    infer=lambda inputs, attrs: [Spec((1,), VarType.INT64)],
    differentiable=False,
    speculatable=True,
)
def size(x):
    return torch.full([1], x.numel(), dtype=torch.int64, device=x.device)
