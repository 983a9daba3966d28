"""Snapshots: read by another number of servers, skipped where they are torn or damaged."""

import json
import os

import numpy as np
import pytest

from paddle.core.errors import NotFoundError, PreconditionNotMetError, ResourceExhaustedError
from paddle.distributed.ps import snapshot
from paddle.distributed.ps.initial import Initial
from paddle.distributed.ps.messages import Flag, Frame, Kind
from paddle.distributed.ps.rules import Rule
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.table import Table

IDS = np.random.default_rng(0).integers(-(2**62), 2**62, 1000)
ROWS = TableSpec(0, "rows", "sparse", 4, rule=Rule("adam", 0.1), initial=Initial("gaussian"))


def block(servers):
    return TableSpec(7, "block", "dense", 6, rule=Rule("momentum", 0.1, {"mu": 0.9}),
                     server=servers - 1)  # fmt: skip


def tables_of(folder, server, servers, specs=None):
    specs = specs or [ROWS, block(servers)]
    return [
        Table(s, folder / f"{server}of{servers}" / str(s.id), server, servers)
        for s in specs
        if s.is_sparse or s.server == server
    ]


def filled(folder, servers):
    """Tables of all servers after some training."""
    made = [tables_of(folder, s, servers) for s in range(servers)]
    for server, tables in enumerate(made):
        ids = np.unique(IDS[IDS % servers == server])
        for step in (1, 2):
            grad = (ids[:, None] % 7 - 3 + np.arange(4)).astype("f4")
            tables[0].push(Frame(Kind.PUSH, 0, 0, step, 0, ids, grad), 0.1)
    grad = np.arange(6, dtype="f4")[None]
    made[-1][1].push(Frame(Kind.PUSH_DENSE, 7, 0, 1, 0, None, grad), 0.1)
    return made


def save(made, folder, version):
    for server, tables in enumerate(made):
        snapshot.save(folder, version, tables, server, len(made))


def contents(made):
    servers = len(made)
    rows, moments = np.empty((len(IDS), 4), "f4"), np.empty((len(IDS), 4), "f4")
    for server, tables in enumerate(made):
        mine = IDS % servers == server
        store = tables[0].store
        found = store.find(IDS[mine])
        assert (found > 0).all()
        parts = store.read(found)
        rows[mine], moments[mine] = parts[0].numpy(), parts[1].numpy()
    dense = made[-1][1].store.read(np.ones(1, np.int64))
    steps = {t.stat()["steps"] for tables in made for t in tables[:1]}
    return rows, moments, dense[0].numpy(), dense[1].numpy(), steps


@pytest.mark.parametrize(("servers", "others"), [(1, 3), (2, 1), (2, 2), (3, 5)])
def test_any_number_of_servers(tmp_path, servers, others):
    made = filled(tmp_path / "first", servers)
    save(made, tmp_path / "saved", 4)
    loaded = [tables_of(tmp_path / "second", s, others) for s in range(others)]
    for server, tables in enumerate(loaded):
        tables[0].pull(np.array([server]))  # what was there before is gone
        assert snapshot.load(tmp_path / "saved", 0, tables, server, others) == 4
    for before, after in zip(contents(made), contents(loaded)):
        np.testing.assert_array_equal(before, after) if isinstance(before, np.ndarray) else None
        assert isinstance(before, np.ndarray) or before == after
    total = sum(t[0].stat()["rows"] for t in loaded)
    assert total == len(np.unique(IDS))
    # Both go on alike: the number of updates came along.
    one = int(IDS[0])
    for group in (made, loaded):
        table = group[one % len(group)][0]
        table.push(Frame(Kind.PUSH, 0, 0, 9, 0, np.array([one]), np.ones((1, 4), "f4")), 0.1)
    a, b = (group[one % len(group)][0].pull(np.array([one])) for group in (made, loaded))
    np.testing.assert_array_equal(a, b)


def test_what_is_in_a_snapshot(tmp_path):
    save(filled(tmp_path / "t", 2), tmp_path / "saved", 1)
    part = tmp_path / "saved" / "version-1" / "server-1-of-2"
    assert sorted(p.name for p in part.iterdir()) == ["data", "manifest.json"]
    about = json.loads((part / "manifest.json").read_text())
    assert [t["name"] for t in about["tables"]] == ["rows", "block"]
    assert about["bytes"] == (part / "data").stat().st_size


def damage(part, how):
    data = part / "data"
    if how == "cut":
        os.truncate(data, data.stat().st_size - 1)
    elif how == "changed":
        raw = bytearray(data.read_bytes())
        raw[len(raw) // 2] ^= 1
        data.write_bytes(raw)
    elif how == "no manifest":
        (part / "manifest.json").unlink()
    elif how == "half a manifest":
        text = (part / "manifest.json").read_text()
        (part / "manifest.json").write_text(text[: len(text) // 2])
    elif how == "unfinished":
        part.rename(part.with_name(f".{part.name}.part"))


@pytest.mark.parametrize(
    ("how", "servers"),
    [
        ("cut", 2),
        ("changed", 2),
        ("changed", 3),
        ("no manifest", 2),
        ("half a manifest", 3),
        ("unfinished", 3),
    ],
)
def test_the_one_before_is_read(tmp_path, how, servers):
    made = filled(tmp_path / "t", 2)
    save(made, tmp_path / "saved", 1)
    before = contents(made)[0]
    for server, tables in enumerate(made):
        ids = np.unique(IDS[server == IDS % 2])
        frame = Frame(Kind.PUSH, 0, 0, 9, Flag.DELTA, ids, np.ones((len(ids), 4), "f4"))
        tables[0].push(frame, 0.1)
    save(made, tmp_path / "saved", 2)
    damage(tmp_path / "saved" / "version-2" / "server-1-of-2", how)
    server = 1
    tables = tables_of(tmp_path / "u", server, servers, [ROWS])
    if how in ("no manifest", "unfinished"):
        assert snapshot.load(tmp_path / "saved", 0, tables, server, servers) == 1
    else:
        with pytest.warns(UserWarning, match="the snapshot before it is read"):
            assert snapshot.load(tmp_path / "saved", 0, tables, server, servers) == 1
        with pytest.raises(PreconditionNotMetError):
            snapshot.load(tmp_path / "saved", 2, tables, server, servers)
    mine = IDS % servers == server
    np.testing.assert_array_equal(tables[0].pull(IDS[mine]), before[mine])


def test_old_versions_go(tmp_path):
    made = filled(tmp_path / "t", 2)
    for version in (1, 2, 5):
        save(made, tmp_path / "saved", version)
    assert snapshot.versions(tmp_path / "saved", 0, 2) == [2, 5]
    assert sorted(p.name for p in (tmp_path / "saved").iterdir()) == ["version-2", "version-5"]
    save(made, tmp_path / "saved", 5)  # told again
    assert snapshot.versions(tmp_path / "saved", 0, 3) == [2, 5]


def test_every_snapshot_is_damaged(tmp_path):
    made = filled(tmp_path / "t", 1)
    save(made, tmp_path / "saved", 1)
    damage(tmp_path / "saved" / "version-1" / "server-0-of-1", "cut")
    with pytest.warns(UserWarning), pytest.raises(PreconditionNotMetError, match="every snapshot"):
        snapshot.load(tmp_path / "saved", 0, made[0], 0, 1)


def test_other_tables(tmp_path):
    save(filled(tmp_path / "t", 1), tmp_path / "saved", 1)
    wide = TableSpec(0, "rows", "sparse", 5)
    with pytest.raises(PreconditionNotMetError, match="expected width 5, but the snapshot has 4"):
        snapshot.load(tmp_path / "saved", 0, tables_of(tmp_path / "u", 0, 1, [wide]), 0, 1)
    new = TableSpec(3, "new", "sparse", 5)
    with pytest.raises(PreconditionNotMetError, match="no such table"):
        snapshot.load(tmp_path / "saved", 0, tables_of(tmp_path / "u", 0, 1, [new]), 0, 1)
    with pytest.raises(NotFoundError, match=r"found versions \[\]"):
        snapshot.load(tmp_path / "none", 0, tables_of(tmp_path / "v", 0, 1), 0, 1)


def test_another_optimizer_begins_anew(tmp_path):
    save(filled(tmp_path / "t", 1), tmp_path / "saved", 1)
    rule = Rule("adagrad", 0.1, fill={"moment": 0.5})
    (table,) = tables_of(tmp_path / "u", 0, 1, [TableSpec(0, "rows", "sparse", 4, rule=rule)])
    snapshot.load(tmp_path / "saved", 0, [table], 0, 1)
    assert (table.store.read(table.store.find(IDS))[1] == 0.5).all()


def test_a_full_disk(tmp_path, monkeypatch):
    made = filled(tmp_path / "t", 1)
    save(made, tmp_path / "saved", 1)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceExhaustedError, match="no room left"):
        save(made, tmp_path / "saved", 2)
    monkeypatch.undo()
    assert snapshot.versions(tmp_path / "saved", 0, 1) == [1]
    assert not list((tmp_path / "saved").glob("*/.server*"))
