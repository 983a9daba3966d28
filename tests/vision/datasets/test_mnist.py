"""MNIST: samples, where the files are looked for, and files that are damaged."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paddle.io import DataLoader, Subset
from paddle.utils import fetching
from paddle.vision.datasets import MNIST, FashionMNIST
from paddle.vision.transforms import Compose, Normalize, ToTensor

COUNT = 20
PIXELS = np.random.RandomState(0).randint(0, 256, (COUNT, 28, 28)).astype(np.uint8)
LABELS = (np.arange(COUNT) % 10).astype(np.uint8)
IMAGE_FILE = struct.pack(">4I", 2051, COUNT, 28, 28) + PIXELS.tobytes()
LABEL_FILE = struct.pack(">2I", 2049, COUNT) + LABELS.tobytes()


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    images, labels = tmp_path / "images", tmp_path / "labels"
    images.write_bytes(IMAGE_FILE)
    labels.write_bytes(LABEL_FILE)
    return str(images), str(labels)


def test_pil_samples(files) -> None:
    data = MNIST(*files, mode="test", backend="pil")
    assert len(data) == COUNT
    image, label = data[13]
    assert isinstance(image, Image.Image)
    assert (image.mode, image.size) == ("L", (28, 28))
    np.testing.assert_array_equal(np.asarray(image), PIXELS[13])
    assert (label.tolist(), label.dtype) == ([3], np.int64)


def test_array_samples(files) -> None:
    image, label = MNIST(*files, mode="TEST", backend="cv2")[-1]
    assert (image.dtype, image.shape, label.shape) == (np.float32, (28, 28), (1,))
    np.testing.assert_array_equal(image, PIXELS[-1])


def test_transform_and_end(files) -> None:
    data = MNIST(*files, transform=lambda image: np.asarray(image).sum(), backend="pil")
    assert [image for image, _ in data] == PIXELS.sum((1, 2)).tolist()
    with pytest.raises(IndexError):
        data[COUNT]


def test_default_backend_is_pil(files) -> None:
    assert MNIST(*files).backend == "pil"


def test_packed_files(files, tmp_path: Path) -> None:
    for name, content in (("i.gz", IMAGE_FILE), ("l.gz", LABEL_FILE)):
        (tmp_path / name).write_bytes(gzip.compress(content))
    data = MNIST(str(tmp_path / "i.gz"), str(tmp_path / "l.gz"))
    np.testing.assert_array_equal(np.asarray(data[7][0]), PIXELS[7])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("cls", "folder"), [(MNIST, "mnist"), (FashionMNIST, "fashion-mnist")])
def test_files_in_the_cache(cls, folder, packed, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    (tmp_path / folder).mkdir()
    for kind, content in (("images-idx3", IMAGE_FILE), ("labels-idx1", LABEL_FILE)):
        name = tmp_path / folder / f"t10k-{kind}-ubyte{'.gz' if packed else ''}"
        name.write_bytes(gzip.compress(content) if packed else content)
    assert len(cls(mode="test", download=False)) == COUNT


def test_missing_files_say_where_they_go(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    monkeypatch.setattr(fetching, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(MNIST, "URL_PREFIX", (tmp_path / "no").as_uri() + "/")
    for options in ({"download": False}, {"download": True}):
        with pytest.raises(RuntimeError) as caught:
            MNIST(**options)
        text = str(caught.value)
        assert "make quickstart" in text and str(tmp_path / "mnist") in text
        for name in ("train-images-idx3", "train-labels-idx1", "t10k-images", "t10k-labels"):
            assert name in text


def test_download(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(MNIST, "URL_PREFIX", tmp_path.as_uri() + "/")
    for kind, part, content in (
        ("IMAGE", "images-idx3", IMAGE_FILE),
        ("LABEL", "labels-idx1", LABEL_FILE),
    ):
        path = tmp_path / f"train-{part}-ubyte.gz"
        path.write_bytes(gzip.compress(content))
        monkeypatch.setattr(MNIST, f"TRAIN_{kind}_MD5", fetching.md5_of(str(path)))
    assert len(MNIST()) == COUNT
    assert (tmp_path / "home" / "mnist" / "train-images-idx3-ubyte.gz").is_file()


@pytest.mark.parametrize(
    ("images", "labels", "text"),
    [
        (IMAGE_FILE[:-1], LABEL_FILE, r"images is .*expected 15696 bytes for 20 x 28 x 28 images"),
        (IMAGE_FILE + b"x", LABEL_FILE, r"but received 15697"),
        (IMAGE_FILE[:7], LABEL_FILE, r"a header of 16 bytes, but received 7 bytes"),
        (b"", LABEL_FILE, r"but received 0 bytes"),
        (LABEL_FILE, LABEL_FILE, r"magic number 2051 of a file of images, but received 2049"),
        (IMAGE_FILE, IMAGE_FILE, r"labels is .*magic number 2049 .*, but received 2051"),
        (struct.pack(">4I", 2051, *[2**32 - 1] * 3) + b"xx", LABEL_FILE, r"expected 79228162458"),
        (IMAGE_FILE, struct.pack(">2I", 2049, 1) + b"1", r"20 images and .* 1 labels"),
        (gzip.compress(IMAGE_FILE)[:-20], LABEL_FILE, r"a complete gzip file, but unpacking"),
        (b"\x1f\x8b" + b"x" * 50, LABEL_FILE, r"a complete gzip file"),
    ],
)
def test_damaged_files(images, labels, text, tmp_path) -> None:
    (tmp_path / "images").write_bytes(images)
    (tmp_path / "labels").write_bytes(labels)
    with pytest.raises(ValueError, match=text):
        MNIST(str(tmp_path / "images"), str(tmp_path / "labels"))


def test_wrong_arguments(files) -> None:
    with pytest.raises(ValueError, match=r"MNIST\(mode\).*\['train', 'test'\].* received 'valid'"):
        MNIST(*files, mode="valid")
    with pytest.raises(ValueError, match=r"MNIST\(backend\).*received 'tiff'"):
        MNIST(*files, backend="tiff")
    with pytest.raises(TypeError, match=r"MNIST\(transform\).* received int"):
        MNIST(*files, transform=3)
    with pytest.raises(RuntimeError, match="expected a file at /no/such/file"):
        MNIST("/no/such/file", files[1])


TRANSFORMS = [
    None,
    ToTensor(),
    ToTensor(data_format="HWC"),
    Compose([ToTensor(), Normalize([0.5], [0.25])]),
    Compose([ToTensor(), Normalize(mean=0.1307, std=0.3081), Normalize([0.5], [2.0])]),
]


@pytest.mark.parametrize("backend", ["pil", "cv2"])
@pytest.mark.parametrize("transform", TRANSFORMS, ids=range(len(TRANSFORMS)))
def test_whole_batches_equal_single_samples_to_the_bit(transform, backend, files) -> None:
    data = MNIST(*files, transform=transform, backend=backend)

    class Plain:
        def __getitem__(self, idx: int) -> tuple:
            return data[idx]

        def __len__(self) -> int:
            return len(data)

    sampler = [[3, 1, 4], [19, 0], [-1]]
    for quick, plain in zip(
        DataLoader(Subset(data, range(COUNT)), batch_sampler=sampler),
        DataLoader(Plain(), batch_sampler=sampler),
        strict=True,
    ):
        for a, b in zip(quick, plain, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_normalize_alone_and_with_more_channels(files) -> None:
    scale = Normalize(mean=[127.5], std=[127.5], data_format="CHW")
    three = Normalize(mean=[0.0] * 3, std=[1.0, 2.0, 4.0], data_format="CHW")
    for transform in (scale, three):
        data = MNIST(*files, transform=transform, backend="pil")
        images, _ = next(iter(DataLoader(data, batch_size=2)))
        np.testing.assert_array_equal(images.numpy()[1], np.asarray(data[1][0]))
    np.testing.assert_array_equal(images.numpy()[1, 2], PIXELS[1].astype("float32") / 4)


def test_a_transform_that_fails_shows_its_own_error(files) -> None:
    scale = Normalize(mean=[0.5], std=[0.5])
    scale.std = None  # as in a script that meddles with it
    data = MNIST(*files, transform=scale)
    with pytest.raises(Exception) as single:
        data[0]
    with pytest.raises(type(single.value)) as batched:
        next(iter(DataLoader(data)))
    assert str(batched.value) == str(single.value)


def test_other_transforms_and_subclasses_go_sample_by_sample(files) -> None:
    class Half(MNIST):
        def __getitem__(self, idx: int) -> tuple:
            image, label = super().__getitem__(idx)
            return np.asarray(image)[:14], label

    images, _ = next(iter(DataLoader(Half(*files), batch_size=2)))
    assert images.shape == [2, 14, 28]

    class Zero(ToTensor):
        def _apply_image(self, img):
            return super()._apply_image(img) * 0.0

    images, _ = next(iter(DataLoader(MNIST(*files, transform=Zero()), batch_size=2)))
    assert float(images.numpy().max()) == 0.0


def test_a_changed_transform_counts_from_the_next_pass(files) -> None:
    data = MNIST(*files, backend="cv2")
    loader = DataLoader(data, batch_size=COUNT)
    assert float(next(iter(loader))[0].numpy().max()) == 255.0
    data.transform = lambda image: image * 2
    assert float(next(iter(loader))[0].numpy().max()) == 510.0
