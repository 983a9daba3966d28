"""QAT and PTQ: networks whose layers round, and then networks for inference of them."""

from __future__ import annotations

import abc
import copy
import warnings

from paddle.core.errors import PreconditionNotMetError
from paddle.nn.layer.layers import Layer
from paddle.quantization.base_quanter import BaseQuanter
from paddle.quantization.config import QuantConfig
from paddle.quantization.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from paddle.quantization.quanted_layers import ObserveWrapper, QuanterStub

__all__ = ["PTQ", "QAT", "Quantization"]

_DONE = (ConvertibleQuantedLayer, BaseQuanter, ObserveWrapper, QuanterStub)


class Quantization(abc.ABC):
    """What QAT and PTQ have in common.

    Args:
        config (QuantConfig): which layers get which quanters.
    """

    def __init__(self, config: QuantConfig) -> None:
        if not isinstance(config, QuantConfig):
            raise TypeError(
                f"{type(self).__name__}(config): expected a QuantConfig, but got "
                f"{type(config).__name__}."
            )
        self._config = copy.deepcopy(config)

    @abc.abstractmethod
    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Puts quanters into a network."""

    def _prepared(self, model: Layer, inplace: bool) -> Layer:
        if not isinstance(model, Layer):
            raise TypeError(
                f"{type(self).__name__}.quantize(model): expected a Layer, but got "
                f"{type(model).__name__}."
            )
        made = model if inplace else copy.deepcopy(model)
        self._config._specify(made)
        self._convert_to_quant_layers(made, self._config)
        self._insert_activation_observers(made, self._config)
        if not any(isinstance(layer, _DONE) for layer in made.sublayers()):
            warnings.warn(
                f"{type(self).__name__}.quantize: nothing to quantise: the configuration names no "
                "layer inside of the model. A single layer goes into a Sequential first.",
                stacklevel=3,
            )
        return made

    def convert(self, model: Layer, inplace: bool = False, remain_weight: bool = False) -> Layer:
        """Makes a network for inference: quanters become ``quantize_linear`` and its opposite.

        Args:
            model (Layer): what :meth:`quantize` returned, after it saw values.
            inplace (bool): change it itself. Default: False, a copy.
            remain_weight (bool): weights stay floats, which are rounded whenever they are used.
                Default: False, they become steps.
        """
        made = model if inplace else copy.deepcopy(model)
        self._convert_below(made, remain_weight)
        return made

    def _convert_below(self, layer: Layer, remain_weight: bool) -> None:
        for name, child in list(layer.named_children()):
            if isinstance(child, ConvertibleQuantedLayer):
                if not child.converted:
                    child._convert(remain_weight)
            elif isinstance(child, BaseQuanter):
                setattr(layer, name, LinearQuanterDequanter.from_quanter(child))
            else:
                self._convert_below(child, remain_weight)

    def _convert_to_quant_layers(self, model: Layer, config: QuantConfig) -> None:
        for name, child in list(model.named_children()):
            if config._is_quantifiable(child):
                setattr(model, name, config._get_qat_layer(child))
            elif not isinstance(child, _DONE):
                self._convert_to_quant_layers(child, config)

    def _insert_activation_observers(self, model: Layer, config: QuantConfig) -> None:
        for name, child in list(model.named_children()):
            if isinstance(child, _DONE):
                continue
            if config._need_observe(child):
                setattr(model, name, ObserveWrapper(config._get_observer(child), child))
            else:
                self._insert_activation_observers(child, config)

    def _details(self) -> str:
        return self._config.details()

    def __str__(self) -> str:
        return self._details()


class QAT(Quantization):
    """Training with rounded values.

    Args:
        config (QuantConfig): which layers get which quanters.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import QAT, QuantConfig
            from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
            quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
            qat = QAT(QuantConfig(activation=quanter, weight=quanter))
            net = qat.quantize(paddle.nn.Sequential(paddle.nn.Linear(4, 2)))
            net(paddle.rand([3, 4])).sum().backward()  # and an optimizer's step, many times
            net.eval()
            print(type(qat.convert(net)[0].activation_quanter).__name__)  # LinearQuanterDequanter
    """

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Returns a network that trains with rounded values.

        Args:
            model (Layer): the network, in training mode.
            inplace (bool): change it itself. Default: False, a copy.

        Raises:
            PreconditionNotMetError: it is in evaluation mode.
        """
        if not getattr(model, "training", True):
            raise PreconditionNotMetError(
                "QAT.quantize(model): expected a network in training mode: call model.train(); "
                "PTQ quantises what is not trained any more."
            )
        return self._prepared(model, inplace)


class PTQ(Quantization):
    """Scales for a network that is trained, from values that it sees.

    Args:
        config (QuantConfig): which layers get which observers.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import PTQ, QuantConfig
            from paddle.quantization.observers import AbsmaxObserver
            ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
            net = paddle.nn.Sequential(paddle.nn.Linear(4, 2))
            net.eval()
            watched = ptq.quantize(net)
            watched(paddle.rand([3, 4]))  # and other batches of calibration data
            print(ptq.convert(watched)(paddle.rand([3, 4])).shape)  # [3, 2]
    """

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Returns a network that watches its values.

        Args:
            model (Layer): the network, in evaluation mode.
            inplace (bool): change it itself. Default: False, a copy.

        Raises:
            PreconditionNotMetError: it is in training mode.
        """
        if getattr(model, "training", False):
            raise PreconditionNotMetError(
                "PTQ.quantize(model): expected a network in evaluation mode: call model.eval()."
            )
        made = self._prepared(model, inplace)
        made.eval()
        return made
