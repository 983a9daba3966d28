"""Values become bytes before they are moved, where the product that makes them can give bytes."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement

PRODUCTS = ("int8_conv2d", "int8_conv2d_transpose", "int8_linear", "int8_avg_pool2d")
# Operators that move values only, or repeat them: bytes go through them as values do.
_MOVES = frozenset({
    "reshape", "reshape2", "transpose", "transpose2", "flatten", "flatten2",
    "flatten_contiguous_range", "squeeze", "squeeze2", "unsqueeze", "unsqueeze2", "slice",
    "concat", "nearest_interp", "nearest_interp_v2",
})  # fmt: skip
_POOL = ("ksize", "strides", "paddings", "ceil_mode")
_FAR = 16  # operators that are looked at, one behind the other


def quantize_earlier(program: Program, fetches: Sequence[str]) -> list[Replacement]:
    """Moves ``int8_quantize`` before pools and moves, up to products that can give bytes.

    Matches where nothing else reads what is moved, and where behind one way at least there is a
    product, or bytes that were dequantised from the same steps, which meet then.
    """
    block = program.global_block()
    work = _Moves(block, fetches)
    waiting = [op for op in block.ops if op.type == "int8_quantize"]
    while waiting:
        waiting += work.move(waiting.pop(0))
    work.def_use.commit()
    return work.done


class _Moves:
    def __init__(self, block: Block, fetches: Sequence[str]) -> None:
        self.block = block
        self.def_use = DefUse(block, fetches)
        self.done: list[Replacement] = []

    def move(self, op: Operator) -> list[Operator]:
        """Moves one operator before what makes the value it reads; returns what it became."""
        made_by = self._behind(op, op.inputs["X"][0])
        if made_by is None or not self._gains(op, op.inputs["X"][0], _FAR):
            return []
        if made_by.type == "int8_dequantize":
            self._meet(op, made_by)
            return []
        slot = _slot(made_by)
        new = [self._earlier(op, name) for name in made_by.inputs[slot]]
        inputs = {slot: [first.outputs["Out"][0] for first in new]}
        attrs, type = own_attributes(made_by), made_by.type
        if type == "pool2d":
            type = "int8_max_pool2d"
            attrs = {k: attrs[k] for k in _POOL if k in attrs}
        outputs = {**made_by.outputs, "Out": op.outputs["Out"]}
        whole = [*new, made_from(made_by, type, inputs, outputs, attrs)]
        self.def_use.substitute(op, ())
        self.def_use.substitute(made_by, whole)
        self.done.append(Replacement([made_by, op], whole))
        return new

    def _behind(self, op: Operator, name: str) -> Operator | None:
        """What makes a value, if bytes may be made before that, and nothing else reads it."""
        if not self.def_use.is_temporary(name) or len(self.def_use.uses[name]) != 1:
            return None
        made_by = self.def_use.definition(name)
        if made_by is None or not self.def_use.precedes(made_by, op):
            return None
        if made_by.type == "int8_dequantize":
            return made_by if self._same_steps(op, made_by) else None
        if not (made_by.type in _MOVES or _is_max_pool(made_by)) or not _bare(made_by):
            return None
        return made_by if self._made_before(op, made_by) else None

    def _gains(self, op: Operator, name: str, far: int) -> bool:
        """Whether there is something that gives bytes behind one of the ways to a value."""
        made_by = self.def_use.definition(name) if self.def_use.is_temporary(name) else None
        if made_by is None or not far or len(self.def_use.uses[name]) != 1:
            return False
        if made_by.type in PRODUCTS:
            return not made_by.inputs.get("OutScale") and not made_by.inputs.get("Residual")
        if self._behind(op, name) is None:
            return False
        if made_by.type == "int8_dequantize":
            return True
        return any(self._gains(op, n, far - 1) for n in made_by.inputs[_slot(made_by)])

    def _made_before(self, op: Operator, other: Operator) -> bool:
        """Whether the scale is there before an operator."""
        scale = op.inputs["Scale"][0]
        if not self.def_use.definitions.get(scale):
            return True
        made_by = self.def_use.definition(scale)
        return made_by is not None and self.def_use.precedes(made_by, other)

    def _same_steps(self, op: Operator, other: Operator) -> bool:
        same = all(op.attrs.get(k) == other.attrs.get(k) for k in ("zero", "top"))
        scale = op.inputs["Scale"]
        kept = self.def_use.unchanged([*scale, *other.inputs["X"]], other, op)
        return same and scale == other.inputs["Scale"] and kept

    def _meet(self, op: Operator, other: Operator) -> None:
        """Bytes that were dequantised from the same steps."""
        out = op.outputs["Out"][0]
        if not self.def_use.is_temporary(out):
            return
        self.def_use.redirect(out, other.inputs["X"][0])
        for old in (op, other):
            self.def_use.substitute(old, ())
        self.done.append(Replacement([other, op], []))

    def _earlier(self, op: Operator, name: str) -> Operator:
        """The same operator, for another value."""
        shape = list(self.block._var_recursive(name).shape)
        count, free = 0, f"{name}@BYTES"
        while free in self.block.vars:
            count += 1
            free = f"{name}@BYTES{count}"
        self.block.create_var(name=free, shape=shape, dtype="uint8")
        inputs = {**op.inputs, "X": [name]}
        return made_from(op, op.type, inputs, {"Out": [free]}, own_attributes(op))


def _slot(op: Operator) -> str:
    return "Input" if op.type == "slice" else "X"


def _bare(op: Operator) -> bool:
    """Whether an operator reads nothing but values."""
    slot = _slot(op)
    others = [n for s, names in op.inputs.items() if s != slot for n in names if n != EMPTY]
    return not others and (op.type == "concat" or single(op, slot) is not None)


def _is_max_pool(op: Operator) -> bool:
    attrs = op.attrs
    return (
        op.type == "pool2d"
        and attrs.get("pooling_type") == "max"
        and not attrs.get("global_pooling")
        and not attrs.get("adaptive")
        and attrs.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
        and attrs.get("data_format", "NCHW") == "NCHW"
        and len(attrs.get("paddings", [0, 0])) == 2
    )
