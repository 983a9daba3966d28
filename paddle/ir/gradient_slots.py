"""Gives gradient operators of other releases the slots that the gradients of this engine need.

PaddlePaddle's gradient operators get the values that *its* kernels use: ``squeeze2_grad`` gets the
auxiliary result XShape where ours asks for the shape of X. What is missing is found at the forward
operator, which is in the same Program.
"""

from __future__ import annotations

from collections.abc import Iterator

from paddle.core.derive import gradient_of
from paddle.ir.operator import Operator

GRAD = "@GRAD"


def complete_gradient(op: Operator, at: int) -> None:
    """Adds inputs that the gradient needs and the file does not give.

    Args:
        op (Operator): any operator; only gradients change.
        at (int): its position in the block.
    """
    known = op.definition
    if known is None or known.base is None:
        return
    _rename_only_unknown(op, {s.name for s in known.inputs if s.name.endswith(GRAD)})
    wanted = {token.split(".")[0] for token in gradient_of(known.base).saves}
    missing = [slot for slot in wanted if not op.inputs.get(slot)]
    if not missing:
        return
    forward = _forward_of(op, known.base.name, at)
    if forward is None:
        return
    for slot in missing:
        names = forward.inputs.get(slot) or forward.outputs.get(slot)
        if names:
            op.inputs[slot] = list(names)


def _rename_only_unknown(op: Operator, gradients: set[str]) -> None:
    """2.x calls a few results otherwise in the gradient (``outputs@GRAD`` for ``Out@GRAD``)."""
    unknown = [s for s in op.inputs if s.endswith(GRAD) and s not in gradients]
    absent = [s for s in gradients if s not in op.inputs]
    if len(unknown) == len(absent) == 1:
        op.inputs[absent[0]] = op.inputs.pop(unknown[0])


def _forward_of(op: Operator, name: str, at: int) -> Operator | None:
    """The operator whose gradient this is: the one that shares most names with it."""
    best, most = None, 0
    for candidate in _before(op, at):
        if candidate.type == name:
            score = _likeness(op, candidate)
            if score > most:
                best, most = candidate, score
    return best


def _before(op: Operator, at: int) -> Iterator[Operator]:
    """Operators that run before one, the nearest first."""
    yield from reversed(op.block.ops[:at])
    program, block, seen = op.block.program, op.block, {op.block.idx}
    while True:
        following = block.forward_block_idx if block.forward_block_idx >= 0 else block.parent_idx
        if following < 0 or following in seen:
            return
        seen.add(following)
        block = program.blocks[following]
        yield from reversed(block.ops)


def _likeness(gradient: Operator, forward: Operator) -> int:
    """How many slots agree; -1 if one contradicts."""
    score = 0
    for slot, names in gradient.inputs.items():
        same = forward.inputs.get(slot) or forward.outputs.get(slot)
        if same and names:
            if same != names:
                return -1
            score += 2
        elif slot.endswith(GRAD):
            score += _named_after(names, forward.outputs.get(slot[: -len(GRAD)]))
    for slot, names in gradient.outputs.items():
        score += _named_after(names, forward.inputs.get(slot.removesuffix(GRAD)))
    return score


def _named_after(gradients: list[str], values: list[str] | None) -> int:
    """Whether gradients are called after values, as far as names tell."""
    pairs = zip(gradients, values or (), strict=False)
    return int(any(g.startswith(v + GRAD) or f"/{v}{GRAD}" in g for g, v in pairs))


def rename_second_order(op: Operator) -> None:
    """Gives a gradient of a gradient operator the slots it has here.

    2.x has two styles: ``DOut``, ``DDX`` -> ``DDOut``, and ``grad_out``, ``grad_x@GRAD`` ->
    ``grad_out@GRAD``; here ``Out@GRAD``, ``X@GRAD@GRAD`` -> ``Out@GRAD@GRAD``.
    """
    if not op.type.endswith("_grad_grad"):
        return
    known = op.definition
    if known is None:
        return
    op.inputs = {_current_slot(s): names for s, names in op.inputs.items()}
    given = {s.name for s in known.outputs}
    outputs = {}
    for slot, names in op.outputs.items():
        new = _current_slot(slot)
        if new not in given and new + "@AGAIN" in given:
            new += "@AGAIN"
        outputs[new] = names
    op.outputs = outputs


def _current_slot(name: str) -> str:
    if name.startswith("grad_"):
        bare, again = name[5:].removesuffix(GRAD), name.endswith(GRAD)
        return bare[:1].upper() + bare[1:] + GRAD * (2 if again else 1)
    if name.startswith("DD"):
        return name[2:] + GRAD * 2
    return "Out" + GRAD if name == "DOut" else name
