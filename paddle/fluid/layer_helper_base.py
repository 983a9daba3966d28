"""fluid.layer_helper_base: what makes parameters, variables and operators, by a name alone."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from paddle.core import dtype as dtypes
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.incubate.layer_helper import LayerHelper

__all__ = ["LayerHelperBase"]


class LayerHelperBase(LayerHelper, metaclass=ABCMeta):
    """Makes parameters, variables and operators that are named after a layer.

    Args:
        name (str): what parameters and results are named after.
        layer_type (str): the kind of layer.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.fluid.layer_helper_base import LayerHelperBase
            paddle.enable_static()
            helper = LayerHelperBase("mine", "fc")
            print(helper.create_parameter(None, [2, 3], "float32").name)  # mine.w_0
            paddle.disable_static()
    """

    def __init__(self, name: str, layer_type: str) -> None:
        super().__init__(layer_type, name=name)

    def create_parameter(  # type: ignore[override]
        self, attr: Any, shape: Any, dtype: Any = None, is_bias: bool = False,
        default_initializer: Any = None, stop_gradient: bool = False,
        type: Any = VarType.LOD_TENSOR,
    ) -> Any:  # fmt: skip
        """Makes a parameter, and in static mode records how it is filled.

        Args:
            attr (ParamAttr): how; False makes none.
            shape (list[int]): its shape.
            dtype (str, optional): None means the default data type.
            is_bias (bool): it starts at zero. Default: False.
            default_initializer (Initializer, optional): where ``attr`` has none.
            stop_gradient (bool): it gets no gradient. Default: False.
            type (VarType): LOD_TENSOR; there are no parameters of another kind.

        Raises:
            ValueError: another kind.
        """
        if type != VarType.LOD_TENSOR:
            raise InvalidArgumentError(
                f"LayerHelperBase.create_parameter(type): expected LOD_TENSOR, but received {type}."
            )
        return super().create_parameter(
            attr, shape, dtype, is_bias, default_initializer, stop_gradient
        )

    @classmethod
    def get_default_dtype(cls) -> str:  # type: ignore[override]
        """Returns the element type of parameters whose type nobody says."""
        return dtypes.get_default_dtype()

    @classmethod
    def set_default_dtype(cls, dtype: Any) -> None:
        """Sets the element type of parameters whose type nobody says.

        Args:
            dtype (str): float16, float32 or float64.
        """
        dtypes.set_default_dtype(dtype)

    @classmethod
    def __subclasshook__(cls, other: Any) -> Any:
        return issubclass(other, LayerHelper) if cls is LayerHelperBase else NotImplemented
