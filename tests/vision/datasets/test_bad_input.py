"""Damaged archives, missing parts, unreadable images, wrong labels: what the data sets say."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddle
from paddle.vision.datasets import MNIST, VOC2012, Cifar10, Cifar100, DatasetFolder, Flowers
from paddle.vision.datasets import ImageFolder as Images
from tests.dataset import image_archives
from tests.dataset.image_archives import picture


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return image_archives.write_home(tmp_path_factory.mktemp("home"))


def _flowers(home: Path, archive: str) -> Flowers:
    return Flowers(archive, *(str(home / "flowers" / n) for n in ("imagelabels.mat", "setid.mat")))


READERS: list[tuple[str, Callable[[Path, str], Any]]] = [
    ("cifar/cifar-10-python.tar.gz", lambda home, path: Cifar10(path)),
    ("cifar/cifar-100-python.tar.gz", lambda home, path: Cifar100(path, mode="test")),
    ("flowers/102flowers.tgz", _flowers),
    ("voc2012/VOCtrainval_11-May-2012.tar", lambda home, path: VOC2012(path)),
]


@pytest.mark.parametrize("name, read", READERS, ids=[name for name, _ in READERS])
def test_truncated_archives(
    name: str, read: Callable[[Path, str], Any], home: Path, tmp_path: Path
) -> None:
    pytest.importorskip("scipy")
    read(home, str(home / name))
    whole = (home / name).read_bytes()
    path = tmp_path / "cut"
    end = len(whole.rstrip(b"\0"))
    for length in (0, 100, end // 2 + 7, int(end * 0.9)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=rf"{path}: expected .*"):
            read(home, str(path))


@pytest.mark.parametrize("name, read", READERS[:3], ids=[name for name, _ in READERS[:3]])
def test_a_wrong_bit(
    name: str, read: Callable[[Path, str], Any], home: Path, tmp_path: Path
) -> None:
    """Packed archives have a checksum."""
    pytest.importorskip("scipy")
    content = bytearray((home / name).read_bytes())
    content[len(content) // 2] ^= 4
    (tmp_path / "flipped").write_bytes(content)
    with pytest.raises(ValueError, match=r"flipped: expected a (complete tar|pickled dict of)"):
        read(home, str(tmp_path / "flipped"))


def test_archives_of_something_else(home: Path) -> None:
    pytest.importorskip("scipy")
    hundred, ten = (str(home / "cifar" / f"cifar-{n}-python.tar.gz") for n in (100, 10))
    with pytest.raises(ValueError, match=r"files named \*data_batch\* .*holds cifar-100-python/"):
        Cifar10(hundred)
    with pytest.raises(ValueError, match=r"/test_batch in .*: expected 4 labels under 'fine_l"):
        Cifar100(ten, mode="test")
    with pytest.raises(ValueError, match=r"expected VOCdevkit/.*/trainval.txt in it, but it is mi"):
        VOC2012(ten)
    with pytest.raises(ValueError, match=r"expected jpg/image_00005.jpg in it, as .*setid.mat say"):
        _flowers(home, ten)


def test_voc_lacks_an_image_of_its_list(tmp_path: Path) -> None:
    path = image_archives.write_voc(tmp_path / "voc.tar", val=b"a\nother\n")
    assert len(VOC2012(path)) == 2
    with pytest.raises(
        ValueError, match=r"expected .*JPEGImages/other.jpg in it, as .*/val.txt sa"
    ):
        VOC2012(path, mode="valid")


def test_labels_out_of_range(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "mnist"
    folder.mkdir()
    images, labels = folder / "images", folder / "labels"
    images.write_bytes(image_archives.idx(np.zeros((3, 28, 28), np.uint8)))
    labels.write_bytes(image_archives.idx(np.array([1, 25, 9], np.uint8)))
    with pytest.raises(ValueError, match=r"labels: expected labels from 0 to 9, but label 1 .*25"):
        MNIST(str(images), str(labels))

    class Letters(MNIST):
        LABEL_COUNT = 26

    assert [int(label[0]) for _, label in Letters(str(images), str(labels))] == [1, 25, 9]
    batch = image_archives.cifar_batch(b"labels", 4, 12, seed=3)
    path = image_archives.write_tar(tmp_path / "c.tgz", {"data_batch_1": batch})
    with pytest.raises(ValueError, match=r"data_batch_1 in .*: expected labels from 0 to 9, but"):
        Cifar10(path)


@pytest.mark.parametrize("kind", [DatasetFolder, Images])
def test_unreadable_images_of_folders(kind: type, tmp_path: Path) -> None:
    folder = tmp_path / "cat"
    folder.mkdir()
    (folder / "good.jpg").write_bytes(picture("wide.jpg"))
    (folder / "half.jpg").write_bytes(picture("wide.jpg")[:900])
    (folder / "text.png").write_text("no image")
    data = kind(str(tmp_path))
    before = paddle.vision.get_image_backend()
    for backend in ("pil", "cv2", "tensor"):
        paddle.vision.set_image_backend(backend)
        try:
            assert len(data[0]) == (2 if kind is DatasetFolder else 1)
            for at, name in ((1, "half.jpg"), (2, "text.png")):
                with pytest.raises(ValueError, match=rf"{folder}/{name}: expected an image file"):
                    data[at]
        finally:
            paddle.vision.set_image_backend(before)
    (folder / "good.jpg").unlink()
    with pytest.raises(FileNotFoundError, match=r"good\.jpg"):
        data[0]


def test_unreadable_photos_of_archives(tmp_path: Path, home: Path) -> None:
    pytest.importorskip("scipy")
    half = picture("wide.jpg")[:900]
    members = {f"jpg/image_{n:05d}.jpg": half for n in range(1, 7)}
    path = image_archives.write_tar(tmp_path / "f.tgz", members)
    with pytest.raises(
        ValueError, match=rf"jpg/image_00005\.jpg in {path}: expected an image file"
    ):
        _flowers(home, path)[0]


def test_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=rf"a folder for each class in {tmp_path}, .*\.jpg, .*"
                       r"\.png.* but found no folder"):  # fmt: skip
        DatasetFolder(str(tmp_path))
    with pytest.raises(RuntimeError, match=rf"expected files below {tmp_path} .*\.jpg, .*\.png"):
        Images(str(tmp_path))
    (tmp_path / "cat").mkdir()
    with pytest.raises(RuntimeError, match=rf"expected files below {tmp_path} .*\.jpg, .*\.png"):
        DatasetFolder(str(tmp_path))


def test_names_that_are_not_utf8(tmp_path: Path, home: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("the file system has no such names")
    with open(folder + b"/d\xff.png", "wb") as file:
        file.write(picture("colors.png"))
    data = DatasetFolder(str(tmp_path))
    assert [os.fsencode(name) for name in data.classes] == [b"caf\xe9"]
    assert data[0][0].size == Image.open(image_archives.PICTURES / "colors.png").size
    with open(folder + b"/e\xff.png", "wb") as file:
        file.write(b"no image")
    with pytest.raises(ValueError, match=r"e\udcff\.png: expected an image file"):
        DatasetFolder(str(tmp_path))[1]
    batch = image_archives.cifar_batch(b"labels", 4, 10, seed=3)
    path = image_archives.write_tar(tmp_path / "c.tgz", {"\udce9/data_batch_1": batch})
    assert len(Cifar10(path)) == 4
