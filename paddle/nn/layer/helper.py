"""What 2.0's own layers build operators with, for layers that were written like them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddle import tensor
from paddle.core.dtype import get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import computed
from paddle.core.tensor import Tensor
from paddle.framework import by_name
from paddle.ir.current import default_main_program
from paddle.ir.recording.context import captured
from paddle.nn import functional as F


class LayerObjectHelper:
    """Makes parameters, results and operators for a Layer; found as ``layer._helper``.

    Args:
        layer (Layer): the Layer.

    Examples:
        .. code-block:: python

            import paddle

            class Double(paddle.nn.Layer):
                def forward(self, x):
                    out = self._helper.create_variable_for_type_inference(x.dtype)
                    self._helper.append_op(
                        type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 2.0})
                    return out

            print(Double()(paddle.ones([2])).numpy())  # [2. 2.]
    """

    def __init__(self, layer: Any) -> None:
        self._layer = layer

    @property
    def name(self) -> str:
        """The Layer's name."""
        return self._layer.full_name()

    def get_default_dtype(self) -> str:
        """Returns :func:`paddle.get_default_dtype`."""
        return get_default_dtype()

    def create_parameter(
        self, attr: Any, shape: Any, dtype: Any = None, is_bias: bool = False,
        default_initializer: Any = None,
    ) -> Any:  # fmt: skip
        """Calls :meth:`Layer.create_parameter`; note the other order of arguments."""
        return self._layer.create_parameter(shape, attr, dtype, is_bias, default_initializer)

    def create_variable_for_type_inference(self, dtype: Any, stop_gradient: bool = False) -> Any:
        """Returns what an operator will put its result into.

        Args:
            dtype (VarType|str): of the result; the operator has the last word.
            stop_gradient (bool): the result gets no gradient. Default: False.
        """
        if recording():
            block = default_main_program().current_block()
            return block.create_var(dtype=to_vartype(dtype), stop_gradient=stop_gradient)
        return tensor.zeros([1], dtype)

    def append_op(
        self, type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any],
        attrs: Mapping[str, Any] | None = None, stop_gradient: bool = False,
    ) -> Any:  # fmt: skip
        """Runs an operator, or records it in static mode and returns what was recorded.

        Args:
            type (str): the operator's name.
            inputs (dict): slot -> Tensor, or a list of them.
            outputs (dict): slot -> what :meth:`create_variable_for_type_inference` made.
            attrs (dict, optional): attributes; ``use_...`` and ``mkldnn_...`` change nothing.
            stop_gradient (bool): the results get no gradient. Default: False.
        """
        attrs = dict(attrs or {})
        if recording():
            block = default_main_program().current_block()
            given = {slot: _variables(tensors) for slot, tensors in inputs.items()}
            return block.append_op(type, given, dict(outputs), attrs, stop_gradient)
        by_name.trace("append_op", type, inputs, outputs, attrs, stop_gradient)
        return None

    def append_activation(self, x: Any, act: str | None = None) -> Any:
        """Applies the function of a name in ``paddle.nn.functional``; None: none."""
        if act is None:
            return x
        if not callable(getattr(F, act, None)):
            raise InvalidArgumentError(
                f"append_activation(act): there is no paddle.nn.functional.{act}."
            )
        return getattr(F, act)(x)


def _variables(given: Any) -> Any:
    """What a Program knows eager Tensors by, where a function is recorded."""
    if isinstance(given, (list, tuple)):
        return [_variables(item) for item in given]
    return captured(given) if isinstance(given, Tensor) else given


def activation_of(api: str, act: Any) -> tuple[str, dict[str, Any]]:
    """Reads the argument ``act``: the operator's name, and its attributes.

    Args:
        api (str): whose argument it is, for error texts.
        act (str|dict): a name, or a dict with the name as ``type`` and attributes beside it.

    Raises:
        TypeError: it names nothing.
        ValueError: no operator of one input has the name.
    """
    attrs: dict[str, Any] = dict(act) if isinstance(act, dict) else {"type": act}
    kind = attrs.pop("type", None)
    if not isinstance(kind, str):
        raise TypeError(f"{api}(act): expected the activation's name, got {type(kind).__name__}.")
    known = computed(kind)
    if known is None or len(known.inputs) != 1:
        raise InvalidArgumentError(
            f"{api}(act): there is no activation named {kind!r}.",
            hint="one like 'relu', 'sigmoid', 'tanh', 'softmax'",
        )
    return kind, attrs
