"""Rules of operators with two operands: arithmetic, comparisons, logic."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_WIDER = {VarType.UINT8: VarType.INT32, VarType.INT8: VarType.INT32, VarType.INT16: VarType.INT32}


def operands(g: Any, op: Any, unify: bool = True) -> tuple[str, str]:
    """The values of X and Y; the one of lower rank lies along ``axis``, Y has the type of X."""
    return _operand(g, op, "X", "Y", False), _operand(g, op, "Y", "X", unify)


def _operand(g: Any, op: Any, slot: str, other: str, unify: bool) -> str:
    value, rank, most = op[slot], op.rank(slot), op.rank(other)
    axis = op.attr("axis", -1)
    if axis not in (-1, None) and rank < most:
        after = most - axis % most - rank
        if after > 0:
            value = g.unsqueeze(value, list(range(rank, rank + after)))
    if unify and op.dtype(slot) != op.dtype(other):
        value = g.cast(value, op.dtype(other))
    return value


def _arithmetic(type: str) -> Any:
    """A rule for sums, products and quotients, which take integers of all sizes since opset 14."""

    def convert(g: Any, op: Any) -> str:
        out = op.dtype("Out")
        x, y = operands(g, op, unify=False)
        x, y = (v if op.dtype(s) == out else g.cast(v, out) for s, v in (("X", x), ("Y", y)))
        if out == VarType.BOOL:
            return g.And(x, y) if type == "Mul" else g.Or(x, y)
        return widened(g, op, lambda *v: g.node(type, *v), x, y, slot="Out")

    return convert


def widened(g: Any, op: Any, make: Any, *values: str, slot: str = "X", back: bool = True) -> str:
    """Computes in 32 bits what ONNX, or its runtime, does not compute in 8 or 16."""
    dtype = op.dtype(slot)
    wide = _WIDER.get(dtype)
    if wide is None:
        return make(*values)
    made = make(*[g.cast(v, wide) for v in values])
    return g.cast(made, dtype) if back else made


for _name, _type in {
    "elementwise_add": "Add", "elementwise_sub": "Sub", "elementwise_mul": "Mul",
    "grad_add": "Add", "minus": "Sub",
}.items():  # fmt: skip
    rule(_name)(_arithmetic(_type))


@rule("elementwise_max", "elementwise_min")
def _(g: Any, op: Any) -> str:
    return _extreme(g, op, *operands(g, op))


def _extreme(g: Any, op: Any, x: str, y: str) -> str:
    type = "Max" if op.op.type.endswith("max") else "Min"
    dtype = _WIDER.get(op.dtype("X"), op.dtype("X"))
    return widened(g, op, lambda a, b: g.largest(a, b, dtype, type), x, y)


@rule("elementwise_div")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    if not op.is_floating("X") and op.is_floating("Out"):
        x, y = g.cast(x, op.dtype("Out")), g.cast(y, op.dtype("Out"))
        return g.Div(x, y)
    if op.is_floating("X"):
        return g.Div(x, y)
    return widened(g, op, lambda a, b: g.Div(a, b), x, y)


@rule("elementwise_pow")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    if op.dtype("X") in (VarType.INT32, VarType.INT64) and g.opset < 12:
        made = g.Pow(g.cast(x, VarType.FP64), g.cast(y, VarType.FP64))
        return g.cast(g.Round(made), op.dtype("X"))
    return widened(g, op, lambda a, b: g.Pow(a, b), x, y)


@rule("elementwise_mod")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    if not op.is_floating("X"):
        return g.Mod(x, y)
    # The result has the divisor's sign, as Python's: what Mod leaves of fractions has not.
    rest = g.Mod(x, y, fmod=1)
    zero = op.number(0)
    apart = g.And(g.Not(g.Equal(rest, zero)), g.Xor(g.Less(rest, zero), g.Less(y, zero)))
    return g.Where(apart, g.Add(rest, y), rest)


@rule("elementwise_floordiv")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    if op.is_floating("X"):
        quotient = g.Div(x, y)  # cut off towards zero, as of integers
        return g.Mul(g.Sign(quotient), g.Floor(g.Abs(quotient)))
    return floor_divided(g, op, x, y)


def floor_divided(g: Any, op: Any, x: str, y: str) -> str:
    """Divides integers towards zero."""
    return widened(g, op, lambda a, b: g.Div(a, b), x, y)


@rule("elementwise_fmax", "elementwise_fmin")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    made = _extreme(g, op, x, y)
    if not op.is_floating("X"):
        return made
    return g.Where(g.IsNaN(x), y, g.Where(g.IsNaN(y), x, made))


@rule("elementwise_heaviside")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    zero, one = op.number(0), op.number(1)
    made = g.Where(g.Less(x, zero), zero, g.Where(g.Equal(x, zero), y, one))
    return g.Where(g.IsNaN(x), x, made) if op.is_floating("X") else made


@rule("atan2")
def _(g: Any, op: Any) -> str:
    y, x = op["X1"], op["X2"]
    if not op.is_floating("X1"):
        y, x = g.cast(y, op.dtype("Out")), g.cast(x, op.dtype("Out"))
    zero, pi = op.number(0, "Out"), op.number(math.pi, "Out")
    half = op.number(math.pi / 2, "Out")
    turn = g.Where(g.Less(y, zero), g.Neg(pi), pi)
    aside = g.Where(g.Less(x, zero), turn, zero)
    angle = g.Add(g.Atan(g.Div(y, x)), aside)
    upright = g.Where(g.Equal(y, zero), zero, g.Mul(g.Sign(y), half))
    return g.Where(g.Equal(x, zero), upright, angle)


@rule("lerp")
def _(g: Any, op: Any) -> str:
    x, y = op["X"], op["Y"]
    return g.Add(x, g.Mul(op["Weight"], g.Sub(y, x)))


# -- comparisons ----------------------------------------------------------------------------------


def _comparison(type: str) -> Any:
    def convert(g: Any, op: Any) -> str:
        x, y = operands(g, op)
        dtype = op.dtype("X")
        if dtype in _WIDER or (dtype == VarType.BOOL and type != "Equal"):
            wide = VarType.INT32
            x, y = g.cast(x, wide), g.cast(y, wide)
        return {
            "Equal": lambda: g.Equal(x, y),
            "NotEqual": lambda: g.Not(g.Equal(x, y)),
            "Less": lambda: g.Less(x, y),
            "LessOrEqual": lambda: g.less_equal(x, y),
            "Greater": lambda: g.Greater(x, y),
            "GreaterOrEqual": lambda: g.greater_equal(x, y),
        }[type]()

    return convert


for _name, _type in {
    "equal": "Equal", "not_equal": "NotEqual", "less_than": "Less", "less_equal": "LessOrEqual",
    "greater_than": "Greater", "greater_equal": "GreaterOrEqual",
}.items():  # fmt: skip
    rule(_name)(_comparison(_type))


@rule("equal_all")
def _(g: Any, op: Any) -> str:
    if -1 in [*op.shape("X"), *op.shape("Y")]:
        raise op.refuse("operands of sizes that only a run can tell")
    if op.shape("X") != op.shape("Y"):
        return op.scalar(g.constant(False, VarType.BOOL))
    same = g.cast(g.Equal(op["X"], op["Y"]), VarType.INT32)
    return op.scalar(g.cast(g.reduce("ReduceMin", same, None), VarType.BOOL))


def close(g: Any, op: Any) -> str:
    """Whether elements of Input and Other are equal within tolerances."""
    x, y = op["Input"], op["Other"]

    def tolerance(slot: str, name: str) -> str:
        given = op.get(slot)
        if given is not None:
            return g.cast(given, op.dtype("Input"))
        return op.number(float(op.attr(name)), "Input")

    bound = g.Add(tolerance("Atol", "atol"), g.Mul(tolerance("Rtol", "rtol"), g.Abs(y)))
    # Infinite ones are close to equal ones alone.
    apart = g.IsNaN(g.Sub(x, y))
    near = g.And(g.less_equal(g.Abs(g.Sub(x, y)), bound), g.Not(g.IsInf(y)))
    near = g.Or(g.And(near, g.Not(apart)), g.Equal(x, y))
    if op.attr("equal_nan"):
        near = g.Or(near, g.And(g.IsNaN(x), g.IsNaN(y)))
    return near


@rule("isclose")
def _(g: Any, op: Any) -> str:
    return close(g, op)


@rule("allclose")
def _(g: Any, op: Any) -> str:
    near = g.cast(close(g, op), VarType.INT32)
    return op.scalar(g.cast(g.reduce("ReduceMin", near, None), VarType.BOOL))


# -- logic ----------------------------------------------------------------------------------------


def _logical(type: str) -> Any:
    def convert(g: Any, op: Any) -> str:
        return g.node(type, *[
            op[slot] if op.dtype(slot) == VarType.BOOL else g.cast(op[slot], VarType.BOOL)
            for slot in ("X", "Y") if op.has(slot)
        ])  # fmt: skip

    return convert


for _name, _type in {
    "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not",
}.items():  # fmt: skip
    rule(_name)(_logical(_type))


def _bitwise(logical: str, bits: str) -> Any:
    def convert(g: Any, op: Any) -> str:
        given = [op[slot] for slot in ("X", "Y") if op.has(slot)]
        if op.dtype("X") == VarType.BOOL:
            return g.node(logical, *given)
        g.need(18, op.op.type)
        return g.node(bits, *given)

    return convert


for _name, _types in {
    "bitwise_and": ("And", "BitwiseAnd"), "bitwise_or": ("Or", "BitwiseOr"),
    "bitwise_xor": ("Xor", "BitwiseXor"), "bitwise_not": ("Not", "BitwiseNot"),
}.items():  # fmt: skip
    rule(_name)(_bitwise(*_types))

__all__ = ["close", "floor_divided", "operands", "widened"]
