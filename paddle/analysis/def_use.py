"""Who writes and who reads a variable: what passes ask before they change a block."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.ir.block import Block
from paddle.ir.needs import gradient_needs, inner_names, is_gradient
from paddle.ir.operator import EMPTY, Operator


class Uses:
    """The operators of one block that write and read each variable.

    Attributes:
        writers (dict[str, list[Operator]]): the operators that assign a variable.
        readers (dict[str, list[Operator]]): the operators that need its value.
        mentions (dict[str, list[Operator]]): the operators that name it among their inputs, though
            some may need only its shape.
    """

    def __init__(self, block: Block, fetches: Sequence[str] = ()) -> None:
        self.block = block
        self.kept = {*fetches, *_read_by_gradients(block)}
        self.writers: dict[str, list[Operator]] = {}
        self.readers: dict[str, list[Operator]] = {}
        self.mentions: dict[str, list[Operator]] = {}
        for op in block.ops:
            inner = inner_names(op)
            for name in {*op.input_arg_names, *inner}:
                self.mentions.setdefault(name, []).append(op)
            values = gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names
            for name in {*values, *inner}:
                self.readers.setdefault(name, []).append(op)
            for name in {*op.output_arg_names, *inner}:
                self.writers.setdefault(name, []).append(op)

    def passing(self, name: str) -> bool:
        """Says whether a variable is written once, in this block, and is of no use outside."""
        var = self.block.vars.get(name)
        return (
            var is not None
            and not var.persistable
            and not var.is_data
            and name not in self.kept
            and len(self.writers.get(name, ())) == 1
        )

    def maker(self, name: str) -> Operator | None:
        """The one operator that writes a variable."""
        found = self.writers.get(name, [])
        return found[0] if len(found) == 1 else None

    def only_reader(self, name: str) -> Operator | None:
        """The one operator that needs a variable's value."""
        found = self.readers.get(name, [])
        return found[0] if len(found) == 1 else None

    def constant(self, name: str) -> bool:
        """Says whether a variable keeps its value during a run."""
        return not self.writers.get(name)


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


def gradient_of_output(uses: Uses, op: Operator, out: str) -> Operator | None:
    """The gradient operator that belongs to a forward one, found by the output both name."""
    for other in uses.mentions.get(out, []):
        if other.type == op.type + "_grad" and any(
            out in names for slot, names in other.inputs.items() if slot in op.outputs
        ):
            return other
    return None


def between(block: Block, first: Operator, last: Operator) -> list[Operator]:
    """The operators from one to another, without both."""
    at = {id(op): i for i, op in enumerate(block.ops)}
    return block.ops[at[id(first)] + 1 : at[id(last)]]


def unchanged(block: Block, names: Sequence[str], first: Operator, last: Operator) -> bool:
    """Says whether no operator between two others writes any of some variables."""
    wanted = set(names)
    return not any(
        wanted & {*op.output_arg_names, *inner_names(op)} for op in between(block, first, last)
    )


def replace(block: Block, old: Operator, new: Operator | None) -> None:
    """Puts an operator in the place of another one, or takes it out."""
    at = next(i for i, op in enumerate(block.ops) if op is old)
    block.ops[at : at + 1] = [] if new is None else [new]


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
