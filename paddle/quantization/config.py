"""QuantConfig: which layers of a network get which quanters."""

from __future__ import annotations

import copy
from typing import Any

from paddle.nn.layer.common import Linear
from paddle.nn.layer.conv import Conv2D
from paddle.nn.layer.layers import Layer
from paddle.quantization.factory import QuanterFactory
from paddle.quantization.quanted_layers import QuantedConv2D, QuantedLinear, QuanterStub, Stub

__all__ = ["QuantConfig", "SingleLayerConfig"]

_DEFAULT: dict[type, type] = {Stub: QuanterStub, Conv2D: QuantedConv2D, Linear: QuantedLinear}


class SingleLayerConfig:
    """The quanters of a layer.

    Args:
        activation (QuanterFactory, optional): for what it reads. None: nothing.
        weight (QuanterFactory, optional): for its weight. None: nothing.
    """

    def __init__(self, activation: Any, weight: Any) -> None:
        for name, value in (("activation", activation), ("weight", weight)):
            if value is not None and not isinstance(value, QuanterFactory):
                raise TypeError(
                    f"QuantConfig({name}): expected a factory of quanters, such as "
                    f"FakeQuanterWithAbsMaxObserver(), or None, but got {type(value).__name__}."
                )
        self._activation, self._weight = activation, weight

    @property
    def activation(self) -> Any:
        """The factory for what the layer reads."""
        return self._activation

    @property
    def weight(self) -> Any:
        """The factory for the layer's weight."""
        return self._weight

    def __str__(self) -> str:
        return f"activation: {self._activation}\nweight: {self._weight}"


class QuantConfig:
    """Says which quanters the layers of a network get.

    What is said of a layer or its name counts before what is said of its type, that before what is
    said of the layers around it, and that before what is said here.

    Args:
        activation (QuanterFactory|None): for what all layers read.
        weight (QuanterFactory|None): for the weights of all layers.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import QAT, QuantConfig
            from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
            quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
            config = QuantConfig(activation=None, weight=None)
            config.add_type_config(paddle.nn.Linear, activation=quanter, weight=quanter)
            net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
            print(type(QAT(config).quantize(net)[0]).__name__)  # QuantedLinear
    """

    def __init__(self, activation: Any, weight: Any) -> None:
        config = SingleLayerConfig(activation, weight)
        self._global_config = None if activation is None and weight is None else config
        self._layer2config: dict[Layer, SingleLayerConfig] = {}
        self._name2config: dict[str, SingleLayerConfig] = {}
        self._type2config: dict[type, SingleLayerConfig] = {}
        self._model: Layer | None = None
        self._details: list[str] = []
        self._qat_layer_mapping = dict(_DEFAULT)
        self._customized_leaves: list[type] = []

    def add_layer_config(self, layer: Any, activation: Any = None, weight: Any = None) -> None:
        """Says which quanters some layers get, and the layers in them.

        Args:
            layer (Layer|list[Layer]): which ones.
            activation (QuanterFactory, optional): for what they read.
            weight (QuanterFactory, optional): for their weights.
        """
        layers = _checked(layer, "add_layer_config(layer)", Layer)
        self.add_name_config([each.full_name() for each in layers], activation, weight)

    def add_name_config(self, layer_name: Any, activation: Any = None, weight: Any = None) -> None:
        """Says which quanters the layers of some names get, and the layers in them.

        Args:
            layer_name (str|list[str]): what their ``full_name()`` returns.
            activation (QuanterFactory, optional): for what they read.
            weight (QuanterFactory, optional): for their weights.
        """
        config = SingleLayerConfig(activation, weight)
        for name in _checked(layer_name, "add_name_config(layer_name)", str):
            self._name2config[name] = config

    def add_type_config(self, layer_type: Any, activation: Any = None, weight: Any = None) -> None:
        """Says which quanters the layers of some types get, and the layers in them.

        Args:
            layer_type (type|list[type]): which types of Layer.
            activation (QuanterFactory, optional): for what they read.
            weight (QuanterFactory, optional): for their weights.
        """
        config = SingleLayerConfig(activation, weight)
        for kind in _checked(layer_type, "add_type_config(layer_type)", type):
            self._type2config[kind] = config

    def add_qat_layer_mapping(self, source: type, target: type) -> None:
        """Says which class takes the place of a layer.

        Args:
            source (type): a type of Layer.
            target (type): is called with the layer and its configuration.
        """
        for kind in (source, target):
            if not (isinstance(kind, type) and issubclass(kind, Layer)):
                raise TypeError(
                    f"add_qat_layer_mapping: expected types of Layer, but got {kind!r}."
                )
        self._qat_layer_mapping[source] = target

    def add_customized_leaf(self, layer_type: type) -> None:
        """Says that a type of layer is watched as a whole, not the layers in it.

        Args:
            layer_type (type): a type of Layer.
        """
        self._customized_leaves += _checked(layer_type, "add_customized_leaf(layer_type)", type)

    @property
    def customized_leaves(self) -> list[type]:
        """The types of :meth:`add_customized_leaf`."""
        return self._customized_leaves

    @property
    def global_config(self) -> SingleLayerConfig | None:
        """The quanters of layers of which nothing else is said."""
        return self._global_config

    @property
    def qat_layer_mappings(self) -> dict[type, type]:
        """Which class takes the place of which layer."""
        return self._qat_layer_mapping

    @property
    def default_qat_layer_mapping(self) -> dict[type, type]:
        """Which class takes the place of which layer where nobody said otherwise."""
        return dict(_DEFAULT)

    # -- what QAT and PTQ ask ---------------------------------------------------------------------

    def __deepcopy__(self, memo: dict) -> QuantConfig:
        made = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (dict, list)):
                setattr(made, name, copy.copy(value))
        return made

    def _specify(self, model: Layer) -> None:
        """Finds out for each layer of a network which quanters it gets."""
        self._model = model
        self._layer2config = {}
        self._specify_below(model, self._of(model, self._global_config))
        self._details = [
            f"{name} ({type(layer).__name__}): {_line(self._layer2config[layer])}"
            for name, layer in model.named_sublayers()
            if self._is_quantifiable(layer) or self._need_observe(layer)
        ]

    def _of(self, layer: Layer, around: SingleLayerConfig | None) -> SingleLayerConfig | None:
        found = self._type2config.get(type(layer), around)
        found = self._name2config.get(layer.full_name(), found)
        if found is not None:
            self._layer2config[layer] = found
        return found

    def _specify_below(self, layer: Layer, config: SingleLayerConfig | None) -> None:
        for child in layer.children():
            self._specify_below(child, self._of(child, config))

    def _get_config_by_layer(self, layer: Layer) -> SingleLayerConfig | None:
        return self._layer2config.get(layer)

    def _is_quantifiable(self, layer: Layer) -> bool:
        return layer in self._layer2config and type(layer) in self._qat_layer_mapping

    def _get_qat_layer(self, layer: Layer) -> Layer:
        return self._qat_layer_mapping[type(layer)](layer, self._layer2config[layer])

    def _is_leaf(self, layer: Layer) -> bool:
        return type(layer) in self._customized_leaves or not any(True for _ in layer.children())

    def _has_observer_config(self, layer: Layer) -> bool:
        config = self._get_config_by_layer(layer)
        return config is not None and config.activation is not None

    def _need_observe(self, layer: Layer) -> bool:
        return self._is_leaf(layer) and self._has_observer_config(layer)

    def _get_observer(self, layer: Layer) -> Layer:
        return self._layer2config[layer].activation._instance(layer)

    # -- as text ----------------------------------------------------------------------------------

    def details(self) -> str:
        """Returns what each layer gets, once QAT or PTQ has seen a network."""
        return str(self) if self._model is None else "\n".join(self._details)

    def __str__(self) -> str:
        lines = ["Global config:", str(self._global_config)]
        if self._name2config:
            lines.append("Layer names:")
            lines += [f"{name}: {_line(config)}" for name, config in self._name2config.items()]
        if self._type2config:
            lines.append("Types:")
            lines += [f"{k.__name__}: {_line(config)}" for k, config in self._type2config.items()]
        return "\n".join(lines)


def _line(config: SingleLayerConfig) -> str:
    return ", ".join(str(config).splitlines())


def _checked(value: Any, argument: str, kind: type) -> list[Any]:
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    for each in listed:
        fits = isinstance(each, kind)
        if kind is type:
            fits = isinstance(each, type) and issubclass(each, Layer)
        if not fits:
            wanted = "a type of Layer" if kind is type else f"a {kind.__name__}"
            raise TypeError(f"QuantConfig.{argument}: expected {wanted}, but got {each!r:.80}.")
    return listed
