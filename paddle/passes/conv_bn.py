"""Fuses a convolution with the batch norm behind it where the statistics stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.core.dtype import VarType
from paddle.core.op import REGISTRY
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

# type -> dimension of the filter along which its outputs lie
_CONVOLUTIONS = {"conv2d": 0, "depthwise_conv2d": 0, "conv2d_transpose": 1}
_STATISTICS = ("Mean", "Variance")


def _foldable(conv: Operator) -> bool:
    if conv.attrs.get("groups", 1) != 1 and conv.type == "conv2d_transpose":
        return False
    channels_last = str(conv.attrs.get("data_format", "NCHW")).endswith("C")
    return not channels_last and any(s.name == "Bias" for s in REGISTRY[conv.type].inputs)


def _fixed(norm: Operator) -> bool:
    """Whether a norm neither trains nor writes its statistics elsewhere."""
    if norm.attrs.get("data_layout", "NCHW") not in ("NCHW", "AnyLayout"):
        return False
    for slot in _STATISTICS:
        read = norm.inputs.get(slot)
        if norm.outputs.get(f"{slot}Out", read) != read:
            return False
    return bool(norm.attrs.get("is_test") or norm.attrs.get("use_global_stats"))


_convolution = Pattern(
    " ".join(_CONVOLUTIONS), _foldable, out="Output",
    Input=Operand("Input"), Filter=Operand("Filter"), Bias=Operand("Bias", optional=True),
)  # fmt: skip
_norm = Pattern(
    "batch_norm", _fixed, out="Y", updates=tuple(f"{s}Out" for s in _STATISTICS),
    X=_convolution, Scale=Operand("Scale"), Bias=Operand("Shift"),
    Mean=Operand("Mean"), Variance=Operand("Variance"),
    MomentumTensor=Operand("Momentum", optional=True),
)  # fmt: skip


def _where(match: Match, def_use: DefUse) -> bool:
    """Weights that stay as they are, of a dtype that folding does not round."""
    weights = [n for o in ("Filter", "Bias", "Scale", "Shift") for n in match.operands.get(o, [])]
    var = match.var("Filter")
    exact = var is not None and var.dtype in (VarType.FP32, VarType.FP64)
    return exact and all(def_use.is_constant(n) for n in weights)


def _folded(match: Match) -> list[Operator]:
    """The operator that folds the weights, and the convolution with what it makes."""
    block, conv, norm = match.block, match[_convolution], match[_norm]
    out = norm.outputs["Y"][0]
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


FOLDED = Fusion(_norm, where=_where, build=_folded)


def fuse_conv_bn(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Replaces convolution and batch norm by a convolution with folded weights.

    Matches ``batch_norm`` in test mode or with global statistics behind a convolution (``conv2d``,
    ``depthwise_conv2d``, ``conv2d_transpose`` without groups) in NCHW whose result nothing else
    reads, in the global block. The weights are folded in the first run, and again when one of them
    changes. Not matched: norms that train, results that are fetched or that a gradient reads,
    statistics that are fetched or go to other variables, weights that the Program writes, and
    other dtypes than float32 and float64.
    """
    return fuse(FOLDED, [program.global_block()], fetches)
