"""Compares over processes what the Program is about to exchange, once before it first runs.

Processes that exchange other sizes or kinds, or in another order, would wait for each other, or
take bytes of one type for those of another.
"""

from __future__ import annotations

import weakref
import zlib

from paddle.core.dtype import VarType, dtype_name
from paddle.core.rings import rings
from paddle.executor.plan import Plan
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.collective import WAITS

_compared: weakref.WeakSet[Program] = weakref.WeakSet()
_BETWEEN_TWO = ("send_v2", "recv_v2", "partial_send", "partial_recv")
_ALONE = (  # they have a ring, but its members need not all do the same
    *WAITS, "c_gen_nccl_id", "c_gen_xccl_id", "c_comm_init", "c_comm_init_all",
    "c_comm_init_multitrainer", *_BETWEEN_TWO,
)  # fmt: skip
_AMONG_ALL = ("allreduce", "sync_batch_norm", "sync_batch_norm_grad")  # without saying so: ring 0
_LONGEST = 20  # exchanges that a message shows


def agree(program: Program, *plans: Plan) -> None:
    """Raises on all members of a ring where not all are about to do the same over it.

    What is sent from one member to another is not compared: parts of a pipeline differ.

    Args:
        program (Program): as the user has it; it is looked at once.
        *plans (Plan): what runs of it.

    Raises:
        ValueError: names the processes, and what each was about to do.
    """
    if rings.world_size == 1 or program in _compared:
        return
    _compared.add(program)
    told: dict[int, list[str]] = {}
    for plan in plans:
        for block in plan.program.blocks:
            _describe(block, told)
    for number in sorted(told):
        if rings.known(number):
            rings.get(number).compare(_text(number, told[number]))


def _text(number: int, exchanges: list[str]) -> str:
    shown = ", ".join(exchanges[:_LONGEST])
    more = len(exchanges) - _LONGEST
    if more > 0:
        shown += f" and {more} more ({hash_of(exchanges)})"
    return f"a Program that exchanges over ring {number}: {shown}"


def hash_of(texts: list[str]) -> str:
    """A number that tells lists of texts apart, the same in every process."""
    return f"{zlib.crc32(chr(10).join(texts).encode()):08x}"


def _describe(block: Block, told: dict[int, list[str]]) -> None:
    for op in block.ops:
        ring = ring_of(op)
        if ring is None:
            continue
        slots = ("X", "Logits", "Out@GRAD")
        names = next((op.inputs[slot] for slot in slots if op.inputs.get(slot)), [])
        parts = []
        for name in names:
            var = block._find_var_recursive(name)
            if var is not None and var.type == VarType.LOD_TENSOR:
                # A batch may differ in rows, so sizes that are not known are not compared.
                shape = "x".join("?" if n < 0 else str(n) for n in var.shape)
                parts.append(f"{dtype_name(var.dtype)}[{shape}]")
        attrs = op.attrs.get("told") or op.attrs
        details = [f"{k}={attrs[k]}" for k in ("op", "root", "nranks") if k in attrs]
        name = op.attrs.get("kind", op.type)
        told.setdefault(ring, []).append(f"{name}({', '.join([*parts, *details])})")


def ring_with_others(op: Operator) -> int | None:
    """The ring over which an operator exchanges, with all members of it or with one."""
    if op.type in _BETWEEN_TWO:
        return int(op.attrs.get("ring_id", 0))
    return op.attrs["told"]["ring_id"] if op.type == "exchange_begin" else ring_of(op)


def ring_of(op: Operator) -> int | None:
    """The ring over which all members of it exchange by an operator."""
    if op.type == "exchange_begin":
        return None if op.attrs["kind"] == "send" else op.attrs["told"]["ring_id"]
    if op.type in _AMONG_ALL:
        return 0
    known = op.declared
    if known is None or op.type in _ALONE:
        return None
    # What moves values has effects; a gradient that is told the ring exchanges over it.
    exchanges = "ring_id" in known.attrs and (known.effects or known.base is not None)
    return int(op.attrs.get("ring_id", 0)) if exchanges else None
