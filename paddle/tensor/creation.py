"""Tensors made from nothing but a shape, a range or a number, and copies of given data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core import constants
from paddle.core import dtype as _dtype
from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guarded
from paddle.core.mode import GRAD, get_mode, recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import constant, is_variable, read_dims, read_int, shape_of, wrong_type
from paddle.tensor.inplace import overwrite
from paddle.tensor.to_tensor import constant_of, holds_variable, to_tensor

__all__ = [
    "arange", "assign", "diag", "empty", "empty_like", "eye", "full", "full_like", "linspace",
    "meshgrid", "ones", "ones_like", "to_tensor", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip


_NUMBERS = (int, float, np.integer, np.floating)


def _digits(value: Any) -> str:
    """The number in full where it will be stored: attributes of a Program have 32 bits."""
    return constants.digits(value) if get_mode() > GRAD else ""


def _sizes(shape: Any, api: str) -> Any:
    dims = read_dims(shape, api, "shape")
    if dims.whole is None and dims.parts is None and any(n < 0 for n in dims.ints):
        raise InvalidArgumentError(
            f"{api}: shape is expected to hold no negative size, but received {dims.ints}."
        )
    return dims


def _fill(api: str, shape: Any, value: Any, dtype: Any) -> Tensor:
    """Makes a tensor of one number."""
    kind = _dtype._default if dtype is None else to_vartype(dtype)
    ints, whole, parts = _sizes(shape, api)
    source = None
    if type(value) is not float and type(value) is not int:
        if isinstance(value, Tensor) or is_variable(value):
            value, source = 0.0, value
        value = _python_number(value, api, "fill_value", "a number or a Tensor of one element")
    return C.fill_constant(
        source, whole, parts, shape=ints, dtype=kind, value=value, str_value=_digits(value)
    )


def _python_number(value: Any, api: str, arg: str, expected: str) -> int | float:
    """Returns a number that may have come from NumPy; a bool as 0 or 1."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float)):
        raise wrong_type(api, arg, value, expected)
    return int(value) if isinstance(value, bool) else value


def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor in which every element is one number.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        fill_value (bool|int|float|Tensor): the number, or a Tensor of one element.
        dtype (str|np.dtype, optional): None means the default type, float32, whatever the type of
            ``fill_value``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.full([2, 2], 7, "int64").tolist())  # [[7, 7], [7, 7]]
            print(paddle.full([1], 7).dtype)  # VarType.FP32
    """
    return _fill("full", shape, fill_value, dtype)


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor of zeros.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): None means the default type, float32.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.zeros([2, 3]).shape)  # [2, 3]
            print(paddle.zeros([paddle.to_tensor(2)], dtype="int32").tolist())  # [0, 0]
    """
    return _fill("zeros", shape, 0, dtype)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor of ones.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): None means the default type, float32.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.ones([2], dtype="bool").tolist())  # [True, True]
    """
    return _fill("ones", shape, 1, dtype)


def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor whose elements are whatever is in memory, to be filled afterwards.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): None means the default type, float32.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.empty([2, 3]).shape)  # [2, 3]
    """
    ints, whole, parts = _sizes(shape, "empty")
    kind = _dtype._default if dtype is None else to_vartype(dtype)
    return C.empty(whole, parts, shape=ints, dtype=kind)


def _like(api: str, x: Any, value: Any, dtype: Any) -> Tensor:
    if isinstance(value, Tensor):
        value = value.item()
    value = _python_number(value, api, "fill_value", "a number")
    return C.fill_any_like(x, value=value, dtype=-1 if dtype is None else to_vartype(dtype))


def full_like(x: Tensor, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor of one number in the shape of another Tensor.

    Args:
        x (Tensor): gives the shape and the device.
        fill_value (bool|int|float): the number.
        dtype (str|np.dtype, optional): None means the type of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2])
            print(paddle.full_like(x, 2.5, "float32").tolist())  # [2.5, 2.5]
    """
    return _like("full_like", x, fill_value, dtype)


def zeros_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor of zeros in the shape of another Tensor.

    Args:
        x (Tensor): gives the shape and the device.
        dtype (str|np.dtype, optional): None means the type of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.zeros_like(paddle.to_tensor([1, 2])).tolist())  # [0, 0]
    """
    return C.fill_any_like(x, value=0.0, dtype=-1 if dtype is None else to_vartype(dtype))


def ones_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes a Tensor of ones in the shape of another Tensor.

    Args:
        x (Tensor): gives the shape and the device.
        dtype (str|np.dtype, optional): None means the type of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.ones_like(paddle.to_tensor([1, 2])).tolist())  # [1, 1]
    """
    return C.fill_any_like(x, value=1.0, dtype=-1 if dtype is None else to_vartype(dtype))


def empty_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Makes an unfilled Tensor in the shape of another one.

    Args:
        x (Tensor): gives the shape.
        dtype (str|np.dtype, optional): None means the type of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.empty_like(paddle.to_tensor([1, 2])).shape)  # [2]
    """
    if not isinstance(x, Tensor) and not is_variable(x):
        raise wrong_type("empty_like", "x", x, "a Tensor")
    ints, whole, _ = shape_of(x)
    return C.empty(whole, shape=ints, dtype=x.dtype if dtype is None else to_vartype(dtype))


# -- ranges -------------------------------------------------------------------------------------


def _kind_of(value: Any) -> VarType:
    """The type a number of a range has when none is asked for."""
    if isinstance(value, Tensor) or is_variable(value):
        return value.dtype
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return VarType.INT64 if whole else _dtype._default


def _scalar(value: Any, kind: VarType, api: str, arg: str) -> Any:
    """A tensor of one number, of the given type."""
    if isinstance(value, Tensor) or is_variable(value):
        if value.dtype == kind:
            return value
        return C.cast(value, in_dtype=int(value.dtype), out_dtype=int(kind))
    value = _python_number(value, api, arg, "a number or a Tensor of one element")
    return C.fill_constant(
        shape=[1], dtype=kind, value=value, str_value=_digits(value), force_cpu=True
    )


def arange(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Returns the numbers from ``start`` up to, but without, ``end`` in steps of ``step``.

    Args:
        start (number|Tensor, optional): the first number; with ``end`` None it is the end, and the
            range starts at 0. Default: 0.
        end (number|Tensor, optional): the bound. Default: None.
        step (number|Tensor, optional): the difference of neighbours; not 0. Default: 1.
        dtype (str|np.dtype, optional): int32, int64 or a floating type. None means int64 if
            start, end and step are all integers, else the default type.
        name (str, optional): has no effect.

    Returns:
        Tensor: of one dimension.

    Raises:
        ValueError: ``step`` is 0 or leads away from ``end``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.arange(5).tolist())  # [0, 1, 2, 3, 4]
            print(paddle.arange(3, 0, -1.5).tolist())  # [3.0, 1.5]
    """
    if end is None:
        start, end = 0, start
    if dtype is None:
        kinds = [_kind_of(v) for v in (start, end, step)]
        kind = next((k for k in kinds if k not in (VarType.INT64, VarType.INT32)), None)
        if kind is None:
            kind = VarType.INT64 if VarType.INT64 in kinds else VarType.INT32
    else:
        kind = to_vartype(dtype)
    if kind == VarType.BOOL:
        raise TypeError("arange(dtype): expected an integer or floating type, but received bool.")
    made = C.range(
        _scalar(start, kind, "arange", "start"),
        _scalar(end, kind, "arange", "end"),
        _scalar(step, kind, "arange", "step"),
    )
    if is_variable(made) and all(isinstance(v, _NUMBERS) for v in (start, end, step)):
        try:
            made.shape = [max(math.ceil((end - start) / step), 0)]
        except (OverflowError, ValueError):  # of infinity, of NaN
            raise InvalidArgumentError(
                f"arange: expected finite numbers, but received {start}, {end} and {step}."
            ) from None
    return made


def linspace(start: Any, stop: Any, num: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Returns ``num`` numbers at equal distances from ``start`` to ``stop``, both included.

    Args:
        start (number|Tensor): the first number.
        stop (number|Tensor): the last number.
        num (int|Tensor): how many, at least 1.
        dtype (str|np.dtype, optional): int32, int64, float32 or float64; integers are truncated.
            None means the default type, or float64 where ``start`` or ``stop`` is a Tensor of it.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape [num].

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.linspace(0, 10, 5).tolist())  # [0.0, 2.5, 5.0, 7.5, 10.0]
    """
    if dtype is None:
        doubles = [v for v in (start, stop) if getattr(v, "dtype", None) == VarType.FP64]
        kind = VarType.FP64 if doubles else _dtype._default
    else:
        kind = to_vartype(dtype)
    if kind not in (VarType.INT32, VarType.INT64, VarType.FP32, VarType.FP64, VarType.FP16):
        raise TypeError(
            f"linspace(dtype): expected int32, int64, float32 or float64, "
            f"but received {dtype_name(kind)}."
        )
    if not is_variable(num):
        num = read_int(num, "linspace", "num")
    exact = kind if kind in (VarType.FP32, VarType.FP64) else VarType.FP64
    made = C.linspace(
        _scalar(start, exact, "linspace", "start"),
        _scalar(stop, exact, "linspace", "stop"),
        num if is_variable(num) else constant(num),
        dtype=kind,
    )
    if is_variable(made) and not is_variable(num):
        made.shape = [num]
    return made


def eye(
    num_rows: int, num_columns: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Returns a matrix with ones on the diagonal and zeros elsewhere.

    Args:
        num_rows (int): number of rows; in a converted function also a size that a run knows.
        num_columns (int, optional): number of columns; None means as many as rows.
        dtype (str|np.dtype, optional): None means the default type, float32.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape [num_rows, num_columns].

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.eye(2, 3, dtype="int32").tolist())  # [[1, 0, 0], [0, 1, 0]]
    """
    columns = num_rows if num_columns is None else num_columns
    if is_variable(num_rows) or is_variable(columns):
        return _eye_of_sizes(num_rows, columns, dtype)
    for arg, value in (("num_rows", num_rows), ("num_columns", columns)):
        if not isinstance(value, (int, np.integer)) or value < 0:
            raise wrong_type("eye", arg, value, "a non-negative int")
    kind = _dtype._default if dtype is None else to_vartype(dtype)
    return C.eye(num_rows=int(num_rows), num_columns=int(columns), dtype=kind)


def _eye_of_sizes(rows: Any, columns: Any, dtype: Any) -> Any:
    """eye, where only a run knows a size."""
    down = C.unsqueeze2(arange(rows), axes=[1])[0]
    across = C.unsqueeze2(arange(columns), axes=[0])[0]
    across = C.cast(across, in_dtype=int(across.dtype), out_dtype=int(down.dtype))
    kind = _dtype._default if dtype is None else to_vartype(dtype)
    return C.cast(C.equal(down, across), in_dtype=int(VarType.BOOL), out_dtype=int(kind))


# -- from other tensors -------------------------------------------------------------------------


@guarded
def diag(x: Tensor, offset: int = 0, padding_value: float = 0, name: str | None = None) -> Tensor:
    """Makes a matrix with a vector on a diagonal, or takes a diagonal out of a matrix.

    Args:
        x (Tensor): of 1 or 2 dimensions.
        offset (int, optional): which diagonal: 0 the main one, positive ones lie above it.
            Default: 0.
        padding_value (int|float, optional): fills the rest of the matrix that is made; not used
            when a diagonal is taken. Default: 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: of 2 dimensions for a vector, of 1 for a matrix.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2])
            print(paddle.diag(x, padding_value=9).tolist())  # [[1, 9], [9, 2]]
            print(paddle.diag(paddle.to_tensor([[1, 2], [3, 4]]), offset=1).tolist())  # [2]
    """
    if not isinstance(offset, int):
        raise wrong_type("diag", "offset", offset, "an int")
    return C.diag_v2(x, offset=offset, padding_value=float(padding_value))


def tril(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Keeps the part of matrices on and below a diagonal; the rest becomes 0.

    Args:
        x (Tensor): of at least 2 dimensions; the last two are the matrices.
        diagonal (int, optional): 0 the main diagonal, positive ones lie above it. Default: 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.tril(x).tolist())  # [[1, 0], [3, 4]]
    """
    if not isinstance(diagonal, int):
        raise wrong_type("tril", "diagonal", diagonal, "an int")
    return C.tril_triu(x, diagonal=diagonal, lower=True)


def triu(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Keeps the part of matrices on and above a diagonal; the rest becomes 0.

    Args:
        x (Tensor): of at least 2 dimensions; the last two are the matrices.
        diagonal (int, optional): 0 the main diagonal, positive ones lie above it. Default: 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.triu(x).tolist())  # [[1, 2], [0, 4]]
    """
    if not isinstance(diagonal, int):
        raise wrong_type("triu", "diagonal", diagonal, "an int")
    return C.tril_triu(x, diagonal=diagonal, lower=False)


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Spreads vectors over a grid: result ``i`` has those of vector ``i`` along dimension ``i``.

    Args:
        *args (Tensor|list[Tensor]): vectors of 1 dimension, one by one or as one list.
        **kwargs: ``name``, unused.

    Returns:
        list[Tensor]: one per vector, each of shape [len(vector 1), len(vector 2), ...].

    Examples:
        .. code-block:: python

            import paddle
            rows, columns = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4, 5]))
            print(rows.tolist())  # [[1, 1, 1], [2, 2, 2]]
            print(columns.tolist())  # [[3, 4, 5], [3, 4, 5]]
    """
    unknown = set(kwargs) - {"name"}
    if unknown:
        raise TypeError(f"meshgrid: unexpected keyword arguments {sorted(unknown)}.")
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = tuple(args[0])
    return C.meshgrid(list(args))


def assign(x: Any, output: Tensor | None = None) -> Tensor:
    """Copies a Tensor, or makes one of an array, list or number.

    Args:
        x (Tensor|np.ndarray|list|tuple|number): what is copied. float64 data that is no Tensor
            becomes the default type.
        output (Tensor, optional): where the copy is put; None makes a new Tensor.

    Returns:
        Tensor: the copy (``output`` where it is given); gradients flow back to ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            y = paddle.assign(x)
            print(y.tolist())  # [1.0, 2.0]
            paddle.assign([3, 4], output=y)
            print(y.tolist())  # [3, 4]
    """
    if output is not None and recording():
        return _assign_into(x, output)
    if isinstance(x, Tensor) or is_variable(x):
        made = C.assign(x)
    elif isinstance(x, (list, tuple)) and recording() and holds_variable(x):
        made = constant_of(x, None)
    elif isinstance(x, (np.ndarray, np.generic, list, tuple, bool, int, float)):
        try:
            array = np.asarray(x)
        except ValueError:  # lists of different lengths
            raise wrong_type("assign", "x", x, "lists of equal lengths") from None
        if array.dtype.kind in "OSU":
            raise wrong_type("assign", "x", x, "a Tensor, array, list of numbers or number")
        if array.dtype == np.float64:
            array = array.astype(_dtype.numpy_dtype(_dtype._default))
        made = _assign_array(array.reshape(1) if array.ndim == 0 else array)
    else:
        raise wrong_type("assign", "x", x, "a Tensor, array, list or number")
    if output is None:
        return made
    if not isinstance(output, Tensor):
        raise wrong_type("assign", "output", output, "a Tensor")
    return overwrite(output, made)


def _assign_array(array: np.ndarray) -> Tensor:
    if get_mode() > GRAD and recording():
        return constants.array(array)
    return to_tensor(array)


def _assign_into(x: Any, output: Any) -> Any:
    """Records a copy into a Variable that exists already."""
    from paddle.ir.recording.lowering import write

    if not isinstance(output, Tensor) and not is_variable(output):
        raise wrong_type("assign", "output", output, "a Variable")
    source = x if is_variable(x) or isinstance(x, Tensor) else assign(x)
    return write(output, "assign", [source], {})
