"""Joins the products and the softmax of attention into one call, and their gradients too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from paddle.analysis.def_use import Uses, made_from, replace, single, unchanged
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program

_NAME = "scaled_dot_product_attention"
# type -> the attributes that say that an operand is transposed
_PRODUCTS = {"matmul_v2": ("trans_x", "trans_y"), "matmul": ("transpose_X", "transpose_Y")}


def fuse_attention(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Makes ``scaled_dot_product_attention`` of the operators that attention is recorded as.

    Matches ``matmul_v2`` or ``matmul`` of Q and the transposed K, ``softmax`` over the keys and the
    product with V, of four dimensions and one dtype; on the way there may be a ``scale`` of Q or of
    the scores, the addition of a mask and a ``dropout`` that drops nothing. Where there are
    gradients, all of them belong to the match and become one operator. Then neither scores nor
    weights are ever in memory as a whole. Not matched: scores or weights that are fetched, stored
    or read elsewhere, a mask that wants a gradient, operands that are written on the way, V of
    another width than K (ATen's kernel has one for both).
    """
    for block in program.blocks:
        uses = Uses(block, fetches)
        for softmax in [op for op in block.ops if op.type == "softmax"]:
            found = _match(uses, softmax)
            if found is not None and _closed(uses, found) and _steady(block, found):
                _join(block, found)
                uses = Uses(block, fetches)
    program._changed()


@dataclass
class _Match:
    """What one attention consists of.

    Attributes:
        slots (dict): the variables of Q, K, V and Mask.
        readers (dict): the operator that reads each of them in the forward direction.
        out (str): the variable of the result.
        scale (float): by which the scores are multiplied.
        chain (list): the operators from the last to the first, linked by their first operand.
        back (list): the gradient of each of them, in the same order; empty without training.
        d_out (str): the gradient of the result.
        grads (dict): the variables of the gradients of Q, K and V.
    """

    slots: dict[str, list[str]]
    readers: dict[str, Operator]
    out: str
    scale: float
    chain: list[Operator]
    back: list[Operator] = field(default_factory=list)
    d_out: str = ""
    grads: dict[str, list[str]] = field(default_factory=dict)


def _match(uses: Uses, softmax: Operator) -> _Match | None:
    """Follows the operators around a softmax: forward to the result, then back to Q."""
    following: list[Operator] = []
    op = softmax
    while op.type not in _PRODUCTS:
        made = single(op, "Out", output=True) or ""
        readers = [o for o in uses.mentions.get(made, []) if single(o, "X") == made]
        ahead = [o for o in readers if o.type in _PRODUCTS or _drops_nothing(o)]
        if len(ahead) != 1:
            return None
        op = ahead[0]
        following.append(op)
    chain = [*following[::-1], softmax]
    factor, product, mask = 1.0, None, None
    while product is None:
        made_by = uses.maker(single(chain[-1], "X") or "")
        if made_by is None:
            return None
        if made_by.type in _PRODUCTS:
            product = made_by
        elif _scales(made_by):
            factor *= made_by.attrs.get("scale", 1.0)
        elif made_by.type == "elementwise_add" and chain[-1] is softmax:
            mask = made_by
        else:
            return None
        chain.append(made_by)
    scaled = single(product, "X") or ""
    before = uses.maker(scaled)
    alone = all(op.type.startswith(product.type) for op in uses.mentions.get(scaled, []))
    if before is not None and _scales(before) and alone and uses.passing(scaled):
        factor *= before.attrs.get("scale", 1.0)
        chain.append(before)
    return _described(uses, chain, product, mask, factor * product.attrs.get("alpha", 1.0))


def _described(
    uses: Uses, chain: list[Operator], product: Operator, mask: Operator | None, factor: float
) -> _Match | None:
    """The match, if the operators are those of attention and shapes and dtypes fit."""
    last, softmax = chain[0], next(op for op in chain if op.type == "softmax")
    if _turned(product) != (False, True) or _turned(last) != (False, False):
        return None
    if last.attrs.get("alpha", 1.0) != 1.0 or softmax.attrs.get("axis", -1) not in (-1, 3):
        return None
    readers = {"Q": (chain[-1], "X"), "K": (product, "Y"), "V": (last, "Y")}
    if mask is not None:
        readers["Mask"] = mask, "Y"
        if mask.attrs.get("axis", -1) != -1:
            return None
    names = {slot: single(op, operand) or "" for slot, (op, operand) in readers.items()}
    out = single(last, "Out", output=True)
    found = [uses.block._find_var_recursive(name) for name in names.values()]
    known = [var for var in found if var is not None]
    if out is None or len(known) < len(found) or len({var.dtype for var in known}) != 1:
        return None
    if known[0].dtype not in (VarType.FP32, VarType.FP64):
        return None
    operands = [list(var.shape) for var in known[:3]]
    if any(len(shape) != 4 or shape[3] != operands[0][3] for shape in operands):
        return None
    if operands[0][3] < 1 or any(not 1 <= len(var.shape) <= 4 for var in known[3:]):
        return None
    slots = {slot: [name] for slot, name in names.items()}
    first = {slot: op for slot, (op, _) in readers.items()}
    return _with_gradients(uses, _Match(slots, first, out, factor, chain))


def _turned(op: Operator) -> tuple[bool, bool]:
    """Whether a product transposes its operands."""
    x, y = _PRODUCTS[op.type]
    return bool(op.attrs.get(x)), bool(op.attrs.get(y))


def _scales(op: Operator) -> bool:
    """Whether an operator multiplies by a number that is known and does nothing else."""
    if op.type != "scale" or op.inputs.get("ScaleTensor") or op.attrs.get("bias", 0.0):
        return False
    return single(op, "X") is not None


def _drops_nothing(op: Operator) -> bool:
    """Whether a dropout hands its input on: nothing is to be dropped, or nothing is trained."""
    if op.type != "dropout" or op.inputs.get("Seed"):
        return False
    if not op.attrs.get("dropout_prob", 0.5):
        return True
    way = op.attrs.get("dropout_implementation", "downgrade_in_infer")
    return bool(op.attrs.get("is_test")) and way == "upscale_in_train"


def _with_gradients(uses: Uses, found: _Match) -> _Match | None:
    """Adds the gradients of the operators; None where only some of them are there."""
    last = found.chain[0]
    weights = single(last, "X") or ""
    at = [
        op for op in uses.mentions.get(weights, [])
        if op.type == last.type + "_grad" and single(op, "X") == weights
    ]  # fmt: skip
    if not at:
        return found
    here = at[0]
    d_out = single(here, "Out@GRAD")
    if d_out is None or len(at) > 1 or single(here, "Y") != found.slots["V"][0]:
        return None
    found.d_out, found.back = d_out, [here]
    found.grads = {"Q": [], "K": [], "V": here.outputs.get("Y@GRAD", [])}
    for op in found.chain[1:]:
        passed = single(here, _passed(here), output=True)
        if passed is None and op is found.chain[-1] and op.type == "scale":
            return found  # Q wants no gradient
        readers = uses.mentions.get(passed, []) if passed else []
        if len(readers) != 1 or not _belongs(readers[0], op):
            return None
        here = readers[0]
        found.back.append(here)
        if op.type in _PRODUCTS:
            found.grads["K"] = here.outputs.get("Y@GRAD", [])
        elif any(n != EMPTY for n in here.outputs.get("Y@GRAD", [])):
            return None  # a mask that is trained
    found.grads["Q"] = here.outputs.get(_passed(here), [])
    return found


def _passed(op: Operator) -> str:
    """The slot in which a gradient operator hands on: that of a scale is a scale."""
    return "Out" if op.type == "scale" else "X@GRAD"


def _belongs(gradient: Operator, op: Operator) -> bool:
    """Whether an operator is the gradient of another one, given that it takes its result's."""
    if op.type == "scale":
        return _scales(gradient) and gradient.attrs.get("scale", 1.0) == op.attrs.get("scale", 1.0)
    if gradient.type != op.type + "_grad":
        return False
    if op.type == "softmax":
        return gradient.inputs.get("Out") == op.outputs["Out"]
    return op.type not in _PRODUCTS or (
        gradient.inputs.get("X") == op.inputs["X"] and gradient.inputs.get("Y") == op.inputs["Y"]
    )


def _closed(uses: Uses, found: _Match) -> bool:
    """Says whether nothing else knows what is between the operands and the results."""
    known = {id(op) for op in (*found.chain, *found.back)}
    results = {found.out, *(n for names in found.grads.values() for n in names), EMPTY}
    inner = {n for op in (*found.chain, *found.back) for n in op.output_arg_names} - results
    return not any(inner.intersection(names) for names in found.slots.values()) and all(
        uses.passing(n) and all(id(op) in known for op in uses.mentions.get(n, [])) for n in inner
    )


def _steady(block: Block, found: _Match) -> bool:
    """Says whether the operands keep their values, and nothing else makes the gradients."""
    at = {id(op): i for i, op in enumerate(block.ops)}
    last = max((*found.chain, *found.back), key=lambda op: at[id(op)])
    # An operand may be made as late as its first reader needs it, a mask after the product, say.
    if not all(unchanged(block, found.slots[s], op, last) for s, op in found.readers.items()):
        return False
    if not found.back:
        return True
    if not unchanged(block, [found.out], found.chain[0], last):
        return False
    # All gradients are made where that of V was.
    grads = {n for n in (*found.grads["Q"], *found.grads["K"]) if n != EMPTY}
    known = {id(op) for op in found.back}
    start = found.back[0]
    return not any(
        grads & {*op.input_arg_names, *op.output_arg_names} or op.sub_blocks
        for op in block.ops[at[id(start)] : at[id(last)]]
        if id(op) not in known
    )


def _join(block: Block, found: _Match) -> None:
    attrs = {"scale": float(found.scale), "broadcast": True}
    outputs = {"Out": [found.out]}
    if found.back:
        result = block._var_recursive(found.out)
        logs = block.create_var(
            name=f"{found.out}@LOGS", shape=list(result.shape[:3]), dtype=result.dtype
        )
        outputs["Saved"] = [logs.name]
    forward, backward = found.chain[0], found.back[0] if found.back else None
    replace(block, forward, made_from(forward, _NAME, found.slots, outputs, attrs))
    if backward is not None:
        given = {**found.slots, **outputs, "Out@GRAD": [found.d_out]}
        grads = {f"{slot}@GRAD": names for slot, names in found.grads.items()}
        replace(block, backward, made_from(backward, f"{_NAME}_grad", given, grads, attrs))
    for op in (*found.chain[1:], *found.back[1:]):
        replace(block, op, None)
