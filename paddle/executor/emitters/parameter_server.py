"""Emitters of operators that talk to parameter servers.

What they call is the connection of the Program's job, which ``paddle.distributed.ps`` makes and
which lies above: it is imported when a plan has such an operator.
"""

from __future__ import annotations

import importlib
from typing import Any

from paddle.core.errors import UnimplementedError
from paddle.core.levels import levels_on, put_levels
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import EMPTY, Operator


def _refused(em: Emitter, op: Operator) -> None:
    raise UnimplementedError(
        f"operator {op.type} talks to parameter servers in a way that is not part of this version."
        + (f"\n  {op.location}" if op.location else ""),
        hint="train by paddle.distributed.fleet, or by fluid.DistributeTranspiler",
    )


# What has an emitter of its own is not listed.
_TALKING = (
    "distributed_lookup_table_grad distributed_push_sparse recv_save send_and_recv pull_sparse "
    "pull_sparse_v2 push_sparse push_sparse_v2 push_dense heter_listen_and_serv "
    "lookup_sparse_table lookup_sparse_table_init lookup_sparse_table_read "
    "lookup_sparse_table_write lookup_sparse_table_merge lookup_sparse_table_grad_split "
    "lookup_sparse_table_fuse_sgd lookup_sparse_table_fuse_adam"
)
for _name in _TALKING.split():
    emitter(_name)(_refused)


@emitter("fake_init")
def _fake_init(em: Emitter, op: Operator) -> None:
    """A variable whose value lies on servers stays without one here."""
    for name in op.outputs["Out"]:
        if name != EMPTY:
            em.maybe.add(name)
            em.line(f"{em.write(name)} = None")


def _job(em: Emitter, op: Operator) -> Any:
    """What stands for the servers: an object with a method for each kind of operator."""
    finding = importlib.import_module("paddle.distributed.ps.finding")
    return finding.job_of(op)


def _call(em: Emitter, op: Operator, method: str) -> str:
    return em.constant(getattr(_job(em, op), method)(op), op.type)


@emitter("send")
def _send(em: Emitter, op: Operator) -> None:
    values = "".join(f"{em.read(n)}, " for n in op.inputs.get("X", []) if "__control_" not in n)
    em.line(f"{_call(em, op, 'sender')}(({values}))")
    _controls(em, op)


@emitter("send_barrier")
def _send_barrier(em: Emitter, op: Operator) -> None:
    em.line(f"{_call(em, op, 'stepper')}()")
    _controls(em, op)


@emitter("fetch_barrier")
def _fetch_barrier(em: Emitter, op: Operator) -> None:
    em.line(f"{_call(em, op, 'fetcher')}()")
    _controls(em, op)


def _controls(em: Emitter, op: Operator) -> None:
    """Results that only keep operators in order have no value."""
    for name in op.outputs.get("Out", []):
        if "__control_" in name:
            em.line(f"{em.write(name)} = None")


@emitter("recv")
def _recv(em: Emitter, op: Operator) -> None:
    """Without results it fills the scope; with them it makes values."""
    names = [n for n in op.outputs.get("Out", []) if n != EMPTY]
    call = _call(em, op, "receiver")
    if not names:
        wanted = list(op.attrs.get("recv_varnames") or [])
        held = "".join(f"{em.scope_slot(n)}, " for n in wanted)
        em.line(f"{call}(({held}))")
        for name in wanted:
            if name in em.fetches:
                em.reload(name)
        return
    values = "".join(f"{em.read(n) if em.is_defined(n) else None}, " for n in names)
    stored = [em.variable(n)._persistable for n in names]
    held = "".join(f"{em.scope_slot(n) if s else None}, " for n, s in zip(names, stored))
    targets = "".join(f"{em.write(n)}, " for n in names)
    em.line(f"{targets}= {call}(({values}), ({held}))")


@emitter("distributed_lookup_table")
def _look_up(em: Emitter, op: Operator) -> None:
    ids = [em.read(n) for n in op.inputs["Ids"]]
    given = "".join(f"{i}, " for i in ids)
    targets = "".join(f"{em.write(n)}, " for n in op.outputs["Outputs"])
    em.line(f"{targets}= {_call(em, op, 'finder')}(({given}))")
    share = em.constant(share_levels, "share_levels")
    outs = "".join(f"{em.read(n)}, " for n in op.outputs["Outputs"])
    em.line(f"{share}(({given}), ({outs}))")


def share_levels(ids: tuple, rows: tuple) -> None:
    """Lets rows that were looked up say which of them belong together, as their ids do."""
    for one, other in zip(ids, rows, strict=True):
        levels = levels_on(one)
        if levels:
            put_levels(other, levels)


@emitter("prefetch")
def _prefetch(em: Emitter, op: Operator) -> None:
    ids = "".join(f"{em.read(n)}, " for n in op.inputs["X"])
    targets = "".join(f"{em.write(n)}, " for n in op.outputs["Out"])
    em.line(f"{targets}= {_call(em, op, 'finder')}(({ids}))")


@emitter("checkpoint_notify")
def _notify(em: Emitter, op: Operator) -> None:
    em.line(f"{_call(em, op, 'saver')}()")


@emitter("listen_and_serv")
def _serve(em: Emitter, op: Operator) -> None:
    """Serves until all trainers have left; values of parameters come from the scope and go back."""
    finding = importlib.import_module("paddle.distributed.ps.finding")
    server = finding.server_of(op)
    held = "".join(f"{em.scope_slot(n)}, " for n in server.names)
    em.line(f"{em.constant(server, 'server')}(({held}))")
