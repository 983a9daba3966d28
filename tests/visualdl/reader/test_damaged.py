"""Logs of VisualDL 2.5.3 that are cut, changed, mixed with garbage, and logs of many tags."""

from __future__ import annotations

import errno
import logging
import os
import random
from bisect import bisect_right
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.logs import fuzz_logs, real_logs, use
from visualdl import LogReader
from visualdl.component.scalar import frame, tag_field, varint
from visualdl.log_file import LogFile, split
from visualdl.record import META_TAG, Record, framed

SEED = os.environ.get("FUZZ_SEED", "2021")
LOGS = real_logs()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    return folder / "vdlrecords.1700000000.log"


def rows_of(reader: LogReader) -> int:
    """Gives how many records there are."""
    return sum(len(rows) for tags in reader.log_data.values() for rows in tags.values())


@pytest.mark.parametrize("name", [name for name in LOGS if name != "all"])
def test_a_real_log_cut_at_any_byte(name: str, path: Path) -> None:
    data = LOGS[name]
    ends = [0, *(stop for _, stop in split(data))]
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        reader = LogReader(str(path.parent))
        whole = bisect_right(ends, cut) - 1
        assert rows_of(reader) == whole
        with path.open("ab") as file:
            file.write(data[cut:])
        reader.load_new_data()
        assert rows_of(reader) == len(ends) - 1
    assert use(path) == (len(ends) - 1, 0)


@pytest.mark.slow
def test_real_logs_with_anything_changed(tmp_path: Path) -> None:
    found = fuzz_logs(random.Random(f"{SEED} logs"), 300, tmp_path)
    assert not found["failures"], (SEED, found["failures"])
    assert min(found["ran"], found["refused"]) > 20


@pytest.mark.parametrize("length", [1 << 63, (1 << 64) - 1, 1 << 62, 1 << 40, 1 << 31])
def test_a_length_that_is_none(length: int, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = LOGS["all"]
    for tail in (b"", b"\x0a", b"\x0a" * 40):
        caplog.clear()
        path.write_bytes(data + length.to_bytes(8, "little") + tail)
        with caplog.at_level(logging.WARNING, logger="visualdl"):
            reader = LogReader(str(path.parent))
            count = rows_of(reader)
            for _ in range(3):
                reader.load_new_data()
        (message,) = caplog.messages
        assert str(path) in message and f"offset {len(data)}" in message
        with path.open("ab") as file:
            file.write(data)
        reader.load_new_data()
        assert rows_of(reader) == 2 * count


def test_a_disk_that_fails_for_a_while(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before the failure is kept, and the rest is read when the disk is back."""
    monkeypatch.setattr("visualdl.log_file.BLOCK", 256)
    path.write_bytes(LOGS["all"])
    whole = len(LogFile(str(path)).read())
    block = LogFile._block
    broken = [2]

    def failing(self: LogFile, *arguments: Any) -> bytes:
        broken[0] -= 1
        if broken[0] < 0:
            raise OSError(errno.ESTALE, "Stale file handle")
        return block(self, *arguments)

    monkeypatch.setattr(LogFile, "_block", failing)
    reader = LogReader(str(path.parent))
    first = rows_of(reader)
    assert 0 < first < whole
    reader.load_new_data()
    assert rows_of(reader) == first
    broken[0] = 10**9
    reader.load_new_data()
    assert rows_of(reader) == whole


def test_a_file_that_goes_while_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(LOGS["all"])
    reader = LogReader(file_path=str(path))
    count = rows_of(reader)
    path.unlink()
    reader.load_new_data()
    assert rows_of(reader) == count
    path.write_bytes(LOGS["scalar"])
    reader.load_new_data()
    assert rows_of(reader) == len(split(LOGS["scalar"]))


# -- many tags -------------------------------------------------------------------------------------
def many(path: Path, count: int) -> None:
    """Writes a log of so many tags, a scalar each."""
    time = varint(1_700_000_000_000)
    with path.open("wb") as file:
        first = Record.Value(tag=META_TAG, meta_data={})
        file.write(framed(Record(values=[first]).SerializeToString()))
        for start in range(0, count, 50_000):
            file.writelines(
                frame(1, tag_field(f"layer/{number}/weight"), time, number)
                for number in range(start, min(start + 50_000, count))
            )


def resident() -> int:
    """Gives the bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize("count", [100_000, pytest.param(2_000_000, marks=pytest.mark.slow)])
def test_many_tags(count: int, path: Path) -> None:
    many(path, count)
    columns = LogFile(str(path))
    before, found = resident(), 0
    while (block := columns.read_columns()).read:
        found += len(block.scalars)
    assert found == count and not columns.problems
    assert resident() - before < 300 << 20
    reader = LogReader(str(path.parent))
    assert len(reader.tags()) == count + 1
    last = f"layer/{count - 1}/weight"
    assert [row.value for row in reader.get_data("scalar", last)] == [count - 1]
    assert resident() - before < (100 << 20) + 1000 * count
