"""Predictions with tables that lie on parameter servers."""

from __future__ import annotations

import importlib
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.distributed.ps.rewriting import look_up_remotely
from paddle.ir.cloning import clone
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.program import Program


class DistributedInfer:
    """Runs a network whose tables are too large for one process, over parameter servers.

    Every process of a job with servers makes one, as it would for training: servers then serve the
    tables of a saved model, and workers get a Program that looks rows up there.

    Args:
        main_program (Program, optional): the network, without updates; None: the default one.
        startup_program (Program, optional): sets first values; None: the default one.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.distributed import fleet
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                ids = paddle.static.data("ids", [None, 1], "int64")
                rows = paddle.static.nn.sparse_embedding(ids, [1000, 8])
                infer = fleet.utils.DistributedInfer()
            paddle.disable_static()
            # In each process of a job with servers:
            #   infer.init_distributed_infer_env(exe, loss, dirname="model")
            #   exe.run(infer.get_dist_infer_program(), feed=..., fetch_list=[rows])
    """

    def __init__(self, main_program: Any = None, startup_program: Any = None) -> None:
        for name, given in (("main_program", main_program), ("startup_program", startup_program)):
            if given is not None and not isinstance(given, Program):
                raise InvalidArgumentError(
                    f"DistributedInfer({name}): expected a Program, but received "
                    f"{type(given).__name__}."
                )
        self.origin_main_program = clone(main_program or default_main_program())
        self.origin_startup_program = startup_program or default_startup_program()

    def init_distributed_infer_env(
        self, exe: Any, loss: Any, role_maker: Any = None, dirname: str | None = None
    ) -> None:
        """Starts this process's part: a server serves here until all workers have stopped.

        Args:
            exe (Executor): runs the startup Program.
            loss (Variable): a result of the network that all tables lead to, of one element.
            role_maker (RoleMakerBase, optional): says the role of this process.
            dirname (str, optional): a folder by ``fleet.save_persistables`` or
                ``fleet.save_inference_model``.
        """
        fleet = importlib.import_module("paddle.distributed.fleet")
        if fleet.fleet._context is None:
            fleet.init(role_maker)
            strategy = fleet.DistributedStrategy()
            strategy.a_sync = True
            plain = importlib.import_module("paddle.optimizer").SGD(0.0)
            fleet.distributed_optimizer(plain, strategy).minimize(loss, self.origin_startup_program)
        if fleet.is_server():
            fleet.init_server(dirname)
            fleet.run_server()
            return
        exe.run(self.origin_startup_program)
        fleet.init_worker()

    def get_dist_infer_program(self) -> Program:
        """Returns the network with look-ups on the servers, for a worker to run."""
        fleet = importlib.import_module("paddle.distributed.fleet")
        job = getattr(fleet.fleet._runtime_handle, "job", None)
        if job is None:
            raise PreconditionNotMetError(
                "DistributedInfer.get_dist_infer_program: this process is no worker of a job with "
                "parameter servers.",
                hint="call init_distributed_infer_env first",
            )
        made = clone(self.origin_main_program)
        block = made.global_block()
        look_up_remotely(block, {one.name: {"table_id": one.table} for one in job.plan.sparse})
        for op in block.ops:
            if op.type == "distributed_lookup_table":
                op.attrs["is_test"] = True
        made.__dict__["_fleet_ps_job"] = fleet.fleet._runtime_handle.number
        made.note_change()
        return made
