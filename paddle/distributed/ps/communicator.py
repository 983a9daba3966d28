"""When a trainer exchanges with the servers: at every step, in the background, or now and then."""

from __future__ import annotations

import abc
import contextlib
import queue
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paddle.core.selected_rows import Rows
from paddle.distributed.ps.plan import Group, JobPlan, Sparse
from paddle.distributed.ps.store import STEPS
from paddle.distributed.ps.table import Table, merged

_DEFAULTS = {
    "k_steps": -1, "max_merge_var_num": 1, "send_queue_size": 16, "independent_recv_thread": False,
    "min_send_grad_num_before_recv": 1, "thread_pool_size": 1, "send_wait_times": 1,
}  # fmt: skip
_PAUSE = 0.001  # seconds; one of send_wait_times


def exchange_of(plan: JobPlan, client: Any, configs: dict[str, Any]) -> Exchange:
    """Returns the way of exchanging of a job's mode."""
    kinds: dict[str, type[Exchange]] = {
        "sync": Sync, "half_async": HalfAsync, "async": Async, "geo": Geo,
    }  # fmt: skip
    return kinds[plan.mode](plan, client, {**_DEFAULTS, **configs})


class Exchange(abc.ABC):
    """What happens with gradients and parameters of one trainer.

    Args:
        plan (JobPlan): the tables.
        client (Client): the connection.
        configs (dict): ``a_sync_configs``, complete.
    """

    def __init__(self, plan: JobPlan, client: Any, configs: dict[str, Any]) -> None:
        self.plan, self.client, self.configs = plan, client, configs
        self.holders: dict[str, Any] = {}

    # -- values of a group -----------------------------------------------------------------------

    def flat(self, group: Group, values: Any) -> np.ndarray:
        """The values of all members of a group, one behind the other."""
        parts = [v.to_dense().reshape(-1) if v.is_sparse else v.reshape(-1) for v in values]
        return torch.cat(parts).numpy()

    def _blocks(self, group: Group, flat: np.ndarray) -> list[tuple]:
        return [(b.table, None, flat[b.start : b.stop]) for b in group.blocks]

    def pull(self, holders: dict[str, Any]) -> None:
        """Puts the servers' values of dense parameters into a scope."""
        tables = [b.table for g in self.plan.groups for b in g.blocks]
        if not tables:
            return
        found = iter(self.client.pull_many([(t, None) for t in tables]))
        for group in self.plan.groups:
            parts = [np.asarray(next(found)).reshape(-1) for _ in group.blocks]
            flat = torch.from_numpy(np.concatenate(parts))
            for m in group.members:
                if m.name in holders:
                    value = flat[m.start : m.start + m.numel].reshape(m.shape)
                    holders[m.name].put(value.clone())

    # -- what operators call ---------------------------------------------------------------------

    def begin(self, holders: dict[str, Any]) -> None:
        """Training begins with the servers' values, in these holders of a scope."""
        self.holders = dict(holders)
        self.pull(holders)

    def rows(self, table: int, ids: np.ndarray, make: bool) -> np.ndarray:
        """Looks rows up."""
        return self.client.pull_sparse(table, ids, make)

    @abc.abstractmethod
    def send_dense(self, group: Group, grads: tuple) -> None:
        """Takes the gradients of a group of dense parameters."""

    @abc.abstractmethod
    def send_rows(self, one: Sparse, grad: Any) -> None:
        """Takes the gradient of a table."""

    def barrier(self) -> None:  # noqa: B027 (most have none)
        """All gradients of a step were sent."""

    @abc.abstractmethod
    def receive(self, holders: dict[str, Any]) -> None:
        """Ends a step: parameters of the scope may be exchanged for newer ones."""

    def flush(self) -> None:
        """Returns when the servers have all that was sent."""
        self.client.flush()

    def stop(self) -> None:
        """Sends what waits; nothing is exchanged afterwards."""
        self.flush()

    def _advance(self) -> None:
        if self.plan.scheduled:
            self.client.advance()


def numbered(grad: Any) -> tuple[np.ndarray, np.ndarray]:
    """Ids and values of a table's gradient."""
    if isinstance(grad, Rows):
        return grad.index.numpy(), grad.values.reshape(len(grad.index), -1).numpy()
    rows = grad.reshape(grad.shape[0], -1)
    used = torch.nonzero(rows.abs().sum(1)).reshape(-1)
    return used.numpy(), rows[used].numpy()


class Sync(Exchange):
    """Servers update once by the mean of all trainers' gradients; trainers wait for that."""

    def __init__(self, plan: JobPlan, client: Any, configs: dict[str, Any]) -> None:
        super().__init__(plan, client, configs)
        self._waiting: list[tuple] = []

    def send_dense(self, group: Group, grads: tuple) -> None:
        """Takes the gradients of a group of dense parameters."""
        self._waiting += self._blocks(group, self.flat(group, grads))

    def send_rows(self, one: Sparse, grad: Any) -> None:
        """Takes the gradient of a table."""
        ids, values = numbered(grad)
        if len(ids):
            self._waiting.append((one.table, ids, values))

    def _push(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.client.push_many(waiting, wait=True)

    def barrier(self) -> None:
        """All gradients of a step were sent."""
        self._push()
        self.client.barrier("step")
        self._advance()

    def receive(self, holders: dict[str, Any]) -> None:
        """Ends a step: parameters of the scope may be exchanged for newer ones."""
        self.pull(holders)


class HalfAsync(Sync):
    """Trainers wait for the servers, but not for one another."""

    def barrier(self) -> None:
        """All gradients of a step were sent."""
        self._push()
        self._advance()


class Async(Exchange):
    """Gradients are sent, and parameters fetched, by threads beside the training."""

    def __init__(self, plan: JobPlan, client: Any, configs: dict[str, Any]) -> None:
        super().__init__(plan, client, configs)
        # Gradients that wait are of old parameters: with many of them training may diverge. More
        # than two pushes' worth gains nothing, so what the user allows is only an upper limit.
        size = max(1, min(int(configs["send_queue_size"]), 2 * int(configs["max_merge_var_num"])))
        keys: list[Any] = [*range(len(plan.groups)), *(one.name for one in plan.sparse)]
        self._queues: dict[Any, queue.Queue] = {key: queue.Queue(size) for key in keys}
        self._group_numbers = {id(g): i for i, g in enumerate(plan.groups)}
        self._error: BaseException | None = None
        self._ends = threading.Event()
        self._turn = threading.Condition()
        self._sent = self._fetched = 0
        self._threads: list[threading.Thread] = []

    # -- threads ---------------------------------------------------------------------------------

    def _start(self) -> None:
        count = max(1, min(int(self.configs["thread_pool_size"]), len(self._queues)))
        keys = list(self._queues)
        for i in range(count):
            mine = keys[i::count]
            self._run(lambda mine=mine: self._sending(mine))  # type: ignore[misc]
        if self.configs["independent_recv_thread"]:
            self._run(self._fetching)

    def _run(self, function: Any) -> None:
        def guarded() -> None:
            try:
                function()
            except BaseException as error:
                with self._turn:
                    self._error = self._error or error
                    self._turn.notify_all()

        thread = threading.Thread(target=guarded, name="ps-communicator", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _sending(self, keys: list[Any]) -> None:
        while self._error is None:
            busy, taken = False, []
            for key in keys:
                found = self._take(self._queues[key])
                if found:
                    busy = True
                    taken.append((key, found))
            if taken:
                self.client.push_many([r for key, found in taken for r in self._merged(key, found)])
                for key, found in taken:
                    for _ in found:
                        self._queues[key].task_done()
                with self._turn:
                    self._sent += max(len(found) for _, found in taken)
                    self._turn.notify_all()
                self._after_sending()
            if not busy:
                if self._ends.is_set():
                    return
                with self._turn:
                    self._turn.wait(0.05)

    def _take(self, waiting: queue.Queue) -> list[Any]:
        """What is merged into one push: it waits a little for more."""
        most = max(1, int(self.configs["max_merge_var_num"]))
        found: list[Any] = []
        tries = int(self.configs["send_wait_times"])
        while len(found) < most:
            try:
                found.append(waiting.get_nowait())
            except queue.Empty:
                if not found or tries <= 0:
                    break
                tries -= 1
                if self._ends.wait(_PAUSE):
                    tries = 0
        return found

    def _merged(self, key: Any, found: list[Any]) -> list[tuple]:
        """Gradients of several steps as one: the mean of dense ones, the sum of rows."""
        if isinstance(key, str):
            one = next(s for s in self.plan.sparse if s.name == key)
            ids = np.concatenate([f[0] for f in found])
            return [(one.table, ids, np.concatenate([f[1] for f in found]))] if len(ids) else []
        total = found[0]
        if len(found) > 1:
            total = np.add.reduce(found) / np.asarray(len(found), found[0].dtype)
        return self._blocks(self.plan.groups[key], total)

    def _after_sending(self) -> None:
        if not self.configs["independent_recv_thread"]:
            self._fetch_if_due()

    def _due(self) -> bool:
        least = max(1, int(self.configs["min_send_grad_num_before_recv"]))
        return self._sent - self._fetched >= least

    def _fetch_if_due(self) -> None:
        with self._turn:
            if not self._due():
                return
            self._fetched = self._sent
        self.pull(self.holders)

    def _fetching(self) -> None:
        while self._error is None and not self._ends.is_set():
            with self._turn:
                if not self._due():
                    self._turn.wait(0.05)
                    continue
            self._fetch_if_due()

    # -- the trainer -----------------------------------------------------------------------------

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _put(self, key: Any, value: Any) -> None:
        self._check()
        if not self._threads:
            self._start()
        while True:
            self._check()  # after an error nobody makes room
            with contextlib.suppress(queue.Full):
                self._queues[key].put(value, timeout=0.05)
                break
        with self._turn:
            self._turn.notify_all()

    def send_dense(self, group: Group, grads: tuple) -> None:
        """Takes the gradients of a group of dense parameters."""
        self._put(self._group_numbers[id(group)], self.flat(group, grads))

    def send_rows(self, one: Sparse, grad: Any) -> None:
        """Takes the gradient of a table."""
        ids, values = numbered(grad)
        self._put(one.name, (ids, np.array(values)))

    def receive(self, holders: dict[str, Any]) -> None:
        """Ends a step: parameters of the scope may be exchanged for newer ones."""
        self._check()
        if self.holders.keys() != holders.keys() or any(
            self.holders[n] is not held for n, held in holders.items()
        ):
            self.holders = dict(holders)
            self.pull(holders)
        self._advance()

    def flush(self) -> None:
        """Returns when the servers have all that was sent."""
        with self._turn:
            while any(w.unfinished_tasks for w in self._queues.values()):
                self._check()  # after an error nobody sends what waits
                self._turn.wait(0.05)
        self._check()
        self.client.flush()

    def stop(self) -> None:
        """Sends what waits; nothing is exchanged afterwards."""
        try:
            if self._error is None:
                self.flush()
                if self.holders:
                    self.pull(self.holders)
        finally:
            self._ends.set()
            with self._turn:
                self._turn.notify_all()
            for thread in self._threads:
                thread.join(10)
            self._threads = []
        self._check()


class Geo(Exchange):
    """Trainers train by themselves; every ``k_steps`` the differences are added on the servers."""

    def __init__(self, plan: JobPlan, client: Any, configs: dict[str, Any]) -> None:
        super().__init__(plan, client, configs)
        self._folder = tempfile.TemporaryDirectory(prefix="pypaddle-geo-")
        home = Path(self._folder.name)
        self._near = {one.table: _Near(one, home / f"t{one.table}", client) for one in plan.sparse}
        self._bases: list[np.ndarray] = []
        self._steps = 0

    def begin(self, holders: dict[str, Any]) -> None:
        """Training begins with the servers' values, in these holders of a scope."""
        super().begin(holders)
        self._remember(holders)

    def _values(self, group: Group, holders: dict[str, Any]) -> np.ndarray:
        return self.flat(group, [holders[m.name].tensor._buf for m in group.members])

    def _remember(self, holders: dict[str, Any]) -> None:
        self.holders = dict(holders)
        self._bases = [self._values(group, holders) for group in self.plan.groups]

    def rows(self, table: int, ids: np.ndarray, make: bool) -> np.ndarray:
        """Looks rows up."""
        return self._near[table].pull(ids)

    def send_dense(self, group: Group, grads: tuple) -> None:
        """Takes the gradients of a group of dense parameters."""
        raise AssertionError("trainers update dense parameters themselves")

    def send_rows(self, one: Sparse, grad: Any) -> None:
        """Takes the gradient of a table."""
        ids, values = numbered(grad)
        if len(ids):
            self._near[one.table].learn(ids, values)

    def receive(self, holders: dict[str, Any]) -> None:
        """Ends a step: parameters of the scope may be exchanged for newer ones."""
        if any(self.holders.get(n) is not held for n, held in holders.items()):
            self.begin(holders)  # another scope
        self._steps += 1
        if self._steps % max(1, int(self.configs["k_steps"])) == 0:
            self._exchange(holders)

    def _exchange(self, holders: dict[str, Any]) -> None:
        share = 1.0 / self.plan.trainers
        pushes: list[tuple] = []
        for group, base in zip(self.plan.groups, self._bases, strict=True):
            change = (self._values(group, holders) - base) * np.asarray(share, base.dtype)
            pushes += self._blocks(group, change)
        for near in self._near.values():
            pushes += near.changes(share)
        if pushes:
            self.client.push_many(pushes, mode="delta")
        self.pull(holders)
        self._remember(holders)
        for near in self._near.values():
            near.refresh()

    def flush(self) -> None:
        """Returns when the servers have all that was sent."""
        if self.holders and self._steps:
            self._exchange(self.holders)
        self.client.flush()

    def stop(self) -> None:
        """Sends what waits; nothing is exchanged afterwards."""
        try:
            self.flush()
        finally:
            for near in self._near.values():
                near.close()
            self._folder.cleanup()


class _Near(Table):
    """The rows of a table that this trainer has used, and what they were when they came."""

    def __init__(self, one: Sparse, folder: Path, client: Any) -> None:
        self._client, self._number = client, one.table
        self._base = torch.zeros(1, one.spec.width, dtype=getattr(torch, one.spec.dtype))
        self._used: list[np.ndarray] = []
        self._learned = 0
        super().__init__(one.spec, folder)

    def _make(self, ids: np.ndarray) -> None:
        values = self._client.pull_sparse(self._number, ids)
        at = self.store.add(ids, [values, *self._fills])
        self._keep(at, torch.from_numpy(values))

    def _keep(self, rows: np.ndarray, values: torch.Tensor) -> None:
        """Notes what the servers have for rows."""
        need = self.store.count
        if need > len(self._base):
            grown = torch.zeros(max(need, 2 * len(self._base)), self.spec.width,
                                dtype=self._base.dtype)  # fmt: skip
            grown[: len(self._base)] = self._base
            self._base = grown
        self._base[torch.from_numpy(rows)] = values

    def _let_in(self, ids: np.ndarray, count: bool) -> np.ndarray:
        return ids  # the servers decide

    def learn(self, ids: np.ndarray, values: np.ndarray) -> None:
        """One step of the optimizer for some rows."""
        with self.lock:
            ids, grad = merged(ids, torch.from_numpy(np.array(values)))
            self._update(ids, grad, self.spec.rule.rate_at(self._learned))
            self._learned += 1
            self._used.append(self.store.find(ids))

    def changes(self, share: float) -> list[tuple]:
        """What has changed since rows came, as a push."""
        if not self._used:
            return []
        rows = self._rows_used = np.unique(np.concatenate(self._used))
        now = self.store.read(rows, 1)[0]
        change = (now - self._base[torch.from_numpy(rows)]).mul_(share)
        return [(self._number, self.store.ids.flat[rows], change.numpy())]

    def refresh(self) -> None:
        """Fetches the rows that have changed."""
        if not self._used:
            return
        rows, self._used = self._rows_used, []
        values = torch.from_numpy(self._client.pull_sparse(self._number, self.store.ids.flat[rows]))
        self.store.commit(rows, [values], int(self.store.about[STEPS]))
        self._keep(rows, values)
