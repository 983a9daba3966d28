"""Calls whose results are frozen in tests/data/vision_transforms.npz, made by PaddlePaddle 2.6.2.

Nothing here depends on which implementation is imported, so that the same table made the file.
"""

import random

import numpy as np
from PIL import Image

import paddle.vision.transforms as T


def _picture():
    y, x = np.mgrid[0:10, 0:13]
    noise = np.random.RandomState(0).randint(-30, 30, (3, 10, 13))
    waves = [np.sin(x / (3 + k)) * np.cos(y / (2 + k)) for k in range(3)]
    return np.stack([np.clip(100 * w + 128 + n, 0, 255) for w, n in zip(waves, noise)], -1)


RGB = _picture().astype("uint8")
IMAGES = {
    "pil": Image.fromarray(RGB),
    "pil_gray": Image.fromarray(RGB[..., 0]),
    "array": RGB,
    "array_gray": RGB[..., 0].copy(),
}


def _repeated(make):
    """Five results in a row with fixed seeds of `random` and NumPy."""

    def call(img):
        transform = make()
        random.seed(7)
        np.random.seed(7)
        return np.stack([np.asarray(transform(img)) for _ in range(5)])

    return call


PIL, GRAY, BOTH = ("pil",), ("pil_gray",), ("pil", "pil_gray")
ANY = ("pil", "pil_gray", "array", "array_gray")
CALLS = {
    "hflip": (T.hflip, ANY),
    "vflip": (T.vflip, ANY),
    "crop": (lambda i: T.crop(i, 2, 3, 5, 7), ("pil", "pil_gray", "array")),
    "crop_outside": (lambda i: T.crop(i, -2, 8, 6, 9), BOTH),
    "center_crop": (lambda i: T.center_crop(i, (5, 6)), ("pil", "pil_gray", "array")),
    "resize_int": (lambda i: T.resize(i, 7), ANY),
    "pad_tuple": (lambda i: T.pad(i, (1, 2), (9, 8, 7)), ("pil", "array")),
    "pad_edge": (lambda i: T.pad(i, (1, 2, 3, 4), 0, "edge"), ANY),
    "pad_reflect": (lambda i: T.pad(i, (1, 2, 3, 4), 0, "reflect"), ANY),
    "pad_symmetric": (lambda i: T.pad(i, (1, 2, 3, 4), 0, "symmetric"), ANY),
    "rotate": (lambda i: T.rotate(i, 30, fill=5), PIL),
    "rotate_bilinear": (lambda i: T.rotate(i, -70.5, "bilinear", True), PIL),
    "rotate_center": (lambda i: T.rotate(i, 45, "bicubic", False, (2, 3), (1, 2, 3)), PIL),
    "grayscale_1": (lambda i: T.to_grayscale(i, 1), BOTH),
    "grayscale_3": (lambda i: T.to_grayscale(i, 3), ("pil", "pil_gray", "array")),
    "brightness": (lambda i: T.adjust_brightness(i, 1.3), ANY),
    "contrast": (lambda i: T.adjust_contrast(i, 0.4), BOTH),
    "hue": (lambda i: T.adjust_hue(i, -0.2), BOTH),
    "to_tensor": (T.to_tensor, ANY),
    "to_tensor_hwc": (lambda i: T.to_tensor(i, "HWC"), ANY),
    "normalize": (
        lambda i: T.normalize(i, [100, 110, 120], [30, 40, 50], "HWC", True),
        ("pil", "array"),
    ),
    "transpose": (T.Transpose(), ANY),
    "random_resized_crop": (_repeated(lambda: T.RandomResizedCrop((6, 5))), ("pil", "array")),
    "random_resized_crop_middle": (
        _repeated(lambda: T.RandomResizedCrop(6, (0.9, 1.0), (3.0, 4.0), "bicubic")),
        BOTH,
    ),
    "random_crop": (_repeated(lambda: T.RandomCrop((6, 5))), ("pil", "pil_gray", "array")),
    "random_crop_padded": (_repeated(lambda: T.RandomCrop(10, 2)), ("pil", "pil_gray", "array")),
    "random_crop_if_needed": (
        _repeated(lambda: T.RandomCrop(16, 1, True, padding_mode="edge")),
        ("pil", "array"),
    ),
    "color_jitter": (_repeated(lambda: T.ColorJitter(0.4, 0.5, 0.6, 0.2)), BOTH),
    "brightness_transform": (_repeated(lambda: T.BrightnessTransform(0.4)), ANY),
    "contrast_transform": (_repeated(lambda: T.ContrastTransform(0.4)), BOTH),
    "saturation_transform": (_repeated(lambda: T.SaturationTransform(0.4)), BOTH),
    "hue_transform": (_repeated(lambda: T.HueTransform(0.4)), BOTH),
    "random_rotation": (_repeated(lambda: T.RandomRotation((-60, 60))), PIL),
    "random_horizontal_flip": (_repeated(lambda: T.RandomHorizontalFlip()), ANY),
    "random_vertical_flip": (_repeated(lambda: T.RandomVerticalFlip(0.3)), ANY),
    "chain": (
        _repeated(
            lambda: T.Compose(
                [
                    T.RandomResizedCrop(6),
                    T.RandomHorizontalFlip(),
                    T.ColorJitter(0.4, 0.4, 0.4, 0.1),
                    T.ToTensor(),
                ]
            )
        ),
        PIL,
    ),
}
for _method in ("nearest", "bilinear", "bicubic", "box", "lanczos", "hamming"):
    _kinds = ANY if _method in ("nearest", "bilinear", "bicubic") else BOTH
    for _size in ((16, 20), (4, 5), (6, 20)):
        CALLS[f"resize_{_method}_{_size[0]}_{_size[1]}"] = (
            lambda i, s=_size, m=_method: T.resize(i, s, m),
            _kinds,
        )

CASES = {
    f"{name}/{kind}": (call, IMAGES[kind])
    for name, (call, kinds) in CALLS.items()
    for kind in kinds
}
