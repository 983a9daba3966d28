"""paddle.dataset.common: where files are kept, downloads, samples split over files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import paddle
from paddle.dataset import common
from paddle.utils.download import dataset_home


def test_a_data_set_is_an_attribute_and_imports_nothing_before() -> None:
    code = (
        "import sys, paddle\n"
        "paddle.dataset.common.md5file\n"
        "print(sorted(name for name in sys.modules if name.startswith('paddle.dataset.')))\n"
        "print(any(name in sys.modules for name in ('PIL', 'scipy', 'paddle.vision')))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "['paddle.dataset.__init__', 'paddle.dataset.common']\nFalse\n"


def test_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PADDLE_DATASET_HOME", "DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert common.data_home() == os.path.expanduser("~/.cache/paddle/dataset")
    monkeypatch.setenv("DATA_HOME", "/one")
    assert common.data_home() == "/one" == dataset_home()
    monkeypatch.setenv("PADDLE_DATASET_HOME", "~/two")
    assert common.data_home() == os.path.expanduser("~/two")
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    assert common.data_home() == str(tmp_path)


def test_download(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path / "home"))
    source = tmp_path / "words.txt"
    source.write_text("hello")
    checksum = common.md5file(str(source))
    assert checksum == "5d41402abc4b2a76b9719d911017c592"
    path = common.download(source.as_uri(), "mine", checksum)
    assert path == str(tmp_path / "home" / "mine" / "words.txt")
    named = common.download(source.as_uri(), "mine", checksum, "deep/other.txt")
    assert named == str(tmp_path / "home" / "mine" / "deep" / "other.txt")
    source.unlink()
    assert common.download(source.as_uri(), "mine", checksum) == path  # from the cache
    with pytest.raises(RuntimeError, match="put the file there yourself") as caught:
        common.download(source.as_uri(), "yours", checksum)
    assert str(tmp_path / "home" / "yours" / "words.txt") in str(caught.value)


@pytest.mark.parametrize("bad", ["../out", "a/../../b", "/etc", "", "a b"])
def test_names_that_lead_elsewhere(bad: str) -> None:
    with pytest.raises(ValueError, match=r"download\(module_name\): expected letters"):
        common.download("http://127.0.0.1:9/x", bad, None)
    with pytest.raises(ValueError, match=r"download\(save_name\): expected letters"):
        common.download("http://127.0.0.1:9/x", "ok", None, bad)


@pytest.mark.parametrize("module", [json, None], ids=["text", "pickle"])
def test_split_and_read_again(module: object, tmp_path: Path) -> None:
    tools = [] if module is None else [json.dump]
    pattern = str(tmp_path / "%05d.part")
    common.split(lambda: iter([[i, "ä"] for i in range(7)]), 3, pattern, *tools)
    assert sorted(os.listdir(tmp_path)) == ["00000.part", "00001.part", "00002.part"]
    loaders = [] if module is None else [json.load]
    files = str(tmp_path / "*.part")
    shares = [
        [n for n, _ in common.cluster_files_reader(files, 2, rank, *loaders)()] for rank in (0, 1)
    ]
    assert shares == [[0, 1, 2, 6], [3, 4, 5]]


def test_what_split_refuses(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="expected a function, but received str"):
        common.split(lambda: iter([]), 2, dumper="pickle")
    with pytest.raises(ValueError, match="at least 1, but received 0"):
        common.split(lambda: iter([]), 0)
    with pytest.raises(ValueError, match="place for a number such as '%05d', but received 'x'"):
        common.split(lambda: iter([]), 1, "x")
    with pytest.raises(ValueError, match="from 0 to trainer_count - 1 = 1, but received 2"):
        common.cluster_files_reader("*", 2, 2)
    with pytest.raises(FileNotFoundError, match=r"files that fit .*none"):
        list(common.cluster_files_reader(str(tmp_path / "*"), 1, 0)())


def test_fetch_all_asks_every_module(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(paddle.dataset, "__all__", ["common", "files"])
    monkeypatch.setattr(common, "fetch", lambda: asked.append("common"), raising=False)
    common.fetch_all()
    assert asked == ["common"]
