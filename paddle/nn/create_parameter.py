"""paddle.create_parameter: a parameter outside of any layer."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.tensor import Parameter
from paddle.framework.param_attr import ParamAttr

__all__ = ["create_parameter"]


def create_parameter(
    shape: list[int] | tuple[int, ...],
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Parameter:
    """Makes a parameter that belongs to no layer.

    Args:
        shape (list[int]): its shape.
        dtype (str): its element type.
        name (str, optional): its name; goes before the one in ``attr``.
        attr (ParamAttr, optional): initializer, learning rate and so on.
        is_bias (bool): starts with zeros where no initializer is given. Default: False.
        default_initializer (Initializer, optional): used where ``attr`` names none.

    Returns:
        Parameter: the parameter.

    Examples:
        .. code-block:: python

            import paddle
            w = paddle.create_parameter([2, 3], "float32")
            print(w.shape, w.stop_gradient)  # [2, 3] False
    """
    from paddle.nn.layer.parameters import make_parameter

    attr = ParamAttr._to_attr(attr)
    if attr is False:
        raise InvalidArgumentError("create_parameter(attr): expected a ParamAttr, but got False.")
    if name is not None:
        attr.name = name
    made = make_parameter(
        shape, attr, dtype_name(dtype), is_bias, default_initializer, "create_parameter_0"
    )
    assert made is not None
    return made


guard_module(globals())
