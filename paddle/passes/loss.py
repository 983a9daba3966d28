"""Joins the softmax loss of class numbers with its mean or sum, and their gradients too."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import Uses, gradient_of_output, made_from, replace, single, unchanged
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program


def fuse_loss(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Makes ``hard_cross_entropy``, the operator of dynamic mode, of a loss and its reduction.

    Matches ``softmax_with_cross_entropy`` of rows and class numbers (not soft labels) whose loss
    only a ``mean``, ``reduce_mean`` or ``reduce_sum`` of all elements reads, in the global block,
    with both gradients where there are any. Then the logarithms of the probabilities are all that
    backward keeps. Not matched: probabilities or losses that are fetched or read elsewhere, and
    logits or labels that are written before the reduction.
    """
    block = program.global_block()
    for entropy in [op for op in block.ops if op.type == "softmax_with_cross_entropy"]:
        uses = Uses(block, fetches)
        loss = single(entropy, "Loss", output=True)
        if loss is None or not _plain(block, entropy) or not uses.passing(loss):
            continue
        summed = next((op for op in uses.mentions.get(loss, []) if _reduction(op)), None)
        if summed is not None:
            _join(block, uses, entropy, summed, loss)
    program._changed()


def _plain(block: Block, op: Operator) -> bool:
    """Rows of logits and one class number each."""
    logits = block._find_var_recursive(op.inputs["Logits"][0])
    label = block._find_var_recursive(op.inputs["Label"][0])
    if logits is None or label is None or len(logits.shape) != 2:
        return False
    axis = op.attrs.get("axis", -1)
    return (
        axis in (-1, 1)
        and not op.attrs.get("soft_label", False)
        and op.attrs.get("use_softmax", True)
        and label.dtype in (VarType.INT64, VarType.INT32)
        and len(label.shape) == 2
        and label.shape[1] == 1
    )


def _reduction(op: Operator) -> str | None:
    """The reduction of all elements that an operator is, if it is one."""
    if op.type == "mean":
        return "mean"
    if op.type in ("reduce_mean", "reduce_sum") and op.attrs.get("reduce_all"):
        return None if op.attrs.get("keep_dim") else op.type[len("reduce_") :]
    return None


def _join(block: Block, uses: Uses, entropy: Operator, summed: Operator, loss: str) -> None:
    out = single(summed, "Out", output=True)
    soft = single(entropy, "Softmax", output=True)
    if out is None or soft is None or not uses.passing(soft):
        return
    back_sum = gradient_of_output(uses, summed, out)
    back = gradient_of_output(uses, entropy, loss)
    known = {id(op) for op in (summed, back_sum, back)}
    if (back is None) != (back_sum is None):
        return
    if any(id(op) not in known for n in (loss, soft) for op in uses.mentions.get(n, [])):
        return
    if back_sum is not None:
        passed = single(back_sum, "X@GRAD", output=True)
        if passed is None or uses.mentions.get(passed) != [back] or not uses.passing(passed):
            return
    if not unchanged(block, entropy.input_arg_names, entropy, summed):
        return
    if back is not None and back_sum is not None:
        # One gradient stands where that of the loss stood.
        if not unchanged(block, back_sum.inputs["Out@GRAD"], back_sum, back):
            return
    rows = block._var_recursive(entropy.inputs["Logits"][0])
    logp = block.create_var(name=f"{loss}@LOGP", shape=rows.shape, dtype=rows.dtype)
    count = block.create_var(name=f"{loss}@COUNT", shape=[1], dtype=rows.dtype)
    inputs = {"Logits": entropy.inputs["Logits"], "Label": entropy.inputs["Label"]}
    outputs = {"Loss": [out], "LogP": [logp.name], "Count": [count.name]}
    attrs = {
        "ignore_index": entropy.attrs.get("ignore_index", -100),
        "reduction": _reduction(summed),
    }
    replace(block, summed, made_from(summed, "hard_cross_entropy", inputs, outputs, attrs))
    replace(block, entropy, None)
    if back is None or back_sum is None:
        return
    given = {**inputs, **outputs, "Loss@GRAD": back_sum.inputs["Out@GRAD"]}
    grads = {"Logits@GRAD": back.outputs["Logits@GRAD"]}
    replace(block, back, made_from(back, "hard_cross_entropy_grad", given, grads, attrs))
    replace(block, back_sum, None)
