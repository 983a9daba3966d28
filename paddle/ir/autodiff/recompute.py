"""Recomputation: the backward part computes forward values again instead of keeping them.

Checkpoints cut the operators into segments. When the walk back enters a segment, copies of its
operators go in front of its gradient operators and write to ``<name>.subprog_<k>``. What follows
the last checkpoint is kept, since it is needed at once.

Not computed again, but kept: checkpoints, parameters and what is fed; what another segment reads;
the results of random operators, so that a dropout mask is the same both times; and the results of
operators with sub-blocks or that write in place. A batch norm is computed again without updating
its running statistics a second time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.autodiff.gradient_walk import GradientWalk, Names, Step
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator, Role
from paddle.ir.randomness import draws


@dataclass(eq=False)
class Segment:
    """Operators from ``first`` to ``last`` that are to be computed again."""

    first: int
    last: int
    renamed: dict[str, str] | None = None  # once computed again: name -> name of the copy

    def __contains__(self, at: object) -> bool:
        return isinstance(at, int) and self.first <= at <= self.last


def is_repeatable(op: Operator) -> bool:
    """Says whether running an operator again gives the same and changes nothing else."""
    known = op.definition
    if known is None or op.sub_blocks or draws(op):
        return False
    if known.statistics is not None:
        return not op.inputs.get("MomentumTensor")
    written = {n for s in known.outputs if s.writes for n in op.outputs.get(s.name, ())}
    return not written and not set(op.input_arg_names) & set(op.output_arg_names)


class Recompute:
    """Adds the copies while a walk goes on; :meth:`enter` is the walk's hook.

    Args:
        walk (GradientWalk): the walk.
        checkpoints: names of the variables to keep.
    """

    def __init__(self, walk: GradientWalk, checkpoints: Collection[str]) -> None:
        self.walk = walk
        self.segments = _segments(walk.block, walk.ops, checkpoints)
        self.kept = _kept(walk, self.segments, checkpoints)
        self._count = 0

    def enter(self, at: int) -> None:
        """Computes a segment again when the walk meets the first of its operators."""
        found = next((s for s in self.segments if at in s), None)
        if found is None:
            self.walk.renamed = {}
            return
        if found.renamed is None:
            label = f".subprog_{self._count}"
            self._count += 1
            ops = [op for op in self.walk.ops[found.first : at + 1] if is_repeatable(op)]
            names = {n for op in ops for n in op.output_arg_names}
            found.renamed = {n: n + label for n in names - self.kept}
            for op in ops:
                self._copy(op, label, found.renamed)
        self.walk.renamed = found.renamed

    def _copy(self, op: Operator, label: str, renamed: dict[str, str]) -> None:
        if not any(n in renamed for n in op.output_arg_names):
            return
        known = op.definition
        assert known is not None
        inplace = {s.name for s in known.outputs if s.writes}
        inputs = {s: [renamed.get(n, n) for n in names] for s, names in op.inputs.items()}
        outputs: dict[str, Names] = {}
        for slot, names in op.outputs.items():
            outputs[slot] = list(names)
            if slot not in inplace:
                outputs[slot] = [EMPTY if n == EMPTY else self._made(n, label) for n in names]
        attrs: dict[str, Any] = {k: v for k, v in op.attrs.items() if k != "op_role_var"}
        attrs["op_role"] = Role.BACKWARD
        if known.statistics is not None:
            attrs[known.statistics] = 1.0  # they stay what they are
        self.walk.steps.append(Step(op.type, inputs, outputs, attrs, op.location, op.attr_kinds))

    def _made(self, name: str, label: str) -> str:
        var = self.walk.block._var_recursive(name)
        self.walk.target.create_var(
            name=name + label, type=var.type, shape=var._dims, dtype=var.dtype, stop_gradient=True
        )
        return name + label


def _segments(block: Block, ops: Sequence[Operator], checkpoints: Collection[str]) -> list[Segment]:
    ends = set()
    for name in checkpoints:
        at = [i for i, op in enumerate(ops) if name in op.output_arg_names]
        if not at and any(name in op.input_arg_names for op in ops):
            continue  # fed or stored: it stays anyway
        if not at:
            raise InvalidArgumentError(
                f"append_backward(checkpoints): {name!r} is not computed on the way to the loss."
            )
        ends.add(at[-1])
    found, first = [], 0
    for last in sorted(ends):
        found.append(Segment(first, last))
        first = last + 1
    return found


def _kept(walk: GradientWalk, segments: list[Segment], checkpoints: Collection[str]) -> set[str]:
    """Names of the forward values that stay in memory."""
    kept = set(checkpoints)
    number: dict[str, int] = {}
    where = [next((k for k, s in enumerate(segments) if i in s), -1) for i in range(len(walk.ops))]
    for i, op in enumerate(walk.ops):
        for name in op.input_arg_names:
            if number.get(name, where[i]) != where[i]:
                kept.add(name)
        number.update(dict.fromkeys(op.output_arg_names, where[i]))
        if where[i] < 0 or not is_repeatable(op):
            kept.update(op.output_arg_names)
    return kept | {n for n in number if walk.block._var_recursive(n).persistable}
