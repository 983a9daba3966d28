"""Elementwise functions that came after 2.0, and complex numbers of real parts."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import define, op
from paddle.core.traits import InPlace
from paddle.ops.math.elementwise import reduce_to
from paddle.ops.math.unary import conj_of

_TO_COMPLEX = {VarType.FP32: VarType.COMPLEX64, VarType.FP64: VarType.COMPLEX128}
_TO_REAL = {c: r for r, c in _TO_COMPLEX.items()}


def _real_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(inputs[0].shape, _TO_REAL.get(inputs[0].dtype, inputs[0].dtype))]


# -- activations --------------------------------------------------------------------------------


@op("silu", "X -> Out", infer="same", inplace=InPlace(lambda x: F.silu(x, inplace=True)))
def silu(x):
    return F.silu(x)


@silu.grad("X")
def _(d_out, x):
    if not x.requires_grad:
        return torch.ops.aten.silu_backward(d_out, x)
    chance = torch.sigmoid(x)  # a derivative of this one: the fused kernel has none
    return torch.mul(d_out, chance * (1 + x * (1 - chance)))


_MISH_THRESHOLD = 20.0  # from there on the softplus in it equals its argument in single precision


@op("mish", "X -> Out", infer="same")
def mish(x, *, threshold=20.0):
    if threshold == _MISH_THRESHOLD:
        return F.mish(x)
    return torch.mul(x, torch.tanh(F.softplus(x, threshold=threshold)))


@op("celu", "X -> Out", infer="same")
def celu(x, *, alpha=1.0):
    return F.celu(x, alpha)


@op("soft_relu", "X -> Out", infer="floating")
def soft_relu(x, *, threshold=40.0):
    return torch.log1p(torch.exp(torch.clamp(x, -threshold, threshold)))


# -- one operand --------------------------------------------------------------------------------

tan = define("tan", "X -> Out", torch.tan, infer="floating")
acosh = define("acosh", "X -> Out", torch.acosh, infer="floating")
asinh = define("asinh", "X -> Out", torch.asinh, infer="floating")
atanh = define("atanh", "X -> Out", torch.atanh, infer="floating")
expm1 = define("expm1", "X -> Out", torch.expm1, infer="floating")
trunc = define("trunc", "X -> Out", torch.trunc, infer="same")
erfinv = define("erfinv", "X -> Out", torch.erfinv, infer="floating")
lgamma = define("lgamma", "X -> Out", torch.lgamma, infer="floating")
digamma = define("digamma", "X -> Out", torch.digamma, infer="floating")


@tan.grad("Out")
def _(d_out, out):
    return torch.mul(d_out, torch.add(torch.square(conj_of(out)), 1))


@expm1.grad("Out")
def _(d_out, out):
    return torch.mul(d_out, torch.add(conj_of(out), 1))


@trunc.grad()
def _(d_out):
    return torch.zeros_like(d_out)


@erfinv.grad("Out")
def _(d_out, out):
    return torch.mul(torch.mul(d_out, torch.exp(torch.square(out))), math.sqrt(math.pi) / 2)


@lgamma.grad("X")
def _(d_out, x):
    return torch.mul(d_out, torch.digamma(x))


@op("logit", "X -> Out", infer="floating")
def logit(x, *, eps=1e-6):
    return torch.logit(x, eps if eps > 0 else None)


# -- two operands -------------------------------------------------------------------------------


def _floating(x: torch.Tensor) -> torch.Tensor:
    return x if x.is_floating_point() else x.double()


def _atan2_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    integer = x.dtype in (VarType.INT32, VarType.INT64)
    return [Spec(broadcast_shapes(x.shape, y.shape), VarType.FP64 if integer else x.dtype)]


@op("atan2", "X1 X2 -> Out", infer=_atan2_rule, dtypes="not complex")
def atan2(x1, x2):
    return torch.atan2(_floating(x1), _floating(x2))


@op("elementwise_fmax", "X Y -> Out", infer="broadcast", unify=True)
def elementwise_fmax(x, y):
    return torch.fmax(x, y)


@elementwise_fmax.grad("X Y")
def _(d_out, x, y, *, needs_grad):
    return _to_the_chosen(d_out, x, y, torch.logical_or(torch.ge(x, y), torch.isnan(y)), needs_grad)


@op("elementwise_fmin", "X Y -> Out", infer="broadcast", unify=True)
def elementwise_fmin(x, y):
    return torch.fmin(x, y)


@elementwise_fmin.grad("X Y")
def _(d_out, x, y, *, needs_grad):
    return _to_the_chosen(d_out, x, y, torch.logical_or(torch.le(x, y), torch.isnan(y)), needs_grad)


def _to_the_chosen(d_out, x, y, x_chosen, needs_grad):
    """Hands each element's gradient to the operand it was taken from; to X where they are equal."""
    return (
        reduce_to(torch.mul(d_out, x_chosen), x.shape) if needs_grad[0] else None,
        reduce_to(torch.mul(d_out, torch.logical_not(x_chosen)), y.shape)
        if needs_grad[1]
        else None,
    )


@op("elementwise_heaviside", "X Y -> Out", infer="broadcast", unify=True)
def elementwise_heaviside(x, y):
    return torch.heaviside(x, y)


@elementwise_heaviside.grad("X Y.shape")
def _(d_out, x, y_shape, *, needs_grad):
    d_y = reduce_to(torch.mul(d_out, torch.eq(x, 0)), y_shape) if needs_grad[1] else None
    return (torch.zeros_like(x) if needs_grad[0] else None), d_y


def _lerp_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y, weight = inputs
    return [Spec(broadcast_shapes(broadcast_shapes(x.shape, y.shape), weight.shape), x.dtype)]


@op("lerp", "X Y Weight -> Out", infer=_lerp_rule)
def lerp(x, y, weight):
    return torch.lerp(x, y, weight)


@lerp.grad("X Y Weight")
def _(d_out, x, y, weight, *, needs_grad):
    part = torch.mul(d_out, weight)
    return (
        reduce_to(torch.sub(d_out, part), x.shape) if needs_grad[0] else None,
        reduce_to(part, y.shape) if needs_grad[1] else None,
        reduce_to(torch.mul(d_out, torch.sub(y, x)), weight.shape) if needs_grad[2] else None,
    )


def _isclose_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(broadcast_shapes(inputs[0].shape, inputs[1].shape), VarType.BOOL)]


@op("isclose", "Input Other Rtol? Atol? -> Out", infer=_isclose_rule, differentiable=False)
def isclose(x, y, rtol_tensor, atol_tensor, *, rtol="1e-5", atol="1e-8", equal_nan=False):
    # The tolerances are text, because a float attribute would be rounded to single precision.
    relative = float(rtol) if rtol_tensor is None else rtol_tensor.reshape(())
    absolute = float(atol) if atol_tensor is None else atol_tensor.reshape(())
    bound = torch.add(torch.mul(torch.abs(y), relative), absolute)
    near = torch.logical_and(torch.le(torch.abs(x - y), bound), torch.isfinite(y))
    near = torch.logical_or(near, torch.eq(x, y))
    if equal_nan:
        near = torch.logical_or(near, torch.logical_and(torch.isnan(x), torch.isnan(y)))
    return near


# -- complex numbers ----------------------------------------------------------------------------

angle = define("angle", "X -> Out", torch.angle, infer=_real_rule)


def _as_complex_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [Spec(x.shape[:-1] or (1,), _TO_COMPLEX.get(x.dtype, x.dtype))]


@op("as_complex", "X -> Out", infer=_as_complex_rule, dtypes="full")
def as_complex(x):
    if x.shape[-1] != 2:
        raise InvalidArgumentError(
            f"as_complex: the last dimension is expected to be 2, but received {list(x.shape)}."
        )
    if not x.numel():  # torch asks for strides that an empty tensor does not have
        return torch.complex(x[..., 0], x[..., 1])
    return torch.view_as_complex(x.contiguous())


@as_complex.grad()
def _(d_out):
    return torch.view_as_real(d_out.resolve_conj())


def _as_real_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((*inputs[0].shape, 2), _TO_REAL.get(inputs[0].dtype, inputs[0].dtype))]


@op("as_real", "X -> Out", infer=_as_real_rule)
def as_real(x):
    if not x.is_complex():
        raise InvalidTypeError(
            f"as_real: expected complex64 or complex128, but received {str(x.dtype)[6:]}."
        )
    return torch.view_as_real(x.resolve_conj())


@as_real.grad()
def _(d_out):
    return torch.view_as_complex(d_out.contiguous())


def _complex_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    return [Spec(broadcast_shapes(x.shape, y.shape), _TO_COMPLEX.get(x.dtype, x.dtype))]


@op("complex", "X Y -> Out", infer=_complex_rule, dtypes="full")
def complex_(x, y):
    return torch.complex(*torch.broadcast_tensors(x, y))


@complex_.grad("X.shape Y.shape")
def _(d_out, x_shape, y_shape):
    return (
        reduce_to(torch.real(d_out), x_shape),
        reduce_to(torch.imag(d_out.resolve_conj()), y_shape),
    )
