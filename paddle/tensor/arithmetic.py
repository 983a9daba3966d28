"""Arithmetic of two tensors, element by element with broadcasting, and of a tensor and numbers."""

from __future__ import annotations

from numbers import Number, Real
from typing import Any

import numpy as np

from paddle.core.docstrings import Template
from paddle.core.dtype import to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guarded
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable, wrong_type
from paddle.tensor.inplace import replace

__all__ = [
    "add", "add_n", "broadcast_shape", "cast", "clip", "divide", "floor_divide",
    "floor_mod", "increment", "maximum", "minimum", "mod", "multiplex", "multiply", "pow",
    "remainder", "scale", "subtract",
]  # fmt: skip

_LARGEST = float(np.finfo(np.float32).max)  # stands for "no bound" in the operator clip

binary = Template(
    """
    import paddle
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    y = paddle.to_tensor([4.0, 5.0, 6.0])
    print(paddle.{name}(x, y).numpy())  # {}
    """,
    returns="Tensor: of the shape both broadcast to.",
    x="the first operand; its type is that of the result.",
    y="the second operand, of a shape that broadcasts with the first.",
)


@binary("[5. 7. 9.]")
def add(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the sum of two Tensors, element by element: :math:`x + y`."""
    return C.elementwise_add(x, y)


@binary("[-3. -3. -3.]")
def subtract(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the difference of two Tensors, element by element: :math:`x - y`."""
    return C.elementwise_sub(x, y)


@binary("[ 4. 10. 18.]")
def multiply(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the product of two Tensors, element by element: :math:`x \cdot y`."""
    return C.elementwise_mul(x, y)


@binary("[0.25 0.4 0.5]")
def divide(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the quotient of two Tensors, element by element: :math:`x / y`.

    Integers give integers, rounded toward zero; the operator ``/`` gives floats.
    """
    return C.elementwise_div(x, y)


@binary("[0. 0. 0.]")
def floor_divide(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the integer quotient of two Tensors, element by element.

    As in all of PaddlePaddle 2.0 the quotient is rounded toward zero, not down.
    """
    return C.elementwise_floordiv(x, y)


@binary("[1. 2. 3.]")
def mod(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the remainder of two Tensors, element by element.

    It is :math:`x - y \lfloor x / y \rfloor`. A result that is not 0 has the sign of ``y``.
    """
    return C.elementwise_mod(x, y)


@binary("[4. 5. 6.]")
def maximum(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the greater value of two Tensors, element by element: :math:`\max(x, y)`.

    NaN where either is NaN; for equal values the gradient goes to ``y``.
    """
    return C.elementwise_max(x, y)


@binary("[1. 2. 3.]")
def minimum(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the smaller value of two Tensors, element by element: :math:`\min(x, y)`.

    NaN where either is NaN; for equal values the gradient goes to ``y``.
    """
    return C.elementwise_min(x, y)


remainder = floor_mod = mod


def pow(x: Tensor, y: float | Tensor, name: str | None = None) -> Tensor:
    """Returns :math:`x^y` element by element.

    Args:
        x (Tensor): the base.
        y (float|int|Tensor): the exponent. A number is converted to the type of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the type of ``x``.

    Raises:
        TypeError: ``y`` is neither a number nor a Tensor.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0, 3.0])
            print(paddle.pow(x, 2).numpy())  # [1. 4. 9.]
            print(paddle.pow(x, paddle.to_tensor([3.0])).numpy())  # [ 1.  8. 27.]
    """
    if isinstance(y, (int, float)):
        return C.pow(x, factor=y)
    if isinstance(y, (np.integer, np.floating)):
        return C.pow(x, factor=y.item())
    if isinstance(y, Tensor) or is_variable(y):
        return C.elementwise_pow(x, y)
    raise wrong_type("pow", "y", y, "a number or a Tensor")


def add_n(inputs: Tensor | list[Tensor], name: str | None = None) -> Tensor:
    """Returns the sum of several Tensors of one shape.

    Args:
        inputs (list[Tensor]|tuple[Tensor]|Tensor): what to add; a single Tensor gives a copy.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the same shape.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            print(paddle.add_n([x, x, x]).numpy())  # [3. 6.]
    """
    if isinstance(inputs, Tensor) or is_variable(inputs):
        inputs = [inputs]  # type: ignore[list-item]  # is_variable: no list
    return C.sum(inputs)


def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, value: float = 1.0, name: str | None = None
) -> Tensor:
    """Returns ``input + value * tensor1 * tensor2``, element by element with broadcasting.

    Args:
        input (Tensor): the summand.
        tensor1 (Tensor): the first factor.
        tensor2 (Tensor): the second factor.
        value (float, optional): a factor for the product. Default: 1.0.
        name (str, optional): has no effect.

    Returns:
        Tensor: the result.

    Examples:
        .. code-block:: python

            import paddle
            one, two = paddle.ones([2]), paddle.full([2], 2.0)
            print(paddle.tensor.math.addcmul(one, two, two, value=0.5).numpy())  # [3. 3.]
    """
    product = C.elementwise_mul(tensor1, tensor2)
    if value != 1:
        product = C.scale(product, scale=value)
    return C.elementwise_add(input, product)


def scale(
    x: Tensor,
    scale: float | Tensor = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns ``x * scale + bias``, or ``(x + bias) * scale``.

    Args:
        x (Tensor): of any numeric type; an integer Tensor takes the integer parts of the numbers.
        scale (float|Tensor, optional): the factor, a number or a Tensor of one element.
        bias (float, optional): what is added.
        bias_after_scale (bool, optional): False adds before multiplying.
        act (str, optional): name of an activation that is applied to the result.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            print(paddle.scale(x, 2.0, bias=1.0).numpy())  # [3. 5.]
            print(paddle.scale(x, 2.0, 1.0, bias_after_scale=False).numpy())  # [4. 6.]
    """
    if isinstance(scale, Tensor) or is_variable(scale):
        out = C.scale(x, scale, bias=bias, bias_after_scale=bias_after_scale)
    else:
        if type(scale) is not float and not isinstance(scale, Number):
            raise wrong_type("scale", "scale", scale, "a number or a Tensor")
        out = C.scale(x, scale=scale, bias=bias, bias_after_scale=bias_after_scale)
    return out if act is None else _activation(act)(out)


def _activation(act: Any) -> Any:
    found = getattr(C, act, None) if isinstance(act, str) else None
    if found is None:
        raise wrong_type("scale", "act", act, "the name of an activation operator, such as 'relu'")
    return found


def clip(
    x: Tensor,
    min: float | Tensor | None = None,
    max: float | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns every element moved into ``[min, max]``. Outside, and on the ends, the gradient is 0.

    Args:
        x (Tensor): of a floating type or integers.
        min (float|int|Tensor, optional): the lower end; None means there is none.
        max (float|int|Tensor, optional): the upper end; None means there is none.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([-1.0, 0.5, 3.0])
            print(paddle.clip(x, 0.0, 1.0).numpy())  # [0.  0.5 1. ]
            print(paddle.clip(x, max=1.0).numpy())  # [-1.   0.5  1. ]
    """
    low, low_tensor = _end(min, "min", -_LARGEST)
    high, high_tensor = _end(max, "max", _LARGEST)
    return C.clip(x, low_tensor, high_tensor, min=low, max=high)


def _end(value: Any, arg: str, none: float) -> tuple[Any, Any]:
    """Splits an end of clip into the attribute and the tensor that overrides it."""
    if value is None:
        return none, None
    if isinstance(value, Tensor) or is_variable(value):
        return none, value
    if isinstance(value, (Real, np.number)):
        return value, None
    raise wrong_type("clip", arg, value, "a number or a Tensor of one element")


def increment(x: Tensor, value: float = 1.0, name: str | None = None) -> Tensor:
    """Adds a number to a Tensor of one element, in place: for counters of loops.

    Args:
        x (Tensor): of one element; it is changed.
        value (float, optional): what is added; an integer Tensor takes its integer part.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``x``.

    Raises:
        ValueError: ``x`` has another number of elements.

    Examples:
        .. code-block:: python

            import paddle
            count = paddle.zeros([1])
            paddle.increment(count)
            print(count.numpy())  # [1.]
    """
    if any(n not in (1, -1) for n in getattr(x, "shape", ())):
        raise InvalidArgumentError(
            f"increment(x): expected a Tensor of one element, but received shape {list(x.shape)}."
        )
    if recording():
        from paddle.ir.recording.lowering import write

        try:
            step = float(value)
        except (TypeError, ValueError):
            raise wrong_type("increment", "value", value, "a number") from None
        return write(x, "increment", [x], {"step": step})
    return replace(x, C.increment(x, step=value))


def cast(x: Tensor, dtype: Any) -> Tensor:
    """Returns a Tensor converted to another data type.

    Floats lose their fraction on the way to integers; everything but 0 becomes True.

    Args:
        x (Tensor): the values.
        dtype (str|np.dtype|VarType): the new type.

    Returns:
        Tensor: of the shape of ``x``; always a new Tensor. Gradients are converted back.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.7, 0.0])
            print(paddle.cast(x, "int32").numpy())  # [1 0]
            print(paddle.cast(x, "bool").numpy())  # [ True False]
    """
    if not hasattr(x, "stop_gradient"):
        raise wrong_type("cast", "x", x, "a Tensor")
    return C.cast(x, in_dtype=int(x.dtype), out_dtype=int(to_vartype(dtype)))


def multiplex(inputs: list[Tensor], index: Tensor, name: str | None = None) -> Tensor:
    """Takes every row of the result from one of several Tensors.

    Args:
        inputs (list[Tensor]): at least two candidates of one shape ``[rows, ...]``.
        index (Tensor): of shape ``[rows, 1]``, int32 or int64: which candidate gives row i.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of a candidate.

    Raises:
        ValueError: an index is not that of a candidate, or shapes differ.

    Examples:
        .. code-block:: python

            import paddle
            a = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            b = paddle.to_tensor([[5.0, 6.0], [7.0, 8.0]])
            index = paddle.to_tensor([[1], [0]])
            print(paddle.multiplex([a, b], index).numpy())  # [[5. 6.] [3. 4.]]
    """
    return C.multiplex(inputs, index)


@guarded
def broadcast_shape(x_shape: list[int], y_shape: list[int]) -> list[int]:
    """Returns the shape that Tensors of two shapes broadcast to.

    Args:
        x_shape (list[int]|tuple[int]): one shape.
        y_shape (list[int]|tuple[int]): the other.

    Returns:
        list[int]: the common shape.

    Raises:
        ValueError: the shapes do not fit.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.broadcast_shape([2, 1, 3], [1, 3, 1]))  # [2, 3, 3]
    """
    if hasattr(x_shape, "shape"):  # as a method: x.broadcast_shape([3, 1])
        x_shape = x_shape.shape
    from paddle.core.infer import broadcast_shapes

    return list(broadcast_shapes(tuple(x_shape), tuple(y_shape)))
