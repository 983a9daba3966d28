"""Layers of quantised networks for inference: steps, and what they stand for."""

from __future__ import annotations

import abc
from typing import Any

from paddle import tensor
from paddle.core.errors import PreconditionNotMetError, UnimplementedError
from paddle.core.op import C
from paddle.nn.layer.layers import Layer
from paddle.quantization.base_quanter import BaseQuanter

__all__ = ["ConvertibleQuantedLayer", "LinearDequanter", "LinearQuanter", "LinearQuanterDequanter"]


class _Linear(Layer):
    """What :class:`LinearQuanter` and :class:`LinearDequanter` have in common.

    Args:
        scales (Tensor): what the highest step stands for, one value or one for each channel.
        zero_point (Tensor, optional): the steps that stand for zero. None: step 0.
        quant_axis (int, optional): the axis of channels; None or -1 with one scale.
        bit_length (int): bits of a step. Default: 8.
    """

    def __init__(
        self, scales: Any, zero_point: Any = None, quant_axis: int | None = None,
        bit_length: int = 8,
    ) -> None:  # fmt: skip
        super().__init__()
        scales = tensor.to_tensor(scales, "float32").detach()
        if scales.ndim > 1:
            raise UnimplementedError(
                f"{type(self).__name__}: expected one scale, or one for each channel, but got the "
                f"shape {scales.shape}.",
                hint="scales in groups are found by observers; no operator computes with them.",
            )
        points = tensor.zeros_like(scales) if zero_point is None else zero_point
        points = tensor.to_tensor(points, "float32").detach().reshape([-1]).expand(scales.shape)
        if points.numpy().any():
            raise UnimplementedError(
                f"{type(self).__name__}(zero_point): expected 0, but got {points.numpy()}.",
                hint="use an observer whose steps lie symmetrically around zero.",
            )
        self.register_buffer("_scales", scales.reshape([-1]))
        self.register_buffer("_zero_point", points.reshape([-1]))
        self._quant_axis = -1 if quant_axis is None else quant_axis
        self._bit_length = bit_length

    @classmethod
    def from_quanter(cls, quanter: BaseQuanter) -> Any:
        """Makes one of what a quanter or observer found.

        Args:
            quanter (BaseQuanter): it must have seen values.
        """
        scales = quanter.scales()
        if scales is None:
            raise PreconditionNotMetError(
                f"{cls.__name__}: expected the scale of {type(quanter).__name__}, but it saw no "
                "value yet. Run the network before it is converted."
            )
        return cls(scales, quanter.zero_points(), quanter.quant_axis(), quanter.bit_length())

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"quant_axis={self._quant_axis}, bit_length={self._bit_length}"


class LinearQuanter(_Linear):
    """Makes steps of values, by the operator ``quantize_linear``; see its arguments there."""

    def forward(self, input: Any) -> Any:
        """Returns the steps, in the values' data type."""
        return C.quantize_linear(
            input, self._scales, self._zero_point, None, None, quant_axis=self._quant_axis,
            bit_length=self._bit_length,
        )  # fmt: skip


class LinearDequanter(_Linear):
    """Makes values of steps, by the operator ``dequantize_linear``."""

    def forward(self, input: Any) -> Any:
        """Returns what the steps stand for."""
        return C.dequantize_linear(
            input, self._scales, self._zero_point, quant_axis=self._quant_axis,
            bit_length=self._bit_length,
        )  # fmt: skip


class LinearQuanterDequanter(Layer):
    """Rounds values to steps.

    Args:
        quanter (LinearQuanter, optional): None: what comes are steps already.
        dequanter (LinearDequanter): makes values of them.
    """

    def __init__(self, quanter: LinearQuanter | None, dequanter: LinearDequanter) -> None:
        super().__init__()
        self._quanter, self._dequanter = quanter, dequanter

    @classmethod
    def from_quanter(cls, quanter: BaseQuanter) -> LinearQuanterDequanter:
        """Makes one of what a quanter or observer found.

        Args:
            quanter (BaseQuanter): it must have seen values.
        """
        return cls(LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter))

    def without_quanter(self) -> LinearQuanter | None:
        """Takes the quanter out, for what comes are steps from now on; returns it."""
        quanter, self._quanter = self._quanter, None
        return quanter

    def forward(self, input: Any) -> Any:
        """Rounds a value."""
        steps = input if self._quanter is None else self._quanter(input)
        return self._dequanter(steps)


class ConvertibleQuantedLayer(Layer, abc.ABC):
    """A layer that computes on rounded values, and can become one for inference."""

    def __init__(self) -> None:
        super().__init__()
        self.converted = False

    @abc.abstractmethod
    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Returns the names of its weights, each with that of the quanter that rounds it."""

    @abc.abstractmethod
    def activation_quanters(self) -> list[str]:
        """Returns the names of the quanters of what it reads."""

    def _convert_quanter_to_qdq(self, name: str) -> LinearQuanterDequanter | None:
        """Puts a layer for inference in the place of a quanter; returns it."""
        quanter = getattr(self, name, None)
        if quanter is None:
            return None
        made = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, name, made)
        return made

    def _quant_weights(self, name: str, quanter: Any) -> None:
        """Makes steps of a weight, in its data type."""
        weight = getattr(self, name)
        weight.set_value(quanter(weight).detach())

    def _convert(self, remain_weight: bool = False) -> None:
        if self.converted:
            raise PreconditionNotMetError(f"{type(self).__name__} has been converted already.")
        for weight, quanter in self.weights_to_quanters():
            made = self._convert_quanter_to_qdq(quanter)
            if made is not None and not remain_weight:
                self._quant_weights(weight, made.without_quanter())
        for quanter in self.activation_quanters():
            self._convert_quanter_to_qdq(quanter)
        self.converted = True
