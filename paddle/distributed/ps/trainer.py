"""A trainer's side of a job: what the operators of its Program call."""

from __future__ import annotations

import atexit
import importlib
import os
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from paddle.core import flags
from paddle.core.errors import (
    ExecutionTimeoutError,
    InvalidArgumentError,
    PreconditionNotMetError,
)
from paddle.distributed.ps.calls import leave
from paddle.distributed.ps.communicator import Exchange, exchange_of
from paddle.distributed.ps.plan import STARTED, JobPlan
from paddle.ir.operator import Operator

_ASSIGNED = 1 << 16  # rows of a table that are sent at a time


def connected(endpoints: Sequence[str], trainer: int, tables: Any = None) -> Any:
    """Returns a connection to servers, with the token and certificates that the launcher told.

    Args:
        endpoints (list[str]): the servers.
        trainer (int): number of this trainer.
        tables (list[TableSpec], optional): what they have to have.
    """
    client = importlib.import_module("paddle.distributed.ps.client")  # which imports grpc
    token, vouched = os.environ.get("PADDLE_JOB_TOKEN", ""), os.environ.get("PADDLE_TLS_CA")
    return client.Client(endpoints, trainer, token, tables, tls=vouched or None)


class TrainerJob:
    """The tables of a job as one trainer sees them.

    Args:
        plan (JobPlan): the tables.
        endpoints (list[str]): the servers.
        trainer (int): number of this trainer.
        configs (dict): ``a_sync_configs`` of the strategy.
    """

    def __init__(
        self, plan: JobPlan, endpoints: Sequence[str], trainer: int, configs: dict[str, Any]
    ) -> None:
        self.plan, self.endpoints, self.trainer = plan, list(endpoints), trainer
        self.configs = dict(configs)
        self.client: Any = None
        self.exchange: Exchange | None = None
        self.closed = False
        self._holders: dict[str, Any] = {}  # of the scope in which the startup Program ran
        self._started = False

    # -- beginning and end -----------------------------------------------------------------------

    def connect(self, find: Callable[[str], Any]) -> None:
        """Connects to the servers; parameters get the values that all trainers begin with.

        Args:
            find (callable): gives the scope's holder of a name, or None.
        """
        if self.client is not None:
            return
        self.client = connected(self.endpoints, self.trainer, self.plan.tables)
        self.closed = False
        atexit.register(leave, weakref.WeakMethod(self.close))
        self.exchange = exchange_of(self.plan, self.client, self.configs)
        holders = {}
        for name in self._first_names():
            held = self._holders.get(name) or find(name)
            if held is not None and held.tensor is not None:
                holders[name] = held
        if len(holders) == len(self._first_names()):
            self._begin({n: held.tensor._buf for n, held in holders.items()})
            self._fill(holders)

    def _first_names(self) -> list[str]:
        given = [one.name for one in self.plan.sparse if one.given]
        return [m.name for m in self.plan.dense] + given

    def close(self) -> None:
        """Sends what waits to be sent, and leaves; servers end when all trainers have left."""
        if self.client is None or self.closed:
            return
        self.closed = True
        try:
            if self.exchange is not None:
                self.exchange.stop()
        finally:
            self.client.stop()
            self.client = None

    def _begin(self, values: dict[str, torch.Tensor]) -> None:
        """Gives the servers the first trainer's values, unless they have some; once a process."""
        if self._started:
            return
        client = self.client
        there = bool(client.pull_dense(STARTED)[0])
        if not there:
            if self.configs.get("launch_barrier", True):
                client.barrier("launch")
            if self.trainer == 0:
                self._give(values)
                client.set_dense(STARTED, np.ones(1, np.float32))
            else:
                self._wait_for_values()
        self._started = True

    def _wait_for_values(self) -> None:
        seconds = flags.get("FLAGS_rpc_deadline") / 1000
        end, pause = time.monotonic() + seconds, 0.005
        while not self.client.pull_dense(STARTED)[0]:
            if time.monotonic() > end:
                raise ExecutionTimeoutError(
                    f"trainer {self.trainer}: the first trainer gave the servers no values within "
                    f"{seconds:.0f} s.",
                    hint="does it run its startup Program and call fleet.init_worker()?",
                )
            time.sleep(pause)
            pause = min(0.2, pause * 1.5)

    def _give(self, values: dict[str, torch.Tensor]) -> None:
        assert self.exchange is not None
        requests = []
        for group in self.plan.groups:
            flat = self.exchange.flat(group, [values[m.name] for m in group.members])
            requests += [(b.table, None, flat[b.start : b.stop]) for b in group.blocks]
        if requests:
            self.client.push_many(requests, mode="assign")
        for one in self.plan.sparse:
            if one.given:
                rows = values[one.name].reshape(one.height, -1).numpy()
                for start in range(0, one.height, _ASSIGNED):
                    part = rows[start : start + _ASSIGNED]
                    ids = np.arange(start, start + len(part))
                    self.client.push_sparse(one.table, ids, part, mode="assign")

    def _fill(self, holders: dict[str, Any]) -> None:
        """Puts the servers' values into a scope."""
        exchange = self._connected()
        dense = [m.name for m in self.plan.dense]
        exchange.begin({n: holders[n] for n in dense})

    def _connected(self) -> Exchange:
        if self.client is None and self._holders and not self.closed:
            self.connect(lambda name: None)  # the guide's scripts do not always ask for it
        if self.exchange is None or self.client is None:
            raise PreconditionNotMetError(
                "the Program trains with parameter servers, but this process is not connected.",
                hint="call fleet.init_worker() first, and nothing after fleet.stop_worker()",
            )
        return self.exchange

    def flush(self) -> None:
        """Returns when the servers have all that this trainer sent."""
        self._connected().flush()

    def pull(self, holders: dict[str, Any]) -> None:
        """Puts the servers' values of dense parameters into holders of a scope."""
        self._connected().pull(holders)

    # -- what operators call ---------------------------------------------------------------------

    def receiver(self, op: Operator) -> Callable:
        """What a ``recv`` calls: with holders after a step, with values when training begins."""
        names = list(op.attrs.get("recv_varnames") or [])
        if op.outputs.get("Out"):
            return lambda values, held: self._startup(names, values, held)
        return lambda held: self._connected().receive(dict(zip(names, held, strict=True)))

    def _startup(self, names: list[str], values: tuple, held: tuple) -> list[torch.Tensor]:
        """The values that parameters begin with, given what the startup Program made."""
        self._holders = dict(zip(names, held, strict=True))
        if self.client is None:
            return list(values)
        self._begin(dict(zip(names, values, strict=True)))
        for name, value in zip(names, values, strict=True):
            self._holders[name].put(value)
        dense = {m.name for m in self.plan.dense}
        self._connected().begin({n: h for n, h in self._holders.items() if n in dense})
        return [self._holders[n].tensor._buf for n in names]

    def sender(self, op: Operator) -> Callable:
        """What a ``send`` calls with gradients."""
        table = int(op.attrs["table_id"])
        if op.attrs.get("is_sparse"):
            one = next(s for s in self.plan.sparse if s.table == table)
            return lambda values: self._connected().send_rows(one, values[0])
        group = next(g for g in self.plan.groups if g.blocks[0].table == table)
        return lambda values: self._connected().send_dense(group, values)

    def stepper(self, op: Operator) -> Callable:
        """What a ``send_barrier`` calls."""
        return lambda: self._connected().barrier()

    def fetcher(self, op: Operator) -> Callable:
        """What a ``fetch_barrier`` calls: there is nothing to wait for."""
        return lambda: None

    def finder(self, op: Operator) -> Callable:
        """What a look-up calls with ids."""
        table, padding = int(op.attrs["table_id"]), int(op.attrs.get("padding_idx", -1))
        width = next(s.spec.width for s in self.plan.sparse if s.table == table)
        old = op.attrs.get("lookup_table_version") == "lookup_table"
        make = not op.attrs.get("is_test", False)

        def find(ids: tuple) -> list[torch.Tensor]:
            return rows_of(
                ids, lambda flat: self._connected().rows(table, flat, make), width, padding, old
            )

        return find


def rows_of(
    ids: tuple, look_up: Callable[[np.ndarray], np.ndarray], width: int, padding: int, old: bool
) -> list[torch.Tensor]:
    """Returns the rows of several ids, looked up at once.

    Args:
        ids (tuple): integer buffers.
        look_up (callable): gives rows for ids, one behind the other.
        width (int): numbers in a row.
        padding (int): the id whose row is zeros; -1 for none.
        old (bool): ids end with a dimension of 1, in whose place the row comes.
    """
    flat = [one.reshape(-1) for one in ids]
    for one in flat:
        if one.dtype not in (torch.int64, torch.int32):
            raise InvalidArgumentError(
                f"a look-up: expected integer ids, but received {one.dtype}."
            )
    joined = torch.cat(flat).to(torch.int64) if len(flat) > 1 else flat[0].to(torch.int64)
    found = torch.from_numpy(look_up(joined.numpy()))
    if padding != -1:
        found[joined == padding] = 0
    parts, at = [], 0
    for one in ids:
        shape = one.shape[:-1] if old and one.dim() > 1 and one.shape[-1] == 1 else one.shape
        parts.append(found[at : at + one.numel()].reshape(*shape, width))
        at += one.numel()
    return parts
