"""Rules of what normalises: by statistics that are known, or by those of the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paddle.inference.lite_export.rules import (
    Refused,
    attrs_of,
    binary,
    input_of,
    keep,
    nchw,
    output_of,
    rule,
)
from paddle.ir.operator import Operator

if TYPE_CHECKING:
    from paddle.inference.lite_export.lowering import Lowering


@rule("batch_norm")
def _batch_norm(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    nchw(a)
    values = [at.value(input_of(op, slot)) for slot in ("Scale", "Bias", "Mean", "Variance")]
    if any(v is None for v in values):
        raise Refused("its statistics are computed in each run")
    scale, bias, mean, variance = (np.asarray(v, "float64") for v in values)
    factor = scale / np.sqrt(variance + a["epsilon"])
    out, middle = output_of(op, "Y"), output_of(op, "Y") + "@SCALED"
    one = at.constant(out + "@SCALE", factor.astype("float32"))
    two = at.constant(out + "@SHIFT", (bias - mean * factor).astype("float32"))
    binary(at, "add", binary(at, "mul", input_of(op, "X"), one, middle, 1), two, out, 1)


@rule("layer_norm")
def _layer_norm(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    ins = [input_of(op, slot) for slot in ("X", "Scale", "Bias")]
    at.add("layer_norm", ins, output_of(op, "Y"), [a["begin_norm_axis"]], [a["epsilon"]])


@rule("group_norm instance_norm")
def _group_norm(at: Lowering, op: Operator) -> None:
    """Groups of channels become an axis, behind which a layer_norm goes over everything."""
    a, x, out = attrs_of(op), input_of(op, "X"), output_of(op, "Y")
    nchw(a)
    channels, rest = at.shape(x)[1], range(2, len(at.shape(x)))
    groups = a.get("groups", channels)
    if channels < 0 or len(rest) > 5:
        raise Refused("its number of channels is open, or it has more than 7 dimensions")
    split = [keep(0), groups, channels // groups, *(keep(i) for i in rest)]
    at.add("reshape", [x], out + "@GROUPS", split)
    at.add("layer_norm", [out + "@GROUPS", "", ""], out + "@EVEN", [2], [a["epsilon"]])
    weights = [(kind, name) for kind, slot in (("mul", "Scale"), ("add", "Bias"))
               if (name := input_of(op, slot))]  # fmt: skip
    made = f"{out}@JOINED" if weights else out
    at.add("reshape", [out + "@EVEN"], made, [keep(0), channels, *(keep(i + 1) for i in rest)])
    for i, (kind, name) in enumerate(weights):
        last = i == len(weights) - 1
        made = binary(at, kind, made, name, out if last else f"{out}@SCALED", 1)
