"""Arithmetic whose operands 1.x lines up, or flattens, in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from .calls import MISSING, CallEdit, Stays, call, code, literal
from .handlers import handler

if TYPE_CHECKING:
    from .places import Place


@handler
def elementwise(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`axis` says at which dimension of x those of y begin; 2.0 lines up the last ones.

    So y gets a 1 for each dimension of x behind its own. That needs y's rank, and x's if y has more
    than one dimension (1.x lines up x where it is the one with fewer); what is not known stays.
    """
    node, new = edit.get("axis"), edit.rule.new
    axis = literal(node) if node is not None else -1
    edit.drop("axis")
    if axis in (-1, None):
        edit.move()
        return edit.build(new)
    x, y = edit.get("x"), edit.get("y")
    given = f"axis={code(node)}" if node is not None else ""
    hint = f"{given}: write paddle.unsqueeze(y, ...) to line y up, and {new}"
    if axis is MISSING or x is None or y is None:
        raise Stays(hint)
    ranks = [place.rank(0, "x"), place.rank(1, "y")]
    if ranks[1] is None or axis < 0:
        raise Stays(f"{hint} (how many dimensions y has cannot be seen)")
    if ranks[0] is not None:
        behind = list(range(ranks[1], ranks[0] - axis))
        if ranks[0] < ranks[1] + axis:
            raise Stays(hint)
        if behind:
            ones = f"shape={[0] * ranks[1] + [1] * len(behind)}"  # a reshape hands levels on
            edit.set("y", call("paddle.reshape", y, ones) if place.levels
                     else call("paddle.unsqueeze", y, f"axis={behind}"))  # fmt: skip
    elif ranks[1] == 1 and (like := place.shaped_as(0, "x")):
        back = "1" if axis == 0 else str(axis + 1)
        shape = f"shape=[-1] + [1] * (len({like}.shape) - {back})"
        edit.set("y", call("paddle.reshape", y, shape))
    else:
        raise Stays(f"{hint} (how many dimensions x has cannot be seen)")
    edit.move()
    return edit.build(new)


@handler
def cos_sim(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """2.0's bounds the norms and drops a dimension, so it is written out."""
    x, y = edit.get("X"), edit.get("Y")
    if not isinstance(x, cst.Name) or not isinstance(y, cst.Name):
        raise Stays(
            "paddle.nn.functional.cosine_similarity gives [N] where this gives [N, 1], and bounds "
            "the norms; give names to both operands first"
        )
    if place.levels:
        raise Stays(
            "the operands may have levels, which the sum of their products would drop; where they "
            "have none write it as paddle.sum(x * y, 1, keepdim=True) over the roots of the sums "
            "of squares"
        )
    rows = [place.rank(0, "X") == 2, place.rank(1, "Y") == 2]
    x, y = (v if two else call("paddle.flatten", v, "start_axis=1") for v, two in zip((x, y), rows))

    def norm(value: cst.BaseExpression) -> cst.Call:
        return call("paddle.sqrt", _row_sums(call("paddle.square", value)))

    above = _row_sums(call("paddle.multiply", x, y))
    return call("paddle.divide", above, call("paddle.multiply", norm(x), norm(y)))


def _row_sums(value: cst.BaseExpression) -> cst.Call:
    return call("paddle.sum", value, "axis=1", "keepdim=True")
