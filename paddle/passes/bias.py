"""Fuses a product or convolution with the addition of its bias, and their gradients too."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse
from paddle.core.op import REGISTRY
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

_product = Pattern("matmul_v2 mul", X=Operand("X"), Y=Operand("W"))
_product_and_bias = Pattern("elementwise_add", X=_product, Y=Operand("Bias"))


def _takes_bias(op: Operator) -> bool:
    return any(slot.name == "Bias" for slot in REGISTRY[op.type].inputs)


_convolution = Pattern(
    "conv2d depthwise_conv2d conv2d_transpose", _takes_bias, out="Output",
    Input=Operand("Input"), Filter=Operand("Filter"),
)  # fmt: skip
_convolution_and_bias = Pattern("elementwise_add", X=_convolution, Y=Operand("Bias"))


def _is_bias(match: Match, along: int) -> bool:
    """Whether one number is added for each element along a dimension, of the same dtype."""
    bias, middle = match.var("Bias"), match.block.vars.get(match.root.inputs["X"][0])
    if bias is None or middle is None or len(bias.shape) != 1 or bias.dtype != middle.dtype:
        return False
    rank, axis = len(middle.shape), match.root.attrs.get("axis", -1)
    along = along % max(rank, 1)
    if rank < 2 or (rank - 1 if axis == -1 else axis) != along:
        return False
    return 1 <= bias.shape[0] == middle.shape[along]  # one number for a whole row is no bias


def _is_linear(match: Match, def_use: DefUse) -> bool:
    """Whether rows are multiplied by a matrix that is not transposed."""
    op, x, w = match[_product], match.var("X"), match.var("W")
    if x is None or w is None or len(w.shape) != 2 or len(x.shape) < 2 or x.dtype != w.dtype:
        return False
    if op.type == "mul":
        rows = op.attrs.get("x_num_col_dims", 1)
        if rows != len(x.shape) - 1 or op.attrs.get("y_num_col_dims", 1) != 1:
            return False
    elif op.attrs.get("trans_x") or op.attrs.get("trans_y"):
        return False
    return _is_bias(match, -1)


def _is_of_channels(match: Match, def_use: DefUse) -> bool:
    last = str(match[_convolution].attrs.get("data_format", "NCHW")).endswith("C")
    return _is_bias(match, -1 if last else 1)


LINEAR = Fusion(_product_and_bias, "linear", where=_is_linear)
CONVOLUTION = Fusion(_convolution_and_bias, _convolution, where=_is_of_channels)


def fuse_fc(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Makes ``linear`` of a product and the addition of its bias: one call, nothing in between.

    Matches ``matmul_v2`` or ``mul`` by a matrix, not transposed, whose result nothing but an
    ``elementwise_add`` of one row of the same dtype reads. Not matched: a product that is fetched,
    stored, read a second time, by a sub-block too, or whose operands are written before the
    addition.
    """
    return fuse(LINEAR, program.blocks, fetches)


def fuse_conv_bias(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Gives a convolution the bias that an ``elementwise_add`` adds along its channels.

    Matches ``conv2d``, ``depthwise_conv2d`` and ``conv2d_transpose`` without a Bias, by the same
    rules as :func:`fuse_fc`.
    """
    return fuse(CONVOLUTION, program.blocks, fetches)
