"""Checks of arguments that client libraries call while they add operators to a Program.

In dynamic mode they let everything pass, as in PaddlePaddle: there the operator itself complains.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.mode import recording
from paddle.ir.variable import Variable

__all__ = [
    "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype",
    "convert_np_dtype_to_dtype_",
]  # fmt: skip


_UNSIZED = (float, int, complex, "float", "int", "complex")


def convert_dtype(dtype: Any) -> str:
    """Returns the name of a dtype.

    Args:
        dtype (str|numpy.dtype|VarType): the dtype.

    Raises:
        TypeError: there is no such dtype.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.common_ops_import.convert_dtype(paddle.float32))  # float32
    """
    return dtype_name(convert_np_dtype_to_dtype_(dtype))


def convert_np_dtype_to_dtype_(np_dtype: Any) -> VarType:
    """Returns the dtype that a name or a dtype of NumPy stands for.

    Args:
        np_dtype (str|numpy.dtype|VarType): the dtype.

    Raises:
        TypeError: there is no such dtype.

    Examples:
        .. code-block:: python

            import paddle
            convert = paddle.common_ops_import.convert_np_dtype_to_dtype_
            print(convert('int64') == paddle.int64)  # True
    """
    if isinstance(np_dtype, (str, type)) and np_dtype in _UNSIZED:
        raise InvalidTypeError(
            f"expected a dtype of a given number of bits, such as 'float32', but got {np_dtype!r}."
        )
    try:
        return to_vartype(np_dtype)
    except InvalidArgumentError as error:  # PaddlePaddle calls an unknown name a wrong type
        raise InvalidTypeError(str(error).partition(") ")[2]) from None


def check_type(
    input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = ""
) -> None:
    """Raises where an argument has another type than those expected; only in static mode.

    Args:
        input: the argument.
        input_name (str): its name.
        expected_type (type|tuple): the types.
        op_name (str): the function that is called.
        extra_message (str): goes behind the text of the error.

    Raises:
        TypeError: it has another type.

    Examples:
        .. code-block:: python

            import paddle
            paddle.common_ops_import.check_type(3, 'axis', int, 'my_function')
    """
    if recording() and not isinstance(input, expected_type):
        kinds = expected_type if isinstance(expected_type, tuple) else (expected_type,)
        names = ", ".join(getattr(k, "__name__", str(k)) for k in kinds)
        raise InvalidTypeError(
            f"{op_name}({input_name}): expected {names}, but received {type(input).__name__}. "
            f"{extra_message}".rstrip()
        )


def check_dtype(
    input_dtype: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """Raises where a dtype is another one than those expected; only in static mode.

    Args:
        input_dtype: the dtype.
        input_name (str): the argument that has it.
        expected_dtype (str|list[str]): the dtypes.
        op_name (str): the function that is called.
        extra_message (str): goes behind the text of the error.

    Raises:
        TypeError: it is another one.

    Examples:
        .. code-block:: python

            import paddle
            paddle.common_ops_import.check_dtype('int32', 'x', ['int32', 'int64'], 'my_function')
    """
    if not recording():
        return
    known = [expected_dtype] if isinstance(expected_dtype, (str, np.dtype)) else expected_dtype
    if convert_dtype(input_dtype) not in [convert_dtype(t) for t in known]:
        raise InvalidTypeError(
            f"{op_name}({input_name}): expected the dtype {' or '.join(map(str, known))}, but "
            f"received {convert_dtype(input_dtype)}. {extra_message}".rstrip()
        )


def check_variable_and_dtype(
    input: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """Raises where an argument is no Variable of the dtypes expected; only in static mode.

    Args:
        input: the argument.
        input_name (str): its name.
        expected_dtype (str|list[str]): the dtypes.
        op_name (str): the function that is called.
        extra_message (str): goes behind the text of the error.

    Raises:
        TypeError: it is something else, or of another dtype.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.ones([2])
            paddle.common_ops_import.check_variable_and_dtype(x, 'x', ['float32'], 'my_function')
    """
    if recording():
        check_type(input, input_name, Variable, op_name, extra_message)
        check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)
