"""ResNet, He et al. 2015: networks of 18 to 152 layers with shortcuts."""

from __future__ import annotations

from os import PathLike
from typing import Any

from paddle import nn, tensor
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.vision.models.pretrained import with_weights

__all__ = ["ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152"]

# Depth of the network: number of blocks in each of its four stages.
_STAGES = {
    18: [2, 2, 2, 2],
    34: [3, 4, 6, 3],
    50: [3, 4, 6, 3],
    101: [3, 4, 23, 3],
    152: [3, 8, 36, 3],
}


def _conv(channels: int, filters: int, size: int, stride: int = 1) -> nn.Conv2D:
    return nn.Conv2D(channels, filters, size, stride, padding=size // 2, bias_attr=False)


class BasicBlock(nn.Layer):
    """Two convolutions of 3 x 3 and the shortcut around them.

    Args:
        inplanes (int): channels of the input.
        planes (int): channels of the output.
        stride (int): step of the first convolution. Default: 1.
        downsample (Layer, optional): what the shortcut does to fit the output.
    """

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = _conv(inplanes, planes, 3, stride)
        self.bn1 = nn.BatchNorm2D(planes)
        self.relu = nn.ReLU()
        self.conv2 = _conv(planes, planes, 3)
        self.bn2 = nn.BatchNorm2D(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Returns relu(F(x) + shortcut(x))."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        shortcut = x if self.downsample is None else self.downsample(x)
        return self.relu(out + shortcut)


class BottleneckBlock(nn.Layer):
    """Convolutions of 1 x 1, 3 x 3 and 1 x 1, and the shortcut around them.

    Args:
        inplanes (int): channels of the input.
        planes (int): channels inside; the output has four times as many.
        stride (int): step of the second convolution. Default: 1.
        downsample (Layer, optional): what the shortcut does to fit the output.
    """

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = _conv(inplanes, planes, 1)
        self.bn1 = nn.BatchNorm2D(planes)
        self.conv2 = _conv(planes, planes, 3, stride)
        self.bn2 = nn.BatchNorm2D(planes)
        self.conv3 = _conv(planes, planes * self.expansion, 1)
        self.bn3 = nn.BatchNorm2D(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Returns relu(F(x) + shortcut(x))."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        shortcut = x if self.downsample is None else self.downsample(x)
        return self.relu(out + shortcut)


class ResNet(nn.Layer):
    """A residual network for images of shape ``[N, 3, H, W]``, 224 x 224 by design.

    Args:
        block (type): BasicBlock for 18 and 34 layers, BottleneckBlock for more.
        depth (int): 18, 34, 50, 101 or 152.
        num_classes (int): size of the output; at most 0 leaves out the last, linear layer.
            Default: 1000.
        with_pool (bool): average over the image before the linear layer. Default: True.

    Raises:
        ValueError: no such depth.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.vision.models.resnet import BasicBlock, ResNet
            model = ResNet(BasicBlock, 18, num_classes=10)
            print(model(paddle.rand([1, 3, 32, 32])).shape)  # [1, 10]
    """

    def __init__(
        self, block: Any, depth: int, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__()
        if depth not in _STAGES:
            raise InvalidArgumentError(
                f"ResNet(depth): expected one of {list(_STAGES)}, but received {depth!r}."
            )
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.inplanes = 64
        self.conv1 = nn.Conv2D(3, self.inplanes, 7, 2, padding=3, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(self.inplanes)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(3, 2, padding=1)
        counts = _STAGES[depth]
        self.layer1 = self._stage(block, 64, counts[0])
        self.layer2 = self._stage(block, 128, counts[1], stride=2)
        self.layer3 = self._stage(block, 256, counts[2], stride=2)
        self.layer4 = self._stage(block, 512, counts[3], stride=2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _stage(self, block: Any, planes: int, count: int, stride: int = 1) -> nn.Sequential:
        width = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != width:
            downsample = nn.Sequential(
                _conv(self.inplanes, width, 1, stride), nn.BatchNorm2D(width)
            )
        blocks = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = width
        blocks += [block(width, planes) for _ in range(count - 1)]
        return nn.Sequential(*blocks)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes, or the features where there is no linear layer.

        Args:
            x (Tensor): images, shape ``[N, 3, H, W]``.
        """
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        if self.num_classes > 0:
            x = self.fc(tensor.flatten(x, 1))
        return x


def _resnet(block: Any, depth: int, pretrained: Any, options: dict[str, Any]) -> ResNet:
    return with_weights(ResNet(block, depth, **options), f"resnet{depth}", pretrained, "fc")


def resnet18(pretrained: bool | str | PathLike[str] = False, **kwargs: Any) -> ResNet:
    """ResNet with 18 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`ResNet`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import resnet18
            model = resnet18(num_classes=10)
    """
    return _resnet(BasicBlock, 18, pretrained, kwargs)


def resnet34(pretrained: bool | str | PathLike[str] = False, **kwargs: Any) -> ResNet:
    """ResNet with 34 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`ResNet`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import resnet34
            model = resnet34(num_classes=10)
    """
    return _resnet(BasicBlock, 34, pretrained, kwargs)


def resnet50(pretrained: bool | str | PathLike[str] = False, **kwargs: Any) -> ResNet:
    """ResNet with 50 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`ResNet`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import resnet50
            model = resnet50(num_classes=10)
    """
    return _resnet(BottleneckBlock, 50, pretrained, kwargs)


def resnet101(pretrained: bool | str | PathLike[str] = False, **kwargs: Any) -> ResNet:
    """ResNet with 101 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`ResNet`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import resnet101
            model = resnet101(num_classes=10)
    """
    return _resnet(BottleneckBlock, 101, pretrained, kwargs)


def resnet152(pretrained: bool | str | PathLike[str] = False, **kwargs: Any) -> ResNet:
    """ResNet with 152 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`ResNet`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import resnet152
            model = resnet152(num_classes=10)
    """
    return _resnet(BottleneckBlock, 152, pretrained, kwargs)


guard_module(globals())
