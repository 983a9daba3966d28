"""Rules of quantization: by steps kept as fractions, or by ONNX's own operators on 8 bits.

``quantize_linear`` rounds as ``QuantizeLinear`` does, so it becomes one, and the
``dequantize_linear`` behind it takes the 8 bits: what runtimes join with the operator between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_SMALL, _INSTEAD = 1e-30, 1e-6  # a scale up to this is made larger by that


def _top(op: Any) -> int:
    """The number of the highest step."""
    return 2 ** (int(op.attr("bit_length")) - 1) - 1


def _along(g: Any, scale: str, rank: int, axis: int | None) -> str:
    """The scale in a shape that meets a tensor."""
    return g.Reshape(scale, [-1 if i == axis else 1 for i in range(max(rank, 1))])


def _largest(g: Any, op: Any, axis: int | None) -> str:
    """The largest absolute value, of all or of each position of an axis, as a vector."""
    axes = None if axis is None else [a for a in range(op.rank("X")) if a != axis]
    if axes == []:
        return g.Abs(op["X"])
    made = g.reduce("ReduceMax", g.Abs(op["X"]), axes)
    return g.Reshape(made, [-1])


def _steps(g: Any, op: Any, scale: str, top: int, to_even: bool = False) -> str:
    """The numbers of the steps of X, as fractions."""
    x = op["X"]
    some = g.Where(g.Greater(scale, op.number(_SMALL)), scale, g.Add(scale, op.number(_INSTEAD)))
    factor = g.Mul(g.Reciprocal(some), op.number(top))
    if to_even:
        return g.clip(g.Round(g.Mul(x, factor)), op.number(-top - 1), op.number(top), op.dtype("X"))
    inside = g.Min(g.Max(x, g.Neg(scale)), scale)
    found = g.Mul(inside, factor)
    # The largest number below 1/2: what is just below a half must not be rounded up.
    kind = np.float64 if op.dtype("X") == VarType.FP64 else np.float32
    nearly = op.number(0.5 - np.finfo(kind).eps / 4)
    sign = g.Sign(found)
    return g.Mul(sign, g.Floor(g.Add(g.Abs(found), nearly)))


def _values(g: Any, op: Any, numbers: str, scale: str, top: int) -> str:
    return g.Div(g.Mul(numbers, scale), op.number(top))


@rule("fake_quantize_abs_max", "fake_quantize_dequantize_abs_max")
def _(g: Any, op: Any) -> Any:
    scale, top = _largest(g, op, None), _top(op)
    at = _along(g, scale, op.rank("X"), None)
    made = _steps(g, op, at, top)
    if "dequantize" in op.op.type:
        made = _values(g, op, made, at, top)
    return made, scale


@rule("fake_channel_wise_quantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max")
def _(g: Any, op: Any) -> Any:
    axis, top = int(op.attr("quant_axis")), _top(op)
    scale = _largest(g, op, axis)
    if op.attr("is_test"):  # what training has left
        kept = op.env.get(op.op.outputs["OutScale"][0])
        if kept is None:
            raise op.refuse("the scales are not stored")
        scale = kept
    at = _along(g, scale, op.rank("X"), axis)
    made = _steps(g, op, at, top)
    if "dequantize" in op.op.type:
        made = _values(g, op, made, at, top)
    return made, scale


@rule(
    "fake_quantize_range_abs_max",
    "fake_quantize_moving_average_abs_max",
    "fake_quantize_dequantize_moving_average_abs_max",
)
def _(g: Any, op: Any) -> Any:
    at, top = _along(g, op["InScale"], op.rank("X"), None), _top(op)
    made = _steps(g, op, at, top)
    if "dequantize" in op.op.type:
        made = _values(g, op, made, at, top)
    return {"Out": made}


@rule("moving_average_abs_max_scale")
def _(g: Any, op: Any) -> Any:
    return {"Out": op["X"]}


@rule("stright_throuth_estimator_grad")
def _(g: Any, op: Any) -> str:
    return op["Out@GRAD"]


@rule("fake_dequantize_max_abs", "dequantize_abs_max")
def _(g: Any, op: Any) -> str:
    dtype = op.dtype("Out")
    x, scale = (op[s] if op.dtype(s) == dtype else g.cast(op[s], dtype) for s in ("X", "Scale"))
    at = _along(g, scale, op.rank("X"), None)
    return g.Div(g.Mul(x, at), op.number(float(op.attr("max_range")), "Out"))


@rule("fake_channel_wise_dequantize_max_abs")
def _(g: Any, op: Any) -> str:
    scales, rank = op.values("Scales"), op.rank("X")
    bits = op.ints("quant_bits")
    axis = int(op.attr("quant_axis" if len(scales) == 1 else "x_num_col_dims"))
    made, top = g.Mul(op["X"], _along(g, scales[0], rank, axis)), 2 ** (bits[0] - 1) - 1
    if len(scales) == 2:
        made = g.Mul(made, _along(g, scales[1], rank, None))
        top *= 2 ** (bits[1] - 1) - 1
    return g.Div(made, op.number(top))


@rule("dequantize_log")
def _(g: Any, op: Any) -> str:
    places = g.cast(op["X"], VarType.INT64)
    negative = g.Less(places, np.array(0, np.int64))
    found = g.Gather(
        op["Dict"], g.Where(negative, g.Add(places, np.array(128, np.int64)), places), axis=0
    )
    return g.Where(negative, g.Neg(found), found)


# -- linear ---------------------------------------------------------------------------------------


def _axis(op: Any) -> int | None:
    found = int(op.attr("quant_axis"))
    return None if found < 0 else found


def _one_step(g: Any, op: Any, axis: int | None, top: int) -> str:
    """What one step stands for: a number of rank 0, or a vector along the axis."""
    scale, dtype = op["Scale"], op.dtype("Scale")
    known = op.known("Scale")
    if known is not None:
        flat = known.reshape(-1).astype(np.float64)
        flat = np.where(flat <= _SMALL, flat + _INSTEAD, flat) / top
        return g.constant(flat if axis is not None else flat[0], dtype)
    if axis is None:
        flat = g.rank0(g.slice(g.Reshape(scale, [-1]), [0], [1], [0]))
    else:
        flat = g.Reshape(scale, [-1])
    return g.Div(flat, op.number(top, "Scale"))


def _in_8_bits(g: Any, op: Any) -> bool:
    """Whether ONNX's operators compute the same."""
    floats = op.dtype("Scale") == VarType.FP32
    return floats and int(op.attr("bit_length")) == 8 and int(op.attr("round_type")) == 0


@rule("quantize_linear")
def _(g: Any, op: Any) -> Any:
    if op.attr("only_observer"):
        return {"Y": op["X"]}
    axis, top = _axis(op), _top(op)
    if not _in_8_bits(g, op) or op.dtype("X") != VarType.FP32:
        scale = op["Scale"]
        if axis is None:
            scale = g.slice(g.Reshape(scale, [-1]), [0], [1], [0])
        at = _along(g, scale, op.rank("X"), axis)
        return {"Y": _steps(g, op, at, top, to_even=int(op.attr("round_type")) == 0)}
    if axis is not None:
        g.need(13, op.op.type)
    zero = _zero(g, op, axis)
    small = g.QuantizeLinear(op["X"], _one_step(g, op, axis, top), zero, axis=axis)
    made = g.cast(small, op.dtype("Y"))
    g.model.narrow[made] = small
    return {"Y": made}


def _zero(g: Any, op: Any, axis: int | None) -> str:
    """The zero point, which says that steps have 8 bits and a sign."""
    if axis is None:
        return g.constant(0, VarType.INT8)
    return g.constant(np.zeros(op.shape("Scale")), VarType.INT8)


@rule("dequantize_linear")
def _(g: Any, op: Any) -> str:
    x, axis, top = op["X"], _axis(op), _top(op)
    if op.attr("only_observer"):
        return x
    small = x if op.dtype("X") == VarType.INT8 else g.model.narrow.get(x)
    if small is not None and op.dtype("Scale") == VarType.FP32 and int(op.attr("bit_length")) == 8:
        if axis is not None:
            g.need(13, op.op.type)
        return g.DequantizeLinear(small, _one_step(g, op, axis, top), axis=axis)
    scale = op["Scale"]
    if axis is None:
        scale = g.slice(g.Reshape(scale, [-1]), [0], [1], [0])
    at = _along(g, scale, op.rank("X"), axis)
    x = x if op.dtype("X") == op.dtype("Scale") else g.cast(x, op.dtype("Scale"))
    return g.Div(g.Mul(x, at), op.number(top, "Scale"))


# -- 8 bits between operators of oneDNN -----------------------------------------------------------

_LIMITS = {VarType.INT8: (-128, 127), VarType.UINT8: (0, 255)}


def _zero_point(g: Any, shift: float, kind: VarType) -> str | None:
    """The shift as ONNX's zero point; None where it is none of the 8 bits' numbers."""
    low, high = _LIMITS.get(kind, (0, -1))
    return g.constant(int(shift), kind) if shift.is_integer() and low <= shift <= high else None


def _rounded(g: Any, value: str, dtype: VarType, kind: VarType) -> str:
    """Fractions, of type ``dtype``, as the nearest numbers of 8 bits."""
    low, high = (g.constant(limit, dtype) for limit in _LIMITS[kind])
    # Not a Clip: before opset 12 runtimes have none of float64.
    return g.cast(g.Max(g.Min(g.Round(value), high), low), kind)


@rule("quantize")
def _(g: Any, op: Any) -> str:
    x, dtype, kind = op["Input"], op.dtype("Input"), op.dtype("Output")
    if kind not in _LIMITS:  # bfloat16, which is no quantization
        return g.cast(x, kind)
    scale, shift = float(op.attr("Scale")), float(op.attr("Shift"))
    zero = _zero_point(g, shift, kind)
    if zero is not None and dtype == VarType.FP32:
        return g.QuantizeLinear(x, g.constant(1.0 / scale, dtype), zero)
    steps = g.Add(g.Mul(x, g.constant(scale, dtype)), g.constant(shift, dtype))
    return _rounded(g, steps, dtype, kind)


@rule("dequantize")
def _(g: Any, op: Any) -> str:
    scale, shift = float(op.attr("Scale")), float(op.attr("Shift"))
    wide = VarType.FP32
    zero = _zero_point(g, shift, op.dtype("Input"))
    if zero is not None:
        return g.DequantizeLinear(op["Input"], g.constant(1.0 / scale, wide), zero)
    steps = g.Sub(g.cast(op["Input"], wide), g.constant(shift, wide))
    return g.Div(steps, g.constant(scale, wide))


@rule("requantize")
def _(g: Any, op: Any) -> str:
    kind, wide = op.dtype("Input"), VarType.FP32
    if kind not in _LIMITS:
        raise op.refuse("numbers of steps that are neither int8 nor uint8")
    before, after = float(op.attr("Shift_in")), float(op.attr("Shift_out"))
    factor = float(op.attr("Scale_out")) / float(op.attr("Scale_in"))
    steps = g.Sub(g.cast(op["Input"], wide), g.constant(before, wide))
    made = g.Add(g.Mul(steps, g.constant(factor, wide)), g.constant(after, wide))
    return _rounded(g, made, wide, kind)
