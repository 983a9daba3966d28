"""Mixed precision in a Program: casts before the operators that are to have another precision."""

from __future__ import annotations

from paddle.amp.lists import LOW, lacks_half
from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.recording.shapes import infer_outputs


def rewrite(
    program: Program,
    white: frozenset[str],
    black: frozenset[str],
    low: VarType,
    kept: frozenset[str] = frozenset(),
    pure: bool = False,
) -> None:
    """Lets the forward operators of a Program run in mixed precision.

    Operators of blocks inside (branches, loops) stay in 32 bits.

    Args:
        program (Program): changed in place; must not have gradient operators yet.
        white (frozenset[str]): operators that run in 16 bits.
        black (frozenset[str]): operators that run in 32 bits.
        low (VarType): float16 or bfloat16.
        kept (frozenset[str]): names of variables; operators that touch one of them stay in 32 bits.
        pure (bool): all operators but the black ones run in 16 bits.
    """
    block = program.global_block()
    _Rewriter(block, white, black, low, kept, pure).run()
    program.note_change()


class _Rewriter:
    def __init__(self, block: Block, white: frozenset[str], black: frozenset[str], low: VarType,
                 kept: frozenset[str], pure: bool) -> None:  # fmt: skip
        self.block, self.low, self.pure = block, low, pure
        self.white, self.black, self.kept = white, black, kept
        self.casts: dict[tuple[str, VarType], str] = {}

    def run(self) -> None:
        """Goes over the operators once; dtypes follow as they are inferred again."""
        written: set[str] = set()
        at = 0
        while at < len(self.block.ops):
            op = self.block.ops[at]
            again = any(n in written for n in op.output_arg_names)
            target = self._target(op, again)
            if target is not None:
                at += self._cast_inputs(op, at, target)
            if not op.sub_blocks:
                infer_outputs(op)
            for name in op.output_arg_names:
                written.add(name)
                self.casts.pop((name, self.low), None)
                self.casts.pop((name, VarType.FP32), None)
            at += 1

    def _target(self, op: Operator, again: bool) -> VarType | None:
        known = op.definition
        touched = {*op.input_arg_names, *op.output_arg_names}
        if op.sub_blocks or known is None or again or touched & self.kept:
            return VarType.FP32
        if any(slot.writes and op.outputs.get(slot.name) for slot in known.outputs):
            return None if known.amp == "norm" else VarType.FP32
        if op.type == "cast" or known.amp == "norm":
            return None
        if op.type in self.white:
            return self.low
        outputs = [self.block._var_recursive(n) for n in op.output_arg_names if n != EMPTY]
        if op.type in self.black or lacks_half(known) or any(var._persistable for var in outputs):
            return VarType.FP32
        if self.pure:
            return self.low
        found = {self._dtype(n) for n in op.input_arg_names}
        return VarType.FP32 if VarType.FP32 in found and found & LOW else None

    def _dtype(self, name: str) -> VarType | None:
        var = self.block._find_var_recursive(name) if name != EMPTY else None
        return None if var is None else var._dtype

    def _cast_inputs(self, op: Operator, at: int, target: VarType) -> int:
        """Puts casts before an operator and lets it read them; returns how many it added."""
        added = 0
        inner = _names_read_inside(op)
        for name in dict.fromkeys([*op.input_arg_names, *inner]):
            dtype = self._dtype(name)
            if dtype is target or (dtype is not VarType.FP32 and dtype not in LOW):
                continue
            key = (name, target)
            if key not in self.casts:
                self._insert_cast(op, at + added, key)
                added += 1
            _rename(op, name, self.casts[key])
        return added

    def _insert_cast(self, op: Operator, at: int, key: tuple[str, VarType]) -> None:
        name, target = key
        source = self.block._var_recursive(name)
        kind = "fp32" if target is VarType.FP32 else "fp16" if target is VarType.FP16 else "bf16"
        made = self.block.create_var(
            name=unique_name.generate(f"{name}.cast_{kind}"), dtype=target,
            stop_gradient=source.stop_gradient,
        )  # fmt: skip
        cast = self.block._insert_op(
            at, "cast", {"X": name}, {"Out": made},
            {"in_dtype": int(source.dtype), "out_dtype": int(target)},
        )  # fmt: skip
        cast.attrs["op_role"] = op.attrs.get("op_role", 0)
        self.casts[key] = made._name


def _names_read_inside(op: Operator) -> list[str]:
    """Variables from outside that the blocks of an operator read."""
    found: list[str] = []
    for block in op.sub_blocks:
        for inner in block.ops:
            names = [*inner.input_arg_names, *_names_read_inside(inner)]
            found += [n for n in names if n not in block.vars]
    return found


def _rename(op: Operator, old: str, new: str) -> None:
    op._rename_input(old, new)
    for block in op.sub_blocks:
        for inner in block.ops:
            _rename(inner, old, new)
