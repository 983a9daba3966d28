"""paddle.utils.image_util: crops, flips, means and files."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paddle.utils import image_util as I

COLOR = np.arange(3 * 8 * 6).reshape(3, 8, 6)


def test_resize_keeps_proportions() -> None:
    assert I.resize_image(Image.new("RGB", (40, 20)), 10).size == (20, 10)
    assert I.resize_image(Image.new("L", (30, 45)), 10).size == (10, 15)


def test_crop_in_the_middle() -> None:
    got = I.crop_img(COLOR, 4)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, COLOR[:, 2:6, 1:5])
    np.testing.assert_array_equal(I.crop_img(COLOR[0], 4, color=False), COLOR[0, 2:6, 1:5])


def test_crop_of_a_small_image_has_a_border() -> None:
    got = I.crop_img(np.ones([3, 2, 6]), 4)
    np.testing.assert_array_equal(got[:, [0, 3]], 0)
    np.testing.assert_array_equal(got[:, 1:3], 1)


def test_random_crops_are_parts_or_their_mirrors() -> None:
    np.random.seed(0)
    parts = {
        COLOR[:, y : y + 4, x : x + 4][..., ::step].astype("float32").tobytes()
        for y in range(5) for x in range(3) for step in (1, -1)
    }  # fmt: skip
    got = {np.ascontiguousarray(I.crop_img(COLOR, 4, test=False)).tobytes() for _ in range(60)}
    assert got <= parts and len(got) > 5


def test_preprocess_and_meta(tmp_path: Path) -> None:
    mean = np.arange(3 * 8 * 8, dtype="float64")
    np.savez(tmp_path / "mean.npz", data_mean=mean)
    part = I.load_meta(str(tmp_path / "mean.npz"), 8, 4)
    np.testing.assert_array_equal(part, mean.reshape(3, 8, 8)[:, 2:6, 2:6])
    got = I.preprocess_img(COLOR, part, 4, is_train=False)
    np.testing.assert_array_equal(got, (COLOR[:, 2:6, 1:5] - part).ravel())
    with pytest.raises(ValueError, match="at most mean_img_size = 8, but received 10"):
        I.load_meta(str(tmp_path / "mean.npz"), 8, 10)


def test_files(tmp_path: Path) -> None:
    image = Image.fromarray(np.arange(24, dtype="uint8").reshape(4, 6))
    image.save(tmp_path / "gray.png")
    assert I.load_image(str(tmp_path / "gray.png")).mode == "RGB"
    gray = I.load_image(str(tmp_path / "gray.png"), is_color=False)
    file = io.BytesIO()
    gray.save(file, "png")
    np.testing.assert_array_equal(I.decode_jpeg(file.getvalue()), np.array(image))


def test_oversample() -> None:
    image = np.arange(5 * 6 * 3, dtype="float32").reshape(5, 6, 3)
    got = I.oversample([image, image + 1], (3, 4))
    assert got.shape == (20, 3, 4, 3) and got.dtype == np.float32
    np.testing.assert_array_equal(got[0], image[:3, :4])
    np.testing.assert_array_equal(got[3], image[2:, 2:])
    np.testing.assert_array_equal(got[4], image[1:4, 1:5])
    np.testing.assert_array_equal(got[5:10], got[:5, :, ::-1])
    with pytest.raises(ValueError, match=r"crops within \[5, 6\], but received \[6, 4\]"):
        I.oversample([image], (6, 4))


def test_transformer() -> None:
    image = np.arange(4 * 6 * 3).reshape(4, 6, 3)
    made = I.ImageTransformer((2, 0, 1), (2, 1, 0), np.array([1, 2, 3]))
    expected = image.transpose(2, 0, 1)[::-1] - np.array([1, 2, 3])[:, None, None]
    np.testing.assert_array_equal(made.transformer(image), expected)
    np.testing.assert_array_equal(I.ImageTransformer().transformer(image), image)
    with pytest.raises(ValueError, match=r"transpose\): expected three axes"):
        I.ImageTransformer(transpose=(1, 0))
    with pytest.raises(ValueError, match=r"crop_img\(im\): expected 3 dimensions"):
        I.crop_img(image[0], 2)
