"""paddle.static.create_global_var: a variable with a first value that is no parameter."""

from __future__ import annotations

import math
import numbers
from typing import Any

from paddle.core import constants, unique_name
from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import AlreadyExistsError, InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.recording.lowering import write
from paddle.ir.variable import Variable
from paddle.nn.layer.parameters import check_shape

__all__ = ["create_global_var"]


def create_global_var(
    shape: list[int] | tuple[int, ...],
    value: Any,
    dtype: Any,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Variable:
    """Adds a variable to the global block; the startup Program fills it with one number.

    Args:
        shape (list[int]): its shape.
        value (float): the number.
        dtype (str): its element type.
        persistable (bool): whether it keeps its value from run to run. Default: False.
        force_cpu (bool): kept in the Program: fill it on the CPU. Default: False.
        name (str, optional): its name; None makes a unique one.

    Returns:
        Variable: with ``stop_gradient=True``.

    Raises:
        RuntimeError: dynamic mode is on, or the name is taken.
        ValueError: the shape has unknown sizes, or the number does not fit the dtype.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main, startup = paddle.static.Program(), paddle.static.Program()
            with paddle.static.program_guard(main, startup):
                steps = paddle.static.create_global_var([1], 3, "int64", persistable=True)
            exe = paddle.static.Executor()
            exe.run(startup)
            print(exe.run(main, fetch_list=[steps]))  # [array([3])]
            paddle.disable_static()
    """
    api = "static.create_global_var"
    if not recording():
        raise PreconditionNotMetError(
            f"paddle.{api} adds to a static Program, but dynamic mode is on.",
            hint="call paddle.enable_static() first, or use paddle.full",
        )
    sizes = check_shape(shape)
    kind = to_vartype(dtype)
    number = _number(api, value, kind)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{api}(name): expected a str or None, but received {name!r}.")
    block = default_main_program().global_block()
    if name is not None and block.has_var(name):
        raise AlreadyExistsError(
            f"{api}(name): the Program has a variable {name!r} already; expected a new name."
        )
    name = unique_name.generate("_generated_var") if name is None else name
    made = block.create_var(
        name=name, shape=sizes, dtype=kind, persistable=bool(persistable), stop_gradient=True
    )
    fill(made, number, bool(force_cpu))
    return made


def fill(var: Variable, value: float, force_cpu: bool = False) -> None:
    """Lets the startup Program fill a variable of the main Program with one number."""
    startup = default_startup_program().global_block()
    target = startup.clone_with_kind(var)
    attrs = {"shape": list(var.shape), "dtype": int(var.dtype), "value": float(value)}
    attrs |= {"str_value": constants.digits(value), "force_cpu": force_cpu}
    if startup.program.of_1x:
        attrs["str_value"] = ""
    write(target, "fill_constant", [], attrs, startup)
    if startup.program.of_1x:
        startup.ops.insert(0, startup.ops.pop())
        startup.program.note_change()


def _number(api: str, value: Any, kind: VarType) -> float:
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{api}(value): expected a number, but received {type(value).__name__}.")
    whole = dtype_name(kind).startswith(("int", "uint", "bool"))
    if whole and not (math.isfinite(value) and float(value).is_integer()):
        raise InvalidArgumentError(
            f"{api}(value): expected an integer for dtype {dtype_name(kind)}, but received {value}."
        )
    return value  # type: ignore[return-value]  # as it is: an integer stays exact


guard_module(globals())
