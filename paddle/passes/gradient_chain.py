"""The gradient operators that belong to a matched pattern, derived from its forward operators.

The gradients of the matched operators are made once more, as ``append_backward`` makes them, but
with placeholders for the names of gradients. What comes out is looked up in the block step by step,
and the names that are found there take the places of the placeholders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from paddle.analysis.def_use import DefUse
from paddle.ir.autodiff.gradient_flow import slots_in
from paddle.ir.autodiff.gradient_makers import GRAD_MAKERS, differentiate
from paddle.ir.autodiff.gradient_walk import GradientPart, GradientWalk, Step
from paddle.ir.operator import EMPTY, Operator
from paddle.passes.matching import Match

_PLACEHOLDER = "gradient of "  # no name of a variable begins so
_RESULT = f"{_PLACEHOLDER}the result"


@dataclass
class GradientChain:
    """The gradient operators of a match.

    Attributes:
        ops (list[Operator]): in the order in which they run; none where there is no gradient.
        result (str): the gradient of the result.
        operands (dict): operand -> the gradients of its variables, ``EMPTY`` where there is none;
            a list for each place where the operand is read.
    """

    ops: list[Operator]
    result: str = ""
    operands: dict[str, list[list[str]]] = field(default_factory=dict)


def gradient_chain(
    match: Match, required: Sequence[Operator], result: str, def_use: DefUse
) -> GradientChain | None:
    """Finds the gradient operators of a match.

    Args:
        match (Match): the forward operators.
        required (Sequence[Operator]): those whose gradient has to be there if there is any.
        result (str): the variable that the match makes.
        def_use (DefUse): the chains of the block.

    Returns:
        None where only a part of the gradients is there. What is there twice is not found; that
        somebody else reads the values of the match tells then that it must stay.
    """
    usual = f"{match.root.type}_grad"
    if match.root.type not in GRAD_MAKERS and usual not in def_use.types:
        return GradientChain([])  # nothing is trained
    ops = sorted(match.ops(), key=def_use.position)
    inner = {n for op in ops for n in op.output_arg_names}
    derivation = _Derivation(match, ops, inner - {result})
    derivation.start(result, _RESULT)
    derivation.run(differentiate)
    search = _Search(derivation, inner, result, def_use)
    for step in derivation.steps:
        search.find(step)
    if search.found:
        differentiated = {id(op) for op in derivation.origins.values()}
        there = {id(derivation.origins[key]) for key in search.found if key in derivation.origins}
        if any(id(op) in differentiated - there for op in required):
            return None
    chain = GradientChain(sorted(search.found.values(), key=def_use.position))
    chain.result = search.names.get(_RESULT) or ""
    for operand, op, slot in match.reads:
        placeholders = derivation.leaves.get((id(op), slot), [])
        names = [search.names.get(p) or EMPTY for p in placeholders]
        chain.operands.setdefault(operand, []).append(names)
    return chain


class _Derivation(GradientWalk):
    """The walk back over matched operators, with placeholders for gradients.

    The gradients of operands are not added up: each place where one is read has its own.

    Attributes:
        leaves (dict): the placeholders for what an operator, by its id, reads in a slot.
        origins (dict): the forward operator of a step, by the step's id.
    """

    def __init__(self, match: Match, ops: list[Operator], inner: set[str]) -> None:
        flags = [{s: [True] * len(op.inputs.get(s, ())) for s in slots_in(op)} for op in ops]
        super().__init__(match.block, ops, flags, match.block)
        self.inner = inner
        self.leaves: dict[tuple[int, str], list[str]] = {}
        self.origins: dict[int, Operator] = {}

    def outgoing(self, slot: str) -> list[str] | None:
        names = [EMPTY] * len(self.needs_grad(slot))
        for at in range(len(names)):
            self._to_operand_or_inside(slot, at, GradientPart(names, at))
        return names or None

    def outgoing_at(self, slot: str, at: int) -> list[str]:
        names = [EMPTY]
        self._to_operand_or_inside(slot, at, GradientPart(names))
        return names

    def _to_operand_or_inside(self, slot: str, at: int, part: GradientPart) -> None:
        op = self.ops[self.at]
        name = op.inputs[slot][at]
        if name in self.inner:
            self.add(name, part)
            return
        placeholder = f"{_PLACEHOLDER}{slot} {at} of {self.at}"
        part.names[part.at] = placeholder
        leaves = self.leaves.setdefault((id(op), slot), [EMPTY] * len(op.inputs[slot]))
        leaves[at] = placeholder

    def emit(self, type: str, inputs: Any, outputs: Any, attrs: dict[str, Any]) -> Step:
        step = super().emit(type, inputs, outputs, attrs)
        if self.at >= 0:
            self.origins[id(step)] = self.ops[self.at]
        return step

    def value(self, name: str, written: bool = False) -> str:
        return name

    def gradient_name(self, name: str) -> str:
        return f"{_PLACEHOLDER}{name}"

    def _declare(self, gradient: str, name: str) -> None:
        pass  # placeholders are no variables


class _Search:
    """Looks the steps of a derivation up among the operators of a block.

    Attributes:
        names (dict): what each placeholder stands for; None where the block has no such gradient.
        found (dict): the operators that steps were found to be, by the step's id.
    """

    def __init__(
        self, derivation: _Derivation, inner: set[str], result: str, def_use: DefUse
    ) -> None:
        self.origins = derivation.origins
        self.inner = inner
        self.result = result
        self.def_use = def_use
        self.names: dict[str, str | None] = {}
        self.found: dict[int, Operator] = {}
        self._sources: dict[str, Step] = {}  # steps that read no gradient, by what they make

    def find(self, step: Step) -> None:
        """Looks for the one operator that may be a step, after the steps before it."""
        given = [n for names in step.inputs.values() for n in names if n.startswith(_PLACEHOLDER)]
        made = [n for names in step.outputs.values() for n in names]
        if not given:
            self._sources.update(dict.fromkeys(made, step))
            return
        given = [n for n in given if n not in self._sources]
        if given and all(self.names.get(n, n) is not None for n in given):  # else none arrived
            found = [op for op in self._candidates(step, given[0]) if self._agrees(step, op)]
            if len(found) == 1 and self._take(step, found[0]):
                return
        self.names.update(dict.fromkeys(made))

    def _candidates(self, step: Step, gradient: str) -> Iterable[Operator]:
        """The operators that read what a step reads."""
        name = self.names.get(gradient)
        if name is not None:
            return self.def_use.uses.get(name, ())
        # The gradient of the result, the name of which is not known yet.
        known = [n for names in step.inputs.values() for n in names if n in self.inner]
        known.append(f"{self.result}@GRAD")
        return {id(op): op for n in known for op in self.def_use.uses.get(n, ())}.values()

    def _agrees(self, step: Step, op: Operator) -> bool:
        """Says whether an operator may be a step: its type, what it reads and its attributes."""
        if op.type != step.type or any(op is other for other in self.found.values()):
            return False
        for slot, names in op.inputs.items():
            if names and len(names) != len(step.inputs.get(slot, ())):
                return False
            expected = [self._known(n) for n in step.inputs.get(slot, ())]
            if op.type == "sum":  # in any order
                if sorted(names) != sorted(n or "" for n in expected):
                    return False
            elif any(want not in (None, n) for n, want in zip(names, expected, strict=False)):
                return False
        return self._same_attributes(step, op)

    def _known(self, name: str) -> str | None:
        """A name of a step as it is in the block; None for a gradient that is not known yet."""
        if name.startswith(_PLACEHOLDER):
            return (self.names[name] or EMPTY) if name in self.names else None
        return name

    def _same_attributes(self, step: Step, op: Operator) -> bool:
        """Compares the attributes that have an effect with the step's, or the forward operator's.

        A file of PaddlePaddle may have the latter where the gradient needs others here.
        """
        known = op.definition
        if known is None:
            return False
        origin = self.origins.get(id(step))
        for name, default in known.attrs.items():
            value = op.attrs.get(name, default)
            if value != step.attrs.get(name, default):
                if origin is None or not step.type.endswith("_grad"):
                    return False
                if value != origin.attrs.get(name, default):
                    return False
        return True

    def _take(self, step: Step, op: Operator) -> bool:
        """Notes that an operator is a step, and what the placeholders stand for by that."""
        for slot, names in step.inputs.items():
            for placeholder, name in zip(names, op.inputs.get(slot, []), strict=False):
                if not placeholder.startswith(_PLACEHOLDER) or placeholder in self.names:
                    continue
                self.names[placeholder] = name
                source = self._sources.get(placeholder)
                if source is not None and not self._take_source(source, name):
                    return False
        for slot, names in op.outputs.items():
            if len(names) != len(step.outputs.get(slot, ())) and any(n != EMPTY for n in names):
                return False
        for slot, names in step.outputs.items():
            made = [n if n != EMPTY else None for n in op.outputs.get(slot, ())]
            self.names.update(dict.fromkeys(names))
            self.names.update(zip(names, made, strict=False))
        self.found[id(step)] = op
        return True

    def _take_source(self, step: Step, name: str) -> bool:
        op = self.def_use.definition(name)
        return op is not None and self._agrees(step, op) and self._take(step, op)
