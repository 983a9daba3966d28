"""What all initializers share: the base class, fan computation and filling a parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from paddle.core.dtype import FLOATING, VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable


class Initializer(Guarded):
    """Base of everything that gives a parameter its first value.

    An initializer is called with the parameter and fills it. To write one, subclass this and
    override ``__call__(var, block=None)``.

    Examples:
        .. code-block:: python

            import paddle

            class Ramp(paddle.nn.initializer.Initializer):
                def __call__(self, var, block=None):
                    var.set_value(paddle.arange(var.size, dtype=var.dtype).reshape(var.shape))

            layer = paddle.nn.Linear(2, 2, weight_attr=Ramp())
            print(layer.weight.numpy().tolist())  # [[0.0, 1.0], [2.0, 3.0]]
    """

    _makes_new = True  # whether nobody else holds what _value returns
    _first_in_1x = True  # whether it is recorded at the beginning of a startup Program of 1.x
    _computes = False  # whether _value computes numbers itself instead of calling one operator

    def __call__(self, var: Tensor, block: Any = None) -> None:
        """Fills a parameter.

        Args:
            var (Tensor|Variable): what to fill; shape and data type stay.
            block (Block, optional): where the operator for a Variable goes; None means the default
                startup Program. Not needed for a Tensor.
        """
        if isinstance(var, Variable):
            from paddle.nn.initializer.recorded import record

            record(self, var, block)
            return
        if not isinstance(var, Tensor):
            raise TypeError(
                f"{type(self).__name__}(var): expected a Tensor to fill, "
                f"but received {type(var).__name__}."
            )
        with no_grad():
            value = self._value(var.shape, var.dtype)
        if self._makes_new:
            take_over(var, value)
        else:
            var.set_value(value)

    def _value(self, shape: list[int], dtype: VarType) -> Any:
        """Makes the value for a parameter of this shape and type: a Tensor or a NumPy array."""
        raise NotImplementedError(
            f"{type(self).__name__} must override __call__(var, block=None), which fills var."
        )

    def __repr__(self) -> str:
        given = ", ".join(f"{k.lstrip('_')}={v!r}" for k, v in self.__dict__.items())
        return f"{type(self).__name__}({given})"


def take_over(var: Tensor, value: Any) -> None:
    """Makes ``value`` the contents of ``var``, without a copy where its buffer fits as it is."""
    if (
        isinstance(value, Tensor)
        and value._dt is var._dt
        and var._family is None
        and value._buf.shape == var._buf.shape
        and value._buf.device == var._buf.device
    ):
        var._rebind(value._buf)
    else:
        var.set_value(value)


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Returns (fan_in, fan_out) of a weight.

    A matrix is ``[in, out]`` as in Linear; with more dimensions it is ``[out, in, *kernel]`` as in
    the convolutions, and every position of the kernel counts. A vector has its length as both.

    Args:
        shape (list[int]): the weight's shape.
    """
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def number(where: str, value: Any, *, least: float | None = None) -> float:
    """Checks a number given to an initializer and returns it as a float.

    Args:
        where (str): function and argument, for the error's text.
        value: what the user gave.
        least (float): the smallest value allowed.
    """
    try:
        checked = float(value) if not isinstance(value, (str, bytes)) else None
    except (TypeError, ValueError):
        checked = None
    if checked is None:
        raise TypeError(f"{where}: expected a number, but received {type(value).__name__}.")
    if math.isnan(checked) or (least is not None and checked < least):
        wanted = "a number" if least is None else f"a number >= {least:g}"
        raise InvalidArgumentError(f"{where}: expected {wanted}, but received {checked}.")
    return checked


def optional_fan(where: str, value: Any) -> float | None:
    """Checks a fan that replaces the computed one; it has to be positive."""
    if value is None:
        return None
    checked = number(where, value)
    if checked <= 0:
        raise InvalidArgumentError(f"{where}: expected a number > 0 or None, got {checked}.")
    return checked


def floating(init: Initializer, dtype: VarType) -> int:
    """Returns the code of a floating type; random values need one."""
    if dtype not in FLOATING:
        raise InvalidArgumentError(
            f"{type(init).__name__}: expected a parameter of a floating type, "
            f"but it is {dtype_name(dtype)}.",
            hint="use Constant or Assign for integers",
        )
    return int(dtype)
