"""What rounds or watches values, by the interface of PaddlePaddle 2.4 and later."""

from __future__ import annotations

import abc
from typing import Any

from paddle.nn.layer.layers import Layer

__all__ = ["BaseObserver", "BaseQuanter"]


class BaseQuanter(Layer, abc.ABC):
    """A Layer that rounds what it is given, and says by which scale.

    A subclass for QAT or PTQ takes the layer it belongs to as its first argument; a factory
    (:func:`paddle.quantization.quanter`) makes one for each.
    """

    @abc.abstractmethod
    def forward(self, input: Any) -> Any:
        """Rounds a value, or only looks at it."""

    @abc.abstractmethod
    def scales(self) -> Any:
        """Returns what the highest step stands for: a Tensor, one value or one for each channel."""

    @abc.abstractmethod
    def zero_points(self) -> Any:
        """Returns the steps that stand for zero; None where it is step 0."""

    @abc.abstractmethod
    def quant_axis(self) -> int | None:
        """Returns the axis of channels; -1 or None with one scale for all."""

    @abc.abstractmethod
    def bit_length(self) -> int:
        """Returns the bits of a step."""


class BaseObserver(BaseQuanter):
    """A Layer that hands values on and finds their scale from what it saw."""

    @abc.abstractmethod
    def cal_thresholds(self) -> None:
        """Finds the scale."""
