"""Element by element, and over dimensions, where a number may be a Tensor or several operators."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.user_frame import outside
from paddle.fluid.layers import rows
from paddle.fluid.layers.common import API, check_value, is_static, is_value, listed
from paddle.fluid.layers.losses import _math
from paddle.fluid.layers.results import recorded, stored
from paddle.fluid.layers.variable_making import assign
from paddle.incubate.layer_helper import LayerHelper
from paddle.tensor.inplace import replace

__all__ = [
    "addcmul", "clamp", "increment", "log_softmax", "logsumexp", "maxout", "pow", "rank", "scale",
    "sums", "swish",
]  # fmt: skip


def scale(
    x: Any, scale: Any = 1.0, bias: float = 0.0, bias_after_scale: bool = True, act: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Multiplied by a number, and another one added before or after that.

    Args:
        x (Variable): the elements.
        scale (float|Variable): the factor. Default: 1.
        bias (float): what is added. Default: 0.
        bias_after_scale (bool): after multiplying. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): what the results are named after.

    Returns:
        Variable: of the shape of x.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.scale(x, 2.0, bias=1.0).name)  # scale_0.tmp_0
            paddle.disable_static()
    """
    helper = LayerHelper("scale", act=act, name=name)
    attrs = {"bias": float(bias), "bias_after_scale": bool(bias_after_scale)}
    if is_value(scale):
        made = helper.call("scale", x, scale, **attrs)
    else:
        made = helper.call("scale", x, None, scale=float(scale), **attrs)
    return helper.append_activation(made)


def pow(x: Any, factor: Any = 1.0, name: str | None = None) -> Any:
    """Each element to a power.

    Args:
        x (Variable): the elements.
        factor (float|Variable): the exponent. Default: 1.
        name (str, optional): what the result is named after.

    Returns:
        Variable: of the shape of x.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.pow(x, factor=2.0).shape)  # (2, 3)
    """
    helper = LayerHelper("pow", name=name)
    if is_value(factor):
        factor.stop_gradient = True
        return helper.call("pow", x, factor)
    return helper.call("pow", x, None, factor=float(factor))


def sums(input: Any, out: Any = None) -> Any:
    """Adds Tensors up, element by element.

    Args:
        input (list[Variable]): of the same shape.
        out (Variable, optional): takes the result.

    Returns:
        Variable: the sum.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.sums([x, x]).name)  # sum_0.tmp_0
            paddle.disable_static()
    """
    given = listed(input)
    if out is not None and is_static():
        return recorded(out, "sum", [given], {})
    return stored(out, LayerHelper("sum").call("sum", given))


def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """Adds a number to a Tensor of one element.

    Args:
        x (Variable): ``[1]``.
        value (float): what is added. Default: 1.
        in_place (bool): the result is in x itself. Default: True.

    Returns:
        Variable: x, or a new one.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                step = fluid.data("step", [1])
                print(fluid.layers.increment(step).shape)  # (1,)
    """
    check_value("increment", "x", x)
    if not in_place:
        return LayerHelper("increment").call("increment", x, step=float(value))
    if is_static():
        return recorded(x, "increment", [x], {"step": float(value)})
    return replace(x, C.increment(x, step=float(value)))


def clamp(
    input: Any, min: Any = None, max: Any = None, output: Any = None, name: str | None = None
) -> Any:
    """Elements below or above a bound become that bound.

    Args:
        input (Variable): the elements.
        min (float|Variable, optional): the lower bound.
        max (float|Variable, optional): the upper bound.
        output (Variable, optional): takes the result.
        name (str, optional): what the result is named after.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: no bound.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.clamp(x, min=0.0, max=1.0).shape)  # (2, 3)
    """
    if min is None and max is None:
        raise InvalidArgumentError(f"{API}clamp: expected min or max, but received neither.")
    attrs, operands = {}, [input, None, None]
    for at, (key, bound, none) in enumerate((("min", min, -np.inf), ("max", max, np.inf)), 1):
        if is_value(bound):
            operands[at] = bound
            attrs[key] = float(none)
        else:
            attrs[key] = float(none if bound is None else bound)
    if output is not None and is_static():
        return recorded(output, "clip", operands, attrs)
    return stored(output, LayerHelper("clamp", name=name).call("clip", *operands, **attrs))


def addcmul(
    input: Any, tensor1: Any, tensor2: Any, value: float = 1.0, out: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """``input + tensor1 * tensor2 * value``.

    Args:
        input (Variable): what is added to.
        tensor1 (Variable): a factor.
        tensor2 (Variable): a factor.
        value (float): a factor. Default: 1.
        out (Variable, optional): takes the result.
        name (str, optional): has no effect: the results are named after their operators.

    Returns:
        Variable: the sum.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                print(fluid.layers.addcmul(x, y, y, value=0.5).shape)  # (2, 3)
    """
    product = rows.find("elementwise_mul")(tensor1, tensor2)
    product = _math("scale", product, None, scale=float(value))
    made = rows.find("elementwise_add")(input, product)
    return made if out is None else assign(made, out)


def log_softmax(input: Any, axis: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """The logarithm of the softmax.

    Args:
        input (Variable): scores.
        axis (int, optional): the dimension of the classes; None means the last.
        dtype (str, optional): the input is converted to it first.
        name (str, optional): what the results are named after.

    Returns:
        Variable: of the input's shape.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.log_softmax(x).shape)  # (2, 3)
    """
    if dtype is not None:
        input = rows.find("cast")(input, dtype)
    helper = LayerHelper("log_softmax", name=name)
    probabilities = helper.call("softmax", input, axis=-1 if axis is None else axis)
    return helper.call("log", probabilities)


def logsumexp(
    x: Any, dim: Any = None, keepdim: bool = False, out: Any = None, name: str | None = None
) -> Any:
    """The logarithm of the sum of exponentials.

    Args:
        x (Variable): the exponents.
        dim (int|list[int], optional): the dimensions summed over; None: all.
        keepdim (bool): they stay, of size 1. Default: False.
        out (Variable, optional): takes the result.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the logarithms.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.logsumexp(x, dim=1).shape)  # (2,)
    """
    summed = rows.find("reduce_sum")(rows.find("exp")(x), dim=dim, keep_dim=keepdim)
    if out is not None:
        return assign(rows.find("log")(summed, name=name), out)
    return rows.find("log")(summed, name=name)


def rank(input: Any) -> Any:
    """The number of dimensions, as a Tensor.

    Args:
        input (Variable): any.

    Returns:
        Variable: int32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                batch = fluid.data("batch", [2, 3, 4])
                print(fluid.layers.rank(batch).shape)  # (1,)
    """
    return assign(np.array(len(check_value("rank", "input", input).shape), "int32"))


def maxout(x: Any, groups: int, name: str | None = None, axis: int = 1) -> Any:
    """The largest of each group of channels.

    Args:
        x (Variable): of 4 dimensions.
        groups (int): how many channels become one.
        name (str, optional): what the result is named after.
        axis (int): the dimension of the channels: 1, 3 or -1. Default: 1.

    Returns:
        Variable: of so many times less channels.

    Raises:
        ValueError: another axis.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.maxout(image, 2).shape)  # (2, 4, 6, 6)
    """
    if axis not in (1, 3, -1):
        raise InvalidArgumentError(
            f"{API}maxout(axis): expected 1, 3 or -1, but received {axis!r}."
        )
    helper = LayerHelper("maxout", name=name)
    return helper.call("maxout", x, groups=groups, axis=3 if axis == -1 else axis)


def swish(x: Any, beta: float = 1.0, name: str | None = None) -> Any:
    r"""The activation :math:`x \cdot \sigma(x)`.

    Args:
        x (Variable): the elements.
        beta (float): 1.8 takes it and computes with 1 all the same, and so does this function,
            with a warning; ``fluid.layers.sigmoid(beta * x) * x`` says what is meant. Default: 1.
        name (str, optional): what the result is named after.

    Returns:
        Variable: of the shape of x.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.swish(x).shape)  # (2, 3)
    """
    if beta != 1.0:
        warnings.warn(
            f"fluid.layers.swish(beta={beta}): as in 1.8 the result is that of beta=1; "
            "write fluid.layers.sigmoid(beta * x) * x for another.",
            stacklevel=outside(),
        )
    return LayerHelper("swish", name=name).call("swish", x)


guard_module(globals())
