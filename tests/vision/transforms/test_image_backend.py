"""Choosing an image backend and reading files with each."""

import numpy as np
import pytest
from PIL import Image

from paddle.vision import image
from tests.vision.transforms.cases import RGB


@pytest.fixture
def png(tmp_path):
    path = tmp_path / "picture.png"
    Image.fromarray(RGB).save(path)
    return str(path)


@pytest.fixture
def restored():
    yield
    image.set_image_backend("pil")


def test_pil_reads_an_image(png):
    assert image.get_image_backend() == "pil"
    np.testing.assert_array_equal(np.asarray(image.image_load(png)), RGB)


def test_cv2_reads_blue_green_red(png):
    got = image.image_load(png, backend="cv2")
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, RGB[..., ::-1])


def test_cv2_gives_three_channels_for_a_gray_file(tmp_path):
    Image.fromarray(RGB[..., 0]).save(tmp_path / "gray.png")
    got = image.image_load(tmp_path / "gray.png", "cv2")
    np.testing.assert_array_equal(got, RGB[..., :1].repeat(3, 2))


def test_tensor_puts_channels_first(png):
    got = image.image_load(png, backend="tensor")
    assert got.shape == [3, 10, 13]
    np.testing.assert_array_equal(got.numpy(), RGB.transpose(2, 0, 1))


@pytest.mark.usefixtures("restored")
def test_the_chosen_backend_is_used(png):
    image.set_image_backend("cv2")
    assert image.get_image_backend() == "cv2"
    assert isinstance(image.image_load(png), np.ndarray)
    assert isinstance(image.image_load(png, backend="pil"), Image.Image)


@pytest.mark.parametrize("backend", ["opencv", 3])
def test_unknown_backend(backend, png):
    with pytest.raises(ValueError, match=r"set_image_backend: 'backend' must be one of.*'pil'"):
        image.set_image_backend(backend)
    with pytest.raises(ValueError, match=rf"image_load: 'backend' must be.*{backend}"):
        image.image_load(png, backend)
    assert image.get_image_backend() == "pil"


def test_bad_paths(tmp_path):
    with pytest.raises(TypeError, match=r"image_load: 'path' must be a str, got int: 3"):
        image.image_load(3)
    with pytest.raises(FileNotFoundError):
        image.image_load(str(tmp_path / "none.png"))
