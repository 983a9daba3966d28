"""Layers of paddle.static.nn that multiply and look up: fc, embedding, sparse_embedding."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.static.nn.helper import FLOATS, INTS, StaticLayer, known_size

__all__ = ["embedding", "fc", "sparse_embedding"]


def fc(
    x: Any = None,
    size: int = 0,
    num_flatten_dims: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    activation: Any = None,
    name: str | None = None,
    *,
    input: Any = None,
    act: Any = None,
    param_attr: Any = None,
) -> Variable:
    r"""Adds a fully connected layer: :math:`Out = Act(\sum_i X_i W_i + b)`.

    Args:
        x (Variable|list[Variable]): of at least two dimensions; each of a list gets its own weight.
        size (int): the number of outputs.
        num_flatten_dims (int): the first dimensions that stay; the others are flattened into one.
            -1 flattens the last only. Default: 1.
        weight_attr (ParamAttr|list, optional): the weights, ``[inputs, size]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[size]``; False means none.
        activation (str, optional): name of an activation.
        name (str, optional): the layer's name.
        input, act, param_attr: the names of 1.x for x, activation and weight_attr.

    Returns:
        Variable: of the first ``num_flatten_dims`` sizes of x and ``size``.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4, 5])
                print(paddle.static.nn.fc(x, 3, num_flatten_dims=2, activation="relu").shape)
                # (-1, 4, 3)
            paddle.disable_static()
    """
    layer = StaticLayer("fc", name)
    x = input if x is None else x
    activation = act if activation is None else activation
    weight_attr = param_attr if weight_attr is None else weight_attr
    inputs = list(x) if isinstance(x, (list, tuple)) else [x]
    attrs = weight_attr if isinstance(weight_attr, (list, tuple)) else [weight_attr] * len(inputs)
    layer.count("size", size)
    if not inputs:
        raise layer.wrong("x", "a Variable or a list of them", x)
    if len(attrs) != len(inputs):
        raise InvalidArgumentError(
            f"static.nn.fc(weight_attr): expected one for each of {len(inputs)} inputs, "
            f"but received {len(attrs)}."
        )
    parts = []
    for value, attr in zip(inputs, attrs, strict=True):
        shape = layer.check("x", value, dtypes=FLOATS).shape
        at = len(shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
        if not 0 < at < len(shape):
            raise InvalidArgumentError(
                f"static.nn.fc(num_flatten_dims): expected a number in [1, {len(shape) - 1}] for x "
                f"of shape {list(shape)}, but received {num_flatten_dims}."
            )
        rows = math.prod(known_size(n, "fc", f"the size of x {list(shape)}") for n in shape[at:])
        weight = layer.weight("weight_attr", attr, [rows, size], value.dtype)
        parts.append(layer.call("mul", value, weight, x_num_col_dims=at, y_num_col_dims=1))
    out = parts[0] if len(parts) == 1 else layer.call("sum", parts)
    out = layer.bias(out, bias_attr, size, axis=at)
    return layer.activate(out, activation)


def embedding(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Variable:
    """Adds a table of vectors and looks rows up.

    Args:
        input (Variable): row numbers, int64 or int32.
        size (list[int]): the number of rows and their length.
        is_sparse (bool): SGD, and Adam with ``lazy_mode``, update the rows that occur, and no
            others. In a job with parameter servers they keep the table. Default: False.
        is_distributed (bool): parameter servers keep the table; one process keeps it as with
            ``is_sparse``. Default: False.
        padding_idx (int, optional): a row that gives zeros; negative counts from the end.
        param_attr (ParamAttr, optional): the table.
        dtype (str): its element type. Default: float32.

    Returns:
        Variable: the shape of ``input`` and the length of a row.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                ids = paddle.static.data("ids", [None, 7], "int64")
                print(paddle.static.nn.embedding(ids, [100, 16]).shape)  # (-1, 7, 16)
            paddle.disable_static()
    """
    layer = StaticLayer("embedding")
    layer.check("input", input, dtypes=INTS)
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise layer.wrong("size", "[rows, length]", size)
    for n in size:
        layer.count("size", n)
    if padding_idx is not None and not -size[0] <= padding_idx < size[0]:
        raise InvalidArgumentError(
            f"static.nn.embedding(padding_idx): expected a number in [{-size[0]}, {size[0]}), "
            f"but received {padding_idx}."
        )
    table = layer.weight("param_attr", param_attr, list(size), dtype)
    row = -1 if padding_idx is None else padding_idx % size[0]
    sparse = bool(is_sparse or is_distributed)
    made = layer.call("lookup_table_v2", input, table, is_sparse=sparse, padding_idx=row)
    return far_away(made) if is_distributed else made


def sparse_embedding(
    input: Any,
    size: Any,
    padding_idx: int | None = None,
    is_test: bool = False,
    entry: Any = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Variable:
    """Adds a table on parameter servers, of which rows are looked up by any 64-bit ids.

    A row is made when it is first looked up. In a job without servers the table is here, and ids
    have to be below ``size[0]``.

    Args:
        input (Variable): ids, int64, with a last dimension of 1, in whose place the row comes.
        size (list[int]): rows (servers take any id) and their length.
        padding_idx (int, optional): a row that gives zeros; negative counts from the end.
        is_test (bool): look-ups make no rows. Default: False.
        entry (CountFilterEntry|ProbabilityEntry, optional): which ids get a row; the others read
            as zeros.
        param_attr (ParamAttr, optional): the table.
        dtype (str): its element type. Default: float32.

    Returns:
        Variable: the shape of ``input`` without the 1, and the length of a row.

    Raises:
        ValueError: an argument is out of range, or ``input`` does not end with a dimension of 1.
        TypeError: an argument of another type.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                ids = paddle.static.data("ids", [None, 1], "int64")
                print(paddle.static.nn.sparse_embedding(ids, [1000, 8]).shape)  # (-1, 8)
            paddle.disable_static()
    """
    layer = StaticLayer("sparse_embedding")
    layer.check("input", input, dtypes=("int64",))
    if not input.shape or input.shape[-1] != 1:
        raise InvalidArgumentError(
            "static.nn.sparse_embedding(input): expected a last dimension of 1, but received the "
            f"shape {list(input.shape)}."
        )
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise layer.wrong("size", "[rows, length]", size)
    for n in size:
        layer.count("size", n)
    table = layer.weight("param_attr", param_attr, list(size), dtype)
    row = -1 if padding_idx is None else padding_idx % size[0]
    made = layer.call("lookup_table", table, input, is_sparse=True, padding_idx=row)
    return far_away(made, entry, is_test, "static.nn.sparse_embedding")


def far_away(made: Any, entry: Any = None, is_test: bool = False, api: str = "embedding") -> Any:
    """Notes on the operator of a look-up that its table is for parameter servers.

    Args:
        made (Variable): what was looked up.
        entry (CountFilterEntry|ProbabilityEntry, optional): which ids get a row; None: all.
        is_test (bool): no id gets one now.
        api (str): the public function, for errors.

    Returns:
        Variable: ``made``.
    """
    if entry is not None and not hasattr(entry, "to_attr"):
        raise ArgumentTypeError(
            f"{api}(entry): expected a CountFilterEntry or a ProbabilityEntry, but received "
            f"{type(entry).__name__}."
        )
    op = next(o for o in reversed(made.block.ops) if made.name in o.output_arg_names)
    told = {"is_distributed": True, "is_test": is_test or None,
            "entry": None if entry is None else entry.to_attr()}  # fmt: skip
    op.attrs.update({name: value for name, value in told.items() if value is not None})
    return made


guard_module(globals())
