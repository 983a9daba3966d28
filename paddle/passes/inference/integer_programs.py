"""Programs that PaddlePaddle has turned to oneDNN's int8, back in values and roundings."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import made_from, own_attributes, single
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.quantization.int8 import SIGNED, UNSIGNED
from paddle.passes.fusion import Replacement
from paddle.passes.inference.quantised_forms import PRODUCTS, TOP

_TOP_UNSIGNED = 255
_ACTIVATIONS = frozenset({"relu", "relu6", "swish", "hard_swish", "sigmoid", "tanh", "gelu"})
_NEVER_NEGATIVE = frozenset({"relu", "relu6", "sigmoid"})
# Attributes by which oneDNN's kernels of PaddlePaddle know what to do with integers.
_OF_INTEGERS = frozenset({
    "Scale_in", "Scale_out", "Scale_weights", "Scale_in_eltwise", "Scale_x", "Scale_y",
    "force_fp32_output", "fuse_activation", "fuse_relu", "fuse_brelu", "activation_type",
    "use_quantizer", "mkldnn_data_type",
})  # fmt: skip


def to_values(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Turns a Program of integers to one of values that are rounded to their steps.

    Matches Programs with ``quantize``, as PaddlePaddle's passes for oneDNN write them: products
    whose attributes hold scales, and operators between them that work on integers as on values.
    Not matched: ``quantize`` to bfloat16, and a ``Shift``.
    """
    block = program.global_block()
    found = [op for op in block.ops if op.type == "quantize"]
    if not found or any(op.attrs.get("bfloat16") or op.attrs.get("Shift") for op in found):
        return []
    return _Values(block).run()


class _Values:
    """The rewrite of one block.

    Attributes:
        unsigned (dict[str, bool]): of each variable that held integers, whether they had no sign.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self.unsigned: dict[str, bool] = {}
        self.constants: list[Operator] = []

    def run(self) -> list[Replacement]:
        done, ops = [], []
        for op in self.block.ops:
            new = self._rewritten(op)
            if new != [op]:
                done.append(Replacement([op], new))
            ops += new
        self.block.ops = [*self.constants, *ops]
        for name in self.unsigned:
            self._make_float(name)
        return done

    def _make_float(self, name: str) -> None:
        var = self.block.vars.get(name)
        if var is not None and var.dtype != VarType.FP32:
            del self.block.vars[name]
            self.block.create_var(name=name, shape=list(var.shape), dtype="float32")

    def _rewritten(self, op: Operator) -> list[Operator]:
        x = single(op, "Input") or single(op, "X")
        if op.type == "quantize":
            unsigned = not op.attrs.get("is_negative_input", False)
            return self._rounding(op, op.inputs["Input"][0], op.attrs.get("Scale", 1.0), unsigned)
        if x is None or x not in self.unsigned:
            return [op]
        if op.type == "dequantize":
            return [made_from(op, "assign", {"X": [x]}, {"Out": op.outputs["Output"]}, {})]
        if op.type == "requantize":
            return self._rounding(op, x, op.attrs.get("Scale_out", 1.0), self.unsigned[x])
        if op.type in PRODUCTS or op.type == "elementwise_add":
            return self._product(op)
        for name in op.output_arg_names:  # moves, pools: as on values
            self.unsigned[name] = self.unsigned[x]
        return [op]

    def _rounding(self, op: Operator, x: str, scale: float, unsigned: bool) -> list[Operator]:
        """The operator that rounds a value, in the place of the last results of another one."""
        out = (op.outputs.get("Output") or op.outputs["Out"])[0]
        top = _TOP_UNSIGNED if unsigned else TOP
        name = self.block.create_var(name=f"{out}@SCALE", shape=[1], dtype="float32").name
        value = {"shape": [1], "value": top / float(scale), "dtype": int(VarType.FP32)}
        self.constants.append(made_from(op, "fill_constant", {}, {"Out": [name]}, value))
        self.unsigned[out] = unsigned
        zero = UNSIGNED if unsigned else SIGNED
        attrs = {"zero": zero, "top": top, "with_weight": True}
        return [made_from(op, "int8_round", {"X": [x], "Scale": [name]}, {"Out": [out]}, attrs)]

    def _product(self, op: Operator) -> list[Operator]:
        """A product of values, what oneDNN did behind it, and the rounding of its result."""
        slot = "Output" if "Output" in op.outputs else "Out"
        out = op.outputs[slot][0]
        kind = self._activation(op)
        scale = op.attrs.get("Scale_out", 1.0)
        whole = not op.attrs.get("force_fp32_output", False) and scale != 1.0
        names = [out]
        for word in ("SUM", "ACTIVATED")[: bool(kind) + whole]:
            names.insert(-1, self._between(out, word))
        attrs = {k: v for k, v in own_attributes(op).items() if k not in _OF_INTEGERS}
        new = [made_from(op, op.type, op.inputs, {**op.outputs, slot: [names[0]]}, attrs)]
        if kind:
            new.append(made_from(op, kind, {"X": [names[0]]}, {"Out": [names[1]]}, {}))
        if whole:
            new += self._rounding(op, names[-2], scale, kind in _NEVER_NEGATIVE)
        return new

    def _activation(self, op: Operator) -> str:
        named = op.attrs.get("fuse_activation") or op.attrs.get("activation_type") or ""
        if not named and op.attrs.get("fuse_relu"):
            named = "relu"
        if not named and op.attrs.get("fuse_brelu"):
            named = "relu6"
        if named and named not in _ACTIVATIONS:
            raise NotImplementedError(
                f"operator {op.type} of an int8 Program has the activation {named!r}; expected one "
                f"of {sorted(_ACTIVATIONS)}. Load the Program that it was made of."
            )
        return str(named)

    def _between(self, out: str, word: str) -> str:
        shape = list(self.block._var_recursive(out).shape)
        return self.block.create_var(name=f"{out}@{word}", shape=shape, dtype="float32").name
