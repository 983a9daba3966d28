"""Rules of reductions and norms over axes."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_NARROW = (VarType.UINT8, VarType.INT8, VarType.INT16, VarType.BOOL)


def axes_of(op: Any, name: str = "dim", slot: str = "X") -> list[int] | None:
    """The axes that are reduced, None for all of them."""
    rank = op.rank(slot)
    axes = sorted({a % max(rank, 1) for a in op.ints(name)})
    if op.attr("reduce_all") or not axes or len(axes) >= rank:
        return None
    return axes


def reduced(g: Any, op: Any, type: str, value: str, axes: list[int] | None, keep: bool) -> str:
    """Adds a reduction; what drops all dimensions has shape [1]."""
    made = g.reduce(type, value, axes, keep)
    return op.scalar(made) if axes is None and not keep else made


def _reduction(type: str) -> Any:
    def convert(g: Any, op: Any) -> str:
        value, dtype, out = op["X"], op.dtype("X"), op.dtype("Out")
        wide = dtype
        if type in ("ReduceSum", "ReduceProd", "ReduceMean"):
            wide = out
        if wide in _NARROW:
            wide = VarType.INT32
        if wide != dtype:
            value = g.cast(value, wide)
        made = reduced(g, op, type, value, axes_of(op), bool(op.attr("keep_dim")))
        if out == VarType.BOOL and dtype == VarType.BOOL:
            return g.Greater(made, g.constant(0, wide))  # of nothing, the largest is below all
        return made if wide == out else g.cast(made, out)

    return convert


for _name, _type in {
    "reduce_sum": "ReduceSum", "reduce_mean": "ReduceMean", "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin", "reduce_prod": "ReduceProd", "reduce_all": "ReduceMin",
    "reduce_any": "ReduceMax",
}.items():  # fmt: skip
    rule(_name)(_reduction(_type))


@rule("mean")
def _(g: Any, op: Any) -> str:
    return op.scalar(g.reduce("ReduceMean", op["X"], None))


@rule("sum")
def _(g: Any, op: Any) -> str:
    given = op.values("X")
    return given[0] if len(given) == 1 else _added(g, given)


def _added(g: Any, values: list[str]) -> str:
    total = values[0]
    for value in values[1:]:
        total = g.Add(total, value)
    return total


@rule("logsumexp")
def _(g: Any, op: Any) -> str:
    axes, keep = axes_of(op, "axis"), bool(op.attr("keepdim"))
    return reduced(g, op, "ReduceLogSumExp", op["X"], axes, keep)


@rule("frobenius_norm")
def _(g: Any, op: Any) -> str:
    return reduced(g, op, "ReduceL2", op["X"], axes_of(op), bool(op.attr("keep_dim")))


@rule("l1_norm")
def _(g: Any, op: Any) -> str:
    return op.scalar(g.reduce("ReduceL1", op["X"], None))


@rule("squared_l2_norm")
def _(g: Any, op: Any) -> str:
    return op.scalar(g.reduce("ReduceSumSquare", op["X"], None))


@rule("p_norm")
def _(g: Any, op: Any) -> str:
    keep, order = bool(op.attr("keepdim")), float(op.attr("porder"))
    axes = None if op.attr("asvector") or op.rank("X") <= 1 else [op.axis("axis")]
    return norm(g, op, op["X"], order, axes, keep)


def norm(g: Any, op: Any, x: str, order: float, axes: list[int] | None, keep: bool) -> str:
    """Adds a norm of any order."""
    if order in (1.0, 2.0):
        return reduced(g, op, f"ReduceL{int(order)}", x, axes, keep)
    size = g.Abs(x)
    if math.isinf(order):
        type = "ReduceMax" if order > 0 else "ReduceMin"
        return reduced(g, op, type, size, axes, keep)
    if order == 0:
        some = g.cast(g.Not(g.Equal(x, op.number(0))), op.dtype("X"))
        return reduced(g, op, "ReduceSum", some, axes, keep)
    total = reduced(g, op, "ReduceSum", g.Pow(size, op.number(order)), axes, keep)
    return g.Pow(total, op.number(1 / order))


@rule("dist")
def _(g: Any, op: Any) -> str:
    return norm(g, op, g.Sub(op["X"], op["Y"]), float(op.attr("p")), None, False)


@rule("clip_by_norm")
def _(g: Any, op: Any) -> str:
    x, most = op["X"], op.number(float(op.attr("max_norm")))
    size = g.reduce("ReduceL2", x, None)
    return g.Where(g.Greater(size, most), g.Div(g.Mul(x, most), size), x)
