"""Checks what a file says: blocks that are numbered and nested, operators that are whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from paddle.core.derive import gradient_of
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.op import REQUIRED
from paddle.ir.attribute_kinds import AttrType
from paddle.ir.operator import EMPTY, declared

ORIGIN = "op_origin"  # the attribute that says which library or module an operator comes from
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


# The outputs in which control flow keeps what its gradient needs: no tensors.
_SCOPES = ("StepScopes", "Scope", "step_scopes")


def check_operators(program: Any, ignored: Container[str] = ()) -> None:
    """Raises InvalidArgumentError for operators of a file that lack what they cannot do without.

    Args:
        program (Program): read from a file.
        ignored: types of operators to leave out, and their gradients.
    """
    for block in program.blocks:
        for at, op in enumerate(block.ops):
            if op.type in ignored or op.type.removesuffix("_grad") in ignored:
                continue
            missing = _missing(op)
            problem = f"has no {missing}" if missing else _crowded(op) or _unstorable(op)
            if problem:
                raise _broken(op, at, problem)


def _broken(op: Any, at: int, problem: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"operator {at} ({op.type}) of block {op.block.idx} {problem}; it has the "
        f"inputs {op.inputs} and the outputs {op.outputs}.",
        hint="the file is damaged, or was put together by hand",
    )


def _missing(op: Any) -> str:
    """Names the slot or attribute that an operator lacks."""
    known = op.declared
    if known is None or known.base is not None:
        return ""
    if "sub_block" in known.attrs and not hasattr(op.attrs.get("sub_block"), "ops"):
        return "attribute 'sub_block', a block"
    for name, default in known.attrs.items():
        if default is REQUIRED and name not in op.attrs:
            return f"attribute {name!r}"
    inputs = [slot.name for slot in known.inputs if not slot.optional]
    outputs = [slot.name for slot in known.outputs if not slot.optional][:1]
    return _empty(op, inputs, outputs)


def _empty(op: Any, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """Names the first of some slots in which an operator has nothing."""
    for kind, names, slots in (("input", inputs, op.inputs), ("output", outputs, op.outputs)):
        for name in names:
            found = slots.get(name) or []
            unwanted = name.endswith("@GRAD") and kind == "output"  # there may be no first one
            if not found or (found[0] == EMPTY and not unwanted):
                return f"{kind} {name!r}"
    return ""


def _crowded(op: Any) -> str:
    """Says which slot for one variable has several."""
    known = op.definition
    if known is None:
        return ""
    for kind, stated, slots in (
        ("input", known.inputs, op.inputs),
        ("output", known.outputs, op.outputs),
    ):
        for slot in stated:
            names = slots.get(slot.name, ())
            if len(names) > 1 and not slot.many:
                return f"has {len(names)} variables as {kind} {slot.name!r}, which takes one"
    return ""


def _unstorable(op: Any) -> str:
    """Says which result is to be stored beyond the run and cannot be."""
    for slot, names in op.outputs.items():
        for name in names:
            var = op.block._find_var_recursive(name)
            if var is None or not (var.persistable or var.is_data):
                continue
            if slot in _SCOPES or var.type == VarType.LOD_TENSOR_ARRAY:
                return (
                    f"writes {name!r}, which is persistable or fed, as only tensors can be, "
                    f"though it is no tensor (output {slot!r})"
                )
    return ""


def unregistered(program: Any, ignored: Container[str] = ()) -> dict[str, int]:
    """Counts the operators of a Program that this engine does not have.

    Args:
        program (Program): as it was read, or after conversion.
        ignored: types that count as known, with their gradients.

    Returns:
        dict: type -> how often it occurs, in all blocks; in the order of their first occurrence.
    """
    found = Counter(op.type for block in program.blocks for op in block.ops)
    known = {t for t in found if t in ignored or t.removesuffix("_grad") in ignored}
    return {t: n for t, n in found.items() if t not in known and declared(t) is None}


def not_registered(found: Mapping[str, int], where: str = "", program: Any = None) -> NotFoundError:
    """The error for operators that :func:`unregistered` has found.

    Args:
        found: their types and counts, at least one.
        where (str): the source location of the first one, or whose Program it is.
        program (Program): which may say where its operators come from.
    """
    if len(found) == 1:
        (name, count), *_ = found.items()
        often = f" (it occurs {count} times)" if count > 1 else ""
        text = f"Operator {name!r} has not been registered: there is no kernel for it{often}."
    else:
        listed = ", ".join(f"{name} ({n})" for name, n in found.items())
        text = (
            f"{len(found)} types of operators have not been registered: there are no kernels for "
            f"{listed}; in brackets how often they occur."
        )
    needed = _origins(program, found) if program is not None else []
    if needed:
        text += f" The Program needs {', '.join(needed)}."
    calls = [_how(origin) for origin in needed]
    return NotFoundError(
        text + (f"\n  {where}" if where else ""),
        hint=f"before it is loaded: {'; '.join(calls)}" if calls else None,
    )


def _origins(program: Any, types: Container[str]) -> list[str]:
    """The libraries and modules that a Program names for some of its operators."""
    ops = (op for block in program.blocks for op in block.ops)
    told = (op.attrs.get(ORIGIN) for op in ops if op.type in types)
    return list(dict.fromkeys(str(origin) for origin in told if origin))


def _how(origin: str) -> str:
    """What to call so that there are the operators of a library or module."""
    kind, _, name = origin.partition(" ")
    return f"paddle.utils.load_op_library({name!r})" if kind == "library" else f"import {name}"


def check_gradients(program: Any) -> None:
    """Raises InvalidArgumentError for gradient operators without what they are computed from.

    Args:
        program (Program): read from a file; what older releases leave out has been added.
    """
    for block in program.blocks:
        for at, op in enumerate(block.ops):
            known = op.definition
            if known is None or known.base is None:
                continue
            missing = _empty(op, _needed(known), ())
            if missing:
                raise _broken(op, at, f"has no {missing}")


def _needed(known: Any) -> list[str]:
    """The inputs that a gradient cannot do without."""
    base = known.base
    given = [slot.name for slot in known.inputs[: len(base.grad_outputs)]]
    # Of results only the first one is always there: the others may be of use in training alone.
    certain = {slot.name for slot in (*base.inputs, *base.outputs[:1]) if not slot.optional}
    saved = [token.partition(".")[0] for token in gradient_of(base).saves]
    return [*(given if len(given) == 1 else ()), *(name for name in saved if name in certain)]


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
