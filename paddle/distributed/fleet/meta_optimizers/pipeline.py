"""Pipelines: each process runs one section of the network, on several small batches in turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.dividing import Division
from paddle.distributed.fleet.meta_optimizers.sections import (
    EVERYWHERE,
    devices,
    sections_of,
)
from paddle.distributed.transpiler.inserting import (
    insert_broadcast,
    insert_comm_init,
    insert_scale_loss_grad,
)
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable

__all__ = ["PipelineOptimizer", "micro_batches"]

_SECTIONS_RING, _COPIES_RING = 1, 2  # where several copies of the pipeline train together


class PipelineOptimizer(MetaOptimizer):
    """``strategy.pipeline``: sections by :func:`paddle.static.device_guard`, one a process.

    The batch is cut into ``pipeline_configs["micro_batch"]`` parts. All of them go forward through
    the sections, then back; their gradients are added up and used once. With more processes than
    sections, several copies of the pipeline train together. The loss, the mean over the parts, can
    be fetched in every process.
    """

    name = "pipeline"
    may_wrap = frozenset({"amp", "recompute"})
    divides = True

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        count = len(devices(context.main_program.global_block()))
        if count < 2:
            return 'the Program has no sections: no device_guard("gpu:0"), device_guard("gpu:1")'
        if context.worker_num % count:
            return f"{count} sections do not fit {context.worker_num} processes"
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Leaves one section, on parts of the batch."""
        block = context.main_program.global_block()
        count = len(devices(block))
        copies = context.worker_num // count
        me, copy = context.worker_index % count, context.worker_index // count
        ring = _SECTIONS_RING if copies > 1 else 0
        _connect(context, count)
        job = _Job(
            context.main_program, context.startup_program, context.loss, context.params_grads,
            context.strategy.pipeline_configs["micro_batch"], me, ring, copies, first=copy == 0,
        )  # fmt: skip
        if copies > 1:
            endpoints = context.role_maker._get_trainer_endpoints()
            mine = endpoints[context.worker_index]
            insert_comm_init(
                context.startup_program, _COPIES_RING, copy, endpoints[me::count], mine
            )
            insert_broadcast(context.startup_program, job.spread(), _COPIES_RING)
        job.rewrite()


def micro_batches(
    main: Program, startup: Program, loss: Variable, params_grads: list, count: int
) -> None:
    """The same in one process: all sections here, the batch in parts.

    Args:
        main (Program): has all operators of a step.
        startup (Program): fills variables.
        loss (Variable): what is minimised; becomes the mean over the parts.
        params_grads (list): pairs (parameter, gradient).
        count (int): how many parts.
    """
    _Job(main, startup, loss, params_grads, count, 0, 0, 1, alone=True).rewrite()


def _connect(context: Context, count: int) -> None:
    endpoints = context.role_maker._get_trainer_endpoints()
    at, startup = context.worker_index, context.startup_program
    insert_comm_init(startup, 0, at, endpoints, endpoints[at])
    if context.worker_num > count:
        first = at - at % count
        group = endpoints[first : first + count]
        insert_comm_init(startup, _SECTIONS_RING, at % count, group, endpoints[at])


@dataclass
class _Transfer:
    """A value that one section needs from another."""

    name: str
    source: int
    target: int
    made: int  # by which operator of the phase; -1: in an earlier one
    needed: int


@dataclass
class _Phase:
    """The operators of one way through the network, forward or back."""

    ops: list[Operator]
    role: int
    transfers: list[_Transfer] = field(default_factory=list)


class _Job:
    """One rewrite.

    Args:
        main, startup, loss, params_grads: as in :func:`micro_batches`.
        count (int): how many parts a batch is cut into.
        me (int): the section that runs here.
        ring (int): the group of the sections.
        copies (int): how many pipelines train together.
        alone (bool): all sections run here.
        first (bool): of several pipelines this is the first one.
    """

    def __init__(
        self, main: Program, startup: Program, loss: Variable, params_grads: list, count: int,
        me: int, ring: int, copies: int, alone: bool = False, first: bool = True,
    ) -> None:  # fmt: skip
        self.main, self.startup, self.loss = main, startup, loss
        self.block: Block = main.global_block()
        self.count, self.me, self.ring, self.copies = count, me, ring, copies
        self.first = first
        self.grads = {p.name: g.name for p, g in params_grads if g is not None}
        self.alone = alone
        self.section, owner = sections_of(self.block, self.grads)
        if alone:
            self.section = dict.fromkeys(self.section, me)
            owner = dict.fromkeys(owner, me)
        self.division = Division(main, startup, self.grads, owner, me, ring)
        self._sums = {g for p, g in self.grads.items() if p not in self.division.foreign}
        self._last: dict[str, Operator] = {}  # which operator completes a value
        self._role = Role.FORWARD  # of operators that are added
        self._parted: set[str] = set()  # what each part has its own of
        self.batches = {v.shape[0] for v in self.block.vars.values() if v.is_data and v.shape}

    def spread(self) -> list[str]:
        """The parameters of this section, which all copies of the pipeline begin with."""
        return [p.name for p in self.main.all_parameters() if p.name not in self.division.foreign]

    def rewrite(self) -> None:
        insert_scale_loss_grad(self.main, 1.0 / (self.count * self.copies))
        self.section, _ = sections_of(self.block, self.grads)
        if self.alone:
            self.section = dict.fromkeys(self.section, self.me)
        self.division.prune_updates()
        rates, ahead, back, rest = _stages(self.block.ops)
        self._refuse_blocks([*ahead, *back])
        phases = self._planned([_Phase(ahead, Role.FORWARD), _Phase(back, Role.BACKWARD)])
        self.block.ops = rates
        self._cut([*ahead, *back])
        for phase in phases:
            for part in range(self.count):
                self._emit(phase, part)
        self._finish_gradients()
        self._finish_loss()
        self.block.ops += rest
        self.division.forget()
        self._note_own([*ahead, *back])

    def _note_own(self, ops: list[Operator]) -> None:
        """What this process has to save: of several pipelines only one does."""
        written = {
            n
            for op in ops
            if self.section[id(op)] == self.me
            for n in op.output_arg_names
            if self.block.has_var(n) and self.block.var(n).persistable
        }
        own = {*self.main.__dict__["_fleet_own"], *written}
        self.main.__dict__["_fleet_own"] = sorted(own) if self.first else []

    def _refuse_blocks(self, ops: Iterable[Operator]) -> None:
        for op in ops:
            if op.sub_blocks and self.count > 1:
                raise UnimplementedError(
                    f"pipeline: the operator {op.type} has a block of its own, which cannot run on "
                    "parts of a batch.",
                    hint='set pipeline_configs["micro_batch"] to 1',
                )

    # -- what goes from section to section ---------------------------------------------------------

    def _planned(self, phases: list[_Phase]) -> list[_Phase]:
        """Finds out which values sections need from others; the same in every process."""
        maker: dict[str, int] = {}
        there: dict[str, set[int]] = {}
        for phase in phases:
            made: dict[str, int] = {}
            for at, op in enumerate(phase.ops):
                section = self.section[id(op)]
                for name in dict.fromkeys(op.input_arg_names):
                    if name in maker and section not in there[name]:
                        there[name].add(section)
                        phase.transfers.append(
                            _Transfer(name, maker[name], section, made.get(name, -1), at)
                        )
                for name in op.output_arg_names if section != EVERYWHERE else ():
                    if not self.block._var_recursive(name).persistable:
                        maker[name], there[name], made[name] = section, {section}, at
            phase.transfers.sort(key=lambda t: t.made)
        return phases

    def _emit(self, phase: _Phase, part: int) -> None:
        """Adds the operators of this section for one part of the batch."""
        self._role = phase.role
        coming = [t for t in phase.transfers if t.target == self.me]
        going = [t for t in phase.transfers if t.source == self.me]
        for transfer in going:
            if transfer.made == -1:
                self._send(transfer, part)
        for at, op in enumerate(phase.ops):
            if self.section[id(op)] in (self.me, EVERYWHERE):
                for source in {t.source for t in coming if t.needed <= at}:
                    self._receive(coming, source, at, part)
                self._copy(op, part)
            for transfer in going:
                if transfer.made == at:
                    self._send(transfer, part)

    def _receive(self, coming: list[_Transfer], source: int, at: int, part: int) -> None:
        """Receives in the order of sending up to what is needed now."""
        queue = [t for t in coming if t.source == source]
        last = max(i for i, t in enumerate(queue) if t.needed <= at)
        for transfer in queue[: last + 1]:
            coming.remove(transfer)
            var = self._made(transfer.name, part)
            attrs = {
                "ring_id": self.ring, "peer": source, "dtype": int(var.dtype),
                "out_shape": list(var.shape), "dynamic_shape": True, "use_calc_stream": True,
            }  # fmt: skip
            self._append("recv_v2", {}, {"Out": var.name}, attrs)

    def _send(self, transfer: _Transfer, part: int) -> None:
        attrs = {"ring_id": self.ring, "peer": transfer.target, "dynamic_shape": True,
                 "use_calc_stream": True}  # fmt: skip
        self._append("send_v2", {"X": self._name(transfer.name, part)}, {}, attrs)

    # -- operators for one part --------------------------------------------------------------

    def _name(self, name: str, part: int) -> str:
        """What a value is called for one part of the batch."""
        if self.count == 1 or name not in self._parted or (not part and name in self._sums):
            return name
        return f"{name}@MICRO_{part}"

    def _made(self, name: str, part: int) -> Variable:
        """The variable of a value for one part."""
        called = self._name(name, part)
        found = self.block.vars.get(called)
        if found is not None:
            return found
        like = self.block.var(name)
        info = {**like.describe(), "name": called, "is_data": False, "persistable": False}
        if like.shape and like.shape[0] in self.batches:
            info["shape"] = [-1, *like.shape[1:]]
        info = {
            k: info[k] for k in ("name", "shape", "dtype", "type", "lod_level", "stop_gradient")
        }
        return self.block.create_var(**info)

    def _copy(self, op: Operator, part: int) -> None:
        for name in op.output_arg_names:
            self._made(name, part)
        inputs = {s: [self._name(n, part) for n in ns] for s, ns in op.inputs.items()}
        outputs = {s: [self._name(n, part) for n in ns] for s, ns in op.outputs.items()}
        made = self.block.append_op(op.type, inputs, outputs, dict(op.attrs))
        made.location = op.location
        if part:
            for grad in op.output_arg_names:
                if grad in self._sums and self._last[grad] is op:
                    names = [self._name(grad, 0), self._name(grad, part)]
                    self._append("sum", {"X": names}, {"Out": names[0]}, {})

    def _append(self, type: str, inputs: Any, outputs: Any, attrs: Any) -> None:
        role = {"op_role": self._role, "op_role_var": []}
        self.block.append_op(type, inputs, outputs, {**attrs, **role})

    def _cut(self, ops: list[Operator]) -> None:
        """Cuts what is fed into parts."""
        self._last = {n: op for op in ops for n in op.output_arg_names}
        if self.count == 1:
            return
        here = [op for op in ops if self.section[id(op)] in (self.me, EVERYWHERE)]
        read = dict.fromkeys(n for op in here for n in op.input_arg_names if self.block.has_var(n))
        fed = [n for n in read if self.block.var(n).is_data and n not in self._last]
        made = [n for n in self._last if not self.block._var_recursive(n).persistable]
        self._parted = {*made, *fed}
        for name in fed:
            var = self.block.var(name)
            if var.lod_level:
                raise UnimplementedError(
                    f"pipeline: {name!r} has sequences of different lengths, which cannot be cut.",
                    hint='set pipeline_configs["micro_batch"] to 1',
                )
            if var.shape and var.shape[0] > 0 and var.shape[0] % self.count:
                raise InvalidArgumentError(
                    f"pipeline: expected a batch that {self.count} parts divide, but {name!r} has "
                    f"{var.shape[0]} rows."
                )
            parts = [self._made(name, i).name for i in range(self.count)]
            role = {"op_role": Role.FORWARD}
            self.block.append_op(
                "split", {"X": name}, {"Out": parts}, {"num": self.count, "axis": 0, **role}
            )

    # -- after all parts ---------------------------------------------------------------------

    def _finish_gradients(self) -> None:
        for grad in sorted(self._sums):
            if self.copies > 1:
                ring = {"ring_id": _COPIES_RING}
                self._append("c_allreduce_sum", {"X": grad}, {"Out": grad}, ring)
        if self.copies > 1:
            own = sorted(self._sums)
            self._append("c_sync_comm_stream", {"X": own}, {"Out": own}, {"ring_id": _COPIES_RING})

    def _finish_loss(self) -> None:
        """Makes the loss the mean over the parts, and gives it to all sections.

        This is part of the way forward: a copy of the Program for testing has it too.
        """
        self._role = Role.FORWARD
        loss = self.loss.name
        root = self.section[id(self._last[loss])]
        if root == self.me and self.count > 1:
            names = [self._name(loss, i) for i in range(self.count)]
            self._append("sum", {"X": names}, {"Out": loss}, {})
            self._append("scale", {"X": loss}, {"Out": loss}, {"scale": 1.0 / self.count})
        if self.alone:
            return
        if root != self.me:
            attrs = {"shape": list(self.loss.shape) or [1], "dtype": int(self.loss.dtype)}
            self._append("fill_constant", {}, {"Out": loss}, {**attrs, "value": 0.0})
        ring = {"ring_id": self.ring}
        self._append("c_broadcast", {"X": loss}, {"Out": loss}, {**ring, "root": root})
        self._append("c_sync_comm_stream", {"X": [loss]}, {"Out": [loss]}, ring)


def _stages(ops: list[Operator]) -> tuple[list, list, list, list]:
    """What comes once before all parts; forward, backward, updates."""
    rates, ahead, back, rest = [], [], [], []
    for op in ops:
        if op.role & Role.OPTIMIZE:
            rest.append(op)
        elif op.role & Role.LR_SCHED or op.type.startswith("create_"):  # of rates, of readers
            rates.append(op)
        elif op.role & Role.BACKWARD:
            back.append(op)
        else:
            ahead.append(op)
    return rates, ahead, back, rest
