"""The trainer's end: requests to all servers at a time, over gRPC, until they are answered."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

# Readers of data are forked beside gRPC's threads and never call it. Its own handlers of forks,
# which are meant for those that do, print a line for each, and end such a process now and then.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
try:
    import grpc
except ImportError:
    raise ImportError("the parameter server needs grpcio: pip install grpcio")

from paddle.core import flags
from paddle.core.errors import (
    ExternalError,
    InvalidArgumentError,
    PreconditionNotMetError,
)
from paddle.distributed.ps.calls import Broken, Call, Helpers, leave
from paddle.distributed.ps.messages import (
    DTYPE_CODES,
    FRAME_LIMIT,
    NUMBER_BITS,
    Flag,
    Frame,
    Kind,
    encode,
)
from paddle.distributed.ps.sharding import Lookup, Part, bundles
from paddle.distributed.ps.spec import TableSpec

# Pushes on the way to one server. They may overtake one another, and of each trainer and table a
# server remembers the last 24.
IN_FLIGHT = 16
_BRIEFLY = 5.0  # seconds that a good-bye may take
_STATES = {
    grpc.StatusCode.UNAVAILABLE: "away",
    grpc.StatusCode.CANCELLED: "away",
    grpc.StatusCode.UNKNOWN: "away",
    grpc.StatusCode.DEADLINE_EXCEEDED: "late",
    grpc.StatusCode.UNAUTHENTICATED: "refused",
}


class Client:
    """A trainer's connection to all servers of a job. Several threads may use it.

    A trainer pushes through one client: the servers refuse pushes of one as soon as another of the
    same number has pushed. Any number of clients may look up; those should :meth:`close`, since
    :meth:`stop` says that the trainer leaves.

    Requests that fail because a server is away are repeated until ``FLAGS_rpc_deadline``
    milliseconds are over; then ExternalError names the server and the table. A push is applied
    once, however often it is repeated.

    Args:
        endpoints (list[str]): ``ip:port`` of all servers, in their order.
        trainer (int): number of this trainer.
        token (str): the job's.
        tables (list[TableSpec], optional): what the servers have to have; else they are asked.
        deadline (float, optional): seconds, instead of ``FLAGS_rpc_deadline``.
        tls (str, optional): file with certificates of who vouches for the servers.

    Raises:
        PreconditionNotMetError: the servers are others than expected.
        PermissionDeniedError: the token is not the job's.
        ExternalError: a server did not answer.
    """

    def __init__(
        self,
        endpoints: Sequence[str],
        trainer: int = 0,
        token: str = "",
        tables: Sequence[TableSpec] | None = None,
        deadline: float | None = None,
        tls: str | None = None,
    ) -> None:
        if not endpoints:
            raise InvalidArgumentError("Client(endpoints): expected at least one server.")
        self.endpoints, self.trainer = list(endpoints), trainer
        self._deadline = deadline
        self._wires = [_Wire(e, token, tls) for e in self.endpoints]
        self._lock = threading.Lock()
        self._locks = [threading.Lock() for _ in self._wires]
        self._pushes: list[dict[int, int]] = [{} for _ in self._wires]
        self._sessions = [0] * len(self._wires)
        self._flying: list[deque[Call]] = [deque() for _ in self._wires]
        self._helpers = Helpers(min(32, max(4, 2 * len(self._wires))))
        self._recent: dict[int, Lookup] = {}
        self._left, self._process = False, os.getpid()
        try:
            self._meet(tables)
        except BaseException:
            self.close()
            raise
        atexit.register(leave, weakref.WeakMethod(self.stop), _BRIEFLY)

    # -- meeting the servers -----------------------------------------------------------------------

    def _meet(self, tables: Sequence[TableSpec] | None) -> None:
        answers = self._ask_all(Frame(Kind.HELLO, trainer=self.trainer))
        found = [json.loads(a.text) for a in answers]
        for i, (about, endpoint) in enumerate(zip(found, self.endpoints, strict=True)):
            if about["servers"] != len(found) or about["server"] != i:
                raise PreconditionNotMetError(
                    f"server {endpoint} says that it is number {about['server']} of "
                    f"{about['servers']}, but this trainer knows it as number {i} of {len(found)}.",
                    hint="trainers and servers must have the same list of servers",
                )
            if about["tables"] != found[0]["tables"]:
                raise PreconditionNotMetError(
                    f"server {endpoint} has other tables than server {self.endpoints[0]}."
                )
        first = found[0]
        self.trainers, self.mode = int(first["trainers"]), str(first["mode"])
        self.tables = {
            int(i): TableSpec(int(i), name, kind, width, dtype, server=server)
            for i, (name, kind, width, dtype, server) in first["tables"].items()
        }
        for spec in tables or ():
            self._check(spec)
        # A barrier is over where all servers say so; those that were ahead answer at once.
        self._barriers = min(int(a["barriers"]) for a in found)
        self.steps = max(int(a["steps"]) for a in found)
        self.scheduled = any(a["scheduled"] for a in found)  # whether rates follow advance()

    def _begin(self, server: int, spec: TableSpec) -> None:
        """Asks a server to take this client's pushes, and no more of an earlier client's.

        A trainer that was started again goes on behind its last push to each table.
        """
        frame = Frame(Kind.HELLO, trainer=self.trainer, sequence=1)
        about = json.loads(self._call([Part(server, frame, spec)]).wait()[0].text)
        self._pushes[server] = {int(t): int(n) for t, n in about["pushes"].items()}
        self._sessions[server] = int(about["session"])

    def _check(self, spec: TableSpec) -> None:
        there = self.tables.get(spec.id)
        for name in ("name", "kind", "width", "dtype", "server"):
            here = getattr(spec, name)
            if there is None or getattr(there, name) != here:
                other = "no such table" if there is None else repr(getattr(there, name))
                raise PreconditionNotMetError(
                    f"table {spec.name!r}: expected {name} {here!r} on the servers, but found "
                    f"{other}."
                )

    def _spec(self, table: int, kind: str) -> TableSpec:
        spec = self.tables.get(table)
        if spec is None or spec.kind != kind:
            known = [i for i, s in self.tables.items() if s.kind == kind]
            raise InvalidArgumentError(
                f"expected one of the {kind} tables {known}, but received {table!r}."
            )
        return spec

    # -- rows --------------------------------------------------------------------------------------

    def pull_sparse(self, table: int, ids: Any, make: bool = True) -> np.ndarray:
        """Looks rows up.

        Args:
            table (int): number of the table.
            ids (numpy.ndarray|list): int64 ids of any shape, maybe with repetition.
            make (bool): False leaves rows that are not there unmade; they read as they would begin.

        Returns:
            numpy.ndarray: ``[number of ids, width]``.
        """
        return self.pull_many([(table, ids)], make)[0]

    def pull_many(self, requests: Sequence[tuple[int, Any]], make: bool = True) -> list[np.ndarray]:
        """Looks up in several tables with one message to each server.

        Args:
            requests (list): for a sparse table ``(table, ids)``, for a dense one ``(table, None)``.
            make (bool): see :meth:`pull_sparse`.

        Returns:
            list: what :meth:`pull_sparse` or :meth:`pull_dense` return for each.
        """
        parts: list[Part] = []
        lookups: list[Lookup | None] = []
        found: list[np.ndarray] = []
        flag = 0 if make else int(Flag.LOOK)
        for at, (table, ids) in enumerate(requests):
            spec = self._spec(table, "dense" if ids is None else "sparse")
            lookup = None if ids is None else self._lookup(spec, ids)
            lookups.append(lookup)
            found.append(np.empty((1 if lookup is None else len(lookup.unique), spec.width),
                                  spec.dtype))  # fmt: skip
            if lookup is None:
                frame = Frame(Kind.PULL_DENSE, table, self.trainer)
                parts.append(Part(spec.server, frame, spec, at, slice(0, 1), 1))
                continue
            for server, place, some in lookup.pieces(spec.row_limit):
                frame = Frame(Kind.PULL, table, self.trainer, flags=flag, ids=some)
                parts.append(Part(server, frame, spec, at, place, len(some)))
        groups = bundles(parts, len(self._wires))
        answers = self._gather([self._call(group) for group in groups])
        for group, group_answers in zip(groups, answers, strict=True):
            for part, answer in zip(group, group_answers, strict=True):
                values = answer.values
                if values is None or values.shape != (part.rows, part.spec.width):
                    raise ExternalError(f"table {part.spec.name!r}: the answer has a wrong shape.")
                found[part.at][part.place] = values
        for at, lookup in enumerate(lookups):
            if lookup is None:
                found[at] = found[at].reshape(-1)
            elif lookup.inverse is not None:
                found[at] = found[at].take(lookup.inverse, 0)
        return found

    def push_sparse(
        self, table: int, ids: Any, values: Any, mode: str = "grad", wait: bool = True
    ) -> None:
        """Sends gradients of rows; those of equal ids are summed up before.

        Args:
            table (int): number of the table.
            ids (numpy.ndarray|list): int64 ids, n of them.
            values (numpy.ndarray): ``[n, width]``.
            mode (str): ``grad``: for the optimizer of the table; ``delta``: added as they are;
                ``assign``: the new values, for which ids must not repeat.
            wait (bool): False returns when they are on their way; :meth:`flush` waits.
        """
        if np.asarray(ids).dtype.kind not in "iu":
            raise TypeError(f"table {table}: expected integer ids, but received {ids!r}"[:200])
        self.push_many([(table, ids, values)], mode, wait)

    def push_many(
        self, requests: Sequence[tuple[int, Any, Any]], mode: str = "grad", wait: bool = True
    ) -> None:
        """Sends gradients of several tables with one message to each server.

        Args:
            requests (list): ``(table, ids, values)``; for a dense table the ids are None.
            mode (str): see :meth:`push_sparse`.
            wait (bool): see :meth:`push_sparse`.
        """
        if mode not in _MODES:
            raise InvalidArgumentError(
                f"push(mode): expected one of {list(_MODES)}, but received {mode!r}."
            )
        parts: list[Part] = []
        for table, ids, values in requests:
            spec = self._spec(table, "dense" if ids is None else "sparse")
            if ids is None:
                given = _values(spec, np.asarray(values).reshape(1, -1), 1)
                frame = Frame(Kind.PUSH_DENSE, table, self.trainer, 0, _MODES[mode], None, given)
                parts.append(Part(spec.server, frame, spec, 0, slice(0, 1), 1))
                continue
            lookup = self._lookup(spec, ids)
            given = _values(spec, values, lookup.count)
            if mode == "assign" and lookup.repeats:
                raise InvalidArgumentError(
                    f"push_sparse(ids) of table {spec.name!r}: expected ids without repetition to "
                    "assign values to."
                )
            merged = lookup.sums(given)
            for server, place, some in lookup.pieces(spec.row_limit):
                frame = Frame(Kind.PUSH, table, self.trainer, 0, _MODES[mode], some, merged[place])
                parts.append(Part(server, frame, spec, 0, place, len(some)))
        self._end([self._push(group) for group in bundles(parts, len(self._wires))], wait)

    def _lookup(self, spec: TableSpec, ids: Any) -> Lookup:
        """Ids sorted and divided; those that were looked up before are pushed next."""
        given = np.asarray(ids)
        if given.dtype.kind not in "iu":
            raise TypeError(
                f"table {spec.name!r}: expected integer ids, but received {given.dtype}."
            )
        given = np.ascontiguousarray(given.reshape(-1)).astype(np.int64, copy=False)
        held = self._recent.get(spec.id)
        if held is not None and np.array_equal(held.ids, given):
            return held
        made = self._recent[spec.id] = Lookup(given.copy(), len(self._wires))
        return made

    # -- blocks ------------------------------------------------------------------------------------

    def pull_dense(self, table: int) -> np.ndarray:
        """Returns a block of parameters, ``[width]``."""
        return self.pull_dense_many([table])[0]

    def pull_dense_many(self, tables: Sequence[int]) -> list[np.ndarray]:
        """Returns several blocks, which are asked for at a time."""
        return self.pull_many([(table, None) for table in tables])

    def push_dense(self, table: int, values: Any, mode: str = "grad", wait: bool = True) -> None:
        """Sends the gradient of a block.

        Args:
            table (int): number of the table.
            values (numpy.ndarray): as many numbers as the block has.
            mode (str): ``grad``, ``delta`` or ``assign``, see :meth:`push_sparse`.
            wait (bool): False returns when it is on its way; :meth:`flush` waits.
        """
        self.push_many([(table, None, values)], mode, wait)

    def set_dense(self, table: int, values: Any) -> None:
        """Sets a block of parameters."""
        self.push_dense(table, values, mode="assign")

    # -- pushes on their way -----------------------------------------------------------------------

    def _push(self, group: list[Part]) -> Call:
        server = group[0].server
        flying = self._flying[server]
        with self._locks[server]:
            if not self._sessions[server]:
                self._begin(server, group[0].spec)
            pushes, session = self._pushes[server], self._sessions[server]
            while len(flying) >= IN_FLIGHT:
                self._oldest(flying)
            for part in group:
                table = part.spec.id
                pushes[table] = pushes.get(table, 0) + 1
                part.frame.sequence = session << NUMBER_BITS | pushes[table]
            call = self._call(group)
            flying.append(call)
        return call

    def _oldest(self, flying: deque[Call]) -> None:
        try:
            call = flying[0]
        except IndexError:
            return
        try:
            call.wait()
        finally:
            self._forget(call)

    def _forget(self, call: Call) -> None:
        for flying in self._flying:
            try:
                flying.remove(call)
            except ValueError:  # another thread waited for it too
                pass

    def _end(self, calls: list[Call], wait: bool) -> None:
        if wait:
            try:
                self._gather(calls)
            finally:
                for call in calls:
                    self._forget(call)
        else:
            for call in calls:
                self._helpers.run(call)
        for flying in self._flying:  # what is answered needs no more care
            while flying and flying[0].answered():
                self._oldest(flying)

    def flush(self) -> None:
        """Returns when all pushes are answered."""
        for flying in self._flying:
            while flying:
                self._oldest(flying)

    # -- all servers -------------------------------------------------------------------------------

    def barrier(self, name: str = "barrier", timeout: float | None = None) -> None:
        """Returns when all trainers came here that have not left.

        Args:
            name (str): the same on all trainers. In mode ``sync``, ``"step"`` ends a round: the
                servers update by what all trainers pushed since the last one.
            timeout (float, optional): seconds; default: ``FLAGS_rpc_deadline``.

        Raises:
            ExecutionTimeoutError: some did not come; the text names them.
        """
        self.flush()
        number = self._barriers + 1
        frame = Frame(Kind.BARRIER, trainer=self.trainer, sequence=number, text=name)
        self._ask_all(frame, timeout)
        self._barriers = number

    def advance(self, steps: int = 1) -> None:
        """Counts steps of this trainer; the servers' learning rates follow those of all."""
        with self._lock:
            self.steps = made = self.steps + steps
        frame = Frame(Kind.STEP, trainer=self.trainer, sequence=made)
        self._ask_all(frame)

    def set_rate(self, table: int, rate: float) -> None:
        """Sets the learning rate of a table, instead of its schedule."""
        frame = Frame(Kind.RATE, table, self.trainer, values=np.array([[rate]], np.float64))
        self._ask_all(frame)

    def save(self, folder: str | os.PathLike, timeout: float | None = None) -> int:
        """Has every server write its part of a snapshot, and returns the snapshot's version.

        Args:
            folder (str): as the servers see it. It keeps the last two versions.
            timeout (float, optional): seconds; default: ``FLAGS_rpc_deadline``.
        """
        self.flush()
        text = os.path.abspath(folder)
        version = max(stat["last"] for stat in self._stat(text)) + 1
        frame = Frame(Kind.SAVE, trainer=self.trainer, sequence=version, text=text)
        self._ask_all(frame, timeout)
        return version

    def load(self, folder: str | os.PathLike, timeout: float | None = None) -> int:
        """Has every server read the last snapshot that is whole; returns its version.

        Args:
            folder (str): as the servers see it.
            timeout (float, optional): seconds; default: ``FLAGS_rpc_deadline``.

        Raises:
            NotFoundError: there is none.
        """
        self.flush()
        text = os.path.abspath(folder)
        held = [set(stat["versions"]) for stat in self._stat(text)]
        common = sorted(set.intersection(*held), reverse=True)
        error: Exception | None = None
        for version in common or [0]:
            frame = Frame(Kind.LOAD, trainer=self.trainer, sequence=version, text=text)
            try:
                self._ask_all(frame, timeout)
                return version
            except ExternalError:
                raise
            except PreconditionNotMetError as torn:
                error = error or torn
        assert error is not None
        raise error

    def shrink(self, threshold: int) -> int:
        """Drops rows that nobody touched since ``threshold`` calls of this; returns how many."""
        frame = Frame(Kind.SHRINK, trainer=self.trainer, sequence=threshold)
        return sum(a.sequence for a in self._ask_all(frame))

    def stat(self) -> list[dict[str, Any]]:
        """For each server a dict: its tables with rows, updates and bytes, and the steps."""
        return self._stat("")

    def _stat(self, folder: str) -> list[dict[str, Any]]:
        frame = Frame(Kind.STAT, trainer=self.trainer, text=folder)
        return [json.loads(a.text) for a in self._ask_all(frame)]

    def stop(self, timeout: float | None = None) -> None:
        """Leaves the job: when all trainers have left, the servers stop. Called at exit too.

        Args:
            timeout (float, optional): seconds, instead of the deadline of other requests.
        """
        if self._left or os.getpid() != self._process:  # a forked child has not joined
            return
        self._left = True
        if timeout is not None:
            for wire in self._wires:
                wire.patience = timeout
        try:
            self.flush()
        except BaseException:
            timeout = _BRIEFLY  # a server that is away was waited for already
            raise
        finally:
            self._say_stop(timeout)

    def _say_stop(self, timeout: float | None) -> None:
        frame = Frame(Kind.STOP, trainer=self.trainer)
        calls = [self._call([Part(i, frame, None)], timeout) for i in range(len(self._wires))]
        try:
            self._gather(calls)
        finally:
            for call in calls:  # all are told, also where one could not be
                with contextlib.suppress(Exception):
                    call.wait()
            self.close()

    def close(self) -> None:
        """Closes the connections and says nothing; the servers go on waiting for this trainer."""
        self._left = True
        self._helpers.close()
        for wire in self._wires:
            wire.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        self.stop() if kind is None else self.close()

    # -- requests ----------------------------------------------------------------------------------

    def _seconds(self) -> float:
        return flags.get("FLAGS_rpc_deadline") / 1000 if self._deadline is None else self._deadline

    def _call(self, group: list[Part], timeout: float | None = None) -> Call:
        server = group[0].server
        name = f"server {server} ({self.endpoints[server]})"
        where = [
            name if p.spec is None else f"{name}, table {p.spec.id} ({p.spec.name!r})"
            for p in group
        ]
        frames = [p.frame for p in group]
        seconds = self._seconds() if timeout is None else timeout
        return Call(self._wires[server], frames[0].kind, encode(*frames), where, seconds)

    def _ask_all(self, frame: Frame, timeout: float | None = None) -> list[Frame]:
        """Sends a request to each server and returns their answers."""
        groups = [[Part(i, frame, None)] for i in range(len(self._wires))]
        return [found[0] for found in self._gather([self._call(g, timeout) for g in groups])]

    def _gather(self, calls: list[Call]) -> list[list[Frame]]:
        """Sends messages at a time, the last of them in this thread; returns their answers."""
        for call in calls[:-1]:
            self._helpers.run(call)
        for call in calls[-1:]:
            call.run()
        return [call.wait() for call in calls]


_MODES = {"grad": 0, "delta": int(Flag.DELTA), "assign": int(Flag.ASSIGN)}


def _values(spec: TableSpec, values: Any, rows: int) -> np.ndarray:
    given = np.asarray(values)
    if given.shape != (rows, spec.width) or str(given.dtype) not in DTYPE_CODES:
        raise InvalidArgumentError(
            f"push(values) of table {spec.name!r}: expected floats of shape [{rows}, {spec.width}]"
            f", but received {given.dtype}{list(given.shape)}."
        )
    return given.astype(spec.dtype, copy=False)


# -- the transport ---------------------------------------------------------------------------------


class _Wire:
    """A channel to one server."""

    def __init__(self, endpoint: str, token: str, tls: str | None) -> None:
        options = [
            ("grpc.max_receive_message_length", FRAME_LIMIT),
            ("grpc.max_send_message_length", FRAME_LIMIT),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 500),
            ("grpc.http2.max_frame_size", 1 << 20),
            ("grpc.enable_retries", 0),
            ("grpc.enable_http_proxy", 0),
            ("grpc.use_local_subchannel_pool", 1),
        ]
        if tls is None:
            self._channel = grpc.insecure_channel(endpoint, options)
        else:
            with open(tls, "rb") as file:
                vouched = grpc.ssl_channel_credentials(file.read())
            self._channel = grpc.secure_channel(endpoint, vouched, options)
        self.closed = False
        self.patience: float | None = None  # seconds that one more attempt may take
        self._metadata = (("token", token),) if token else ()
        self._calls = {
            int(kind): self._channel.unary_unary(f"/pypaddle.ps/{kind.name}") for kind in Kind
        }

    def send(self, kind: int, body: bytes, seconds: float) -> bytes:
        """Returns the answer to a message, or raises Broken."""
        try:
            return self._calls[kind](
                body, timeout=seconds, metadata=self._metadata, wait_for_ready=True
            )
        except grpc.RpcError as error:
            failed: Any = error
            code = failed.code()
            raise Broken(_STATES.get(code, "failed"), f"{code.name}: {failed.details()}")
        except ValueError as error:  # the channel is closed
            raise Broken("failed", str(error))

    def close(self) -> None:
        self.closed = True
        self._channel.close()
