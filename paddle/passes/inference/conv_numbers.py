"""Folds stored numbers that scale and shift the result of a convolution into its weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.core.dtype import VarType
from paddle.core.op import REGISTRY
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.inference.freeze import Frozen
from paddle.passes.matching import Match, Operand, Pattern

_TYPES = ("conv2d", "depthwise_conv2d", "conv2d_transpose")


def fuse_conv_numbers(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets a convolution take in the numbers that its result is multiplied by and added to.

    Matches ``elementwise_mul`` by one stored number and ``elementwise_add`` of another, in either
    order of operands, in the global block: reparameterised networks for mobile devices (RepLCNet,
    MobileOne) have a pair behind each convolution. Not matched: one of the two alone, numbers of
    several elements, results that are fetched or read in between, weights that the Program writes.
    """
    frozen = Frozen(program, feeds, fetches).names

    def where(match: Match, def_use: DefUse) -> bool:
        weights = [
            n for o in ("Filter", "Bias", "Scale", "Shift") for n in match.operands.get(o, ())
        ]
        numbers = [match.var("Scale"), match.var("Shift")]
        single = [
            var is not None and var.dtype == VarType.FP32 and math.prod(var.shape) == 1
            for var in numbers
        ]
        return all(single) and all(name in frozen for name in weights)

    fusions = [Fusion(pattern, where=where, build=_folded) for pattern in _PATTERNS]
    return [done for fusion in fusions for done in fuse(fusion, [program.global_block()], fetches)]


def _takes_bias(op: Operator) -> bool:
    return any(slot.name == "Bias" for slot in REGISTRY[op.type].inputs)


def _patterns() -> list[Pattern]:
    """A convolution and what follows it, in all orders of operands."""
    made = []
    for scale_first in (True, False):
        for shift_first in (True, False):
            conv = Pattern(
                " ".join(_TYPES), _takes_bias, out="Output",
                Input=Operand("Input"), Filter=Operand("Filter"),
                Bias=Operand("Bias", optional=True),
            )  # fmt: skip
            scaled = _pair("elementwise_mul", conv, Operand("Scale"), scale_first)
            made.append(_pair("elementwise_add", scaled, Operand("Shift"), shift_first))
    return made


def _pair(type: str, value: Pattern, number: Operand, number_first: bool) -> Pattern:
    if number_first:
        return Pattern(type, X=number, Y=value)
    return Pattern(type, X=value, Y=number)


_PATTERNS = _patterns()


def _folded(match: Match) -> list[Operator]:
    """The operators that fold the numbers, and the convolution with what they make."""
    block, root = match.block, match.root
    conv = next(op for op in match.ops() if op.type in _TYPES)
    out = root.outputs["Out"][0]
    [weight], [scale], [shift] = (match.operands[o] for o in ("Filter", "Scale", "Shift"))
    new: list[Operator] = []

    def computed(type: str, x: str, y: str, like: str, word: str) -> str:
        var = block._var_recursive(like)
        name = f"{out}@{word}"
        block.create_var(name=name, shape=list(var.shape), dtype=var.dtype)
        new.append(made_from(root, type, {"X": [x], "Y": [y]}, {"Out": [name]}, {"axis": -1}))
        return name

    filter = computed("elementwise_mul", weight, scale, weight, "FILTER")
    if match.operands.get("Bias"):
        bias = match.operands["Bias"][0]
        bias = computed("elementwise_mul", bias, scale, bias, "SCALED")
        bias = computed("elementwise_add", bias, shift, bias, "BIAS")
    else:
        bias = _repeated(match, conv, shift, f"{out}@BIAS", new)
    inputs = {"Input": conv.inputs["Input"], "Filter": [filter], "Bias": [bias]}
    attrs = own_attributes(conv)
    return [*new, made_from(root, conv.type, inputs, {"Output": [out]}, attrs)]


def _repeated(match: Match, conv: Operator, number: str, name: str, new: list[Operator]) -> str:
    """A bias that has the same number for each channel."""
    shape = match.block._var_recursive(conv.inputs["Filter"][0]).shape
    turned = conv.type == "conv2d_transpose"
    channels = shape[1] * conv.attrs.get("groups", 1) if turned else shape[0]
    var = match.block._var_recursive(number)
    match.block.create_var(name=name, shape=[channels], dtype=var.dtype)
    flat = match.block.create_var(name=f"{name}@NUMBER", shape=[1], dtype=var.dtype)
    outputs = {"Out": [flat.name]}
    new.append(made_from(conv, "reshape2", {"X": [number]}, outputs, {"shape": [1]}))
    attrs = {"shape": [channels]}
    new.append(made_from(conv, "expand_v2", {"X": [flat.name]}, {"Out": [name]}, attrs))
    return name
