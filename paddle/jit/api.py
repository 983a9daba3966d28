"""to_static and not_to_static."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getattr_static
from types import FunctionType
from typing import Any

from paddle.jit.calls.matching import check_input_spec
from paddle.jit.calls.static_function import StaticFunction
from paddle.nn.layer.layers import Layer

NOT_CONVERTED = "__not_to_static__"  # the mark of a function that stays as it is


def to_static(function: Any = None, input_spec: Any = None) -> Any:
    """Makes a function run as a static Program, Python's control flow included.

    As a decorator of functions and methods it is written with or without arguments. Given a
    Layer, it converts the Layer's ``forward`` and returns the Layer.

    An :class:`paddle.static.InputSpec` with None in its shape stands for Tensors of all sizes
    there; they share one Program. Where it has no name it gets that of the argument.

    Args:
        function (callable|Layer, optional): what is converted; None makes a decorator.
        input_spec (list|tuple, optional): for each argument an InputSpec, a Tensor or an array like
            those that will be given, another Python value, or a list, tuple or dict of these,
            nested as the argument is. Arguments with defaults may be left out.

    Returns:
        StaticFunction, or the Layer, or a decorator.

    Raises:
        TypeError: ``function`` cannot be called, or ``input_spec`` is no list or tuple.
        ValueError: ``input_spec`` has too many entries or not enough.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.static import InputSpec

            @paddle.jit.to_static
            def positive(x):
                if x.mean() < 0:
                    x = -x
                return x

            print(positive(paddle.full([2], -1.0)).numpy())  # [1. 1.]

            net = paddle.jit.to_static(paddle.nn.Linear(10, 3), [InputSpec([None, 10])])
            print(net(paddle.ones([2, 10])).shape)  # [2, 3]
            print(net(paddle.ones([5, 10])).shape, len(net.forward.program_cache))  # [5, 3] 1
    """
    check_input_spec("to_static", input_spec)
    return Decorator(input_spec) if function is None else _converted(function, input_spec)


class Decorator:
    """What ``to_static(input_spec=...)`` returns: it converts what it is given.

    Args:
        input_spec (list|tuple|None): for what is converted.
    """

    is_decorator = True  # StaticFunction refuses it by this

    def __init__(self, input_spec: Any) -> None:
        self.input_spec = input_spec

    def __call__(self, function: Any) -> Any:
        """Converts a function, a method or a Layer."""
        return _converted(function, self.input_spec)


def _converted(function: Any, input_spec: Any = None) -> Any:
    if isinstance(function, Layer):
        forward = _converted(function.forward, input_spec)
        forward._kept = None  # the Layer holds its method, not also the other way round
        setattr(function, "forward", forward)
        return function
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_converted(function.__func__, input_spec))
    if isinstance(function, StaticFunction):
        if input_spec is None:
            return function
        made = StaticFunction(function._function, input_spec, function._owner())
        made._kept = function._kept
        return made
    if isinstance(function, type) or not callable(function):
        what = f"the class {function.__name__}" if isinstance(function, type) else repr(function)
        raise TypeError(
            f"to_static(function): expected a function, a method or a Layer, but received {what}."
        )
    instance = getattr(function, "__self__", None)
    plain = getattr(function, "__func__", None)
    if plain is None and isinstance(getattr_static(type(function), "__call__", None), FunctionType):
        instance, plain = function, type(function).__call__  # an object that can be called
    if plain is None or instance is None:
        return StaticFunction(function, input_spec)
    if isinstance(plain, StaticFunction):  # a classmethod of one
        plain = plain._function
    made = StaticFunction(plain, input_spec, instance)
    made._kept = instance
    return made


def not_to_static(func: Callable | None = None) -> Any:
    """Leaves a function as it is when converted code calls it.

    Args:
        func (callable, optional): the function; None makes a decorator.

    Returns:
        callable: the function itself, marked, or a decorator.

    Raises:
        TypeError: ``func`` cannot be called.

    Examples:
        .. code-block:: python

            import paddle

            @paddle.jit.not_to_static
            def twice(x):
                return x * 2

            @paddle.jit.to_static
            def both(x):
                return twice(x) + 1

            print(both(paddle.ones([2])).numpy())  # [3. 3.]
    """
    if func is None:
        return not_to_static
    if not callable(func):
        raise TypeError(f"not_to_static(func): expected a function, but received {func!r}.")
    try:
        setattr(getattr(func, "__func__", func), NOT_CONVERTED, True)
    except (AttributeError, TypeError):  # built in, so never converted
        pass
    return func


__all__ = ["not_to_static", "to_static"]
