"""Joins the two directions of a GRU network into one operator."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement

_KEPT_FOR_GRADIENTS = ("BatchGate", "BatchResetHiddenPrev", "BatchHidden")


def pair_grus(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Makes ``gru_pair`` of two ``gru`` that do not wait for each other, where the second stands.

    Matches, in the global block, a ``gru`` and the next one, of the same size, dtype and
    activations, with a bias each. Not matched: with a first state, weights that the Program writes,
    a result that is read or written, or an operand that is written, before the second; what is
    kept for gradients being read or fetched, and Programs with gradients.
    """
    block = program.global_block()
    if sum(op.type == "gru" for op in block.ops) < 2:
        return []
    def_use = DefUse(block, [*fetches, *feeds])
    if "gru_grad" in def_use.types:
        return []
    done, first = [], None
    for op in block.ops:
        if op.type != "gru" or not _fits(op, def_use):
            continue
        if first is None or _key(first) != _key(op) or not _waits(first, op, def_use):
            first = op
            continue
        joined = _joined(first, op)
        def_use.substitute(first)
        def_use.substitute(op, joined)
        done.append(Replacement([first, op], joined))
        first = None
    def_use.commit()
    return done


def _fits(op: Operator, def_use: DefUse) -> bool:
    if op.inputs.get("H0") or not op.inputs.get("Bias"):
        return False
    if not all(def_use.is_constant(op.inputs[slot][0]) for slot in ("Weight", "Bias")):
        return False
    kept = [n for s in _KEPT_FOR_GRADIENTS for n in op.outputs.get(s, ()) if n != EMPTY]
    if any(def_use.uses.get(n) or not def_use.is_temporary(n) for n in kept):
        return False
    return def_use.definition(op.outputs["Hidden"][0]) is op


def _settings(op: Operator) -> dict:
    names = ("activation", "gate_activation", "origin_mode")
    attrs = own_attributes(op)
    return {n: attrs[n] for n in names if n in attrs}


def _key(op: Operator) -> tuple:
    weight = op.block._var_recursive(op.inputs["Weight"][0])
    return tuple(weight.shape), weight.dtype, sorted(_settings(op).items())


def _waits(first: Operator, second: Operator, def_use: DefUse) -> bool:
    """Whether the first one may stand where the second one does."""
    names = [*first.input_arg_names, *first.outputs["Hidden"]]
    readers = def_use.uses.get(first.outputs["Hidden"][0], ())
    later = all(def_use.precedes(second, op) for op in readers)
    return later and def_use.unchanged(names, first, second)


def _joined(first: Operator, second: Operator) -> list[Operator]:
    block, pair = first.block, (first, second)
    weight, hidden = (
        block._var_recursive(first.inputs["Weight"][0]), second.outputs["Hidden"][0]
    )  # fmt: skip
    size = weight.shape[0]
    shapes = {"GATES": [2, size, 2 * size], "CANDIDATE": [2, size, size], "BIAS": [2, 3 * size]}
    gates, candidate, bias = (
        block.create_var(name=f"{hidden}@{part}", shape=shape, dtype=weight.dtype).name
        for part, shape in shapes.items()
    )
    weights = made_from(
        second, "gru_pair_weights",
        {f"{other}{slot}": op.inputs[slot] for op, other in zip(pair, ("", "Other"), strict=True)
         for slot in ("Weight", "Bias")},
        {"Gates": [gates], "Candidate": [candidate], "BiasOut": [bias]}, {},
    )  # fmt: skip
    inputs = {"Input": [op.inputs["Input"][0] for op in pair], "Gates": [gates],
              "Candidate": [candidate], "Bias": [bias]}  # fmt: skip
    attrs = {"is_reverse": [bool(op.attrs.get("is_reverse", False)) for op in pair]}
    outputs = {"Hidden": [op.outputs["Hidden"][0] for op in pair]}
    made = made_from(second, "gru_pair", inputs, outputs, {**attrs, **_settings(second)})
    return [weights, made]
