"""Marks the values of a Program of floats that are to be held as bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence

from paddle.analysis.def_use import DefUse, made_from, single
from paddle.analysis.frozen import frozen_variables
from paddle.core.dtype import VarType
from paddle.ir.cloning import clone
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.quantization.int8 import SIGNED, UNSIGNED
from paddle.passes.inference.int8_averages import average_form
from paddle.passes.inference.quantised_forms import PRODUCTS, TOP, is_asked_for
from paddle.passes.inference.signs import least_value

TOP_UNSIGNED = 255
# Products of fewer multiplications stay in floats: a call of oneDNN's for bytes takes 20 us before
# it computes anything, in which floats are done with them.
WORTH = 1 << 17
_ACTIVATIONS = ("relu", "relu6", "hard_swish", "swish")


def quantizable(
    program: Program,
    feeds: Sequence[str],
    op_types: Collection[str] = (),
    least: int = WORTH,
) -> list[str]:
    """Returns the variables whose ranges are needed to compute a Program with bytes.

    Args:
        program (Program): of floats.
        feeds (Sequence[str]): variables that are given.
        op_types (Collection[str]): types of the operators to quantise; none means all that can be.
        least (int): how many multiplications, for one row, a product has at least.
    """
    found = _readers(program, feeds, op_types, least)
    return list(dict.fromkeys(op.inputs[slot][0] for op, slot in found))


def mark_quantized(
    program: Program,
    feeds: Sequence[str],
    scale_of: Callable[[str, int], float],
    op_types: Collection[str] = (),
    least: int = WORTH,
) -> Program:
    """Returns a copy of a Program in which the values that products read are rounded to steps.

    Args:
        program (Program): of floats; stays as it is.
        feeds (Sequence[str]): variables that are given.
        scale_of (callable): ``scale_of(name, top)`` gives the value of the step ``top`` of a
            variable, where there are ``top`` steps above 0.
        op_types (Collection[str]): types of the operators to quantise; none means all that can be.
        least (int): how many multiplications, for one row, a product has at least.
    """
    made = clone(program)
    block = made.global_block()
    def_use = DefUse(block)
    rounded: dict[str, str] = {}
    constants: list[Operator] = []
    for op, slot in _readers(made, feeds, op_types, least):
        [x] = op.inputs[slot]
        new: list[Operator] = []
        if x not in rounded:
            zero, top, most = _steps(x, def_use, scale_of)
            scale, rounded[x] = f"{x}@SCALE", f"{x}@ROUNDED"
            shape = list(block._var_recursive(x).shape)
            block.create_var(name=scale, shape=[1], dtype="float32")
            block.create_var(name=rounded[x], shape=shape, dtype="float32")
            attrs = {"shape": [1], "value": most, "dtype": int(VarType.FP32)}
            constants.append(made_from(op, "fill_constant", {}, {"Out": [scale]}, attrs))
            attrs = {"zero": zero, "top": top, "with_weight": True}
            inputs, outputs = {"X": [x], "Scale": [scale]}, {"Out": [rounded[x]]}
            new = [made_from(op, "int8_round", inputs, outputs, attrs)]
        inputs = {**op.inputs, slot: [rounded[x]]}
        attrs = {k: v for k, v in op.attrs.items() if not k.startswith("op_")}
        def_use.substitute(op, [*new, made_from(op, op.type, inputs, op.outputs, attrs)])
    block.ops = [*constants, *block.ops]
    def_use.commit()
    return made


def _steps(
    name: str, def_use: DefUse, scale_of: Callable[[str, int], float]
) -> tuple[int, int, float]:
    """The byte that stands for 0, the number of the highest step, and the value of that."""
    least = least_value(name, def_use)
    if least == 0:
        return UNSIGNED, TOP_UNSIGNED, float(scale_of(name, TOP_UNSIGNED))
    if least is not None:
        # Few values are below 0: they get as many of the steps as they need, an even number.
        most = float(scale_of(name, TOP_UNSIGNED))
        below = 2 * math.ceil(TOP_UNSIGNED * -least / (most - least) / 2)
        if 0 < below < SIGNED:
            top = TOP_UNSIGNED - below
            return below, top, top * max(-least / below, most / top)
    return SIGNED, TOP, float(scale_of(name, TOP))


def _readers(
    program: Program, feeds: Sequence[str], op_types: Collection[str], least: int
) -> list[tuple[Operator, str]]:
    """The operators that are to read bytes, in their order, and the slots that they read them in.

    These are products, sums of what a convolution makes with a value that is held as bytes, or that
    another convolution makes, and average pools of what a convolution alone makes for them.
    """
    products = list(_products(program, feeds, op_types, least))
    slots = {id(op): PRODUCTS[op.type][0] for op in products}
    values = {op.inputs[slots[id(op)]][0] for op in products}
    block = program.global_block()
    def_use = DefUse(block)
    for op in block.ops:
        slot = _added(op, slots, values, def_use) if op.type == "elementwise_add" else None
        if op.type == "pool2d" and is_asked_for(op.type, op_types):
            slot = "X" if _averages(op, slots, def_use) else None
        if slot is not None:
            slots[id(op)] = slot
    return [(op, slots[id(op)]) for op in block.ops if id(op) in slots]


def _added(
    op: Operator, products: Collection[int], values: set[str], def_use: DefUse
) -> str | None:
    """The slot of a sum in which bytes can be added to what a convolution makes."""
    x, y = single(op, "X"), single(op, "Y")
    shapes = [getattr(op.block.vars.get(str(n)), "shape", None) for n in (x, y)]
    if x is None or y is None or x == y or shapes[0] is None or shapes[0] != shapes[1]:
        return None
    convolved = [_convolved(n, products, def_use) for n in (x, y)]
    choices = [(convolved[0], "Y", y, convolved[1]), (convolved[1], "X", x, convolved[0])]
    for made, slot, name, other in sorted(choices, key=lambda choice: choice[2] not in values):
        if made and (name in values or other) and len(def_use.definitions.get(name, ())) == 1:
            return slot
    return None


def _convolved(name: str, products: Collection[int], def_use: DefUse) -> bool:
    """Whether one of some convolutions makes a variable, with a bias or a norm behind it."""
    op = def_use.definition(name)
    while op is not None and op.type in ("batch_norm", "elementwise_add"):
        if op.type == "elementwise_add" and def_use.definitions.get(op.inputs["Y"][0]):
            return False
        op = def_use.definition(op.inputs["X"][0])
    return op is not None and op.type.endswith("conv2d") and id(op) in products


def _averages(op: Operator, products: Collection[int], def_use: DefUse) -> bool:
    """Whether an average pool reads what a convolution makes, perhaps by an activation, for it."""
    x = single(op, "X")
    var = None if x is None else op.block._find_var_recursive(x)
    if x is None or var is None or var.dtype != VarType.FP32 or average_form(op) is None:
        return False
    made_by = def_use.definition(x) if len(def_use.uses.get(x, ())) == 1 else None
    if made_by is not None and made_by.type in _ACTIVATIONS:
        made_by = def_use.definition(made_by.inputs["X"][0])
    if made_by is None:
        return False
    if made_by.type == "elementwise_add" and id(made_by) in products:  # a sum of bytes
        return True
    return _convolved(made_by.output_arg_names[0], products, def_use)


def _products(
    program: Program, feeds: Sequence[str], op_types: Collection[str], least: int
) -> Iterator[Operator]:
    """Products in float32 of a value that is written once and a stored weight."""
    block = program.global_block()
    def_use, stored = DefUse(block), frozen_variables(program, feeds)
    for op in block.ops:
        if op.type not in PRODUCTS or not is_asked_for(op.type, op_types):
            continue
        value, weight = (single(op, slot) for slot in PRODUCTS[op.type][:2])
        if value is None or weight not in stored or value in stored:
            continue
        found = [block._find_var_recursive(n) for n in (value, weight)]
        if any(var is None or var.dtype != VarType.FP32 for var in found):
            continue
        if len(def_use.definitions.get(value, ())) <= 1 and _work(op) >= least:
            yield op


def _work(op: Operator) -> float:
    """How many numbers are multiplied for one row; infinite where sizes are unknown."""
    value, weight, out = PRODUCTS[op.type]
    block = op.block
    shape = list(block._var_recursive(op.inputs[weight][0]).shape)
    made = list(block._var_recursive(op.outputs[out][0]).shape)
    times = made[2:] if op.type.endswith("conv2d") else made[1:-1]
    if op.type == "conv2d_transpose":  # each value by all of the filter
        times = list(block._var_recursive(op.inputs[value][0]).shape)[2:]
    sizes = [*shape, *times]
    return float("inf") if -1 in sizes else math.prod(sizes)
