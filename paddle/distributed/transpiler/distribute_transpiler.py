"""DistributeTranspiler of 1.x: writes the Programs of trainers and of parameter servers.

They have the operators, blocks and sizes that 1.8.5 gives them;
:mod:`paddle.distributed.ps.transpiled` runs them.
"""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

import numpy as np

from paddle.distributed.ps.plan import remote_tables
from paddle.distributed.ps.rewriting import look_up_remotely
from paddle.distributed.transpiler import modes
from paddle.distributed.transpiler.config import DistributeTranspilerConfig
from paddle.distributed.transpiler.gradients import (
    keep_clips,
    sent_gradient,
    stays_rows,
)
from paddle.distributed.transpiler.ps_dispatcher import PSDispatcher, RoundRobin
from paddle.ir.block import Block
from paddle.ir.cloning import clone
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable

__all__ = ["DistributeTranspiler", "slice_variable"]

_OLD_ACCUMULATORS = ("Moment", "Velocity", "InfNorm", "Squared", "Linear", "Mean", "AvgSquared")
_ASYNC = 1


class _Part(NamedTuple):
    """A block of a variable."""

    whole: str
    name: str  # on the servers
    shape: list[int]
    at: int
    of: int


def slice_variable(var_list: list[Variable], slice_count: int, min_block_size: int) -> list[str]:
    """Cuts variables into blocks of about equal size, whole rows each.

    Args:
        var_list (list[Variable]): the variables.
        slice_count (int): the most blocks of one variable.
        min_block_size (int): the smallest number of elements of a block.

    Returns:
        list[str]: ``name:number:elements`` of each block.
    """
    found = []
    for var in var_list:
        for number, size in enumerate(_sizes(var, slice_count, min_block_size)):
            found.append(f"{var.name}:{number}:{size}")
    return found


def _sizes(var: Variable, slice_count: int, min_block_size: int) -> list[int]:
    numel = math.prod(var.shape)
    count = min(slice_count, max(numel // min_block_size, 1))
    size = math.ceil(numel / count)
    if len(var.shape) >= 2:
        row = math.prod(var.shape[1:])
        if size % row:
            size += row - size % row
    return [min(size, numel - i * size) for i in range(math.ceil(numel / size))]


class DistributeTranspiler:
    """Turns a Program for one process into those of trainers and of parameter servers.

    Args:
        config (DistributeTranspilerConfig, optional): how.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                loss = paddle.mean(paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 2))
                fluid.optimizer.SGD(0.1).minimize(loss)
            cut = fluid.DistributeTranspiler()
            cut.transpile(0, program=main, pservers="127.0.0.1:6174", trainers=2,
                          startup_program=startup)
            server = cut.get_pserver_program("127.0.0.1:6174")
            print([op.type for op in server.block(1).ops])  # ['sum', 'scale', 'sgd']
    """

    def __init__(self, config: Any = None) -> None:
        self.config = DistributeTranspilerConfig() if config is None else config
        if not isinstance(self.config, DistributeTranspilerConfig):
            raise TypeError(
                "DistributeTranspiler(config): expected a DistributeTranspilerConfig, "
                f"but received {type(config).__name__}."
            )
        method = self.config.split_method or RoundRobin
        if not isinstance(method, type) or not issubclass(method, PSDispatcher):
            raise TypeError(
                f"DistributeTranspilerConfig.split_method: expected a class of servers' "
                f"dispatchers such as RoundRobin, but received {method!r}."
            )
        self.config.split_method = method

    # -- cutting --------------------------------------------------------------------------------

    def transpile(
        self,
        trainer_id: int,
        program: Any = None,
        pservers: str = "127.0.0.1:6174",
        trainers: Any = 1,
        sync_mode: bool = True,
        startup_program: Any = None,
        current_endpoint: str = "127.0.0.1:6174",
    ) -> None:
        """Cuts a Program; the getters return what came of it.

        Args:
            trainer_id (int): number of this trainer.
            program (Program, optional): None means the default main one; changed for the trainer.
            pservers (str): addresses of the servers, with commas between.
            trainers (int|str): how many trainers; in modes without servers the addresses of all,
                with commas between. Default: 1.
            sync_mode (bool): servers wait for all trainers. Default: True.
            startup_program (Program, optional): None means the default one; changed too.
            current_endpoint (str): this process, in modes without servers.

        Raises:
            ValueError: an unknown mode, or addresses that do not fit.
        """
        self.origin_program = default_main_program() if program is None else program
        self.startup_program = (
            default_startup_program() if startup_program is None else startup_program
        )
        self.origin_startup_program = clone(self.startup_program)
        if self.config.mode != "pserver":
            modes.transpile(
                self.config, trainer_id, self.origin_program, self.startup_program, trainers,
                current_endpoint,
            )  # fmt: skip
            return
        if self.config.geo_sgd_mode:
            raise NotImplementedError(
                "DistributeTranspiler: geo_sgd_mode is not available; use paddle.distributed.fleet."
            )
        if self.config.enable_dc_asgd:
            raise NotImplementedError(
                "DistributeTranspiler: enable_dc_asgd is not available: servers update by the "
                "gradients as they come; leave it False."
            )
        self.original_main_program = clone(self.origin_program)
        self.trainer_id, self.trainer_num = trainer_id, int(trainers)
        self.sync_mode = bool(sync_mode) and self.config.sync_mode
        self._while_running = self.config.runtime_split_send_recv  # sending cuts, receiving joins
        self.pserver_endpoints = [ep for ep in pservers.split(",") if ep]
        block = self.origin_program.global_block()
        self.lr_ops = [op for op in block.ops if op.role & Role.LR_SCHED]
        self.optimize_ops = keep_clips(block)
        self.params_grads = [
            (block.var(op.input("Param")[0]), block.var(sent_gradient(self.optimize_ops, op)))
            for op in self.optimize_ops
            if "Param" in op.inputs
        ]
        self._raw = {p.name: g.name for p, g in self.params_grads}
        kept = {id(op) for op in self.optimize_ops}
        rest = [op for op in block.ops if id(op) not in kept]
        self._tables = {n for n in remote_tables(block) if n in self._raw and stays_rows(rest, n)}
        self._deal(block)
        self._write_trainer(block)

    def _deal(self, block: Block) -> None:
        """Cuts gradients and parameters, and gives each block to a server."""
        count = len(self.pserver_endpoints) if self.config.slice_var_up else 1
        least = self.config.min_block_size
        self._grads = {g.name: _parts(g, _sizes(g, count, least)) for _, g in self.params_grads}
        self._params = {p.name: _parts(p, _sizes(p, count, least)) for p, _ in self.params_grads}
        dispatcher = self.config.split_method(self.pserver_endpoints)
        self._order = [g.name for _, g in self.params_grads]
        dealt = list(self._order)
        if not self.config.slice_var_up:
            np.random.RandomState(self.origin_program.random_seed).shuffle(dealt)
        self._dealt = dealt
        self._servers: dict[str, list[str]] = {}
        for name in dealt:
            named = [_Named(part.name) for part in self._grads[name]]
            self._servers[name] = dispatcher.dispatch(named)

    def _suffixed(self, name: str, trainer: int) -> str:
        several = self.sync_mode and self.trainer_num > 1
        return f"{name}.trainer_{trainer}" if several else name

    # -- the trainer ----------------------------------------------------------------------------

    def _write_trainer(self, block: Block) -> None:
        controls: dict[str, str] = {}
        block.program._raw_mode = None
        look_up_remotely(block, {n: self._remote(block, n) for n in sorted(self._tables)})
        for name in self._dealt:
            controls[name] = self._send(block, name)
        barrier = None
        role = {"op_role": int(Role.RPC)}
        if self.sync_mode:
            barrier = _control(block)
            _append(block, "send_barrier", {"X": list(controls.values())},
                    {"Out": [barrier]}, {"endpoints": self.pserver_endpoints,
                    "trainer_id": self.trainer_id, "half_async": False, **role})  # fmt: skip
        received = self._receive(block, controls, barrier)
        if self.sync_mode:
            attrs = {"endpoints": self.pserver_endpoints, "trainer_id": self.trainer_id, **role}
            _append(block, "fetch_barrier", {"X": [barrier]}, {"Out": received}, attrs)
        if not self._while_running:
            self._join(block)

    def _remote(self, block: Block, table: str) -> dict[str, Any]:
        """Where the rows of a table are looked up."""
        grad, names = self._raw[table], self._made(block, table)
        return {"table_names": names, "endpoints": self._servers[grad],
                "height_sections": [part.shape[0] for part in self._params[table]],
                "trainer_id": self.trainer_id}  # fmt: skip

    def _send(self, block: Block, name: str) -> str:
        parts = self._grads[name]
        sent = [self._suffixed(part.name, self.trainer_id) for part in parts]
        grad = block.var(name)
        at = max(i for i, op in enumerate(block.ops) if name in op.output_arg_names) + 1
        told: dict[str, list] = {"send_varnames": [], "sections": []}
        sections = [part.shape[0] for part in parts]
        if self._while_running:
            sent, told = [name], {"send_varnames": sent, "sections": sections}
        elif len(parts) == 1:
            _rename(block, name, sent[0], self.optimize_ops)
        else:
            for part, alias in zip(parts, sent, strict=True):
                block.create_var(name=alias, shape=part.shape, dtype=grad.dtype)
            rows = name in {self._raw[table] for table in self._tables}
            kind, attr = ("selected_rows", "height_sections") if rows else ("byref", "sections")
            _insert(block, at, f"split_{kind}", {"X": [name]}, {"Out": sent},
                    {attr: sections, "op_role": int(Role.DIST)})  # fmt: skip
            at += 1
        control = _control(block)
        _insert(block, at, "send", {"X": sent}, {"Out": [control]},
                {"epmap": self._servers[name], **told, "trainer_id": self.trainer_id,
                 "use_send_handler": True, "op_role": int(Role.RPC)})  # fmt: skip
        return control

    def _receive(self, block: Block, controls: dict, barrier: str | None) -> list[str]:
        every = []
        for param, grad in self._raw.items():
            if param in self._tables:
                continue
            names, attrs = self._made(block, param), self._recv_attrs(grad)
            waits = controls[grad] if barrier is None else barrier
            if self._while_running:
                attrs["recv_varnames"], names = names, [param]
            _append(block, "recv", {"X": [waits]}, {"Out": names}, attrs)
            every += names
        return every

    def _recv_attrs(self, grad: str) -> dict[str, Any]:
        return {"epmap": self._servers[grad], "trainer_id": self.trainer_id, "recv_varnames": [],
                "varnames": [], "with_barrier": True, "do_not_run": 0,
                "op_role": int(Role.RPC)}  # fmt: skip

    def _made(self, block: Block, param: str) -> list[str]:
        """The variables of a parameter's blocks, made where they are not there yet."""
        parts = self._params[param]
        for part in parts if len(parts) > 1 else []:
            if not block.has_var(part.name):
                dtype = self.origin_program.global_block().var(param).dtype
                block.create_var(name=part.name, shape=part.shape, dtype=dtype)
        return [part.name for part in parts]

    def _join(self, block: Block) -> None:
        for param, parts in self._params.items():
            if len(parts) > 1 and param not in self._tables:
                _append(block, "concat", {"X": [p.name for p in parts]}, {"Out": [param]},
                        {"axis": 0, "op_role": int(Role.DIST)})  # fmt: skip

    def get_trainer_program(self, wait_port: bool = True) -> Program:
        """Returns the Program of this trainer; the startup Program gets what it needs.

        Args:
            wait_port (bool): no effect: the first run waits until the servers answer.
        """
        block = self.origin_program.global_block()
        gone = [*self.optimize_ops, *self.lr_ops]
        numbers = {id(op) for op in gone}
        block.ops = [op for op in block.ops if id(op) not in numbers]
        used = {n for b in self.origin_program.blocks for op in b.ops
                for n in (*op.input_arg_names, *op.output_arg_names)}  # fmt: skip
        for name in {n for op in gone for n in op.input_arg_names} - used - set(self._raw):
            block.vars.pop(name, None)  # what only servers have
        self._write_trainer_startup()
        self.origin_program.note_change()
        return self.origin_program

    def _write_trainer_startup(self) -> None:
        params = set(self._raw)
        kept = {n for op in self.optimize_ops for n in op.input_arg_names} - params
        block = self.startup_program.global_block()
        gone = kept | self._tables
        block.ops = [op for op in block.ops if not set(op.output_arg_names) <= gone]
        block.vars = {n: v for n, v in block.vars.items() if n not in kept}
        for param, grad in self._raw.items():
            if param in self._tables:
                continue
            names = self._made(block, param)
            _append(block, "recv", {}, {"Out": names}, self._recv_attrs(grad))
        attrs = {"endpoints": self.pserver_endpoints, "trainer_id": self.trainer_id,
                 "op_role": int(Role.RPC)}  # fmt: skip
        _append(block, "fetch_barrier", {}, {"Out": [_control(block)]}, attrs)
        self._join(block)
        for table in (name for name in self._params if name in self._tables):
            shape = [int(n) for n in block.var(table).shape]
            _append(block, "fake_init", {}, {"Out": [table]}, {"shape": shape})
        self.startup_program.note_change()

    # -- servers --------------------------------------------------------------------------------

    def _here(self, endpoint: str) -> list[tuple[str, _Part, _Part]]:
        """The blocks of a server: parameter, its block, and that of the gradient."""
        if endpoint not in self.pserver_endpoints:
            raise ValueError(
                f"DistributeTranspiler: {endpoint!r} is none of the servers "
                f"{self.pserver_endpoints}."
            )
        return [
            (param, one, other)
            for param, grad in self._raw.items()
            for one, other, at in zip(
                self._params[param], self._grads[grad], self._servers[grad], strict=True
            )
            if at == endpoint
        ]

    def get_pserver_program(self, endpoint: str) -> Program:
        """Returns the Program of a server: it listens, and updates its blocks.

        Args:
            endpoint (str): the server's address.
        """
        origin = self.original_main_program.global_block()
        program = Program()
        program.random_seed = self.origin_program.random_seed
        top = program.global_block()
        here = self._here(endpoint)
        received = []
        first = {name: i for i, name in enumerate(self._dealt)}
        for param, part, grad in sorted(here, key=lambda one: first[one[2].whole]):
            dtype = origin.var(param).dtype
            _var(top, part.name, part.shape, dtype, True)
            _var(top, grad.name, grad.shape, dtype, True)
            for trainer in range(self.trainer_num if self.sync_mode else 1):
                name = self._suffixed(grad.name, trainer)
                if name != grad.name:
                    _var(top, name, grad.shape, dtype, False)
                received.append(name)
        decay = self._decay_block(program, origin) if self.lr_ops else None
        blocks, places = [], []
        for param, part, grad in here:
            inner = program._create_block(0 if decay is None else decay.idx)
            self._update(inner, origin, param, part, grad)
            program._rollback()
            blocks.append(inner)
            places.append(f"{grad.name}:{inner.idx}")
        attrs = {
            "optimize_blocks": blocks, "endpoint": endpoint,
            "pserver_id": self.pserver_endpoints.index(endpoint), "Fanin": self.trainer_num,
            "distributed_mode": 0 if self.config.sync_mode else _ASYNC, "grad_to_block_id": places,
            "sparse_grad_to_param": [f"{grad.name}:{part.name}" for param, part, grad in here
                                     if param in self._tables],
            "lr_decay_block_id": -1 if decay is None else decay.idx,
            "prefetch_var_name_to_block_id": [], "checkpint_block_id": -1,
            "dc_asgd": False, "rpc_get_thread_num": 12,
            "rpc_send_thread_num": 12, "rpc_prefetch_thread_num": 12, "op_role": int(Role.RPC),
        }  # fmt: skip
        if not self.sync_mode:  # 1.8.5 looks at the config alone
            attrs["_async"] = True
        _append(top, "listen_and_serv", {"X": received}, {}, attrs)
        return program

    def _decay_block(self, program: Program, origin: Block) -> Block:
        """The block that computes the learning rate."""
        made = program._create_block(0)
        for op in self.lr_ops:
            self._copy(made, origin, op, {})
        program._rollback()
        return made

    def _update(self, block: Block, origin: Block, param: str, part: _Part, grad: _Part) -> None:
        """What a server does when the gradients of one block are there."""
        role = {"op_role": int(Role.OPTIMIZE)}
        if self.sync_mode and self.trainer_num > 1:
            given = [self._suffixed(grad.name, i) for i in range(self.trainer_num)]
            _append(block, "sum", {"X": given}, {"Out": [grad.name]}, role)
            _append(block, "scale", {"X": [grad.name]}, {"Out": [grad.name]},
                    {"scale": 1.0 / self.trainer_num, "bias": 0.0, "bias_after_scale": True,
                     **role})  # fmt: skip
        names = {param: part, self._raw[param]: grad}
        for op in self.optimize_ops:
            told = op.attrs.get("op_role_var") or [None]
            if told[0] == param or op.inputs.get("Param") == [param]:
                self._copy(block, origin, op, names)

    def _copy(self, block: Block, origin: Block, op: Operator, names: dict[str, _Part]) -> None:
        """Copies an operator, with the names and sizes that variables have on the server."""
        top = block.program.global_block()
        whole = next((origin.var(n) for n in names if origin.has_var(n)), None)
        part = next(iter(names.values()), None)

        def renamed(name: str) -> str:
            name = self._original(name)
            if name in names:
                return names[name].name
            found = origin._find_var_recursive(name)
            if not top.has_var(name) and not block.has_var(name) and found is not None:
                shape = list(found.shape)
                if part is not None and whole is not None and found.shape == whole.shape:
                    shape = part.shape
                _var(top, name, shape, found.dtype, True)
            return name

        inputs = {s: [renamed(n) for n in ns] for s, ns in op.inputs.items() if ns}
        outputs = {s: [renamed(n) for n in ns] for s, ns in op.outputs.items() if ns}
        attrs = {k: v for k, v in op.attrs.items() if k not in ("op_role_var",)}
        _append(block, op.type, inputs, outputs, attrs)

    def _original(self, name: str) -> str:
        """The name that a gradient had before this trainer's number was put behind it."""
        suffix = f".trainer_{self.trainer_id}"
        return name.removesuffix(suffix)

    def get_pserver_programs(self, endpoint: str) -> tuple[Program, Program]:
        """Returns the main and the startup Program of a server.

        Args:
            endpoint (str): the server's address.
        """
        main = self.get_pserver_program(endpoint)
        return main, self.get_startup_program(endpoint, pserver_program=main)

    def get_startup_program(
        self, endpoint: str, pserver_program: Any = None, startup_program: Any = None
    ) -> Program:
        """Returns the startup Program of a server.

        Args:
            endpoint (str): the server's address.
            pserver_program (Program, optional): its main Program.
            startup_program (Program, optional): not used, as in 1.8.5.
        """
        main = pserver_program or self.get_pserver_program(endpoint)
        made = Program()
        made.random_seed = self.origin_startup_program.random_seed
        block = made.global_block()
        for var in main.global_block().vars.values():
            _var(block, var.name, list(var.shape), var.dtype, True)
        parts = {part.whole: part for _, part, _ in self._here(endpoint)}
        for op in self.origin_startup_program.global_block().ops:
            outputs = {
                slot: [parts[n].name if n in parts else n for n in names]
                for slot, names in op.outputs.items()
            }
            written = [n for names in outputs.values() for n in names]
            if not all(block.has_var(n) for n in written):
                continue
            attrs = dict(op.attrs)
            if "shape" in attrs and op.type not in ("assign_value",):
                attrs["shape"] = list(block.var(written[0]).shape)
            _append(block, op.type, dict(op.inputs), outputs, attrs)
        return made


class _Named(NamedTuple):
    """What a dispatcher asks of a variable."""

    name: str


def _parts(var: Variable, sizes: list[int]) -> list[_Part]:
    if len(sizes) == 1:
        return [_Part(var.name, var.name, list(var.shape), 0, 1)]
    row = math.prod(var.shape[1:])
    return [
        _Part(var.name, f"{var.name}.block{i}", [size // row, *var.shape[1:]], i, len(sizes))
        for i, size in enumerate(sizes)
    ]


def _var(block: Block, name: str, shape: list[int], dtype: Any, persistable: bool) -> None:
    if not block.has_var(name):
        block.create_var(
            name=name, shape=shape, dtype=dtype, persistable=persistable, stop_gradient=True
        )


def _control(block: Block) -> str:
    """A variable by which one operator waits for another."""
    return block.create_var(name=f"__control_var@{random.random()}").name


def _rename(block: Block, old: str, new: str, others: list[Operator]) -> None:
    """Gives a variable another name, in the operators too that are taken out later."""
    if old == new:
        return
    var = block.vars.pop(old)
    var._name = new
    block.vars[new] = var
    for op in {id(op): op for op in (*block.ops, *others)}.values():
        for slots in (op.inputs, op.outputs):
            for slot, names in slots.items():
                slots[slot] = [new if n == old else n for n in names]


def _append(block: Block, type: str, inputs: dict, outputs: dict, attrs: dict) -> None:
    _insert(block, len(block.ops), type, inputs, outputs, attrs)


def _insert(block: Block, at: int, type: str, inputs: dict, outputs: dict, attrs: dict) -> None:
    """Adds an operator as it is: those that communicate have no form here."""
    block.ops.insert(at, Operator(block, type, inputs, outputs, attrs))
    block.note_change()
