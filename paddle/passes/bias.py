"""Joins a product or convolution with the addition of its bias, and their gradients too."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import (
    Uses,
    between,
    gradient_of_output,
    made_from,
    replace,
    single,
    unchanged,
)
from paddle.core.op import REGISTRY
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program

# type -> (slot of the weight, slot of the result)
_PRODUCTS = {"matmul_v2": ("Y", "Out"), "mul": ("Y", "Out")}
_CONVOLUTIONS = {
    "conv2d": ("Filter", "Output"),
    "depthwise_conv2d": ("Filter", "Output"),
    "conv2d_transpose": ("Filter", "Output"),
}


def fuse_fc(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Makes ``linear`` of a product and the addition of its bias: one call, nothing in between.

    Matches ``matmul_v2`` or ``mul`` by a matrix, not transposed, whose result nothing but an
    ``elementwise_add`` of one row of the same dtype reads. Where there are gradients, both belong
    to the match and become ``linear_grad``. Not matched: a product that is fetched, stored, read a
    second time, by a sub-block too, or whose operands are written before the addition.
    """
    _fuse(program, fetches, _PRODUCTS)


def fuse_conv_bias(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Gives a convolution the bias that an ``elementwise_add`` adds along its channels.

    Matches ``conv2d``, ``depthwise_conv2d`` and ``conv2d_transpose`` without a Bias, by the same
    rules as :func:`fuse_fc`; gradients are joined with it.
    """
    _fuse(program, fetches, _CONVOLUTIONS)


def _fuse(program: Program, fetches: Sequence[str], makers: dict[str, tuple[str, str]]) -> None:
    for block in program.blocks:
        uses = Uses(block, fetches)
        for add in [op for op in block.ops if op.type == "elementwise_add"]:
            maker = uses.maker(single(add, "X") or "")
            if maker is None or maker.type not in makers:
                continue
            if _joins(block, uses, maker, add):
                _join(block, uses, maker, add)
                uses = Uses(block, fetches)
    program._changed()


def _joins(block: Block, uses: Uses, maker: Operator, add: Operator) -> bool:
    """Says whether ``add`` does nothing but add a bias to what ``maker`` made."""
    bias, middle = single(add, "Y"), single(add, "X")
    if bias is None or middle is None or not uses.passing(middle):
        return False
    var, out = block._find_var_recursive(bias), block.vars[middle]
    if var is None or len(var.shape) != 1 or len(out.shape) < 2 or var.dtype != out.dtype:
        return False
    axis = add.attrs.get("axis", -1)
    axis = len(out.shape) - 1 if axis == -1 else axis
    if not 0 <= axis < len(out.shape) or var.shape[0] < 1 or var.shape[0] != out.shape[axis]:
        return False  # one number for a whole row is no bias
    if maker.type in _PRODUCTS:
        if not _plain_product(block, maker) or axis != len(out.shape) - 1:
            return False
    else:
        known = REGISTRY[maker.type]
        if maker.inputs.get("Bias") or not any(s.name == "Bias" for s in known.inputs):
            return False
        last = str(maker.attrs.get("data_format", "NCHW")).endswith("C")
        if axis != (len(out.shape) - 1 if last else 1):
            return False
    # The joined operator stands where the addition stood.
    return unchanged(block, maker.input_arg_names, maker, add) and _only_added(
        uses, maker, add, middle
    )


def _plain_product(block: Block, op: Operator) -> bool:
    x, w = single(op, "X"), single(op, "Y")
    if x is None or w is None:
        return False
    left, right = block._find_var_recursive(x), block._find_var_recursive(w)
    if left is None or right is None or len(right.shape) != 2 or len(left.shape) < 2:
        return False
    if left.dtype != right.dtype:
        return False
    if op.type == "mul":
        rows = op.attrs.get("x_num_col_dims", 1)
        return rows == len(left.shape) - 1 and op.attrs.get("y_num_col_dims", 1) == 1
    return not op.attrs.get("trans_x") and not op.attrs.get("trans_y")


def _only_added(uses: Uses, maker: Operator, add: Operator, middle: str) -> bool:
    """Says whether nothing but the addition and both gradients knows the sum without bias."""
    if uses.only_reader(middle) is not add:
        return False
    out = single(add, "Out", output=True)
    backward = gradient_of_output(uses, add, out) if out else None
    back = gradient_of_output(uses, maker, middle)
    rest = [op for op in uses.mentions.get(middle, []) if op not in (add, backward, back)]
    if rest or (backward is None) != (back is None):
        return False
    if backward is None or back is None:
        return True
    passed = single(backward, "X@GRAD", output=True)
    if passed is None or not uses.passing(passed) or uses.mentions.get(passed) != [back]:
        return False
    if not unchanged(uses.block, [*backward.inputs["Out@GRAD"], *add.inputs["Y"]], backward, back):
        return False
    bias_grad = single(backward, "Y@GRAD", output=True)
    return not any(
        bias_grad in (*op.input_arg_names, *op.output_arg_names)
        for op in between(uses.block, backward, back)
    )


def _join(block: Block, uses: Uses, maker: Operator, add: Operator) -> None:
    weight, result = {**_PRODUCTS, **_CONVOLUTIONS}[maker.type]
    product = maker.type in _PRODUCTS
    out = add.outputs["Out"]
    backward = gradient_of_output(uses, add, out[0])
    back = gradient_of_output(uses, maker, maker.outputs[result][0])
    data = "X" if product else "Input"
    name = "linear" if product else maker.type
    slots = {"W" if product else weight: maker.inputs[weight], data: maker.inputs[data]}
    slots["Bias"] = add.inputs["Y"]
    given = "Out" if product else result
    attrs = {} if product else {k: v for k, v in maker.attrs.items() if not k.startswith("op_")}
    # The sum stands where the addition stood: the bias may be made between the two.
    replace(block, add, made_from(add, name, slots, {given: out}, attrs))
    replace(block, maker, None)
    if backward is None or back is None:
        return
    inputs = {**slots, given: out, f"{given}@GRAD": backward.inputs["Out@GRAD"]}
    outputs = {
        f"{data}@GRAD": back.outputs.get(f"{data}@GRAD", []),
        f"{'W' if product else weight}@GRAD": back.outputs.get(f"{weight}@GRAD", []),
        "Bias@GRAD": backward.outputs.get("Y@GRAD", []),
    }
    replace(block, back, made_from(back, f"{name}_grad", inputs, outputs, attrs))
    replace(block, backward, None)
