"""Choosing an image backend and reading files with each."""

import os

import numpy as np
import pytest
from PIL import Image

import paddle
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


def _cut(path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


@pytest.mark.parametrize("kind", ["cut.jpg", "cut.png", "text.png", "empty.jpg"])
def test_an_unreadable_file_of_a_folder_is_named(tmp_path, kind) -> None:
    for name in ("a.png", kind):
        (tmp_path / "cats").mkdir(exist_ok=True)
        path = tmp_path / "cats" / name
        noise = np.random.RandomState(0).randint(0, 256, (64, 64, 3)).astype("uint8")
        Image.fromarray(noise).save(path)
    if kind.startswith("cut"):
        _cut(path, path.stat().st_size // 2)
    else:
        path.write_text("no image" if kind == "text.png" else "")
    data = paddle.vision.datasets.DatasetFolder(str(tmp_path))
    assert data[0][0].size == (64, 64)
    with pytest.raises(OSError, match=rf"/cats/{kind}: expected an image file"):
        data[1]
    loader = paddle.io.DataLoader(data, batch_size=2, num_workers=1)
    with pytest.raises(OSError, match=rf"/cats/{kind}[\s\S]*reading sample 1 of DatasetFolder"):
        list(loader)


def test_a_missing_file_stays_a_missing_file(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        image.image_load(tmp_path / "none.png")


def test_samples_of_folders_are_decoded_and_hold_no_file(tmp_path) -> None:
    for mode in ("RGB", "L", "P"):
        Image.new(mode, (3, 2)).save(tmp_path / f"{mode}.png")
    data = paddle.vision.datasets.ImageFolder(str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    images = [data[i][0] for i in range(3)]
    assert [i.mode for i in images] == ["RGB"] * 3
    assert len(os.listdir("/proc/self/fd")) == before
