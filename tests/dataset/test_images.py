"""Data sets of images as readers: the samples of real PaddlePaddle, the cache, bad archives."""

from __future__ import annotations

import itertools
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import paddle
from paddle.dataset import cifar, common, flowers, image, mnist, voc2012
from paddle.dataset.files import TarMembers
from tests.dataset import archives, readers

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("scipy.io")
    return archives.make_all(tmp_path_factory.mktemp("small"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    monkeypatch.setattr("paddle.utils.fetching.PAUSE_SECONDS", 0.0)
    return tmp_path


def test_the_samples_of_paddlepaddle(small: Path) -> None:
    expected = json.loads((DATA / "dataset_readers.json").read_text())
    assert readers.digests(str(small)) == expected


def test_the_pixels_of_paddlepaddle(small: Path) -> None:
    expected, found = np.load(DATA / "dataset_images.npz"), readers.images(str(small))
    assert sorted(expected.files) == sorted(found)
    for name, value in found.items():
        value = np.asarray(value)
        assert (value.dtype, value.shape) == (expected[name].dtype, expected[name].shape), name
        # It was OpenCV 4.2 that resized there, which rounds in another way.
        resized = name not in ("color", "gray", "label", "short_40")
        apart = np.abs(value.astype(float) - expected[name])
        assert apart.max() <= (1.001 if resized else 0), name
        assert np.mean(apart > 0.01) < 0.15, name


# -- from the cache --------------------------------------------------------------------------------


def in_cache(module, name: str, path: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the checksum that a module expects that of a small archive."""
    monkeypatch.setattr(module, name, common.md5file(str(path)))


def test_cifar_of_the_cache(small: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / "cifar"
    folder.mkdir()
    for number, name in ((10, "ten"), (100, "hundred")):
        path = folder / f"cifar-{number}-python.tar.gz"
        path.write_bytes((small / f"cifar/{name}.tar.gz").read_bytes())
        in_cache(cifar, f"CIFAR{number}_MD5", path, monkeypatch)
    cifar.fetch()
    assert [label for _, label in cifar.train10()()] == [0, 5, 9, 1, 5, 9]
    assert [label for _, label in cifar.test10()()] == [2, 5, 9]
    assert [label for _, label in itertools.islice(cifar.test10(cycle=True)(), 5)] == [
        2,
        5,
        9,
        2,
        5,
    ]
    assert [label for _, label in cifar.test100()()] == [1, 5, 9]
    pixels, _ = next(paddle.dataset.cifar.train100()())
    assert (pixels.dtype, pixels.shape) == (np.float32, (3072,)) and 0 <= pixels.min() < 1


@pytest.mark.parametrize("packed", [True, False])
def test_mnist_of_the_cache(home: Path, packed: bool) -> None:
    archives.mnist(home / "mnist", packed)
    mnist.fetch()
    samples = list(paddle.dataset.mnist.test()())
    assert [label for _, label in samples[:4]] == [1, 4, 7, 0] and len(samples) == 200
    digits = paddle.vision.datasets.MNIST(mode="test", backend="cv2")
    for index in (0, 150):
        pixels, label = digits[index]
        np.testing.assert_array_equal(pixels.ravel() / np.float32(255) * 2 - 1, samples[index][0])
        assert label == samples[index][1]


def test_flowers_of_the_cache(small: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small / "flowers").rename(home / "flowers")
    try:
        for constant, name in (("DATA", "102flowers.tgz"), ("LABEL", "imagelabels.mat"),
                               ("SETID", "setid.mat")):  # fmt: skip
            in_cache(flowers, f"{constant}_MD5", home / "flowers" / name, monkeypatch)
        flowers.fetch()
        found = sorted(label for _, label in flowers.train(use_xmap=True)())
        assert found == [0, 18, 19]
        ((pixels, label),) = flowers.test()()
        assert (pixels.shape, pixels.dtype, label) == ((150528,), np.float32, 14)
        first = [y for _, y in itertools.islice(flowers.train(cycle=True, use_xmap=False)(), 5)]
        assert first == [19, 18, 0, 19, 18]
        assert [y for _, y in flowers.valid(lambda sample: sample, use_xmap=False)()] == [101, 15]
    finally:
        (home / "flowers").rename(small / "flowers")


def test_voc(small: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "voc2012" / "VOCtrainval_11-May-2012.tar"
    path.parent.mkdir()
    path.write_bytes((small / "voc2012/voc.tar").read_bytes())
    in_cache(voc2012, "VOC_MD5", path, monkeypatch)
    assert [len(list(part()())) for part in (voc2012.train, voc2012.test, voc2012.val)] == [2, 1, 1]
    photo, mask = next(voc2012.val()())
    np.testing.assert_array_equal(photo, np.asarray(archives.picture(1)))
    np.testing.assert_array_equal(mask, np.arange(40 * 52).reshape(40, 52) % 21)
    again = paddle.vision.datasets.VOC2012(str(path), mode="valid", backend="cv2")[0]
    np.testing.assert_array_equal(again[0], photo.astype(np.float32))


@pytest.mark.parametrize(
    ("module", "read", "name"),
    [
        (cifar, cifar.train10, "cifar/cifar-10-python.tar.gz"),
        (cifar, cifar.test100, "cifar/cifar-100-python.tar.gz"),
        (flowers, flowers.valid, "flowers/102flowers.tgz"),
        (voc2012, voc2012.val, "voc2012/VOCtrainval_11-May-2012.tar"),
        (mnist, mnist.train, "mnist"),
    ],
)
def test_without_network_the_error_says_what_to_put_where(
    home: Path, monkeypatch: pytest.MonkeyPatch, module, read, name: str
) -> None:
    for constant in dir(module):
        if constant.isupper() and "URL" in constant:
            address = getattr(module, constant).rpartition("/")[2]
            monkeypatch.setattr(module, constant, f"http://127.0.0.1:9/{address}")
    if module is mnist:
        find = mnist.find
        monkeypatch.setattr(
            mnist, "find", lambda *args: find(*args, url_prefix="http://127.0.0.1:9/")
        )
    with pytest.raises(RuntimeError) as caught:
        read()
    assert str(home / name) in str(caught.value)
    assert "put the f" in str(caught.value)  # the file, or the four files


# -- bad input -------------------------------------------------------------------------------------


def test_cut_archives_are_named(small: Path, tmp_path: Path) -> None:
    for name in ("cifar/ten.tar.gz", "voc2012/voc.tar"):
        content = (small / name).read_bytes()
        path = tmp_path / "cut.tar"
        path.write_bytes(content[: len(content) * 2 // 3 + 7])
        with pytest.raises(
            ValueError, match=r"cut\.tar: expected (a complete tar archive|.* in it)"
        ):
            if "cifar" in name:
                list(cifar.reader_creator(str(path), "data_batch")())
            else:
                list(voc2012.reader_creator(str(path), "trainval")())


def test_labels_out_of_range(tmp_path: Path) -> None:
    images, labels = archives.idx(5, 0)
    (tmp_path / "images").write_bytes(images)
    (tmp_path / "labels").write_bytes(labels[:-2] + bytes([10, 3]))
    reader = mnist.reader_creator(str(tmp_path / "images"), str(tmp_path / "labels"), 2)
    with pytest.raises(ValueError, match="labels: expected labels from 0 to 9, but received 10 for "
                                         "image 3"):  # fmt: skip
        list(reader())
    for bad in (12, -1, 1.5, "cat"):
        batch = {b"data": np.zeros([3, 3072], np.uint8), b"labels": [1, bad, 2]}
        path = archives.tar_of(tmp_path / "ten.tar.gz", {"test_batch": pickle.dumps(batch)})
        with pytest.raises(ValueError, match="expected labels from 0 to 9 under 'labels'"):
            list(cifar.reader_creator(path, "test")())


def test_flowers_that_do_not_fit(small: Path, tmp_path: Path) -> None:
    from scipy.io import savemat

    data, sets = str(small / "flowers/102flowers.tgz"), str(small / "flowers/setid.mat")

    def read(labels: list[int], archive: str = data) -> list:
        path = str(tmp_path / "labels.mat")
        savemat(path, {"labels": np.array([labels])})
        return list(flowers.reader_creator(archive, path, sets, "tstid", len, use_xmap=False)())

    with pytest.raises(ValueError, match="expected labels from 1 to 102, but received 0 to 3"):
        read([0, 1, 2, 3, 1, 1])
    with pytest.raises(ValueError, match="image numbers from 1 to 3, the number of labels"):
        read([1, 2, 3])
    empty = archives.tar_of(tmp_path / "empty.tgz", {"jpg/image_00004.jpg": b""})
    with pytest.raises(ValueError, match=r"expected jpg/image_00006\.jpg in it"):
        read([1, 2, 3, 4, 5, 6], empty)


def test_lists_that_are_no_text(tmp_path: Path) -> None:
    path = archives.tar_of(tmp_path / "voc.tar", {voc2012.SET_FILE.format("val"): b"a\n\xff\xfe"})
    with pytest.raises(ValueError, match=r"val\.txt in .*voc\.tar: expected text in UTF-8, .*xff"):
        voc2012.reader_creator(path, "val")
    with pytest.raises(ValueError, match=r"expected .*trainval\.txt in it, but it is missing"):
        voc2012.reader_creator(path, "trainval")


def test_batches_of_a_tar(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archives.tar_of(tmp_path / "a.tar", {f"{i}.jpg": bytes([i]) for i in (3, 1, 2, 0)})
    labels = {"0.jpg": 5, "2.jpg": 6, "3.jpg": 7}

    def interrupted(*_: object, protocol: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(image.pickle, "dump", interrupted)
        with pytest.raises(KeyboardInterrupt):
            image.batch_images_from_tar(path, "train", labels, 2)
    listing = image.batch_images_from_tar(path, "train", labels, 2)
    assert listing == f"{path}_batch/train.txt"
    names = Path(listing).read_text().splitlines()
    batches = [pickle.loads(Path(name).read_bytes()) for name in names]
    assert batches == [{"data": [b"\3", b"\2"], "label": [7, 6]}, {"data": [b"\0"], "label": [5]}]
    os.unlink(path)
    assert image.batch_images_from_tar(path, "train", labels, 2) == listing  # made before
    assert sorted(os.listdir(f"{path}_batch")) == ["train", "train.txt"]


def test_pictures_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"expected a file at /no\.jpg"):
        image.load_image("/no.jpg")
    whole = archives.encoded(archives.picture(0), "JPEG")
    (tmp_path / "cut.jpg").write_bytes(whole[:500])
    with pytest.raises(ValueError, match=r"cut\.jpg: expected an image file, but decoding it says"):
        image.load_image(str(tmp_path / "cut.jpg"))
    with pytest.raises(ValueError, match="expected an image file"):
        image.load_image_bytes(b"text")


def test_kinds_of_files(tmp_path: Path) -> None:
    deep = Image.fromarray((np.arange(12).reshape(3, 4) * 5000).astype(np.uint16))
    got = image.load_image_bytes(archives.encoded(deep, "PNG"))
    np.testing.assert_array_equal(got[..., 1], (np.arange(12).reshape(3, 4) * 5000) >> 8)
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn
    path = tmp_path / "turned.jpg"
    archives.picture(0).save(path, exif=exif)
    assert image.load_image(str(path)).shape == (52, 40, 3)
    assert image.load_image(str(path), is_color=False).shape == (52, 40)


def test_arguments_of_image_functions() -> None:
    picture = np.zeros([8, 6, 3], np.uint8)
    for crop in (image.center_crop, image.random_crop):
        with pytest.raises(ValueError, match=r"shorter edge of the image \[8, 6, 3\], but .* 7"):
            crop(picture, 7)
        with pytest.raises(
            ValueError, match=r"expected an array \[H, W, C\], but received \[8, 6\]"
        ):
            crop(picture[..., 0], 4)
    with pytest.raises(ValueError, match="each of the 3 axes of the image, but received"):
        image.to_chw(picture, (1, 0))
    with pytest.raises(ValueError, match=r"one for each channel.* received the shape \[2\]"):
        image.simple_transform(picture, 6, 4, False, mean=[1, 2])
    with pytest.raises(ValueError, match=r"resize_short\(size\): expected at least 1"):
        image.resize_short(picture, 0)
    assert flowers.center_crop is image.center_crop and voc2012.to_chw is image.to_chw


def test_members_are_listed_in_order(tmp_path: Path) -> None:
    archive = TarMembers(archives.tar_of(tmp_path / "a.tar", {"b": b"1", "a": b"2"}))
    assert list(archive) == ["b", "a"] and archive.text("a") == "2"
