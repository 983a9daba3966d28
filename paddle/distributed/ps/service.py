"""What a server does with messages, whatever brings them: bytes in, bytes out."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paddle.core.errors import (
    ExecutionTimeoutError,
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
    UnavailableError,
)
from paddle.distributed.ps import snapshot
from paddle.distributed.ps.files import Budget, Mapped
from paddle.distributed.ps.messages import (
    FRAME_LIMIT,
    FRAMES_LIMIT,
    HEADER,
    NUMBER_BITS,
    TRAINERS_LIMIT,
    Flag,
    Frame,
    Kind,
    encode,
    error_frame,
    read,
)
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.store import SEEN
from paddle.distributed.ps.table import Table, check_ids

MODES = ("sync", "async", "geo")
_FORMAT = 0x5050534A
# Places in the file `job`: what it is, barriers that are over; then for each trainer its steps,
# whether it left, and the session of the client that pushes.
_BARRIERS, _STEPS = 4, 64
_LEFT = _STEPS + TRAINERS_LIMIT
_SESSIONS = _LEFT + TRAINERS_LIMIT


class Service:
    """The tables of one server and the requests of all trainers.

    Args:
        tables (list[TableSpec]): all tables of the job; dense ones of other servers are left out.
        folder (Path): for the files.
        server (int): number of this server.
        servers (int): how many there are.
        trainers (int): how many trainers there are.
        mode (str): ``sync``, ``async`` or ``geo``.
        memory (int): bytes of tables that may be in memory; 0 for any number.
    """

    def __init__(
        self,
        tables: Sequence[TableSpec],
        folder: Path,
        server: int = 0,
        servers: int = 1,
        trainers: int = 1,
        mode: str = "async",
        memory: int = 0,
    ) -> None:
        _check_job(tables, server, servers, trainers, mode)
        self.specs = {spec.id: spec for spec in tables}
        self.folder, self.server, self.servers = folder, server, servers
        self.trainers, self.mode = trainers, mode
        folder.mkdir(parents=True, exist_ok=True)
        self.budget = Budget(memory)
        self._open_job()
        self.tables = {
            spec.id: Table(
                spec, folder / f"t{spec.id}", server, servers, trainers, mode == "sync", self.budget
            )
            for spec in tables
            if spec.is_sparse or spec.server == server
        }
        self._turn = threading.Condition()
        self._arrived: dict[int, str] = {}
        self._closed = False
        self._failed: tuple[int, Exception] | None = None
        self.finished = threading.Event()
        self._answers: dict[int, Callable[[Frame, Any, float], Frame | None]] = {
            Kind.HELLO: self._hello,
            Kind.PULL: self._pull,
            Kind.PUSH: self._push,
            Kind.PULL_DENSE: self._pull,
            Kind.PUSH_DENSE: self._push,
            Kind.BARRIER: self._barrier,
            Kind.STEP: self._step,
            Kind.RATE: self._rate,
            Kind.SAVE: self._save,
            Kind.LOAD: self._load,
            Kind.SHRINK: self._shrink,
            Kind.STAT: self._stat,
            Kind.STOP: self._stop,
        }

    def _open_job(self) -> None:
        self._file = Mapped(self.folder / "job", np.int64, 1, _SESSIONS + TRAINERS_LIMIT)
        self._job = self._file.flat
        mine = [_FORMAT, self.server, self.servers, self.trainers]
        if not self._job[:4].any():
            self._job[:4] = mine
        words = ("format", "server's number", "number of servers", "number of trainers")
        for word, here, there in zip(words, mine, self._job[:4].tolist(), strict=True):
            if here != there:
                raise PreconditionNotMetError(
                    f"folder {self.folder}: it belongs to a job with another {word}: expected "
                    f"{here}, but found {there}.",
                    hint="give the job a folder of its own, or load a snapshot, which any number "
                    "of servers can read",
                )

    # -- requests ----------------------------------------------------------------------------------

    def answer(self, body: bytes, seconds: float = 180.0) -> bytes:
        """Does what a message asks for.

        Args:
            body (bytes): the message.
            seconds (float): how long it may wait for other trainers.

        Returns:
            bytes: the answer; an error is one too.
        """
        at, size, taken = 0, len(body), 0
        answers: list[Frame] = []
        while at < size or not answers:
            try:
                if taken > FRAME_LIMIT or len(answers) == FRAMES_LIMIT:
                    raise InvalidArgumentError(
                        f"message: expected at most {FRAMES_LIMIT} frames and {FRAME_LIMIT} bytes "
                        "of answers; send it in pieces."
                    )
                frame, end = read(body, at)
            except InvalidArgumentError as error:
                answers.append(error_frame(Kind.STAT, error))
                break
            answers.append(self._answer(frame, memoryview(body)[at:end], seconds))
            taken += HEADER.size + getattr(answers[-1].values, "nbytes", 0)
            at = end
        return encode(*answers)

    def _answer(self, frame: Frame, raw: Any, seconds: float) -> Frame:
        try:
            if frame.trainer >= self.trainers:
                raise InvalidArgumentError(
                    f"message: expected a trainer below {self.trainers}, but received trainer "
                    f"{frame.trainer}.",
                    hint="servers and trainers must agree about the number of trainers",
                )
            found = self._answers[frame.kind](frame, raw, seconds)
            return found if found is not None else Frame(frame.kind)
        except Exception as error:  # every request is answered
            return error_frame(frame.kind, error)

    def table(self, frame: Frame) -> Table:
        """The table that a message is about."""
        found = self.tables.get(frame.table)
        if found is None:
            spec = self.specs.get(frame.table)
            where = f"; it is on server {spec.server}" if spec is not None else ""
            raise NotFoundError(
                f"expected one of the tables {sorted(self.tables)} of server {self.server}, but "
                f"received table {frame.table}{where}."
            )
        dense = frame.kind in (Kind.PULL_DENSE, Kind.PUSH_DENSE)
        if dense == found.spec.is_sparse:
            raise InvalidArgumentError(
                f"table {found.spec.name!r} is {found.spec.kind}; the request is for the other "
                "kind."
            )
        return found

    def _pull(self, frame: Frame, raw: Any, seconds: float) -> Frame:
        table = self.table(frame)
        spec = table.spec
        if not spec.is_sparse:
            return Frame(frame.kind, frame.table, values=table.pull_dense())
        ids = self._ids(frame, spec)
        size = len(ids) * spec.width * np.dtype(spec.dtype).itemsize
        if size > FRAME_LIMIT - HEADER.size:
            raise InvalidArgumentError(
                f"table {spec.name!r}: expected at most {spec.row_limit} ids in a request, but "
                f"received {len(ids)}."
            )
        values = table.pull(ids, not frame.flags & Flag.LOOK, frame.trainer)
        return Frame(frame.kind, frame.table, values=values)

    def _push(self, frame: Frame, raw: Any, seconds: float) -> None:
        table = self.table(frame)
        spec = table.spec
        if spec.is_sparse:
            self._ids(frame, spec)
        values = frame.values
        rows = len(frame.ids) if spec.is_sparse and frame.ids is not None else 1
        if values is None or values.shape != (rows, spec.width) or str(values.dtype) != spec.dtype:
            got = "none" if values is None else f"{values.dtype}{list(values.shape)}"
            raise InvalidArgumentError(
                f"table {spec.name!r}: expected values {spec.dtype}[{rows}, {spec.width}], but "
                f"received {got}."
            )
        session, number = divmod(frame.sequence, 1 << NUMBER_BITS)
        if not 1 <= number < 1 << (62 - SEEN):
            raise InvalidArgumentError(
                f"table {spec.name!r}: expected pushes numbered from 1, but received {number}."
            )
        if session != self._job[_SESSIONS + frame.trainer]:
            raise PreconditionNotMetError(
                f"table {spec.name!r}: another client of trainer {frame.trainer} pushes now; this "
                "one's pushes are refused.",
                hint="use one client for the pushes of a trainer, and start a server again with "
                "its folder",
            )
        frame.sequence = number
        table.push(frame, table.rate(self.steps), raw)

    def _ids(self, frame: Frame, spec: TableSpec) -> np.ndarray:
        if frame.ids is None:
            raise InvalidArgumentError(f"table {spec.name!r}: expected ids, but received none.")
        check_ids(spec, frame.ids, self.server, self.servers)
        return frame.ids

    @property
    def steps(self) -> int:
        """Steps of all trainers together."""
        return int(self._job[_STEPS : _STEPS + self.trainers].sum())

    def _step(self, frame: Frame, raw: Any, seconds: float) -> None:
        """A trainer says how many steps it has made; saying it again changes nothing."""
        at = _STEPS + frame.trainer
        self._job[at] = max(int(self._job[at]), min(frame.sequence, 1 << 53))

    def _rate(self, frame: Frame, raw: Any, seconds: float) -> None:
        values = frame.values
        if values is None or values.size != 1 or not math.isfinite(values.flat[0]):
            raise InvalidArgumentError("learning rate: expected one finite number.")
        if frame.table not in self.specs:
            raise NotFoundError(f"there is no table {frame.table}.")
        if frame.table in self.tables:
            self.tables[frame.table].set_rate(float(values.flat[0]))

    # -- all trainers together ---------------------------------------------------------------------

    def _barrier(self, frame: Frame, raw: Any, seconds: float) -> None:
        end = time.monotonic() + seconds
        number, trainer = frame.sequence, frame.trainer
        with self._turn:
            done = int(self._job[_BARRIERS])
            if number <= done:  # over already: the answer was lost on its way
                return
            if number != done + 1:
                raise PreconditionNotMetError(
                    f"barrier {frame.text!r}: expected number {done + 1} of trainer {trainer}, but "
                    f"received {number}."
                )
            other = next(((t, n) for t, n in self._arrived.items() if n != frame.text), None)
            if other is not None:
                raise PreconditionNotMetError(
                    f"barrier: trainer {trainer} came to {frame.text!r}, but trainer {other[0]} "
                    f"waits at {other[1]!r}.",
                    hint="all trainers must meet at the same barriers in the same order",
                )
            self._arrived[trainer] = frame.text
            self._release(number)
            while self._job[_BARRIERS] < number:
                if self._closed:
                    raise UnavailableError("the server is being stopped.")
                if self._failed is not None and self._failed[0] == number:
                    raise self._failed[1]
                left = end - time.monotonic()
                if left <= 0:
                    missing = self._missing()
                    self._arrived.pop(trainer, None)
                    raise ExecutionTimeoutError(
                        f"barrier {frame.text!r} on server {self.server}: trainer(s) "
                        f"{', '.join(map(str, missing))} of {self.trainers} did not come within "
                        f"{seconds:.1f} s."
                    )
                self._turn.wait(left)

    def _missing(self) -> list[int]:
        left = self._job[_LEFT : _LEFT + self.trainers]
        return [t for t in range(self.trainers) if t not in self._arrived and not left[t]]

    def _release(self, number: int) -> None:
        """Ends the barrier if all trainers are there that have not left."""
        if not self._arrived or self._missing():
            return
        self._failed = None
        try:
            if self.mode == "sync" and next(iter(self._arrived.values())) == "step":
                for table in self.tables.values():
                    table.end_round(number, table.rate(self.steps))
        except Exception as error:
            self._failed = (number, error)
        else:
            self._job[_BARRIERS] = number
        self._arrived.clear()
        self._turn.notify_all()

    def _stop(self, frame: Frame, raw: Any, seconds: float) -> None:
        with self._turn:
            self._job[_LEFT + frame.trainer] = 1
            self._arrived.pop(frame.trainer, None)
            self._release(int(self._job[_BARRIERS]) + 1)
            if self._job[_LEFT : _LEFT + self.trainers].all():
                self.finished.set()

    def _hello(self, frame: Frame, raw: Any, seconds: float) -> Frame:
        with self._turn:
            self._job[_LEFT + frame.trainer] = 0
            at = _SESSIONS + frame.trainer
            if frame.sequence:  # this client is going to push
                self._job[at] += 1
            session = int(self._job[at])
        tables = {
            str(s.id): [s.name, s.kind, s.width, s.dtype, s.server] for s in self.specs.values()
        }
        pushes = {str(i): t.sequence(frame.trainer) for i, t in self.tables.items()}
        return Frame(
            frame.kind,
            text=json.dumps({
                "server": self.server,
                "servers": self.servers,
                "scheduled": any(callable(s.rule.rate) for s in self.specs.values()),
                "trainers": self.trainers,
                "mode": self.mode,
                "tables": tables,
                "pushes": pushes,
                "session": session,
                "barriers": int(self._job[_BARRIERS]),
                "steps": int(self._job[_STEPS + frame.trainer]),
            }),
        )  # fmt: skip

    # -- the whole ---------------------------------------------------------------------------------

    def _save(self, frame: Frame, raw: Any, seconds: float) -> None:
        self.save(Path(frame.text), frame.sequence)

    def save(self, folder: Path, version: int) -> None:
        """Writes this server's part of a snapshot."""
        snapshot.save(folder, version, list(self.tables.values()), self.server, self.servers)

    def _load(self, frame: Frame, raw: Any, seconds: float) -> None:
        self.load(Path(frame.text), frame.sequence)

    def load(self, folder: Path, version: int = 0) -> int:
        """Reads a snapshot; 0 for the last one that is whole. Returns its version."""
        return snapshot.load(folder, version, list(self.tables.values()), self.server, self.servers)

    def _shrink(self, frame: Frame, raw: Any, seconds: float) -> Frame:
        gone = sum(t.shrink(frame.sequence) for t in self.tables.values())
        return Frame(frame.kind, sequence=gone)

    def _stat(self, frame: Frame, raw: Any, seconds: float) -> Frame:
        text: dict[str, Any] = {"server": self.server, "steps": self.steps}
        if frame.text:
            text["versions"] = snapshot.versions(Path(frame.text), self.server, self.servers)
            text["last"] = snapshot.last(Path(frame.text))
        else:
            text["tables"] = {str(i): t.stat() for i, t in self.tables.items()}
        return Frame(frame.kind, text=json.dumps(text))

    def release(self) -> None:
        """Sends away who waits at a barrier; they come again if there is a server then."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()

    def close(self) -> None:
        """Lets go of all files."""
        for table in self.tables.values():
            table.close()
        self._job = None  # type: ignore[assignment]
        self._file.close()


def _check_job(
    tables: Sequence[TableSpec], server: int, servers: int, trainers: int, mode: str
) -> None:
    if mode not in MODES:
        raise InvalidArgumentError(
            f"Server(mode): expected one of {list(MODES)}, but received {mode!r}."
        )
    if not 0 <= server < servers:
        raise InvalidArgumentError(
            f"Server(server): expected a number below {servers}, but received {server}."
        )
    if not 1 <= trainers <= TRAINERS_LIMIT:
        raise InvalidArgumentError(
            f"Server(trainers): expected 1 to {TRAINERS_LIMIT}, but received {trainers}."
        )
    numbers = [spec.id for spec in tables]
    if len(set(numbers)) != len(numbers):
        raise InvalidArgumentError(
            f"Server(tables): expected numbers that differ, but received {numbers}."
        )
    for spec in tables:
        if not spec.is_sparse and not 0 <= spec.server < servers:
            raise InvalidArgumentError(
                f"Server(tables): dense table {spec.name!r} is meant for server {spec.server}, but "
                f"there are {servers}."
            )
