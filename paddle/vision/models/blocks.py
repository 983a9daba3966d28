"""Building blocks that several image models share."""

from __future__ import annotations

from typing import Any

from paddle import nn


class ConvNormActivation(nn.Sequential):
    """A convolution without bias, batch normalization and an activation.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int): height and width of the filter. Default: 3.
        stride (int): step of the filter. Default: 1.
        groups (int): groups of the convolution. Default: 1.
        activation (type): class of the activation. Default: ReLU.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        groups: int = 1,
        activation: Any = nn.ReLU,
    ) -> None:
        super().__init__(
            nn.Conv2D(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding=(kernel_size - 1) // 2,
                groups=groups,
                bias_attr=False,
            ),
            nn.BatchNorm2D(out_channels),
            activation(),
        )
