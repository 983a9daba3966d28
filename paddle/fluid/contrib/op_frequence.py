"""op_freq_statistic of 1.x: which operators a Program has, and which follow each other."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from paddle.ir.program import Program

__all__ = ["op_freq_statistic"]


def op_freq_statistic(program: Any) -> tuple[list, list]:
    """Counts the operators of a Program, and pairs of which one makes what the next reads.

    Args:
        program (Program): the Program.

    Returns:
        tuple: lists of (operator, count) and (``"first->second"``, count), the most frequent
        first.

    Raises:
        TypeError: no Program.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                paddle.tanh(paddle.static.data("x", [2]) * 2.0)
            print(fluid.contrib.op_freq_statistic(main)[1])  # [('scale->tanh', 1)]
    """
    if not isinstance(program, Program):
        raise TypeError(
            "op_freq_statistic(program): expected a Program, "
            f"but received {type(program).__name__}."
        )
    single: OrderedDict[str, int] = OrderedDict()
    pairs: OrderedDict[str, int] = OrderedDict()
    block = program.global_block()
    stored = {p.name for p in block.all_parameters()}
    made: dict[str, str] = {}
    for op in block.ops:
        if not set(op.output_arg_names) <= stored:  # what initialises or updates is left out
            single[op.type] = single.get(op.type, 0) + 1
        for name in op.input_arg_names:
            if name in made:
                key = f"{made[name]}->{op.type}"
                pairs[key] = pairs.get(key, 0) + 1
        made.update(dict.fromkeys((n for n in op.output_arg_names if n not in stored), op.type))
    return _sorted(single), _sorted(pairs)


def _sorted(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: item[1], reverse=True)
