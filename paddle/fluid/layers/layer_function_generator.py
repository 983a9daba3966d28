"""fluid.layers.layer_function_generator: layers made of an operator's name."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import computed, py
from paddle.core.user_frame import outside
from paddle.fluid.layers.compiling import snake
from paddle.incubate.layer_helper import LayerHelper

__all__ = ["autodoc", "deprecated", "generate_activation_fn", "generate_layer_fn", "templatedoc"]


def _operator(api: str, op_type: str) -> Any:
    found = computed(op_type)
    if found is None:
        raise InvalidArgumentError(f"{api}(op_type): there is no operator {op_type!r}.")
    return found


def generate_layer_fn(op_type: str) -> Callable:
    """Makes a layer of an operator: its arguments are the slots in small letters and attributes.

    Args:
        op_type (str): the operator; it has one output that is no intermediate result.

    Returns:
        callable: the layer; it takes ``name`` and ``act`` too.

    Raises:
        ValueError: there is no such operator.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            from paddle.fluid.layers.layer_function_generator import generate_layer_fn
            x = fluid.data("x", [None, 3])
            print(generate_layer_fn("clip_by_norm")(x=x, max_norm=1.0).shape)  # (-1, 3)
            paddle.disable_static()
    """
    op = _operator("generate_layer_fn", op_type)
    slots = {name: slot for slot in op.inputs for name in (slot.name, snake(slot.name))}

    def layer(*args: Any, **kwargs: Any) -> Any:
        helper = LayerHelper(op_type, act=kwargs.pop("act", None), name=kwargs.pop("name", None))
        given = dict(zip((slot.name for slot in op.inputs), args, strict=False))
        attrs = {}
        for key, value in kwargs.items():
            if key in slots:
                given[slots[key].name] = value
            elif key in op.attrs:
                attrs[py(key)] = value
            else:
                raise TypeError(f"{op_type}({key}): expected one of {sorted([*slots, *op.attrs])}.")
        operands = []
        for slot in op.inputs:
            value = given.get(slot.name)
            many = slot.many and value is not None and not isinstance(value, (list, tuple))
            operands.append([value] if many else value)
        made = helper.call(op_type, *operands, **attrs)
        first = made[0] if isinstance(made, tuple) else made
        return helper.append_activation(first)

    layer.__name__ = layer.__qualname__ = op_type
    layer.__doc__ = f"The layer of the operator ``{op_type}``."
    return layer


def generate_activation_fn(op_type: str) -> Callable:
    """Makes a layer of an operator of one input.

    Args:
        op_type (str): the operator.

    Returns:
        callable: the layer, ``(x, name=None)``.

    Raises:
        ValueError: there is no such operator.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            from paddle.fluid.layers.layer_function_generator import generate_activation_fn
            x = fluid.data("x", [None, 3])
            print(generate_activation_fn("tanh")(x).name)  # tanh_0.tmp_0
            paddle.disable_static()
    """
    op = _operator("generate_activation_fn", op_type)

    def layer(x: Any, name: str | None = None) -> Any:
        rest = [None] * (len(op.inputs) - 1)
        made = LayerHelper(op_type, name=name).call(op_type, x, *rest)
        return made[0] if isinstance(made, tuple) else made

    layer.__name__ = layer.__qualname__ = op_type
    layer.__doc__ = f"The activation of the operator ``{op_type}``."
    return layer


def deprecated(func_or_class: Callable) -> Callable:
    """Lets a function or class warn when it is called.

    Args:
        func_or_class (callable): what goes out of use.

    Returns:
        callable: the same with a warning.
    """

    @functools.wraps(func_or_class)
    def called(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"API {func_or_class.__name__} is deprecated since 2.0.0.", DeprecationWarning,
            stacklevel=outside(),
        )  # fmt: skip
        return func_or_class(*args, **kwargs)

    return called


def autodoc(comment: str = "") -> Callable:
    """A decorator that puts a comment and the operator's description into a docstring.

    Args:
        comment (str): the comment. Default: empty.

    Returns:
        callable: the decorator.
    """

    def described(function: Callable) -> Callable:
        function.__doc__ = comment + (function.__doc__ or f"The layer ``{function.__name__}``.")
        return function

    return described


def templatedoc(op_type: str | None = None) -> Callable:
    """A decorator that fills ``${comment}``, ``${x_comment}``, ``${x_type}`` of a docstring.

    Args:
        op_type (str, optional): the operator; None means the one of the function's name.

    Returns:
        callable: the decorator.
    """

    def described(function: Callable) -> Callable:
        kind = function.__name__ if op_type is None else op_type
        text = (function.__doc__ or "").replace("${comment}", f"The operator ``{kind}``.")
        op = computed(kind)
        for slot in [*op.inputs, *op.outputs] if op else ():
            for name in {slot.name, snake(slot.name)}:
                text = text.replace(f"${{{name}_comment}}", f"{slot.name} of the operator")
                text = text.replace(f"${{{name}_type}}", "Variable")
        for name in op.attrs if op else ():
            text = text.replace(f"${{{name}_comment}}", f"attribute {name} of the operator")
            text = text.replace(f"${{{name}_type}}", "a number, a text or a list")
        function.__doc__ = text
        return function

    return described
