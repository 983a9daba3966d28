"""Products of values that are rounded to steps by quantised weights become products of bytes."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.analysis.frozen import frozen_variables
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ops.quantization.int8 import SIGNED, UNSIGNED, convolves, multiplies
from paddle.ops.quantization.int8_transposed import transposed_sides
from paddle.ops.quantization.int8_tuning import (
    Place,
    average_gains,
    conv_gains,
    linear_gains,
    transposed_gains,
    tuned,
)
from paddle.passes.fusion import Replacement
from paddle.passes.inference.int8_averages import average_form
from paddle.passes.inference.quantised_forms import PRODUCTS, TOP, is_asked_for
from paddle.passes.inference.signs import never_negative

_FAR = 8  # operators that are looked at, one behind the other
_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")
_TRANSPOSED = "conv2d_transpose"
_MADE = ("int8_conv2d", "int8_conv2d_transpose", "int8_linear")
_WINDOW = ("strides", "dilations", "groups", "padding_algorithm")
# Operators that make the weight of a product in floats: the slots of steps and scales.
_WEIGHTS = {
    "fake_dequantize_max_abs": ("X", "Scale"),
    "fake_channel_wise_dequantize_max_abs": ("X", "Scales"),
    "dequantize_linear": ("X", "Scale"),
}
_WEIGHTS_AT_ONCE = (
    "fake_quantize_dequantize_abs_max",
    "fake_channel_wise_quantize_dequantize_abs_max",
)


def quantize_products(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    types: Collection[str] = (),
    device: str = "cpu",
) -> list[Replacement]:
    """Lets convolutions and products of quantised values and weights compute with bytes.

    Matches ``conv2d`` and ``depthwise_conv2d`` in NCHW and ``conv2d_transpose`` in one group,
    evenly padded and without dilation or ``output_size``, where the device has convolutions of
    bytes; and ``mul``, ``matmul``, ``matmul_v2``, ``linear`` and ``fc`` by a matrix that is not
    transposed, in the global block, where ``int8_round`` makes the value and the weight is
    dequantised from eight bits (one scale, or one for each channel of the result), or is a stored
    weight that ``int8_round`` says may be quantised. Average pools of rounded values become such
    of bytes (``average_form``). What rounds values that no product reads is left out. Not matched:
    other types than float32, weights that are written, machines whose sums of bytes saturate, and
    products that were measured to be faster in floats (``FLAGS_int8_tune``). Where ``types`` are
    given, other types of operators are left as they are.
    """
    block = program.global_block()
    if not any(op.type == "int8_round" for op in block.ops):
        return []
    work = _Products(program, feeds, fetches, device)
    if multiplies(device):
        for op in list(block.ops):
            if op.type in (*_CONVOLUTIONS, _TRANSPOSED) and not convolves(device):
                continue
            if op.type in PRODUCTS and is_asked_for(op.type, types):
                work.convert(op)
            elif op.type == "elementwise_add":
                work.add_bytes(op)
        if convolves(device):
            for op in list(block.ops):
                if op.type == "pool2d" and is_asked_for(op.type, types):
                    work.average(op)
    for op in list(block.ops):
        if op.type == "int8_round":
            work.leave_out(op)
    work.def_use.commit()
    return work.done


class _Weight(NamedTuple):
    """Where a weight comes from: its variable, that of its scales, and whether it is in steps."""

    source: str
    scale: str | None
    in_steps: bool


class _Products:
    def __init__(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str], device: str
    ) -> None:
        self.device = device
        self.block: Block = program.global_block()
        self.def_use = DefUse(self.block, fetches)
        self.fetches = set(fetches)
        self.stored = frozen_variables(program, feeds)
        self.bytes: dict[tuple[str, str], Operator] = {}
        self.done: list[Replacement] = []
        self.slower: set[int] = set()  # products that are faster in floats

    # -- what is there ----------------------------------------------------------------------------

    def _is_frozen(self, name: str) -> bool:
        """Whether a variable depends on stored variables and constants alone."""
        if name in self.stored:
            return True
        made_by = self.def_use.definition(name)
        if made_by is None or made_by.sub_blocks or name not in self.block.vars:
            return False
        return all(self._is_frozen(n) for n in made_by.input_arg_names if n != EMPTY)

    def _weight(self, name: str, axis: int, value: Operator) -> _Weight | None:
        """Describes a weight whose channels lie along an axis."""
        found = self._described(name, axis, value)
        if found is None or not self._is_frozen(found.source):
            return None
        if found.scale is not None and not self._is_frozen(found.scale):
            return None
        return found

    def _described(self, name: str, axis: int, value: Operator) -> _Weight | None:
        op = self.def_use.definition(name)
        if op is None or op.type not in (*_WEIGHTS, *_WEIGHTS_AT_ONCE):
            return _Weight(name, None, False) if value.attrs.get("with_weight", False) else None
        source = single(op, "X")
        if source is None:
            return None
        if op.type in _WEIGHTS_AT_ONCE:
            scale = single(op, "OutScale", output=True)
            by_channel = op.type.startswith("fake_channel_wise")
            fits = not by_channel or op.attrs.get("quant_axis", 0) == axis
            known = scale is not None and op.attrs.get("bit_length", 8) == 8
            return _Weight(source, scale, False) if fits and known else None
        scale = single(op, _WEIGHTS[op.type][1])
        if scale is None or not self._in_eight_bits(op, axis):
            return None
        return _Weight(source, scale, True)

    def _in_eight_bits(self, op: Operator, axis: int) -> bool:
        if op.type == "fake_dequantize_max_abs":
            return op.attrs.get("max_range") == TOP
        if op.type == "fake_channel_wise_dequantize_max_abs":
            bits = list(op.attrs.get("quant_bits", [8]))
            return bits[:1] == [8] and op.attrs.get("quant_axis", 0) == axis
        fits = op.attrs.get("quant_axis", 0) in (axis, -1)
        return fits and op.attrs.get("bit_length", 8) == 8 and not op.attrs.get("only_observer")

    # -- what is made -----------------------------------------------------------------------------

    def convert(self, op: Operator) -> None:
        """Puts a product of bytes in the place of one of rounded values, if it fits."""
        value, weight, out = PRODUCTS[op.type]
        names = single(op, value), single(op, weight), single(op, out, output=True)
        if None in names or not self.def_use.present(op):
            return
        x, w, result = (str(n) for n in names)
        rounding = self.def_use.definition(x)
        if rounding is None or rounding.type != "int8_round":
            return
        attrs = self._attributes(op, x, w)
        axis = 0 if op.type in _CONVOLUTIONS else 1
        if attrs is None or self.block._var_recursive(result).dtype != VarType.FP32:
            return
        found = self._weight(w, axis, rounding)
        if found is None:
            return
        if tuned() and not self._gains((x, w, result), attrs, op.type):
            self.slower.add(id(op))
            return
        if not self.def_use.unchanged(rounding.inputs["X"], rounding, op):
            return
        made, filter, step = self._weight_steps(op, found, w, axis)
        new, before = self._quantized(rounding, op)
        zero, top = before.attrs["zero"], before.attrs["top"]
        attrs |= {"zero": zero, "top": top}
        inputs = {"InScale": before.inputs["Scale"], "Step": [step]}
        inputs["Bias"] = op.inputs.get("Bias", [])
        if op.type in (*_CONVOLUTIONS, _TRANSPOSED):
            inputs |= {"Input": before.outputs["Out"], "Filter": [filter]}
            kind = "int8_conv2d_transpose" if op.type == _TRANSPOSED else "int8_conv2d"
            product = made_from(op, kind, inputs, {"Output": [result]}, attrs)
        else:
            inputs |= {"X": before.outputs["Out"], "W": [filter]}
            product = made_from(op, "int8_linear", inputs, {"Out": [result]}, attrs)
        self._replace(op, [*made, *new, product])

    def average(self, op: Operator) -> None:
        """Puts an average of bytes in the place of one of rounded values."""
        x, out = single(op, "X"), single(op, "Out", output=True)
        rounding = None if x is None else self.def_use.definition(x)
        if rounding is None or rounding.type != "int8_round" or x is None or out is None:
            return
        attrs = average_form(op)
        if attrs is None or not self.def_use.unchanged(rounding.inputs["X"], rounding, op):
            return
        sizes = list(self.block._var_recursive(x).shape)
        sizes[0] = max(sizes[0], 1)
        if tuned() and -1 not in sizes:
            at = Place(self._behind_product(x), self._before_product(out))
            if not average_gains(tuple(sizes), attrs, at):
                return
        new, before = self._quantized(rounding, op)
        attrs |= {key: before.attrs[key] for key in ("zero", "top")}
        inputs = {"X": before.outputs["Out"], "InScale": before.inputs["Scale"]}
        pool = made_from(op, "int8_avg_pool2d", inputs, {"Out": [out]}, attrs)
        self._replace(op, [*new, pool])

    def _gains(self, names: tuple[str, str, str], attrs: dict, kind: str) -> bool:
        """Whether a product is faster by bytes, for one row where their number is open."""
        x, w, out = names
        sizes = list(self.block._var_recursive(x).shape)
        weight = tuple(self.block._var_recursive(w).shape)
        sizes[0] = max(sizes[0], 1)
        if -1 in (*sizes, *weight):
            return True
        at = Place(self._behind_product(x), self._before_product(out))
        if kind in _CONVOLUTIONS:
            return conv_gains(tuple(sizes), weight, attrs, at)
        if kind == _TRANSPOSED:
            return transposed_gains(tuple(sizes), weight, attrs, at)
        return linear_gains(math.prod(sizes[: attrs["columns"]]), weight, at, self.device)

    def _behind_product(self, name: str) -> bool:
        """Whether a product of bytes makes a value, perhaps with other operators between."""
        for _ in range(_FAR):
            op = self.def_use.definition(name)
            if op is None or op.type in _MADE:
                return op is not None
            found = single(op, "X")
            if found is None:
                return False
            name = found
        return False

    def _before_product(self, name: str) -> bool:
        """Whether a value that is rounded to steps is made of another one."""
        for _ in range(_FAR):
            readers = self.def_use.uses.get(name, ())
            if any(op.type == "int8_round" for op in readers):
                return True
            if len(readers) != 1 or readers[0].sub_blocks or not readers[0].output_arg_names:
                return False
            name = readers[0].output_arg_names[0]
        return False

    def _replace(self, old: Operator, new: list[Operator]) -> None:
        self.def_use.substitute(old, new)
        self.done.append(Replacement([old], new))

    def _attributes(self, op: Operator, x: str, w: str) -> dict | None:
        """The attributes of the product of bytes; None if it has no such form."""
        if op.type in _CONVOLUTIONS:
            return _window(op)
        if op.type == _TRANSPOSED:
            return _transposed_window(op, self.block._var_recursive(w).shape)
        rows, matrix = self.block._var_recursive(x).shape, self.block._var_recursive(w).shape
        if len(matrix) != 2 or len(rows) < 2:
            return None
        if op.type == "fc":
            bare = not op.attrs.get("activation_type") and not op.attrs.get("padding_weights")
            return {"columns": op.attrs.get("in_num_col_dims", 1)} if bare else None
        if op.type == "mul":
            flat = op.attrs.get("y_num_col_dims", 1) == 1
            return {"columns": op.attrs.get("x_num_col_dims", 1)} if flat else None
        turned = ("trans_x", "trans_y", "transpose_X", "transpose_Y")
        if any(op.attrs.get(k, False) for k in turned) or op.attrs.get("alpha", 1.0) != 1.0:
            return None
        return {"columns": len(rows) - 1}

    def _quantized(self, rounding: Operator, at: Operator) -> tuple[list[Operator], Operator]:
        """The operator that makes the bytes of a rounded value, which is new only at first."""
        [x], [scale] = rounding.inputs["X"], rounding.inputs["Scale"]
        known = self.bytes.get((x, scale))
        if known is not None and self.def_use.unchanged([x], known, at):
            return [], known
        name = f"{at.output_arg_names[0]}@BYTES"
        shape = list(self.block._var_recursive(x).shape)
        self.block.create_var(name=name, shape=shape, dtype="uint8")
        attrs = {k: rounding.attrs[k] for k in ("zero", "top") if k in rounding.attrs}
        if "zero" not in attrs:
            plain = never_negative(x, self.def_use) and not self._is_sum(x)
            attrs["zero"] = UNSIGNED if plain else SIGNED
        inputs = {"X": [x], "Scale": [scale]}
        made = made_from(rounding, "int8_quantize", inputs, {"Out": [name]}, attrs)
        self.bytes[x, scale] = made
        return [made], made

    def _is_sum(self, name: str) -> bool:
        """Whether a value is a sum, which oneDNN's bytes have to have all steps for."""
        op = self.def_use.definition(name)
        if op is not None and op.type == "relu":
            op = self.def_use.definition(op.inputs["X"][0])
        return (
            op is not None
            and op.type == "elementwise_add"
            and (bool(self.def_use.definitions.get(op.inputs["Y"][0])))
        )

    def _weight_steps(
        self, op: Operator, found: _Weight, name: str, axis: int
    ) -> tuple[list[Operator], str, str]:
        """The operator that makes the steps of a weight, and what it makes."""
        shape = list(self.block._var_recursive(name).shape)
        base = op.output_arg_names[0]
        steps = self.block.create_var(name=f"{base}@STEPS", shape=shape, dtype="int8")
        step = self.block.create_var(name=f"{base}@STEP", shape=[shape[axis]], dtype="float32")
        inputs = {"X": [found.source], "Scale": [] if found.scale is None else [found.scale]}
        attrs = {"axis": axis, "in_steps": found.in_steps}
        outputs = {"Out": [steps.name], "Step": [step.name]}
        return [made_from(op, "int8_weight", inputs, outputs, attrs)], steps.name, step.name

    def add_bytes(self, op: Operator) -> None:
        """Lets a sum read what the bytes of a rounded value stand for, where they may be added.

        The ranges of calibration say which value that is. In other Programs it is one of which a
        product reads bytes, beside the result of a convolution; the steps are that product's, for
        the rounding before the sum is left out anyway.
        """
        for slot, other in (("X", "Y"), ("Y", "X")):
            name = single(op, slot)
            rounding = None if name is None else self.def_use.definition(name)
            if rounding is None or rounding.type != "int8_round" or name is None:
                continue
            if not self.def_use.unchanged(rounding.inputs["X"], rounding, op):
                continue
            if rounding.attrs.get("with_weight", False):
                new, before = self._quantized(rounding, op)
            else:
                known = self._known_bytes(rounding.inputs["X"][0], op)
                if known is None or not self._convolved(single(op, other)):
                    continue
                new, before = [], known
            shape = list(self.block._var_recursive(name).shape)
            made = self.block.create_var(
                name=f"{op.output_arg_names[0]}@ADDED", shape=shape, dtype="float32"
            )
            inputs = {"X": before.outputs["Out"], "Scale": before.inputs["Scale"]}
            attrs = {k: before.attrs[k] for k in ("zero", "top")}
            outputs = {"Out": [made.name]}
            new = [*new, made_from(op, "int8_dequantize", inputs, outputs, attrs)]
            inputs = {**op.inputs, slot: [made.name]}
            total = made_from(op, op.type, inputs, op.outputs, own_attributes(op))
            self._replace(op, [*new, total])
            return

    def _known_bytes(self, x: str, at: Operator) -> Operator | None:
        """The operator that makes bytes of a value before another one, by any scale."""
        for (name, _), op in self.bytes.items():
            if name == x and self.def_use.precedes(op, at):
                return op if self.def_use.unchanged([x], op, at) else None
        return None

    def _convolved(self, name: str | None) -> bool:
        """Whether a convolution of bytes makes a value, with its norm, bias and rounding."""
        while name is not None:
            op = self.def_use.definition(name)
            if op is None or op.type == "int8_conv2d":
                return op is not None
            if op.type not in ("int8_round", "batch_norm", "elementwise_add"):
                return False
            if op.type == "elementwise_add" and self.def_use.definitions.get(op.inputs["Y"][0]):
                return False
            name = single(op, "X")
        return False

    def leave_out(self, op: Operator) -> None:
        """Takes out the rounding of a value that no product reads, and that is not asked for."""
        [name], [x] = op.outputs["Out"], op.inputs["X"]
        if not self.def_use.present(op) or not self.def_use.is_temporary(name):
            return
        free = op.attrs.get("with_weight", False)
        readers = list(self.def_use.uses.get(name, ()))
        if any(reader.sub_blocks for reader in readers):
            return
        if not free and any(r.type in PRODUCTS and id(r) not in self.slower for r in readers):
            return
        if readers and not self.def_use.unchanged([x], op, max(readers, key=self.def_use.position)):
            return
        self.def_use.redirect(name, x)
        self._replace(op, [])


def _window(op: Operator) -> dict | None:
    """The attributes of a convolution that oneDNN has for bytes; None for others."""
    if str(op.attrs.get("data_format", "NCHW")) not in ("NCHW", "AnyLayout"):
        return None
    if op.inputs.get("ResidualData") or op.attrs.get("fuse_activation"):
        return None
    attrs = {k: op.attrs[k] for k in _WINDOW if k in op.attrs}
    return {**attrs, "paddings": list(op.attrs.get("paddings", [0, 0]))}


def _transposed_window(op: Operator, filter: Sequence[int]) -> dict | None:
    """The attributes of a transposed convolution that has a form of bytes; None for others."""
    attrs = op.attrs
    plain = str(attrs.get("data_format", "NCHW")) in ("NCHW", "AnyLayout")
    one = attrs.get("groups", 1) == 1 and set(attrs.get("dilations", [1, 1])) == {1}
    algorithm = attrs.get("padding_algorithm", "EXPLICIT")
    if not (plain and one) or attrs.get("output_size") or algorithm == "SAME":
        return None
    paddings = [0, 0] if algorithm == "VALID" else list(attrs.get("paddings", [0, 0]))
    if len(paddings) == 4 and paddings[::2] == paddings[1::2]:
        paddings = paddings[::2]
    strides, extra = list(attrs.get("strides", [1, 1])), list(attrs.get("output_padding", []))
    if len(paddings) != 2 or transposed_sides(filter[2:], strides, paddings, extra) is None:
        return None
    return {"strides": strides, "paddings": paddings, "output_padding": extra}
