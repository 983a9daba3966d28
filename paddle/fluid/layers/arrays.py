"""Tensor arrays as one tensor."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.fluid.layers.appending import append, layer_of, result
from paddle.ir.variable import Variable

__all__ = ["tensor_array_to_tensor"]


def tensor_array_to_tensor(
    input: Any, axis: int = 1, name: str | None = None, use_stack: bool = False
) -> tuple[Any, Any]:
    """Puts the elements of a tensor array together.

    Args:
        input (Variable|list): the array; in dynamic mode a list of Tensors.
        axis (int): the dimension along which they lie. Default: 1.
        name (str, optional): prefix of the names made.
        use_stack (bool): whether it is a new dimension. Default: False.

    Returns:
        tuple: (all elements, int32 with the size of each along the axis).

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 2])
                i = fluid.layers.fill_constant([1], "int64", 0)
                array = fluid.layers.array_write(x, i)
                fluid.layers.array_write(x, i + 1, array)
                out, sizes = fluid.layers.tensor_array_to_tensor(array, axis=1)
                feed = {"x": [[1.0, 2.0], [3.0, 4.0]]}
                found = fluid.Executor().run(feed=feed, fetch_list=[out, sizes])
                print(found[0].shape, found[1])  # (2, 4) [2 2]
            paddle.disable_static()
    """
    if not recording():
        if not isinstance(input, list):
            raise TypeError(
                f"tensor_array_to_tensor(input): expected a list, got {type(input).__name__}."
            )
        joined = tensor.stack(input, axis) if use_stack else tensor.concat(input, axis)
        sizes = [1 if use_stack else each.shape[axis] for each in input]
        return joined, tensor.to_tensor(sizes, dtype="int32")
    if not isinstance(input, Variable) or input.type != VarType.LOD_TENSOR_ARRAY:
        raise TypeError(
            "tensor_array_to_tensor(input): expected a tensor array, but received "
            f"{type(input).__name__}."
        )
    layer = layer_of("tensor_array_to_tensor", name)
    out, sizes = result(layer, input.dtype), result(layer, VarType.INT32)
    outputs = {"Out": [out], "OutIndex": [sizes]}
    attrs = {"axis": axis, "use_stack": use_stack}
    append("tensor_array_to_tensor", {"X": [input]}, outputs, **attrs)
    return out, sizes


guard_module(globals())
