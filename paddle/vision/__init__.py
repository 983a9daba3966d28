"""Images: data sets, networks, transforms and reading of files."""

from __future__ import annotations

import sys

from paddle.core.lazy import lazy

# Imported when first used: networks do without Pillow, data sets and transforms.
_PARTS = {
    "datasets": [
        "DatasetFolder", "ImageFolder", "MNIST", "FashionMNIST", "Flowers", "Cifar10", "Cifar100",
        "VOC2012",
    ],
    "image": ["get_image_backend", "image_load", "set_image_backend"],
    "models": [
        "ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
        "VGG", "vgg11", "vgg13", "vgg16", "vgg19",
        "MobileNetV1", "mobilenet_v1", "MobileNetV2", "mobilenet_v2", "LeNet",
    ],
    "ops": [],
    "transforms": [
        "BaseTransform", "Compose", "Resize", "RandomResizedCrop", "CenterCrop",
        "RandomHorizontalFlip", "RandomVerticalFlip", "Transpose", "Normalize",
        "BrightnessTransform", "SaturationTransform", "ContrastTransform", "HueTransform",
        "ColorJitter", "RandomCrop", "Pad", "RandomRotation", "Grayscale", "ToTensor", "to_tensor",
        "hflip", "vflip", "resize", "pad", "rotate", "to_grayscale", "crop", "center_crop",
        "adjust_brightness", "adjust_contrast", "adjust_hue", "normalize",
    ],
}  # fmt: skip
_NAMES = {name: f"paddle.vision.{part}" for part, names in _PARTS.items() for name in names}
__getattr__, __dir__ = lazy(sys.modules[__name__], _PARTS, _NAMES)

__all__ = [*_PARTS, *_NAMES]
