"""Tables as trainers see them: look-ups, pushes with an optimizer behind them, rounds of all."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.ps import messages
from paddle.distributed.ps.files import Budget, Mapped, failure, write_whole
from paddle.distributed.ps.index import Index
from paddle.distributed.ps.initial import CountFilter, Probability
from paddle.distributed.ps.messages import Flag, Frame
from paddle.distributed.ps.sharding import ascending, grouped
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.store import EPOCH, LOGGED, RATE, RATED, ROUND, STEPS, RowStore
from paddle.ops.optimizer.row_updates import sums_of_groups

_KEPT = 1 << 16  # ids of a look-up that are remembered until they are pushed


class Table:
    """One table on one server; a dense one is a table with a single row.

    Args:
        spec (TableSpec): what it is.
        folder (Path): for its files.
        server (int): number of this server.
        servers (int): how many there are.
        trainers (int): how many trainers there are.
        sync (bool): whether gradients wait for :meth:`end_round`.
        budget (Budget, optional): of memory.
    """

    def __init__(
        self,
        spec: TableSpec,
        folder: Path,
        server: int = 0,
        servers: int = 1,
        trainers: int = 1,
        sync: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self.spec, self.folder = spec, folder
        self.server, self.servers, self.trainers, self.sync = server, servers, trainers, sync
        self.lock = threading.RLock()
        self._budget = budget
        folder.mkdir(parents=True, exist_ok=True)
        self.store = self.open_store(self._generation())
        self._log = os.open(folder / "log", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._pending: list[Frame] = []
        self._seen: Counters | None = None
        self._found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._read_log()
        self.prepare()

    def _generation(self) -> str:
        current = self.folder / "current"
        name = current.read_text().strip() if current.exists() else "g0"
        for old in self.folder.glob("g*"):
            if old.name != name:
                shutil.rmtree(old, ignore_errors=True)
        return name

    def open_store(self, generation: str) -> RowStore:
        """The rows in one of the table's folders."""
        return RowStore(
            self.folder / generation, self.spec, self.server, self.servers, self._budget
        )

    def prepare(self) -> None:
        """Makes what goes with the rows: the optimizer's count, the filter, a block's only row."""
        spec = self.spec
        self._fused = spec.rule.update(spec.counts_rows, int(self.store.about[STEPS]))
        self._fills = [float(spec.rule.fill.get(name, 0.0)) for name in spec.rule.states]
        self._found.clear()
        if self._seen is not None:
            self._seen.close()
            self._seen = None
        if isinstance(spec.entry, CountFilter):
            self._seen = Counters(self.store.folder, self._budget)
        if not spec.is_sparse and self.store.count == 1:
            self._make(np.zeros(1, np.int64))

    # -- look-ups ----------------------------------------------------------------------------------

    def pull(self, ids: np.ndarray, make: bool = True, trainer: int = 0) -> np.ndarray:
        """Returns the values of rows.

        Args:
            ids (numpy.ndarray): int64, maybe with repetition.
            make (bool): whether rows that are not there are made; else they read as they would
                begin.
            trainer (int): who asks.
        """
        with self.lock:
            rows = self._rows(ids, make, trainer=trainer)
            found = self.store.read(rows, 1)[0].numpy()
            absent = rows == 0
            if not make and self.spec.entry is None and absent.any():
                found[absent] = self.spec.initial.rows(ids[absent], self.spec.width, found.dtype)
        return found

    def pull_dense(self) -> np.ndarray:
        """Returns the block, ``[1, width]``."""
        with self.lock:
            return self.store.read(np.ones(1, np.int64), 1)[0].numpy()

    def _rows(
        self, ids: np.ndarray, make: bool, count: bool = True, trainer: int = 0
    ) -> np.ndarray:
        """The rows of ids; those that are new are made where the entry lets them in."""
        held = self._found.get(trainer)  # what a trainer looked up it pushes next
        if held is not None and np.array_equal(held[0], ids):
            self.store.touch(held[1])
            return held[1]
        rows = self.store.find(ids)
        if make and len(rows):
            absent = rows == 0
            if absent.any():
                new = self._let_in(np.unique(ids[absent]), count)
                if len(new):
                    self._make(new)
                    rows[absent] = self.store.find(ids[absent])
            self.store.touch(rows)
            if len(rows) <= _KEPT and rows.all():
                self._found[trainer] = np.array(ids), rows
        return rows

    def _let_in(self, ids: np.ndarray, count: bool) -> np.ndarray:
        entry = self.spec.entry
        if isinstance(entry, Probability):
            return ids[entry.lets_in(ids)]
        if self._seen is not None and entry is not None:
            return ids[self._seen.add(ids, 1 if count else 0) >= entry.count]
        return ids

    def _make(self, ids: np.ndarray) -> None:
        spec = self.spec
        for start in range(0, len(ids), 1 << 16):
            part = ids[start : start + (1 << 16)]
            values = spec.initial.rows(part, spec.width, np.dtype(spec.dtype))
            self.store.add(part, [values, *self._fills])

    # -- pushes ------------------------------------------------------------------------------------

    def push(self, frame: Frame, rate: float, raw: Any = None) -> bool:
        """Takes gradients, differences or new values of rows.

        Args:
            frame (Frame): ids, values, trainer and number of the push; flags say what they are.
            rate (float): the learning rate.
            raw (bytes, optional): the frame as it came.

        Returns:
            bool: False where this push was contained already.
        """
        with self.lock:
            if self.store.has(frame.trainer, frame.sequence):
                return False
            if self.sync and not frame.flags & (Flag.DELTA | Flag.ASSIGN):
                self._note(frame, raw)
                return True
            ids, values = _merged(frame, bool(frame.flags & Flag.ASSIGN))
            if frame.flags & Flag.DELTA:
                self._change(ids, values, frame, add=True)
            elif frame.flags & Flag.ASSIGN:
                self._change(ids, values, frame, add=False)
            else:
                self._update(ids, values, rate, push=(frame.trainer, frame.sequence))
            return True

    def _targets(
        self, ids: np.ndarray, values: torch.Tensor, all_: bool = False, trainer: int = 0
    ) -> tuple[np.ndarray, torch.Tensor]:
        """The rows of ids, without those that have none, and the values that remain."""
        if not self.spec.is_sparse:
            return np.ones(len(values), np.int64), values
        if all_:
            rows = self.store.find(ids)
            new = ids[rows == 0]
            if len(new):
                self._make(new)
                rows = self.store.find(ids)
            return rows, values
        rows = self._rows(ids, make=True, count=False, trainer=trainer)
        kept = rows != 0
        if kept.all():
            return rows, values
        return rows[kept], values[torch.from_numpy(kept)]

    def _change(self, ids: np.ndarray, values: torch.Tensor, frame: Frame, add: bool) -> None:
        rows, values = self._targets(ids, values, all_=not add, trainer=frame.trainer)
        if add:
            values = self.store.read(rows, 1)[0].add_(values)
        steps = int(self.store.about[STEPS])
        self.store.commit(rows, [values], steps, (frame.trainer, frame.sequence))

    def _update(
        self,
        ids: np.ndarray,
        values: torch.Tensor,
        rate: float,
        push: tuple[int, int] | None = None,
        round_: int | None = None,
    ) -> None:
        """One step of the optimizer for some rows."""
        rows, values = self._targets(ids, values, trainer=0 if push is None else push[0])
        if self.spec.whole:
            rows, values = self._spread(rows, values)
        parts = self.store.read(rows)
        fused = self._fused
        counted: Any = fused.count
        try:
            if len(rows):
                grad = self.spec.rule.prepared(values, parts[0])
                fused.update([parts[0]], [grad], [[p] for p in parts[1:]], rate)
            else:
                counted.advance([parts[0]])
            self.store.commit(rows, parts, counted.done, push, round_)
        except BaseException:
            self._fused = self.spec.rule.update(self.spec.counts_rows, int(self.store.about[STEPS]))
            raise

    def _spread(self, rows: np.ndarray, values: torch.Tensor) -> tuple[np.ndarray, torch.Tensor]:
        """All rows there are, with zeros for those that are not among the given ones."""
        every = np.arange(1, self.store.count)
        spread = values.new_zeros((len(every), self.spec.width))
        spread[torch.from_numpy(rows - 1)] = values
        return every, spread

    # -- rounds of all trainers --------------------------------------------------------------------

    def _note(self, frame: Frame, raw: Any) -> None:
        """Keeps a gradient until the round ends, in memory and in a file."""
        raw = messages.encode(frame) if raw is None else raw
        at = int(self.store.about[LOGGED])
        record = len(raw).to_bytes(8, "little") + raw
        try:
            done = os.pwrite(self._log, record, at)
            if done < len(record):
                os.pwrite(self._log, record[done:], at + done)
        except OSError as error:
            raise failure(self.folder / "log", error)
        self.store.about[LOGGED] = at + len(record)
        self.store.mark(frame.trainer, frame.sequence)
        self._pending.append(frame)

    def _read_log(self) -> None:
        """Takes up what trainers sent before the server was stopped."""
        at, end = 0, int(self.store.about[LOGGED])
        while at < end:
            size = int.from_bytes(os.pread(self._log, 8, at), "little")
            frame = messages.decode(os.pread(self._log, size, at + 8))
            frame.sequence %= 1 << messages.NUMBER_BITS
            self.store.mark(frame.trainer, frame.sequence)
            self._pending.append(frame)
            at += 8 + size

    def forget_round(self) -> None:
        """Drops what trainers sent for a round that will not end, since a snapshot is loaded."""
        with self.lock:
            self.store.about[LOGGED] = 0
            self._pending = []

    def end_round(self, round_: int, rate: float) -> None:
        """Averages what all trainers sent, and updates; a round that is over is not done again."""
        with self.lock:
            if self.store.about[ROUND] >= round_:
                return
            frames, spec = self._pending, self.spec
            if not frames:
                if spec.is_sparse:  # its updates are counted by the steps of all
                    counted: Any = self._fused.count
                    counted.advance([self.store.parts[0].tensor[:1]])
                    self.store.about[STEPS] = counted.done
                self.store.about[ROUND] = round_
                return
            share = 1.0 / self.trainers
            if spec.is_sparse:
                ids = np.concatenate([f.ids for f in frames])  # type: ignore[misc]
                values = np.concatenate([f.values for f in frames])  # type: ignore[misc]
                rows, grad = merged(ids, torch.from_numpy(values))
            else:
                rows = np.zeros(1, np.int64)
                grad = torch.from_numpy(np.array(frames[0].values))
                for frame in frames[1:]:
                    grad += torch.from_numpy(np.array(frame.values))
            self._update(rows, grad.mul_(share), rate, round_=round_)
            self._pending = []

    def set_rate(self, rate: float) -> None:
        """Sets the learning rate, instead of the rule's."""
        with self.lock:
            self.store.about[RATE] = np.float64(rate).view(np.int64)
            self.store.about[RATED] = 1

    def rate(self, steps: int) -> float:
        """The learning rate after so many steps of all trainers."""
        rule, about = self.spec.rule, self.store.about
        if about[RATED]:
            return float(about[RATE].view(np.float64)) * rule.factor
        return rule.rate_at(steps)

    # -- the whole ---------------------------------------------------------------------------------

    def shrink(self, threshold: int) -> int:
        """Drops rows that no look-up or push touched since so many calls of this; returns how many.

        Args:
            threshold (int): a row stays while fewer calls than this passed it by.
        """
        if not self.spec.is_sparse:
            return 0
        with self.lock:
            store = self.store
            store.about[EPOCH] += 1
            epoch, count = int(store.about[EPOCH]), store.count
            kept = epoch - store.epochs.flat[1:count] < threshold
            gone = int(count - 1 - kept.sum())
            if gone:
                rows = np.flatnonzero(kept) + 1
                with self.replacing() as new:
                    for start in range(0, len(rows), 1 << 16):
                        part = rows[start : start + (1 << 16)]
                        at = new.add(store.ids.flat[part], [p.numpy() for p in store.read(part)])
                        new.epochs.flat[at] = store.epochs.flat[part]
            return gone

    def replacing(self) -> _Replacing:
        """A context in which a store is filled that takes this one's place at its end."""
        return _Replacing(self)

    def sequence(self, trainer: int) -> int:
        """The greatest number of a trainer's pushes."""
        return self.store.last(trainer)

    def stat(self) -> dict[str, Any]:
        """Rows, updates and bytes."""
        with self.lock:
            return {
                "name": self.spec.name,
                "rows": self.store.count - 1,
                "steps": int(self.store.about[STEPS]),
                "bytes": sum(f.allocated for f in self.store.files()),
            }

    def close(self) -> None:
        """Lets go of the files."""
        with self.lock:
            self.store.close()
            if self._seen is not None:
                self._seen.close()
            if self._log >= 0:
                os.close(self._log)
                self._log = -1


class _Replacing:
    """Fills a new store, then makes it the table's in one step."""

    def __init__(self, table: Table) -> None:
        self._table = table
        table.lock.acquire()
        number = int(table.store.folder.name[1:]) + 1
        self._name = f"g{number}"
        shutil.rmtree(table.folder / self._name, ignore_errors=True)

    def __enter__(self) -> RowStore:
        try:
            self._new = self._table.open_store(self._name)
        except BaseException:
            self._table.lock.release()
            raise
        old, new = self._table.store, self._new
        for place in (STEPS, EPOCH, ROUND, LOGGED, RATED, RATE):
            new.about[place] = old.about[place]
        new.windows[:] = old.windows
        return new

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        table = self._table
        try:
            if kind is not None:
                self._new.close()
                shutil.rmtree(self._new.folder, ignore_errors=True)
                return
            write_whole(table.folder / "current", self._name.encode())
            old, table.store = table.store, self._new
            table.prepare()
            old.close()
            shutil.rmtree(old.folder, ignore_errors=True)
        finally:
            table.lock.release()


class Counters:
    """How often ids without a row were asked for."""

    def __init__(self, folder: Path, budget: Budget | None) -> None:
        self._size = Mapped(folder / "seen", np.int64, 1, 1)
        count = int(self._size.flat[0])
        self._ids = Mapped(folder / "seen.ids", np.int64, 1, count, budget)
        self._counts = Mapped(folder / "seen.counts", np.int32, 1, count, budget)
        if count == 0:
            self._ids.need(1)
            self._counts.need(1)
            self._size.flat[0] = count = 1
        self._index = Index(folder / "seen.index", self._ids, count, budget)

    def add(self, ids: np.ndarray, by: int) -> np.ndarray:
        """Counts ids, without repetition, and returns their counts."""
        rows = self._index.find(ids)
        new = ids[rows == 0]
        if len(new):
            first = int(self._size.flat[0])
            count = first + len(new)
            self._ids.need(count)
            self._counts.need(count)
            self._ids.flat[first:count] = new
            self._index.reserve(count, first)
            self._counts.flat[first:count] = 0
            self._size.flat[0] = count
            self._index.add(new, first)
            rows = self._index.find(ids)
        self._counts.flat[rows] += by
        return self._counts.flat[rows]

    def close(self) -> None:
        """Lets go of the files."""
        self._index.close()
        for file in (self._size, self._ids, self._counts):
            file.close()


def merged(ids: np.ndarray, values: torch.Tensor) -> tuple[np.ndarray, torch.Tensor]:
    """Each id once, in ascending order, with the sum of its values."""
    if ascending(ids):
        return ids, values
    found, order, starts = grouped(ids)
    return found, sums_of_groups(values, torch.from_numpy(order), torch.from_numpy(starts))


def _merged(frame: Frame, assigned: bool) -> tuple[np.ndarray, torch.Tensor]:
    """Ids in ascending order and values that may be written; the frame's own may not."""
    values = torch.from_numpy(np.array(frame.values))
    ids = frame.ids
    if ids is None:
        return np.zeros(1, np.int64), values
    if assigned and not ascending(ids):
        found, at = np.unique(ids[::-1], return_index=True)  # the last of several counts
        return found, values[torch.from_numpy(len(ids) - 1 - at)]
    return merged(ids, values)


def check_ids(spec: TableSpec, ids: np.ndarray, server: int, servers: int) -> None:
    """Refuses ids that belong to another server."""
    if servers > 1 and len(ids) and bool((ids % servers != server).any()):
        wrong = int(ids[ids % servers != server][0])
        raise InvalidArgumentError(
            f"table {spec.name!r}: id {wrong} belongs to server {wrong % servers} of {servers}, "
            f"but came to server {server}.",
            hint="trainers and servers must agree about the number of servers",
        )
