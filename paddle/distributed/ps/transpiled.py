"""Programs by DistributeTranspiler of 1.x: trainers that send and receive by name, and servers.

Each server of such a job stands for itself: it has the blocks of parameters that its Program
names, and a trainer has a connection to each. A table is named ``parameter <- gradient``, by which
trainers find it.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import math
import os
import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paddle.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    UnimplementedError,
)
from paddle.core.selected_rows import Rows
from paddle.distributed.ps.calls import leave
from paddle.distributed.ps.communicator import numbered
from paddle.distributed.ps.plan import read_update
from paddle.distributed.ps.rules import Rule
from paddle.distributed.ps.schedules import ProgramRate
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.store import STEPS
from paddle.distributed.ps.table import Table
from paddle.distributed.ps.told import certificates, drop_tables, tables_folder
from paddle.distributed.ps.trainer import connected, rows_of
from paddle.ir.block import Block
from paddle.ir.cloning import clone
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.optimizer.counting import steps_of
from paddle.ops.optimizer.updates import rule_of
from paddle.ops.selected_rows import split_selected_rows
from paddle.passes.sparse_updates import ROWS

_ARROW = " <- "
_OWN = re.compile(rf"(\.trainer_\d+)?({ROWS}\w*)?$")  # what trainers and passes add to a name
_SYNC = 0  # of distributed_mode
_TALKING = ("send", "recv", "send_barrier", "fetch_barrier", "distributed_lookup_table")


# -- servers ---------------------------------------------------------------------------------------


class BlockServer:
    """What runs for an operator ``listen_and_serv``.

    Args:
        op (Operator): the operator.

    Attributes:
        names (list[str]): variables of the scope: parameters, accumulators, learning rates.
    """

    def __init__(self, op: Operator) -> None:
        attrs = op.attrs
        self.endpoint, self.trainers = str(attrs["endpoint"]), int(attrs.get("Fanin", 1))
        self.number = int(attrs.get("pserver_id", 0))
        if attrs.get("dc_asgd"):
            raise UnimplementedError(
                "listen_and_serv: servers do not compensate delayed gradients (dc_asgd)."
            )
        together = int(attrs.get("distributed_mode", 0)) == _SYNC and not attrs.get("_async")
        self.mode = "sync" if together else "async"
        self.program = op.block.program
        self.names: list[str] = []
        rows = [str(text).rpartition(":")[0] for text in attrs.get("sparse_grad_to_param") or []]
        self._by_rows = set(rows)  # gradients that come as some rows, whose parameters stay here
        self._parts: list[tuple[str, str, Operator, tuple]] = []
        for text in attrs["grad_to_block_id"]:
            grad, _, number = str(text).rpartition(":")
            self._read(grad, self.program.blocks[int(number)])
        decay = int(attrs.get("lr_decay_block_id", -1))
        self._decay = self.program.blocks[decay] if decay > 0 else None
        if self._decay is not None:
            made = {n for o in self._decay.ops for n in o.output_arg_names}
            for o in self._decay.ops:
                for name in o.input_arg_names:
                    if name not in made or o.type == "increment":
                        self._note(name)

    def _note(self, name: str) -> None:
        if name not in self.names:
            self.names.append(name)

    def _read(self, grad: str, block: Block) -> None:
        updates = [o for o in block.ops if "Param" in o.inputs]
        if len(updates) != 1:
            raise UnimplementedError(
                f"listen_and_serv: expected one update in block {block.idx}, but it has "
                f"{[o.type for o in block.ops]}."
            )
        op = updates[0]
        penalties = read_update(block, op)
        param = op.input("Param")[0]
        self._note(param)
        known = rule_of(op.type)
        assert known is not None
        for state in (*known.states, *known.powers):
            self._note(op.input(known.slots[state])[0])
        self._note(op.input("LearningRate")[0])
        self._parts.append((param, grad, op, penalties))

    def __call__(self, held: tuple) -> None:
        """Serves with what the scope holds until all trainers have left."""
        serving = importlib.import_module("paddle.distributed.ps.server")  # which imports grpc
        values = dict(zip(self.names, held, strict=True))
        tables = [self._table(i, part, values) for i, part in enumerate(self._parts)]
        folder = tables_folder(self.number)
        server = serving.Server(
            self.endpoint, tables, self.trainers, self.mode,
            os.environ.get("PADDLE_JOB_TOKEN", ""), folder, tls=certificates(),
        )  # fmt: skip
        held_by = [(server.service.tables[spec.id], part[2])
                   for spec, part in zip(tables, self._parts, strict=True)]  # fmt: skip
        filled = Path(server.folder, "filled")
        if not filled.exists():  # else it was killed, and goes on where it was
            for table, op in held_by:
                _fill(table, op, values)
            filled.touch()
        server.start()
        try:
            server.wait()
            for table, op in held_by:
                _give_back(table, op, values)
        finally:
            server.stop()
        if folder is not None:  # the scope has it all
            drop_tables(folder)

    def _table(self, number: int, part: tuple, values: dict[str, Any]) -> TableSpec:
        param, grad, op, (l1, l2, clip) = part
        if values[param].tensor is None:
            raise NotFoundError(
                f"listen_and_serv: parameter {param!r} has no value.",
                hint="run the server's startup Program first",
            )
        known = rule_of(op.type)
        assert known is not None
        rule = Rule(op.type, self._rate(op.input("LearningRate")[0], values),
                    known.settings_of(op.attrs), {}, 1.0, l1, l2, clip,
                    bool(op.attrs.get("_epsilon_outside")))  # fmt: skip
        buffer = values[param].tensor._buf
        dtype, name = str(buffer.dtype).removeprefix("torch."), f"{param}{_ARROW}{grad}"
        if grad not in self._by_rows:
            return TableSpec(number, name, "dense", buffer.numel(), dtype, rule)
        alone = known.rows == "always" or (known.rows == "lazy" and op.attrs.get("lazy_mode"))
        return TableSpec(number, name, "sparse", buffer[:1].numel(), dtype, rule,
                         whole=not alone or bool(l1 or l2))  # fmt: skip

    def _rate(self, name: str, values: dict[str, Any]) -> Any:
        block = self._decay
        if block is None or name not in {n for o in block.ops for n in o.output_arg_names}:
            held = values[name].tensor
            if held is None:
                raise NotFoundError(f"listen_and_serv: learning rate {name!r} has no value.")
            return float(held._buf.reshape(-1)[0])
        made = clone(self.program)
        top = made.global_block()
        top.ops = []
        for op in block.ops:
            for n in (*op.input_arg_names, *op.output_arg_names):
                if not top.has_var(n):
                    var = block._var_recursive(n)
                    top.create_var(name=n, shape=var.shape, dtype=var.dtype)
            attrs = {k: v for k, v in op.attrs.items() if k != "op_role_var"}
            top.ops.append(Operator(top, op.type, dict(op.inputs), dict(op.outputs), attrs))
        del made.blocks[1:]
        together = self.trainers if self.mode == "sync" else 1
        starts = {n: h.tensor._buf for n, h in values.items() if h.tensor is not None}
        return ProgramRate(made, None, name, together, starts)


_ROW = np.ones(1, np.int64)  # the only one of a dense table


def _height(table: Table, param: Any) -> int:
    """How many rows of a table belong to a parameter."""
    return math.prod(param.shape) // table.spec.width


def _slots(op: Operator) -> tuple[list[str], list[tuple[str, float]]]:
    """Names of a parameter and its accumulators, and of powers of beta with their betas."""
    known = rule_of(op.type)
    assert known is not None
    names = [op.input("Param")[0], *(op.input(known.slots[s])[0] for s in known.states)]
    betas = known.betas(known.settings_of(op.attrs))
    return names, list(zip((op.input(known.slots[p])[0] for p in known.powers), betas, strict=True))


def _fill(table: Table, op: Operator, values: dict[str, Any]) -> None:
    """Gives a table what a scope holds: the parameter, its accumulators and number of updates."""
    names, powers = _slots(op)
    rows, done = [], 0
    shape = (_height(table, values[names[0]].tensor), table.spec.width)
    for name in names:
        held = values[name].tensor
        one = torch.zeros(shape) if held is None else held._buf.reshape(-1, shape[1]).expand(shape)
        rows.append(one)
    stored = [(values[n].tensor, beta) for n, beta in powers]
    if stored and all(held is not None for held, _ in stored):
        found = steps_of([[held._buf] for held, _ in stored], [beta for _, beta in stored])
        done = max(0, int(min(float(found[0]), 1e9)) - 1)  # that of the update to come, less it
    if not table.spec.is_sparse:
        table.store.commit(_ROW, rows, done)
    elif table.store.count == 1:  # else it was killed just before it could say that all are there
        table.store.add(np.arange(shape[0]), [row.numpy() for row in rows])
    table.store.about[STEPS] = done
    table.prepare()


def _give_back(table: Table, op: Operator, values: dict[str, Any]) -> None:
    """Puts what a table has come to into a scope."""
    names, powers = _slots(op)
    param = values[names[0]].tensor
    every = np.arange(_height(table, param))
    rows = table.store.find(every) if table.spec.is_sparse else _ROW
    for name, row in zip(names, table.store.read(rows), strict=True):
        held = values[name].tensor
        values[name].put(row.reshape(param.shape if held is None else held.shape))
    for name, beta in powers:
        held = values[name].tensor
        if held is not None:
            power = beta ** (int(table.store.about[STEPS]) + 1)
            values[name].put(torch.full_like(held._buf, power))


def server_of(op: Operator) -> BlockServer:
    """Returns what serves for an operator ``listen_and_serv``."""
    return BlockServer(op)


# -- trainers --------------------------------------------------------------------------------------

_trainers: list[NamedTrainer] = []


class NamedTrainer:
    """The connections of a trainer whose Program names variables and servers.

    Args:
        number (int): of the trainer.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.servers: set[str] = set()  # that its Programs name
        self.running = False  # whether a Communicator sends without waiting
        self._clients: dict[str, Any] = {}
        self._tables: dict[tuple[str, str], int] = {}
        self._waiting: dict[str, list[tuple]] = {}
        atexit.register(leave, weakref.WeakMethod(self.close))

    def client(self, endpoint: str) -> Any:
        """The connection to a server; made when first needed."""
        if endpoint not in self._clients:
            made = self._clients[endpoint] = connected([endpoint], self.number)
            for number, spec in made.tables.items():
                for name in spec.name.split(_ARROW):
                    self._tables[endpoint, name] = number
        return self._clients[endpoint]

    def _table(self, endpoint: str, name: str) -> int:
        self.client(endpoint)
        found = self._tables.get((endpoint, name))
        if found is None:
            raise NotFoundError(
                f"server {endpoint} has no variable {name!r}; it has "
                f"{sorted(n for e, n in self._tables if e == endpoint)}."
            )
        return found

    def _advance(self, endpoint: str) -> None:
        """Counts a step where a schedule of a server follows them."""
        client = self.client(endpoint)
        if client.scheduled:
            client.advance()

    # -- what operators call ---------------------------------------------------------------------

    def sender(self, op: Operator) -> Callable:
        """What a ``send`` calls with gradients."""
        given = [n for n in op.inputs["X"] if "__control_" not in n]
        cut = [str(n) for n in op.attrs.get("send_varnames") or []]  # while it is sent
        sections = [int(n) for n in op.attrs.get("sections") or []]
        names = [_OWN.sub("", n, count=1) for n in cut or given]
        places = _places(op, names)
        barriers = any(o.type == "send_barrier" for o in op.block.ops)
        later = op.block.ops[op.block.ops.index(op) + 1 :]
        after = {str(e) for o in later if o.type == "send" for e in o.attrs.get("epmap") or []}
        last = sorted(set(places) - after)  # servers that get nothing more in this step

        def send(values: tuple) -> None:
            parts = _sections(values[0], sections) if cut else values
            for name, endpoint, value in zip(names, places, parts, strict=True):
                request = self._request(endpoint, name, value)
                if barriers:
                    self._waiting.setdefault(endpoint, []).append(request)
                else:
                    self.client(endpoint).push_many([request], wait=not self.running)
            for endpoint in () if barriers else last:
                self._advance(endpoint)

        return send

    def _request(self, endpoint: str, name: str, value: Any) -> tuple[int, Any, Any]:
        """What is pushed for a gradient: rows by number, or all that a server has of it."""
        table = self._table(endpoint, name)
        if self.client(endpoint).tables[table].is_sparse:
            return (table, *numbered(value))
        return table, None, (value.to_dense() if value.is_sparse else value).reshape(-1).numpy()

    def stepper(self, op: Operator) -> Callable:
        """What a ``send_barrier`` calls: servers update when all trainers are here."""
        endpoints = [str(e) for e in op.attrs["endpoints"]]
        together = not op.attrs.get("half_async", False)

        def step() -> None:
            for endpoint in endpoints:
                waiting = self._waiting.pop(endpoint, [])
                if waiting:
                    self.client(endpoint).push_many(waiting)
            for endpoint in endpoints:
                client = self.client(endpoint)
                if together and client.mode == "sync":
                    client.barrier("step")
                self._advance(endpoint)

        return step

    def fetcher(self, op: Operator) -> Callable:
        """What a ``fetch_barrier`` calls: all was received, but a server may have nothing to send.

        It too is to know that this trainer is there, to end when it leaves.
        """
        endpoints = [str(e) for e in op.attrs.get("endpoints") or []]

        def meet() -> None:
            for endpoint in endpoints:
                self.client(endpoint)

        return meet

    def receiver(self, op: Operator) -> Callable:
        """What a ``recv`` calls: the values that servers have now."""
        outs = [str(n) for n in op.outputs["Out"]]
        joined = [str(n) for n in op.attrs.get("recv_varnames") or []]  # while it is received
        names = joined or outs
        places = _places(op, names)
        shapes = [_shape(op, n) for n in outs]

        def receive(values: tuple, held: tuple) -> list[torch.Tensor]:
            found = [torch.from_numpy(self.pull(e, n)) for n, e in zip(names, places, strict=True)]
            if joined:
                found = [torch.cat([one.reshape(-1) for one in found])]
            return [one.reshape(shape) for one, shape in zip(found, shapes, strict=True)]

        return receive

    def pull(self, endpoint: str, name: str) -> np.ndarray:
        """All that a server has of a parameter.

        Args:
            endpoint (str): the server.
            name (str): the parameter, or the block of it that is there.
        """
        client, table = self.client(endpoint), self._table(endpoint, name)
        if not client.tables[table].is_sparse:
            return client.pull_dense(table)
        told = client.stat()[0]["tables"][str(table)]
        return client.pull_sparse(table, np.arange(int(told["rows"])))

    def finder(self, op: Operator) -> Callable:
        """What a look-up calls with ids: each server has the rows of one section of the table."""
        names = [str(n) for n in op.attrs.get("table_names") or [] if n]
        heights = [int(n) for n in op.attrs.get("height_sections") or []]
        endpoints = [str(e) for e in op.attrs.get("endpoints") or []]
        if not names or not len(names) == len(heights) == len(endpoints):
            raise UnimplementedError(
                f"operator {op.type} of a transpiled Program: expected a server and a height for "
                f"each of table_names, but received {names}, {endpoints} and {heights}.",
                hint="transpile the Program anew by fluid.DistributeTranspiler",
            )
        ends = np.cumsum(heights)
        (table,) = op.inputs["W"]
        width = _shape(op, table)[-1]
        padding = int(op.attrs.get("padding_idx", -1))
        old = op.attrs.get("lookup_table_version", "lookup_table") == "lookup_table"

        def look_up(ids: np.ndarray) -> np.ndarray:
            if len(wrong := ids[(ids < 0) | (ids >= ends[-1])]):
                raise OutOfRangeError(
                    f"{op.type}: expected ids from 0 to {ends[-1] - 1}, the rows of {table!r}, but "
                    f"received {wrong[0]}."
                )
            owners, found = np.searchsorted(ends, ids, side="right"), None
            for number, (name, endpoint) in enumerate(zip(names, endpoints, strict=True)):
                here = owners == number
                if here.any():
                    start = ends[number] - heights[number]
                    at = self._table(endpoint, name)
                    rows = self._rows(endpoint, at, ids[here] - start, width)
                    found = np.empty((len(ids), width), rows.dtype) if found is None else found
                    found[here] = rows
            return np.empty((0, width), np.float32) if found is None else found

        return lambda ids: rows_of(ids, look_up, width, padding, old)

    def _rows(self, endpoint: str, table: int, ids: np.ndarray, width: int) -> np.ndarray:
        client = self.client(endpoint)
        if client.tables[table].is_sparse:
            return client.pull_sparse(table, ids)
        # 1.8.5 does not say of a table with a penalty that it is one.
        return client.pull_dense(table).reshape(-1, width)[ids]

    def saver(self, op: Operator) -> Callable:
        """What a ``checkpoint_notify`` calls: each server saves what it has."""
        attrs = op.attrs
        endpoints = list(attrs.get("epmap") or attrs.get("endpoints") or [])
        folder = str(attrs.get("dir") or attrs.get("dirname") or "")

        def save() -> None:
            for i, endpoint in enumerate(endpoints):
                self.client(endpoint).save(os.path.join(folder, f"server-{i}"))

        return save

    def flush(self) -> None:
        """Returns when the servers have all that was sent."""
        for client in self._clients.values():
            client.flush()

    def close(self) -> None:
        """Leaves all servers, which end when all trainers have."""
        clients, self._clients = list(self._clients.values()), {}
        self._tables.clear()
        with contextlib.ExitStack() as ending:  # one that fails does not keep the others
            for client in reversed(clients):
                ending.callback(client.stop)


def _shape(op: Operator, name: str) -> tuple[int, ...]:
    return tuple(op.block._var_recursive(name).shape)


def _sections(value: Any, heights: list[int]) -> Any:
    """Parts of a gradient of so many rows each."""
    if isinstance(value, Rows):
        return split_selected_rows(value, height_sections=heights)
    return value.split(heights)


def _places(op: Operator, names: list[str]) -> list[str]:
    places = [str(e) for e in op.attrs.get("epmap") or []]
    if len(places) != len(names):
        raise InvalidArgumentError(
            f"operator {op.type}: expected a server for each of {names}, but epmap is {places}."
        )
    return places


def trainer_of(program: Program) -> NamedTrainer:
    """Returns the trainer that a transpiled Program is for; its main and startup Program share one.

    Args:
        program (Program): one with operators that send or receive.
    """
    servers: set[str] = set()
    number = 0
    for op in program.global_block().ops:
        if op.type in _TALKING:
            servers.update(op.attrs.get("epmap") or [], op.attrs.get("endpoints") or [])
            number = int(op.attrs.get("trainer_id", 0))
    # A startup Program may name more servers than its main one; a server has one connection.
    for known in _trainers:
        if known.number == number and known.servers & servers:
            known.servers |= servers
            return known
    _trainers.append(NamedTrainer(number))
    _trainers[-1].servers |= servers
    return _trainers[-1]


def close_all() -> None:
    """Ends all trainers of this process (``Executor.close``)."""
    with contextlib.ExitStack() as ending:
        for trainer in reversed(_trainers):
            ending.callback(trainer.close)
