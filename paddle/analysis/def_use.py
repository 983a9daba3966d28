"""Def-use chains of a block: which operators write and which read each variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from paddle.ir.block import Block
from paddle.ir.needs import inner_names
from paddle.ir.operator import EMPTY, Operator


class DefUse:
    """The operators of one block that write and read each variable.

    They hold for the block as it was, and for what :meth:`substitute` makes of it. An operator with
    sub-blocks both writes and reads whatever these mention.

    Attributes:
        types (set[str]): the types of the operators that the block had.
        definitions (dict[str, list[Operator]]): the operators that write a variable.
        uses (dict[str, list[Operator]]): the operators that name it among their inputs, though some
            may need only its shape.
    """

    def __init__(self, block: Block, fetches: Iterable[str] = ()) -> None:
        self.block = block
        self._needed_outside = {*fetches, *_read_by_gradients(block)}
        self._nested = block.program.num_blocks > 1
        self.types = {op.type for op in block.ops}
        self.definitions: dict[str, list[Operator]] = {}
        self.uses: dict[str, list[Operator]] = {}
        self._positions: dict[int, int] = {}
        self._substitutes: dict[int, Sequence[Operator]] = {}
        for position, op in enumerate(block.ops):
            self._add(op, position)

    def _add(self, op: Operator, position: int) -> None:
        self._positions[id(op)] = position
        for names, chains in self._names(op):
            for name in names:
                if name in chains:
                    chains[name].append(op)
                else:
                    chains[name] = [op]

    def _names(self, op: Operator) -> tuple[tuple[set[str], dict[str, list[Operator]]], ...]:
        inner = inner_names(op) if self._nested else ()
        return (
            ({*op.input_arg_names, *inner}, self.uses),
            ({*op.output_arg_names, *inner}, self.definitions),
        )

    # -- questions --------------------------------------------------------------------------------

    def definition(self, name: str) -> Operator | None:
        """The one operator that writes a variable; None if there are several, or none."""
        found = self.definitions.get(name, ())
        return found[0] if len(found) == 1 else None

    def is_temporary(self, name: str) -> bool:
        """Says whether a variable is written once, in this block, and not needed outside of it."""
        var = self.block.vars.get(name)
        return (
            var is not None
            and not var.persistable
            and not var.is_data
            and name not in self._needed_outside
            and len(self.definitions.get(name, ())) == 1
        )

    def is_constant(self, name: str) -> bool:
        """Says whether a variable keeps its value during a run."""
        return not self.definitions.get(name)

    def position(self, op: Operator) -> int:
        """Where an operator stands in the block; what replaced another one has its position."""
        return self._positions[id(op)]

    def precedes(self, first: Operator, second: Operator) -> bool:
        """Says whether an operator stands before another one."""
        return self._positions[id(first)] < self._positions[id(second)]

    def present(self, op: Operator) -> bool:
        """Says whether an operator has not been replaced."""
        return id(op) in self._positions

    def unchanged(self, names: Iterable[str], first: Operator, last: Operator) -> bool:
        """Says whether no operator between two others writes any of some variables."""
        start, end = self.position(first), self.position(last)
        return not any(
            start < self.position(op) < end
            for name in names
            for op in self.definitions.get(name, ())
        )

    # -- changes ----------------------------------------------------------------------------------

    def substitute(self, old: Operator, new: Sequence[Operator] = ()) -> None:
        """Puts operators in the place of another one; :meth:`commit` tells the block."""
        position = self._positions.pop(id(old))
        for names, chains in self._names(old):
            for name in names:
                chains[name].remove(old)
        self._substitutes[id(old)] = new
        for op in new:
            self._add(op, position)

    def redirect(self, name: str, to: str) -> None:
        """Lets whatever reads a variable read another one; sub-blocks go on naming the first."""
        readers = self.uses.pop(name, [])
        chain = self.uses.setdefault(to, [])
        for op in readers:
            op._rename_input(name, to)
            if not any(op is known for known in chain):
                chain.append(op)

    def commit(self) -> None:
        """Changes the block's list of operators to what was substituted."""
        pending = self.block.ops[::-1]
        ops: list[Operator] = []
        while pending:
            op = pending.pop()
            if id(op) in self._substitutes:  # which may have been replaced again
                pending.extend(reversed(self._substitutes[id(op)]))
            else:
                ops.append(op)
        self.block.ops = ops
        self._substitutes = {}
        self.block.note_change()


def _read_by_gradients(block: Block) -> set[str]:
    """What the gradient of a sub-block, a block elsewhere, finds in it."""
    return {
        name
        for other in block.program.blocks
        if other.forward_block_idx == block.idx and other is not block
        for op in other.ops
        for name in (*op.input_arg_names, *inner_names(op))
    }


def single(op: Operator, slot: str, output: bool = False) -> str | None:
    """The one variable of a slot, or None."""
    names = (op.outputs if output else op.inputs).get(slot) or []
    return names[0] if len(names) == 1 and names[0] != EMPTY else None


def own_attributes(op: Operator) -> dict[str, Any]:
    """The attributes of an operator that say what it computes, not where it belongs."""
    return {k: v for k, v in op.attrs.items() if not k.startswith("op_")}


def made_from(op: Operator, type: str, inputs: dict, outputs: dict, attrs: dict) -> Operator:
    """A new operator that stands for an existing one: same role, same line of the user."""
    common = {k: v for k, v in op.attrs.items() if k.startswith("op_")}
    clean = {s: n for s, n in inputs.items() if n}
    return Operator(
        op.block,
        type,
        clean,
        {s: n for s, n in outputs.items() if n},
        {**attrs, **common},
        op.location,
    )
