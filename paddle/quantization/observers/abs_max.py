"""An observer whose scale is the largest absolute value that it saw."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.nn.layer.layers import Layer
from paddle.quantization.base_quanter import BaseObserver
from paddle.quantization.factory import ObserverFactory
from paddle.quantization.numbers import top_step

__all__ = ["AbsmaxObserver", "AbsmaxObserverLayer"]


class AbsmaxObserver(ObserverFactory):
    """The scale is the largest absolute value of all batches.

    Args:
        quant_bits (int): bits of a step. Default: 8.

    Examples:
        .. code-block:: python

            from paddle.quantization import PTQ, QuantConfig
            from paddle.quantization.observers import AbsmaxObserver
            ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver(quant_bits=4)))
    """

    def __init__(self, quant_bits: int = 8) -> None:
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> type:
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(BaseObserver):
    """What :class:`AbsmaxObserver` makes.

    Args:
        layer (Layer): where it belongs.
        quant_bits (int): bits of a step. Default: 8.
    """

    def __init__(self, layer: Layer, quant_bits: int = 8) -> None:
        super().__init__()
        top_step(quant_bits)
        self._quant_bits = quant_bits
        self._max: Any = None

    def forward(self, input: Any) -> Any:
        """Takes the largest absolute value down and hands the value on."""
        found = paddle.max(paddle.abs(input.detach().astype("float32"))).reshape([1])
        self._max = found if self._max is None else paddle.maximum(found, self._max)
        return input

    def cal_thresholds(self) -> None:
        """Has nothing to do: the scale is up to date after each value."""

    def scales(self) -> Any:
        """The largest absolute value so far; None before there was one."""
        return None if self._max is None else paddle.clip(self._max, min=1e-7)

    def zero_points(self) -> None:
        """None: step 0 stands for zero."""

    def quant_axis(self) -> int:
        """-1: one scale for all."""
        return -1

    def bit_length(self) -> int:
        """The bits of a step."""
        return self._quant_bits
