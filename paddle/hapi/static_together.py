"""What a Model's Programs do in each of several processes, so that together they train as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddle import static
from paddle.core.rings import rings
from paddle.distributed.fleet.base.distributed_optimizer import DistributedOptimizer
from paddle.distributed.transpiler.inserting import append, insert_allreduce
from paddle.ir.operator import Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.static.compiled import take_over


def average_gradients(program: Program, minimised: Any) -> None:
    """Lets a Program that has gradients average them over the processes.

    Args:
        program (Program): with updates or not; changed in place.
        minimised (Optimizer): that of fleet has put the exchange of its strategy there already.
    """
    if not isinstance(minimised, DistributedOptimizer):
        insert_allreduce(program, nranks=rings.get(0).size)


def average_gathered(program: Program, gathered: list[Variable]) -> None:
    """Lets a Program average what each process has gathered.

    Args:
        program (Program): the operators are added at its end.
        gathered (list[Variable]): sums of gradients.
    """
    block, role = program.global_block(), Role.BACKWARD
    slots = [({"X": [v.name]}, {"Out": [v.name]}) for v in gathered]
    for given, made in slots:
        append(block, "c_allreduce_sum", given, made, {"ring_id": 0}, role)
    if slots:
        append(block, "c_sync_comm_stream", *slots[-1], {"ring_id": 0}, role)
    for given, made in slots:
        append(block, "scale", given, made, {"scale": 1.0 / rings.get(0).size}, role)


def begin_alike(variables: Iterable[Any]) -> None:
    """Gives parameters and buffers the values that they have in process 0; all call it.

    Args:
        variables (list[Variable]): whose values are in the scope.
    """
    names = dict.fromkeys(variable.name for variable in variables)
    take_over(rings.get(0), static.global_scope(), names)


def all_variables(outputs: list) -> bool:
    """Whether what a network gives are plain Variables, whose rows can be put together.

    Args:
        outputs (list): as the network gave them.
    """
    return bool(outputs) and all(isinstance(output, Variable) for output in outputs)
