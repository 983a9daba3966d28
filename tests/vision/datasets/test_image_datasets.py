"""Folders, Cifar, Flowers and VOC2012, on small files in the true formats."""

from __future__ import annotations

import io
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paddle.io import DataLoader
from paddle.vision import datasets
from paddle.vision.datasets import VOC2012, Cifar10, Cifar100, DatasetFolder, Flowers, ImageFolder


def test_names_as_the_guide_prints_them() -> None:
    assert datasets.__all__ == [
        "DatasetFolder", "ImageFolder", "MNIST", "FashionMNIST", "Flowers", "Cifar10", "Cifar100",
        "VOC2012",
    ]  # fmt: skip


def image_bytes(value, form: str = "PNG", mode: str = "RGB") -> bytes:
    content = io.BytesIO()
    image = Image.new(mode, (6, 5), value)
    if mode == "P":
        image.putpalette(list(range(256)) * 3)
    image.save(content, form)
    return content.getvalue()


def make_tar(path: Path, members: dict[str, bytes], mode: str = "w:gz") -> str:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return str(path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("b/deep/1.png", "b/2.jpg", "a/3.PNG", "a/notes.txt", "c/none.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(image_bytes((9, 0, 0)))
    return tmp_path


def test_dataset_folder(root: Path) -> None:
    data = DatasetFolder(str(root))
    assert data.classes == ["a", "b", "c"]
    assert data.class_to_idx == {"a": 0, "b": 1, "c": 2}
    paths = [f"{root}/a/3.PNG", f"{root}/b/2.jpg", f"{root}/b/deep/1.png"]
    assert data.samples == list(zip(paths, [0, 1, 1], strict=True))
    assert data.targets == [0, 1, 1]
    image, label = data[1]
    assert (image.size, image.mode, label) == ((6, 5), "RGB", 1)


def test_image_folder(root: Path) -> None:
    data = ImageFolder(str(root), transform=lambda image: np.asarray(image))
    assert len(data) == 3
    (array,) = data[0]
    assert array.tolist() == np.broadcast_to([9, 0, 0], (5, 6, 3)).tolist()


@pytest.mark.parametrize("cls", [DatasetFolder, ImageFolder])
def test_which_files_count(cls, root: Path) -> None:
    def name(path: str) -> str:
        return Path(path).name

    texts = cls(str(root), loader=name, extensions=[".txt"], transform=lambda n: n.upper())
    assert [texts[i][0] for i in range(2)] == ["NOTES.TXT", "NONE.TXT"]
    picked = cls(str(root), loader=name, is_valid_file=lambda path: "3" in Path(path).name)
    assert [picked[i][0] for i in range(len(picked))] == ["3.PNG"]


@pytest.mark.parametrize("cls", [DatasetFolder, ImageFolder])
def test_folders_refuse(cls, root: Path) -> None:
    with pytest.raises(RuntimeError, match="expected a folder at /no/such, but there is none"):
        cls("/no/such")
    with pytest.raises(RuntimeError, match=r"expected files below .*\.gif\), but found none"):
        cls(str(root), extensions=(".gif",))
    with pytest.raises(ValueError, match="either extensions or is_valid_file, but received both"):
        cls(str(root), extensions=(".png",), is_valid_file=lambda path: True)
    with pytest.raises(TypeError, match=r"extensions.* received '.png'"):
        cls(str(root), extensions=".png")
    with pytest.raises(TypeError, match=r"is_valid_file.* received str"):
        cls(str(root), is_valid_file="png")


def cifar_file(path: Path, hundred: bool = False, protocol: int = 2, **changes) -> str:
    key = "fine_labels" if hundred else "labels"
    names = {"data_batch_1": 0, "data_batch_2": 3, "test_batch": 6}
    if hundred:
        names = {"train": 0, "test": 6}
    members = {}
    for name, start in names.items():
        pixels = np.full((3, 3072), start, np.uint8)
        pixels[:, 0] = 200  # the top left pixel's red
        batch = {"data": pixels, key: [start, start + 1, start + 2], **changes}
        members[f"cifar/{name}"] = pickle.dumps(
            {k.encode(): v for k, v in batch.items()}, protocol=protocol
        )
    return make_tar(path, members)


@pytest.mark.parametrize("backend", ["pil", "cv2"])
@pytest.mark.parametrize("protocol", [2, 4])
def test_cifar(backend: str, protocol: int, tmp_path: Path) -> None:
    path = cifar_file(tmp_path / "c.tar.gz", protocol=protocol)
    train, test = Cifar10(path, backend=backend), Cifar10(path, mode="test", backend=backend)
    assert [int(train[i][1]) for i in range(len(train))] == [0, 1, 2, 3, 4, 5]
    assert len(test) == 3
    image, label = test[1]
    array = np.asarray(image)
    assert array.shape == (32, 32, 3)
    assert array.dtype == (np.uint8 if backend == "pil" else np.float32)
    assert array[0, 0].tolist() == [200, 6, 6]
    assert (label.dtype, label.shape, int(label)) == (np.int64, (), 7)


def test_cifar100_in_a_loader(tmp_path: Path) -> None:
    path = cifar_file(tmp_path / "c.tar.gz", hundred=True)
    images, labels = next(iter(DataLoader(Cifar100(path, mode="test"), batch_size=3)))
    assert images.shape == [3, 3, 32, 32]
    assert labels.numpy().tolist() == [6, 7, 8]


class Evil:
    def __reduce__(self):
        return (Path("/tmp/evil_was_here").touch, ())


def test_cifar_refuses(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a pickled dict of arrays and plain data"):
        Cifar10(cifar_file(tmp_path / "evil.tar.gz", labels=Evil()))
    assert not Path("/tmp/evil_was_here").exists()
    with pytest.raises(ValueError, match=r"data_batch_1 in .*expected 3 labels .* received 1"):
        Cifar10(cifar_file(tmp_path / "few.tar.gz", labels=[1]))
    with pytest.raises(ValueError, match=r"an array \[N, 3072\] under 'data', but received \[2\]"):
        Cifar10(cifar_file(tmp_path / "flat.tar.gz", data=np.zeros(2, np.uint8)))
    with pytest.raises(
        ValueError, match=r"files named \*train\* in the archive, but it holds cifar/"
    ):
        Cifar100(cifar_file(tmp_path / "ten.tar.gz"))
    whole = Path(cifar_file(tmp_path / "whole.tar.gz")).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[:-60])
    with pytest.raises(ValueError, match="expected a complete tar archive, but reading it says"):
        Cifar10(str(tmp_path / "cut.tar.gz"))
    with pytest.raises(ValueError, match=r"Cifar10\(mode\).* received 'valid'"):
        Cifar10(mode="valid")


def test_missing_archives_say_where_they_go(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    for cls, folder in ((Cifar10, "cifar"), (Flowers, "flowers"), (VOC2012, "voc2012")):
        with pytest.raises(
            RuntimeError, match=rf"download is False and there is no {tmp_path}/{folder}/"
        ):
            cls(download=False)
        with pytest.raises(RuntimeError, match="expected a file at /no/file, but there is none"):
            cls(data_file="/no/file")


@pytest.fixture
def flowers(tmp_path: Path) -> list[str]:
    savemat = pytest.importorskip("scipy.io").savemat
    members = {f"jpg/image_{i:05d}.jpg": image_bytes((i * 10, 0, 0), "JPEG") for i in range(1, 7)}
    savemat(tmp_path / "labels.mat", {"labels": np.array([[15, 16, 17, 18, 19, 20]])})
    sets = {"trnid": [[1]], "valid": [[2, 3]], "tstid": [[4, 5, 6]]}
    savemat(tmp_path / "setid.mat", {name: np.array(ids) for name, ids in sets.items()})
    archive = make_tar(tmp_path / "flowers.tgz", members)
    return [archive, str(tmp_path / "labels.mat"), str(tmp_path / "setid.mat")]


def test_flowers(flowers: list[str]) -> None:
    expected = {"train": [18, 19, 20], "valid": [16, 17], "test": [15]}
    for mode, labels in expected.items():
        data = Flowers(*flowers, mode=mode, backend="cv2")
        assert [label.tolist() for _, label in data] == [[label] for label in labels]
        image, label = data[0]
        assert (image.dtype, image.shape, label.dtype) == (np.float32, (5, 6, 3), np.int64)
        assert abs(image[0, 0, 0] - 10 * (labels[0] - 14)) <= 3  # JPEG rounds


def test_flowers_refuses(flowers: list[str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a variable 'labels' in it, but it holds"):
        Flowers(flowers[0], flowers[2], flowers[2])
    with pytest.raises(ValueError, match="expected a MATLAB file"):
        Flowers(flowers[0], flowers[0], flowers[2])
    empty = make_tar(tmp_path / "empty.tgz", {})
    with pytest.raises(ValueError, match=r"expected jpg/image_00004\.jpg in it, as .*setid"):
        Flowers(empty, *flowers[1:])[0]


def voc_file(path: Path, mode: str = "w", **changes: bytes) -> str:
    base = "VOCdevkit/VOC2012/"
    lists = {"train": b"a\n", "val": b"b\n", "trainval": b"a\nb\n"}
    members = {f"{base}ImageSets/Segmentation/{k}.txt": v for k, v in lists.items()}
    for i, name in enumerate("ab"):
        members[f"{base}JPEGImages/{name}.jpg"] = image_bytes((i * 50, 0, 0), "JPEG")
        mask = changes.get(name, image_bytes(3 + i, "PNG", "P"))
        members[f"{base}SegmentationClass/{name}.png"] = mask
    return make_tar(path, members, mode)


@pytest.mark.parametrize("packing", ["w", "w:gz", "w:bz2", "w:xz"])
def test_voc(packing: str, tmp_path: Path) -> None:
    path = voc_file(tmp_path / "voc.tar", packing)
    assert [len(VOC2012(path, mode=m)) for m in ("train", "valid", "test")] == [2, 1, 1]
    image, mask = VOC2012(path, mode="valid", backend="cv2")[0]
    assert (image.shape, mask.shape, mask.dtype) == ((5, 6, 3), (5, 6), np.float32)
    assert np.unique(mask).tolist() == [4.0]
    image, mask = VOC2012(path, mode="valid", backend="pil")[0]
    assert np.unique(np.asarray(mask)).tolist() == [4]


def test_voc_in_workers(tmp_path: Path) -> None:
    data = VOC2012(voc_file(tmp_path / "voc.tar"), backend="cv2")
    for _ in range(3):
        batches = [mask.numpy().max() for _, mask in DataLoader(data, num_workers=2)]
        assert batches == [3.0, 4.0]


def test_voc_refuses(tmp_path: Path) -> None:
    data = VOC2012(voc_file(tmp_path / "voc.tar", a=b"no image"))
    with pytest.raises(ValueError, match=r"SegmentationClass/a.png in .*expected an image file"):
        data[0]
    with pytest.raises(ValueError, match=r"expected VOCdevkit/.*trainval.txt in it"):
        VOC2012(make_tar(tmp_path / "empty.tar", {}))
    (tmp_path / "text.tar").write_text("this is no archive" * 100)
    with pytest.raises(ValueError, match="expected a complete tar archive"):
        VOC2012(str(tmp_path / "text.tar"))
