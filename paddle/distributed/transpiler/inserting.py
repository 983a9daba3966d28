"""Pieces from which Programs of several processes are made: rings, broadcasts, sums of gradients.

Operators are added as 1.8.5 writes them, so that any engine can run the Program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.passes.fuse_all_reduce import BUCKET_MB, is_optimizing


def append(block: Block, type: str, inputs: dict, outputs: dict, attrs: dict, role: int) -> None:
    """Adds an operator at the end of a block.

    Args:
        block (Block): the block.
        type (str): the operator's name.
        inputs (dict): slot -> names.
        outputs (dict): slot -> names.
        attrs (dict): attributes.
        role (int): what it is for, as :class:`Role` has it.
    """
    insert(block, len(block.ops), type, inputs, outputs, attrs, role)


def insert(
    block: Block, at: int, type: str, inputs: dict, outputs: dict, attrs: dict, role: int
) -> None:
    """Adds an operator in front of the one at a place; else as :func:`append`.

    Args:
        block (Block): the block.
        at (int): the place.
        type (str): the operator's name.
        inputs (dict): slot -> names.
        outputs (dict): slot -> names.
        attrs (dict): attributes.
        role (int): what it is for.
    """
    block.ops.insert(at, Operator(block, type, inputs, outputs, {**attrs, "op_role": int(role)}))
    block.note_change()


# -- what operators are for ------------------------------------------------------------------------


def _has_role(op: Operator, role: int) -> bool:
    return op.role != Role.NOT_SPECIFIED and op.role & role == role


def is_backward(op: Operator) -> bool:
    """Whether an operator computes gradients."""
    return _has_role(op, Role.BACKWARD)


def makes_loss_gradient(op: Operator) -> bool:
    """Whether an operator makes the gradient from which all others come."""
    return _has_role(op, Role.BACKWARD | Role.LOSS)


def is_update(op: Operator) -> bool:
    """Whether an operator updates a parameter."""
    return {"Param", "Grad", "LearningRate"} <= set(op.inputs)


def grads_of(main: Program) -> list[tuple[str, str]]:
    """Returns parameters and their gradients, in the order in which these are made.

    Args:
        main (Program): with gradients added.
    """
    found: dict[str, str] = {}
    for op in main.global_block().ops:
        told = list(op.attrs.get("op_role_var") or ())
        if is_backward(op):
            found.update(zip(told[::2], told[1::2], strict=True))
    return list(found.items())


def _divided(block: Block, name: str) -> bool:
    """Whether a parameter has other values in every process."""
    return bool(getattr(block._find_var_recursive(name), "is_distributed", False))


# -- startup Programs ------------------------------------------------------------------------------


def insert_comm_init(
    startup: Program, ring_id: int, rank: int, endpoints: Sequence[str], current_endpoint: str
) -> None:
    """Lets a startup Program connect the processes of a ring.

    Args:
        startup (Program): the Program.
        ring_id (int): the number of the ring.
        rank (int): which of its members this process is.
        endpoints (list[str]): the addresses of the members, in their order.
        current_endpoint (str): that of this process.
    """
    block = startup.global_block()
    made = block.create_var(
        name=unique_name.generate("nccl_id"), persistable=True, type=VarType.RAW
    ).name
    others = [e for e in endpoints if e != current_endpoint]
    attrs = {"rank": rank, "endpoint": current_endpoint, "other_endpoints": others}
    append(block, "c_gen_nccl_id", {}, {"Out": [made]}, attrs, Role.FORWARD)
    attrs = {"nranks": len(endpoints), "rank": rank, "ring_id": ring_id}
    append(block, "c_comm_init", {"X": [made]}, {}, attrs, Role.FORWARD)


def insert_broadcast(
    startup: Program, names: Iterable[str], ring_id: int | Sequence[int] = 0, root: int = 0
) -> None:
    """Lets all processes begin with the values of one.

    Args:
        startup (Program): makes the values.
        names (list[str]): variables; those that are divided among processes are left out.
        ring_id (int|list[int]): the ring, or several that take turns.
        root (int): the member whose values they are.
    """
    block = startup.global_block()
    turns = [ring_id] if isinstance(ring_id, int) else list(ring_id)
    sent = [n for n in names if not _divided(block, n)]
    for i, name in enumerate(sent):
        attrs = {"ring_id": turns[i % len(turns)], "root": root}
        append(block, "c_broadcast", {"X": [name]}, {"Out": [name]}, attrs, Role.FORWARD)
    for ring in turns if sent else ():
        last = {"X": [sent[-1]]}, {"Out": [sent[-1]]}
        append(block, "c_sync_comm_stream", *last, {"ring_id": ring}, Role.FORWARD)


# -- main Programs ---------------------------------------------------------------------------------


def insert_scale_loss_grad(main: Program, factor: float) -> None:
    """Multiplies the gradient of the loss, and so all gradients.

    Args:
        main (Program): with gradients added.
        factor (float): usually one over the number of processes.
    """
    block = main.global_block()
    places = [i for i, op in enumerate(block.ops) if makes_loss_gradient(op)]
    for at in reversed(places):
        name = block.ops[at].output_arg_names[0]
        insert(block, at + 1, "scale", {"X": [name]}, {"Out": [name]}, {"scale": factor},
               Role.BACKWARD)  # fmt: skip


def insert_allreduce(
    main: Program,
    ring_id: int | Sequence[int] = 0,
    grads: Sequence[str] | None = None,
    nranks: int | None = None,
    scale_loss: bool = True,
    bucket_mb: float | None = None,
) -> list[str]:
    """Adds up gradients over the processes of a ring as soon as they are made.

    Args:
        main (Program): with gradients added, and updates or not.
        ring_id (int|list[int]): the ring, or several that take turns.
        grads (list[str], optional): the gradients; None: those of all parameters that are not
            divided among processes.
        nranks (int, optional): how many processes there are; needed with ``scale_loss``.
        scale_loss (bool): the gradient of the loss is divided by ``nranks`` first, so that the
            sums are means. Default: True.
        bucket_mb (float, optional): how many MB are exchanged at once; None:
            ``FLAGS_fuse_parameter_memory_size``.

    Returns:
        list[str]: the gradients.

    Raises:
        ValueError: ``nranks`` is missing, or a gradient is made by no backward operator.
    """
    if scale_loss:
        if not nranks:
            raise InvalidArgumentError(
                "insert_allreduce(nranks): expected the number of processes, to scale the loss."
            )
        insert_scale_loss_grad(main, 1.0 / nranks)
    block = main.global_block()
    if grads is None:
        grads = [g for p, g in grads_of(main) if not _divided(block, p)]
    turns = [ring_id] if isinstance(ring_id, int) else list(ring_id)
    places = {name: _made_at(block, name) for name in grads}
    order = sorted(grads, key=lambda name: places[name], reverse=True)
    marks = {} if bucket_mb is None else {BUCKET_MB: float(bucket_mb)}
    for i, name in enumerate(order):
        at, same = places[name] + 1, {"X": [name]}
        attrs: dict[str, Any] = {"ring_id": turns[i % len(turns)], **marks}
        insert(block, at, "c_allreduce_sum", same, {"Out": [name]}, attrs, Role.BACKWARD)
        if i + 1 == len(order) or places[order[i + 1]] != places[name]:
            insert(block, at, "c_sync_calc_stream", same, {"Out": [name]}, {}, Role.BACKWARD)
    if order:
        _wait(block, order[-1], turns)
    return list(grads)


def _made_at(block: Block, name: str) -> int:
    """Where the last backward operator that writes a gradient stands."""
    for i in range(len(block.ops) - 1, -1, -1):
        if name in block.ops[i].output_arg_names and is_backward(block.ops[i]):
            return i
    raise InvalidArgumentError(
        f"insert_allreduce: no backward operator of the Program makes {name!r}.",
        hint="add gradients first: optimizer.minimize(loss), or append_backward",
    )


def _wait(block: Block, name: str, turns: Sequence[int]) -> None:
    """Waits for the sums in front of the optimizer, or at the end."""
    at = next((i for i, op in enumerate(block.ops) if is_optimizing(op)), len(block.ops))
    for i, ring in enumerate(turns):
        insert(block, at + i, "c_sync_comm_stream", {"X": [name]}, {"Out": [name]},
               {"ring_id": ring}, Role.BACKWARD)  # fmt: skip
