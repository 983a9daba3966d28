"""One form for the ways in which saved Programs say that values and weights are quantised.

Afterwards a value that is rounded to steps is made by ``int8_round``, a weight by an operator that
dequantises it, and products read both; nothing is dequantised behind a product.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement

TOP = 127  # of eight bits with a sign
# Operators that make steps by a scale which they are given: type -> the slots of scale and result.
_STEPS = {
    "fake_quantize_moving_average_abs_max": ("InScale", "Out"),
    "fake_quantize_range_abs_max": ("InScale", "Out"),
    "quantize_linear": ("Scale", "Y"),
}
_ROUNDED = "fake_quantize_dequantize_moving_average_abs_max"
# Products: type -> the slots of value, weight and result.
PRODUCTS = {
    "conv2d": ("Input", "Filter", "Output"),
    "depthwise_conv2d": ("Input", "Filter", "Output"),
    "conv2d_transpose": ("Input", "Filter", "Output"),
    "mul": ("X", "Y", "Out"),
    "matmul": ("X", "Y", "Out"),
    "matmul_v2": ("X", "Y", "Out"),
    "linear": ("X", "W", "Out"),
    "fc": ("Input", "W", "Out"),
}
# What the methods of a Config call products, too, that PaddlePaddle fuses to one operator.
_ALSO_CALLED = {
    "mul": {"fc"},
    "matmul": {"fc"},
    "matmul_v2": {"fc", "matmul"},
    "linear": {"fc", "mul", "matmul", "matmul_v2"},
    "fc": {"mul", "matmul", "matmul_v2"},
}


def is_asked_for(kind: str, types: Collection[str]) -> bool:
    """Says whether a type of operator is among those that a Config names; none means all."""
    return not types or not {kind, *_ALSO_CALLED.get(kind, ())}.isdisjoint(types)


def normalize_quantization(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Gives one form to Programs that PaddlePaddle's tools have quantised to eight bits.

    Matches, in the global block, ``fake_quantize_dequantize_moving_average_abs_max``, and
    ``fake_quantize_moving_average_abs_max``, ``fake_quantize_range_abs_max`` (all in test mode) or
    ``quantize_linear`` with the operator that dequantises it, at once or behind a product with a
    weight of whole numbers. What only watches a value is taken out. Not matched: scales that are
    taken from each batch (``fake_quantize_abs_max``), other than eight bits, and steps that
    something else reads too.
    """
    block = program.global_block()
    work = _Forms(block, fetches)
    types = {op.type for op in block.ops}
    if types.isdisjoint({*_STEPS, _ROUNDED, "moving_average_abs_max_scale"}):
        return []
    for op in list(block.ops):
        if _only_watches(op):
            work.take_out(op)
    for op in list(block.ops):
        if op.type == "fake_channel_wise_quantize_abs_max" and op.attrs.get("is_test"):
            work.fix_scales(op)
    for op in list(block.ops):
        if not work.def_use.present(op):
            continue
        if op.type == _ROUNDED:
            work.round(op, op)
        elif op.type in ("fake_dequantize_max_abs", "dequantize_linear"):
            work.join(op)
        if op.type in ("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs"):
            work.dequantize_before(op)
    work.def_use.commit()
    return work.done


def _result(op: Operator) -> str | None:
    """The variable that an operator of quantisation makes."""
    return single(op, "Y" if op.type.endswith("_linear") else "Out", output=True)


def _only_watches(op: Operator) -> bool:
    """Whether an operator hands on what it reads, and would take down its scale in training."""
    if op.type in ("quantize_linear", "dequantize_linear"):
        test = op.type == "dequantize_linear" or op.attrs.get("is_test", True)
        return bool(op.attrs.get("only_observer") and test)
    return op.type == "moving_average_abs_max_scale" and bool(op.attrs.get("is_test"))


class _Forms:
    def __init__(self, block: Block, fetches: Sequence[str]) -> None:
        self.block = block
        self.def_use = DefUse(block, fetches)
        self.done: list[Replacement] = []

    def _replace(self, old: Operator, new: list[Operator]) -> None:
        self.def_use.substitute(old, new)
        self.done.append(Replacement([old], new))

    def take_out(self, op: Operator) -> None:
        """Lets whatever reads the result of an operator read what it hands on."""
        x, out = single(op, "X"), _result(op)
        if x is None or out is None or not self.def_use.is_temporary(out):
            return
        readers = list(self.def_use.uses.get(out, ()))
        if len(self.def_use.definitions.get(x, ())) > 1 or any(o.sub_blocks for o in readers):
            return
        self.def_use.redirect(out, x)
        self._replace(op, [])

    def fix_scales(self, op: Operator) -> None:
        """A weight's scales are read from OutScale then, and not written."""
        inputs = {"X": op.inputs["X"], "Scale": op.outputs.get("OutScale", [])}
        attrs = {"quant_axis": op.attrs.get("quant_axis", 0), "round_type": 1}
        attrs["bit_length"] = op.attrs.get("bit_length", 8)
        outputs = {"Y": op.outputs["Out"]}
        self._replace(op, [made_from(op, "quantize_linear", inputs, outputs, attrs)])

    def round(self, at: Operator, by: Operator) -> None:
        """Puts ``int8_round`` in the place of an operator; ``by`` tells the steps."""
        scale = single(by, _STEPS.get(by.type, ("InScale", ""))[0])
        x = single(by, "X")
        if not self._is_fixed(by) or scale is None or x is None:
            return
        out = _result(at)
        if out is None:
            return
        if self.block._var_recursive(x).dtype != VarType.FP32:
            return
        attrs = {"top": TOP}
        made = made_from(at, "int8_round", {"X": [x], "Scale": [scale]}, {"Out": [out]}, attrs)
        self._replace(at, [made])

    def _is_fixed(self, op: Operator) -> bool:
        """Whether an operator makes steps of eight bits by a scale that stays."""
        if op.attrs.get("bit_length", 8) != 8:
            return False
        if op.type == "quantize_linear":
            whole = op.attrs.get("quant_axis", 0) == -1
            return whole and bool(op.attrs.get("is_test", True))
        return bool(op.attrs.get("is_test", False))

    def _steps_of(self, name: str | None) -> Operator | None:
        """The operator that makes steps which nothing else knows, if it is one of those known."""
        made_by = None if name is None else self.def_use.definition(name)
        if made_by is None or made_by.type not in _STEPS or name is None:
            return None
        return made_by if self.def_use.is_temporary(name) else None

    def join(self, op: Operator) -> None:
        """Steps that are dequantised at once."""
        made_by = self._steps_of(single(op, "X"))
        if made_by is None or single(made_by, _STEPS[made_by.type][0]) != single(op, "Scale"):
            return
        if op.type == "dequantize_linear":
            if op.attrs.get("quant_axis", 0) != -1 or op.attrs.get("bit_length", 8) != 8:
                return
        elif op.attrs.get("max_range") != TOP:
            return
        steps = op.inputs["X"]
        self.round(op, made_by)
        self._drop(made_by, steps[0])

    def _drop(self, op: Operator, name: str) -> None:
        if not self.def_use.uses.get(name) and self.def_use.present(op):
            self._replace(op, [])

    def dequantize_before(self, op: Operator) -> None:
        """Steps of a value by a weight of whole numbers: both are dequantised before instead."""
        result = single(op, "X")
        product = None if result is None else self.def_use.definition(result)
        if product is None or product.type not in PRODUCTS or result is None:
            return
        if not self.def_use.is_temporary(result) or len(self.def_use.uses[result]) != 1:
            return
        value, weight, out = PRODUCTS[product.type]
        steps, stored = single(product, value), single(product, weight)
        made_by = self._steps_of(steps)
        if made_by is None or steps is None or stored is None or not self._is_fixed(made_by):
            return
        scale, source = single(made_by, _STEPS[made_by.type][0]), single(made_by, "X")
        scales = self._weight_scale(op, scale)
        if scales is None or self.def_use.definitions.get(stored) or source is None:
            return
        make, name, axis = scales
        var = self.block._var_recursive(stored)
        rounded = f"{result}@ROUNDED"
        whole = f"{result}@WEIGHT"
        self.block.create_var(name=rounded, dtype="float32", shape=self._shape(source))
        self.block.create_var(name=whole, dtype="float32", shape=list(var.shape))
        new = [
            *make,
            made_from(op, "int8_round", {"X": [source], "Scale": [scale]}, {"Out": [rounded]},
                      {"top": TOP}),
            made_from(op, "dequantize_linear", {"X": [stored], "Scale": [name]}, {"Y": [whole]},
                      {"quant_axis": axis}),
            made_from(op, product.type,
                      {**product.inputs, value: [rounded], weight: [whole]},
                      {out: op.outputs["Out"]}, own_attributes(product)),
        ]  # fmt: skip
        self._replace(op, new)
        self._replace(product, [])
        self._drop(made_by, steps)

    def _shape(self, name: str) -> list[int]:
        return list(self.block._var_recursive(name).shape)

    def _weight_scale(
        self, op: Operator, scale: str | None
    ) -> tuple[list[Operator], str, int] | None:
        """The scales of a weight behind whose product an operator dequantises: made, name, axis."""
        if op.type == "fake_channel_wise_dequantize_max_abs":
            names = op.inputs.get("Scales", [])
            bits = list(op.attrs.get("quant_bits", [8]))[:2]
            if len(names) != 2 or names[1] != scale or any(b != 8 for b in bits):
                return None
            return [], names[0], op.attrs.get("quant_axis", 0)
        if single(op, "Scale") != scale or not op.attrs.get("max_range"):
            return None
        name = f"{op.outputs['Out'][0]}@SCALE"
        self.block.create_var(name=name, shape=[1], dtype="float32")
        value = TOP * TOP / float(op.attrs["max_range"])
        attrs = {"shape": [1], "value": value, "dtype": int(VarType.FP32)}
        return [made_from(op, "fill_constant", {}, {"Out": [name]}, attrs)], name, -1
