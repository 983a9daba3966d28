"""Which tables a Program needs on parameter servers, and how they update: read off operators."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.distributed.ps.initial import CountFilter, Initial, Probability
from paddle.distributed.ps.rules import KNOWN, Rule
from paddle.distributed.ps.schedules import ProgramRate, SchedulerRate
from paddle.distributed.ps.spec import TableSpec
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ops.optimizer.updates import rule_of

LOOK_UPS = ("lookup_table", "lookup_table_v2")
# Dense parameters of one rule lie in blocks of at least so many numbers, at most _BLOCKS of them.
_LEAST, _BLOCKS, _MOST = 1 << 16, 8, 1 << 24
STARTED = 0  # the table whose one number says that there are first values


@dataclass
class Dense:
    """A parameter that trainers have whole."""

    name: str
    grad: str
    shape: list[int]
    start: int = 0  # where it begins in its group

    @property
    def numel(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


@dataclass
class Block_:
    """Some of the numbers of a group, on one server."""

    table: int
    start: int
    stop: int


@dataclass
class Group:
    """Dense parameters with one rule, one behind the other, cut into blocks."""

    rule: Rule
    dtype: str
    members: list[Dense] = field(default_factory=list)
    blocks: list[Block_] = field(default_factory=list)

    @property
    def numel(self) -> int:
        """How many numbers all members have."""
        return sum(m.numel for m in self.members)


@dataclass
class Sparse:
    """A table of which trainers look up rows."""

    name: str
    grad: str
    table: int
    spec: TableSpec
    height: int
    given: bool = False  # its first values come from a trainer


@dataclass
class JobPlan:
    """The tables of a job.

    Attributes:
        mode (str): ``sync``, ``async``, ``half_async`` or ``geo``.
        trainers (int): how many trainers.
        servers (int): how many servers.
        groups (list[Group]): dense parameters.
        sparse (list[Sparse]): tables looked up by rows.
        tables (list[TableSpec]): all of them, as servers need them.
        scheduled (bool): whether a learning rate depends on the number of steps.
    """

    mode: str
    trainers: int
    servers: int
    groups: list[Group]
    sparse: list[Sparse]
    tables: list[TableSpec]
    scheduled: bool

    @property
    def dense(self) -> list[Dense]:
        """All dense parameters."""
        return [member for group in self.groups for member in group.members]

    @property
    def server_mode(self) -> str:
        """The mode that servers know."""
        return "async" if self.mode == "half_async" else self.mode


def plan_job(
    main: Program, startup: Program, mode: str, trainers: int, servers: int, decay_steps: int = 10
) -> JobPlan:
    """Reads off a minimised Program what servers have to keep.

    Args:
        main (Program): with gradients and updates.
        startup (Program): sets first values.
        mode (str): ``sync``, ``async``, ``half_async`` or ``geo``.
        trainers (int): how many trainers.
        servers (int): how many servers.
        decay_steps (int): steps of all trainers after which an LRScheduler goes on.

    Raises:
        UnimplementedError: an optimizer, a clip or an initializer that servers do not have; it is
            named.
    """
    return _Reader(main, startup, mode, trainers, servers, decay_steps).plan()


class _Reader:
    def __init__(
        self, main: Program, startup: Program, mode: str, trainers: int, servers: int, decay: int
    ) -> None:
        if servers < 1:
            raise InvalidArgumentError(
                "a job with parameter servers: expected at least one server."
            )
        self.main, self.startup, self.mode = main, startup, mode
        self.trainers, self.servers, self.decay = trainers, servers, decay
        self.block: Block = main.global_block()
        self.starts = {n: op for op in startup.global_block().ops for n in op.output_arg_names}
        self.rates: dict[str, Any] = {}
        self.scheduled = False

    def plan(self) -> JobPlan:
        updates = [op for op in self.block.ops if op.role & Role.OPTIMIZE and "Param" in op.inputs]
        remote = remote_tables(self.block)
        groups: dict[Any, Group] = {}
        sparse: list[Sparse] = []
        for op in sorted(updates, key=lambda one: one.input("Param")[0]):
            name = op.input("Param")[0]
            if name in remote:
                sparse.append(self._sparse(op, remote[name]))
            else:
                self._dense(op, groups)
        tables = [TableSpec(STARTED, "@started", "dense", 1)]
        self._cut(list(groups.values()), tables)
        for one in sparse:
            one.table = len(tables)
            one.spec = TableSpec(**{**_fields(one.spec), "id": one.table})
            tables.append(one.spec)
        return JobPlan(
            self.mode, self.trainers, self.servers, list(groups.values()), sparse, tables,
            self.scheduled,
        )  # fmt: skip

    def _cut(self, groups: list[Group], tables: list[TableSpec]) -> None:
        """Cuts groups into blocks whose sizes do not depend on the number of servers."""
        at = 0
        for group in groups:
            start = 0
            for member in group.members:
                member.start, start = start, start + member.numel
            size = min(_MOST, max(_LEAST, math.ceil(group.numel / _BLOCKS)))
            for first in range(0, group.numel, size):
                stop = min(first + size, group.numel)
                inside = [m.name for m in group.members
                          if m.start < stop and m.start + m.numel > first]  # fmt: skip
                several = f" and {len(inside) - 1} more" if len(inside) > 1 else ""
                tables.append(TableSpec(
                    len(tables), f"{inside[0]}{several} [{first}:{stop}]", "dense", stop - first,
                    group.dtype, group.rule, server=at % self.servers,
                ))  # fmt: skip
                group.blocks.append(Block_(tables[-1].id, first, stop))
                at += 1

    # -- parameters ------------------------------------------------------------------------------

    def _dense(self, op: Operator, groups: dict[Any, Group]) -> None:
        var = self.block.var(op.input("Param")[0])
        rule, grad, rate_name = self._rule(op)
        dtype = _float(var)
        key = (
            rule.name, tuple(sorted(rule.settings.items())), tuple(sorted(rule.fill.items())),
            rate_name, rule.factor, rule.l1, rule.l2, rule.clip, rule.outer_epsilon, dtype,
        )  # fmt: skip
        group = groups.setdefault(key, Group(rule, dtype))
        group.members.append(Dense(var.name, grad, list(var.shape)))

    def _sparse(self, op: Operator, look_ups: list[Operator]) -> Sparse:
        var = self.block.var(op.input("Param")[0])
        rule, grad, _ = self._rule(op)
        width = math.prod(var.shape[1:])
        initial = self._initial(var.name)
        spec = TableSpec(
            1, var.name, "sparse", width, _float(var), rule, initial or Initial(),
            _entry(look_ups),
        )  # fmt: skip
        return Sparse(var.name, grad, 0, spec, var.shape[0], initial is None)

    def _initial(self, name: str) -> Initial | None:
        """How rows begin; None where the startup Program gives all of them by hand."""
        op = self.starts.get(name)
        seed = (self.startup.random_seed or 0) * 1000003 + zlib.crc32(name.encode())
        if op is None:
            return Initial(seed=seed)
        attrs = op.attrs
        seed += int(attrs.get("seed") or 0) << 32
        if op.type == "fill_constant":
            text = attrs.get("str_value")
            return Initial("constant", float(text) if text else float(attrs["value"]))
        if op.type == "uniform_random":
            low, high = float(attrs.get("min", -1.0)), float(attrs.get("max", 1.0))
            return Initial("uniform", low=low, high=high, seed=seed)
        if op.type in ("gaussian_random", "truncated_gaussian_random"):
            mean, std = float(attrs.get("mean", 0.0)), float(attrs.get("std", 1.0))
            return Initial(op.type.removesuffix("_random"), mean=mean, std=std, seed=seed)
        return None

    # -- rules -----------------------------------------------------------------------------------

    def _rule(self, op: Operator) -> tuple[Rule, str, str]:
        """The rule of an update, the gradient as backward leaves it, and the rate's name."""
        param = op.input("Param")[0]
        known = rule_of(op.type)
        if op.type not in KNOWN or known is None:
            raise _unknown(param, op.type)
        if known.powers and op.inputs.get("MasterParam"):
            raise UnimplementedError(f"parameter {param!r}: expected no master copy in float32.")
        settings = known.settings_of(op.attrs)
        fill = {}
        for state in known.states:
            first = self.starts.get(op.input(known.slots[state])[0])
            if first is not None and first.type == "fill_constant" and first.attrs.get("value"):
                fill[state] = float(first.attrs["value"])
        factor, rate_name, rate = self._rate(op)
        grad, l1, l2, clip = self._penalties(op, param)
        outer = op.type == "adam" and self.main.of_1x
        made = Rule(op.type, rate, settings, fill, factor, l1, l2, clip, outer)
        return made, grad, rate_name

    def _writer(self, name: str, before: int) -> int:
        """Where the optimizer's part last writes a variable; -1 where it does not."""
        for i in range(before - 1, -1, -1):
            op = self.block.ops[i]
            if name in op.output_arg_names:
                return i if op.role & (Role.OPTIMIZE | Role.LR_SCHED) else -1
        return -1

    def _rate(self, op: Operator) -> tuple[float, str, Any]:
        name, factor = op.input("LearningRate")[0], 1.0
        at = self._writer(name, self.block.ops.index(op))
        if at >= 0:
            made = self.block.ops[at]
            if made.type == "scale" and made.role & Role.OPTIMIZE and not made.attrs.get("bias"):
                factor, name = float(made.attrs.get("scale", 1.0)), made.input("X")[0]
                at = self._writer(name, at)
        if name not in self.rates:
            self.rates[name] = self._rate_of(name, at >= 0)
        return factor, name, self.rates[name]

    def _rate_of(self, name: str, computed: bool) -> Any:
        scheduler = self.main.__dict__.get("_lr_schedulers", {}).get(name)
        if scheduler is not None:
            if self.mode == "geo":  # trainers update, by the rate that their user sets
                return lambda step: float(scheduler())
            self.scheduled = True
            return SchedulerRate(scheduler, self.decay)
        if computed:
            self.scheduled = True
            together = self.trainers if self.mode == "sync" else 1
            return ProgramRate(self.main, self.startup, name, together)
        first = self.starts.get(name)
        if first is None or first.type != "fill_constant":
            raise UnimplementedError(
                f"learning rate {name!r}: expected a number, an LRScheduler or a schedule of 1.x."
            )
        return float(first.attrs.get("str_value") or first.attrs["value"])

    def _penalties(
        self, op: Operator, param: str
    ) -> tuple[str, float, float, tuple[float, float] | None]:
        name, at = op.input("Grad")[0], self.block.ops.index(op)
        l1 = l2 = 0.0
        clip = None
        while (at := self._writer(name, at)) >= 0:
            made = self.block.ops[at]
            names = made.input_arg_names
            if made.type in ("sum", "elementwise_add") and len(names) == 2:
                decay: tuple[float, float] | None = None
                others: list[str] = []
                for other in names:
                    found = None if other == name else self._decay(other, at, param)
                    decay, others = (found or decay), (others if found else [*others, other])
                if decay is not None and len(others) == 1:
                    l1, l2, name = l1 + decay[0], l2 + decay[1], others[0]
                    continue
            elif made.type == "scale" and names == made.output_arg_names:
                break  # what a server of 1.x does to the sum of all trainers' gradients
            elif made.type == "sum" and all(_of_trainer(n) for n in names):
                break
            elif made.type == "clip" and clip is None:
                clip = (float(made.attrs["min"]), float(made.attrs["max"]))
                name = made.input("X")[0]
                continue
            raise _norms(param, made)
        return name, l1, l2, clip

    def _decay(self, name: str, before: int, param: str) -> tuple[float, float] | None:
        """The coefficients of a penalty that is made of the parameter alone."""
        at = self._writer(name, before)
        if at < 0 or self.block.ops[at].type != "scale":
            return None
        scaled = self.block.ops[at]
        coeff, source = float(scaled.attrs.get("scale", 1.0)), scaled.input("X")[0]
        if source == param:
            return 0.0, coeff
        at = self._writer(source, at)
        if at >= 0 and self.block.ops[at].type == "sign":
            return (coeff, 0.0) if self.block.ops[at].input("X")[0] == param else None
        return None


def _of_trainer(name: str) -> bool:
    return name.rpartition(".trainer_")[2].isdigit() and ".trainer_" in name


def read_update(block: Block, op: Operator) -> tuple[float, float, tuple[float, float] | None]:
    """Returns the penalties (of both kinds) and the clip before an update on a server of 1.x.

    Args:
        block (Block): with the operators for one parameter.
        op (Operator): the update.

    Raises:
        UnimplementedError: something else is done to the gradient, or the optimizer is unknown.
    """
    if op.type not in KNOWN:
        raise _unknown(op.input("Param")[0], op.type)
    reader = _Reader(block.program, block.program, "async", 1, 1, 1)
    reader.block = block
    return reader._penalties(op, op.input("Param")[0])[1:]


def _unknown(param: str, kind: str) -> UnimplementedError:
    return UnimplementedError(
        f"parameter {param!r}: the optimizer {kind!r} cannot run on parameter servers.",
        hint=f"take one of these: {', '.join(KNOWN)}",
    )


def _norms(param: str, op: Operator) -> UnimplementedError:
    """Refuses what needs a norm over a whole gradient, or over all of them."""
    clips = {"elementwise_mul": "ClipGradByGlobalNorm", "clip_by_norm": "ClipGradByNorm",
             "elementwise_div": "ClipGradByGlobalNorm"}  # fmt: skip
    what = clips.get(op.type)
    if what is not None:
        return UnimplementedError(
            f"parameter {param!r}: {what} needs the norm of gradients that lie on several "
            "parameter servers.",
            hint="clip by value (ClipGradByValue), or leave the clip out",
        )
    return UnimplementedError(
        f"parameter {param!r}: operator {op.type} changes its gradient before the update, which "
        "parameter servers do not do.",
        hint="servers know clipping by value, and L1 and L2 penalties",
    )


def _entry(look_ups: list[Operator]) -> CountFilter | Probability | None:
    for op in look_ups:
        kind, _, number = str(op.attrs.get("entry") or "").partition(":")
        if kind == "count_filter_entry" and int(number) > 0:
            return CountFilter(int(number))
        if kind == "probability_entry":
            return Probability(float(number))
    return None


def _float(var: Any) -> str:
    name = dtype_name(var.dtype)
    if name not in ("float32", "float64"):
        raise UnimplementedError(
            f"parameter {var.name!r}: expected float32 or float64 on parameter servers, but it is "
            f"{name}."
        )
    return name


def _fields(spec: TableSpec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in spec.__dataclass_fields__}


def remote_tables(block: Block) -> dict[str, list[Operator]]:
    """Returns the tables of which servers keep the rows, with the operators that look them up.

    They are looked up with ``is_sparse`` or ``is_distributed``, and nothing else uses them.
    """
    found: dict[str, list[Operator]] = {}
    for op in block.ops:
        if op.type in LOOK_UPS and (op.attrs.get("is_sparse") or op.attrs.get("is_distributed")):
            found.setdefault(op.input("W")[0], []).append(op)
    for op in block.ops:
        if op.role & Role.OPTIMIZE or op.type.startswith("lookup_table"):
            if op.type in LOOK_UPS and op not in found.get(op.input("W")[0], [op]):
                found.pop(op.input("W")[0], None)
            continue
        for name in op.input_arg_names:
            found.pop(name, None)
    return found
