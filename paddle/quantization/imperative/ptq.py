"""ImperativePTQ: trained Layers are calibrated by data, without training."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from paddle import jit, nn
from paddle.core.errors import InvalidArgumentError
from paddle.nn.layer.layers import Layer
from paddle.quantization.calibrate import Seen, warn_of_outliers
from paddle.quantization.folding import fold_layers
from paddle.quantization.imperative.layers import (
    QuantizedConv2D,
    QuantizedConv2DTranspose,
    QuantizedLinear,
)
from paddle.quantization.numbers import scales_of, top_step

__all__ = [
    "AbsmaxQuantizer",
    "BaseQuantizer",
    "HistQuantizer",
    "ImperativePTQ",
    "KLQuantizer",
    "PTQConfig",
    "PerChannelAbsmaxQuantizer",
    "SUPPORT_ACT_QUANTIZERS",
    "SUPPORT_WT_QUANTIZERS",
    "default_ptq_config",
]

_LAYERS: dict[type, type] = {
    nn.Conv2D: QuantizedConv2D,
    nn.Conv2DTranspose: QuantizedConv2DTranspose,
    nn.Linear: QuantizedLinear,
}


class BaseQuantizer:
    """Sees values, and says which one the highest step stands for.

    Args:
        quant_bits (int): bits of a step. Default: 8.

    Attributes:
        thresholds (list): what :meth:`cal_thresholds` found.
    """

    algorithm = "abs_max"

    def __init__(self, quant_bits: int = 8) -> None:
        top_step(quant_bits)
        self.quant_bits = quant_bits
        self.percent = 0.99999
        self.thresholds: list[Any] = []
        self.seen: list[Seen] = []
        self.name = ""  # of the layer

    def sample_data(self, layer: Layer, tensors: Any) -> None:
        """Looks at values.

        Args:
            layer (Layer): whose they are.
            tensors (tuple): the values.
        """
        while len(self.seen) < len(tensors):
            self.seen.append(Seen())
        for seen, value in zip(self.seen, tensors, strict=False):
            seen.add(np.asarray(value.numpy()), layer.full_name())
        self.name = layer.full_name()

    def cal_thresholds(self) -> None:
        """Makes ``thresholds`` of what was seen."""
        for seen in self.seen:
            warn_of_outliers(seen, self.name)
        self.thresholds = [
            seen.scale(self.algorithm, self.quant_bits, self.percent) for seen in self.seen
        ]


class AbsmaxQuantizer(BaseQuantizer):
    """Takes the largest absolute value.

    Args:
        quant_bits (int): bits of a step. Default: 8.
    """


class PerChannelAbsmaxQuantizer(BaseQuantizer):
    """Takes the largest absolute value of each channel of a weight.

    Args:
        quant_bits (int): bits of a step. Default: 8.
    """

    def sample_data(self, layer: Layer, tensors: Any) -> None:
        """Looks at weights.

        Args:
            layer (Layer): whose they are.
            tensors (tuple): the weights.
        """
        axis = _LAYERS[type(layer)].channel_axis  # type: ignore[attr-defined]
        self.thresholds = [scales_of(np.asarray(w.numpy()), axis).tolist() for w in tensors]

    def cal_thresholds(self) -> None:
        """Has nothing to do: weights are seen once."""


class HistQuantizer(BaseQuantizer):
    """Takes the value that a share of values lies below.

    Args:
        quant_bits (int): bits of a step. Default: 8.
        hist_percent (float): the share. Default: 0.99999.
    """

    algorithm = "hist"

    def __init__(self, quant_bits: int = 8, hist_percent: float = 0.99999) -> None:
        super().__init__(quant_bits)
        if not 0 < hist_percent <= 1:
            raise InvalidArgumentError(
                f"HistQuantizer(hist_percent): expected a share up to 1, but got {hist_percent!r}."
            )
        self.percent = hist_percent


class KLQuantizer(BaseQuantizer):
    """Takes the value by which the least information is lost (Kullback and Leibler).

    Args:
        quant_bits (int): bits of a step. Default: 8.
        kept (bool): cut off one value in a thousand at most, and none that stands alone. With
            few data this is nearer to the numbers in floats than the published form.
            Default: False.
    """

    algorithm = "KL"

    def __init__(self, quant_bits: int = 8, *, kept: bool = False) -> None:
        super().__init__(quant_bits)
        if kept:
            self.algorithm = "KL_kept"


SUPPORT_ACT_QUANTIZERS = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
SUPPORT_WT_QUANTIZERS = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]


class PTQConfig:
    """How values and weights are quantised.

    Args:
        activation_quantizer (BaseQuantizer): for values; each layer gets a copy.
        weight_quantizer (BaseQuantizer): for weights: AbsmaxQuantizer or
            PerChannelAbsmaxQuantizer.

    Examples:
        .. code-block:: python

            from paddle.quantization import KLQuantizer, PerChannelAbsmaxQuantizer, PTQConfig
            config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())
            print(config.activation_quantizer.quant_bits)  # 8
    """

    def __init__(self, activation_quantizer: Any, weight_quantizer: Any) -> None:
        for given in (activation_quantizer, weight_quantizer):
            if not isinstance(given, BaseQuantizer):
                raise TypeError(f"PTQConfig: expected quantizers, but got {given!r}.")
        if isinstance(activation_quantizer, PerChannelAbsmaxQuantizer):
            raise InvalidArgumentError(
                "PTQConfig(activation_quantizer): PerChannelAbsmaxQuantizer is for weights."
            )
        if type(weight_quantizer) not in SUPPORT_WT_QUANTIZERS:
            raise InvalidArgumentError(
                "PTQConfig(weight_quantizer): expected AbsmaxQuantizer or "
                f"PerChannelAbsmaxQuantizer, but got {type(weight_quantizer).__name__}."
            )
        self.activation_quantizer = activation_quantizer
        self.weight_quantizer = weight_quantizer


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())


class _Watch:
    """A hook that lets a quantizer see what a layer reads."""

    def __init__(self, layer: Layer, config: PTQConfig) -> None:
        self.activation = copy.deepcopy(config.activation_quantizer)
        self.weight = copy.deepcopy(config.weight_quantizer)
        self.handle = layer.register_forward_pre_hook(self)

    def __call__(self, layer: Layer, inputs: Any) -> None:
        self.activation.sample_data(layer, inputs[:1])


class ImperativePTQ:
    """Quantises a Layer by what it computes for some data.

    Args:
        quant_config (PTQConfig): how. Default: KL for values, channels for weights.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import ImperativePTQ
            net = paddle.nn.Sequential(paddle.nn.Linear(4, 3))
            ptq = ImperativePTQ()
            watched = ptq.quantize(net)
            watched(paddle.ones([2, 4]))
            made = ptq.convert(watched)
            print(type(made[0]).__name__, made[0]._fake_quant_input._scale.numpy())
            # QuantizedLinear [1.]
    """

    def __init__(self, quant_config: PTQConfig = default_ptq_config) -> None:
        if not isinstance(quant_config, PTQConfig):
            raise TypeError(
                "ImperativePTQ(quant_config): expected a PTQConfig, "
                f"but got {type(quant_config).__name__}."
            )
        self._config = quant_config

    def quantize(
        self, model: Layer, inplace: bool = False, fuse: bool = False, fuse_list: Any = None
    ) -> Layer:
        """Lets layers watch what they read; run the model over data then.

        Args:
            model (Layer): a trained one.
            inplace (bool): the model itself, not a copy. Default: False.
            fuse (bool): fold batch normalisation into the convolutions before. Default: False.
            fuse_list (list, optional): pairs of names, ``[["conv1", "bn1"]]``: which ones. Default:
                norms that stand directly behind a convolution.

        Returns:
            Layer: in evaluation mode.
        """
        if not isinstance(model, Layer):
            raise TypeError(
                f"ImperativePTQ.quantize(model): expected a Layer, but got {type(model).__name__}."
            )
        made = model if inplace else copy.deepcopy(model)
        made.eval()
        if fuse:
            fold_layers(made, fuse_list)
        found = 0
        for layer in made.sublayers(include_self=True):
            if type(layer) in _LAYERS and not getattr(layer, "skip_quant", False):
                layer.__dict__["_ptq_watch"] = _Watch(layer, self._config)
                found += 1
        if not found:
            warnings.warn(
                "ImperativePTQ.quantize: nothing to quantise: the model has none of "
                f"{[kind.__name__ for kind in _LAYERS]} that are still in floats.",
                stacklevel=2,
            )
        return made

    def convert(self, model: Layer) -> Layer:
        """Puts layers that round in the place of those that watched.

        Args:
            model (Layer): what :meth:`quantize` returned, run over data.

        Returns:
            Layer: the model, with other layers.

        Raises:
            ValueError: nothing of it was run.
        """
        found = 0
        for holder in list(model.sublayers(include_self=True)):
            for name, layer in list(holder.named_children()):
                watch = layer.__dict__.get("_ptq_watch")
                if watch is None:
                    continue
                watch.handle.remove()
                del layer.__dict__["_ptq_watch"]
                if watch.activation.seen:
                    holder.add_sublayer(name, _converted(layer, watch))
                    found += 1
        if not found:
            raise InvalidArgumentError(
                "ImperativePTQ: no layer has seen data. Expected a model that quantize() returned "
                "and that was then run over some batches."
            )
        return model

    def save_quantized_model(
        self, model: Layer, path: str, input_spec: Any = None, **config: Any
    ) -> None:
        """Saves a Program for inference, with the operators that round.

        Args:
            model (Layer): what :meth:`quantize` returned, run over data; it is converted.
            path (str): files are called so, with their ends.
            input_spec (list, optional): as in paddle.jit.save.
            **config: as in paddle.jit.save.
        """
        jit.save(self.convert(model), path, input_spec=input_spec, **config)


def _converted(layer: Layer, watch: _Watch) -> Layer:
    watch.activation.cal_thresholds()
    channels = isinstance(watch.weight, PerChannelAbsmaxQuantizer)
    made = _LAYERS[type(layer)](
        layer,
        weight_bits=watch.weight.quant_bits,
        activation_bits=watch.activation.quant_bits,
        weight_quantize_type="channel_wise_abs_max" if channels else "abs_max",
        activation_quantize_type="moving_average_abs_max",
    )
    scale = watch.activation.thresholds[0] or 1e-8  # nothing but zeros was seen
    made.fix_scale(scale)
    made.eval()
    return made
