"""Joins a convolution with the batch norm behind it where the statistics stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import Uses, made_from, replace, single, unchanged
from paddle.core.dtype import VarType
from paddle.core.op import REGISTRY
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program

# type -> dimension of the filter along which its outputs lie
_CONVOLUTIONS = {"conv2d": 0, "depthwise_conv2d": 0, "conv2d_transpose": 1}
_STATISTICS = ("Mean", "Variance")


def fuse_conv_bn(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Replaces convolution and batch norm by a convolution with folded weights.

    Matches ``batch_norm`` in test mode or with global statistics behind a convolution (``conv2d``,
    ``depthwise_conv2d``, ``conv2d_transpose`` without groups) in NCHW whose result nothing else
    reads, in the global block. The weights are folded in the first run, and again when one of them
    changes. Not matched: norms that train, results that are fetched or that a gradient reads,
    statistics that are fetched or go to other variables, weights that the Program writes, and
    other dtypes than float32 and float64.
    """
    block = program.global_block()
    uses = Uses(block, fetches)
    for norm in [op for op in block.ops if op.type == "batch_norm" and _fixed(op)]:
        conv = uses.maker(single(norm, "X") or "")
        if conv is not None and _joins(block, uses, conv, norm):
            _join(block, conv, norm)
            uses = Uses(block, fetches)
    program._changed()


def _fixed(norm: Operator) -> bool:
    if norm.attrs.get("data_layout", "NCHW") not in ("NCHW", "AnyLayout"):
        return False
    return bool(norm.attrs.get("is_test") or norm.attrs.get("use_global_stats"))


def _joins(block: Block, uses: Uses, conv: Operator, norm: Operator) -> bool:
    if conv.type not in _CONVOLUTIONS or (
        conv.attrs.get("groups", 1) != 1 and (conv.type == "conv2d_transpose")
    ):
        return False
    known = REGISTRY[conv.type]
    if not any(s.name == "Bias" for s in known.inputs):
        return False
    if str(conv.attrs.get("data_format", "NCHW")).endswith("C"):
        return False
    middle = single(norm, "X")
    if middle is None or not uses.passing(middle) or uses.mentions.get(middle) != [norm]:
        return False
    weights = [*conv.inputs["Filter"], *conv.inputs.get("Bias", [])]
    weights += [n for s in ("Scale", "Bias") for n in norm.inputs[s]]
    if not all(uses.constant(n) for n in weights):
        return False
    if not unchanged(block, conv.input_arg_names, conv, norm):
        return False
    var = block._find_var_recursive(weights[0])
    if var is None or var.dtype not in (VarType.FP32, VarType.FP64):
        return False  # folding would round the weights to half precision
    if any(norm.outputs.get(f"{s}Out", norm.inputs[s]) != norm.inputs[s] for s in _STATISTICS):
        return False
    others = [n for s, ns in norm.outputs.items() if s.startswith("Saved") for n in ns]
    if not all(uses.passing(n) and not uses.mentions.get(n) for n in others):
        return False
    return single(norm, "Y", output=True) is not None


def _join(block: Block, conv: Operator, norm: Operator) -> None:
    weight = conv.inputs["Filter"][0]
    source = block._var_recursive(weight)
    out = norm.outputs["Y"][0]
    made = {
        "FilterOut": block.create_var(name=f"{out}@FILTER", shape=source.shape, dtype=source.dtype),
        "BiasOut": block.create_var(
            name=f"{out}@BIAS", shape=[block._var_recursive(norm.inputs["Scale"][0]).shape[0]],
            dtype=source.dtype,
        ),
    }  # fmt: skip
    fold = made_from(
        norm,
        "fold_batch_norm",
        {
            "Filter": [weight],
            "Bias": conv.inputs.get("Bias", []),
            "Scale": norm.inputs["Scale"],
            "Shift": norm.inputs["Bias"],
            "Mean": norm.inputs["Mean"],
            "Variance": norm.inputs["Variance"],
        },
        {slot: [var.name] for slot, var in made.items()},
        {"epsilon": norm.attrs.get("epsilon", 1e-5), "axis": _CONVOLUTIONS[conv.type]},
    )
    inputs = {**conv.inputs, "Filter": [made["FilterOut"].name], "Bias": [made["BiasOut"].name]}
    attrs = {k: v for k, v in conv.attrs.items() if not k.startswith("op_")}
    joined = made_from(norm, conv.type, inputs, {"Output": norm.outputs["Y"]}, attrs)
    at = next(i for i, op in enumerate(block.ops) if op is norm)
    block.ops[at : at + 1] = [fold, joined]
    replace(block, conv, None)
