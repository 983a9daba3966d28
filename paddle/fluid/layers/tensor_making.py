"""Layers that make tensors and variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import (
    API,
    check_value,
    digits,
    filled,
    is_static,
    is_value,
    sizes,
)  # fmt: skip
from paddle.fluid.layers.results import recorded, stored
from paddle.fluid.layers.variable_making import assign
from paddle.incubate.layer_helper import LayerHelper

__all__ = [
    "arange", "cast", "diag", "eye", "fill_constant", "fill_constant_batch_size_like", "full",
    "full_like", "linspace", "ones", "ones_like", "range", "zeros", "zeros_like",
]  # fmt: skip


def fill_constant(
    shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A Tensor of one number.

    Args:
        shape (list|tuple|Variable): its sizes, of which some may be Variables.
        dtype (str|VarType): its element type.
        value (float|Variable): the number.
        force_cpu (bool): it lies on the CPU. Default: False.
        out (Variable, optional): takes the result.
        name (str, optional): what the result is named after.

    Returns:
        Variable: without gradient.

    Raises:
        TypeError: the shape is no list.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            print(fluid.layers.fill_constant([2, 3], "float32", 1.5).name)  # fill_constant_0.tmp_0
            paddle.disable_static()
    """
    helper = LayerHelper("fill_constant", name=name)
    kind = to_vartype(dtype)
    attrs: dict[str, Any] = {"dtype": int(kind), "force_cpu": bool(force_cpu)}
    number = None
    if is_value(value):
        number = value
        attrs |= {"value": 0.0, "str_value": ""}
    else:
        attrs |= {"value": float(value), "str_value": digits(value, kind)}
    wanted = _shape(shape, "fill_constant")
    operands = [number, wanted.whole, wanted.parts]
    attrs["shape"] = wanted.ints
    if out is not None and is_static():
        made = recorded(out, "fill_constant", operands, attrs)
    else:
        made = stored(out, helper.call("fill_constant", *operands, **attrs))
    made.stop_gradient = True
    return made


def _shape(shape: Any, api: str) -> Any:
    """Sizes whose numbers become results of ``fill_constant``, where some are Variables."""
    mixed = isinstance(shape, (list, tuple)) and is_static() and any(is_value(v) for v in shape)
    name = unique_name.generate("fill_constant") if mixed else ""
    return sizes(name, [shape] if isinstance(shape, int) else shape, api, "shape")


def fill_constant_batch_size_like(
    input: Any, shape: Any, dtype: Any, value: Any, input_dim_idx: int = 0,
    output_dim_idx: int = 0, force_cpu: bool = False,
) -> Any:  # fmt: skip
    """A Tensor of one number whose size along one dimension is another Tensor's.

    Args:
        input (Variable): gives the size.
        shape (list[int]): the shape; its size at ``output_dim_idx`` is replaced.
        dtype (str|VarType): the element type.
        value (float): the number.
        input_dim_idx (int): the dimension of ``input`` that gives the size. Default: 0.
        output_dim_idx (int): the dimension that gets it. Default: 0.
        force_cpu (bool): the result lies on the CPU. Default: False.

    Returns:
        Variable: without gradient.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 7])
            like = fluid.layers.fill_constant_batch_size_like(x, [-1, 2], "int64", 5)
            print(like.shape)  # (-1, 2)
            paddle.disable_static()
    """
    kind = to_vartype(dtype)
    helper = LayerHelper("fill_constant_batch_size_like")
    made = helper.call(
        "fill_constant_batch_size_like", input, shape=list(shape), dtype=int(kind),
        value=float(value), str_value=digits(value, kind), input_dim_idx=input_dim_idx,
        output_dim_idx=output_dim_idx, force_cpu=bool(force_cpu),
    )  # fmt: skip
    made.stop_gradient = True
    return made


def ones(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """A Tensor of ones.

    Args:
        shape (list|tuple|Variable): its sizes.
        dtype (str|VarType): its element type.
        force_cpu (bool): it lies on the CPU. Default: False.

    Returns:
        Variable: without gradient.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.ones([2], "int64").shape)  # (2,)
    """
    return fill_constant(shape, dtype, 1.0, force_cpu)


def zeros(shape: Any, dtype: Any, force_cpu: bool = False, name: str | None = None) -> Any:
    """A Tensor of zeros.

    Args:
        shape (list|tuple|Variable): its sizes.
        dtype (str|VarType): its element type.
        force_cpu (bool): it lies on the CPU. Default: False.
        name (str, optional): what the result is named after.

    Returns:
        Variable: without gradient.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.zeros([2], "int64").shape)  # (2,)
    """
    return fill_constant(shape, dtype, 0.0, force_cpu, name=name)


def _like(name: str, operator: str, x: Any, out: Any, **attrs: Any) -> Any:
    check_value(name, "x", x)
    if out is not None and is_static():
        made = recorded(out, operator, [x], attrs)
    else:
        made = stored(out, LayerHelper(name).call(operator, x, **attrs))
    made.stop_gradient = True
    return made


def ones_like(x: Any, out: Any = None) -> Any:
    """Ones of the shape and type of a Tensor.

    Args:
        x (Variable): gives shape and type.
        out (Variable, optional): takes the result.

    Returns:
        Variable: without gradient.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.ones_like(x).shape)  # (2, 3)
    """
    return _like("ones_like", "fill_any_like", x, out, value=1.0)


def zeros_like(x: Any, out: Any = None) -> Any:
    """Zeros of the shape and type of a Tensor.

    Args:
        x (Variable): gives shape and type.
        out (Variable, optional): takes the result.

    Returns:
        Variable: without gradient.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.zeros_like(x).shape)  # (2, 3)
    """
    return _like("zeros_like", "fill_zeros_like", x, out)


def full(
    shape: Any, fill_value: Any, out: Any = None, dtype: Any = None, device: Any = None,
    stop_gradient: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """A Tensor of one number.

    Args:
        shape (list|tuple|Variable): its sizes.
        fill_value (float|Variable): the number.
        out (Variable, optional): takes the result.
        dtype (str, optional): its element type; None means float32.
        device (str, optional): ``'cpu'`` or ``'gpu'``; the run's place holds it.
        stop_gradient (bool): no gradient is computed for it. Default: True.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the Tensor.

    Raises:
        ValueError: an unknown device.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.full([2, 3], 0.5).shape)  # (2, 3)
    """
    _device("full", device)
    name = unique_name.generate("full") if name is None else name
    kind = "float32" if dtype is None else dtype
    made = fill_constant(shape, kind, fill_value, out=out, name=name)
    made.stop_gradient = stop_gradient
    return made


def _device(api: str, device: Any) -> None:
    if device not in (None, "cpu", "gpu"):
        raise InvalidArgumentError(
            f"{API}{api}(device): expected None, 'cpu' or 'gpu', but received {device!r}."
        )


def full_like(
    input: Any, fill_value: float, out: Any = None, dtype: Any = None, device: Any = None,
    stop_gradient: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """A Tensor of one number, of the shape of another one.

    Args:
        input (Variable): gives the shape.
        fill_value (float): the number.
        out (Variable, optional): takes the result.
        dtype (str, optional): its element type; None means float32.
        device (str, optional): ``'cpu'`` or ``'gpu'``; the run's place holds it.
        stop_gradient (bool): no gradient is computed for it. Default: True.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the Tensor.

    Raises:
        ValueError: an unknown device.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.full_like(x, 0.5).shape)  # (2, 3)
    """
    _device("full_like", device)
    helper = LayerHelper("full_like", name=name)
    attrs = {"value": float(fill_value), "dtype": int(to_vartype(dtype or "float32"))}
    if out is not None and is_static():
        made = recorded(out, "fill_any_like", [input], attrs)
    else:
        made = stored(out, helper.call("fill_any_like", input, **attrs))
    made.stop_gradient = stop_gradient
    return made


def eye(
    num_rows: int, num_columns: int | None = None, batch_shape: Any = None, dtype: Any = "float32",
    name: str | None = None,
) -> Any:  # fmt: skip
    """A matrix, or a batch of them, with ones on the diagonal.

    Args:
        num_rows (int): how many rows.
        num_columns (int, optional): how many columns; None means as many.
        batch_shape (list[int], optional): sizes in front.
        dtype (str|VarType): its element type. Default: float32.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the matrix.

    Raises:
        TypeError: a size is no integer >= 0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.eye(3).shape)  # (3, 3)
    """
    columns = num_rows if num_columns is None else num_columns
    for argument, count in (("num_rows", num_rows), ("num_columns", columns)):
        if not isinstance(count, int) or count < 0:
            raise TypeError(f"{API}eye({argument}): expected an int >= 0, but received {count!r}.")
    made = LayerHelper("eye", name=name).call(
        "eye", num_rows=num_rows, num_columns=columns, dtype=int(to_vartype(dtype))
    )
    if batch_shape is not None:
        if not isinstance(batch_shape, list) or any(
            not isinstance(n, int) or n <= 0 for n in batch_shape
        ):
            raise TypeError(
                f"{API}eye(batch_shape): expected a list of ints > 0, but received {batch_shape!r}."
            )
        for count in reversed(batch_shape):
            made = LayerHelper("stack").call("stack", [made] * count, axis=0)
    made.stop_gradient = True
    return made


def linspace(start: Any, stop: Any, num: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Numbers at equal distances.

    Args:
        start (float|Variable): the first.
        stop (float|Variable): the last.
        num (int|Variable): how many.
        dtype (str|VarType): their type.
        name (str, optional): what the result is named after.

    Returns:
        Variable: ``[num]``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.linspace(0.0, 1.0, 5, "float32").shape)  # (-1,)
    """
    kind = to_vartype("float32" if dtype is None else dtype)
    helper = LayerHelper("linspace", name=name)
    start, stop = (v if is_value(v) else filled([1], v, kind) for v in (start, stop))
    num = num if is_value(num) else filled([1], num, "int32")
    return helper.call("linspace", start, stop, num, dtype=int(kind))


def range(start: Any, end: Any, step: Any, dtype: Any, name: str | None = None) -> Any:
    """Numbers from ``start`` up to ``end``, which is not included.

    Args:
        start (float|Variable): the first.
        end (float|Variable): the end.
        step (float|Variable): their distance.
        dtype (str|VarType): their type.
        name (str, optional): what the result is named after.

    Returns:
        Variable: of one dimension, without gradient.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.range(0, 6, 2, "int32").shape)  # (-1,)
    """
    kind = to_vartype(dtype)
    start, end, step = (v if is_value(v) else filled([1], v, kind) for v in (start, end, step))
    start, end, step = (v if v.dtype == kind else _cast(v, kind) for v in (start, end, step))
    made = LayerHelper("range", name=name).call("range", start, end, step)
    made.stop_gradient = True
    return made


def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """Numbers from ``start`` up to ``end``; :func:`range` with defaults.

    Args:
        start (float|Variable): the first.
        end (float|Variable): the end.
        step (float|Variable): their distance. Default: 1.
        dtype (str|VarType, optional): their type; None means float32.
        name (str, optional): what the result is named after.

    Returns:
        Variable: of one dimension, without gradient.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.arange(0, 6, 2).shape)  # (-1,)
    """
    return range(start, end, step, "float32" if dtype is None else dtype, name)


def diag(diagonal: Any) -> Any:
    """A matrix with given numbers on its diagonal.

    Args:
        diagonal (Variable|np.ndarray): of one dimension.

    Returns:
        Variable: ``[N, N]``.

    Raises:
        TypeError: it is neither.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                row_of = fluid.data("row_of", [3])
                print(fluid.layers.diag(row_of).shape)  # (3, 3)
    """
    if not is_value(diagonal) and not isinstance(diagonal, np.ndarray):
        raise TypeError(
            f"{API}diag(diagonal): expected a Variable or an array, "
            f"but received {type(diagonal).__name__}."
        )
    helper = LayerHelper("diag")
    return helper.call("diag", diagonal if is_value(diagonal) else assign(diagonal))


def cast(x: Any, dtype: Any) -> Any:
    """Converts the elements to another type.

    Args:
        x (Variable): what is converted.
        dtype (str|VarType): the type.

    Returns:
        Variable: of the shape of x.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.cast(x, "int64").dtype)  # VarType.INT64
            paddle.disable_static()
    """
    return _cast(check_value("cast", "x", x), to_vartype(dtype))


def _cast(x: Any, kind: VarType) -> Any:
    helper = LayerHelper("cast")
    return helper.call("cast", x, in_dtype=int(to_vartype(x.dtype)), out_dtype=int(kind))


# -- variables -------------------------------------------------------------------------------------


guard_module(globals())
