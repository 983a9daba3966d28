"""A quanter whose scale is an average of the largest absolute values."""

from __future__ import annotations

from typing import Any

from paddle.nn.layer.layers import Layer
from paddle.quantization.base_quanter import BaseQuanter
from paddle.quantization.factory import QuanterFactory
from paddle.quantization.imperative.layers import FakeQuantMovingAverage

__all__ = ["FakeQuanterWithAbsMaxObserver", "FakeQuanterWithAbsMaxObserverLayer"]


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """Rounds by an average of the largest absolute values of the batches so far.

    Args:
        moving_rate (float): how much of the average stays at each batch. Default: 0.9.
        bit_length (int): bits of a step. Default: 8.
        dtype (str): has to be float32.
        name (str, optional): shown when a layer is printed.

    Examples:
        .. code-block:: python

            from paddle.quantization import QuantConfig
            from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
            quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.99)
            config = QuantConfig(activation=quanter, weight=quanter)
            print(config.global_config.weight.kwargs["moving_rate"])  # 0.99
    """

    def __init__(
        self,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: str = "float32",
        name: str | None = None,
    ) -> None:
        super().__init__(moving_rate=moving_rate, bit_length=bit_length, dtype=dtype, name=name)

    def _get_class(self) -> type:
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(FakeQuantMovingAverage, BaseQuanter):
    """What :class:`FakeQuanterWithAbsMaxObserver` makes; see its arguments there.

    Args:
        layer (Layer): where it belongs.
    """

    def __init__(
        self,
        layer: Layer,
        name: str | None = None,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: str = "float32",
    ) -> None:
        super().__init__(name, moving_rate, bit_length, dtype)

    def scales(self) -> Any:
        """The average of the largest absolute values."""
        return self._scale

    def zero_points(self) -> None:
        """None: step 0 stands for zero."""

    def quant_axis(self) -> int:
        """-1: one scale for all."""
        return -1

    def bit_length(self) -> int:
        """The bits of a step."""
        return self._quant_bits
