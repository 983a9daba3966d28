"""ImperativeQuantAware: Layers that are trained with rounded values and weights."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from paddle import nn
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CPUPlace
from paddle.ir.program import Program
from paddle.nn.layer.layers import Layer
from paddle.quantization.folding import fold_layers
from paddle.quantization.imperative.layers import (
    QuantizedConv2D,
    QuantizedConv2DTranspose,
    QuantizedLinear,
    QuantizedNoweightLayer,
)
from paddle.quantization.imperative.out_scale import ImperativeCalcOutScale, save_with_scales
from paddle.quantization.inserting import check_choice
from paddle.quantization.linear_format import QuantWeightPass, ReplaceFakeQuantDequantPass
from paddle.quantization.numbers import top_step
from paddle.quantization.saved import rewrite
from paddle.static.ir_graph import Graph, IrGraph

__all__ = ["ImperativeQuantAware"]

_WITH_WEIGHT: dict[str, tuple[type, type]] = {
    "Conv2D": (nn.Conv2D, QuantizedConv2D),
    "Conv2DTranspose": (nn.Conv2DTranspose, QuantizedConv2DTranspose),
    "Linear": (nn.Linear, QuantizedLinear),
}
_WITHOUT = (
    "AdaptiveAvgPool2D", "AdaptiveMaxPool2D", "AvgPool2D", "MaxPool2D", "Hardswish", "LeakyReLU",
    "PReLU", "ReLU", "ReLU6", "Sigmoid", "Softmax", "Swish", "Tanh", "Hardsigmoid",
)  # fmt: skip


class ImperativeQuantAware:
    """Changes a Layer so that it is trained with rounded values and weights.

    Args:
        weight_bits (int): bits of a weight. Default: 8.
        activation_bits (int): bits of a value. Default: 8.
        weight_quantize_type (str): ``abs_max`` or ``channel_wise_abs_max``. Default: "abs_max".
        activation_quantize_type (str): ``abs_max`` or ``moving_average_abs_max``.
        moving_rate (float): of ``moving_average_abs_max``. Default: 0.9.
        quantizable_layer_type (list): names of types, or types. Default: Conv2D and Linear.
        weight_preprocess_layer (type, optional): a Layer that sees each weight first.
        act_preprocess_layer (type, optional): a Layer that sees each value first, such as PACT.
        weight_quantize_layer (type, optional): a Layer that rounds weights instead.
        act_quantize_layer (type, optional): a Layer that rounds values instead.
        fuse_conv_bn (bool): fold batch normalisation into the convolutions before. Default: False.
        onnx_format (bool): save ``quantize_linear`` and ``dequantize_linear``, and weights as
            bytes. Default: False.

    Raises:
        ValueError: a type of quantisation or of layer that there is not.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import ImperativeQuantAware
            net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU())
            ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max").quantize(net)
            print(type(net[0]).__name__, "0.weight" in net.state_dict())  # QuantizedLinear True
    """

    def __init__(
        self,
        weight_bits: int = 8,
        activation_bits: int = 8,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "moving_average_abs_max",
        moving_rate: float = 0.9,
        quantizable_layer_type: Any = ["Conv2D", "Linear"],  # noqa: B006
        weight_preprocess_layer: Any = None,
        act_preprocess_layer: Any = None,
        weight_quantize_layer: Any = None,
        act_quantize_layer: Any = None,
        *,
        fuse_conv_bn: bool = False,
        onnx_format: bool = False,
    ) -> None:
        name = "ImperativeQuantAware"
        allowed = ("abs_max", "channel_wise_abs_max")
        check_choice(weight_quantize_type, allowed, f"{name}(weight_quantize_type)")
        allowed = ("abs_max", "moving_average_abs_max")
        check_choice(activation_quantize_type, allowed, f"{name}(activation_quantize_type)")
        for bits in (weight_bits, activation_bits):
            top_step(bits)
        for given in (
            weight_preprocess_layer, act_preprocess_layer, weight_quantize_layer, act_quantize_layer
        ):  # fmt: skip
            if given is not None and not (isinstance(given, type) and issubclass(given, Layer)):
                raise TypeError(f"{name}: expected a type of Layer, but got {given!r}.")
        if onnx_format and activation_quantize_type == "abs_max" and act_quantize_layer is None:
            raise InvalidArgumentError(
                f"{name}(onnx_format=True): expected activation_quantize_type "
                "'moving_average_abs_max', for quantize_linear has a scale that stays, but got "
                "'abs_max', which takes it from each batch."
            )
        self._fuse, self._linear = fuse_conv_bn, onnx_format
        self._results = ImperativeCalcOutScale(moving_rate)
        self._types: list[tuple[type, type]] = []
        for kind in quantizable_layer_type:
            self._types.append(_pair(kind))
        self._options = {
            "weight_bits": weight_bits, "activation_bits": activation_bits,
            "moving_rate": moving_rate, "weight_quantize_type": weight_quantize_type,
            "activation_quantize_type": activation_quantize_type,
            "weight_pre_layer": weight_preprocess_layer, "act_pre_layer": act_preprocess_layer,
            "weight_quant_layer": weight_quantize_layer, "act_quant_layer": act_quantize_layer,
        }  # fmt: skip

    def quantize(self, model: Layer, inplace: bool = True) -> Layer:
        """Puts layers that round in the place of those that do not.

        A layer with a true attribute ``skip_quant`` is left alone. In training the layers also take
        down how large their results become, for :meth:`save_quantized_model`.

        Args:
            model (Layer): what to change.
            inplace (bool): the model itself, not a copy. Default: True.

        Returns:
            Layer: what was changed.

        Raises:
            TypeError: ``model`` is no Layer.
        """
        if not isinstance(model, Layer):
            raise TypeError(
                f"ImperativeQuantAware.quantize(model): expected a Layer, but got "
                f"{type(model).__name__}."
            )
        if not inplace:
            model = copy.deepcopy(model)
        if self._fuse:
            fold_layers(model, None)
        found = 0
        for holder in list(model.sublayers(include_self=True)):
            if isinstance(holder, tuple(new for _, new in self._types)):
                found += 1
                continue
            for name, layer in list(holder.named_children()):
                made = self._made(layer)
                if made is not None:
                    holder.add_sublayer(name, made)
                    found += 1
        if not found:
            warnings.warn(
                "ImperativeQuantAware.quantize: nothing to quantise: the model has no "
                f"{[old.__name__ for old, _ in self._types]} within it, and stays as it is.",
                stacklevel=2,
            )
        self._results.calc_out_scale(model)
        return model

    def _made(self, layer: Layer) -> Layer | None:
        if getattr(layer, "skip_quant", False):
            return None
        for old, new in self._types:
            if type(layer) is old:
                return new(layer, **self._options)
        return None

    def save_quantized_model(
        self, layer: Layer, path: str, input_spec: Any = None, **config: Any
    ) -> None:
        """Saves what was trained as a Program for inference, with the operators that round.

        The attribute ``out_threshold`` of operators says how large their results became.

        Args:
            layer (Layer): what :meth:`quantize` has changed.
            path (str): files are called so, with their ends.
            input_spec (list, optional): as in paddle.jit.save.
            **config: as in paddle.jit.save.

        Raises:
            ValueError: a scale is not finite, for NaN or infinities went through its layer.
        """
        _check_scales(layer)
        save_with_scales(layer, path, input_spec, **config)
        if self._linear:
            rewrite(path, _linear)


def _linear(program: Program, scope: Any) -> Program:
    """Writes the operators that round as ``quantize_linear`` and ``dequantize_linear``."""
    graph = IrGraph(Graph(program), for_test=True)
    ReplaceFakeQuantDequantPass(scope, CPUPlace()).apply(graph)
    QuantWeightPass(scope, CPUPlace()).apply(graph)
    return graph.to_program()


def _check_scales(model: Layer) -> None:
    for name, layer in model.named_sublayers():
        scale = getattr(layer, "_scale", None)
        if scale is not None and not np.isfinite(scale.numpy()).all():
            raise InvalidArgumentError(
                f"ImperativeQuantAware.save_quantized_model: the scale of {name!r} is not finite: "
                "NaN or infinities went through it. Look at the data and the learning rate, and "
                "train again."
            )


def _pair(kind: Any) -> tuple[type, type]:
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", repr(kind))
    if name in _WITH_WEIGHT:
        return _WITH_WEIGHT[name]
    if name in _WITHOUT:
        return getattr(nn, name), QuantizedNoweightLayer
    raise InvalidArgumentError(
        "ImperativeQuantAware(quantizable_layer_type): expected some of "
        f"{[*_WITH_WEIGHT, *_WITHOUT]}, but got {name!r}."
    )
