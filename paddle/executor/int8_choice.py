"""Which Programs the Executor may compute with bytes: quantised ones, where a flag asks for it.

What computes them is imported for the first of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from paddle.core import flags
from paddle.ir.needs import is_gradient
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program

_TRAINING = Role.BACKWARD | Role.OPTIMIZE


def asked_for() -> bool:
    """Says whether quantised Programs are to compute with bytes."""
    return bool(flags.get("FLAGS_executor_int8"))


def int8_plan(
    program: Program,
    feeds: Sequence[str],
    fetches: list[str],
    use_prune: bool,
    op_callback: Callable | None,
    device: Any,
) -> Any:
    """Returns the plan of a quantised Program by bytes; None: it stays in floats.

    Programs stay in floats that train, or of which no product has a form in bytes, and all of them
    where ``FLAGS_executor_int8`` is off.

    Args:
        program (Program): stays as it is.
        feeds (Sequence[str]): variables that are given.
        fetches (list[str]): variables to return.
        use_prune (bool): run only what leads to the fetched variables.
        op_callback (callable, optional): called after every operator.
        device (torch.device): where it runs.
    """
    if not asked_for():
        return None
    ops = [op for block in program.blocks for op in block.ops]
    stored = {n for block in program.blocks for n, var in block.vars.items() if var.persistable}
    if not any("quantize" in op.type for op in ops) or any(_trains(op, stored) for op in ops):
        return None
    maker: Any = importlib.import_module("paddle.executor.int8_plan")
    return maker.plan_by_bytes(program, feeds, fetches, use_prune, op_callback, device)


def _trains(op: Operator, stored: set[str]) -> bool:
    """Whether an operator changes what a Program has learnt, or its scales."""
    if is_gradient(op) or (op.role != Role.NOT_SPECIFIED and op.role & _TRAINING):
        return True
    known = op.definition
    if known is None or "is_test" not in known.attrs:
        return False
    tests = op.attrs.get("is_test", known.attrs["is_test"])
    return not tests and not stored.isdisjoint(op.output_arg_names)
