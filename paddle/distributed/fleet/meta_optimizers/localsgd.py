"""Local SGD: every process trains alone, and now and then parameters are averaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.lars import is_momentum
from paddle.distributed.fleet.meta_optimizers.programs import append, kept, rule_of
from paddle.distributed.transpiler.inserting import insert_broadcast, insert_comm_init
from paddle.ir.block import Block
from paddle.ir.control.functions import cond
from paddle.ir.current import default_main_program, program_guard
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.ops.optimizer import updates as rules

__all__ = ["LocalSGDOptimizer"]

SNAPSHOT = "@SNAPSHOT"
Pairs = list[tuple[Variable, Variable]]


class LocalSGDOptimizer(MetaOptimizer):
    """``strategy.localsgd``: parameters are averaged every ``k_steps`` after ``begin_step``.

    Up to and with step ``begin_step`` they are averaged after each step.
    """

    name = "localsgd"
    may_wrap = frozenset({"sync_batch_norm"})

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        rule = rule_of(context.user_optimizer)
        if not is_momentum(context.user_optimizer) and rule is not rules.sgd:
            return f"the optimizer is {type(context.user_optimizer).__name__}, not SGD or Momentum"
        if context.worker_num < 2:
            return "there is one process only"
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Adds averages under a condition."""
        given = context.strategy.localsgd_configs
        start(context)
        main, startup = context.main_program, context.startup_program
        pairs = snapshots(main, startup)
        with program_guard(main, startup), main._optimized_guard([]):
            count, last, begin = counters(main, startup, given["begin_step"])
            period = kept(main, startup, "k_steps", [1], "int64", given["k_steps"])

            def average() -> None:
                exchange(pairs, context.worker_num)
                put(count, last)

            average_when(count, last, begin, period, average, average)


def start(context: Context) -> None:
    """Lets the startup Program connect the processes and give all the same parameters."""
    startup = context.startup_program
    endpoints = context.role_maker._get_trainer_endpoints()
    insert_comm_init(startup, 0, context.worker_index, endpoints, endpoints[context.worker_index])
    names = [p.name for p in context.main_program.all_parameters()]
    insert_broadcast(startup, names, 0)


def snapshots(main: Program, startup: Program) -> Pairs:
    """Makes a variable beside each parameter that holds the last average."""
    pairs: Pairs = []
    block, top = main.global_block(), startup.global_block()
    for param in block.all_parameters():
        if not isinstance(param, Parameter) or param.dtype not in (VarType.FP32, VarType.FP64):
            continue
        info = {"name": param.name + SNAPSHOT, "shape": param.shape, "dtype": param.dtype,
                "persistable": True, "stop_gradient": True}  # fmt: skip
        pairs.append((param, block.create_var(**info)))
        there = top.create_var(**info)
        top.append_op("assign", {"X": param.name}, {"Out": there})
    return pairs


def counters(main: Program, startup: Program, begin: int) -> tuple[Variable, Variable, Variable]:
    """The step, counted from 1, the step of the last average, and that after which they wait."""
    count = kept(main, startup, "@LOCALSGD_STEP@", [1], "int64", 0)
    last = kept(main, startup, "last_step", [1], "int64", 0)
    first = kept(main, startup, "begin_step", [1], "int64", begin)
    append(main.global_block(), "increment", {"X": count}, {"Out": count}, {"step": 1.0})
    return count, last, first


def average_when(
    count: Variable, last: Variable, begin: Variable, period: Variable,
    early: Callable, later: Callable,
) -> None:  # fmt: skip
    """Records averages: ``early`` in the first steps, then ``later`` once a period."""

    def waited() -> None:
        passed = C.elementwise_sub(count, last, axis=-1)
        cond(C.equal(passed, period, axis=-1), later)

    cond(C.greater_than(count, begin, axis=-1), waited, early)


def exchange(pairs: Pairs, processes: int) -> None:
    """Adds what replaces parameters by their mean over the processes, and notes the mean."""
    block = default_main_program().current_block()
    for param, held in pairs:
        append(block, "elementwise_sub", {"X": held, "Y": param}, {"Out": param}, {"axis": -1})
        append(block, "c_allreduce_sum", {"X": param}, {"Out": param}, {"ring_id": 0})
    for param, _ in pairs:
        append(block, "c_sync_comm_stream", {"X": param}, {"Out": param}, {"ring_id": 0})
    for param, held in pairs:
        append(block, "scale", {"X": param}, {"Out": param}, {"scale": 1.0 / processes})
        append(block, "elementwise_sub", {"X": held, "Y": param}, {"Out": param}, {"axis": -1})
        append(block, "assign", {"X": param}, {"Out": held})


def put(value: Any, target: Variable) -> None:
    """Records an assignment to a variable that lives in the scope."""
    block: Block = default_main_program().current_block()
    append(block, "assign", {"X": value}, {"Out": target})
