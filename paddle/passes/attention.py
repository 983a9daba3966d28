"""Fuses the products and the softmax of attention into one call, and their gradients too."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddle.analysis.def_use import DefUse
from paddle.core.dtype import VarType
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

# type of a product -> the attributes that say that an operand is transposed
_TRANSPOSED = {"matmul_v2": ("trans_x", "trans_y"), "matmul": ("transpose_X", "transpose_Y")}


def _product(x: Pattern, y: Operand, transposed: bool = False) -> Pattern:
    """A product whose second operand is transposed, or neither of them."""

    def where(op: Operator) -> bool:
        left, right = _TRANSPOSED[op.type]
        return not op.attrs.get(left) and bool(op.attrs.get(right)) is transposed

    return Pattern(" ".join(_TRANSPOSED), where, X=x, Y=y)


def _multiplies(op: Operator) -> bool:
    return not op.attrs.get("bias", 0.0)


def _drops_nothing(op: Operator) -> bool:
    """Whether a dropout hands its input on: nothing is to be dropped, or nothing is trained."""
    way = op.attrs.get("dropout_implementation", "downgrade_in_infer")
    tests = bool(op.attrs.get("is_test")) and way == "upscale_in_train"
    return tests or not op.attrs.get("dropout_prob", 0.5)


_q = Pattern("scale", _multiplies, optional=True, X=Operand("Q"))
_scores = _product(_q, Operand("K"), transposed=True)
_scaled = Pattern("scale", _multiplies, repeated=True, X=_scores)
_masked = Pattern(
    "elementwise_add", lambda op: op.attrs.get("axis", -1) in (-1, 0), optional=True,
    X=_scaled, Y=Operand("Mask", trainable=False),
)  # fmt: skip
_softmax = Pattern("softmax", lambda op: op.attrs.get("axis", -1) in (-1, 3), X=_masked)
_weights = Pattern("dropout", _drops_nothing, repeated=True, X=_softmax)
_attention = _product(_weights, Operand("V"))


def _where(match: Match, def_use: DefUse) -> bool:
    """Four dimensions, one dtype, and V as wide as K: ATen's kernel has one width for both."""
    if match[_attention].attrs.get("alpha", 1.0) != 1.0:
        return False
    known = [match.var(name) for name in match.operands]
    operands = [match.var(name) for name in "QKV"]
    if any(var is None or var.dtype not in (VarType.FP32, VarType.FP64) for var in known):
        return False
    shapes = [var.shape for var in operands if var is not None]
    if any(len(shape) != 4 or shape[3] != shapes[0][3] or shape[3] < 1 for shape in shapes):
        return False
    mask = match.var("Mask")
    if len({var.dtype for var in known if var is not None}) != 1:
        return False
    if mask is None:
        return True
    ranks = (4,) if match[_masked].attrs.get("axis", -1) == 0 else (1, 2, 3, 4)
    return len(mask.shape) in ranks


def _attributes(match: Match) -> dict:
    factors = [float(op.attrs.get("scale", 1.0)) for op in match.every(_q, _scaled)]
    factors.append(match[_scores].attrs.get("alpha", 1.0))
    return {"scale": math.prod(factors), "broadcast": True}


ATTENTION = Fusion(_attention, "scaled_dot_product_attention", _attributes, _where)


def fuse_attention(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes ``scaled_dot_product_attention`` of the operators that attention is recorded as.

    Matches ``matmul_v2`` or ``matmul`` of Q and the transposed K, ``softmax`` over the keys and the
    product with V, of four dimensions and one dtype; on the way there may be a ``scale`` of Q or of
    the scores, the addition of a mask and a ``dropout`` that drops nothing. Then neither scores nor
    weights are ever in memory as a whole. Not matched: scores or weights that are fetched, stored
    or read elsewhere, a mask that wants a gradient, operands that are written on the way.
    """
    return fuse(ATTENTION, program.blocks, fetches)
