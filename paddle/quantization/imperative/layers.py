"""Layers that round, and layers around others whose values and weights are rounded."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.nn.layer.layers import Layer
from paddle.quantization.numbers import top_step

__all__ = [
    "FakeChannelWiseQuantDequantAbsMax",
    "FakeQuantAbsMax",
    "FakeQuantMovingAverage",
    "MovingAverageAbsMaxScale",
    "QuantizedConv2D",
    "QuantizedConv2DTranspose",
    "QuantizedLinear",
    "QuantizedNoweightLayer",
]

_FIRST_SCALE = 0.001


def _check_dtype(dtype: str, owner: str) -> None:
    if str(dtype) not in ("float32", "paddle.float32"):
        raise InvalidArgumentError(f"{owner}(dtype): expected 'float32', but got {dtype!r}.")


class _Rounding(Layer):
    """What layers that round have in common.

    Args:
        name (str, optional): shown when the layer is printed.
        quant_bits (int): bits of a step.
        dtype (str): has to be float32.
    """

    def __init__(self, name: str | None, quant_bits: int, dtype: str) -> None:
        super().__init__()
        top_step(quant_bits)
        _check_dtype(dtype, type(self).__name__)
        self._name = name
        self._quant_bits = quant_bits

    _scale: Any = None

    def _keep(self, scale: Any) -> None:
        """Takes a scale down in training; a Program that is recorded has its own."""
        if self._scale is not None and self.training and hasattr(scale, "numpy"):
            self._scale.set_value(scale.detach())

    def scale(self) -> float:
        """Returns what the highest step stands for."""
        return float(self._scale.numpy().reshape(-1)[0])

    def set_scale(self, scale: float) -> None:
        """Says what the highest step stands for.

        Args:
            scale (float): the value.
        """
        self._scale.set_value(tensor.full([1], scale, "float32"))

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"quant_bits={self._quant_bits}"


class FakeQuantAbsMax(_Rounding):
    """Rounds to steps of which the highest is the largest absolute value at hand.

    Args:
        name (str, optional): shown when the layer is printed.
        quant_bits (int): bits of a step. Default: 8.
        dtype (str): has to be float32.
        quant_on_weight (bool): keep the scale in ``_scale``. Default: False.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization.imperative.layers import FakeQuantAbsMax
            print(FakeQuantAbsMax(quant_bits=2)(paddle.to_tensor([0.2, 0.6, -1.0])).numpy())
            # [ 0.  1. -1.]
    """

    def __init__(
        self,
        name: str | None = None,
        quant_bits: int = 8,
        dtype: str = "float32",
        quant_on_weight: bool = False,
    ) -> None:
        super().__init__(name, quant_bits, dtype)
        if quant_on_weight:
            self.register_buffer("_scale", tensor.full([1], _FIRST_SCALE, "float32"))

    def forward(self, input: Any) -> Any:
        """Rounds a value."""
        out, scale = C.fake_quantize_dequantize_abs_max(input, bit_length=self._quant_bits)
        self._keep(scale)
        return out


class FakeChannelWiseQuantDequantAbsMax(_Rounding):
    """Rounds a weight with a scale for each channel.

    Args:
        name (str, optional): shown when the layer is printed.
        channel_num (int, optional): how many channels there are.
        quant_bits (int): bits of a step. Default: 8.
        quant_axis (int): the axis of channels. Default: 0.
        dtype (str): has to be float32.
        quant_on_weight (bool): has to be True: only weights have channels that stay.
    """

    def __init__(
        self,
        name: str | None = None,
        channel_num: int | None = None,
        quant_bits: int = 8,
        quant_axis: int = 0,
        dtype: str = "float32",
        quant_on_weight: bool = False,
    ) -> None:
        super().__init__(name, quant_bits, dtype)
        if not quant_on_weight or not channel_num:
            raise InvalidArgumentError(
                f"{type(self).__name__}: expected quant_on_weight=True and channel_num, but got "
                f"{quant_on_weight!r} and {channel_num!r}."
            )
        self._quant_axis = quant_axis
        self.register_buffer("_scale", tensor.full([channel_num], _FIRST_SCALE, "float32"))

    def forward(self, input: Any) -> Any:
        """Rounds a weight."""
        out, scale = C.fake_channel_wise_quantize_dequantize_abs_max(
            input, bit_length=self._quant_bits, quant_axis=self._quant_axis
        )
        self._keep(scale)
        return out


class _Averaging(_Rounding):
    """What follows an average of largest values: ``_scale``, ``_state``, ``_accum``."""

    def __init__(self, name: str | None, moving_rate: float, quant_bits: int, dtype: str) -> None:
        super().__init__(name, quant_bits, dtype)
        self._moving_rate = moving_rate
        for key, first in (("_scale", _FIRST_SCALE), ("_state", 1.0), ("_accum", 1.0)):
            self.register_buffer(key, tensor.full([1], first, "float32"))

    def has_seen(self) -> bool:
        """Whether a batch went through in training."""
        return float(self._state) != 1.0


class FakeQuantMovingAverage(_Averaging):
    """Rounds by an average of the largest absolute values of the batches so far.

    Args:
        name (str, optional): shown when the layer is printed.
        moving_rate (float): how much of the average stays at each batch. Default: 0.9.
        quant_bits (int): bits of a step. Default: 8.
        dtype (str): has to be float32.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization.imperative.layers import FakeQuantMovingAverage
            layer = FakeQuantMovingAverage()
            layer(paddle.to_tensor([2.0]))
            print(round(layer._scale.item(), 4))  # 1.5263, which is (0.9 + 2) / (0.9 + 1)
    """

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        quant_bits: int = 8,
        dtype: str = "float32",
    ) -> None:
        super().__init__(name, moving_rate, quant_bits, dtype)

    def forward(self, input: Any) -> Any:
        """Rounds a value."""
        return C.fake_quantize_dequantize_moving_average_abs_max(
            input, self._scale, self._accum, self._state, moving_rate=self._moving_rate,
            bit_length=self._quant_bits, is_test=not self.training,
        )  # fmt: skip


class MovingAverageAbsMaxScale(_Averaging):
    """Hands a value on, and takes down the average of its largest absolute values.

    Args:
        name (str, optional): shown when the layer is printed.
        moving_rate (float): how much of the average stays at each batch. Default: 0.9.
        dtype (str): has to be float32.
    """

    def __init__(
        self, name: str | None = None, moving_rate: float = 0.9, dtype: str = "float32"
    ) -> None:
        super().__init__(name, moving_rate, 8, dtype)

    def forward(self, input: Any) -> Any:
        """Returns the value."""
        if not self.training:
            return input
        out, scale = C.moving_average_abs_max_scale(
            input, self._accum, self._state, moving_rate=self._moving_rate, is_test=False
        )
        self._keep(scale)
        return out


def _activation(kind: str, bits: int, rate: float) -> Layer:
    if kind == "abs_max":
        return FakeQuantAbsMax(quant_bits=bits)
    return FakeQuantMovingAverage(moving_rate=rate, quant_bits=bits)


class _Instead:
    """A layer with another weight."""

    def __init__(self, layer: Layer, weight: Any) -> None:
        self.layer, self.weight = layer, weight

    def __getattr__(self, name: str) -> Any:
        return getattr(self.layer, name)


class _Quantized(Layer):
    """A layer whose value and weight are rounded before it computes what it did.

    Args:
        layer (Layer): what is quantised; it and its parameters stay the same.
        weight_bits (int): bits of the weight. Default: 8.
        activation_bits (int): bits of the value. Default: 8.
        moving_rate (float): of ``moving_average_abs_max``. Default: 0.9.
        weight_quantize_type (str): ``abs_max`` or ``channel_wise_abs_max``.
        activation_quantize_type (str): ``abs_max`` or ``moving_average_abs_max``.
        weight_pre_layer (type, optional): a Layer that sees the weight first.
        act_pre_layer (type, optional): a Layer that sees the value first.
        weight_quant_layer (type, optional): a Layer that rounds the weight instead.
        act_quant_layer (type, optional): a Layer that rounds the value instead.
    """

    channel_axis = 0

    def __init__(
        self,
        layer: Layer,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Any = None,
        act_pre_layer: Any = None,
        weight_quant_layer: Any = None,
        act_quant_layer: Any = None,
    ) -> None:
        super().__init__()
        self.__dict__["_layer"] = layer  # no sublayer: its parameters keep their names
        self.weight = layer.weight
        self.bias = layer.bias
        for hooks in ("_forward_pre_hooks", "_forward_post_hooks"):
            if hasattr(layer, hooks):
                self.__dict__[hooks] = getattr(layer, hooks)
        if weight_quant_layer is not None:
            self._fake_quant_weight = weight_quant_layer()
        elif weight_quantize_type == "abs_max":
            self._fake_quant_weight = FakeQuantAbsMax(quant_bits=weight_bits, quant_on_weight=True)
        else:
            self._fake_quant_weight = FakeChannelWiseQuantDequantAbsMax(
                channel_num=layer.weight.shape[self.channel_axis], quant_bits=weight_bits,
                quant_axis=self.channel_axis, quant_on_weight=True,
            )  # fmt: skip
        if act_quant_layer is not None:
            self._fake_quant_input = act_quant_layer()
        else:
            self._fake_quant_input = _activation(
                activation_quantize_type, activation_bits, moving_rate
            )
        self._act_preprocess = None if act_pre_layer is None else act_pre_layer()
        self._weight_preprocess = None if weight_pre_layer is None else weight_pre_layer()

    def fix_scale(self, scale: float) -> None:
        """Says what the highest step of what it reads stands for.

        Args:
            scale (float): the value.
        """
        self._fake_quant_input.set_scale(scale)

    def forward(self, input: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes what the layer did, on rounded values."""
        weight = self.weight
        if self._act_preprocess is not None:
            input = self._act_preprocess(input)
        if self._weight_preprocess is not None:
            weight = self._weight_preprocess(weight)
        other = _Instead(self._layer, self._fake_quant_weight(weight))
        rounded = self._fake_quant_input(input)
        return type(self._layer).forward(other, rounded, *args, **kwargs)  # type: ignore[arg-type]


class QuantizedConv2D(_Quantized):
    """A Conv2D whose value and weight are rounded; made by ImperativeQuantAware.

    Its arguments are the layer, ``weight_bits``, ``activation_bits``, ``moving_rate``,
    ``weight_quantize_type``, ``activation_quantize_type``, and types of Layer: ``act_pre_layer``,
    ``weight_pre_layer``, ``weight_quant_layer``, ``act_quant_layer``.
    """


class QuantizedConv2DTranspose(_Quantized):
    """A Conv2DTranspose whose value and weight are rounded; made by ImperativeQuantAware.

    Its arguments are the layer, ``weight_bits``, ``activation_bits``, ``moving_rate``,
    ``weight_quantize_type``, ``activation_quantize_type``, and types of Layer: ``act_pre_layer``,
    ``weight_pre_layer``, ``weight_quant_layer``, ``act_quant_layer``.
    """

    channel_axis = 1


class QuantizedLinear(_Quantized):
    """A Linear whose value and weight are rounded; made by ImperativeQuantAware.

    Its arguments are the layer, ``weight_bits``, ``activation_bits``, ``moving_rate``,
    ``weight_quantize_type``, ``activation_quantize_type``, and types of Layer: ``act_pre_layer``,
    ``weight_pre_layer``, ``weight_quant_layer``, ``act_quant_layer``.
    """

    channel_axis = 1


class QuantizedNoweightLayer(Layer):
    """A layer without a weight whose value is rounded first.

    Args:
        layer (Layer): what is quantised.
        weight_bits (int): has no effect, for there is no weight. Default: 8.
        activation_bits (int): bits of the value. Default: 8.
        moving_rate (float): how much of the average stays at each batch. Default: 0.9.
    """

    def __init__(
        self,
        layer: Layer,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        top_step(weight_bits)
        self._layer = layer
        self._fake_quant_input = FakeQuantMovingAverage(
            moving_rate=moving_rate, quant_bits=activation_bits
        )

    def forward(self, input: Any) -> Any:
        """Computes what the layer did, on rounded values."""
        return self._layer(self._fake_quant_input(input))
