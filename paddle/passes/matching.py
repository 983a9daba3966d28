"""Patterns of operators, and how they are found in a block by its def-use chains.

A pattern is written as the expression that it matches::

    product = Pattern("matmul_v2", X=Operand("X"), Y=Operand("W"))
    linear = Pattern("elementwise_add", X=product, Y=Operand("Bias"))

It is matched from the result back to the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from paddle.analysis.def_use import DefUse
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.variable import Variable


@dataclass(frozen=True)
class Operand:
    """A place for the variables that a pattern reads.

    Where it stands twice in a pattern, both are the same variables.

    Attributes:
        name (str): the input slot of the fused operator that they go to.
        optional (bool): whether the slot may be empty.
        trainable (bool): False if nothing matches where a gradient of theirs is computed.
    """

    name: str
    optional: bool = False
    trainable: bool = True


class Pattern:
    """An operator of a pattern; what it reads is told by slot: an operand, or another operator.

    An operator with inputs in other slots does not match.

    Args:
        types (str): types of operators, one or several, with spaces between.
        where (callable, optional): ``where(op)`` says whether an operator of such a type matches.
        out (str): the output slot that the pattern goes on with. Default: "Out".
        optional (bool): it may be missing; then its first input takes its place.
        repeated (bool): any number of them follow one another by their first input, none included.
        updates (tuple[str, ...]): output slots that the fused operator need not write.
        inputs: what stands in each input slot.
    """

    def __init__(
        self,
        types: str,
        where: Callable[[Operator], bool] | None = None,
        out: str = "Out",
        optional: bool = False,
        repeated: bool = False,
        updates: tuple[str, ...] = (),
        **inputs: Operand | Pattern,
    ) -> None:
        self.types = frozenset(types.split())
        self.where = where
        self.out = out
        self.required = not optional and not repeated
        self.repeated = repeated
        self.updates = updates
        self.inputs = inputs
        self.first_slot = next(iter(inputs))

    def accepts(self, op: Operator) -> bool:
        """Says whether an operator may be this one, whatever it reads."""
        return op.type in self.types and (self.where is None or self.where(op))

    def operands(self) -> Iterator[Operand]:
        """All operands, from left to right."""
        for part in self.inputs.values():
            if isinstance(part, Operand):
                yield part
            else:
                yield from part.operands()

    def required_types(self) -> Iterator[frozenset[str]]:
        """Sets of types, of each of which a match has an operator."""
        if self.required:
            yield self.types
        for part in self.inputs.values():
            if isinstance(part, Pattern):
                yield from part.required_types()


@dataclass(frozen=True)
class Match:
    """One place in a block that a pattern matches.

    Attributes:
        block (Block): where it is.
        root (Operator): the operator that makes the result.
        operators (dict): the operators of each part of the pattern; parts that are missing are not
            there.
        operands (dict): the variables of each operand, by its name.
        reads (list): where operands are read: (name of the operand, operator, slot).
    """

    block: Block
    root: Operator
    operators: dict[Pattern, list[Operator]] = field(default_factory=dict)
    operands: dict[str, list[str]] = field(default_factory=dict)
    reads: list[tuple[str, Operator, str]] = field(default_factory=list)

    def __getitem__(self, pattern: Pattern) -> Operator:
        """The operator of a part that is there once."""
        return self.operators[pattern][0]

    def every(self, *patterns: Pattern) -> list[Operator]:
        """The operators of parts that may be missing or repeated."""
        return [op for pattern in patterns for op in self.operators.get(pattern, ())]

    def ops(self) -> list[Operator]:
        """All operators."""
        return [op for found in self.operators.values() for op in found]

    def var(self, operand: str) -> Variable | None:
        """The variable of an operand, if it is one and known."""
        names = self.operands.get(operand, ())
        return self.block._find_var_recursive(names[0]) if len(names) == 1 else None

    def with_operator(self, pattern: Pattern, op: Operator) -> Match:
        """This and one operator more."""
        operators = {**self.operators, pattern: [*self.operators.get(pattern, ()), op]}
        return Match(self.block, self.root, operators, self.operands, self.reads)

    def with_operand(self, operand: Operand, op: Operator, slot: str) -> Match:
        """This and one operand more, or the same one in another place."""
        operands = {**self.operands, operand.name: op.inputs[slot]}
        reads = [*self.reads, (operand.name, op, slot)]
        return Match(self.block, self.root, self.operators, operands, reads)


def matches(pattern: Pattern, root: Operator, def_use: DefUse) -> Iterator[Match]:
    """The ways in which a pattern matches with an operator as its result, the largest one first.

    Args:
        pattern (Pattern): what to match.
        root (Operator): the operator that makes the result; the pattern accepts it.
        def_use (DefUse): the chains of its block.
    """
    return _at_operator(pattern, root, Match(def_use.block, root), def_use)


def _at_operator(pattern: Pattern, op: Operator, match: Match, def_use: DefUse) -> Iterator[Match]:
    for slot, names in op.inputs.items():
        if names and slot not in pattern.inputs:
            return
    yield from _slots(pattern, op, list(pattern.inputs), match.with_operator(pattern, op), def_use)


def _slots(
    pattern: Pattern, op: Operator, slots: list[str], match: Match, def_use: DefUse
) -> Iterator[Match]:
    """Matches what an operator reads in some of its slots."""
    if not slots:
        yield match
        return
    slot, rest = slots[0], slots[1:]
    again = pattern.repeated and slot == pattern.first_slot
    part = pattern if again else pattern.inputs[slot]
    for found in _value(part, op, slot, match, def_use):
        yield from _slots(pattern, op, rest, found, def_use)


def _value(
    part: Operand | Pattern, op: Operator, slot: str, match: Match, def_use: DefUse
) -> Iterator[Match]:
    """Matches what an operator reads in one slot."""
    names = op.inputs.get(slot) or []
    if isinstance(part, Operand):
        if not names and part.optional:
            yield match
        elif names and EMPTY not in names and match.operands.get(part.name, names) == names:
            yield match.with_operand(part, op, slot)
        return
    if len(names) == 1:
        known = match.operators.get(part)
        if known is not None and not part.repeated:  # one result that is read several times
            if known[0].outputs.get(part.out) == names:
                yield match
            return
        made_by = def_use.definition(names[0])
        if (
            made_by is not None
            and part.accepts(made_by)
            and made_by.outputs.get(part.out) == names
            and def_use.precedes(made_by, op)  # not the value of the loop's next iteration
        ):
            yield from _at_operator(part, made_by, match, def_use)
    if not part.required:
        yield from _value(part.inputs[part.first_slot], op, slot, match, def_use)
