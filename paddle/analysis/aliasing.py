"""Operators that may write their result into the memory of an input, and when."""

from __future__ import annotations

from typing import Any

from paddle.analysis.marks import HOISTED
from paddle.core.dtype import VarType
from paddle.ir.needs import gradient_needs, inner_names, is_gradient
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program

IN_PLACE = "_in_place"  # attribute: the arguments of an in-place form, the overwritten one first


def makes_memory(op: Operator, name: str) -> bool:
    """Whether a result is in memory that neither an input nor a later run has a part in."""
    if op.attrs.get(HOISTED) or op.sub_blocks:
        return False
    known = op.definition
    if known is None:
        return False
    if not op.input_arg_names:
        return True
    if any(slot.writes and name in op.outputs.get(slot.name, []) for slot in known.outputs):
        return True  # written into a copy of the input
    return _unaliased(op, name)


def _unaliased(op: Operator, name: str) -> bool:
    """Whether an operator declares that nothing else can see the memory of a result."""
    known = op.definition
    slots = [] if known is None else known.unaliased(op.inputs, op.attrs)
    return any(name in op.outputs.get(slot, ()) for slot in slots)


class Memory:
    """Knows of a Program which results may be overwritten.

    Args:
        program (Program): must not change afterwards.
        kept: variables that are returned.
    """

    def __init__(self, program: Program, kept: Any = ()) -> None:
        self._kept = set(kept)
        self._writers: dict[str, list[Operator]] = {}
        self._readers: dict[str, list[Operator]] = {}
        for block in program.blocks:
            for op in block.ops:
                names = gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names
                inner = inner_names(op)
                for name in [*names, *inner]:
                    self._readers.setdefault(name, []).append(op)
                for name in {*op.output_arg_names, *inner}:
                    self._writers.setdefault(name, []).append(op)

    def arguments(self, op: Operator) -> list[str] | None:
        """The arguments of an operator that may run in place, the overwritten one first."""
        known = op.definition
        form = None if known is None else known.inplace
        if known is None or form is None or op.attrs.get(HOISTED):
            return None
        if any(op.attrs.get(name, value) != value for name, value in form.only.items()):
            return None
        args = [n for slot in known.inputs for n in op.inputs.get(slot.name, [])]
        if EMPTY in args or not args or any(n not in op.block.vars for n in args[:1]):
            return None
        several, listed = len(known.inputs) > 1, known.inputs[0].many
        if not several and not listed and not (form.any_dtype or _floating(op, args[0])):
            return None
        if known.base is None and (several or listed):
            if len(args) != 2 or not _alike(op, args):
                return None
            if listed and not self.is_free(args[0], op):
                args.reverse()  # the terms of a sum
        return args if self.is_free(args[0], op) else None

    def is_free(self, name: str, reader: Operator) -> bool:
        """Whether only ``reader`` needs a value, and the value is in memory of its own."""
        var = reader.block.vars.get(name)
        if var is None or var.persistable or var.is_data or name in self._kept:
            return False
        writers = self._writers.get(name, [])
        if len(self._readers.get(name, ())) != 1 or len(writers) != 1:
            return False
        return self._own_memory(writers[0], name, reader)

    def is_last(self, name: str, reader: Operator) -> bool:
        """Whether ``reader`` is the last that needs a value, whose memory nothing else has then.

        What read it before has made memory of its own, in the same block.
        """
        var = reader.block.vars.get(name)
        if var is None or var.persistable or var.is_data or name in self._kept:
            return False
        writers, readers = self._writers.get(name, []), self._readers.get(name, [])
        if len(writers) != 1 or readers[-1] is not reader or readers.count(reader) != 1:
            return False
        before = readers[:-1]
        apart = all(
            op.block is reader.block and all(makes_memory(op, n) for n in op.output_arg_names)
            for op in before
        )
        return apart and self._own_memory(writers[0], name, reader)

    @staticmethod
    def _own_memory(writer: Operator, name: str, reader: Operator) -> bool:
        own = not writer.attrs.get(HOISTED) and _unaliased(writer, name)
        return own and writer.block is reader.block


def _floating(op: Operator, name: str) -> bool:
    """Whether a function of an operand is of the operand's own type."""
    return op.block.vars[name].dtype in (VarType.FP32, VarType.FP64)


def _alike(op: Operator, names: list[str]) -> bool:
    """Whether two operands look alike, as far as the Program knows."""
    x, y = (op.block._find_var_recursive(n) for n in names)
    return x is not None and y is not None and x._dims == y._dims and x.dtype == y.dtype
