"""Checks what a file says: blocks that are numbered and nested, operators that are whole."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED
from paddle.ir.attribute_kinds import AttrType
from paddle.ir.operator import EMPTY

MAX_DEPTH = 100  # of nested blocks; those who walk over them may recurse


def check_blocks(blocks: Sequence[Any]) -> None:
    """Raises InvalidArgumentError for indices out of range, cycles, and absurd depth.

    Args:
        blocks: BlockDesc messages.
    """
    count = len(blocks)
    if not count:
        raise InvalidArgumentError("program: expected at least one block, but it has none.")
    depth = [0] * count
    for at, block in enumerate(blocks):
        if block.idx != at:
            raise InvalidArgumentError(f"block {at}: expected idx {at}, but it is {block.idx}.")
        parent = block.parent_idx
        if at == 0 and parent != -1:
            raise InvalidArgumentError(
                f"block 0: expected parent_idx -1, for no block is around it, but it is {parent}."
            )
        if at and not 0 <= parent < at:
            raise InvalidArgumentError(
                f"block {at}: expected parent_idx to be a block before it, 0 to {at - 1}, "
                f"but it is {parent}."
            )
        depth[at] = depth[parent] + 1 if at else 0
        if depth[at] > MAX_DEPTH:
            raise InvalidArgumentError(
                f"block {at}: expected blocks nested at most {MAX_DEPTH} deep, but it is deeper."
            )
        forward = block.forward_block_idx
        if not -1 <= forward < count or forward == at:
            raise InvalidArgumentError(
                f"block {at}: expected forward_block_idx to be another one of {count} blocks, "
                f"or -1, but it is {forward}."
            )
    check_uses([_used_by(block, count) for block in blocks])


def _used_by(block: Any, count: int) -> list[int]:
    """The blocks that the operators of a block run."""
    used: list[int] = []
    for at, op in enumerate(block.ops):
        for attr in op.attrs:
            for index in _block_indices(attr):
                if not 0 <= index < count:
                    raise InvalidArgumentError(
                        f"operator {at} ({op.type}) of block {block.idx}: attribute {attr.name!r} "
                        f"is block {index}, but the program has blocks 0 to {count - 1}."
                    )
                used.append(index)
    return used


def _block_indices(attr: Any) -> Iterator[int]:
    if attr.type == AttrType.BLOCK and attr.HasField("block_idx"):
        yield attr.block_idx
    elif attr.type == AttrType.BLOCKS:
        yield from attr.blocks_idx


_WITH_BLOCK = ("while", "conditional_block", "recurrent")
# Operators that the executor knows by itself: the slots that cannot be empty.
_OWN = {
    "feed": (("X",), ("Out",)),
    "fetch": (("X",), ("Out",)),
    "while": (("Condition",), ()),
    "select_input": (("X", "Mask"), ("Out",)),
    "select_output": (("X", "Mask"), ("Out",)),
    "write_to_array": (("X", "I"), ("Out",)),
    "read_from_array": (("X", "I"), ("Out",)),
    "lod_array_length": (("X",), ("Out",)),
    "rnn_memory_helper": (("X",), ("Out",)),
    "sum": (("X",), ("Out",)),
    "print": (("In",), ()),
}


def check_operators(program: Any, ignored: Container[str] = ()) -> None:
    """Raises InvalidArgumentError for operators of a file that lack what they cannot do without.

    Args:
        program (Program): read from a file.
        ignored: types of operators to leave out.
    """
    for block in program.blocks:
        for at, op in enumerate(block.ops):
            missing = "" if op.type in ignored else _missing(op)
            if missing:
                raise InvalidArgumentError(
                    f"operator {at} ({op.type}) of block {block.idx} has no {missing}; it has the "
                    f"inputs {op.inputs} and the outputs {op.outputs}.",
                    hint="the file is damaged, or was put together by hand",
                )


def _missing(op: Any) -> str:
    """Names the slot or attribute that an operator lacks."""
    forward = op.type.removesuffix("_grad")
    if forward in _WITH_BLOCK and not hasattr(op.attrs.get("sub_block"), "ops"):
        return "attribute 'sub_block', a block"
    if forward != op.type:
        return ""
    inputs, outputs = _OWN.get(op.type, ((), ()))
    known = op.definition
    if known is not None:
        for name, default in known.attrs.items():
            if default is REQUIRED and name not in op.attrs:
                return f"attribute {name!r}"
        inputs = tuple(slot.name for slot in known.inputs if not slot.optional)
        outputs = tuple(slot.name for slot in known.outputs if not slot.optional)[:1]
    for kind, names, slots in (("input", inputs, op.inputs), ("output", outputs, op.outputs)):
        for name in names:
            if (slots.get(name) or [EMPTY])[0] == EMPTY:
                return f"{kind} {name!r}"
    return ""


def check_uses(uses: list[list[int]]) -> None:
    """Raises InvalidArgumentError where blocks run one another in a cycle, or too deeply.

    Blocks that no other one uses are taken away until none is left; what stays is a cycle.

    Args:
        uses: for every block the indices of the blocks that its operators run.
    """
    users = [0] * len(uses)
    for used in uses:
        for index in used:
            users[index] += 1
    free = [at for at, n in enumerate(users) if not n]
    depth = [0] * len(uses)
    taken = 0
    while free:
        at = free.pop()
        taken += 1
        for index in uses[at]:
            depth[index] = max(depth[index], depth[at] + 1)
            users[index] -= 1
            if not users[index]:
                free.append(index)
    if taken < len(uses):
        stuck = [at for at, n in enumerate(users) if n]
        raise InvalidArgumentError(
            f"program: expected blocks that do not contain themselves, but blocks {stuck[:8]} "
            "run one another in a cycle."
        )
    if max(depth) > MAX_DEPTH:
        raise InvalidArgumentError(
            f"program: expected blocks nested at most {MAX_DEPTH} deep, but block "
            f"{depth.index(max(depth))} is run at depth {max(depth)}."
        )
