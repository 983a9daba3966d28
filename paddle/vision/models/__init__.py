"""Ready-made networks for images."""

from paddle.vision.models.lenet import LeNet
from paddle.vision.models.mobilenetv1 import MobileNetV1, mobilenet_v1
from paddle.vision.models.mobilenetv2 import MobileNetV2, mobilenet_v2
from paddle.vision.models.resnet import (
    ResNet,
    resnet18,
    resnet34,
    resnet50,
    resnet101,
    resnet152,
)
from paddle.vision.models.vgg import VGG, vgg11, vgg13, vgg16, vgg19

__all__ = [
    "ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
    "VGG", "vgg11", "vgg13", "vgg16", "vgg19",
    "MobileNetV1", "mobilenet_v1", "MobileNetV2", "mobilenet_v2",
    "LeNet",
]  # fmt: skip
