"""MobileNetV1, Howard et al. 2017: convolutions split into depthwise and pointwise ones."""

from __future__ import annotations

from os import PathLike
from typing import Any

from paddle import nn, tensor
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.vision.models.blocks import ConvNormActivation
from paddle.vision.models.pretrained import with_weights

__all__ = ["MobileNetV1", "mobilenet_v1"]

# Attribute name of each block, its channels of input and output at scale 1, and its stride.
_BLOCKS = [
    ("conv2_1", 32, 64, 1),
    ("conv2_2", 64, 128, 2),
    ("conv3_1", 128, 128, 1),
    ("conv3_2", 128, 256, 2),
    ("conv4_1", 256, 256, 1),
    ("conv4_2", 256, 512, 2),
    *((f"conv5_{i}", 512, 512, 1) for i in range(1, 6)),
    ("conv5_6", 512, 1024, 2),
    ("conv6", 1024, 1024, 1),
]


class DepthwiseSeparable(nn.Layer):
    """A filter of 3 x 3 for each channel, then a mix of the channels.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        stride (int): step of the filter.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self._depthwise_conv = ConvNormActivation(
            in_channels, in_channels, 3, stride, groups=in_channels
        )
        self._pointwise_conv = ConvNormActivation(in_channels, out_channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the features of the block."""
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(nn.Layer):
    """MobileNetV1 for images of shape ``[N, 3, H, W]``, 224 x 224 by design.

    Args:
        scale (float): all numbers of channels are multiplied by it. Default: 1.0.
        num_classes (int): size of the output; at most 0 leaves out the linear layer.
            Default: 1000.
        with_pool (bool): average over the image before the linear layer. Default: True.

    Examples:
        .. code-block:: python

            import paddle
            model = paddle.vision.models.MobileNetV1(scale=0.25, num_classes=10)
            print(model(paddle.rand([1, 3, 32, 32])).shape)  # [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.scale = scale
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, stride=2)
        for name, channels, filters, stride in _BLOCKS:
            block = DepthwiseSeparable(int(channels * scale), int(filters * scale), stride)
            self.add_sublayer(name, block)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes, or the features where there is no linear layer.

        Args:
            x (Tensor): images, shape ``[N, 3, H, W]``.
        """
        x = self.conv1(x)
        for name, *_ in _BLOCKS:
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        if self.num_classes > 0:
            x = self.fc(tensor.flatten(x, 1))
        return x


def mobilenet_v1(
    pretrained: bool | str | PathLike[str] = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV1:
    """MobileNetV1.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, published for scale 1.0,
            or those of this file. Default: False.
        scale (float): all numbers of channels are multiplied by it. Default: 1.0.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`MobileNetV1`.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.vision.models import mobilenet_v1

            model = mobilenet_v1(scale=0.25, num_classes=10)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "small.pdparams")
                paddle.save(model.state_dict(), path)
                again = mobilenet_v1(pretrained=path, scale=0.25, num_classes=10)
            print(bool((again.fc.weight == model.fc.weight).all()))  # True
    """
    model = MobileNetV1(scale=scale, **kwargs)
    return with_weights(model, f"mobilenetv1_{float(scale)}", pretrained, "fc")


guard_module(globals())
