"""Rows in files: the index, growth, what a killed process leaves, repeated pushes."""

import errno
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from paddle.core.errors import PreconditionNotMetError, ResourceExhaustedError
from paddle.distributed.ps import files, store, table
from paddle.distributed.ps.files import Budget, Mapped
from paddle.distributed.ps.index import Index
from paddle.distributed.ps.initial import CountFilter, Initial
from paddle.distributed.ps.messages import Flag, Frame, Kind
from paddle.distributed.ps.rules import Rule
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.table import Table

SPEC = TableSpec(
    3, "words", "sparse", 4, rule=Rule("adagrad", 0.5, fill={"moment": 0.25}),
    initial=Initial("uniform"),
)  # fmt: skip


def push(ids, values, number, flags=0, trainer=0):
    ids = np.asarray(ids)
    values = np.broadcast_to(np.asarray(values, "f4"), (len(ids), 4))
    return Frame(Kind.PUSH, 3, trainer, number, flags, ids, values)


def test_index_against_a_dict(tmp_path):
    rng = np.random.default_rng(0)
    ids = Mapped(tmp_path / "ids", np.int64, 1, 1)
    index, known = Index(tmp_path / "index", ids, 1), {}
    for size in [1, 5, 3000, 20_000, 1, 60_000]:
        new = rng.integers(-(2**63), 2**63 - 1, size)
        if size == 3000:
            new = np.arange(size) * 4096  # numbers that a plain remainder would pile up
        if size == 5:
            new = np.array([0, -1, 1, 2**63 - 1, -(2**63)])
        new = np.array([i for i in np.unique(new) if int(i) not in known])
        first = len(known) + 1
        ids.need(first + len(new))
        index.reserve(first + len(new), first)
        ids.flat[first : first + len(new)] = new
        index.add(new, first)
        known.update(zip(new.tolist(), range(first, first + len(new))))
        asked = np.concatenate([new, rng.integers(0, 2**62, 50), np.array(list(known))[:500]])
        rng.shuffle(asked)
        assert index.find(asked).tolist() == [known.get(i, 0) for i in asked.tolist()]
    again = Index(tmp_path / "index", ids, len(known) + 1)  # made from the ids
    assert again.find(np.array(list(known))).tolist() == list(known.values())


def test_a_mapped_file_grows_in_place(tmp_path):
    file = Mapped(tmp_path / "f", np.float32, 4, 10)
    before = file.array
    before[9] = 7
    file.need(100_000)
    assert file.array is before
    file.array[99_999] = 5
    assert os.path.getsize(tmp_path / "f") >= 1_600_000
    room = file.room
    file.need(room + 1)  # beyond the address space that was reserved
    assert file.array[9, 0] == 7
    assert file.array[99_999, 3] == 5
    file.array[room] = 3
    file.close()
    again = Mapped(tmp_path / "f", np.float32, 4, 10)
    assert again.array[9, 0] == 7
    again.close()


def test_a_file_that_was_cut(tmp_path):
    made = Table(SPEC, tmp_path)
    made.pull(np.arange(100_000))
    made.close()
    os.truncate(tmp_path / "g0" / "values", 4096)
    with pytest.raises(PreconditionNotMetError, match=r"values: expected .* the file has 4096"):
        Table(SPEC, tmp_path)


def test_rows_outlive_the_process(tmp_path):
    ids = np.random.default_rng(0).integers(-(2**62), 2**62, 5000)
    first = Table(SPEC, tmp_path)
    first.pull(ids)
    assert first.push(push(ids[:10], 1.0, 1), 0.5)
    seen = first.pull(ids)
    again = Table(SPEC, tmp_path)  # the first was not closed, as after kill -9
    np.testing.assert_array_equal(again.pull(ids), seen)
    assert not again.push(push(ids[:10], 1.0, 1), 0.5)
    np.testing.assert_array_equal(again.pull(ids), seen)
    assert again.store.count - 1 == len(np.unique(ids))
    assert again.stat()["steps"] == 1


def test_pushes_that_overtake_one_another(tmp_path):
    made = Table(SPEC, tmp_path)
    order = [3, 1, 2, 7, 5, 6, 4, 30, 20, 29, 8]
    for number in order:
        assert made.push(push([1], 1.0, number, Flag.DELTA), 1.0) == (number != 8 or 30 - 8 < 24)
    for number in order:
        assert not made.push(push([1], 1.0, number, Flag.DELTA), 1.0)
    for number in (21, 28, 31):
        assert made.push(push([1], 1.0, number, Flag.DELTA), 1.0)
    assert made.sequence(0) == 31
    begun = SPEC.initial.rows(np.array([1]), 4)
    count = len(order) + 3
    np.testing.assert_allclose(made.pull(np.array([1])) - begun, count, rtol=1e-5)
    assert made.push(push([1], 1.0, 1, trainer=5), 1.0)  # another trainer counts for itself


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_at(line, call):
    """Runs a call until the n-th line in the engine's files; returns whether it ended before."""
    left = [line]
    mine = {table.__file__, store.__file__, files.__file__}

    def local(frame, event, arg):
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                raise Killed
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: local if frame.f_code.co_filename in mine else None)
    try:
        call()
        return True
    except Killed:
        return False
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("kind", ["grad", "delta", "new rows", "sync"])
def test_killed_at_any_line(tmp_path, kind):
    """A push that was not answered is sent again; it must be applied once, and whole."""
    ids = np.array([5, 9, 11])
    flags = Flag.DELTA if kind == "delta" else 0
    sync = kind == "sync"

    def opened(folder):
        return Table(SPEC, folder, trainers=2, sync=sync)

    def prepared(folder):
        made = opened(folder)
        made.pull(ids)
        made.push(push(ids, 0.5, 1, flags), 0.1)
        if sync:
            made.push(push(ids, 0.25, 1, flags, trainer=1), 0.1)
            made.end_round(1, 0.1)
        return made

    def change(made):
        wanted = np.array([5, 9, 12, 77]) if kind == "new rows" else ids[:2]
        made.push(push(wanted, 2.0, 2, flags), 0.1)
        if sync:
            made.push(push(wanted, 1.0, 2, flags, trainer=1), 0.1)
            made.end_round(2, 0.1)
        return made

    asked = np.array([5, 9, 11, 12, 77])
    whole = change(prepared(tmp_path / "whole"))
    wanted, moments = whole.pull(asked), whole.store.read(whole.store.find(asked))[1]
    line, ended = 0, False
    while not ended:
        line += 1
        folder = tmp_path / str(line)
        made = prepared(folder)
        ended = killed_at(line, lambda made=made: change(made))
        made.close()
        if line % 3 and not ended:  # every third suffices: most lines write nothing
            continue
        again = opened(folder)
        change(again)
        np.testing.assert_array_equal(again.pull(asked), wanted, err_msg=f"killed at line {line}")
        assert torch.equal(again.store.read(again.store.find(asked))[1], moments)
        assert again.stat()["steps"] == whole.stat()["steps"]
        again.close()
        again.close()
    assert line > 40


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"width": 5}, "another width: expected 5, but found 4"),
        ({"dtype": "float64"}, "another dtype"),
        ({"kind": "dense"}, "another kind"),
        ({"rule": Rule("adam")}, "another optimizer"),
    ],
)
def test_files_of_another_table(tmp_path, other, words):
    Table(SPEC, tmp_path).close()
    fields = {"width": 4, "dtype": "float32", "kind": "sparse", "rule": SPEC.rule, **other}
    with pytest.raises(PreconditionNotMetError, match=words):
        Table(TableSpec(3, "words", **fields), tmp_path)


def test_files_of_another_number_of_servers(tmp_path):
    Table(SPEC, tmp_path, 1, 2).close()
    with pytest.raises(PreconditionNotMetError, match="another servers: expected 3, but found 2"):
        Table(SPEC, tmp_path, 1, 3)
    with pytest.raises(PreconditionNotMetError, match="another server's number"):
        Table(SPEC, tmp_path, 0, 2)


def test_a_full_disk(tmp_path, monkeypatch):
    made = Table(SPEC, tmp_path)
    made.pull(np.arange(10))
    seen = made.pull(np.arange(10))

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ResourceExhaustedError, match="no room left for the table"):
        made.pull(np.arange(200_000))
    np.testing.assert_array_equal(made.pull(np.arange(10)), seen)
    monkeypatch.undo()
    assert made.pull(np.arange(200_000)).shape == (200_000, 4)
    np.testing.assert_array_equal(made.pull(np.arange(10)), seen)
    assert made.stat()["rows"] == 200_000


def test_pages_leave_the_process(tmp_path):
    if not Path("/proc/self/smaps").exists():
        pytest.skip("needs Linux")

    def resident():
        total, inside = 0, False
        for line in Path("/proc/self/smaps").read_text().splitlines():
            if "-" in line.split(" ")[0] and ":" not in line.split(" ")[0]:
                inside = str(tmp_path) in line
            elif inside and line.startswith("Rss:"):
                total += int(line.split()[1]) << 10
        return total

    wide = TableSpec(3, "words", "sparse", 64, initial=Initial("uniform"))
    limit = 8 << 20
    made = Table(wide, tmp_path / "limited", budget=Budget(limit))
    rng = np.random.default_rng(0)
    for _ in range(20):
        made.pull(rng.integers(0, 2**62, 4000))
        assert resident() <= limit
    assert made.stat()["bytes"] > 2 * limit
    made.close()
    free = Table(wide, tmp_path / "free")
    free.pull(rng.integers(0, 2**62, 35_000))
    assert resident() > limit
    free.close()


def test_bytes_of_a_touched_row(tmp_path):
    spec = TableSpec(0, "t", "sparse", 16, initial=Initial("uniform"))
    made = Table(spec, tmp_path)
    rng = np.random.default_rng(0)
    for _ in range(10):
        made.pull(rng.integers(0, 300_000_000, 20_000))
    taken = sum(p.stat().st_blocks * 512 for p in tmp_path.rglob("*") if p.is_file())
    assert taken <= 2.5 * made.stat()["rows"] * 64
    made.close()


def test_counts_of_the_filter_stay(tmp_path):
    spec = TableSpec(3, "rare", "sparse", 4, initial=Initial(value=1.0), entry=CountFilter(3))
    made = Table(spec, tmp_path)
    ids = np.array([4, 4, 6])
    assert (made.pull(ids) == 0).all()
    again = Table(spec, tmp_path)
    assert (again.pull(ids[:1]) == 0).all()
    assert again.pull(ids).tolist() == [[1.0] * 4, [1.0] * 4, [0.0] * 4]
