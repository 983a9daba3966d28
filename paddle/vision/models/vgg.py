"""VGG, Simonyan and Zisserman 2014: 11 to 19 layers of small filters."""

from __future__ import annotations

from os import PathLike
from typing import Any

from paddle import nn, tensor
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.vision.models.pretrained import with_weights

__all__ = ["VGG", "vgg11", "vgg13", "vgg16", "vgg19"]

# Layers of the network: for each of its five stages, how many convolutions it has.
_STAGES = {11: [1, 1, 2, 2, 2], 13: [2, 2, 2, 2, 2], 16: [2, 2, 3, 3, 3], 19: [2, 2, 4, 4, 4]}
_WIDTHS = [64, 128, 256, 512, 512]
_HIDDEN = 4096  # size of the linear layers


class VGG(nn.Layer):
    """VGG for images of shape ``[N, 3, H, W]``, 224 x 224 by design.

    Args:
        features (Layer): the convolutions, ending in 512 channels.
        num_classes (int): size of the output; at most 0 leaves out the linear layers.
            Default: 1000.
        with_pool (bool): average to 7 x 7 before the linear layers. Default: True.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.vision.models import VGG
            model = VGG(paddle.nn.Conv2D(3, 512, 3), num_classes=0)
            print(model(paddle.rand([1, 3, 28, 28])).shape)  # [1, 512, 7, 7]
    """

    def __init__(self, features: nn.Layer, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.features = features
        self.num_classes = num_classes
        self.with_pool = with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, _HIDDEN),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(_HIDDEN, _HIDDEN),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(_HIDDEN, num_classes),
            )

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes, or the features where there are no linear layers.

        Args:
            x (Tensor): images, shape ``[N, 3, H, W]``.
        """
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        if self.num_classes > 0:
            x = self.classifier(tensor.flatten(x, 1))
        return x


def _features(layers: int, batch_norm: bool) -> nn.Sequential:
    made: list[nn.Layer] = []
    channels = 3
    for count, width in zip(_STAGES[layers], _WIDTHS, strict=True):
        for _ in range(count):
            made.append(nn.Conv2D(channels, width, 3, padding=1))
            if batch_norm:
                made.append(nn.BatchNorm2D(width))
            made.append(nn.ReLU())
            channels = width
        made.append(nn.MaxPool2D(2, 2))
    return nn.Sequential(*made)


def _vgg(layers: int, batch_norm: bool, pretrained: Any, options: dict[str, Any]) -> VGG:
    name = f"vgg{layers}_bn" if batch_norm else f"vgg{layers}"
    return with_weights(
        VGG(_features(layers, batch_norm), **options), name, pretrained, "classifier"
    )


def vgg11(
    pretrained: bool | str | PathLike[str] = False, batch_norm: bool = False, **kwargs: Any
) -> VGG:
    """VGG with 11 layers.

    Args:
        pretrained (bool|str): load the weights of this file; none are published, so True
            raises an error. Default: False.
        batch_norm (bool): normalize after each convolution. Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`VGG`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import vgg11
            model = vgg11(num_classes=0)
    """
    return _vgg(11, batch_norm, pretrained, kwargs)


def vgg13(
    pretrained: bool | str | PathLike[str] = False, batch_norm: bool = False, **kwargs: Any
) -> VGG:
    """VGG with 13 layers.

    Args:
        pretrained (bool|str): load the weights of this file; none are published, so True
            raises an error. Default: False.
        batch_norm (bool): normalize after each convolution. Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`VGG`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import vgg13
            model = vgg13(num_classes=0)
    """
    return _vgg(13, batch_norm, pretrained, kwargs)


def vgg16(
    pretrained: bool | str | PathLike[str] = False, batch_norm: bool = False, **kwargs: Any
) -> VGG:
    """VGG with 16 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        batch_norm (bool): normalize after each convolution. Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`VGG`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import vgg16
            model = vgg16(num_classes=0)
    """
    return _vgg(16, batch_norm, pretrained, kwargs)


def vgg19(
    pretrained: bool | str | PathLike[str] = False, batch_norm: bool = False, **kwargs: Any
) -> VGG:
    """VGG with 19 layers.

    Args:
        pretrained (bool|str): load the weights trained on ImageNet, or those of this file.
            Default: False.
        batch_norm (bool): normalize after each convolution. Default: False.
        **kwargs: ``num_classes`` and ``with_pool`` of :class:`VGG`.

    Examples:
        .. code-block:: python

            from paddle.vision.models import vgg19
            model = vgg19(num_classes=0)
    """
    return _vgg(19, batch_norm, pretrained, kwargs)


guard_module(globals())
