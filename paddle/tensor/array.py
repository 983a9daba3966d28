"""Tensor arrays: lists of Tensors that loops read and write by position."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import REGISTRY
from paddle.core.tensor import Tensor
from paddle.ir.current import default_main_program
from paddle.ir.recording.record import append, lowering
from paddle.ir.variable import Variable

__all__ = ["array_length", "array_read", "array_write", "create_array"]


def create_array(dtype: Any) -> Any:
    """Makes an empty tensor array.

    Args:
        dtype (str|VarType): element type of the Tensors it will hold.

    Returns:
        Variable: a tensor array; in dynamic mode an empty list.

    Examples:
        .. code-block:: python

            import paddle
            array = paddle.tensor.create_array("float32")
            print(array)  # []
    """
    kind = to_vartype(dtype)
    if not recording():
        return []
    return _made("array", kind)


def _made(name: str, kind: Any) -> Variable:
    return (
        default_main_program()
        .current_block()
        .create_var(
            name=f"{unique_name.generate(name)}.out",
            type=VarType.LOD_TENSOR_ARRAY,
            dtype=kind,
        )
    )


def array_write(x: Any, i: Any, array: Any = None) -> Any:
    """Puts a Tensor into an array.

    Args:
        x (Tensor): what is put in.
        i (Tensor|int): the position, one int64. An array grows as needed in a static Program; in
            dynamic mode the position is at most its length.
        array (Variable|list, optional): the array; None makes one.

    Returns:
        Variable|list: the array.

    Examples:
        .. code-block:: python

            import paddle
            array = paddle.tensor.create_array("float32")
            i = paddle.zeros([1], "int64")
            paddle.tensor.array_write(paddle.full([2], 5.0), i, array)
            print(paddle.tensor.array_length(array))  # 1
    """
    if not isinstance(x, (Tensor, Variable)):
        raise TypeError(f"array_write(x): expected a Tensor, but received {type(x).__name__}.")
    if not recording():
        array = [] if array is None else _list("array_write", array)
        at = _position("array_write", i)
        if not 0 <= at <= len(array):
            raise InvalidArgumentError(
                f"array_write(i): expected a position from 0 to the array's length {len(array)}, "
                f"but received {at}."
            )
        array[at : at + 1] = [x]
        return array
    index, value = _index("array_write", i), _variable(x)
    if array is None:
        array = _made("array_write", value.dtype)
    _check_array("array_write", array)
    default_main_program().current_block().append_op(
        type="write_to_array", inputs={"X": [value], "I": [index]}, outputs={"Out": [array]}
    )
    return array


def array_read(array: Any, i: Any) -> Any:
    """Takes a Tensor out of an array.

    Args:
        array (Variable|list): the array.
        i (Tensor|int): the position, one int64.

    Returns:
        Tensor: what was put in there.

    Examples:
        .. code-block:: python

            import paddle
            i = paddle.zeros([1], "int64")
            array = paddle.tensor.array_write(paddle.full([2], 5.0), i)
            print(paddle.tensor.array_read(array, i).numpy())  # [5. 5.]
    """
    if not recording():
        _list("array_read", array)
        at = _position("array_read", i)
        if not 0 <= at < len(array):
            raise InvalidArgumentError(
                f"array_read(i): expected a position below the array's length {len(array)}, "
                f"but received {at}."
            )
        return array[at]
    _check_array("array_read", array)
    index = _index("array_read", i)
    block = default_main_program().current_block()
    out = block.create_var(
        name=unique_name.generate(unique_name.generate("array_read") + ".tmp"), dtype=array.dtype,
        stop_gradient=array.stop_gradient,
    )  # fmt: skip
    block.append_op(
        type="read_from_array", inputs={"X": [array], "I": [index]}, outputs={"Out": [out]}
    )
    return out


def array_length(array: Any) -> Any:
    """Returns the number of Tensors in an array.

    Args:
        array (Variable|list): the array.

    Returns:
        Variable: one int64; in dynamic mode an int.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.tensor.array_length(paddle.tensor.create_array("int64")))  # 0
    """
    if not recording():
        return len(_list("array_length", array))
    _check_array("array_length", array)
    block = default_main_program().current_block()
    out = block.create_var(
        name=unique_name.generate(unique_name.generate("array_length") + ".tmp"),
        dtype=VarType.INT64, stop_gradient=True,
    )  # fmt: skip
    block.append_op(type="lod_array_length", inputs={"X": [array]}, outputs={"Out": [out]})
    return out


def is_array(value: Any) -> bool:
    """Says whether a value is a tensor array of a static Program."""
    return isinstance(value, Variable) and value.type == VarType.LOD_TENSOR_ARRAY


def join_array(array: Any, axis: int, stack: bool = False) -> Any:
    """Joins the elements of a tensor array along a dimension that they have, or along a new one.

    Args:
        array (Variable): the array.
        axis (int): the dimension.
        stack (bool): whether it is a new one. Default: False.
    """
    _check_array("stack" if stack else "concat", array)
    block = default_main_program().current_block()
    name = unique_name.generate("tensor_array_to_tensor")
    out = block.create_var(
        name=unique_name.generate(f"{name}.tmp"), dtype=array.dtype,
        stop_gradient=array.stop_gradient,
    )  # fmt: skip
    sizes = block.create_var(
        name=unique_name.generate(f"{name}.tmp"), dtype=VarType.INT32, stop_gradient=True
    )
    block.append_op(
        type="tensor_array_to_tensor", inputs={"X": [array]},
        outputs={"Out": [out], "OutIndex": [sizes]}, attrs={"axis": axis, "use_stack": stack},
    )  # fmt: skip
    return out


# -- arguments -------------------------------------------------------------------------------------


def _list(api: str, array: Any) -> list:
    if not isinstance(array, list):
        raise TypeError(f"{api}(array): expected a list, but received {type(array).__name__}.")
    return array


def _position(api: str, i: Any) -> int:
    if isinstance(i, int) and not isinstance(i, bool):
        return i
    if not isinstance(i, Tensor):
        raise TypeError(f"{api}(i): expected an int64 Tensor, but received {type(i).__name__}.")
    if i.size != 1 or i.dtype not in (VarType.INT64, VarType.INT32):
        raise InvalidArgumentError(
            f"{api}(i): expected one int64, but received {i.dtype} of shape {i.shape}."
        )
    return int(i)


def _index(api: str, i: Any) -> Variable:
    if isinstance(i, int) and not isinstance(i, bool):
        from paddle.core.constants import number

        return number(i, VarType.INT64)
    if not isinstance(i, (Variable, Tensor)):
        raise TypeError(f"{api}(i): expected an int64 Variable, but got {type(i).__name__}.")
    index = _variable(i)
    if index.dtype not in (VarType.INT64, VarType.INT32) or any(n not in (1, -1) for n in i.shape):
        raise InvalidArgumentError(
            f"{api}(i): expected one int64, but received {i.dtype} of shape {list(i.shape)}."
        )
    return index


def _variable(value: Any) -> Variable:
    from paddle.ir.recording.lowering import as_variable

    return as_variable(value)


def _check_array(api: str, array: Any) -> None:
    if not isinstance(array, Variable) or array.type != VarType.LOD_TENSOR_ARRAY:
        found = repr(array) if isinstance(array, Variable) else type(array).__name__
        raise TypeError(f"{api}(array): expected a tensor array, but received {found}.")


@lowering("assign")
def _assign(args: tuple, attrs: dict[str, Any]) -> Any:
    """A copy of an array is an array."""
    source = args[0]
    if not isinstance(source, Variable) or source.type != VarType.LOD_TENSOR_ARRAY:
        return append(REGISTRY["assign"], args, attrs)
    block = default_main_program().current_block()
    made = _made("array", source.dtype)
    made.shape, made.stop_gradient = source.shape, source.stop_gradient
    block.append_op(type="assign", inputs={"X": [source]}, outputs={"Out": [made]})
    return made
