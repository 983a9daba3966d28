"""The rows of one table in files: ids, values, accumulators, and which pushes they contain.

A change is written to a journal first and copied from there. A process that is killed before the
journal is complete has changed nothing; killed later, the copy is made again at the next start.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from paddle.core.errors import PreconditionNotMetError, ResourceExhaustedError
from paddle.distributed.ps.files import Budget, Mapped
from paddle.distributed.ps.index import Index
from paddle.distributed.ps.messages import DTYPE_CODES, TRAINERS_LIMIT
from paddle.distributed.ps.spec import TableSpec
from paddle.ops.optimizer.row_updates import put_back, rows_of

_FORMAT = 0x50505331  # "PPS1"
_ROWS_LIMIT = 1 << 32  # row numbers have four bytes in the index
# Places in the file `about`.
_HEAD = 8  # numbers that say what the files are
COUNT, STEPS, EPOCH, ROUND, LOGGED, RATED, RATE = range(8, 15)
_PENDING, _P_TRAINER, _P_WINDOW, _P_STEPS, _P_ROUND, _P_PARTS = range(16, 22)
_WINDOWS = 64
SEEN = 24  # pushes of one trainer that may overtake one another


class RowStore:
    """Rows that are added at the end, found by id, and changed all or not at all.

    Row 0 is no row: it holds zeros, for ids that have none.

    Args:
        folder (Path): for the files; made if it is not there.
        spec (TableSpec): the table.
        server (int): number of this server.
        servers (int): how many there are.
        budget (Budget, optional): of memory.
    """

    def __init__(
        self, folder: Path, spec: TableSpec, server: int, servers: int, budget: Budget | None = None
    ) -> None:
        self.folder, self.spec = folder, spec
        folder.mkdir(parents=True, exist_ok=True)
        self._budget = budget
        self._about = Mapped(folder / "about", np.int64, 1, _WINDOWS + TRAINERS_LIMIT)
        self.about = self._about.flat
        self.windows = self.about[_WINDOWS : _WINDOWS + TRAINERS_LIMIT]
        self._check(server, servers)
        count = int(self.about[COUNT])
        dtype, width = np.dtype(spec.dtype), spec.width
        names = ["values", *spec.rule.states]
        self.parts = [Mapped(folder / n, dtype, width, count, budget) for n in names]
        self.ids = Mapped(folder / "ids", np.int64, 1, count, budget)
        self.epochs = Mapped(folder / "epochs", np.int32, 1, count, budget)
        self._journal_rows = Mapped(folder / "journal.rows", np.int64, 1, 0, budget)
        self._journal = [Mapped(folder / f"journal.{n}", dtype, width, 0, budget) for n in names]
        if count == 0:
            self._room(1)
            self.about[COUNT] = 1
        self._recover()
        self._index = Index(folder / "index", self.ids, self.count, budget)

    # -- what the files are ------------------------------------------------------------------------

    def _check(self, server: int, servers: int) -> None:
        spec = self.spec
        names = ",".join([spec.rule.name, *spec.rule.states]).encode()
        mine = [
            _FORMAT, int(spec.is_sparse), spec.width, DTYPE_CODES[spec.dtype],
            zlib.crc32(names), server, servers if spec.is_sparse else 0, 1,
        ]  # fmt: skip
        head = self.about[:_HEAD]
        if not head.any():
            head[:] = mine
            return
        words = ("format", "kind", "width", "dtype", "optimizer", "server's number", "servers", "")
        for word, here, there in zip(words, mine, head.tolist()):
            if here != there:
                raise PreconditionNotMetError(
                    f"table {spec.name!r} in {self.folder}: its files have another {word}: "
                    f"expected {here}, but found {there}.",
                    hint="give the job a folder of its own, or load a snapshot, which any number "
                    "of servers can read",
                )

    @property
    def count(self) -> int:
        """Rows that there are, row 0 included."""
        return int(self.about[COUNT])

    # -- rows --------------------------------------------------------------------------------------

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Returns the row of each id, 0 where there is none."""
        if self._budget is not None:
            self._budget.touched(len(ids) * 3)
        return self._index.find(ids)

    def add(self, ids: np.ndarray, parts: Sequence[np.ndarray | float]) -> np.ndarray:
        """Makes rows of new ids, without repetition.

        Args:
            ids (numpy.ndarray): int64.
            parts (list): the values of the rows, and those of each accumulator; or one number for
                all of them.

        Returns:
            numpy.ndarray: the row numbers.
        """
        first, count = self.count, self.count + len(ids)
        if count > _ROWS_LIMIT:
            raise ResourceExhaustedError(
                f"table {self.spec.name!r}: a server holds at most {_ROWS_LIMIT} rows of a table.",
                hint="use more servers",
            )
        self._room(count)
        self._index.reserve(count, first)
        self.ids.flat[first:count] = ids
        for file, part in zip(self.parts, parts, strict=True):
            if not (isinstance(part, float) and part == 0.0):  # new memory of a file is zero
                file.array[first:count] = part
        self.epochs.flat[first:count] = self.about[EPOCH]
        self.about[COUNT] = count  # from here on the rows are there
        self._index.add(ids, first)
        return np.arange(first, count)

    def _room(self, count: int) -> None:
        for file in (self.ids, self.epochs, *self.parts):
            file.need(count)

    def touch(self, rows: np.ndarray) -> None:
        """Notes that rows were used."""
        self.epochs.flat[rows] = self.about[EPOCH]

    def read(self, rows: np.ndarray, parts: int | None = None) -> list[torch.Tensor]:
        """Copies of rows: their values, and of each accumulator.

        Args:
            rows (numpy.ndarray): row numbers.
            parts (int, optional): only so many of them.
        """
        if self._budget is not None:
            self._budget.touched(len(rows) * (parts or len(self.parts)))
        if len(rows) == 1:
            row = int(rows[0])
            return [file.tensor[row : row + 1].clone() for file in self.parts[:parts]]
        index = torch.from_numpy(rows)
        return [rows_of(file.tensor, index) for file in self.parts[:parts]]

    # -- changes -----------------------------------------------------------------------------------

    def commit(
        self,
        rows: np.ndarray,
        parts: list[torch.Tensor],
        steps: int,
        push: tuple[int, int] | None = None,
        round_: int | None = None,
    ) -> None:
        """Writes rows and what is to change with them, all or nothing.

        Args:
            rows (numpy.ndarray): row numbers, without repetition.
            parts (list): new values, then new accumulators; those that stay may be left out.
            steps (int): the number of updates now.
            push (tuple, optional): trainer and number of the push that this was.
            round_ (int, optional): the round of all trainers that this was; empties the log.
        """
        about, count = self.about, len(rows)
        self._journal_rows.need(count)
        self._journal_rows.flat[:count] = rows
        for file, part in zip(self._journal, parts):
            file.need(count)
            file.tensor[:count].copy_(part)
        about[_P_TRAINER] = -1 if push is None else push[0]
        about[_P_WINDOW] = 0 if push is None else self._moved(*push)
        about[_P_STEPS], about[_P_PARTS] = steps, len(parts)
        about[_P_ROUND] = -1 if round_ is None else round_
        about[_PENDING] = count + 1  # from here on the change counts
        self._finish(torch.from_numpy(rows), parts)
        if self._budget is not None:
            self._budget.touched(count * len(parts))

    def _finish(self, rows: torch.Tensor, parts: list[torch.Tensor]) -> None:
        about = self.about
        if len(rows) == 1:
            for file, part in zip(self.parts, parts):
                file.tensor[int(rows[0])].copy_(part[0])
        else:
            put_back([f.tensor for f in self.parts[: len(parts)]], rows, parts)
        trainer = int(about[_P_TRAINER])
        if trainer >= 0:
            self.windows[trainer] = about[_P_WINDOW]
        about[STEPS] = about[_P_STEPS]
        if about[_P_ROUND] >= 0:
            about[ROUND] = about[_P_ROUND]
            about[LOGGED] = 0
        about[_PENDING] = 0

    def _recover(self) -> None:
        count = int(self.about[_PENDING]) - 1
        if count >= 0:
            self._journal_rows.need(count)
            rows = torch.from_numpy(self._journal_rows.flat[:count].copy())
            parts = int(self.about[_P_PARTS])
            self._finish(rows, [f.tensor[:count].clone() for f in self._journal[:parts]])

    # -- pushes that are in ------------------------------------------------------------------------

    def has(self, trainer: int, number: int) -> bool:
        """Whether a push of a trainer is contained already."""
        top, mask = divmod(int(self.windows[trainer]), 1 << SEEN)
        behind = top - number
        return behind >= 0 and (behind >= SEEN or bool(mask >> behind & 1))

    def mark(self, trainer: int, number: int) -> None:
        """Notes that a push of a trainer is contained."""
        if not self.has(trainer, number):
            self.windows[trainer] = self._moved(trainer, number)

    def last(self, trainer: int) -> int:
        """The greatest number of a trainer's pushes."""
        return int(self.windows[trainer]) >> SEEN

    def _moved(self, trainer: int, number: int) -> int:
        """The greatest number of a trainer's pushes, and bits for it and those before, in one."""
        top, mask = divmod(int(self.windows[trainer]), 1 << SEEN)
        if number > top:
            mask, top = mask << min(number - top, SEEN) | 1, number
        else:
            mask |= 1 << (top - number)
        return top << SEEN | mask & (1 << SEEN) - 1

    # -- the whole ---------------------------------------------------------------------------------

    def chunks(self, size: int, read: Callable[[slice], None]) -> None:
        """Calls a function with slices over all rows."""
        for start in range(1, self.count, size):
            read(slice(start, min(start + size, self.count)))
            if self._budget is not None:
                self._budget.touched(size)

    def files(self) -> list[Mapped]:
        """All files of the table."""
        return [
            self._about, self.ids, self.epochs, *self.parts, self._journal_rows, *self._journal,
        ]  # fmt: skip

    def close(self) -> None:
        """Lets go of the files."""
        self._index.close()
        self.windows = self.about = None  # type: ignore[assignment]
        for file in self.files():
            file.close()
