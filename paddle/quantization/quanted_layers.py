"""Layers whose values and weights are rounded by quanters of a QuantConfig."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor
from paddle.nn.layer.layers import Layer
from paddle.quantization.format import ConvertibleQuantedLayer
from paddle.quantization.imperative.layers import _Instead

__all__ = ["ObserveWrapper", "QuantedConv2D", "QuantedLinear", "QuanterStub", "Stub"]


class Stub(Layer):
    """Marks a value that is rounded or watched; without quantisation it hands it on.

    Args:
        observer (QuanterFactory, optional): makes what rounds it. None: what the configuration of
            this layer says of activations.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.nn.quant import Stub
            print(Stub()(paddle.to_tensor([1.0])).item())  # 1.0
    """

    def __init__(self, observer: Any = None) -> None:
        super().__init__()
        self.observer = observer

    def forward(self, input: Any) -> Any:
        """Returns the value."""
        return input


class QuanterStub(Layer):
    """What a :class:`Stub` becomes.

    Args:
        layer (Stub): what is replaced.
        q_config (SingleLayerConfig): its configuration.
    """

    def __init__(self, layer: Stub, q_config: Any) -> None:
        super().__init__()
        made = q_config.activation if layer.observer is None else layer.observer
        self._observer = None if made is None else made._instance(layer)

    def forward(self, input: Any) -> Any:
        """Rounds or watches the value."""
        return input if self._observer is None else self._observer(input)


class ObserveWrapper(Layer):
    """A layer with a quanter before or behind it.

    Args:
        observer (Layer): rounds or watches; values that are no floats pass by it.
        observed (Layer): the layer.
        observe_input (bool): it is before the layer, for its first input; else behind it.
            Default: True.
    """

    def __init__(self, observer: Layer, observed: Layer, observe_input: bool = True) -> None:
        super().__init__()
        self._observer, self._observed = observer, observed
        self._observe_input = observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes what the layer did."""
        if self._observe_input and inputs:
            inputs = (self._seen(inputs[0]), *inputs[1:])
        found = self._observed(*inputs, **kwargs)
        return found if self._observe_input else self._seen(found)

    def _seen(self, value: Any) -> Any:
        floats = isinstance(value, Tensor) and value.dtype.name in ("FP16", "BF16", "FP32", "FP64")
        return self._observer(value) if floats or not isinstance(value, Tensor) else value


class _Quanted(ConvertibleQuantedLayer):
    """A layer with a weight, on rounded values.

    Args:
        layer (Layer): what is quantised; its parameters stay the same ones.
        q_config (SingleLayerConfig): which quanters the weight and the activation get.
    """

    def __init__(self, layer: Layer, q_config: Any) -> None:
        super().__init__()
        self.__dict__["_layer"] = layer  # no sublayer: its parameters keep their names
        self.weight = layer.weight
        self.bias = layer.bias
        made = [q_config.weight, q_config.activation]
        self.weight_quanter, self.activation_quanter = (
            None if factory is None else factory._instance(layer) for factory in made
        )

    def forward(self, input: Any) -> Any:
        """Computes what the layer did, on rounded values."""
        if self.activation_quanter is not None:
            input = self.activation_quanter(input)
        weight = self.weight if self.weight_quanter is None else self.weight_quanter(self.weight)
        other: Any = _Instead(self._layer, weight)
        return type(self._layer).forward(other, input)

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """The weight and its quanter."""
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        """The quanter of what it reads."""
        return ["activation_quanter"]


class QuantedConv2D(_Quanted):
    """A Conv2D on rounded values; made by QAT and PTQ of the layer and its configuration."""


class QuantedLinear(_Quanted):
    """A Linear on rounded values; made by QAT and PTQ of the layer and its configuration."""
