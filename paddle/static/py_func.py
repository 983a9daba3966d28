"""py_func: an operator of a Program that calls a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.executor.callables import number_of
from paddle.ir.control.blocks import need_static
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable

__all__ = ["py_func"]


def py_func(
    func: Callable,
    x: Any,
    out: Any,
    backward_func: Callable | None = None,
    skip_vars_in_backward_input: Any = None,
) -> Any:
    """Adds an operator that calls ``func(*x)`` in every run.

    The function gets Tensors, which NumPy's functions take too, and returns arrays or Tensors. It
    must not build networks. Such a Program runs only in the process that made it.

    Args:
        func (callable): computes the outputs from the inputs.
        x (Variable|list[Variable]|tuple[Variable]|None): inputs.
        out (Variable|list[Variable]|tuple[Variable]|None): outputs, made by
            ``Block.create_var(name=, dtype=, shape=)``; None if the function only has an effect.
        backward_func (callable, optional): gets the inputs, the outputs and the gradients of the
            outputs (None where there is none), and returns the gradients of the inputs (None means
            zero). Without it no gradient flows.
        skip_vars_in_backward_input (Variable|list[Variable], optional): inputs and outputs that
            ``backward_func`` does not get. Without that function nothing is to be left out.

    Returns:
        Variable|list[Variable]: ``out``.

    Raises:
        TypeError: a function cannot be called, or a value is no Variable.
        ValueError: an output has no shape, or a variable to skip is neither input nor output.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 2])
                y = main.current_block().create_var(name="y", dtype="float32", shape=[-1, 2])
                static.py_func(np.tanh, x, y)
                out, = static.Executor().run(feed={"x": [[0.0, 1.0]]}, fetch_list=[y])
                print(out.round(3))  # [[0.    0.762]]
            paddle.disable_static()
    """
    need_static("py_func", "call the function, or use paddle.autograd.PyLayer")
    if not callable(func):
        raise TypeError(f"py_func(func): expected a function, but got {type(func).__name__}.")
    if backward_func is not None and not callable(backward_func):
        raise TypeError(
            f"py_func(backward_func): expected a function, but got {type(backward_func).__name__}."
        )
    inputs, outputs = _variables("x", x), _variables("out", out)
    for var in outputs:
        if not var.shape:
            raise InvalidArgumentError(
                f"py_func(out): the shape of {var.name!r} is not known.",
                hint="make it by Block.create_var(name=..., dtype=..., shape=...)",
            )
    names = {v.name for v in [*inputs, *outputs]}
    skipped = []
    if skip_vars_in_backward_input is not None:
        for var in _variables("skip_vars_in_backward_input", skip_vars_in_backward_input):
            if var.name not in names:
                raise InvalidArgumentError(
                    f"py_func(skip_vars_in_backward_input): {var.name!r} is neither an input nor "
                    f"an output; those are {sorted(names)}."
                )
            skipped.append(var.name)
    default_main_program().current_block().append_op(
        type="py_func",
        inputs={"X": inputs},
        outputs={"Out": outputs},
        attrs={
            "forward_callable_id": number_of(func),
            "backward_callable_id": -1 if backward_func is None else number_of(backward_func),
            "backward_skip_vars": skipped,
        },
    )
    return out


def _variables(argument: str, value: Any) -> list[Variable]:
    if value is None:
        return []
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    for item in listed:
        if not isinstance(item, Variable):
            raise TypeError(
                f"py_func({argument}): expected Variables, but received {type(item).__name__}."
            )
    return listed


guard_module(globals())
