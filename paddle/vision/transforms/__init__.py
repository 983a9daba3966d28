"""Image transforms for data augmentation, as classes to chain and as functions."""

from paddle.vision.transforms.base import BaseTransform, Compose
from paddle.vision.transforms.color import (
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    HueTransform,
    SaturationTransform,
)
from paddle.vision.transforms.convert import Grayscale, Normalize, ToTensor, Transpose
from paddle.vision.transforms.crops import CenterCrop, RandomCrop, RandomResizedCrop
from paddle.vision.transforms.functional import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    center_crop,
    crop,
    hflip,
    normalize,
    pad,
    resize,
    rotate,
    to_grayscale,
    to_tensor,
    vflip,
)
from paddle.vision.transforms.geometry import (
    Pad,
    RandomHorizontalFlip,
    RandomRotation,
    RandomVerticalFlip,
    Resize,
)

# The guide prints this list; its order is part of the promise.
__all__ = [
    "BaseTransform",
    "Compose",
    "Resize",
    "RandomResizedCrop",
    "CenterCrop",
    "RandomHorizontalFlip",
    "RandomVerticalFlip",
    "Transpose",
    "Normalize",
    "BrightnessTransform",
    "SaturationTransform",
    "ContrastTransform",
    "HueTransform",
    "ColorJitter",
    "RandomCrop",
    "Pad",
    "RandomRotation",
    "Grayscale",
    "ToTensor",
    "to_tensor",
    "hflip",
    "vflip",
    "resize",
    "pad",
    "rotate",
    "to_grayscale",
    "crop",
    "center_crop",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "normalize",
]
