"""Layers that multiply by parameters or look rows up: fc, embedding, bilinear products."""

from __future__ import annotations

from typing import Any

from paddle.core.guards import guard_module
from paddle.fluid.layers.common import both_modes
from paddle.ir.variable import Variable
from paddle.static.nn import basic
from paddle.static.nn.common import bilinear_tensor_product as _bilinear
from paddle.static.nn.common import prelu as _prelu
from paddle.static.nn.helper import StaticLayer

__all__ = ["bilinear_tensor_product", "embedding", "fc", "prelu"]


@both_modes
def fc(
    input: Any, size: int, num_flatten_dims: int = 1, param_attr: Any = None,
    bias_attr: Any = None, act: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    r"""A fully connected layer: :math:`Out = Act(\sum_i X_i W_i + b)`.

    Args:
        input (Variable|list[Variable]): of at least two dimensions; several are multiplied by a
            weight each, and summed.
        size (int): the number of outputs.
        num_flatten_dims (int): the first dimensions that stay; the others are flattened into one;
            -1: all but the last stay. Default: 1.
        param_attr (ParamAttr|list, optional): the weights, ``[inputs, size]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[size]``; False means none.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: of the first ``num_flatten_dims`` sizes of the input and ``size``.

    Raises:
        ValueError: sizes that are not known, or ``num_flatten_dims`` out of range.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4])
            print(fluid.layers.fc(x, 3, act="relu").name)  # fc_0.tmp_2
            paddle.disable_static()
    """
    return basic.fc(input, size, num_flatten_dims, param_attr, bias_attr, act, name)


@both_modes
def embedding(
    input: Any, size: Any, is_sparse: bool = False, is_distributed: bool = False,
    padding_idx: int | None = None, param_attr: Any = None, dtype: Any = "float32",
) -> Any:  # fmt: skip
    """A table of vectors, and the rows that ids name; a last dimension of 1 is dropped.

    Args:
        input (Variable): int64 ids; the last dimension is 1.
        size (list[int]): the number of rows and their length.
        is_sparse (bool): the gradient is of the rows that occur. Default: False.
        is_distributed (bool): parameter servers keep the table; one process keeps it as with
            ``is_sparse``. Default: False.
        padding_idx (int, optional): a row that gives zeros; negative counts from the end.
        param_attr (ParamAttr, optional): the table.
        dtype (str): its element type. Default: float32.

    Returns:
        Variable: the shape of ``input`` with the length of a row in place of the last 1.

    Raises:
        ValueError: the size or ``padding_idx`` does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            ids = fluid.data("ids", [None, 1], "int64")
            print(fluid.layers.embedding(ids, size=[100, 16]).shape)  # (-1, 16)
            paddle.disable_static()
    """
    return look_up("lookup_table", input, size, is_sparse, is_distributed, padding_idx,
                   param_attr, dtype)  # fmt: skip


def look_up(
    operator: str, ids: Any, size: Any, is_sparse: bool, is_distributed: bool,
    padding_idx: int | None, param_attr: Any, dtype: Any,
) -> Any:  # fmt: skip
    """Makes a table and looks rows up, by the operator of either generation."""
    layer = StaticLayer("embedding")
    layer.check("input", ids, dtypes=("int64", "int32"))
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise layer.wrong("size", "[rows, length]", size)
    rows = layer.count("size", size[0])
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise layer.wrong("padding_idx", f"a number in [{-rows}, {rows})", padding_idx)
    table = layer.weight("param_attr", param_attr, list(size), dtype)
    row = -1 if padding_idx is None else padding_idx % rows
    operands = (table, ids) if operator == "lookup_table" else (ids, table)
    sparse = bool(is_sparse or is_distributed)
    made = layer.call(operator, *operands, is_sparse=sparse, padding_idx=row)
    return basic.far_away(made) if is_distributed and isinstance(made, Variable) else made


@both_modes
def bilinear_tensor_product(
    x: Any, y: Any, size: int, act: Any = None, name: str | None = None, param_attr: Any = None,
    bias_attr: Any = None,
) -> Any:  # fmt: skip
    r"""Products of two vectors by matrices: :math:`out_i = x^T W_i y + b_i`.

    Args:
        x (Variable): ``[N, M]``.
        y (Variable): ``[N, K]``.
        size (int): the number of outputs.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.
        param_attr (ParamAttr, optional): the weight, ``[size, M, K]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[1, size]``; False means none.

    Returns:
        Variable: ``[N, size]``.

    Raises:
        ValueError: rank, dtype or size does not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                print(fluid.layers.bilinear_tensor_product(x, y, 4).shape)  # (2, 4)
    """
    return _bilinear(x, y, size, act, name, param_attr, bias_attr)


@both_modes
def prelu(x: Any, mode: str, param_attr: Any = None, name: str | None = None) -> Any:
    r"""A rectifier with a learned slope: :math:`y = \max(0, x) + \alpha \min(0, x)`.

    Args:
        x (Variable): ``[N, C, ...]``.
        mode (str): ``'all'``: one slope; ``'channel'``: one for each channel; ``'element'``: one
            for each element of a sample.
        param_attr (ParamAttr, optional): the slopes, 0.25 by default.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: of the shape of x.

    Raises:
        ValueError: an unknown mode, or a size that is not known.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.prelu(image, "channel").shape)  # (2, 8, 6, 6)
    """
    return _prelu(x, mode, param_attr, name)


guard_module(globals())
