"""An observer of weights with a scale for each group of rows of each column."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.nn.layer.layers import Layer
from paddle.quantization.base_quanter import BaseObserver
from paddle.quantization.factory import ObserverFactory
from paddle.quantization.numbers import top_step

__all__ = ["GroupWiseWeightObserver", "GroupWiseWeightObserverLayer"]


class GroupWiseWeightObserver(ObserverFactory):
    """The scales are the largest absolute values of groups of rows, for each column of a weight.

    Args:
        quant_bits (int): bits of a step. Default: 8.
        group_size (int): rows of a group, 64 or 128. Default: 128.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization.observers import GroupWiseWeightObserver
            observer = GroupWiseWeightObserver(group_size=64)._instance(paddle.nn.Linear(128, 3))
            observer(paddle.rand([128, 3]))
            print(observer.scales().shape)  # [2, 3]
    """

    def __init__(self, quant_bits: int = 8, group_size: int = 128) -> None:
        super().__init__(quant_bits=quant_bits, group_size=group_size)

    def _get_class(self) -> type:
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(BaseObserver):
    """What :class:`GroupWiseWeightObserver` makes.

    Args:
        layer (Layer): where it belongs.
        quant_bits (int): bits of a step. Default: 8.
        group_size (int): rows of a group. Default: 128.
    """

    def __init__(self, layer: Layer, quant_bits: int = 8, group_size: int = 128) -> None:
        super().__init__()
        top_step(quant_bits)
        if group_size not in (64, 128):
            raise InvalidArgumentError(
                f"GroupWiseWeightObserver(group_size): expected 64 or 128, but got {group_size!r}."
            )
        self._quant_bits, self._group_size = quant_bits, group_size
        self._max: Any = None

    def forward(self, input: Any) -> Any:
        """Takes the largest absolute values down and hands the weight on."""
        shape = list(input.shape)
        if len(shape) != 2 or shape[0] % self._group_size:
            raise InvalidArgumentError(
                "GroupWiseWeightObserver: expected a weight of two dimensions, the first a "
                f"multiple of {self._group_size}, but got the shape {shape}."
            )
        groups = input.detach().abs().reshape([-1, self._group_size, shape[1]])
        self._max = paddle.clip(paddle.max(groups, axis=1), min=1e-8)
        return input

    def cal_thresholds(self) -> None:
        """Has nothing to do: the scales are up to date."""

    def scales(self) -> Any:
        """One for each group and column; None before there was a weight."""
        return self._max

    def zero_points(self) -> None:
        """None: step 0 stands for zero."""

    def quant_axis(self) -> int:
        """-1: groups do not lie along one axis."""
        return -1

    def bit_length(self) -> int:
        """The bits of a step."""
        return self._quant_bits
