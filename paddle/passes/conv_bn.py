"""Fuses a convolution with the batch norm behind it where the statistics stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.core.dtype import VarType
from paddle.core.op import REGISTRY
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

# type -> dimension of the filter along which its outputs lie
_CONVOLUTIONS = {"conv2d": 0, "depthwise_conv2d": 0, "conv2d_transpose": 1}
STATISTICS = ("Mean", "Variance")


_LAYOUTS = {"AnyLayout": "NCHW"}


def _foldable(conv: Operator) -> bool:
    if conv.attrs.get("groups", 1) != 1 and conv.type == "conv2d_transpose":
        return False
    return any(s.name == "Bias" for s in REGISTRY[conv.type].inputs)


def _layout(op: Operator, attribute: str) -> str:
    found = op.attrs.get(attribute, "NCHW")
    return _LAYOUTS.get(found, found)


def is_fixed(norm: Operator) -> bool:
    """Whether a norm neither trains nor writes its statistics elsewhere."""
    for slot in STATISTICS:
        read = norm.inputs.get(slot)
        if norm.outputs.get(f"{slot}Out", read) != read:
            return False
    return bool(norm.attrs.get("is_test") or norm.attrs.get("use_global_stats"))


def _norm_behind(convolution: Pattern) -> Pattern:
    return Pattern(
        "batch_norm", is_fixed, out="Y", updates=tuple(f"{s}Out" for s in STATISTICS),
        X=convolution, Scale=Operand("Scale"), Bias=Operand("Shift"),
        Mean=Operand("Mean"), Variance=Operand("Variance"),
        MomentumTensor=Operand("Momentum", optional=True),
    )  # fmt: skip


def _scaling_behind(convolution: Pattern) -> Pattern:
    return Pattern("affine_channel", X=convolution, Scale=Operand("Scale"), Bias=Operand("Shift"))


def _where(match: Match, def_use: DefUse) -> bool:
    """Weights that stay as they are, of a dtype that folding does not round; equal layouts."""
    [conv] = [op for op in match.ops() if op.type in _CONVOLUTIONS]
    if _layout(conv, "data_format") != _layout(match.root, "data_layout"):
        return False
    weights = [n for o in ("Filter", "Bias", "Scale", "Shift") for n in match.operands.get(o, [])]
    var = match.var("Filter")
    exact = var is not None and var.dtype in (VarType.FP32, VarType.FP64)
    return exact and all(def_use.is_constant(n) for n in weights)


def _folded(match: Match) -> list[Operator]:
    """The operator that folds the weights, and the convolution with what it makes."""
    block, norm = match.block, match.root
    [conv] = [op for op in match.ops() if op.type in _CONVOLUTIONS]
    out = norm.output_arg_names[0] if norm.type == "affine_channel" else norm.outputs["Y"][0]
    weight, scale = (block._var_recursive(match.operands[o][0]) for o in ("Filter", "Scale"))
    filter = block.create_var(name=f"{out}@FILTER", shape=weight.shape, dtype=weight.dtype)
    bias = block.create_var(name=f"{out}@BIAS", shape=[scale.shape[0]], dtype=weight.dtype)
    slots = ("Filter", "Bias", "Scale", "Shift", "Mean", "Variance")
    fold = made_from(
        norm,
        "fold_batch_norm",
        {slot: match.operands.get(slot, []) for slot in slots},
        {"FilterOut": [filter.name], "BiasOut": [bias.name]},
        {"epsilon": norm.attrs.get("epsilon", 1e-5), "axis": _CONVOLUTIONS[conv.type]},
    )
    inputs = {"Input": conv.inputs["Input"], "Filter": [filter.name], "Bias": [bias.name]}
    joined = made_from(norm, conv.type, inputs, {"Output": [out]}, own_attributes(conv))
    return [fold, joined]


def _folding(types: str, behind: Callable[[Pattern], Pattern]) -> Fusion:
    convolution = Pattern(
        types, _foldable, out="Output",
        Input=Operand("Input"), Filter=Operand("Filter"), Bias=Operand("Bias", optional=True),
    )  # fmt: skip
    return Fusion(behind(convolution), where=_where, build=_folded)


STRAIGHT = _folding("conv2d depthwise_conv2d", _norm_behind)
TRANSPOSED = _folding("conv2d_transpose", _norm_behind)
SCALED = _folding(" ".join(_CONVOLUTIONS), _scaling_behind)


def fuse_conv_bn(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Replaces convolution and batch norm by a convolution with folded weights.

    Matches ``batch_norm`` in test mode or with global statistics behind a convolution (``conv2d``,
    ``depthwise_conv2d``, ``conv2d_transpose`` without groups) of the same layout whose result
    nothing else reads, in the global block. The weights are folded in the first run, and again when
    one of them changes. Not matched: norms that train, results that are fetched or that a gradient
    reads, statistics that are fetched or go to other variables, weights that the Program writes,
    and other dtypes than float32 and float64.
    """
    straight = fuse_straight_conv_bn(program, feeds, fetches)
    return [*straight, *fuse_conv_transpose_bn(program, feeds, fetches)]


def fuse_straight_conv_bn(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """What :func:`fuse_conv_bn` does, for one kind of convolution.

    Matches those that are not transposed.
    """
    return fuse(STRAIGHT, [program.global_block()], fetches)


def fuse_conv_transpose_bn(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """What :func:`fuse_conv_bn` does, for one kind of convolution.

    Matches ``conv2d_transpose`` without groups.
    """
    return fuse(TRANSPOSED, [program.global_block()], fetches)


def fuse_conv_affine_channel(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Replaces convolution and ``affine_channel`` by a convolution with folded weights.

    Matches ``affine_channel``, which 1.x has for norms of fixed statistics, by the same rules as
    :func:`fuse_conv_bn`.
    """
    return fuse(SCALED, [program.global_block()], fetches)
