"""Levels of sequences (LoD) at run time: which rows of a buffer belong to one image or sequence.

They lie on the buffer. Feeding sets them, kernels that make sequences put them on their
results, and here they go on from operator to operator. Which results of a Program may have any is
found when its plan is made; nothing is written for the others.

An operator says by its trait ``lod`` from which inputs levels go on. Where it says nothing, those
of its first operand go on if it works element by element, or if the Program says that its result
has levels, as Programs of 1.x do. The other operands are not asked.
"""

from __future__ import annotations

from typing import Any

from paddle.core.levels import levels_on, put_levels
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator, declared
from paddle.ir.program import Program
from paddle.ir.recording.level_rules import handed_on, results_of

OWN, ARRAY, JOINED = "own", "array", "joined"  # values of the trait that name no slots


def share_lod(out: Any, *sources: Any) -> None:
    """Gives a result the LoD of the first source that has one, unless it has its own.

    Args:
        out (torch.Tensor): the result; something else has no LoD.
        *sources (torch.Tensor): inputs of the operator.
    """
    if levels_on(out) or not hasattr(out, "shape"):
        return
    for source in sources:
        lod = levels_on(source)
        if lod and out.shape and lod[-1][-1] == out.shape[0]:
            put_levels(out, lod)
            return


def join_lod(out: Any, *sources: Any) -> None:
    """Gives rows that were put below each other the levels of all parts, else those of the first.

    Args:
        out (torch.Tensor): the result.
        *sources (torch.Tensor): the parts.
    """
    levels = [levels_on(source) for source in sources]
    rows = sum(source.shape[0] for source in sources if source.shape)
    if rows != out.shape[0] or len(sources) < 2:
        share_lod(out, sources[0])
    elif all(levels) and len({len(lod) for lod in levels if lod}) == 1:
        put_levels(out, [_joined(offsets) for offsets in zip(*levels, strict=True)])


def _joined(parts: Any) -> list[int]:
    made = [0]
    for offsets in parts:
        start = made[-1]
        made += [start + n for n in offsets[1:]]
    return made


def lod_of(x: Any) -> Any:
    """The LoD of a value that is about to be overwritten, for :func:`put_back`."""
    return levels_on(x)


def put_back(out: Any, lod: Any) -> None:
    """Gives a result the LoD of the value whose name it has now."""
    if lod and not levels_on(out) and out.shape and lod[-1][-1] == out.shape[0]:
        put_levels(out, lod)


class Sequences:
    """Which variables of a Program may have levels when it runs.

    Args:
        program (Program): what is compiled.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._marked = {
            (block.idx, name)
            for block in program.blocks
            for name, var in block.vars.items()
            if var.lod_level
        }
        self._may = set(self._marked)
        types = {op.type for block in program.blocks for op in block.ops}
        self._rules = {name: handed_on(declared(name)) for name in types}
        if not self._may and OWN not in self._rules.values():
            return
        found = -1
        while found != len(self._may):  # a loop's body hands on to itself
            found = len(self._may)
            for block in program.blocks:
                for op in block.ops:
                    self._step(block, op)

    def _key(self, block: Block, name: str) -> tuple[int, str]:
        here: Block | None = block
        while here is not None and name not in here.vars:
            here = self._program.blocks[here.parent_idx] if here.parent_idx >= 0 else None
        return (here.idx if here is not None else 0, name)

    def _step(self, block: Block, op: Operator) -> None:
        for name in op.output_arg_names:
            if name != EMPTY:
                if self._rules[op.type] == OWN or self.sources(block, op, name):
                    self._may.add(self._key(block, name))

    def _given(self, block: Block, names: list[str]) -> list[str]:
        return [n for n in dict.fromkeys(names) if n != EMPTY and self._key(block, n) in self._may]

    def sources(self, block: Block, op: Operator, name: str) -> list[str]:
        """The inputs of an operator from which an output takes its levels, the first one first."""
        rule, only = self._rules[op.type], results_of(op.type)
        if only is not None and rule != OWN:
            if not any(name in op.outputs.get(slot, ()) for slot in only):
                return []
        if rule is None and self._key(block, name) in self._marked:
            return self._given(block, op.input_arg_names)
        if not rule or rule == OWN:
            return []
        if rule == ARRAY:
            return self._given(block, op.input_arg_names)
        if rule == JOINED:
            parts = op.inputs.get("X", [])
            return list(parts) if self._given(block, parts) else []
        return self._given(block, [n for slot in rule.split() for n in op.inputs.get(slot, ())[:1]])

    def written(self, block: Block, op: Operator) -> list[tuple[str, list[str]]]:
        """(output, inputs) for every result that is given levels after the operator ran."""
        if not self._may or self._rules[op.type] == ARRAY:
            return []
        found = [(n, self.sources(block, op, n)) for n in dict.fromkeys(op.output_arg_names)]
        return [(name, sources) for name, sources in found if name != EMPTY and sources]

    def handing(self, op: Operator) -> Any:
        """The function that hands the levels on."""
        return join_lod if self._rules[op.type] == JOINED else share_lod
