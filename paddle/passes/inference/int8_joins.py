"""Products of bytes take over what stands behind them, so that chains of them stay in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.conv_bn import STATISTICS, is_fixed
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

# Operators that move values only: bytes go through them as values do.
_MOVES = frozenset({
    "reshape", "reshape2", "transpose", "transpose2", "flatten", "flatten2",
    "flatten_contiguous_range", "squeeze", "squeeze2", "unsqueeze", "unsqueeze2",
})  # fmt: skip
_EXACT = {
    "relu6": {"threshold": 6.0},
    "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
    "swish": {"beta": 1.0},
}
_PRODUCTS = ("int8_conv2d", "int8_linear")


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


def _linear(where) -> Pattern:
    return Pattern(
        "int8_linear", where,
        X=Operand("X"), W=Operand("W"), Step=Operand("Step"),
        Bias=Operand("Bias", optional=True), InScale=Operand("InScale"),
    )  # fmt: skip


# -- batch norm ------------------------------------------------------------------------------------

_normed = _conv(_alone)
_norm = Pattern(
    "batch_norm", is_fixed, out="Y", updates=tuple(f"{s}Out" for s in STATISTICS),
    X=_normed, Scale=Operand("Scale"), Bias=Operand("Shift"),
    Mean=Operand("Mean"), Variance=Operand("Variance"),
)  # fmt: skip


def _constant(match: Match, def_use: DefUse) -> bool:
    names = [n for o in ("Scale", "Shift") for n in match.operands.get(o, [])]
    return all(def_use.is_constant(n) for n in names)


def _folded(match: Match) -> list[Operator]:
    """The norm changes what a step is worth, channel by channel, and the bias."""
    block, conv, norm = match.block, match[_normed], match[_norm]
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


def _sum(conv_first: bool) -> tuple[Pattern, Pattern]:
    conv = _conv(_alone)
    conv.inputs.pop("Residual")
    parts = (conv, Operand("Residual")) if conv_first else (Operand("Residual"), conv)
    return Pattern("elementwise_add", X=parts[0], Y=parts[1]), conv


_unbiased = _linear(lambda op: _plain(op) and not op.inputs.get("Bias"))
_unbiased.inputs.pop("Bias")
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


def _activation(product: Pattern) -> Fusion:
    behind = Pattern("relu relu6 hard_swish swish", _usual, X=product)
    return Fusion(
        behind,
        product,
        attributes=lambda match: {"activation": match.root.type},
        where=_fits_activation,
    )


def _steps(product: Pattern) -> Fusion:
    behind = Pattern("int8_quantize", X=product, Scale=Operand("OutScale"))
    return Fusion(
        behind,
        product,
        attributes=lambda match: {f"out_{k}": match.root.attrs[k] for k in ("zero", "top")},
    )


_SUMS_OF_BYTES = [_sum_of_bytes(True), _sum_of_bytes(False)]
_SUMS = [Fusion(whole, conv, where=_same_shape) for whole, conv in (_sum(True), _sum(False))]
_BIAS = Fusion(_biased, _unbiased, where=_is_bias)
_ACTIVATIONS = [_activation(_conv(_plain)), _activation(_linear(_plain))]
_STEPS = [_steps(_conv(_in_floats)), _steps(_linear(_in_floats))]
_NORM = Fusion(_norm, where=_constant, build=_folded)


def join_int8(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Lets products of bytes do what stands behind them.

    Matches, in the global block, behind ``int8_conv2d`` or ``int8_linear`` whose result nothing
    else reads: ``batch_norm`` with fixed statistics (folded into steps and bias), a bias, the sum
    with a picture of the same size, ``relu``, ``relu6``, ``hard_swish`` and ``swish`` with their
    usual constants, and ``int8_quantize``, also behind a maximum pool or operators that only move
    values; these get bytes then, and those of a sum where bytes are added. Not matched: an
    activation other than ``relu`` behind a sum, and bytes of a sum with floats.
    """
    block = program.global_block()
    if {op.type for op in block.ops}.isdisjoint(_PRODUCTS):
        return []
    done = fuse(_NORM, [block], fetches)
    for fusion in (_BIAS, *_SUMS_OF_BYTES, *_SUMS, *_ACTIVATIONS):
        done += fuse(fusion, [block], fetches)
    done += _quantize_earlier(program, fetches)
    for fusion in _STEPS:
        done += fuse(fusion, [block], fetches)
    return done


# -- moving steps up -------------------------------------------------------------------------------


def _is_max_pool(op: Operator) -> bool:
    attrs = op.attrs
    return (
        op.type == "pool2d"
        and attrs.get("pooling_type") == "max"
        and not attrs.get("global_pooling")
        and not attrs.get("adaptive")
        and attrs.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
        and attrs.get("data_format", "NCHW") == "NCHW"
        and len(attrs.get("paddings", [0, 0])) == 2
    )


def _quantize_earlier(program: Program, fetches: Sequence[str]) -> list[Replacement]:
    """Moves ``int8_quantize`` before pools and moves, up to a product that can give bytes."""
    block = program.global_block()
    def_use = DefUse(block, fetches)
    done = []
    for op in [o for o in block.ops if o.type == "int8_quantize"]:
        chain = _movable(op, def_use)
        if chain:
            done.append(Replacement([*chain, op], _move(op, chain, def_use)))
    def_use.commit()
    return done


def _movable(op: Operator, def_use: DefUse) -> list[Operator]:
    """The operators between a product and the steps of its result, if bytes can go through."""
    chain: list[Operator] = []
    name = op.inputs["X"][0]
    while def_use.is_temporary(name) and len(def_use.uses[name]) == 1:
        made_by = def_use.definition(name)
        if made_by is None or not def_use.precedes(made_by, op):
            break
        if made_by.type in _PRODUCTS:
            return chain if _in_floats(made_by) and _made_before(op, chain, def_use) else []
        others = [n for slot, names in made_by.inputs.items() if slot != "X" for n in names]
        if not (made_by.type in _MOVES or _is_max_pool(made_by)) or others:
            break
        chain.insert(0, made_by)
        name = made_by.inputs["X"][0]
    return []


def _made_before(op: Operator, chain: list[Operator], def_use: DefUse) -> bool:
    """Whether the scale is there before all of them."""
    scale = op.inputs["Scale"][0]
    if not def_use.definitions.get(scale):
        return True
    made_by = def_use.definition(scale)
    return made_by is not None and all(def_use.precedes(made_by, o) for o in chain)


def _move(op: Operator, chain: list[Operator], def_use: DefUse) -> list[Operator]:
    """Puts the operators on bytes in the place of those on floats; returns them."""
    block, read = op.block, chain[0].inputs["X"][0]
    new: list[Operator] = []
    for old in chain:
        made = old.outputs["Out"][0]
        if old is chain[0]:
            first = _bytes(block, read)
            inputs = {**op.inputs, "X": [read]}
            new.append(made_from(op, op.type, inputs, {"Out": [first]}, own_attributes(op)))
            read = first
        name = op.outputs["Out"][0] if old is chain[-1] else _bytes(block, made)
        attrs, type = own_attributes(old), old.type
        if type == "pool2d":
            type = "int8_max_pool2d"
            known = ("ksize", "strides", "paddings", "ceil_mode")
            attrs = {k: attrs[k] for k in known if k in attrs}
        outputs = {**old.outputs, "Out": [name]}
        new.append(made_from(old, type, {"X": [read]}, outputs, attrs))
        def_use.substitute(old, new[-2:] if old is chain[0] else new[-1:])
        read = name
    def_use.substitute(op, ())
    return new


def _bytes(block: Block, name: str) -> str:
    """A new variable for the bytes of another one."""
    made = block.create_var(
        name=f"{name}@BYTES", shape=list(block._var_recursive(name).shape), dtype="uint8"
    )
    return made.name
