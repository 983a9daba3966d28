"""memory_usage of 1.x: how much memory the variables of a Program take."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, numpy_dtype
from paddle.ir.program import Program

__all__ = ["memory_usage"]

_UNITS = ("B", "KB", "MB")


def memory_usage(program: Any, batch_size: int) -> tuple[float, float, str]:
    """Estimates how much memory a Program takes for its results.

    Args:
        program (Program): the Program.
        batch_size (int): stands for sizes that are not known.

    Returns:
        tuple: the least, the most, and the unit (``B``, ``KB`` or ``MB``).

    Raises:
        TypeError: no Program.
        ValueError: no positive size of a batch, or a variable with several unknown sizes.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                paddle.static.data("x", [None, 784]) * 2.0
            low, high, unit = fluid.contrib.memory_usage(main, batch_size=10)
            print(round(low), round(high), unit)  # 32 34 KB
    """
    if not isinstance(program, Program):
        raise TypeError(
            f"memory_usage(program): expected a Program, but received {type(program).__name__}."
        )
    if batch_size <= 0:
        raise ValueError(
            f"memory_usage(batch_size): expected a positive number, but received {batch_size}."
        )
    block = program.global_block()
    done = {"fetch"}  # what no operator makes is not counted, nor is a name twice
    total = 0.0
    for op in block.ops:
        for name in op.output_arg_names:
            if name in done or not block.has_var(name):
                continue
            done.add(name)
            var = block.var(name)
            if var.type == VarType.LOD_TENSOR:
                total += _elements(var, batch_size) * numpy_dtype(var.dtype).itemsize
    unit = 0
    while total > 1024 and unit < len(_UNITS) - 1:
        total /= 1024
        unit += 1
    return total * 1.05, total * 1.1, _UNITS[unit]


def _elements(var: Any, batch_size: int) -> int:
    count = 1
    unknown = 0
    for size in var.shape:
        if size < 0:
            unknown += 1
            if unknown > 1:
                raise ValueError(
                    f"memory_usage: the variable {var.name!r} has more than one unknown size, "
                    f"{list(var.shape)}."
                )
            count *= batch_size * -size
        else:
            count *= size
    return count
