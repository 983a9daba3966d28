"""Emitters that split the rows of a tensor by a mask and merge them again, for IfElse of 1.x."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.levels import levels_on
from paddle.executor.codegen import Emitter, emitter
from paddle.executor.emitters.sequences import sequences_at
from paddle.executor.lod_propagation import join_lod
from paddle.ir.operator import EMPTY, Operator


def _mask(mask: torch.Tensor, rows: int) -> torch.Tensor:
    flat = mask.reshape(-1).bool()
    if flat.numel() != rows:
        raise InvalidArgumentError(
            f"IfElse: expected a condition for each of the {rows} rows, but it has "
            f"{flat.numel()} elements."
        )
    return flat


def split(x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows (or sequences, where x has levels) for which a mask is true, and the others."""
    levels = levels_on(x)
    if not levels:
        chosen = _mask(mask, x.shape[0])
        return x[chosen], x[~chosen]
    chosen = _mask(mask, len(levels[0]) - 1)
    sides: list = [[], []]
    for number, yes in enumerate(chosen.tolist()):
        sides[0 if yes else 1].append(number)
    return sequences_at(x, sides[0]), sequences_at(x, sides[1])


def merge(mask: torch.Tensor, yes: torch.Tensor | None, no: torch.Tensor | None) -> torch.Tensor:
    """Rows of two tensors in the order of a mask."""
    like = yes if no is None or no.numel() == 0 else no
    if like is None:
        raise InvalidArgumentError("IfElse: neither branch computed a value to merge.")
    chosen = mask.reshape(-1).bool()
    if levels_on(like):
        return _merged_sequences(chosen, yes, no)
    made = like.new_zeros([chosen.numel(), *like.shape[1:]])
    if yes is not None and yes.numel():
        made[chosen] = yes
    if no is not None and no.numel():
        made[~chosen] = no
    return made


def _merged_sequences(
    chosen: torch.Tensor, yes: torch.Tensor | None, no: torch.Tensor | None
) -> torch.Tensor:
    """Sequences of two tensors in the order of a mask."""
    parts = [x for x in (yes, no) if x is not None and levels_on(x)]
    count = 0 if yes is None else len((levels_on(yes) or [[0]])[0]) - 1
    joined = torch.cat(parts)
    join_lod(joined, *parts)
    order, at = [], [0, count]
    for side in chosen.tolist():
        order.append(at[0 if side else 1])
        at[0 if side else 1] += 1
    return sequences_at(joined, order)


@emitter("split_lod_tensor")
def _split(em: Emitter, op: Operator) -> None:
    args = f"{em.read(op.inputs['X'][0])}, {em.read(op.inputs['Mask'][0])}"
    names = [(op.outputs.get(s) or [EMPTY])[0] for s in ("OutTrue", "OutFalse")]
    targets = ", ".join("_" if n == EMPTY else em.write(n) for n in names)
    em.line(f"{targets} = {em.constant(split, 'split_rows')}({args})")


@emitter("merge_lod_tensor")
@emitter("merge_lod_tensor_infer")
def _merge(em: Emitter, op: Operator) -> None:
    names = [(op.inputs.get(s) or [EMPTY])[0] for s in ("Mask", "InTrue", "InFalse")]
    args = ", ".join("None" if n == EMPTY else em.read(n) for n in names)
    em.line(f"{em.write(op.outputs['Out'][0])} = {em.constant(merge, 'merge_rows')}({args})")
