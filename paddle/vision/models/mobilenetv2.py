"""MobileNetV2, Sandler et al. 2018: shortcuts between narrow layers."""

from __future__ import annotations

from os import PathLike
from typing import Any

from paddle import nn, tensor
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.vision.models.blocks import ConvNormActivation
from paddle.vision.models.pretrained import with_weights

__all__ = ["MobileNetV2", "mobilenet_v2"]

# Groups of blocks: expansion inside, channels at scale 1, number of blocks, stride of the first.
_GROUPS = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def _eights(channels: float) -> int:
    """The nearest multiple of 8 that is not more than a tenth smaller."""
    nearest = max(8, int(channels + 4) // 8 * 8)
    return nearest + 8 if nearest < 0.9 * channels else nearest


class InvertedResidual(nn.Layer):
    """Widens, filters each channel, narrows; with a shortcut where input and output fit.

    Args:
        inp (int): channels of the input.
        oup (int): channels of the output.
        stride (int): step of the filter.
        expand_ratio (int): how many times wider it is inside.
    """

    def __init__(self, inp: int, oup: int, stride: int, expand_ratio: int) -> None:
        super().__init__()
        self.stride = stride
        self.use_res_connect = stride == 1 and inp == oup
        wide = inp * expand_ratio
        layers: list[nn.Layer] = []
        if expand_ratio != 1:
            layers.append(ConvNormActivation(inp, wide, 1, activation=nn.ReLU6))
        layers += [
            ConvNormActivation(wide, wide, 3, stride, groups=wide, activation=nn.ReLU6),
            nn.Conv2D(wide, oup, 1, bias_attr=False),
            nn.BatchNorm2D(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the features of the block."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Layer):
    """MobileNetV2 for images of shape ``[N, 3, H, W]``, 224 x 224 by design.

    Args:
        scale (float): all numbers of channels are multiplied by it. Default: 1.0.
        num_classes (int): size of the output; at most 0 leaves out the linear layer.
            Default: 1000.
        with_pool (bool): average over the image before the linear layer. Default: True.

    Examples:
        .. code-block:: python

            import paddle
            model = paddle.vision.models.MobileNetV2(scale=0.25, num_classes=10)
            print(model(paddle.rand([1, 3, 32, 32])).shape)  # [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        channels = _eights(32 * scale)
        layers: list[nn.Layer] = [ConvNormActivation(3, channels, 3, stride=2, activation=nn.ReLU6)]
        for expansion, width, count, stride in _GROUPS:
            filters = _eights(width * scale)
            for i in range(count):
                step = stride if i == 0 else 1
                layers.append(InvertedResidual(channels, filters, step, expansion))
                channels = filters
        self.last_channel = _eights(1280 * max(1.0, scale))
        layers.append(ConvNormActivation(channels, self.last_channel, 1, activation=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Dropout(0.2), nn.Linear(self.last_channel, num_classes)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes, or the features where there is no linear layer.

        Args:
            x (Tensor): images, shape ``[N, 3, H, W]``.
        """
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        if self.num_classes > 0:
            x = self.classifier(tensor.flatten(x, 1))
        return x


def mobilenet_v2(
    pretrained: bool | str | PathLike[str] = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV2:
    """MobileNetV2.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, published for scale 1.0,
            or those of this file. Default: False.
        scale (float): all numbers of channels are multiplied by it. Default: 1.0.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`MobileNetV2`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import mobilenet_v2
            model = mobilenet_v2(scale=0.5, num_classes=10)
    """
    model = MobileNetV2(scale=scale, **kwargs)
    return with_weights(model, f"mobilenetv2_{float(scale)}", pretrained, "classifier")


guard_module(globals())
