"""Programs of 1.x that train by collective operators: gradients summed, or parameters averaged."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.transpiler.inserting import (
    append,
    insert,
    insert_allreduce,
    insert_broadcast,
    insert_comm_init,
    is_update,
)
from paddle.ir.cloning import clone
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.operator import Role
from paddle.ir.program import Program

__all__ = ["GradAllReduce", "LocalSGD", "MultiThread", "SingleProcessMultiThread"]


class Collective:
    """Base of the ways.

    Args:
        nrings (int): over how many rings exchanges are spread.
    """

    mode = ""

    def __init__(self, nrings: int) -> None:
        if isinstance(nrings, bool) or not isinstance(nrings, int) or nrings < 1:
            raise InvalidArgumentError(
                f"{type(self).__name__}(nrings): expected an int >= 1, but received {nrings!r}."
            )
        self.nrings = nrings
        self.nranks = 0
        self.rank = -1
        self.endpoints: list[str] = []
        self.current_endpoint = ""
        self.wait_port = False
        self.startup_program: Any = None
        self.main_program: Any = None

    def transpile(
        self, startup_program: Any, main_program: Any, rank: int, endpoints: Any,
        current_endpoint: str, wait_port: bool,
    ) -> None:  # fmt: skip
        """Adds collective operators to Programs.

        Args:
            startup_program (Program): gets what connects the processes and hands out the values
                of rank 0; None means the default one.
            main_program (Program): with updates; None means the default one.
            rank (int): number of this process.
            endpoints (list[str]|str): addresses of all, a list or with commas between.
            current_endpoint (str): address of this one.
            wait_port (bool): kept; processes wait for each other when they connect.

        Raises:
            ValueError: fewer than two processes, or this one is not among them.
        """
        listed = endpoints.split(",") if isinstance(endpoints, str) else list(endpoints or ())
        startup = default_startup_program() if startup_program is None else startup_program
        main = default_main_program() if main_program is None else main_program
        for name, given in (("startup_program", startup), ("main_program", main)):
            if not isinstance(given, Program):
                raise TypeError(
                    f"{type(self).__name__}.transpile({name}): expected a Program, but received "
                    f"{type(given).__name__}."
                )
        self._check(rank, listed, current_endpoint)
        self.startup_program, self.main_program = startup, main
        self.rank, self.nranks, self.endpoints = rank, len(listed), listed
        self.current_endpoint, self.wait_port = current_endpoint, wait_port
        for program in (startup, main):
            program.__dict__["_origin_program"] = clone(program)
        self._transpile_startup_program()
        self._transpile_main_program()

    def _check(self, rank: int, endpoints: list[str], current_endpoint: str) -> None:
        name = f"{type(self).__name__}.transpile"
        if len(endpoints) < 2:
            raise InvalidArgumentError(
                f"{name}(endpoints): expected at least 2 addresses, but received {endpoints}."
            )
        if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank < len(endpoints):
            raise InvalidArgumentError(
                f"{name}(rank): expected 0 to {len(endpoints) - 1}, but received {rank!r}."
            )
        if current_endpoint != endpoints[rank]:
            raise InvalidArgumentError(
                f"{name}(current_endpoint): expected that of rank {rank}, {endpoints[rank]!r}, "
                f"but received {current_endpoint!r}."
            )

    @property
    def _rings(self) -> list[int]:
        return list(range(self.nrings))

    def _transpile_startup_program(self) -> None:
        for ring in self._rings:
            insert_comm_init(
                self.startup_program, ring, self.rank, self.endpoints, self.current_endpoint
            )
        insert_broadcast(self.startup_program, self._params(), self._rings)

    def _params(self) -> list[str]:
        """The parameters that a startup Program makes."""
        known = self.main_program.global_block().vars
        block = self.startup_program.global_block()
        return [n for n, var in block.vars.items()
                if var.is_parameter or (n in known and known[n].is_parameter)]  # fmt: skip

    def _transpile_main_program(self) -> None:
        raise NotImplementedError("use GradAllReduce or LocalSGD.")


class GradAllReduce(Collective):
    """Gradients averaged over all processes, so that they train as one with the joined batch.

    Args:
        nrings (int): over how many rings exchanges are spread. Default: 2.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                x = paddle.static.data("x", [None, 4])
                loss = paddle.mean(paddle.static.nn.fc(x, 2))
                fluid.optimizer.SGD(0.1).minimize(loss)
            way = fluid.transpiler.collective.GradAllReduce(nrings=1)
            way.transpile(startup, main, 0, "127.0.0.1:6170,127.0.0.1:6171",
                          "127.0.0.1:6170", False)
            print([op.type for op in main.global_block().ops].count("c_allreduce_sum"))  # 2
    """

    mode = "grad_allreduce"

    def __init__(self, nrings: int = 2) -> None:
        super().__init__(nrings)

    def _transpile_main_program(self) -> None:
        insert_allreduce(self.main_program, self._rings, nranks=self.nranks)


class LocalSGD(Collective):
    """Parameters averaged over all processes after each step.

    Args:
        nrings (int): over how many rings exchanges are spread. Default: 2.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.transpiler.collective.LocalSGD().snapshot_name("w"))  # w@SNAPSHOT
    """

    mode = "local_sgd"

    def __init__(self, nrings: int = 2) -> None:
        super().__init__(nrings)
        self.snapshot_key = "@SNAPSHOT"

    def snapshot_name(self, param_name: str) -> str:
        """The name under which the last average of a parameter is kept.

        Args:
            param_name (str): the parameter.
        """
        return param_name + self.snapshot_key

    def _transpile_startup_program(self) -> None:
        super()._transpile_startup_program()
        block = self.startup_program.global_block()
        for name in self._params():
            var = block.vars[name]
            if getattr(var, "is_distributed", False):
                continue
            kept = self._snapshot(block, var)
            append(block, "assign", {"X": [name]}, {"Out": [kept]}, {}, Role.FORWARD)

    def _snapshot(self, block: Any, var: Any) -> str:
        made = block.create_var(
            name=self.snapshot_name(var.name), shape=list(var.shape), dtype=var.dtype,
            persistable=True, stop_gradient=True,
        )  # fmt: skip
        return made.name

    def _transpile_main_program(self) -> None:
        """What a parameter has moved since the last average is exchanged, not the parameter."""
        block, rings = self.main_program.global_block(), self._rings
        updates = [(i, op) for i, op in enumerate(block.ops) if is_update(op)]
        pairs = []
        for turn, (at, op) in enumerate(reversed(updates)):
            name = op.inputs["Param"][0]
            if getattr(block.vars[name], "is_distributed", False):
                continue
            kept = self._snapshot(block, block.vars[name])
            role, here = Role.OPTIMIZE, {"Out": [name]}
            moved = {"X": [kept], "Y": [name]}
            insert(block, at + 1, "elementwise_sub", moved, here, {}, role)
            insert(block, at + 2, "c_sync_calc_stream", {"X": [name]}, here, {}, role)
            insert(block, at + 3, "c_allreduce_sum", {"X": [name]}, here,
                   {"ring_id": rings[turn % len(rings)]}, role)  # fmt: skip
            pairs.append((name, kept))
        if pairs:
            self._average(block, pairs)

    def _average(self, block: Any, pairs: list[tuple[str, str]]) -> None:
        role, last = Role.OPTIMIZE, pairs[-1][0]
        for ring in self._rings:
            append(block, "c_sync_comm_stream", {"X": [last]}, {"Out": [last]},
                   {"ring_id": ring}, role)  # fmt: skip
        for name, kept in reversed(pairs):
            here = {"Out": [name]}
            append(block, "scale", {"X": [name]}, here, {"scale": 1.0 / self.nranks}, role)
            append(block, "elementwise_sub", {"X": [kept], "Y": [name]}, here, {}, role)
            append(block, "assign", {"X": [name]}, {"Out": [kept]}, {}, role)


class SingleProcessMultiThread(GradAllReduce):
    """The places of one process: gradients are summed where their Program runs.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.transpiler.collective.SingleProcessMultiThread().nrings)  # 1
    """

    mode = "single_process_multi_thread"

    def __init__(self) -> None:
        super().__init__(1)

    def _check(self, rank: int, endpoints: list[str], current_endpoint: str) -> None:
        if not endpoints:
            raise InvalidArgumentError(
                "SingleProcessMultiThread.transpile(endpoints): expected an address."
            )

    def _transpile_startup_program(self) -> None:
        block = self.startup_program.global_block()
        append(block, "c_comm_init_all", {}, {}, {"ring_id": 0}, Role.FORWARD)


class MultiThread(GradAllReduce):
    """Several processes, each with several places, whose gradients are summed.

    Args:
        nrings (int): over how many rings exchanges are spread. Default: 1.
        trans_mode (str): ``"all_reduce"`` exchanges gradients one by one, ``"fuse_all_reduce"``
            in buckets. Default: all_reduce.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.transpiler.collective.MultiThread().trans_mode)  # all_reduce
    """

    mode = "multi_thread"

    def __init__(self, nrings: int = 1, trans_mode: str = "all_reduce") -> None:
        super().__init__(nrings)
        if trans_mode not in ("all_reduce", "fuse_all_reduce"):
            raise InvalidArgumentError(
                "MultiThread(trans_mode): expected 'all_reduce' or 'fuse_all_reduce', but "
                f"received {trans_mode!r}."
            )
        self.trans_mode = trans_mode

    def _transpile_main_program(self) -> None:
        bucket = 1e-6 if self.trans_mode == "all_reduce" else None
        insert_allreduce(self.main_program, self._rings, nranks=self.nranks, bucket_mb=bucket)
