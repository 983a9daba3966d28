"""Transforms of NumPy images: against formulas, and against Pillow where both mean the same."""

import numpy as np
import pytest
from PIL import Image

import paddle.vision.transforms as T
from paddle.vision.transforms import functional as F
from tests.vision.transforms.cases import RGB

FLOAT = RGB.astype("float32") / 255
PIL = Image.fromarray(RGB)


def test_resize_int_keeps_proportions():
    assert T.resize(np.zeros((20, 41, 3), "uint8"), 10).shape == (10, 20, 3)
    assert T.resize(np.zeros((41, 20), "uint8"), 10).shape == (20, 10)
    assert T.resize(np.zeros((41, 20, 1), "uint8"), 10).shape == (20, 10, 1)


def test_resize_of_a_small_side_that_fits_returns_the_image():
    assert T.resize(RGB, 10) is RGB


def test_guide_resizes_a_float_array():
    image = np.random.RandomState(0).rand(28, 28).astype("float32")
    resized = T.Compose([T.Resize(size=32)])(image)
    assert resized.shape == (32, 32) and resized.dtype == np.float32


def test_bilinear_weights():
    # Pixel centres of 2 -> 4: -0.25, 0.25, 0.75, 1.25; outside the edge pixel is repeated.
    got = T.resize(np.array([[0.0, 4.0]], "float32"), (1, 4))
    np.testing.assert_allclose(got, [[0, 1, 3, 4]])


def test_bicubic_weights():
    # A single bright pixel shows the kernel: w(t) of Keys with a = -0.75 at t = -1.75 ... 1.75.
    line = np.zeros((1, 9), "float32")
    line[0, 4] = 1
    got = T.resize(line, (1, 18), "bicubic")[0, 5:13]
    t = np.abs((np.arange(5, 13) - 0.5) / 2 - 4)
    near, far = (1.25 * t - 2.25) * t * t + 1, -0.75 * (((t - 5) * t + 8) * t - 4)
    np.testing.assert_allclose(got, np.where(t < 1, near, far), atol=1e-6)
    assert got.sum() == pytest.approx(2)


def test_lanczos_keeps_a_constant():
    np.testing.assert_array_equal(T.resize(np.full((9, 9), 77, "uint8"), (5, 14), "lanczos"), 77)


def test_area_averages_when_shrinking():
    image = np.random.RandomState(0).rand(6, 9, 3).astype("float32")
    got = T.resize(image, (2, 3), "area")
    np.testing.assert_allclose(got, image.reshape(2, 3, 3, 3, 3).mean((1, 3)), rtol=1e-6)


def test_area_weighs_partly_covered_pixels():
    got = T.resize(np.array([[1.0, 2.0, 3.0]], "float32"), (1, 2), "area")
    np.testing.assert_allclose(got, [[(1 + 0.5 * 2) / 1.5, (0.5 * 2 + 3) / 1.5]], rtol=1e-6)


def test_area_repeats_pixels_when_enlarging():
    got = T.resize(np.array([[1.0, 2.0]], "float32"), (2, 4), "area")
    np.testing.assert_allclose(got, [[1, 1, 2, 2]] * 2)


@pytest.mark.parametrize("angle", [0, 90, 180, 270, 33, -70.5])
@pytest.mark.parametrize("expand", [False, True])
def test_rotate_turns_as_pillow_does(angle, expand):
    got = T.rotate(RGB, angle, expand=expand, fill=(1, 2, 3))
    expected = np.asarray(T.rotate(PIL, angle, expand=expand, fill=(1, 2, 3)))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int32"])
def test_rotate_bilinear(dtype):
    got = T.rotate(RGB.astype(dtype), 33, "bilinear", center=(3, 4))
    expected = np.asarray(T.rotate(PIL, 33, "bilinear", center=(3, 4)))
    assert got.dtype == dtype
    np.testing.assert_allclose(got.astype(float), expected, atol=1)


def test_rotate_by_right_angles_is_lossless():
    np.testing.assert_array_equal(T.rotate(RGB, 90, expand=True), np.rot90(RGB))
    np.testing.assert_array_equal(
        T.rotate(FLOAT[:, :10], 270, "bicubic"), np.rot90(FLOAT[:, :10], 3)
    )


def test_rotate_expand_shows_everything_around_any_center():
    canvas = T.rotate(np.ones((8, 12), "float32"), 30, "nearest", True, (0, 0))
    np.testing.assert_array_equal(
        canvas, T.rotate(np.ones((8, 12), "float32"), 30, "nearest", True)
    )


def test_crop_outside_is_zero():
    got = T.crop(np.array([[1, 2], [3, 4]]), -1, 1, 3, 2)
    np.testing.assert_array_equal(got, [[0, 0], [2, 0], [4, 0]])


def test_crop_far_outside_is_zero():
    np.testing.assert_array_equal(T.crop(RGB, 50, -90, 4, 5), np.zeros((4, 5, 3)))


def test_center_crop_larger_than_the_image_as_pillow_does():
    np.testing.assert_array_equal(T.center_crop(RGB, 16), np.asarray(T.center_crop(PIL, 16)))


def test_pad_fills_all_channels():
    np.testing.assert_array_equal(T.pad(RGB, 1, 7)[0], np.full((15, 3), 7))
    np.testing.assert_array_equal(np.asarray(T.pad(PIL, 1, 7))[0], np.full((15, 3), 7))


def test_pad_sides():
    got = T.pad(np.zeros((1, 1)), (1, 2, 3, 4), 5.0)
    assert got.shape == (7, 5) and got[2, 1] == 0 and got.sum() == 5 * 34


def test_palette_survives_padding():
    palette = PIL.convert("P")
    padded = T.pad(palette, 2, padding_mode="edge")
    assert padded.mode == "P"
    inner = padded.convert("RGB").crop((2, 2, 15, 12))
    np.testing.assert_array_equal(np.asarray(inner), np.asarray(palette.convert("RGB")))


def test_grayscale_weights():
    got = T.to_grayscale(FLOAT)
    assert got.shape == (10, 13, 1) and got.dtype == np.float32
    np.testing.assert_allclose(got[..., 0], FLOAT @ np.array([0.299, 0.587, 0.114]), rtol=1e-5)


@pytest.mark.parametrize("shape", [(10, 13), (10, 13, 1)])
def test_grayscale_of_gray(shape):
    gray = RGB[..., 0].reshape(shape)
    np.testing.assert_array_equal(T.to_grayscale(gray)[..., 0], RGB[..., 0])
    assert T.to_grayscale(gray, 3).shape == (10, 13, 3)


@pytest.mark.parametrize("factor", [0, 0.3, 1, 1.7])
def test_colours_as_pillow(factor):
    for name, tolerance in [("brightness", 0), ("contrast", 0), ("saturation", 2)]:
        adjust = getattr(F, f"adjust_{name}")
        got, expected = adjust(RGB, factor), np.asarray(adjust(PIL, factor))
        assert got.dtype == np.uint8
        np.testing.assert_allclose(got.astype(int), expected.astype(int), atol=tolerance)


def test_colours_of_float_arrays_are_not_cut():
    np.testing.assert_allclose(F.adjust_brightness(FLOAT, 2.0), FLOAT * 2)
    gray = (FLOAT @ np.array([0.299, 0.587, 0.114], "float32"))[..., None]
    mean = gray.mean(dtype="float64")
    np.testing.assert_allclose(F.adjust_contrast(FLOAT, 0.5), (FLOAT - mean) / 2 + mean, rtol=1e-5)
    np.testing.assert_allclose(
        F.adjust_saturation(FLOAT, 0.25), FLOAT * 0.25 + gray * 0.75, rtol=1e-5
    )
    assert all(f(FLOAT, 0.5).dtype == np.float32 for f in (F.adjust_contrast, F.adjust_hue))


def test_hue_turns_the_colour_circle():
    # A third of a turn takes red to green, green to blue, blue to red.
    primary = np.eye(3, dtype="float32")[None] * 0.8
    np.testing.assert_allclose(F.adjust_hue(primary, 1 / 3), np.roll(primary, 1, axis=2), atol=1e-6)
    np.testing.assert_allclose(
        F.adjust_hue(primary, -1 / 3), np.roll(primary, -1, axis=2), atol=1e-6
    )


def test_hue_keeps_gray_and_undoes_itself():
    gray = np.full((2, 2, 3), 99, "uint8")
    np.testing.assert_array_equal(F.adjust_hue(gray, 0.3), gray)
    np.testing.assert_allclose(F.adjust_hue(F.adjust_hue(FLOAT, 0.2), -0.2), FLOAT, atol=1e-6)


def test_hue_as_pillow():
    difference = F.adjust_hue(RGB, 0.2).astype(int) - np.asarray(F.adjust_hue(PIL, 0.2))
    assert np.abs(difference).max() <= 8  # Pillow keeps hues in 8 bits


def test_inputs_are_left_alone():
    before = RGB.copy()
    for transform in (
        T.Resize(20),
        T.Pad(1),
        T.ColorJitter(0.4, 0.4, 0.4, 0.4),
        T.Normalize(0.5, 0.5, "HWC", True),
        T.RandomRotation(30),
        T.ToTensor(),
    ):
        transform(RGB)
    np.testing.assert_array_equal(RGB, before)


@pytest.mark.parametrize("prob", [0, 1])
def test_flip_probability(prob):
    expected = np.flip(RGB, 1) if prob else RGB
    for _ in range(20):
        np.testing.assert_array_equal(T.RandomHorizontalFlip(prob)(RGB), expected)
    expected = np.flip(RGB, 0) if prob else RGB
    np.testing.assert_array_equal(T.RandomVerticalFlip(prob)(RGB), expected)


def test_random_crop_stays_inside_and_gets_everywhere():
    index = np.arange(30).reshape(5, 6)
    seen = {int(T.RandomCrop((4, 4))(index)[0, 0]) for _ in range(200)}
    assert seen == {0, 1, 2, 6, 7, 8}


def test_random_crop_of_the_whole_image():
    np.testing.assert_array_equal(T.RandomCrop((10, 13))(RGB), RGB)


def test_random_resized_crop_covers_the_asked_area():
    transform = T.RandomResizedCrop(8, scale=(0.25, 0.5), ratio=(0.5, 2.0))
    for _ in range(50):
        top, left, height, width = transform._get_params((np.zeros((60, 80)),))
        assert 0.24 < height * width / 4800 < 0.51 and 0.48 < width / height < 2.05
        assert 0 <= top <= 60 - height and 0 <= left <= 80 - width
