"""Emitters of operators that talk to parameter servers."""

from __future__ import annotations

from paddle.core.errors import UnimplementedError
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import EMPTY, Operator


def _refused(em: Emitter, op: Operator) -> None:
    raise UnimplementedError(
        f"operator {op.type} talks to parameter servers, which a plan by itself does not."
        + (f"\n  {op.location}" if op.location else ""),
        hint="train by paddle.distributed.fleet, whose init_worker connects to the servers",
    )


# What has an emitter of its own is not listed.
_TALKING = (
    "send recv send_barrier fetch_barrier distributed_lookup_table distributed_lookup_table_grad "
    "distributed_push_sparse prefetch checkpoint_notify recv_save send_and_recv pull_sparse "
    "pull_sparse_v2 push_sparse push_sparse_v2 push_dense listen_and_serv heter_listen_and_serv "
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
