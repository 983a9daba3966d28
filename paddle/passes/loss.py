"""Fuses the softmax loss of class numbers with its mean or sum, and their gradients too."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.needs import is_gradient
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern


def _of_class_numbers(op: Operator) -> bool:
    return not op.attrs.get("soft_label", False) and op.attrs.get("use_softmax", True)


def _of_all_elements(op: Operator) -> bool:
    return op.type == "mean" or (
        bool(op.attrs.get("reduce_all")) and not op.attrs.get("keep_dim", False)
    )


_entropy = Pattern(
    "softmax_with_cross_entropy", _of_class_numbers, out="Loss",
    Logits=Operand("Logits"), Label=Operand("Label", trainable=False),
)  # fmt: skip
_total = Pattern("mean reduce_mean reduce_sum", _of_all_elements, X=_entropy)


def _where(match: Match, def_use: DefUse) -> bool:
    """Rows of logits and one class number each."""
    logits, label = match.var("Logits"), match.var("Label")
    return (
        logits is not None
        and label is not None
        and len(logits.shape) == 2
        and match[_entropy].attrs.get("axis", -1) in (-1, 1)
        and label.dtype in (VarType.INT64, VarType.INT32)
        and len(label.shape) == 2
        and label.shape[1] == 1
    )


def _attributes(match: Match) -> dict:
    return {
        "ignore_index": match[_entropy].attrs.get("ignore_index", -100),
        "reduction": match[_total].type.removeprefix("reduce_"),
    }


LOSS = Fusion(_total, "hard_cross_entropy", _attributes, _where)

# The same as 1.x writes it: the probabilities first.
_probabilities = Pattern("softmax", X=Operand("Logits"))
_picked = Pattern(
    "cross_entropy2", out="Y", X=_probabilities, Label=Operand("Label", trainable=False)
)
_old_total = Pattern("mean reduce_mean reduce_sum", _of_all_elements, X=_picked)


def _old_where(match: Match, def_use: DefUse) -> bool:
    """Rows of scores, the last dimension being the classes, and one class number each."""
    logits, label = match.var("Logits"), match.var("Label")
    return (
        logits is not None
        and label is not None
        and len(logits.shape) == 2
        and match[_probabilities].attrs.get("axis", -1) in (-1, 1)
        and label.dtype in (VarType.INT64, VarType.INT32)
        and tuple(label.shape[1:]) == (1,)
    )


def _old_attributes(match: Match) -> dict:
    return {
        "ignore_index": match[_picked].attrs.get("ignore_index", -100),
        "reduction": match[_old_total].type.removeprefix("reduce_"),
    }


OLD_LOSS = Fusion(_old_total, "hard_cross_entropy", _old_attributes, _old_where)


def fuse_loss(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Makes ``hard_cross_entropy``, the operator of dynamic mode, of a loss and its reduction.

    Matches ``softmax_with_cross_entropy`` of rows and class numbers (not soft labels) whose loss
    only a ``mean``, ``reduce_mean`` or ``reduce_sum`` of all elements reads, in the global block.
    Then the logarithms of the probabilities are all that backward keeps. Not matched: probabilities
    or losses that are fetched or read elsewhere, and logits or labels that are written before the
    reduction.
    """
    block = program.global_block()
    _part_probabilities(block, fetches)
    return fuse(LOSS, [block], fetches) + fuse(OLD_LOSS, [block], fetches)


def _part_probabilities(block: Block, fetches: Sequence[str]) -> None:
    """Lets the loss of 1.x have probabilities of its own where a measure reads them, too.

    Programs of 1.x compute ``accuracy(input=prediction)`` beside the loss of the prediction. A
    second softmax costs less than the loss without the fusion.
    """
    if not any(op.type == "cross_entropy2" for op in block.ops):
        return
    readers: dict[str, list[Operator]] = {}
    for op in block.ops:
        for name in set(op.input_arg_names):
            readers.setdefault(name, []).append(op)
    for at, op in reversed(list(enumerate(block.ops))):
        if op.type != "softmax" or op.outputs["Out"] == op.inputs["X"]:
            continue
        name = op.outputs["Out"][0]
        found = readers.get(name, [])
        losses = [r for r in found if r.type == "cross_entropy2"]
        rest = [r for r in found if r.type != "cross_entropy2" and not is_gradient(r)]
        if len(losses) == 1 and (rest or name in fetches):
            _second_softmax(block, at, name, [losses[0], *filter(is_gradient, found)])


def _second_softmax(block: Block, at: int, name: str, readers: list[Operator]) -> None:
    """Computes a softmax twice, and lets some of its readers read the second one."""
    source = block.vars[name]
    own = block.create_var(
        name=f"{name}@loss", shape=source.shape, dtype=source.dtype, stop_gradient=False
    )
    first = block.ops[at]
    again = Operator(
        block, "softmax", {"X": list(first.inputs["X"])}, {"Out": [own.name]}, dict(first.attrs),
        first.location,
    )  # fmt: skip
    block.ops.insert(at + 1, again)
    for reader in readers:
        reader._rename_input(name, own.name)
