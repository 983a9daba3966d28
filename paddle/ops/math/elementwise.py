"""Elementwise operators of two operands, with broadcasting."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import op
from paddle.core.traits import InPlace


def reduce_to(grad: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """Sums a gradient over the dimensions along which its operand was broadcast."""
    return grad if grad.shape == shape else grad.sum_to_size(shape)


def align(x: torch.Tensor, y: torch.Tensor, axis: int) -> torch.Tensor:
    """Appends ones to ``y``'s shape so that it begins at dimension ``axis`` of ``x``."""
    if axis in (-1, None) or y.dim() >= x.dim():
        return y
    return y.reshape(list(y.shape) + _ones(x.dim(), axis, y.dim()))


def _ones(rank: int, axis: int, own: int) -> list[int]:
    """The sizes after the second operand's own ones; axis may come from a damaged file."""
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            f"expected axis to be -1 or a dimension of the first operand, 0 to {rank - 1}, "
            f"but it is {axis}."
        )
    return [1] * (rank - axis - own)


def both(x: torch.Tensor, y: torch.Tensor, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The operands so that the one of lower rank begins at dimension ``axis`` of the other."""
    if axis in (-1, None) or x.dim() == y.dim():
        return x, y
    return align(y, x, axis), align(x, y, axis)


# ATen could add and rectify in one pass over the data (_add_relu, oneDNN's convolutions): 1.4 times
# as fast for large arrays on one thread, but where the sum is NaN they give 0 for some or all
# elements, so that a broken run would look healthy.


def add_into(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Adds to the first operand, where the sum has its shape and type."""
    fits = x.shape == y.shape and x.dtype is y.dtype
    return x.add_(y) if fits else torch.add(x, y)


def _subtract_from(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    fits = x.shape == y.shape and x.dtype is y.dtype
    return x.sub_(y) if fits else torch.sub(x, y)


def _multiply_into(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    fits = x.shape == y.shape and x.dtype is y.dtype
    return x.mul_(y) if fits else torch.mul(x, y)


@op(
    "elementwise_add",
    "X Y -> Out",
    infer="broadcast",
    direct=torch.add,
    unify=True,
    inplace=InPlace(add_into),
    speculatable=True,
    arithmetic=True,
    linear="X Y",
)
def elementwise_add(x, y, *, axis=-1):
    return torch.add(*both(x, y, axis))


@elementwise_add.grad("X.shape Y.shape", own_shapes=True)
def _(d_out, x_shape, y_shape, *, axis, needs_grad):
    return (
        _to_operand(d_out, x_shape, axis) if needs_grad[0] else None,
        _to_operand(d_out, y_shape, axis) if needs_grad[1] else None,
    )


def _to_operand(grad: torch.Tensor, shape: torch.Size, axis: int) -> torch.Tensor:
    """Reduces a gradient to the shape of an operand, honouring ``axis``."""
    if grad.shape == shape:
        return grad
    if axis in (-1, None) or len(shape) >= grad.dim():
        return grad.sum_to_size(shape)
    padded = list(shape) + _ones(grad.dim(), axis, len(shape))
    return grad.sum_to_size(padded).reshape(shape)


@op(
    "elementwise_sub",
    "X Y -> Out",
    infer="broadcast",
    direct=torch.sub,
    unify=True,
    inplace=InPlace(_subtract_from),
    speculatable=True,
    arithmetic=True,
    linear="X Y",
)
def elementwise_sub(x, y, *, axis=-1):
    return torch.sub(*both(x, y, axis))


@elementwise_sub.grad("X.shape Y.shape", own_shapes=True)
def _(d_out, x_shape, y_shape, *, axis, needs_grad):
    return (
        _to_operand(d_out, x_shape, axis) if needs_grad[0] else None,
        torch.neg(_to_operand(d_out, y_shape, axis)) if needs_grad[1] else None,
    )


@op(
    "elementwise_mul",
    "X Y -> Out",
    infer="broadcast",
    direct=torch.mul,
    unify=True,
    inplace=InPlace(_multiply_into),
    speculatable=True,
    arithmetic=True,
    linear="X | Y",
)
def elementwise_mul(x, y, *, axis=-1):
    return torch.mul(*both(x, y, axis))


@elementwise_mul.grad("X Y")
def _(d_out, x, y, *, axis, needs_grad):
    dx = dy = None
    if needs_grad[0]:
        other = align(d_out, y, axis)
        slope = other.conj() if other.is_complex() else other
        dx = _to_operand(torch.mul(d_out, slope), x.shape, axis)
    if needs_grad[1]:
        other = align(d_out, x, axis)
        slope = other.conj() if other.is_complex() else other
        dy = _to_operand(torch.mul(d_out, slope), y.shape, axis)
    return dx, dy


@op(
    "elementwise_div",
    "X Y -> Out",
    infer="broadcast",
    unify=True,
    no_alias="Out",
    speculatable="floats",
    arithmetic=True,
    linear="X",
)
def elementwise_div(x, y, *, axis=-1):
    x, y = both(x, y, axis)
    if x.is_floating_point() or x.is_complex():
        return torch.div(x, y)
    return torch.div(x, y, rounding_mode="trunc")


@elementwise_div.grad("X.shape Y Out")
def _(d_out, x_shape, y, out, *, axis, needs_grad):
    divisor = align(d_out, y, axis)
    if divisor.is_complex():
        divisor, out = divisor.conj(), out.conj()
    quotient = torch.div(d_out, divisor)
    return (
        _to_operand(quotient, x_shape, axis) if needs_grad[0] else None,
        _to_operand(torch.neg(torch.mul(quotient, out)), y.shape, axis) if needs_grad[1] else None,
    )


@op("grad_add", "X Y -> Out", infer="broadcast", direct=torch.add)
def grad_add(x, y, *, axis=-1):
    return torch.add(x, y)


@grad_add.grad()
def _(d_out):
    return d_out, d_out


@op("minus", "X Y -> Out", infer="broadcast", direct=torch.sub, unify=True)
def minus(x, y):
    return torch.sub(x, y)


@op(
    "elementwise_max",
    "X Y -> Out",
    infer="broadcast",
    unify=True,
    no_alias="Out",
    speculatable=True,
    arithmetic=True,
)
def elementwise_max(x, y, *, axis=-1):
    return torch.maximum(*both(x, y, axis))


@elementwise_max.grad("X Y")
def _(d_out, x, y, *, axis, needs_grad):
    # Where both are equal the gradient goes to the second operand, as in PaddlePaddle.
    return _to_the_chosen(d_out, x, y, axis, needs_grad, torch.gt(*both(x, y, axis)))


@op(
    "elementwise_min",
    "X Y -> Out",
    infer="broadcast",
    unify=True,
    no_alias="Out",
    speculatable=True,
    arithmetic=True,
)
def elementwise_min(x, y, *, axis=-1):
    return torch.minimum(*both(x, y, axis))


@elementwise_min.grad("X Y")
def _(d_out, x, y, *, axis, needs_grad):
    return _to_the_chosen(d_out, x, y, axis, needs_grad, torch.lt(*both(x, y, axis)))


def _to_the_chosen(d_out, x, y, axis, needs_grad, x_chosen):
    """Hands each element's gradient to the operand it was taken from."""
    return (
        _to_operand(torch.mul(d_out, x_chosen), x.shape, axis) if needs_grad[0] else None,
        _to_operand(torch.mul(d_out, torch.logical_not(x_chosen)), y.shape, axis)
        if needs_grad[1]
        else None,
    )


@op("elementwise_mod", "X Y -> Out", infer="broadcast", unify=True, arithmetic=True)
def elementwise_mod(x, y, *, axis=-1):
    return torch.remainder(*both(x, y, axis))


@elementwise_mod.grad("X Y")
def _(d_out, x, y, *, axis, needs_grad):
    dx = dy = None
    if needs_grad[0]:
        dx = _to_operand(d_out, x.shape, axis)
    if needs_grad[1]:
        steps = torch.div(*both(x, y, axis), rounding_mode="floor")
        dy = _to_operand(torch.neg(torch.mul(d_out, steps)), y.shape, axis)
    return dx, dy


# PaddlePaddle 2.0 to 2.5 round the quotient toward zero here, whatever the name says.
@op(
    "elementwise_floordiv",
    "X Y -> Out",
    infer="broadcast",
    unify=True,
    differentiable=False,
    arithmetic=True,
)
def elementwise_floordiv(x, y, *, axis=-1):
    return torch.div(*both(x, y, axis), rounding_mode="trunc")


@op("elementwise_pow", "X Y -> Out", infer="broadcast", unify=True, no_alias="Out", arithmetic=True)
def elementwise_pow(x, y, *, axis=-1):
    return torch.pow(*both(x, y, axis))


@elementwise_pow.grad("X Y")
def _(d_out, x, y, *, axis, needs_grad):
    base, power = both(x, y, axis)
    dx = dy = None
    if needs_grad[0]:
        slope = torch.mul(power, torch.pow(base, power - 1))
        slope = torch.where(power == 0, torch.zeros_like(slope), slope)
        dx = _to_operand(torch.mul(d_out, _conj(slope)), x.shape, axis)
    if needs_grad[1]:
        # x ** y stays 0 for x = 0 and y > 0: the factor log(0) must not turn that into NaN.
        zero = torch.logical_and(base == 0, power > 0) if not x.is_complex() else base == 0
        safe = torch.where(zero, torch.ones_like(base), base)
        slope = torch.mul(torch.pow(base, power), torch.log(safe))
        dy = _to_operand(torch.mul(d_out, _conj(slope)), y.shape, axis)
    return dx, dy


def _conj(value: torch.Tensor) -> torch.Tensor:
    return value.conj() if value.is_complex() else value
