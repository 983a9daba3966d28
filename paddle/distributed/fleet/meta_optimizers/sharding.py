"""Sharding: each process keeps and updates its part of the parameters, and borrows the others."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import numpy_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.dividing import Division
from paddle.distributed.fleet.meta_optimizers.programs import insert, refuse_sparse, scratch
from paddle.distributed.transpiler.inserting import (
    insert_broadcast,
    insert_comm_init,
    insert_scale_loss_grad,
)
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.variable import Variable

__all__ = ["ShardingOptimizer", "owners"]

_GROUP_RING, _COPIES_RING = 1, 2  # with hybrid_dp: parts of a model; same parts of its copies


class ShardingOptimizer(MetaOptimizer):
    """``strategy.sharding``: parameters and accumulators are divided among the processes.

    A process broadcasts its parameters before they are used, segments of ``fuse_broadcast_MB`` at
    a time, and gets the sum of their gradients. The others drop what they borrowed after its last
    use. With ``hybrid_dp``, ``sharding_group_size`` processes share a copy of the model, and
    several copies train together.
    """

    name = "sharding"
    may_wrap = frozenset({"amp", "recompute", "lars", "lamb", "sync_batch_norm"})
    divides = True

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        if context.worker_num < 2:
            return "there is one process only"
        given = context.strategy.sharding_configs
        if given["hybrid_dp"] and context.worker_num % given["sharding_group_size"]:
            return (
                f'sharding_configs["sharding_group_size"] is {given["sharding_group_size"]}, '
                f"which does not divide {context.worker_num} processes"
            )
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Divides parameters, gradients and updates."""
        _Sharding(context).rewrite()


def owners(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Deals parameters out so that all processes have about the same amount.

    Args:
        sizes (dict): parameter -> bytes.
        count (int): how many processes there are.

    Returns:
        dict: parameter -> number of the process that keeps it; the same in every process.
    """
    loads = [0] * count
    found = {}
    for name in sorted(sizes, key=lambda n: (-sizes[n], n)):
        found[name] = loads.index(min(loads))
        loads[found[name]] += sizes[name]
    return found


def _bytes(var: Variable) -> int:
    return math.prod(var.shape) * numpy_dtype(var.dtype).itemsize


class _Sharding:
    """One rewrite.

    Args:
        context (Context): the call of ``minimize``.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.main, self.startup = context.main_program, context.startup_program
        self.block: Block = self.main.global_block()
        given = context.strategy.sharding_configs
        hybrid = given["hybrid_dp"] and given["sharding_group_size"] < context.worker_num
        self.size = given["sharding_group_size"] if hybrid else context.worker_num
        self.me = context.worker_index % self.size
        self.ring = _GROUP_RING if hybrid else 0
        self.limit = given["fuse_broadcast_MB"] * 2**20
        self.hybrid = hybrid
        self.grads = {p.name: g.name for p, g in context.params_grads if g is not None}
        self.params = {name: self.block.var(name) for name in self.grads}
        self.owner = owners({n: _bytes(v) for n, v in self.params.items()}, self.size)
        self.division = Division(
            self.main, self.startup, self.grads, self.owner, self.me, self.ring
        )
        self.foreign = self.division.foreign

    def rewrite(self) -> None:
        if len(self.params) < self.size:
            raise InvalidArgumentError(
                f"sharding: expected at least as many parameters as processes, {self.size}, but "
                f"there are {len(self.params)}."
            )
        refuse_sparse(
            self.block, self.grads.items(), "sharding", "its owner gets it as a dense sum"
        )
        self._connect()
        insert_scale_loss_grad(self.main, 1.0 / self.context.worker_num)
        self._reduce()
        self.division.prune_updates()
        self._borrow()
        self.division.forget()
        if self.context.worker_index >= self.size:  # of several copies the first is saved
            self.main.__dict__["_fleet_own"] = []

    # -- startup -------------------------------------------------------------------------------

    def _connect(self) -> None:
        """Lets the startup Program make the groups, and spread what everybody keeps."""
        context = self.context
        endpoints = context.role_maker._get_trainer_endpoints()
        mine = endpoints[context.worker_index]
        insert_comm_init(self.startup, 0, context.worker_index, endpoints, mine)
        if self.hybrid:
            first = context.worker_index - self.me
            group = endpoints[first : first + self.size]
            insert_comm_init(self.startup, _GROUP_RING, self.me, group, mine)
            copies = endpoints[self.me :: self.size]
            insert_comm_init(
                self.startup, _COPIES_RING, context.worker_index // self.size, copies, mine
            )
        shared = [p.name for p in self.main.all_parameters() if p.name not in self.params]
        if shared:
            insert_broadcast(self.startup, shared, 0)
        if self.hybrid:
            own = [n for n in self.params if n not in self.foreign]
            insert_broadcast(self.startup, own, _COPIES_RING)

    # -- gradients -----------------------------------------------------------------------------

    def _reduce(self) -> None:
        """Sends each gradient to the process that keeps its parameter."""
        last = {}
        for op in self.block.ops:
            if op.role & Role.BACKWARD:
                for name in op.output_arg_names:
                    last[name] = op
        order = sorted(self.grads, key=lambda p: last[self.grads[p]].idx)
        going: list[str] = []  # parameters whose gradients may still be on their way
        for param in order:
            grad, root = self.grads[param], self.owner[param]
            at = last[grad].idx + 1
            going.append(param)
            while sum(_bytes(self.params[p]) for p in going[:-1]) > self.limit:
                at += self._sent(at, going.pop(0))
            attrs = {"ring_id": self.ring, "root_id": root}
            insert(self.block, at, "c_reduce_sum", {"X": grad}, {"Out": grad}, attrs)
            if self.hybrid and root == self.me:
                copies = {"ring_id": _COPIES_RING}
                insert(self.block, at + 1, "c_allreduce_sum", {"X": grad}, {"Out": grad}, copies)
        own = [g for p, g in self.grads.items() if p not in self.foreign]
        at = next(op.idx for op in self.block.ops if op.role & Role.OPTIMIZE)
        for ring in (self.ring, _COPIES_RING)[: 1 + self.hybrid]:
            insert(
                self.block, at, "c_sync_comm_stream", {"X": own}, {"Out": own}, {"ring_id": ring}
            )

    def _sent(self, at: int, param: str) -> int:
        """Waits until a gradient for another process has gone, so that its memory is free."""
        if param not in self.foreign:
            return 0
        grad = self.block.var(self.grads[param])
        done = scratch(self.block, grad, f"{grad.name}@SENT")
        ring = {"ring_id": self.ring}
        insert(self.block, at, "c_sync_comm_stream", {"X": grad}, {"Out": done}, ring)
        return 1

    # -- parameters ----------------------------------------------------------------------------

    def _borrow(self) -> None:
        """Broadcasts parameters before they are used, a segment at a time."""
        for name in sorted(self.foreign):
            self._one(self.params[name])
        segments: list[tuple[int, list[str]]] = []  # first operator, parameters
        size = 0
        readers: list[tuple[Operator, str, int]] = []
        for at, op in enumerate(self.block.ops):
            if op.role & (Role.OPTIMIZE | Role.LR_SCHED):
                continue
            for name in dict.fromkeys(_reads(op)):
                if name not in self.params:
                    continue
                if not segments or name not in segments[-1][1]:
                    more = _bytes(self.params[name])
                    if not segments or (size and size + more > self.limit):
                        segments.append((at, []))
                        size = 0
                    segments[-1][1].append(name)
                    size += more
                readers.append((op, name, len(segments) - 1))
        for op, name, number in readers:
            if name in self.foreign:
                _rename(op, name, _borrowed(name, number))
        for number, (at, names) in reversed(list(enumerate(segments))):
            self._broadcast(at, number, names)

    def _broadcast(self, at: int, number: int, names: list[str]) -> None:
        """Adds the broadcasts of one segment before an operator."""
        role = self.block.ops[at].role & Role.BACKWARD
        taken = []
        for name in names:
            param, attrs = self.params[name], {"ring_id": self.ring, "root": self.owner[name]}
            target: Any = name
            if name in self.foreign:
                target = self.block.create_var(
                    name=_borrowed(name, number), shape=param.shape, dtype=param.dtype,
                    stop_gradient=True,
                )  # fmt: skip
                form = {"shape": list(param.shape)}  # a shape without memory of its own
                one = self._one(param)
                insert(self.block, at, "expand_v2", {"X": one}, {"Out": target}, form, role)
                at += 1
            insert(self.block, at, "c_broadcast", {"X": target}, {"Out": target}, attrs, role)
            at += 1
            taken.append(target)
        ring = {"ring_id": self.ring}
        insert(self.block, at, "c_sync_comm_stream", {"X": taken}, {"Out": taken}, ring, role)

    def _one(self, param: Variable) -> Variable:
        """A number of a parameter's type."""
        name = f"@SHARDING_{param.dtype.name}@"
        found = self.block.vars.get(name)
        if found is not None:
            return found
        made = self.block.create_var(name=name, shape=[1], dtype=param.dtype, stop_gradient=True)
        attrs = {"shape": [1], "dtype": int(param.dtype), "value": 0.0}
        insert(self.block, 0, "fill_constant", {}, {"Out": made}, attrs, Role.FORWARD)
        return made


def _borrowed(name: str, number: int) -> str:
    return f"{name}@BroadCast_{number}"


def _reads(op: Operator) -> list[str]:
    """What an operator reads, also in blocks within it."""
    return [*op.input_arg_names, *(n for b in op.sub_blocks for o in b.ops for n in _reads(o))]


def _rename(op: Operator, old: str, new: str) -> None:
    op._rename_input(old, new)
    for block in op.sub_blocks:
        for inner in block.ops:
            _rename(inner, old, new)
