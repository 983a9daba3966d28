"""LogReader: runs, tags and records of folders and files, and what is added to them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from visualdl import LogReader, LogWriter

ROOT = Path(__file__).resolve().parents[3]


def write(folder: Path, tag: str, *values: float, **options: str) -> str:
    """Writes scalars; gives the path of the log."""
    with LogWriter(folder, **options) as writer:
        for step, value in enumerate(values):
            writer.add_scalar(tag, value, step)
    return writer.file_name


def test_one_file(tmp_path: Path) -> None:
    path = write(tmp_path, "train/loss", 1, 2, 3)
    reader = LogReader(file_path=path)
    assert reader.get_tags() == {"meta_data": ["meta_data_tag"], "scalar": ["train/loss"]}
    assert reader.tags() == {f"{path}/meta_data_tag": "meta_data", f"{path}/train%loss": "scalar"}
    assert reader.components() == {"meta_data", "scalar"} and reader.runs() == [path]
    rows = reader.get_data("scalar", "train/loss")
    assert [(row.id, row.tag, row.value) for row in rows] == [
        (0, "train/loss", 1), (1, "train/loss", 2), (2, "train/loss", 3),
    ]  # fmt: skip
    assert reader.get_scalar("train/loss") == rows == reader.get_data("scalar", "train%loss")
    assert reader.get_data("scalar", "other") == [] == reader.get_image("train/loss")
    assert reader.log_data["scalar"]["train/loss"] == rows


def test_several_folders(tmp_path: Path) -> None:
    write(tmp_path / "a" / "x", "loss", 1, display_name="first")
    write(tmp_path / "a" / "y", "loss", 2, 3)
    write(tmp_path / "b", "acc", 4)
    reader = LogReader([str(tmp_path / "a"), str(tmp_path / "b")])
    x, y, b = str(tmp_path / "a" / "x"), str(tmp_path / "a" / "y"), str(tmp_path / "b")
    assert reader.runs() == [x, y, b] and reader.logdir == [str(tmp_path / "a"), b]
    assert reader.display_names() == {x: "first", y: y, b: b}
    assert reader.get_tags()["scalar"] == ["loss", "acc"]
    assert reader.get_tags(run=b)["scalar"] == ["acc"]
    assert [row.value for row in reader.get_data("scalar", "loss")] == [1, 2, 3]
    assert [row.value for row in reader.get_data("scalar", "loss", run=y)] == [2, 3]
    assert reader.tags()[os.path.join(b, "acc")] == "scalar"
    assert list(reader.logs()) == [x, y, b] and len(reader.logs()[x]) == 1


def test_all_files_of_a_folder_count(tmp_path: Path) -> None:
    write(tmp_path, "loss", 1, 2)
    write(tmp_path, "loss", 3)
    reader = LogReader(str(tmp_path))
    assert [row.value for row in reader.get_data("scalar", "loss")] == [1, 2, 3]
    assert [len(names) for names in reader.logs().values()] == [2]


def test_growing(tmp_path: Path) -> None:
    reader = LogReader(str(tmp_path / "later"))
    assert reader.runs() == [] and reader.components() == set() and reader.get_tags() == {}
    with LogWriter(tmp_path / "later") as writer:
        for step in range(5):
            writer.add_scalar("loss", step, step)
            writer.flush()
            assert len(reader.get_data("scalar", "loss")) == step + 1
            assert len(reader.get_data("scalar", "loss")) == step + 1
        writer.add_text("words", "one")
        writer.flush()
        assert "text" not in reader.components(update=False)
        assert "text" in reader.components()
    shutil.rmtree(tmp_path / "later")
    assert reader.runs() == [] and reader.get_data("scalar", "loss") == []
    write(tmp_path / "later" / "again", "loss", 9)
    assert [row.value for row in reader.get_data("scalar", "loss")] == [9]


def test_half_a_record_waits(tmp_path: Path) -> None:
    path = Path(write(tmp_path, "loss", 1, 2))
    data = path.read_bytes()
    path.write_bytes(data[:-3])
    reader = LogReader(file_path=str(path))
    assert [row.value for row in reader.get_data("scalar", "loss")] == [1]
    path.write_bytes(data)
    assert [row.value for row in reader.get_data("scalar", "loss")] == [1, 2]


def test_reading_while_a_thread_writes(tmp_path: Path) -> None:
    with LogWriter(tmp_path, max_queue=7) as writer:
        thread = threading.Thread(
            target=lambda: [writer.add_scalar("x", step, step) for step in range(20_000)]
        )
        thread.start()
        reader = LogReader(str(tmp_path))
        seen = 0
        while thread.is_alive():
            rows = reader.get_data("scalar", "x")
            assert [row.id for row in rows[seen:]] == list(range(seen, len(rows)))
            seen = len(rows)
        thread.join()
    assert len(reader.get_data("scalar", "x")) == 20_000


def test_bad_arguments(tmp_path: Path) -> None:
    for arguments in ({}, {"logdir": "a", "file_path": "b"}):
        with pytest.raises(ValueError, match="either logdir or file_path"):
            LogReader(**arguments)
    with pytest.raises(FileNotFoundError, match="file_path"):
        LogReader(file_path=str(tmp_path / "none.log"))
    reader = LogReader(str(tmp_path))
    with pytest.raises(ValueError, match=r"^component: expected one of"):
        reader.get_data("pictures", "x")
    with pytest.raises(AttributeError, match="get_pictures"):
        reader.get_pictures("x")


def test_importing_is_light() -> None:
    """`import visualdl` needs nothing; writing scalars needs neither NumPy, paddle nor torch."""
    program = """if True:
        import sys
        import visualdl
        heavy = ["numpy", "google.protobuf", "paddle", "torch", "flask", "PIL", "matplotlib"]
        assert not [name for name in heavy if name in sys.modules]
        import tempfile
        with visualdl.LogWriter(tempfile.mkdtemp()) as writer:
            writer.add_scalar("x", 1.0, 0)
        heavy.remove("google.protobuf")
        assert not [name for name in heavy if name in sys.modules]
        assert visualdl.LogReader(file_path=writer.file_name).get_scalar("x")[0].value == 1
        assert not [name for name in heavy if name in sys.modules]
        assert "LogWriter" in dir(visualdl)
        try:
            visualdl.other
        except AttributeError as error:
            assert "other" in str(error)
    """
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)
