"""Fuses the softmax loss of class numbers with its mean or sum, and their gradients too."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse
from paddle.core.dtype import VarType
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


def fuse_loss(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Makes ``hard_cross_entropy``, the operator of dynamic mode, of a loss and its reduction.

    Matches ``softmax_with_cross_entropy`` of rows and class numbers (not soft labels) whose loss
    only a ``mean``, ``reduce_mean`` or ``reduce_sum`` of all elements reads, in the global block.
    Then the logarithms of the probabilities are all that backward keeps. Not matched: probabilities
    or losses that are fetched or read elsewhere, and logits or labels that are written before the
    reduction.
    """
    return fuse(LOSS, [program.global_block()], fetches)
