"""Mathematical functions of one operand, element by element."""

from __future__ import annotations

import math

import torch

from paddle.core.backends import holds
from paddle.core.dtype import FLOATING, VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec
from paddle.core.op import define, op
from paddle.core.traits import InPlace
from paddle.ops.math.constants import operand

_LARGEST = 3.4028234e38  # attributes are float32: its largest value means "no bound"


def conj_of(value: torch.Tensor) -> torch.Tensor:
    """The conjugate, for gradients; nothing to do for real values."""
    return value.conj() if value.is_complex() else value


def _real_rule(inputs: list, attrs: dict) -> list[Spec]:
    parts = {VarType.COMPLEX64: VarType.FP32, VarType.COMPLEX128: VarType.FP64}
    return [Spec(inputs[0].shape, parts.get(inputs[0].dtype, inputs[0].dtype))]


# -- exponentials and logarithms --------------------------------------------------------------

exp = define(
    "exp", "X -> Out", torch.exp, infer="floating", inplace=InPlace(torch.exp_), amp="black"
)
log = define("log", "X -> Out", torch.log, infer="floating", amp="black")
log2 = define("log2", "X -> Out", torch.log2, infer="floating")
log10 = define("log10", "X -> Out", torch.log10, infer="floating")
log1p = define("log1p", "X -> Out", torch.log1p, infer="floating")


@exp.grad("Out")
def _(d_out, out):
    return torch.mul(d_out, conj_of(out))


@log.grad("X")
def _(d_out, x):
    return torch.div(d_out, conj_of(x))


@log2.grad("X")
def _(d_out, x):
    return torch.div(d_out, torch.mul(conj_of(x), math.log(2)))


@log10.grad("X")
def _(d_out, x):
    return torch.div(d_out, torch.mul(conj_of(x), math.log(10)))


@log1p.grad("X")
def _(d_out, x):
    return torch.div(d_out, torch.add(conj_of(x), 1))


# -- trigonometry -----------------------------------------------------------------------------

sin = define("sin", "X -> Out", torch.sin, infer="floating")
cos = define("cos", "X -> Out", torch.cos, infer="floating")
sinh = define("sinh", "X -> Out", torch.sinh, infer="floating")
cosh = define("cosh", "X -> Out", torch.cosh, infer="floating")
asin = define("asin", "X -> Out", torch.asin, infer="floating")
acos = define("acos", "X -> Out", torch.acos, infer="floating")
atan = define("atan", "X -> Out", torch.atan, infer="floating")


@sin.grad("X")
def _(d_out, x):
    return torch.mul(d_out, conj_of(torch.cos(x)))


@cos.grad("X")
def _(d_out, x):
    return torch.neg(torch.mul(d_out, conj_of(torch.sin(x))))


# -- powers -----------------------------------------------------------------------------------

sqrt = define("sqrt", "X -> Out", torch.sqrt, infer="floating", inplace=InPlace(torch.sqrt_))
rsqrt = define("rsqrt", "X -> Out", torch.rsqrt, infer="floating")
reciprocal = define("reciprocal", "X -> Out", torch.reciprocal, infer="floating")
square = define(
    "square",
    "X -> Out",
    torch.square,
    infer="numbers",
    no_alias="Out",
    amp="black",
    speculatable=True,
)


@sqrt.grad("Out")
def _(d_out, out):
    return torch.div(d_out, torch.mul(conj_of(out), 2))


@rsqrt.grad("Out")
def _(d_out, out):
    out = conj_of(out)
    return torch.mul(torch.mul(d_out, -0.5), torch.mul(torch.square(out), out))


@reciprocal.grad("Out")
def _(d_out, out):
    return torch.neg(torch.mul(d_out, torch.square(conj_of(out))))


@square.grad("X")
def _(d_out, x):
    return torch.mul(torch.mul(d_out, 2), conj_of(x))


@op("pow", "X FactorTensor? -> Out", infer="numbers", no_alias="Out", arithmetic=True)
def pow(x, factor_tensor, *, factor=1.0):
    if factor_tensor is not None:
        return torch.pow(x, factor_tensor.to(x.dtype).reshape(()))
    if x.is_floating_point() or x.is_complex():
        return torch.pow(x, factor)
    if int(factor) < 0:
        raise InvalidArgumentError("Integers to negative integer powers are not allowed.")
    return torch.pow(x, int(factor))


@pow.grad("X FactorTensor")
def _(d_out, x, factor_tensor, *, factor):
    if factor_tensor is not None:
        factor = factor_tensor.to(x.dtype).reshape(())
    elif factor == 0:
        return torch.zeros_like(x), None
    slope = torch.mul(torch.pow(x, factor - 1), factor)
    return torch.mul(d_out, conj_of(slope)), None


# -- rounding and signs -----------------------------------------------------------------------

floor = define("floor", "X -> Out", torch.floor, infer="same", arithmetic=True)
ceil = define("ceil", "X -> Out", torch.ceil, infer="same")
sign = define("sign", "X -> Out", torch.sign, infer="same", speculatable=True, arithmetic=True)


@op("round", "X -> Out", infer="same")
def round(x):
    # Half away from zero, where torch.round goes to the even neighbour. The difference to the
    # truncated value is exact, so no value just below a half is rounded up.
    whole = torch.trunc(x)
    return torch.add(whole, torch.mul(torch.sign(x), torch.ge(torch.abs(x - whole), 0.5)))


def _flat(d_out):
    return torch.zeros_like(d_out)


for _step in (floor, ceil, sign, round):
    _step.grad()(_flat)


abs = define(
    "abs", "X -> Out", torch.abs, lod="X", infer=_real_rule, speculatable=True, arithmetic=True
)


@abs.grad("X")
def _(d_out, x):
    return torch.mul(d_out, torch.sgn(x))


# -- scale, clip, cast ------------------------------------------------------------------------


def _scale_linear(inputs: dict[str, list], attrs: dict) -> str:
    return "" if attrs["bias"] else "X"


@op(
    "scale",
    "X ScaleTensor? -> Out",
    infer="same",
    no_alias="Out",
    speculatable=True,
    arithmetic=True,
    linear=_scale_linear,
)
def scale(x, scale_tensor, *, scale=1.0, bias=0.0, bias_after_scale=True):
    dtype = x.dtype
    if not dtype.is_floating_point:
        scale, bias = _of_kind(x, scale, bias)
    if scale_tensor is not None:
        scale = scale_tensor.to(dtype).reshape(())
    elif bias == 0:
        return torch.mul(x, operand(scale, dtype))
    elif scale == 1:
        return torch.add(x, operand(bias, dtype))
    elif scale == -1 and bias_after_scale:
        return torch.rsub(x, operand(bias, dtype))
    else:
        scale = operand(scale, dtype)
    if bias_after_scale:
        return torch.add(torch.mul(x, scale), bias)
    return torch.mul(torch.add(x, bias), scale)


def _of_kind(x: torch.Tensor, scale, bias):
    """The numbers as a Tensor that is not floating can take them."""
    if x.is_complex():
        return scale, bias
    if x.dtype is torch.bool:
        raise InvalidTypeError(
            "scale: expected numbers, but received booleans.",
            hint='convert them first, for instance with x.astype("int64")',
        )
    return int(scale), int(bias)


@scale.grad("ScaleTensor")
def _(d_out, scale_tensor, *, scale):
    if scale_tensor is not None:
        return torch.mul(d_out, scale_tensor.to(d_out.dtype).reshape(())), None
    return (d_out if scale == 1 else torch.mul(d_out, operand(scale, d_out.dtype))), None


def _bound(number, tensor, x: torch.Tensor):
    """A bound of clip: a 0-d tensor, a number of the kind of ``x``, or None."""
    if tensor is not None:
        return tensor.to(x.dtype).reshape(())
    if number is None or not -_LARGEST < number < _LARGEST:
        return None
    return number if x.is_floating_point() else int(number)


def _check_bounds(low, high) -> None:
    if any(isinstance(b, torch.Tensor) and not holds.host(b) for b in (low, high)):
        return  # asking would wait for the device, or there are no values
    if low > high:
        raise InvalidArgumentError(
            "clip: max is expected to be greater than or equal to min, but received "
            f"min = {float(low)} and max = {float(high)}."
        )


@op("clip", "X Min? Max? -> Out", infer="numbers", no_alias="Out")
def clip(x, low, high, *, min=-_LARGEST, max=_LARGEST):
    low, high = _bound(min, low, x), _bound(max, high, x)
    if low is None and high is None:
        return x.clone()
    if low is not None and high is not None:
        _check_bounds(low, high)
    if isinstance(low, torch.Tensor) and high is not None:
        high = torch.as_tensor(high, dtype=x.dtype, device=x.device)
    elif isinstance(high, torch.Tensor) and low is not None:
        low = torch.as_tensor(low, dtype=x.dtype, device=x.device)
    return torch.clamp(x, low, high)


@clip.grad("X Min Max")
def _(d_out, x, low, high, *, min, max):
    low, high = _bound(min, low, x), _bound(max, high, x)
    inside = None if low is None else torch.gt(x, low)
    if high is not None:
        below = torch.lt(x, high)
        inside = below if inside is None else torch.logical_and(inside, below)
    return (d_out if inside is None else torch.mul(d_out, inside)), None, None


_BY_CODE: dict[int, torch.dtype] = {}


def dtype_of_code(code: int) -> torch.dtype:
    """Torch's dtype for the code of an element type."""
    found = _BY_CODE.get(code)
    if found is None:
        from paddle.core.dtype import torch_dtype

        found = _BY_CODE[code] = torch_dtype(int(code))
    return found


def _cast_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(inputs[0].shape, VarType(attrs["out_dtype"]))]


def _converted(x: torch.Tensor, code: int) -> torch.Tensor:
    dtype = dtype_of_code(code)
    if x.is_complex() and not dtype.is_complex:
        x = torch.real(x)
    return x.to(dtype, copy=True)


def _cast_linear(inputs: dict[str, list], attrs: dict) -> str:
    """Numbers with a fraction keep it."""
    return "X" if attrs["out_dtype"] in (*FLOATING, VarType.COMPLEX64, VarType.COMPLEX128) else ""


@op(
    "cast",
    "X -> Out",
    lod="X",
    infer=_cast_rule,
    speculatable=True,
    rank0=True,
    linear=_cast_linear,
)
def cast(x, *, in_dtype, out_dtype):
    return _converted(x, out_dtype)


@cast.grad()
def _(d_out, *, in_dtype):
    return _converted(d_out, in_dtype)


# -- others -----------------------------------------------------------------------------------


@op("stanh", "X -> Out", infer="floating")
def stanh(x, *, scale_a=0.67, scale_b=1.7159):
    return torch.mul(torch.tanh(torch.mul(x, scale_a)), scale_b)


erf = define("erf", "X -> Out", torch.erf, infer="floating")


@erf.grad("X")
def _(d_out, x):
    return torch.mul(
        d_out, torch.mul(torch.exp(torch.neg(torch.square(x))), 2 / math.sqrt(math.pi))
    )


@op("increment", "X -> Out", infer="numbers")
def increment(x, *, step=1.0):
    return torch.add(x, step if x.is_floating_point() else int(step))


@increment.grad()
def _(d_out):
    return d_out


def _complex_only(x: torch.Tensor, name: str) -> None:
    if not x.is_complex():
        raise InvalidTypeError(f"{name}: expected complex64 or complex128, got {str(x.dtype)[6:]}.")


@op("real", "X -> Out", infer=_real_rule)
def real(x):
    _complex_only(x, "real")
    return torch.real(x)


@real.grad()
def _(d_out):
    return torch.complex(d_out, torch.zeros_like(d_out))


@op("imag", "X -> Out", infer=_real_rule)
def imag(x):
    _complex_only(x, "imag")
    return torch.imag(x.resolve_conj())


@imag.grad()
def _(d_out):
    return torch.complex(torch.zeros_like(d_out), d_out)


@op("conj", "X -> Out", infer="same")
def conj(x):
    return torch.conj_physical(x) if x.is_complex() else x.clone()


@conj.grad()
def _(d_out):
    return torch.conj_physical(d_out) if d_out.is_complex() else d_out
