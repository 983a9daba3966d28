"""Layers of paddle.static.nn with one parameter: prelu, row_conv, bilinear_tensor_product."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.nn.initializer import Constant
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["bilinear_tensor_product", "prelu", "row_conv"]


def prelu(x: Any, mode: str, param_attr: Any = None, name: str | None = None) -> Variable:
    r"""Adds a rectifier with a learned slope: :math:`y = \max(0, x) + \alpha \min(0, x)`.

    Args:
        x (Variable): ``[N, C, ...]``, floating.
        mode (str): ``'all'``: one slope; ``'channel'``: one for each channel, ``[1, C, 1, 1]``;
            ``'element'``: one for each element of a sample, ``[1, C, ...]``.
        param_attr (ParamAttr, optional): the slopes, 0.25 by default.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the shape of x.

    Raises:
        ValueError: an unknown mode, or a size that is not known.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 4, 4])
                paddle.static.nn.prelu(x, "channel")
            print([p.shape for p in main.all_parameters()])  # [(1, 3, 1, 1)]
            paddle.disable_static()
    """
    layer = StaticLayer("prelu", name)
    layer.check("x", x, dtypes=FLOATS)
    if mode not in ("all", "channel", "element"):
        raise layer.wrong("mode", "'all', 'channel' or 'element'", mode)
    rank = len(x.shape)
    if mode != "all" and rank < 2:
        raise layer.wrong("x", f"at least 2 dimensions for mode {mode!r}", list(x.shape))
    shape = [1]
    if mode == "channel":
        shape = [1, layer.size(x, 1, "x"), 1, 1]
    elif mode == "element":
        shape = [1, *(layer.size(x, i, "x") for i in range(1, rank))]
    slopes = layer.weight("param_attr", param_attr, shape, x.dtype, Constant(0.25))
    out = layer.fresh(x.dtype)
    layer.append("prelu", {"X": x, "Alpha": slopes}, {"Out": out}, mode=mode)
    return out


def row_conv(
    input: Any, future_context_size: int, param_attr: Any = None, act: str | None = None
) -> Variable:
    r"""Adds a convolution over the steps that follow: :math:`y_t = \sum_{i=0}^{k} x_{t+i} w_i`.

    Behind the end of a sequence there are zeros.

    Args:
        input (Variable): padded sequences, ``[N, steps, D]``, floating; D has to be known.
        future_context_size (int): k, how many steps ahead are seen.
        param_attr (ParamAttr, optional): the weight, ``[k + 1, D]``.
        act (str, optional): name of an activation.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: rank, dtype or size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 9, 16])
                print(paddle.static.nn.row_conv(x, future_context_size=2).shape)  # (-1, 9, 16)
            print([p.shape for p in main.all_parameters()])  # [(3, 16)]
            paddle.disable_static()
    """
    layer = StaticLayer("row_conv")
    layer.check("input", input, [3], FLOATS)
    steps = layer.count("future_context_size", future_context_size, least=0)
    shape = [steps + 1, layer.size(input, 2, "input")]
    weight = layer.weight("param_attr", param_attr, shape, input.dtype)
    return layer.activate(layer.call("row_conv", input, weight), act)


def bilinear_tensor_product(
    x: Any,
    y: Any,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Variable:
    r"""Adds products of two vectors by matrices: :math:`out_i = x^T W_i y + b_i`.

    Args:
        x (Variable): ``[N, M]``, floating; M has to be known.
        y (Variable): ``[N, K]``, of the same dtype; K has to be known.
        size (int): the number of outputs.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.
        param_attr (ParamAttr, optional): the weight, ``[size, M, K]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[1, size]``; False means none.

    Returns:
        Variable: ``[N, size]``.

    Raises:
        ValueError: rank, dtype or size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 5])
                y = paddle.static.data("y", [None, 4])
                print(paddle.static.nn.bilinear_tensor_product(x, y, size=10).shape)  # (-1, 10)
            paddle.disable_static()
    """
    layer = StaticLayer("bilinear_tensor_product", name)
    layer.check("x", x, [2], FLOATS)
    layer.check("y", y, [2], (dtype_name(x.dtype),))
    shape = [layer.count("size", size), layer.size(x, 1, "x"), layer.size(y, 1, "y")]
    weight = layer.weight("param_attr", param_attr, shape, x.dtype)
    out = layer.fresh(x.dtype)
    bias = layer.parameter(bias_attr, [1, shape[0]], x.dtype, is_bias=True)
    inputs = {"X": x, "Y": y, "Weight": weight, "Bias": bias}
    layer.append("bilinear_tensor_product", inputs, {"Out": out})
    return layer.activate(out, act)


guard_module(globals())
