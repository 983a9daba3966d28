"""Snapshots: a folder a version, and in it one data file and one JSON manifest a server.

A server writes into a temporary folder, has the disk take it, and renames it. What was not finished
keeps its temporary name and counts for nothing; what is damaged does not fit its checksums. In both
cases the version before is read.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from paddle.core.errors import NotFoundError, PreconditionNotMetError
from paddle.distributed.ps.files import failure, sync_folder
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.store import EPOCH, STEPS, RowStore
from paddle.distributed.ps.table import Table

_FORMAT = 1
_KEPT = 2  # versions
_CHUNK = 1 << 16  # rows that are read or written at a time
_VERSION = re.compile(r"version-(\d{1,18})")
_PART = re.compile(r"server-(\d{1,6})-of-(\d{1,6})")


# -- writing ---------------------------------------------------------------------------------------


def save(folder: Path, version: int, tables: list[Table], server: int, servers: int) -> None:
    """Writes one server's part of a snapshot, and drops its parts of old ones.

    Args:
        folder (Path): of all versions.
        version (int): the number of this one.
        tables (list[Table]): the tables of the server.
        server (int): its number.
        servers (int): how many there are.
    """
    home = folder / f"version-{version}"
    final = home / f"server-{server}-of-{servers}"
    part = home / f".{final.name}.part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        with open(part / "data", "wb") as data:
            about = [_write_table(data, table) for table in tables]
            data.flush()
            os.fsync(data.fileno())
            size = data.tell()
        manifest = {
            "format": _FORMAT, "server": server, "servers": servers, "bytes": size, "tables": about,
        }  # fmt: skip
        text = json.dumps(manifest, indent=1)
        with open(part / "manifest.json", "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(part)
        if final.exists():  # the request came again
            shutil.rmtree(final)
        os.rename(part, final)
        sync_folder(home)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise failure(final, error)
    for old in sorted(_versions(folder))[:-_KEPT]:
        if old < version:
            gone = folder / f"version-{old}"
            shutil.rmtree(gone / final.name, ignore_errors=True)
            try:
                gone.rmdir()
            except OSError:  # parts of others
                pass


def _write_table(data: BinaryIO, table: Table) -> dict[str, Any]:
    with table.lock:
        store, spec = table.store, table.spec
        sections = [_write(data, "ids", store.ids, store)]
        for name, file in zip(["values", *spec.rule.states], store.parts, strict=True):
            sections.append(_write(data, name, file, store))
        sections.append(_write(data, "epochs", store.epochs, store))
        return {
            "id": spec.id, "name": spec.name, "kind": spec.kind, "width": spec.width,
            "dtype": spec.dtype, "rule": spec.rule.name, "states": spec.rule.states,
            "rows": store.count - 1, "steps": int(store.about[STEPS]),
            "epoch": int(store.about[EPOCH]), "sections": sections,
        }  # fmt: skip


def _write(data: BinaryIO, name: str, file: Any, store: RowStore) -> dict[str, Any]:
    start, check = data.tell(), 0

    def write(rows: slice) -> None:
        nonlocal check
        raw = np.ascontiguousarray(file.array[rows]).data.cast("B")
        check = zlib.crc32(raw, check)
        data.write(raw)

    store.chunks(_CHUNK, write)
    return {"name": name, "offset": start, "bytes": data.tell() - start, "crc32": check}


# -- finding ---------------------------------------------------------------------------------------


def _versions(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    found = (_VERSION.fullmatch(entry.name) for entry in folder.iterdir())
    return [int(m[1]) for m in found if m]


def versions(folder: Path, server: int, servers: int) -> list[int]:
    """The versions in a folder that look whole to one of so many servers, in ascending order."""
    return [v for v in sorted(_versions(folder)) if _parts(folder, v, server, servers)]


def last(folder: Path) -> int:
    """The greatest version in a folder, whole or not; 0 where there is none."""
    return max(_versions(folder), default=0)


def _parts(folder: Path, version: int, server: int, servers: int) -> list[Path]:
    """The parts of a version that a server has to read; none where it is not whole.

    With as many servers as wrote it, each reads what it wrote itself, and needs no more.
    """
    home = folder / f"version-{version}"
    own = home / f"server-{server}-of-{servers}"
    if own.is_dir():
        return [own] if (own / "manifest.json").exists() else []
    found: dict[int, dict[int, Path]] = {}
    for entry in home.iterdir() if home.is_dir() else ():
        match = _PART.fullmatch(entry.name)
        if match and (entry / "manifest.json").exists():
            found.setdefault(int(match[2]), {})[int(match[1])] = entry
    for count, parts in found.items():
        if sorted(parts) == list(range(count)):
            return [parts[i] for i in range(count)]
    return []


# -- reading ---------------------------------------------------------------------------------------


def load(folder: Path, version: int, tables: list[Table], server: int, servers: int) -> int:
    """Fills a server's tables from a snapshot of any number of servers.

    Args:
        folder (Path): of all versions.
        version (int): 0 for the last one that is whole.
        tables (list[Table]): the tables of the server.
        server (int): its number.
        servers (int): how many there are.

    Returns:
        int: the version that was read.

    Raises:
        NotFoundError: there is no snapshot.
        PreconditionNotMetError: it is damaged, or of other tables.
    """
    known = versions(folder, server, servers)
    if version:
        wanted = [version] if version in known else []
    else:
        wanted = known[::-1]
    if not wanted:
        which = f"version {version}" if version else "snapshot"
        raise NotFoundError(
            f"{folder}: expected a whole {which} of a parameter server, but found versions {known}."
        )
    for number in wanted:
        try:
            parts = [_Part(path) for path in _parts(folder, number, server, servers)]
        except _Damaged as damage:
            if version:
                raise PreconditionNotMetError(str(damage))
            warnings.warn(f"{damage}; the snapshot before it is read.", stacklevel=2)
            continue
        for table in tables:
            _check_table(table.spec, parts)
        for table in tables:
            _fill(table, parts, server, servers)
        return number
    raise PreconditionNotMetError(f"{folder}: every snapshot in it is damaged.")


class _Damaged(Exception):
    """A part of a snapshot is not what was written."""


class _Part:
    """What one server wrote, verified."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            about = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
            if about["format"] != _FORMAT:
                raise _Damaged(f"{path}: expected format {_FORMAT}, but found {about['format']}")
            self.tables = {t["id"]: t for t in about["tables"]}
            if (path / "data").stat().st_size != about["bytes"]:
                raise _Damaged(f"{path}: the data file has another size than its manifest says")
            self._verify()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _Damaged(f"{path}: {type(error).__name__}: {error}")

    def _verify(self) -> None:
        with open(self.path / "data", "rb") as data:
            for table in self.tables.values():
                for section in table["sections"]:
                    data.seek(section["offset"])
                    left, check = section["bytes"], 0
                    while left:
                        raw = data.read(min(left, 1 << 22))
                        if not raw:
                            break
                        check, left = zlib.crc32(raw, check), left - len(raw)
                    if left or check != section["crc32"]:
                        raise _Damaged(
                            f"{self.path}: {section['name']} of table {table['name']!r} does not "
                            "fit its checksum"
                        )

    def section(self, table: int, name: str, dtype: Any, width: int) -> np.ndarray | None:
        """A section as an array in a map of the file; None where there is none."""
        about = self.tables.get(table)
        for section in about["sections"] if about else ():
            if section["name"] == name:
                count = section["bytes"] // np.dtype(dtype).itemsize
                if not count:
                    return np.empty((0, width), dtype)
                shape = (count // width, width)
                return np.memmap(self.path / "data", dtype, "r", section["offset"], shape)
        return None


def _check_table(spec: TableSpec, parts: list[_Part]) -> None:
    found = [p.tables[spec.id] for p in parts if spec.id in p.tables]
    if not found:
        raise PreconditionNotMetError(
            f"table {spec.id} ({spec.name!r}): {parts[0].path.parent} has no such table."
        )
    for about in found:
        for word in ("kind", "width", "dtype"):
            if about[word] != getattr(spec, word):
                raise PreconditionNotMetError(
                    f"table {spec.id} ({spec.name!r}): expected {word} {getattr(spec, word)!r}, "
                    f"but the snapshot has {about[word]!r}."
                )


def _fill(table: Table, parts: list[_Part], server: int, servers: int) -> None:
    spec = table.spec
    names = spec.rule.states
    table.forget_round()
    with table.replacing() as store:
        steps, epoch = 0, 0
        for part in parts:
            about = part.tables.get(spec.id)
            if about is None:
                continue
            steps, epoch = max(steps, about["steps"]), max(epoch, about["epoch"])
            store.about[EPOCH] = epoch
            dtype, width = spec.dtype, spec.width
            ids = part.section(spec.id, "ids", np.int64, 1)
            assert ids is not None
            columns = [part.section(spec.id, n, dtype, width) for n in ["values", *names]]
            epochs = part.section(spec.id, "epochs", np.int32, 1)
            for start in range(0, len(ids), _CHUNK):
                rows = slice(start, start + _CHUNK)
                some = np.array(ids[rows, 0])
                mine = np.ones(len(some), bool)
                if spec.is_sparse and servers > 1:
                    mine = some % servers == server
                if not mine.any():
                    continue
                # An accumulator that the snapshot does not have begins anew.
                fills = [0.0, *(float(spec.rule.fill.get(n, 0.0)) for n in names)]
                given = [f if c is None else c[rows][mine] for c, f in zip(columns, fills)]
                at = store.add(some[mine], given)
                if epochs is not None:
                    store.epochs.flat[at] = epochs[rows, 0][mine]
        store.about[STEPS] = steps
