"""Weights that are kept as bytes become floats before products that compute in floats."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.core.dtype import VarType
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement

# Products: type -> the slots of value and weight.
_PRODUCTS = {
    "conv2d": ("Input", "Filter"),
    "depthwise_conv2d": ("Input", "Filter"),
    "conv2d_transpose": ("Input", "Filter"),
    "mul": ("X", "Y"),
    "matmul": ("X", "Y"),
    "matmul_v2": ("X", "Y"),
}
_BYTES, _FLOATS = (VarType.INT8, VarType.INT16), (VarType.FP32, VarType.FP64)


def widen_weights(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets products of floats by weights of whole numbers that are stored as bytes compute.

    Matches, in the global block, convolutions and products of float32 or float64 whose weight is a
    stored variable of int8 or int16, as ConvertToInt8Pass leaves them; they read a ``cast`` of it.
    Not matched: products of integers.
    """
    block = program.global_block()
    stored = {n for n, v in block.vars.items() if v.persistable and v.dtype in _BYTES}
    if not stored:
        return []
    def_use = DefUse(block, fetches)
    made: dict[tuple[str, VarType], str] = {}
    done = []
    for op in list(block.ops):
        value, weight = (single(op, s) for s in _PRODUCTS.get(op.type, ("", "")))
        var = None if value is None else block._find_var_recursive(value)
        if weight not in stored or var is None or var.dtype not in _FLOATS:
            continue
        if def_use.definitions.get(weight):
            continue
        new = []
        if (weight, var.dtype) not in made:
            name = f"{weight}@FLOATS_{int(var.dtype)}"
            shape = list(block._var_recursive(weight).shape)
            block.create_var(name=name, shape=shape, dtype=var.dtype)
            attrs = {"in_dtype": int(block.vars[weight].dtype), "out_dtype": int(var.dtype)}
            new = [made_from(op, "cast", {"X": [weight]}, {"Out": [name]}, attrs)]
            made[weight, var.dtype] = name
        inputs = {**op.inputs, _PRODUCTS[op.type][1]: [made[weight, var.dtype]]}
        new.append(made_from(op, op.type, inputs, op.outputs, own_attributes(op)))
        def_use.substitute(op, new)
        done.append(Replacement([op], new))
    def_use.commit()
    return done
