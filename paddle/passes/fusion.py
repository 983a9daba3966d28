"""Fusions: patterns of operators that one operator takes the place of, and so do their gradients.

A fusion is a pattern, the operator for it, and what else has to hold. All that is the same for
every fusion is done here: nothing else may know the values in between, everything that the fused
operators read must have the same value where they stand, and the gradient of the fused operator
takes the place of the gradients of the pattern, which are derived and not declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.core.errors import FrameworkError
from paddle.core.infer import Spec, infer
from paddle.core.op import REGISTRY
from paddle.ir.block import Block
from paddle.ir.needs import gradient_needs, is_gradient
from paddle.ir.operator import EMPTY, Operator
from paddle.passes.gradient_chain import GradientChain, gradient_chain
from paddle.passes.matching import Match, Pattern, matches


class Replacement(NamedTuple):
    """What a pass put in the place of what: operators as they were, and as they are."""

    old: list[Operator]
    new: list[Operator]


@dataclass(frozen=True)
class Fusion:
    """One fusion.

    Attributes:
        pattern (Pattern): what is replaced; its operands are called as the fused operator's slots.
        into (str | Pattern): the type of the fused operator; or a part of the pattern: an operator
            of the same type and with the same attributes as that.
        attributes (callable, optional): ``attributes(match)`` returns those of the fused operator.
        where (callable, optional): ``where(match, def_use)`` says whether shapes, dtypes and the
            like fit.
        build (callable, optional): ``build(match)`` returns the operators that take the place of
            the pattern; then ``into`` is not looked at, and what is trained does not match.
    """

    pattern: Pattern
    into: str | Pattern = ""
    attributes: Callable[[Match], dict[str, Any]] | None = None
    where: Callable[[Match, DefUse], bool] | None = None
    build: Callable[[Match], list[Operator]] | None = None


def fuse(fusion: Fusion, blocks: Iterable[Block], fetches: Sequence[str]) -> list[Replacement]:
    """Fuses whatever matches in some blocks of a Program, in place.

    Args:
        fusion (Fusion): what to look for.
        blocks (Iterable[Block]): where.
        fetches (Sequence[str]): variables that are asked for, and so have to be made.

    Returns:
        What was replaced.
    """
    done: list[Replacement] = []
    required = list(fusion.pattern.required_types())
    for block in blocks:
        types = {op.type for op in block.ops}
        if any(types.isdisjoint(wanted) for wanted in required):
            continue
        roots = [op for op in block.ops if fusion.pattern.accepts(op)]
        if not roots:
            continue
        def_use = DefUse(block, fetches)
        found = [_fuse_at(fusion, op, def_use) for op in roots if def_use.present(op)]
        def_use.commit()
        done += [replacement for replacement in found if replacement is not None]
    return done


def _fuse_at(fusion: Fusion, root: Operator, def_use: DefUse) -> Replacement | None:
    if single(root, fusion.pattern.out, output=True) is None:
        return None
    for match in matches(fusion.pattern, root, def_use):
        if fusion.where is None or fusion.where(match, def_use):
            candidate = _Candidate(fusion, match, def_use)
            if candidate.fits():
                return candidate.replace()
    return None


class _Candidate:
    """A match that is examined, and then replaced.

    Attributes:
        result (str): the variable that the match makes.
        forward (list[Operator]): the operators of the match.
        chain (GradientChain): their gradients.
        gradients (dict): the gradients of each operand, after they were added up.
        sums (list): operators that add more than the gradients of the match up, and what is left
            for them to add.
    """

    def __init__(self, fusion: Fusion, match: Match, def_use: DefUse) -> None:
        self.fusion = fusion
        self.match = match
        self.def_use = def_use
        self.block = match.block
        self.root = match.root
        self.result = match.root.outputs[fusion.pattern.out][0]
        once = {id(op): op for op in match.ops()}  # one may stand for several parts
        self.forward = sorted(once.values(), key=def_use.position)
        self.chain = GradientChain([])
        self.gradients: dict[str, list[str]] = {}
        self.sums: list[tuple[Operator, list[str]]] = []

    # -- what has to hold -------------------------------------------------------------------------

    def fits(self) -> bool:
        """Says whether the Program does the same with the fused operators in its place."""
        if not all(
            self.def_use.unchanged(op.inputs[slot], op, self.root)
            for _, op, slot in self.match.reads
        ):
            return False
        if self.fusion.build is not None:
            return self._closed()
        required = [op for p, ops in self.match.operators.items() if p.required for op in ops]
        chain = gradient_chain(self.match, required, self.result, self.def_use)
        if chain is None:
            return False
        self.chain = chain
        if not (self._add_up() and self._closed() and self._make_forward()):
            return False
        return not chain.ops or self._make_backward()

    def _add_up(self) -> bool:
        """Finds the gradient of each operand; where it is read twice, that is a sum."""
        trainable = {o.name: o.trainable for o in self.fusion.pattern.operands()}
        for operand, places in self.chain.operands.items():
            parts = [names for names in places if any(n != EMPTY for n in names)]
            self.gradients[operand] = parts[0] if parts else []
            if parts and (not trainable[operand] or len(parts) < len(places)):
                return False
            if len(parts) > 1 and not self._replace_sum(operand, [n for ns in parts for n in ns]):
                return False
        return True

    def _replace_sum(self, operand: str, parts: list[str]) -> bool:
        """Lets one gradient stand for several of the terms of a sum, or for all of it."""
        readers = [op for n in parts for op in self.def_use.uses.get(n, ())]
        total = readers[0] if readers else None
        if total is None or total.type != "sum" or any(op is not total for op in readers):
            return False
        rest = [n for n in total.inputs["X"] if n not in parts]
        if rest:
            self.sums.append((total, [parts[0], *rest]))
        else:
            self.gradients[operand] = total.outputs["Out"]
            self.chain.ops.append(total)
        return True

    def _inner_values(self) -> set[str]:
        """What the forward operators make besides the result."""
        made = {
            n
            for pattern, ops in self.match.operators.items()
            for op in ops
            for slot, names in op.outputs.items()
            if slot not in pattern.updates
            for n in names
        }
        return made - {self.result, EMPTY}

    def _closed(self) -> bool:
        """Says whether nothing else knows what is between the operands and the results."""
        inner = self._inner_values()
        inner.update(n for op in self.chain.ops for n in op.output_arg_names)
        inner.difference_update(*self.gradients.values())
        if any(not inner.isdisjoint(names) for names in self.match.operands.values()):
            return False
        known = {id(op) for op in (*self.forward, *self.chain.ops)}
        known.update(id(total) for total, _ in self.sums)
        uses = self.def_use.uses
        return all(
            self.def_use.is_temporary(n) and all(id(op) in known for op in uses.get(n, ()))
            for n in inner
        )

    # -- the fused operators ----------------------------------------------------------------------

    def _make_forward(self) -> bool:
        """Makes the fused operator; it stands where the result was made."""
        into, match = self.fusion.into, self.match
        source = None if isinstance(into, str) else match[into]
        type = into if isinstance(into, str) else match[into].type
        attrs = {} if source is None else own_attributes(source)
        if self.fusion.attributes is not None:
            attrs.update(self.fusion.attributes(match))
        self.known = known = REGISTRY[type]
        inputs = {s.name: match.operands.get(s.name, []) for s in known.inputs}
        self.extra = {}
        if len(known.outputs) > 1:
            try:
                self.extra = self._extra_results(inputs, attrs)
            except FrameworkError:
                return False  # the operators that are there tell better what is wrong
        outputs = {known.outputs[0].name: [self.result]}
        outputs.update({slot: [f"{self.result}@{slot.upper()}"] for slot in self.extra})
        self.fused = made_from(self.root, type, inputs, outputs, attrs)
        return True

    def _extra_results(self, inputs: dict[str, list[str]], attrs: dict) -> dict[str, Spec]:
        """Further results of the fused operator; those that are optional are for its gradient."""
        given: list[Any] = []
        for slot in self.known.inputs:
            found = [self.block._var_recursive(n) for n in inputs[slot.name]]
            specs = [Spec(tuple(var.shape), var.dtype) for var in found]
            given.append(specs if slot.many else specs[0] if specs else None)
        results = zip(self.known.outputs, infer(self.known, given, attrs), strict=True)
        wanted = bool(self.chain.ops)
        return {
            slot.name: spec
            for slot, spec in list(results)[1:]
            if spec is not None and (wanted or not slot.optional)
        }

    def _make_backward(self) -> bool:
        """Makes the gradient of the fused operator; it stands where the result's is first read."""
        chain, order = self.chain, self.def_use
        readers = [op for op in chain.ops if chain.result in op.input_arg_names]
        if not readers:
            return False
        self.first = readers[0]
        inputs = {**self.fused.inputs, **self.fused.outputs}
        inputs[f"{self.known.outputs[0].name}@GRAD"] = [chain.result]
        outputs = {f"{operand}@GRAD": names for operand, names in self.gradients.items()}
        attrs = own_attributes(self.fused)
        self.gradient = made_from(self.first, f"{self.fused.type}_grad", inputs, outputs, attrs)
        marks = [n for op in chain.ops for n in op.attrs.get("op_role_var", ())]
        if marks:
            self.gradient.attrs["op_role_var"] = marks
        known = {id(op) for op in chain.ops}
        made_by = {n: op for op in chain.ops for n in op.output_arg_names}
        for name in self.gradient.output_arg_names:  # all are made at once, some earlier than now
            users = [*order.uses.get(name, ()), *order.definitions.get(name, ())]
            if any(
                order.precedes(self.first, op) and order.precedes(op, made_by[name])
                for op in users
                if id(op) not in known
            ):
                return False
        return self._sees_the_same_values()

    def _sees_the_same_values(self) -> bool:
        """Says whether what the fused gradient reads is what the gradients before it read."""
        chain, inner = self.chain, self._inner_values()
        before = [(op, _values(op)) for op in chain.ops]
        again = any(not inner.isdisjoint(values) for _, values in before)
        readers = {n: op for _, op, slot in self.match.reads for n in op.inputs[slot]}
        for name in gradient_needs(self.gradient)[0]:
            reader = readers.get(name, self.root)
            if name == chain.result or self.def_use.unchanged([name], reader, self.first):
                continue
            # What is computed again has to be computed of what the forward operators saw.
            ops = [op for op, values in before if name in values]
            if again or not ops:
                return False
            if not all(self.def_use.unchanged([name], self.first, op) for op in ops):
                return False
        return True

    # -- the change -------------------------------------------------------------------------------

    def replace(self) -> Replacement:
        """Puts the fused operators in the place of the match."""
        if self.fusion.build is not None:
            new = {id(self.root): self.fusion.build(self.match)}
        else:
            new = {id(self.root): [self.fused]}
            for slot, spec in self.extra.items():
                self.block.create_var(
                    name=self.fused.outputs[slot][0], shape=list(spec.shape), dtype=spec.dtype
                )
        old = [*self.forward, *self.chain.ops]
        if self.chain.ops:
            new[id(self.first)] = [self.gradient]
        for op in old:
            self.def_use.substitute(op, new.get(id(op), ()))
        for total, terms in self.sums:
            made = made_from(total, "sum", {"X": terms}, total.outputs, own_attributes(total))
            self.def_use.substitute(total, [made])
        return Replacement(old, [op for ops in new.values() for op in ops])


def _values(op: Operator) -> list[str]:
    """The variables of which a gradient operator reads more than the shape."""
    return gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names
