"""Log files that are cut, broken, growing or replaced, read value by value and in columns."""

from __future__ import annotations

import logging
import random
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest

from tests.visualdl.records.logs import (
    both_ways,
    framed_value,
    read_in_columns,
    row_of,
    small_log,
)
from visualdl.log_file import LogFile
from visualdl.record import META_TAG, Record, component_of, framed

RECORDS = small_log()
DATA = b"".join(RECORDS)
ENDS = [0, *accumulate(len(record) for record in RECORDS)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vdlrecords.1700000000.log"


def test_values_come_in_order(path: Path) -> None:
    path.write_bytes(DATA)
    values = LogFile(str(path)).read()
    assert [component_of(value) for value in values[:3]] == ["meta_data", "scalar", "image"]
    assert values[0].tag == META_TAG and values[0].meta_data.display_name == "small"
    assert (values[-1].text.encoded_text_string, values[1].value) == ("一\n二", 0.0)


def test_a_limit_leaves_the_rest_for_later(path: Path) -> None:
    path.write_bytes(DATA)
    file = LogFile(str(path))
    counts = []
    while values := file.read(limit=5):
        counts.append(len(values))
    assert counts == [5, 5, 5, 2] and file.position == len(DATA)


def test_a_log_cut_at_any_byte_waits_for_the_rest(path: Path) -> None:
    for cut in range(len(DATA) + 1):
        path.write_bytes(DATA[:cut])
        whole = bisect_right(ENDS, cut) - 1
        file, columns = LogFile(str(path)), LogFile(str(path))
        assert len(file.read()) == whole and file.position == ENDS[whole]
        first = columns.read_columns()
        assert columns.position == ENDS[whole] and first.read == ENDS[whole]
        with path.open("ab") as more:
            more.write(DATA[cut:])
        assert len(file.read()) == len(RECORDS) - whole
        columns.read_columns()
        assert columns.position == len(DATA)
        assert not file.problems and not columns.problems
        assert not columns.read_columns().more


@pytest.mark.slow
def test_what_follows_a_cut_is_found(path: Path) -> None:
    """A process was killed within a record, and another went on with the file."""
    for cut in range(1, len(DATA)):
        path.write_bytes(DATA[:cut] + DATA)
        found, problems = both_ways(str(path))
        whole = bisect_right(ENDS, cut) - 1
        assert whole + len(RECORDS) - 2 <= found <= whole + len(RECORDS), cut
        assert len(problems) <= 1


GARBAGE = {
    "zeros": bytes(50),
    "ones": b"\xff" * 50,
    "2^63": (1 << 63).to_bytes(8, "little") + b"x" * 30,
    "2^31": (1 << 31).to_bytes(8, "little") + b"\x0a" * 30,
    "text": b"hello world, this is no log\n" * 300,
    "random": random.Random(0).randbytes(5000),
    "not a value": framed(b"\x0a\x05hello"),
    "wrong text": framed(b"\x0a\x04\x12\x02\xff\xfe"),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_passed_over_and_told_once(
    name: str, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for at in (0, 3, len(RECORDS) - 1):
        caplog.clear()
        path.write_bytes(DATA[: ENDS[at]] + GARBAGE[name] + DATA[ENDS[at] :])
        with caplog.at_level(logging.WARNING, logger="visualdl"):
            file = LogFile(str(path))
            assert len(file.read()) == len(RECORDS)
            assert not file.read()
        (message,) = caplog.messages
        assert str(path) in message and f"offset {ENDS[at]}:" in message
        assert both_ways(str(path)) == (len(RECORDS), file.problems)


def test_garbage_at_the_end_waits_for_records(path: Path) -> None:
    path.write_bytes(DATA + GARBAGE["2^63"])
    file = LogFile(str(path))
    assert len(file.read()) == len(RECORDS) and len(file.problems) == 1
    assert not file.read() and len(file.problems) == 1
    with path.open("ab") as more:
        more.write(DATA)
    assert len(file.read()) == len(RECORDS) and len(file.problems) == 1


def test_much_garbage_is_searched_in_blocks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visualdl.log_file.BLOCK", 64 << 10)
    junk = b"\xff" + random.Random(1).randbytes(300_000)
    path.write_bytes(DATA + junk + DATA)
    found, problems = both_ways(str(path))
    assert found == 2 * len(RECORDS) and len(problems) == 1


def test_unknown_fields_are_no_error(path: Path) -> None:
    known = Record.FromString(RECORDS[1][8:]).values[0].SerializeToString()
    value = known + b"\x9a\x06\x03abc"  # field 99
    newer = [
        framed(b"\x0a" + bytes([len(value)]) + value),  # a field more in a value
        framed(RECORDS[1][8:] + b"\x92\x03\x02hi"),  # and in a record
        framed(b"\x92\x03\x02hi"),  # nothing that is known
        framed_value(id=3, tag="no content"),
    ]
    path.write_bytes(DATA + b"".join(newer) + RECORDS[1])
    found, problems = both_ways(str(path))
    assert found == len(RECORDS) + 4 and not problems
    values = LogFile(str(path)).read()
    assert component_of(values[-2]) is None and values[-4].value == values[-1].value


def test_several_values_in_a_record(path: Path) -> None:
    path.write_bytes(framed(RECORDS[1][8:] + RECORDS[3][8:]) + RECORDS[2])
    assert both_ways(str(path)) == (3, [])


def test_fuzz(path: Path) -> None:
    """Bytes are changed, lost and put in anywhere; nothing is raised, and both ways agree."""
    logging.disable(logging.CRITICAL)
    drawn = random.Random(20)
    try:
        for _ in range(400):
            data = bytearray(DATA)
            for _ in range(drawn.randint(1, 4)):
                at = drawn.randrange(len(data))
                kind = drawn.randrange(3)
                if kind == 0:
                    data[at] = drawn.randrange(256)
                elif kind == 1:
                    del data[at : at + drawn.randint(1, 40)]
                else:
                    data[at:at] = drawn.randbytes(drawn.randint(1, 40))
            path.write_bytes(data)
            file = LogFile(str(path))
            rows = [row_of(value) for value in file.read()]
            columns, other = read_in_columns(str(path), drawn.choice((200, 1 << 20)))
            assert sorted(rows) == sorted(columns)
            assert [at for at, _ in file.problems[:1]] == [at for at, _ in other.problems[:1]]
    finally:
        logging.disable(logging.NOTSET)


def test_columns_have_what_values_have(path: Path) -> None:
    numbers = [0.0, -1.5, float("nan"), float("inf"), 3e38, 1e-45]
    records = []
    for step in [0, 1, 127, 128, 1 << 20, (1 << 63) - 1, -1, -(1 << 63)]:
        for tag in ("x", "x" * 8, "train/loss", "准确率", "y" * 40, "z" * 120, "w" * 300):
            for time in (0, 5, 1_700_000_000, 1_700_000_000_000):
                value = numbers[len(records) % len(numbers)]
                records.append(framed_value(id=step, tag=tag, timestamp=time, value=value))
    path.write_bytes(b"".join(records))
    assert both_ways(str(path)) == (len(records), [])


def test_columns_keep_the_order_of_a_tag(path: Path) -> None:
    steps = list(range(500)) + list(range(250, 750))
    path.write_bytes(
        b"".join(
            framed_value(id=step, tag=f"t{step % 7}", timestamp=9, value=place)
            for place, step in enumerate(steps)
        )
    )
    columns = LogFile(str(path)).read_columns()
    for number in range(7):
        _, _, values = columns.scalars[f"t{number}"]
        assert np.all(np.diff(values) > 0)
    assert sum(len(rows[0]) for rows in columns.scalars.values()) == len(steps)
    kinds = [column.dtype for column in columns.scalars["t0"]]
    assert kinds == [np.dtype("int64"), np.dtype("int64"), np.dtype("float32")]


def test_tags_whose_numbers_collide_are_told_apart(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visualdl.scalar_scan._FACTORS", np.array([0, 0], np.uint64))
    records = [framed_value(id=i, tag=f"tag{i % 5}", timestamp=1, value=i) for i in range(50)]
    path.write_bytes(b"".join(records))
    assert both_ways(str(path)) == (50, [])


def test_a_record_is_read_again_at_its_place(path: Path) -> None:
    path.write_bytes(DATA)
    file = LogFile(str(path))
    columns = file.read_columns()
    assert len(columns.others) == 5
    for offset, size, value in columns.others:
        assert file.value_at(offset) == value and size + 8 + offset in ENDS
    path.write_bytes(DATA[:700])
    for offset in (columns.others[-1][0], 699, 10**9):
        with pytest.raises(ValueError, match="no record is at offset"):
            file.value_at(offset)


def test_a_record_longer_than_a_block(path: Path) -> None:
    big = framed_value(tag="img", image={"encoded_image_string": bytes(100_000)})
    path.write_bytes(DATA + big + DATA)
    rows, file = read_in_columns(str(path), block=1000)
    assert len(rows) == 2 * len(RECORDS) + 1 and file.position == path.stat().st_size
    path.write_bytes(DATA + big[:50_000])
    rows, file = read_in_columns(str(path), block=1000)
    assert len(rows) == len(RECORDS) and not file.problems


def test_a_replaced_file_is_known(path: Path) -> None:
    path.write_bytes(DATA)
    file = LogFile(str(path))
    assert not file.replaced()
    file.read()
    with path.open("ab") as more:
        more.write(DATA)
    assert not file.replaced()
    path.write_bytes(DATA[:100])
    assert file.replaced()
    path.write_bytes(framed_value(tag=META_TAG, timestamp=2, meta_data={}) + 3 * DATA)
    assert file.replaced()


def test_a_file_grows_while_it_is_read(path: Path) -> None:
    path.write_bytes(b"")
    file = LogFile(str(path))
    values = []
    for start in range(0, len(DATA), 37):
        with path.open("ab") as more:
            more.write(DATA[start : start + 37])
        values += file.read()
    assert [row_of(value) for value in values] == [
        row_of(value) for value in LogFile(str(path)).read()
    ]
    assert len(values) == len(RECORDS) and not file.problems
