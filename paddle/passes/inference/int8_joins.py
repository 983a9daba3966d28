"""Products of bytes take over what stands behind them, so that chains of them stay in bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.conv_bn import STATISTICS, is_fixed
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.inference.int8_moves import PRODUCTS, quantize_earlier
from paddle.passes.matching import Match, Operand, Pattern

_EXACT = {
    "relu6": {"threshold": 6.0},
    "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
    "swish": {"beta": 1.0},
}


def _plain(op: Operator) -> bool:
    """Whether a product gives the sums in floats, without an activation."""
    return not op.inputs.get("OutScale") and not op.attrs.get("activation")


def _in_floats(op: Operator) -> bool:
    return not op.inputs.get("OutScale") and not op.inputs.get("Residual")


def _alone(op: Operator) -> bool:
    return _plain(op) and not op.inputs.get("Residual")


def _conv(where) -> Pattern:
    return Pattern(
        "int8_conv2d", where, out="Output",
        Input=Operand("Input"), Filter=Operand("Filter"), Step=Operand("Step"),
        Bias=Operand("Bias", optional=True), InScale=Operand("InScale"),
        Residual=Operand("Residual", optional=True),
    )  # fmt: skip


def _turned(where) -> Pattern:
    return Pattern(
        "int8_conv2d_transpose", where, out="Output",
        Input=Operand("Input"), Filter=Operand("Filter"), Step=Operand("Step"),
        Bias=Operand("Bias", optional=True), InScale=Operand("InScale"),
    )  # fmt: skip


def _linear(where) -> Pattern:
    return Pattern(
        "int8_linear", where,
        X=Operand("X"), W=Operand("W"), Step=Operand("Step"),
        Bias=Operand("Bias", optional=True), InScale=Operand("InScale"),
        Residual=Operand("Residual", optional=True),
    )  # fmt: skip


def _average(where) -> Pattern:
    return Pattern("int8_avg_pool2d", where, X=Operand("X"), InScale=Operand("InScale"))


# -- batch norm ------------------------------------------------------------------------------------


def _constant(match: Match, def_use: DefUse) -> bool:
    names = [n for o in ("Scale", "Shift") for n in match.operands.get(o, [])]
    return all(def_use.is_constant(n) for n in names)


def _norm(form: Callable[[Any], Pattern]) -> Fusion:
    """A convolution with the norm behind it."""
    conv = form(_alone)
    norm = Pattern(
        "batch_norm", is_fixed, out="Y", updates=tuple(f"{s}Out" for s in STATISTICS),
        X=conv, Scale=Operand("Scale"), Bias=Operand("Shift"),
        Mean=Operand("Mean"), Variance=Operand("Variance"),
    )  # fmt: skip
    return Fusion(norm, where=_constant, build=lambda match: _folded(match, match[conv]))


def _folded(match: Match, conv: Operator) -> list[Operator]:
    """The norm changes what a step is worth, channel by channel, and the bias."""
    block, norm = match.block, match.root
    out = norm.outputs["Y"][0]
    shape = list(block._var_recursive(match.operands["Step"][0]).shape)
    step = block.create_var(name=f"{out}@STEP", shape=shape, dtype="float32")
    bias = block.create_var(name=f"{out}@BIAS", shape=shape, dtype="float32")
    slots = ("Bias", "Scale", "Shift", "Mean", "Variance")
    inputs = {slot: match.operands.get(slot, []) for slot in slots}
    fold = made_from(
        norm,
        "fold_batch_norm",
        {"Filter": match.operands["Step"], **inputs},
        {"FilterOut": [step.name], "BiasOut": [bias.name]},
        {"epsilon": norm.attrs.get("epsilon", 1e-5)},
    )
    inputs = {**conv.inputs, "Step": [step.name], "Bias": [bias.name]}
    joined = made_from(norm, conv.type, inputs, {"Output": [out]}, own_attributes(conv))
    return [fold, joined]


# -- sums, activations and steps -------------------------------------------------------------------


def _same_shape(match: Match, def_use: DefUse) -> bool:
    """Whether a picture of the size of the result is added."""
    added, out = match.var("Residual"), match.block.vars.get(match.root.outputs["Out"][0])
    made = match.block.vars.get(match.root.inputs["X"][0])
    other = match.block.vars.get(match.root.inputs["Y"][0])
    if added is None or out is None or made is None or other is None:
        return False
    sizes = {tuple(v.shape) for v in (added, out, made, other)}
    return len(sizes) == 1 and len({v.dtype for v in (added, out, made, other)}) == 1


def _sum(form: Callable[[Any], Pattern], first: bool) -> tuple[Pattern, Pattern]:
    product = form(_alone)
    product.inputs.pop("Residual")
    parts = (product, Operand("Residual")) if first else (Operand("Residual"), product)
    return Pattern("elementwise_add", X=parts[0], Y=parts[1]), product


_unbiased = _linear(lambda op: _plain(op) and not op.inputs.get("Bias"))
for _slot in ("Bias", "Residual"):
    _unbiased.inputs.pop(_slot)
_biased = Pattern("elementwise_add", X=_unbiased, Y=Operand("Bias"))


def _is_bias(match: Match, def_use: DefUse) -> bool:
    """Whether one number is added for each column."""
    bias, step = match.var("Bias"), match.var("Step")
    made = match.block.vars.get(match.root.inputs["X"][0])
    if bias is None or step is None or made is None or bias.dtype != made.dtype:
        return False
    last = match.root.attrs.get("axis", -1) in (-1, len(made.shape) - 1)
    return last and tuple(bias.shape) == tuple(step.shape)


def _fits_bytes(match: Match, def_use: DefUse) -> bool:
    """Whether oneDNN can add these bytes: it does not stop at a step below the highest byte."""
    added, attrs = match.var("Residual"), match.root.attrs
    out = match.block.vars.get(match.root.outputs["Out"][0])
    if added is None or out is None or tuple(added.shape) != tuple(out.shape):
        return False
    return attrs["zero"] != 0 or attrs["top"] == 255


def _sum_of_bytes(conv_first: bool) -> Fusion:
    conv = _conv(_alone)
    conv.inputs.pop("Residual")
    other = Pattern("int8_dequantize", X=Operand("Residual"), Scale=Operand("ResidualScale"))
    parts = (conv, other) if conv_first else (other, conv)
    total = Pattern("elementwise_add", X=parts[0], Y=parts[1])
    active = Pattern("relu", X=total, optional=True)
    whole = Pattern("int8_quantize", X=active, Scale=Operand("OutScale"))

    def attributes(match: Match) -> dict[str, Any]:
        made = {f"out_{k}": match.root.attrs[k] for k in ("zero", "top")}
        made |= {f"residual_{k}": match[other].attrs[k] for k in ("zero", "top")}
        return made | ({"activation": "relu"} if match.every(active) else {})

    return Fusion(whole, conv, attributes=attributes, where=_fits_bytes)


def _usual(op: Operator) -> bool:
    return all(op.attrs.get(k, v) == v for k, v in _EXACT.get(op.type, {}).items())


def _fits_activation(match: Match, def_use: DefUse) -> bool:
    return match.root.type == "relu" or not match.operands.get("Residual")


def _activation(product: Pattern, types: str) -> Fusion:
    behind = Pattern(types, _usual, X=product)
    return Fusion(behind, product, attributes=_named, where=_fits_activation)


def _named(match: Match) -> dict[str, Any]:
    """The activation, as products call it."""
    name = match.root.type
    if name == "gelu" and match.root.attrs.get("approximate"):
        name = "gelu_tanh"
    return {"activation": name}


def _steps(product: Pattern) -> Fusion:
    behind = Pattern("int8_quantize", X=product, Scale=Operand("OutScale"))
    return Fusion(
        behind,
        product,
        attributes=lambda match: {f"out_{k}": match.root.attrs[k] for k in ("zero", "top")},
    )


_SUMS_OF_BYTES = [_sum_of_bytes(True), _sum_of_bytes(False)]
_SUMS = [
    Fusion(*_sum(form, first), where=_same_shape)
    for form in (_conv, _linear)
    for first in (True, False)
]
_BIAS = Fusion(_biased, _unbiased, where=_is_bias)
_OF_BOTH = "relu relu6 hard_swish swish"
_ACTIVATIONS = [
    _activation(_conv(_plain), _OF_BOTH),
    _activation(_turned(_plain), _OF_BOTH),
    _activation(_linear(_plain), f"{_OF_BOTH} gelu tanh"),
]
_STEPS = [_steps(form(_in_floats)) for form in (_conv, _turned, _linear, _average)]
_NORMS = [_norm(_conv), _norm(_turned)]


def join_int8(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Lets products of bytes do what stands behind them.

    Matches, in the global block, behind ``int8_conv2d``, ``int8_conv2d_transpose`` (no sums) or
    ``int8_linear`` whose result nothing else reads: ``batch_norm`` with fixed statistics (folded
    into steps and bias), a bias, the sum with something of the same size, ``relu``, ``relu6``,
    ``hard_swish`` and ``swish`` with their usual constants, ``gelu`` and ``tanh`` behind
    ``int8_linear``, and ``int8_quantize`` (behind ``int8_avg_pool2d``, too), also behind maximum
    pools and operators that only move values; these get bytes then, and those of a sum where bytes
    are added to a convolution. Not matched: an activation other than ``relu`` behind a sum, and
    bytes of a sum with floats.
    """
    block = program.global_block()
    if {op.type for op in block.ops}.isdisjoint(PRODUCTS):
        return []
    done: list[Replacement] = []
    for fusion in (*_NORMS, _BIAS, *_SUMS_OF_BYTES, *_SUMS, *_ACTIVATIONS):
        done += fuse(fusion, [block], fetches)
    done += quantize_earlier(program, fetches)
    for fusion in _STEPS:
        done += fuse(fusion, [block], fetches)
    return done
