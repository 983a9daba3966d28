"""Layers over sequences of rows: those of ``paddle.static.nn``, and what only 1.x has."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.variable import Variable
from paddle.static.nn.helper import FLOATS, StaticLayer
from paddle.static.nn.sequence import (
    sequence_concat,
    sequence_conv,
    sequence_enumerate,
    sequence_expand,
    sequence_expand_as,
    sequence_first_step,
    sequence_last_step,
    sequence_pad,
    sequence_pool,
    sequence_reshape,
    sequence_reverse,
    sequence_scatter,
    sequence_slice,
    sequence_softmax,
    sequence_unpad,
)

__all__ = [
    "add_position_encoding", "im2sequence", "lod_append", "lod_reset", "row_conv",
    "sequence_concat", "sequence_conv", "sequence_enumerate", "sequence_expand",
    "sequence_expand_as", "sequence_first_step", "sequence_last_step", "sequence_mask",
    "sequence_pad", "sequence_pool", "sequence_reshape", "sequence_reverse", "sequence_scatter",
    "sequence_slice", "sequence_softmax", "sequence_unpad",
]  # fmt: skip


def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Says for each step of a padded batch whether it is within its sequence.

    Args:
        x (Variable): the lengths, integers of any shape.
        maxlen (int|Variable, optional): the steps; None means the greatest length.
        dtype (str|VarType): of the result. Default: int64.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the shape of x and one more dimension of ``maxlen``.

    Raises:
        ValueError: ``maxlen`` is no positive number.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None], "int64")
            print(fluid.layers.sequence_mask(x, maxlen=5).shape)  # (-1, 5)
            paddle.disable_static()
    """
    helper = LayerHelper("sequence_mask", **locals())
    given = isinstance(maxlen, int) and not isinstance(maxlen, bool)
    if given and maxlen < 1:
        raise InvalidArgumentError(
            f"sequence_mask(maxlen): expected a positive number, but received {maxlen}."
        )
    whole = None if given or maxlen is None else maxlen
    return helper.call(
        "sequence_mask", x, whole, maxlen=maxlen if given else -1, out_dtype=int(to_vartype(dtype))
    )


def lod_reset(x: Any, y: Any = None, target_lod: Any = None) -> Variable:
    """Gives rows other levels of sequences.

    Args:
        x (Variable): the rows.
        y (Variable, optional): its levels are taken; if it has none, the offsets that it holds as
            int32 numbers.
        target_lod (list[int], optional): offsets of one level, beginning with 0, or lengths.

    Returns:
        Variable: x with these levels.

    Raises:
        ValueError: neither is given.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4])
            print(fluid.layers.lod_reset(x, target_lod=[0, 2, 6]).lod_level)  # 1
            paddle.disable_static()
    """
    layer = StaticLayer("lod_reset", api="fluid.layers.")
    layer.check("x", x)
    if y is None and not target_lod:
        raise InvalidArgumentError(
            "lod_reset: expected y or target_lod, but received neither of them."
        )
    if y is not None:
        return layer.call("lod_reset", x, layer.check("y", y))
    return layer.call("lod_reset", x, None, target_lod=_offsets(layer, "target_lod", target_lod))


def lod_append(x: Any, level: Any) -> Variable:
    """Adds a level of sequences below those that rows have.

    Args:
        x (Variable): the rows.
        level (list[int]|Variable): offsets that begin with 0, or lengths; a Variable's levels, or
            the offsets that it holds as int32 numbers.

    Returns:
        Variable: x with one level more.

    Raises:
        ValueError: the level is something else.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4], lod_level=1)
            print(fluid.layers.lod_append(x, [1, 1, 1]).lod_level)  # 2
            paddle.disable_static()
    """
    layer = StaticLayer("lod_append", api="fluid.layers.")
    layer.check("x", x)
    if isinstance(level, Variable):
        return layer.call("lod_reset", x, level, append=True)
    if not isinstance(level, (list, tuple)) or not level:
        raise layer.wrong("level", "a list of numbers or a Variable", level)
    made = layer.call("lod_reset", x, None, target_lod=_offsets(layer, "level", level), append=True)
    made.lod_level = x.lod_level + 1
    return made


def _offsets(layer: StaticLayer, argument: str, given: Any) -> list[int]:
    """Offsets; lengths, which do not begin with 0, become such."""
    if not isinstance(given, (list, tuple)):
        raise layer.wrong(argument, "a list of numbers", given)
    numbers = [int(n) for n in given]
    if numbers[0] == 0:
        return numbers
    made = [0]
    for n in numbers:
        made.append(made[-1] + n)
    return made


def im2sequence(
    input: Any, filter_size: Any = 1, stride: Any = 1, padding: Any = 0,
    input_image_size: Any = None, out_stride: Any = 1, name: str | None = None,
) -> Variable:  # fmt: skip
    """Cuts images into windows: a sequence of rows for each image.

    Args:
        input (Variable): ``[N, C, H, W]``.
        filter_size (int|list[int]): height and width of a window. Default: 1.
        stride (int|list[int]): of the windows. Default: 1.
        padding (int|list[int]): zeros around the image: up, left, down, right; or two numbers for
            height and width. Default: 0.
        input_image_size (Variable, optional): the true height and width of each image, ``[N, 2]``.
        out_stride (int|list[int]): by how much a network made the images smaller, where
            ``input_image_size`` is given. Default: 1.
        name (str, optional): the layer's name.

    Returns:
        Variable: ``[windows, C * height * width]`` with one level.

    Raises:
        ValueError: the rank or a list's length is wrong.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3, 8, 8])
            print(fluid.layers.im2sequence(x, filter_size=[2, 3]).shape)  # (-1, 18)
            paddle.disable_static()
    """
    layer = StaticLayer("im2sequence", name, api="fluid.layers.")
    layer.check("input", input, [4], FLOATS)
    sides = _list(padding)
    return layer.call(
        "im2sequence", input, input_image_size, kernels=_list(filter_size), strides=_list(stride),
        paddings=sides * 2 if len(sides) == 2 else sides,
        out_stride=_list(out_stride),
    )  # fmt: skip


def _list(value: Any) -> list[int]:
    return list(value) if isinstance(value, (list, tuple)) else [value, value]


def row_conv(
    input: Any, future_context_size: int, param_attr: Any = None, act: Any = None
) -> Variable:
    """Adds a convolution over the steps that follow, every column by itself.

    Args:
        input (Variable): ``[N, width]`` with levels, or a padded batch ``[B, steps, width]``.
        future_context_size (int): how many steps ahead are seen.
        param_attr (ParamAttr, optional): the weight, ``[future_context_size + 1, width]``.
        act (str, optional): name of an activation.

    Returns:
        Variable: like the input.

    Raises:
        ValueError: rank or dtype does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 16], lod_level=1)
            print(fluid.layers.row_conv(x, 2).shape)  # (-1, 16)
            paddle.disable_static()
    """
    layer = StaticLayer("row_conv", api="fluid.layers.")
    layer.check("input", input, [2, 3], FLOATS)
    steps = layer.count("future_context_size", future_context_size, least=0)
    width = layer.size(input, -1, "input")
    weight = layer.weight("param_attr", param_attr, [steps + 1, width], input.dtype)
    return layer.activate(layer.call("row_conv", input, weight), act)


def add_position_encoding(input: Any, alpha: float, beta: float, name: Any = None) -> Any:
    """Adds waves to rows: sines in the first half of the columns, cosines in the second.

    Args:
        input (Variable): ``[N, width]`` with levels, or a padded batch ``[B, steps, width]``.
        alpha (float): a factor of the input.
        beta (float): a factor of the waves.
        name (str, optional): the layer's name.

    Returns:
        Variable: like the input.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 6, 8])
            print(fluid.layers.add_position_encoding(x, 1.0, 1.0).shape)  # (-1, 6, 8)
            paddle.disable_static()
    """
    helper = LayerHelper("add_position_encoding", **locals())
    return helper.call("add_position_encoding", input, alpha=float(alpha), beta=float(beta))


guard_module(globals())
