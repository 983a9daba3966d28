"""Make a parameter from what a layer's author and its user say about it."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import FLOATING, dtype_name, get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.tensor import Parameter
from paddle.framework.param_attr import ParamAttr
from paddle.nn.initializer.constant import Constant
from paddle.nn.initializer.default import global_initializer
from paddle.nn.initializer.fan_scaled import XavierUniform


def make_parameter(
    shape: Sequence[int],
    attr: Any,
    dtype: Any,
    is_bias: bool,
    default_initializer: Any,
    prefix: str,
) -> Parameter | None:
    """Makes a parameter and fills it; in static mode both are recorded.

    The initializer is the first there is of: the attr's, the global one, the layer's default,
    Constant(0) for a bias and XavierUniform for a weight.

    Args:
        shape (list[int]): its shape; ``[]`` gives ``[1]``.
        attr: whatever ``ParamAttr._to_attr`` takes.
        dtype: its data type; None means the default one.
        is_bias (bool): whether it is a bias.
        default_initializer (Initializer|None): the layer's default.
        prefix (str): the owner's name; the parameter is ``prefix.w_0`` or ``prefix.b_0``.

    Returns:
        Parameter, or None where ``attr`` is False.
    """
    given = ParamAttr._to_attr(attr)
    if given is False:
        return None
    build = getattr(given, "_build", None)
    if build is not None:  # an attr that puts the parameter together from others
        return build(shape, dtype, is_bias, default_initializer, prefix)
    if isinstance(given, list):
        raise TypeError("create_parameter(attr): expected one ParamAttr, but received a list.")
    if default_initializer is not None and not callable(default_initializer):
        raise TypeError(
            "create_parameter(default_initializer): expected an Initializer or None, "
            f"but received {type(default_initializer).__name__}."
        )
    kind = to_vartype(get_default_dtype() if dtype is None else dtype)
    init = given.initializer or global_initializer(is_bias) or default_initializer
    if init is None:
        if kind not in FLOATING:
            raise TypeError(
                "create_parameter: a default initializer exists for float16, float32, float64 and "
                f"bfloat16 only, but dtype is {dtype_name(kind)}; give default_initializer."
            )
        init = Constant(0.0) if is_bias else XavierUniform()
    options = {
        "trainable": given.trainable,
        "optimize_attr": {"learning_rate": given.learning_rate},
        "regularizer": given.regularizer,
        "need_clip": given.need_clip,
        "do_model_average": given.do_model_average,
    }
    if recording():
        name = given.name or unique_name.generate(f"{prefix}.b" if is_bias else f"{prefix}.w")
        return _recorded(check_shape(shape), kind, name, init, options)
    made = Parameter(check_shape(shape), kind, name=_name(given.name, prefix, is_bias), **options)
    init(made, None)
    if given.name:
        _living_names()[given.name] = made
    return made


def _recorded(shape: list[int], kind: Any, name: str, init: Any, options: dict[str, Any]) -> Any:
    """A parameter of the default main Program, filled by the startup Program.

    As in PaddlePaddle, a name that exists already means that very parameter.
    """
    from paddle.ir.current import default_main_program, default_startup_program

    startup = default_startup_program().global_block()
    known = startup.has_var(name)
    startup.create_parameter(shape, kind, name=name, initializer=None if known else init, **options)
    return default_main_program().global_block().create_parameter(shape, kind, name=name, **options)


def check_shape(shape: Any) -> list[int]:
    """Returns a parameter's shape as a list of ints, or raises naming what is wrong."""
    if isinstance(shape, (int, np.integer)) and not isinstance(shape, bool):
        shape = [shape]
    if isinstance(shape, (str, bytes)) or not hasattr(shape, "__iter__"):
        raise TypeError(
            "create_parameter(shape): expected a list of ints, "
            f"but received {type(shape).__name__} {shape!r}."
        )
    sizes = []
    for size in shape:
        if isinstance(size, (bool, float, str)) or not hasattr(size, "__index__"):
            raise TypeError(
                "create_parameter(shape): expected a list of ints, "
                f"but it holds {type(size).__name__} {size!r}."
            )
        sizes.append(int(size))
    if any(size < 0 for size in sizes):
        raise InvalidArgumentError(
            f"create_parameter(shape): expected sizes >= 0, but received {sizes}."
        )
    return sizes or [1]


def _name(wanted: str | None, prefix: str, is_bias: bool) -> str:
    if wanted is None:
        return unique_name.generate(f"{prefix}.b" if is_bias else f"{prefix}.w")
    if wanted in _living_names():
        raise ValueError(
            f"create_parameter(attr): there is a parameter named {wanted!r} already; expected a "
            "new name, because optimizers and saved files tell parameters apart by it."
        )
    return wanted


def _living_names() -> weakref.WeakValueDictionary[str, Parameter]:
    """Parameters that were given a name, as long as they live; unique_name.guard starts anew."""
    current: Any = unique_name.current()
    found = current.__dict__.get("parameters")
    if found is None:
        found = current.parameters = weakref.WeakValueDictionary()
    return found
