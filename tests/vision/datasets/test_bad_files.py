"""Folders and archives that are empty, cut off, or named by bytes that are no text."""

from __future__ import annotations

import io
import os
import re
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paddle.utils import fetching
from paddle.vision.datasets import VOC2012, Cifar10, DatasetFolder, Flowers, ImageFolder


def picture(form: str = "PNG") -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (6, 5), (9, 0, 0)).save(content, form)
    return content.getvalue()


def tar_of(path: Path, members: dict[str, bytes], mode: str) -> bytes:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path.read_bytes()


@pytest.mark.parametrize("cls", [DatasetFolder, ImageFolder])
def test_empty_folders_are_named(cls, tmp_path: Path) -> None:
    (tmp_path / "cat").mkdir()
    words = rf"{re.escape(str(tmp_path))}.*\.jpg, \.jpeg, \.png.* found no"
    with pytest.raises(RuntimeError, match=words):
        cls(str(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_class_names_that_are_no_text(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/1.png", "wb") as file:
        file.write(picture())
    data = DatasetFolder(str(tmp_path))
    assert [os.fsencode(name) for name in data.classes] == [b"caf\xe9"]
    assert data[0][0].size == (6, 5)


def test_flowers_that_are_cut_off(tmp_path: Path) -> None:
    savemat = pytest.importorskip("scipy.io").savemat
    noise = np.random.RandomState(0).bytes(20000)
    content = tar_of(tmp_path / "whole.tgz", {"jpg/image_00001.jpg": noise}, "w:gz")
    (tmp_path / "cut.tgz").write_bytes(content[:-5000])
    savemat(tmp_path / "labels.mat", {"labels": np.array([[1]])})
    savemat(tmp_path / "setid.mat", {"trnid": [[1]], "valid": [[1]], "tstid": [[1]]})
    files = [str(tmp_path / name) for name in ("cut.tgz", "labels.mat", "setid.mat")]
    with pytest.raises(ValueError, match=r"cut\.tgz: expected a complete tar archive"):
        Flowers(*files)


def test_voc_that_is_cut_off(tmp_path: Path) -> None:
    base = "VOCdevkit/VOC2012/"
    members = {
        f"{base}ImageSets/Segmentation/val.txt": b"a\n",
        f"{base}JPEGImages/a.jpg": picture(),
        f"{base}SegmentationClass/a.png": picture(),
    }
    content = tar_of(tmp_path / "whole.tar", members, "w")
    end = content.index(f"{base}SegmentationClass/a.png".encode()) + 512 + 20
    (tmp_path / "cut.tar").write_bytes(content[:end])
    with pytest.raises(ValueError, match=r"cut\.tar"):
        VOC2012(str(tmp_path / "cut.tar"), mode="valid")[0]


def test_a_wrong_checksum_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(fetching, "PAUSE_SECONDS", 0.0)
    (tmp_path / "other").write_bytes(b"something else")
    source, ask = (tmp_path / "other").as_uri(), fetching.urllib.request.urlopen
    monkeypatch.setattr(
        fetching.urllib.request, "urlopen", lambda request, timeout: ask(source, timeout=timeout)
    )
    with pytest.raises(RuntimeError, match=r"expected MD5 c58f3010.*, but received 6c7ba9c5"):
        Cifar10()
    assert os.listdir(tmp_path / "home" / "cifar") == []
