"""Bad input gives the right class of error, and a message with what was expected and what came."""

import numpy as np
import pytest
from PIL import Image

import paddle.vision.transforms as T
from tests.vision.transforms.cases import RGB

PIL = Image.fromarray(RGB)
FUNCTIONS = [
    lambda i: T.to_tensor(i),
    lambda i: T.hflip(i),
    lambda i: T.vflip(i),
    lambda i: T.resize(i, 3),
    lambda i: T.pad(i, 3),
    lambda i: T.rotate(i, 3),
    lambda i: T.to_grayscale(i),
    lambda i: T.crop(i, 0, 0, 1, 1),
    lambda i: T.center_crop(i, 3),
    lambda i: T.adjust_brightness(i, 1),
    lambda i: T.adjust_contrast(i, 1),
    lambda i: T.adjust_hue(i, 0),
    lambda i: T.normalize(i, 0, 1),
    T.RandomCrop(3),
    T.RandomResizedCrop(3),
    T.ColorJitter(),
    T.BrightnessTransform(0),
    T.Transpose(),
    T.Grayscale(),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_image(function):
    with pytest.raises(TypeError, match=r"an image must be a PIL.Image.*Tensor, got str: 'x'"):
        function("x")
    with pytest.raises(TypeError, match=r"2 or 3 dimensions.*of shape \[3\]"):
        function(np.zeros(3))
    with pytest.raises(TypeError, match=r"2 or 3 dimensions.*of shape \[1, 3, 2, 2\]"):
        function(np.zeros((1, 3, 2, 2)))


WRONG_TYPE = [
    (lambda: T.Resize("a"), r"Resize: 'size' must be an int or a list.*str: 'a'"),
    (lambda: T.Resize(2.5), r"Resize: 'size' must be an int.*float: 2.5"),
    (lambda: T.Resize((2.5, 3)), r"Resize: 'size' must be an int.*\(2.5, 3\)"),
    (lambda: T.Resize(3, 2)(PIL), r"'interpolation' must be one of.*int: 2"),
    (lambda: T.CenterCrop(None), r"CenterCrop: 'size' must be.*NoneType"),
    (lambda: T.RandomHorizontalFlip("a"), r"RandomHorizontalFlip: 'prob' must be a number.*'a'"),
    (lambda: T.Pad("a"), r"Pad: 'padding' must be an int or.*str: 'a'"),
    (lambda: T.Pad(1.5), r"Pad: 'padding' must be an int or.*float: 1.5"),
    (lambda: T.Pad(1, fill=None), r"Pad: 'fill' must be a number.*NoneType"),
    (lambda: T.pad(RGB, 1, "red"), r"'fill' must be a number.*for arrays.*'red'"),
    (lambda: T.Pad(1, 0, 3), r"Pad: 'padding_mode' must be one of.*int: 3"),
    (lambda: T.RandomRotation("a"), r"RandomRotation: 'degrees' must be.*'a'"),
    (lambda: T.rotate(RGB, "a"), r"rotate: 'angle' must be a number, got str: 'a'"),
    (lambda: T.rotate(RGB, 1, center=3), r"rotate: 'center' must be.*int: 3"),
    (lambda: T.crop(RGB, 1.5, 0, 1, 1), r"crop: 'top' must be an int, got float: 1.5"),
    (lambda: T.adjust_brightness(RGB, "a"), r"'brightness_factor' must be a number.*'a'"),
    (lambda: T.ColorJitter("a"), r"BrightnessTransform: 'value' must be.*'a'"),
    (lambda: T.RandomResizedCrop(3, scale=2), r"'scale' must be a list or tuple.*int: 2"),
    (lambda: T.Normalize("a"), r"normalize: 'mean' must be a number or.*'a'"),
    (lambda: T.Transpose("abc"), r"Transpose: 'order' must be a list.*'abc'"),
    (lambda: T.Compose(T.Resize(3)), r"Compose: 'transforms' must be a list.*Resize"),
    (lambda: T.Compose([T.Resize(3), 7]), r"'transforms\[1\]' must be callable, got int: 7"),
    (lambda: T.BaseTransform(keys=3), r"BaseTransform: 'keys' must be a list.*int: 3"),
    (lambda: T.BaseTransform(keys="image"), r"BaseTransform: 'keys' must be a list.*'image'"),
    (lambda: T.RandomCrop(3, keys=(None,))((RGB,)), r"RandomCrop: expected an input.*'image'"),
]

WRONG_VALUE = [
    (lambda: T.Resize((1, 2, 3)), r"Resize: 'size' must be one positive int or two.*\(1, 2, 3\)"),
    (lambda: T.Resize(0), r"Resize: 'size' must be one positive int"),
    (lambda: T.Resize((4, -1)), r"Resize: 'size' must be one positive.*\(4, -1\)"),
    (lambda: T.Resize(3, "cubic")(PIL), r"PIL image: 'interpolation' must be one of.*got 'cubic'"),
    (lambda: T.Resize(3, "box")(RGB), r"numpy.ndarray: 'interpolation' must be.*got 'box'"),
    (lambda: T.Resize(3, "area")(PIL), r"PIL image: 'interpolation' must be one of.*got 'area'"),
    (lambda: T.rotate(RGB, 3, "lanczos"), r"'interpolation' must be one of.*got 'lanczos'"),
    (lambda: T.rotate(PIL, 3, "box"), r"'interpolation' must be one of.*got 'box'"),
    (lambda: T.RandomHorizontalFlip(1.5), r"'prob' must be in \[0, 1\], got 1.5"),
    (lambda: T.RandomVerticalFlip(-0.1), r"RandomVerticalFlip: 'prob' must be in.*-0.1"),
    (lambda: T.RandomVerticalFlip(float("nan")), r"'prob' must be in \[0, 1\], got nan"),
    (lambda: T.Pad((1, 2, 3)), r"Pad: 'padding' must be an int or have 2.*got 3 elements"),
    (lambda: T.pad(RGB, (1, 2, 3, 4, 5)), r"pad: 'padding' must.*got 5 elements"),
    (lambda: T.pad(RGB, [1]), r"pad: 'padding' must.*got 1 elements: \[1\]"),
    (lambda: T.Pad(-1), r"Pad: 'padding' must be >= 0, got -1"),
    (lambda: T.Pad(1, 0, "wrap"), r"Pad: 'padding_mode' must be one of.*got 'wrap'"),
    (
        lambda: T.pad(RGB, 1, (1, 2)),
        r"'fill' must be one number or one per channel, that is 3, got 2",
    ),
    (lambda: T.pad(PIL, 1, (1, 2)), r"'fill' must be.*that is 3 for an image of mode 'RGB', got 2"),
    (lambda: T.RandomRotation(-3), r"RandomRotation: 'degrees' must be >= 0, got -3"),
    (lambda: T.RandomRotation((3, 1)), r"RandomRotation: 'degrees' must be \(min, max\)"),
    (lambda: T.RandomRotation(3, center=(1, 2, 3)), r"'center' must have two elements.*got 3"),
    (lambda: T.Grayscale(2), r"Grayscale: 'num_output_channels' must be 1 or 3, got int: 2"),
    (lambda: T.to_grayscale(np.zeros((2, 2, 4))), r"must have 1 or 3 channels.*\[2, 2, 4\]"),
    (lambda: T.BrightnessTransform(-1), r"BrightnessTransform: 'value' must be >= 0, got -1"),
    (lambda: T.ContrastTransform((2, 1)), r"ContrastTransform: 'value' must be \(min, max\)"),
    (lambda: T.SaturationTransform((1, 2, 3)), r"'value' must be \(min, max\).*\(1, 2, 3\)"),
    (lambda: T.HueTransform(0.6), r"HueTransform: 'value' must be in \[0, 0.5\], got 0.6"),
    (lambda: T.HueTransform((-0.6, 0)), r"HueTransform: 'value' must be \(min, max\) with -0.5"),
    (lambda: T.ColorJitter(hue=0.7), r"HueTransform: 'value' must be in \[0, 0.5\], got 0.7"),
    (lambda: T.adjust_hue(RGB, 0.7), r"'hue_factor' must be in \[-0.5, 0.5\], got 0.7"),
    (lambda: T.adjust_contrast(RGB, -1), r"'contrast_factor' must be >= 0, got -1"),
    (lambda: T.RandomCrop(12)(RGB), r"at least as large as the window \(12, 12\).*\(10, 13\)"),
    (lambda: T.RandomCrop(0), r"RandomCrop: 'size' must be one positive int"),
    (lambda: T.crop(RGB, 0, 0, 0, 3), r"crop: '\(height, width\)' must be.*\(0, 3\)"),
    (lambda: T.RandomResizedCrop(5, scale=(1, 0.5)), r"'scale' must be \(min, max\)"),
    (lambda: T.RandomResizedCrop(5, ratio=(0, 1)), r"'ratio' must be > 0, got \(0, 1\)"),
    (lambda: T.Transpose((2, 0)), r"Transpose: 'order' must hold 0, 1 and 2.*\(2, 0\)"),
    (lambda: T.ToTensor("NCHW"), r"ToTensor: 'data_format' must be one of.*got 'NCHW'"),
    (lambda: T.to_tensor(RGB, "NCHW"), r"to_tensor: 'data_format' must be one of.*got 'NCHW'"),
    (lambda: T.Normalize(data_format="WHC"), r"normalize: 'data_format' must be one of.*'WHC'"),
    (lambda: T.Normalize(0, 0), r"normalize: 'std' must not be 0"),
    (lambda: T.Normalize(0, 1)(RGB), r"one per channel, got 3 for.*\[10, 13, 3\].*10 channels"),
    (lambda: T.normalize(RGB, [1, 2], 1, "HWC"), r"got 2 for.*which has 3 channels.*'HWC'"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPE)
def test_wrong_type(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(("call", "message"), WRONG_VALUE)
def test_wrong_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_kind_of_input_without_a_method():
    with pytest.raises(NotImplementedError, match=r"no input of kind 'coords'.*_apply_coords"):
        T.BaseTransform(keys=("image", "coords"))


@pytest.mark.parametrize("kind", ["image", "boxes", "mask"])
def test_method_that_the_subclass_lacks(kind):
    with pytest.raises(NotImplementedError, match=rf"must define _apply_{kind}\(self, {kind}\)"):
        T.BaseTransform(keys=(kind,))(1)
