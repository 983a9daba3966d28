"""LogWriter: what reaches the file, and when; threads, full disks, arguments."""

from __future__ import annotations

import errno
import gc
import os
import struct
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.visualdl.writer.programs import until
from visualdl import LogWriter
from visualdl.log_file import LogFile
from visualdl.record import META_TAG, Record, framed
from visualdl.writer import stream


def records(writer: LogWriter) -> list[Any]:
    """Gives what is in the file of a writer now, without the first record."""
    first, *rest = LogFile(writer.file_name).read()
    assert first.tag == META_TAG
    return rest


# -- bytes -----------------------------------------------------------------------------------------
def test_a_scalar_is_what_protobuf_writes(tmp_path: Path) -> None:
    cases = [
        (tag, step, time, value)
        for tag in ("a", "train/loss", "准确率", "x" * 127, "x" * 128, "x" * 300)
        for step in (0, 1, 127, 128, 300, 1 << 40, (1 << 63) - 1, -1)
        for time in (5, 1_700_000_000, 1_700_000_000_000)
        for value in (0.0, 0.5, -3.25, float("inf"))
    ]
    with LogWriter(tmp_path) as writer:
        for tag, step, time, value in cases:
            writer.add_scalar(tag, value, step, walltime=time)
    made = b"".join(
        framed(
            Record(
                values=[Record.Value(id=step, tag=tag, timestamp=time, value=value)]
            ).SerializeToString()
        )
        for tag, step, time, value in cases
    )
    data = Path(writer.file_name).read_bytes()
    assert data.endswith(made) and len(data) - len(made) == 8 + struct.unpack_from("<Q", data)[0]


def test_numbers_of_all_kinds(tmp_path: Path) -> None:
    class Tensor:
        def __init__(self, value: Any) -> None:
            self.value = value

        def numpy(self) -> Any:
            return np.array(self.value)

    given = [1, True, np.float32(0.1), np.int64(7), np.array([3.0]), Tensor([2.5]), 1e39, -1e300]
    with LogWriter(tmp_path) as writer:
        for step, value in enumerate(given):
            writer.add_scalar("x", value, np.int32(step))
        writer.add_scalar("x", float("nan"), Tensor(9))
    found = records(writer)
    assert [row.value for row in found[:-1]] == [
        1, 1, np.float32(0.1), 7, 3, 2.5, float("inf"), float("-inf"),
    ]  # fmt: skip
    assert np.isnan(found[-1].value) and [row.id for row in found] == [*range(8), 9]


def test_times(tmp_path: Path) -> None:
    before = time.time() * 1000
    with LogWriter(tmp_path) as writer:
        for walltime in (None, 1_700_000_000_123, 1_700_000_000, 1_700_000_000.5, 1.7e12):
            writer.add_scalar("x", 0.0, 0, walltime=walltime)
        writer.add_text("t", "words")
    found = [row.timestamp for row in records(writer)]
    assert found[1:5] == [1_700_000_000_123, 1_700_000_000, 1_700_000_000_500, 1_700_000_000_000]
    assert before - 1 <= found[0] <= found[5] <= time.time() * 1000 + 1


# -- when ------------------------------------------------------------------------------------------
def test_the_first_record_is_there_at_once(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path / "new" / "folder", display_name="mine")
    (first,) = LogFile(writer.file_name).read()
    assert (first.tag, first.meta_data.display_name) == (META_TAG, "mine")
    assert writer.logdir == str(tmp_path / "new" / "folder")
    writer.close()


def test_a_full_queue_is_written(tmp_path: Path) -> None:
    with LogWriter(tmp_path, max_queue=5, flush_secs=1000) as writer:
        for step in range(5):
            writer.add_scalar("x", 0.0, step)
        assert until(lambda: len(records(writer)) == 5)


def test_records_are_written_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_PAUSE", 1000.0)
    with LogWriter(tmp_path, max_queue=1000, flush_secs=0.2) as writer:
        writer.add_scalar("x", 0.0, 0)
        assert until(lambda: len(records(writer)) == 1)
    monkeypatch.setattr(stream, "_PAUSE", 0.1)
    with LogWriter(tmp_path, max_queue=1000, flush_secs=1000) as writer:
        writer.add_scalar("x", 0.0, 0)
        assert until(lambda: len(records(writer)) == 1)


def test_a_slow_row_of_records_is_seen_in_time(tmp_path: Path) -> None:
    """Each comes within a second of the one before: the first does not wait for the last."""
    with LogWriter(tmp_path) as writer:
        for step in range(4):
            writer.add_scalar("x", 0.0, step)
            time.sleep(0.6)
        assert len(records(writer)) > 1


def test_flush(tmp_path: Path) -> None:
    with LogWriter(tmp_path, max_queue=1000, flush_secs=1000) as writer:
        for step in range(20):
            writer.add_scalar("x", 0.0, step)
            writer.flush()
            assert len(records(writer)) == step + 1


def test_a_file_has_whole_records_at_any_time(tmp_path: Path) -> None:
    with LogWriter(tmp_path, max_queue=3) as writer:
        file = LogFile(writer.file_name)
        found = 0
        for step in range(3000):
            writer.add_text("t", "x" * (step % 500), step)
            if step % 20 == 0:
                found += len(file.read())
        writer.flush()
        found += len(file.read())
    assert found == 3001 and not file.problems


def test_threads(tmp_path: Path) -> None:
    def add(number: int) -> None:
        for step in range(2000):
            writer.add_scalar(f"t{number}", step, step)
            if step % 500 == 0:
                writer.flush()

    with LogWriter(tmp_path) as writer:
        threads = [threading.Thread(target=add, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    steps: dict[str, list[int]] = {}
    for row in records(writer):
        steps.setdefault(row.tag, []).append(row.id)
    assert steps == {f"t{i}": list(range(2000)) for i in range(6)}


def test_much_at_once_waits_for_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_MOST", 10_000)
    with LogWriter(tmp_path, max_queue=10**6, flush_secs=1000) as writer:
        for step in range(1000):
            writer.add_scalar("x", 0.0, step)
            assert writer._stream is not None and writer._stream.waiting() <= 10_100
    assert len(records(writer)) == 1000


# -- ends ------------------------------------------------------------------------------------------
def test_logging_after_close_goes_on_in_the_file(tmp_path: Path) -> None:
    """As with VisualDL 2, whose users log a last result after the `with` block."""
    with LogWriter(tmp_path, max_queue=1000, flush_secs=1000) as writer:
        writer.add_scalar("x", 0.0, 0)
    writer.close()
    writer.flush()
    assert len(records(writer)) == 1
    for step in (1, 2, 3):
        writer.add_scalar("x", 0.0, step)
        writer.add_text("t", "more", step)
        writer.close()
        assert [row.id for row in records(writer) if row.tag == "x"] == list(range(step + 1))
    writer.add_scalar("x", 0.0, 4)
    path = writer.file_name
    del writer
    gc.collect()
    assert len(LogFile(path).read()) == 9 and len(list(tmp_path.iterdir())) == 1


def test_threads_that_close_and_log(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path, flush_secs=1000)

    def add(number: int) -> None:
        for step in range(300):
            writer.add_scalar(f"t{number}", 0.0, step)
            if step % 7 == number:
                writer.close()

    threads = [threading.Thread(target=add, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    steps: dict[str, list[int]] = {}
    for row in records(writer):
        steps.setdefault(row.tag, []).append(row.id)
    assert steps == {f"t{i}": list(range(300)) for i in range(4)}
    assert sum(thread.name == "visualdl" for thread in threading.enumerate()) <= 1


def test_a_forgotten_writer_loses_nothing(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path, max_queue=1000, flush_secs=1000)
    writer.add_scalar("x", 0.0, 0)
    path = writer.file_name
    del writer
    gc.collect()
    assert len(LogFile(path).read()) == 2


# -- failures --------------------------------------------------------------------------------------
class Disk:
    """A file system that is full after so many bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 1 << 40
        self.write = os.write
        monkeypatch.setattr(stream.os, "write", self)

    def __call__(self, file: int, data: bytes) -> int:
        if not self.free:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = self.write(file, data[: self.free])
        self.free -= done
        return done


def test_a_full_disk_is_told_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    monkeypatch.setattr(stream, "_PAUSE", 0.05)
    writer = LogWriter(tmp_path, max_queue=5, flush_secs=0.05)
    disk.free = 100  # ends within a record
    for step in range(5):
        writer.add_scalar("x", step, step)
    assert writer._stream is not None
    kept = writer._stream
    assert until(lambda: kept.failure is not None)
    with pytest.raises(OSError, match="No space left on device; the log was not written") as caught:
        writer.add_scalar("x", 5, 5)
    assert caught.value.errno == errno.ENOSPC and caught.value.filename == writer.file_name
    with pytest.raises(OSError, match="wait to be written"):
        writer.flush()
    disk.free = 1 << 40
    writer.add_scalar("x", 6, 6)
    writer.close()
    assert [row.value for row in records(writer)] == list(range(7))


def test_a_disk_that_stays_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    monkeypatch.setattr(stream, "_MOST", 10_000)
    writer = LogWriter(tmp_path, max_queue=5)
    disk.free = 0
    failures = 0
    for step in range(2000):
        try:
            writer.add_scalar("x", step, step)
        except OSError:
            failures += 1
    assert writer._stream is not None
    assert failures and writer._stream.waiting() < 10_100
    with pytest.raises(OSError, match="bytes are lost"):
        writer.close()
    writer.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_dev_full(tmp_path: Path) -> None:
    (tmp_path / "vdlrecords.full.log").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        LogWriter(tmp_path, file_name="vdlrecords.full.log")


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        LogWriter(tmp_path / "file" / "folder")


# -- names -----------------------------------------------------------------------------------------
def test_names_of_files(tmp_path: Path) -> None:
    before = int(time.time())
    paths = []
    for _ in range(3):
        with LogWriter(tmp_path, filename_suffix=".mine") as writer:
            paths.append(writer.file_name)
    assert len(set(paths)) == 3
    name = os.path.basename(paths[0])
    assert name.endswith(".log.mine") and before <= int(name[11:21]) <= time.time()


def test_the_folder_without_logdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with LogWriter(comment="try") as writer:
        assert os.path.dirname(writer.logdir) == "runs" and writer.logdir.endswith(".try")
    assert Path(writer.file_name).parent == Path(writer.logdir)


def test_going_on_with_a_file(tmp_path: Path) -> None:
    for value in range(3):
        with LogWriter(tmp_path, file_name="vdlrecords.mine.log") as writer:
            writer.add_scalar("x", value, value)
    assert [row.value for row in records(writer)] == [0, 1, 2]
    with LogWriter(tmp_path, file_name="vdlrecords.mine.log", display_name="named"):
        pass
    assert records(writer)[-1].meta_data.display_name == "named"
    assert [p.name for p in tmp_path.iterdir()] == ["vdlrecords.mine.log"]


@pytest.mark.parametrize("cut", [1, 5, 9, 12, 30])
def test_going_on_after_a_kill(cut: int, tmp_path: Path) -> None:
    """Half a record at the end is cut off: what follows it would be lost."""
    path = tmp_path / "vdlrecords.mine.log"
    with LogWriter(tmp_path, file_name=path.name) as writer:
        for step in range(3):
            writer.add_scalar("train/loss", step, step)
    os.truncate(path, path.stat().st_size - cut)
    with LogWriter(tmp_path, file_name=path.name) as writer:
        writer.add_scalar("train/loss", 9, 9)
    assert [row.value for row in records(writer)] == [0, 1, 9]


def test_going_on_with_garbage(tmp_path: Path) -> None:
    path = tmp_path / "vdlrecords.mine.log"
    path.write_bytes(b"this is no log at all, but it is somebody's")
    with LogWriter(tmp_path, file_name=path.name) as writer:
        writer.add_scalar("x", 1, 1)
    assert path.read_bytes().startswith(b"this is no log at all, but it is somebody's")
    assert [row.value for row in LogFile(str(path)).read()] == [1]


def test_a_name_that_no_reader_finds(tmp_path: Path) -> None:
    with (
        pytest.warns(UserWarning, match="'log.txt'"),
        LogWriter(tmp_path, file_name="log.txt") as writer,
    ):
        pass
    assert "vdlrecords." in writer.file_name


def test_nothing_is_written_where_that_is_asked(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "no", write_to_disk=False) as writer:
        writer.add_scalar("x", 1, 1)
        writer.flush()
        with pytest.raises(ValueError, match="value"):
            writer.add_scalar("x", "one", 1)
    assert writer.file_name == "" and not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_queue", 0),
        ("max_queue", "ten"),
        ("flush_secs", -1),
        ("flush_secs", float("nan")),
        ("filename_suffix", "a/b"),
        ("filename_suffix", 3),
        ("display_name", 3),
        ("file_name", 3),
        ("comment", None),
        ("logdir", 3),
        ("logdir", "a\0b"),
    ],
)
def test_arguments(name: str, value: Any, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"logdir": tmp_path, name: value}
    with pytest.raises(ValueError, match=f"^{name}: "):
        LogWriter(**arguments)


def test_unknown_arguments(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"\['max_que'\]"):
        LogWriter(tmp_path, max_que=3).close()
