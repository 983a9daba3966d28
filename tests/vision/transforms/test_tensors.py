"""Transforms of Tensors (C, H, W) agree with those of arrays, and let gradients through."""

import numpy as np
import pytest

import paddle
import paddle.vision.transforms as T
from paddle.vision.transforms import functional as F
from tests.vision.transforms.cases import RGB

FLOAT = RGB.astype("float32") / 255


def chw(array):
    return np.ascontiguousarray(array.transpose(2, 0, 1))


def hwc(tensor):
    return tensor.numpy().transpose(1, 2, 0)


GEOMETRY = {
    "hflip": T.hflip,
    "vflip": T.vflip,
    "crop": lambda i: T.crop(i, 2, 3, 5, 7),
    "crop_outside": lambda i: T.crop(i, -2, 8, 6, 9),
    "center_crop": lambda i: T.center_crop(i, (5, 6)),
    "pad": lambda i: T.pad(i, (1, 2, 3, 4), (0.25, 0.5, 0.75)),
    "pad_edge": lambda i: T.pad(i, 2, padding_mode="edge"),
    "pad_reflect": lambda i: T.pad(i, (1, 2), padding_mode="reflect"),
    "pad_symmetric": lambda i: T.pad(i, (1, 2), padding_mode="symmetric"),
    "resize_int": lambda i: T.resize(i, 7),
    "rotate": lambda i: T.rotate(i, 33, "nearest", True, fill=0.5),
    "rotate_bilinear": lambda i: T.rotate(i, -70, "bilinear", center=(3, 4)),
    "rotate_bicubic": lambda i: T.rotate(i, 20, "bicubic"),
    "grayscale": T.to_grayscale,
    "grayscale_3": lambda i: T.to_grayscale(i, 3),
    "saturation": lambda i: F.adjust_saturation(i, 0.4),
    "hue": lambda i: F.adjust_hue(i, 0.3),
    "contrast": lambda i: F.adjust_contrast(i, 0.4),
    "brightness": lambda i: F.adjust_brightness(i, 0.4),
}
for _method in ("nearest", "bilinear", "bicubic", "area", "lanczos"):
    for _size in ((16, 20), (4, 5), (6, 20)):
        GEOMETRY[f"resize_{_method}_{_size}"] = lambda i, s=_size, m=_method: T.resize(i, s, m)


@pytest.mark.parametrize("name", GEOMETRY)
def test_same_as_for_arrays(name):
    got = GEOMETRY[name](paddle.to_tensor(chw(FLOAT)))
    assert isinstance(got, paddle.Tensor) and got.dtype == paddle.float32
    np.testing.assert_allclose(hwc(got), GEOMETRY[name](FLOAT), atol=2e-6)


@pytest.mark.parametrize("name", [n for n in GEOMETRY if n != "pad" and n != "rotate"])
def test_bytes_same_as_for_arrays(name):
    got = GEOMETRY[name](paddle.to_tensor(chw(RGB)))
    assert got.numpy().dtype == np.uint8
    expected = GEOMETRY[name](RGB)
    np.testing.assert_allclose(hwc(got).astype(int), expected.astype(int), atol=1)


def test_colours_are_cut_to_what_can_be_shown():
    bright = F.adjust_brightness(paddle.to_tensor(chw(FLOAT)), 2.0)
    np.testing.assert_allclose(hwc(bright), np.minimum(FLOAT * 2, 1), rtol=1e-6)
    bright = F.adjust_brightness(paddle.to_tensor(chw(RGB)), 2.0)
    np.testing.assert_array_equal(hwc(bright), np.minimum(RGB.astype(int) * 2, 255))


def test_gray_tensors():
    gray = paddle.to_tensor(chw(FLOAT)[:1])
    for transform in (lambda i: F.adjust_hue(i, 0.3), lambda i: F.adjust_saturation(i, 0.3)):
        np.testing.assert_array_equal(transform(gray).numpy(), gray.numpy())
    assert T.to_grayscale(gray, 3).shape == [3, 10, 13]
    contrast = F.adjust_contrast(gray, 0.5).numpy()
    expected = (gray.numpy() + gray.numpy().mean()) / 2
    np.testing.assert_allclose(contrast, expected, rtol=1e-5)


def test_normalize():
    mean, std = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
    expected = (FLOAT - np.array(mean, "float32")) / np.array(std, "float32")
    got = T.Normalize(mean, std)(paddle.to_tensor(chw(FLOAT)))
    np.testing.assert_allclose(hwc(got), expected, rtol=1e-5)
    got = T.normalize(paddle.to_tensor(FLOAT), mean, std, "HWC", True)
    expected = (FLOAT[..., ::-1] - np.array(mean, "float32")) / np.array(std, "float32")
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5)


def test_transpose():
    got = T.Transpose((1, 2, 0))(paddle.to_tensor(chw(FLOAT)))
    np.testing.assert_array_equal(got.numpy(), FLOAT)


@pytest.mark.parametrize(
    "transform",
    [
        T.RandomHorizontalFlip(1.0),
        T.RandomCrop(8, padding=1),
        T.RandomResizedCrop(8),
        T.RandomRotation(40, "bilinear"),
        T.ColorJitter(0.4, 0.4, 0.4, 0.4),
        T.Grayscale(3),
        T.Pad(2),
    ],
    ids=lambda t: type(t).__name__,
)
def test_random_transforms_take_tensors(transform):
    got = transform(paddle.to_tensor(chw(FLOAT)))
    assert isinstance(got, paddle.Tensor) and got.shape[0] == 3
    assert np.isfinite(got.numpy()).all()


def test_gradients_pass():
    image = paddle.to_tensor(chw(FLOAT), stop_gradient=False)
    paddle.sum(T.resize(T.hflip(image), (20, 26))).backward()
    # Every pixel is one of 130 that 520 new ones are averages of.
    np.testing.assert_allclose(image.grad.numpy().sum(), 3 * 520, rtol=1e-5)


def test_wrong_number_of_dimensions():
    with pytest.raises(TypeError, match=r"Tensor with 3 dimensions.*Tensor of shape \[2, 3\]"):
        T.hflip(paddle.to_tensor(np.zeros((2, 3), "float32")))


def test_wrong_number_of_channels():
    with pytest.raises(
        ValueError, match=r"adjust_hue: a Tensor image must have 1 or 3.*\[2, 4, 4\]"
    ):
        F.adjust_hue(paddle.to_tensor(np.zeros((2, 4, 4), "float32")), 0.1)
