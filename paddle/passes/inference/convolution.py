"""Convolutions of inference: what follows one goes into it, and its weights are packed.

All of this leaves ``packed_conv2d`` (:mod:`paddle.ops.nn.packed_conv`): a convolution with bias,
residual and activation. Channels come last in its result wherever oneDNN computes it, and what
follows it keeps that order, so there is no pass that says where an order begins or ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.analysis.aliasing import Memory
from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.analysis.frozen import frozen_variables
from paddle.core.dtype import VarType
from paddle.core.op import REGISTRY
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.passes.bias import fuse_conv_bias
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

PACKED = "packed_conv2d"
_CONVOLUTIONS = f"conv2d depthwise_conv2d {PACKED}"
_PACK = "pack_conv2d_filter"
_GEOMETRY = ("strides", "paddings", "padding_algorithm", "dilations", "groups")
# Operators whose results are fixed weights if their operands are.
_OF_WEIGHTS = frozenset(["fold_batch_norm", "cast"])


def _function(op: Operator) -> tuple[str, float, float] | None:
    """How ``packed_conv2d`` names an activation, with its numbers; None: it does not know it."""
    rule = _ACTIVATIONS.get(op.type)
    if rule is None:
        return None
    known = REGISTRY[op.type]
    return rule({name: op.attrs.get(name, default) for name, default in known.attrs.items()})


def _hard_swish(a: dict[str, Any]) -> tuple[str, float, float] | None:
    usual = a["threshold"], a["scale"], a["offset"]
    return ("hard_swish", 0.0, 0.0) if usual == (6.0, 6.0, 3.0) else None


def _hard_sigmoid(a: dict[str, Any]) -> tuple[str, float, float] | None:
    sixth = abs(a["slope"] - 1 / 6) < 1e-6 and a["offset"] == 0.5
    return ("hard_sigmoid", 0.0, 0.0) if sixth else None


_ACTIVATIONS: dict[str, Callable[[dict[str, Any]], tuple[str, float, float] | None]] = {
    "relu": lambda a: ("relu", 0.0, 0.0),
    "relu6": lambda a: ("clip", 0.0, float(a["threshold"])),
    "brelu": lambda a: ("clip", float(a["t_min"]), float(a["t_max"])),
    "clip": lambda a: ("clip", float(a["min"]), float(a["max"])),
    "leaky_relu": lambda a: ("leaky_relu", float(a["alpha"]), 0.0),
    "hard_swish": _hard_swish,
    "hard_sigmoid": _hard_sigmoid,
    "swish": lambda a: ("swish", 0.0, 0.0) if a["beta"] == 1.0 else None,
    "silu": lambda a: ("swish", 0.0, 0.0),
    "sigmoid": lambda a: ("sigmoid", 0.0, 0.0),
    "tanh": lambda a: ("tanh", 0.0, 0.0),
    "gelu": lambda a: ("gelu", float(bool(a["approximate"])), 0.0),
}


# -- what follows a convolution --------------------------------------------------------------------


def _is_bare(conv: Operator) -> bool:
    return not conv.attrs.get("activation")


_plain = Pattern(
    _CONVOLUTIONS, _is_bare, out="Output",
    Input=Operand("Input"), Filter=Operand("Filter"), Bias=Operand("Bias", optional=True),
)  # fmt: skip
_any = Pattern(
    _CONVOLUTIONS, _is_bare, out="Output",
    Input=Operand("Input"), Filter=Operand("Filter"), Bias=Operand("Bias", optional=True),
    ResidualData=Operand("ResidualData", optional=True),
)  # fmt: skip
_residual = Operand("ResidualData")
_sums = (
    Pattern("elementwise_add", X=_plain, Y=_residual),
    Pattern("elementwise_add", X=_residual, Y=_plain),
)
_activated = Pattern(" ".join(_ACTIVATIONS), lambda op: _function(op) is not None, X=_any)


_unbiased = Pattern(
    f"{_CONVOLUTIONS} conv2d_transpose", _is_bare, out="Output",
    Input=Operand("Input"), Filter=Operand("Filter"),
)  # fmt: skip
_with_row = Pattern("elementwise_add", X=_unbiased, Y=Operand("Bias"))


def _is_reshaped_bias(match: Match, def_use: DefUse) -> bool:
    """Whether one number for each channel is added, of as many dimensions as the result."""
    conv = match[_unbiased]
    made, bias = match.block.vars.get(conv.outputs["Output"][0]), match.var("Bias")
    if made is None or bias is None or bias.dtype != made.dtype or len(made.shape) != 4:
        return False
    at = 3 if str(conv.attrs.get("data_format", "NCHW")).endswith("C") else 1
    row = [made.shape[at] if i == at else 1 for i in range(4)]
    return -1 not in row and list(bias.shape) == row


def _with_reshaped_bias(match: Match) -> list[Operator]:
    conv, root, [bias] = match[_unbiased], match.root, match.operands["Bias"]
    out = root.outputs["Out"][0]
    var = match.block._var_recursive(bias)
    flat = match.block.create_var(name=f"{out}@BIAS", shape=[max(var.shape)], dtype=var.dtype)
    ops = [made_from(root, "reshape2", {"X": [bias]}, {"Out": [flat.name]}, {"shape": [-1]})]
    inputs = {**conv.inputs, "Bias": [flat.name]}
    return [*ops, made_from(root, conv.type, inputs, {"Output": [out]}, own_attributes(conv))]


_BIASED = Fusion(_with_row, where=_is_reshaped_bias, build=_with_reshaped_bias)


def fuse_bias(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Gives a convolution the bias that an ``elementwise_add`` adds along its channels.

    Matches what :func:`~paddle.passes.bias.fuse_conv_bias` matches, and biases of shape
    ``[1, C, 1, 1]``, as PaddlePaddle has them since 2.5. Not matched: what else broadcasts.
    """
    done = fuse_conv_bias(program, feeds, fetches)
    return [*done, *fuse(_BIASED, program.blocks, fetches)]


def _is_residual(match: Match, def_use: DefUse) -> bool:
    """Whether the sum is that of two tensors of the same shape and type."""
    conv = match.block.vars.get(match[_plain].outputs["Output"][0])
    other = match.var("ResidualData")
    if conv is None or other is None or conv.dtype != other.dtype or len(conv.shape) != 4:
        return False
    return tuple(conv.shape) == tuple(other.shape)


def _joined(match: Match, conv: Operator, attrs: dict[str, Any]) -> list[Operator]:
    """The convolution that stands where the match ends."""
    kept = {k: v for k, v in own_attributes(conv).items() if k in REGISTRY[PACKED].attrs}
    inputs = {slot.name: match.operands.get(slot.name, []) for slot in REGISTRY[PACKED].inputs}
    out = match.root.outputs["Out"]
    return [made_from(match.root, PACKED, inputs, {"Output": out}, {**kept, **attrs})]


def _with_function(match: Match) -> list[Operator]:
    found = _function(match.root)
    assert found is not None
    name, alpha, beta = found
    return _joined(match, match[_any], {"activation": name, "alpha": alpha, "beta": beta})


_RESIDUALS = [
    Fusion(pattern, where=_is_residual, build=lambda match: _joined(match, match[_plain], {}))
    for pattern in _sums
]
_ACTIVATED = Fusion(
    _activated,
    where=lambda match, def_use: len(getattr(match.var("Input"), "shape", ())) == 4,
    build=_with_function,
)


def fuse_residual(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Adds another tensor where a convolution computes its result.

    Matches ``elementwise_add`` of a 2-D convolution and a tensor of the same shape and dtype,
    where nothing else reads the convolution's result. Not matched: sums that broadcast.
    """
    return [done for fusion in _RESIDUALS for done in fuse(fusion, program.blocks, fetches)]


def fuse_activation(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Computes the activation behind a convolution together with it.

    Matches ``relu relu6 brelu clip leaky_relu hard_swish hard_sigmoid swish silu sigmoid tanh
    gelu`` with the numbers that oneDNN's form of them has, behind a 2-D convolution, with a
    residual or without, whose result nothing else reads. Not matched: bounds given as tensors,
    ``hard_sigmoid`` of another slope than 1/6 and ``swish`` of another beta than 1.
    """
    return fuse(_ACTIVATED, program.blocks, fetches)


# -- weights ---------------------------------------------------------------------------------------


def fixed_weights(program: Program, feeds: Sequence[str]) -> set[str]:
    """Returns what is known when a plan is bound: stored variables, and weights made of them.

    Args:
        program (Program): its global block is looked at.
        feeds (Sequence[str]): variables that are given in each run.
    """
    fixed = frozen_variables(program, feeds)
    for op in program.global_block().ops:
        if op.type in _OF_WEIGHTS and fixed.issuperset(n for n in op.input_arg_names if n != EMPTY):
            fixed.update(op.output_arg_names)
    return fixed


def _pack(program: Program, feeds: Sequence[str], depthwise: bool) -> None:
    block = program.global_block()
    types = set(_CONVOLUTIONS.split())
    if not any(op.type in types for op in block.ops):
        return
    fixed = fixed_weights(program, feeds)
    packed = {n for op in block.ops if op.type == _PACK for n in op.output_arg_names}
    ops: list[Operator] = []
    for op in block.ops:
        filter = op.inputs["Filter"][0] if op.type in types else ""
        var = block._find_var_recursive(filter) if filter in fixed - packed else None
        if var is None or len(var.shape) != 4 or var.dtype not in (VarType.FP32, VarType.BF16):
            ops.append(op)
            continue
        each = op.attrs.get("groups", 1) > 1 and var.shape[1] == 1
        fits = (each or op.type == "depthwise_conv2d") == depthwise
        ops += _behind_pack(op, filter, var) if fits else [op]
    block.ops = ops


def _packed_variable(op: Operator, var: Variable) -> str:
    name = f"{op.outputs['Output'][0]}@PACKED"
    return op.block.create_var(name=name, shape=var.shape, dtype=var.dtype).name


def _behind_pack(op: Operator, filter: str, var: Variable) -> list[Operator]:
    """A convolution behind what packs its filter."""
    packed = _packed_variable(op, var)
    attrs = {k: v for k, v in own_attributes(op).items() if k in REGISTRY[PACKED].attrs}
    geometry = {k: attrs[k] for k in _GEOMETRY if k in attrs}
    pack = made_from(op, _PACK, {"Filter": [filter]}, {"Out": [packed]}, geometry)
    inputs = {**op.inputs, "Filter": [packed]}
    return [pack, made_from(op, PACKED, inputs, op.outputs, attrs)]


def pack_filters(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Packs the weights of convolutions for oneDNN, once, when the plan is bound.

    Matches ``conv2d`` and ``packed_conv2d`` of the global block with a filter in float32 or
    bfloat16 that no run changes. Not matched: filters that an operator computes from what is fed,
    and convolutions that take each channel by itself.
    """
    _pack(program, feeds, depthwise=False)


def pack_depthwise_filters(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Packs the weights of depthwise convolutions.

    Matches those which take each channel by itself, by the same rules as :func:`pack_filters`.
    """
    _pack(program, feeds, depthwise=True)


def order_transposed_filters(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> None:
    """Puts the weights of transposed convolutions in channels-last order, and so what they make.

    Matches ``conv2d_transpose`` by the same rules as :func:`pack_filters`.
    """
    block = program.global_block()
    fixed = fixed_weights(program, feeds)
    ops: list[Operator] = []
    for op in block.ops:
        filter = op.inputs["Filter"][0] if op.type == "conv2d_transpose" else ""
        var = block._find_var_recursive(filter) if filter in fixed else None
        if var is not None and len(var.shape) == 4 and var.dtype in (VarType.FP32, VarType.BF16):
            ordered = _packed_variable(op, var)
            ops.append(
                made_from(op, _PACK, {"Filter": [filter]}, {"Out": [ordered]}, {"transposed": True})
            )
            inputs = {**op.inputs, "Filter": [ordered]}
            ops.append(made_from(op, op.type, inputs, op.outputs, own_attributes(op)))
            continue
        ops.append(op)
    block.ops = ops


_SLOTS_OF_SUMS = {PACKED: "ResidualData", "int8_conv2d": "Residual"}


def overwrite_residuals(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Lets a convolution add to its residual in place, where nothing reads that afterwards.

    Matches ``packed_conv2d`` and ``int8_conv2d`` whose residual is memory of its own, and which
    read it last.
    """
    memory = Memory(program, fetches)
    sums = [
        op
        for block in program.blocks
        for op in block.ops
        if op.inputs.get(_SLOTS_OF_SUMS.get(op.type, ""))
    ]
    last = [op for op in sums if memory.is_last(op.inputs[_SLOTS_OF_SUMS[op.type]][0], op)]
    for op in last:  # at the end: what lies where its residual was is alone there, too
        op.attrs["overwrite"] = True
