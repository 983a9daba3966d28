"""Rules of functions of one operand, element by element."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import VarType
from paddle.onnx.element_types import is_floating
from paddle.onnx.rules.elementwise import widened
from paddle.onnx.rules.registry import rule


def floats(g: Any, op: Any, slot: str = "X") -> str:
    """The operand; integers as the fractions that the result has."""
    value = op[slot]
    return value if op.is_floating(slot) else g.cast(value, VarType.FP32)


def _of_floats(type: str) -> Any:
    return lambda g, op: g.node(type, floats(g, op))


for _name, _type in {
    "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "sqrt": "Sqrt", "reciprocal": "Reciprocal", "erf": "Erf",
    "tanh": "Tanh", "sigmoid": "Sigmoid",
}.items():  # fmt: skip
    rule(_name)(_of_floats(_type))


def _kept(type: str) -> Any:
    """Integers are what they are."""

    def convert(g: Any, op: Any) -> str:
        return g.node(type, op["X"]) if op.is_floating("X") else op["X"]

    return convert


rule("floor")(_kept("Floor"))
rule("ceil")(_kept("Ceil"))


@rule("abs")
def _(g: Any, op: Any) -> str:
    return widened(g, op, lambda x: g.Abs(x), op["X"])


@rule("sign")
def _(g: Any, op: Any) -> str:
    return widened(g, op, lambda x: g.Sign(x), op["X"])


@rule("trunc")
def _(g: Any, op: Any) -> str:
    x = op["X"]
    if not op.is_floating("X"):
        return x
    return g.Mul(g.Sign(x), g.Floor(g.Abs(x)))


@rule("round")
def _(g: Any, op: Any) -> str:
    # Halves go away from zero; ONNX's Round takes them to the even neighbour.
    x = op["X"]
    if not op.is_floating("X"):
        return x
    size = g.Abs(x)
    low = g.Floor(size)
    up = g.greater_equal(g.Sub(size, low), op.number(0.5))
    return g.Mul(g.Sign(x), g.Add(low, g.cast(up, op.dtype("X"))))


@rule("rsqrt")
def _(g: Any, op: Any) -> str:
    return g.Reciprocal(g.Sqrt(floats(g, op)))


@rule("square")
def _(g: Any, op: Any) -> str:
    return widened(g, op, lambda x: g.Mul(x, x), op["X"])


@rule("log2")
def _(g: Any, op: Any) -> str:
    return g.Div(g.Log(floats(g, op)), op.number(math.log(2), "Out"))


@rule("log10")
def _(g: Any, op: Any) -> str:
    return g.Div(g.Log(floats(g, op)), op.number(math.log(10), "Out"))


@rule("log1p")
def _(g: Any, op: Any) -> str:
    # log(1 + x) loses what 1 + x does; the second term gives it back.
    x, one = floats(g, op), op.number(1, "Out")
    total = g.Add(x, one)
    lost = g.Div(g.Sub(x, g.Sub(total, one)), total)
    exact = g.Add(g.Log(total), g.Where(g.IsNaN(lost), op.number(0, "Out"), lost))
    return g.Where(g.IsInf(total), g.Log(total), exact)


@rule("expm1")
def _(g: Any, op: Any) -> str:
    # exp(x) - 1 = tanh(x/2) (exp(x) + 1), which keeps what is small.
    x, one = floats(g, op), op.number(1, "Out")
    whole = g.Exp(x)
    small = g.Mul(g.Tanh(g.Mul(x, op.number(0.5, "Out"))), g.Add(whole, one))
    return g.Where(g.Less(g.Abs(x), one), small, g.Sub(whole, one))


@rule("logit")
def _(g: Any, op: Any) -> str:
    x, eps = op["X"], float(op.attr("eps"))
    if eps:
        x = g.clip(x, op.number(eps), op.number(1 - eps), op.dtype("X"))
    made = g.Log(g.Div(x, g.Sub(op.number(1), x)))
    if eps:
        return made
    outside = g.Or(g.Less(x, op.number(0)), g.Greater(x, op.number(1)))
    return g.Where(outside, op.number(math.nan), made)


@rule("stanh")
def _(g: Any, op: Any) -> str:
    x = g.Tanh(g.Mul(floats(g, op), op.number(op.attr("scale_a"), "Out")))
    return g.Mul(x, op.number(op.attr("scale_b"), "Out"))


@rule("soft_relu")
def _(g: Any, op: Any) -> str:
    limit = op.attr("threshold")
    x = g.clip(op["X"], op.number(-limit), op.number(limit), op.dtype("X"))
    return g.Softplus(x)


@rule("pow")
def _(g: Any, op: Any) -> str:
    x, dtype = op["X"], op.dtype("X")
    given = op.get("FactorTensor")
    if given is not None:
        factor = g.Reshape(g.cast(given, dtype), [1] * max(op.rank("X"), 1))
    else:
        value = op.attr("factor")
        factor = op.number(value if is_floating(dtype) else int(value))
    if not is_floating(dtype) and g.opset < 12:
        made = g.Pow(g.cast(x, VarType.FP64), g.cast(factor, VarType.FP64))
        return g.cast(g.Round(made), dtype)
    return widened(g, op, lambda a, b: g.Pow(a, b), x, factor)


@rule("scale")
def _(g: Any, op: Any) -> str:
    dtype, rank = op.dtype("X"), op.rank("X")
    scale, bias = op.attr("scale"), op.attr("bias")
    if not is_floating(dtype):
        scale, bias = int(scale), int(bias)
    given = op.get("ScaleTensor")
    if given is None and scale == 1 and bias == 0:
        return op["X"]

    def convert(x: str, *rest: str) -> str:
        factor, summand = rest
        if bias and not op.attr("bias_after_scale"):
            x = g.Add(x, summand)
        if given is not None or scale != 1:
            x = g.Mul(x, factor)
        return g.Add(x, summand) if bias and op.attr("bias_after_scale") else x

    factor = op.number(scale)
    if given is not None:
        factor = g.Reshape(g.cast(given, dtype), [1] * rank)
    return widened(g, op, convert, op["X"], factor, op.number(bias))


_LARGEST = 3.4028234e38


@rule("clip")
def _(g: Any, op: Any) -> str:
    dtype = op.dtype("X")

    def bound(slot: str, name: str) -> str | None:
        given = op.get(slot)
        if given is not None:
            return g.rank0(g.cast(given, dtype))
        value = op.attr(name)
        if value is None or not -_LARGEST < value < _LARGEST:
            return None
        return op.number(value if is_floating(dtype) else int(value))

    low, high = bound("Min", "min"), bound("Max", "max")
    if low is None and high is None:
        return op["X"]
    return g.clip(op["X"], low, high, dtype)


@rule("cast")
def _(g: Any, op: Any) -> str:
    return g.cast(op["X"], VarType(op.attr("out_dtype")))


@rule("increment")
def _(g: Any, op: Any) -> str:
    step = op.attr("step")
    return g.Add(op["X"], op.number(step if op.is_floating("X") else int(step)))


# -- kinds of numbers -----------------------------------------------------------------------------


def _kind(test: Any, of_integers: bool) -> Any:
    """A rule that asks something of fractions; of integers the answer is always the same."""

    def convert(g: Any, op: Any) -> str:
        if op.is_floating("X"):
            return test(g, op["X"])
        return g.fill(op.sizes("X"), of_integers, VarType.BOOL)

    return convert


def _finite(g: Any, x: str) -> str:
    return g.Not(g.Or(g.IsNaN(x), g.IsInf(x)))


rule("isnan_v2")(_kind(lambda g, x: g.IsNaN(x), False))
rule("isinf_v2")(_kind(lambda g, x: g.IsInf(x), False))
rule("isfinite_v2")(_kind(_finite, True))


def _of_all(test: Any, every: bool) -> Any:
    """1.x asks of a whole tensor: whether all are finite, or any is not a number."""

    def convert(g: Any, op: Any) -> str:
        if not op.is_floating("X"):
            return g.fill([1], every, op.dtype("Out"))
        found = g.cast(test(g, op["X"]), VarType.INT32)
        made = g.reduce("ReduceMin" if every else "ReduceMax", found, None)
        return op.scalar(g.cast(made, op.dtype("Out")))

    return convert


rule("isnan")(_of_all(lambda g, x: g.IsNaN(x), False))
rule("isinf")(_of_all(lambda g, x: g.IsInf(x), False))
rule("isfinite")(_of_all(_finite, True))
