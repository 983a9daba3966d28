"""The life of trainers and servers of a job with parameter servers."""

from __future__ import annotations

import importlib
import math
import os
from typing import Any

from paddle.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.distributed.fleet import compiler, ps_saving
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.fleet.meta_optimizers.parameter_server import ParameterServerOptimizer
from paddle.distributed.fleet.runtime import Runtime
from paddle.distributed.ps import jobs
from paddle.distributed.ps.plan import JobPlan, plan_job
from paddle.distributed.ps.rewriting import rewrite_trainer
from paddle.distributed.ps.told import certificates, drop_tables, tables_folder
from paddle.distributed.ps.trainer import TrainerJob
from paddle.executor.scope import global_scope
from paddle.ir.cloning import clone
from paddle.ir.program import Program


def mode_of(strategy: Any) -> str:
    """Returns the mode that a DistributedStrategy asks for: ``sync``, ``async`` or ``geo``."""
    if not strategy.a_sync:
        return "sync"
    return "geo" if strategy.a_sync_configs["k_steps"] > 0 else "async"


class ParameterServerRuntime(Runtime):
    """A process of a job with parameter servers.

    Args:
        role_maker (RoleMakerBase): who it is.
    """

    def __init__(self, role_maker: Any) -> None:
        super().__init__(role_maker)
        self.plan: JobPlan | None = None
        self.job: TrainerJob | None = None
        self.server: Any = None
        self.main: Program | None = None  # as the user wrote it, before gradients were added
        self.startup: Program | None = None
        self.half_async = False
        self.number = 0  # of the job in this process

    # -- the Programs ----------------------------------------------------------------------------

    def minimize(self, context: Context) -> tuple[list, list]:
        """Makes the gradients and updates of a static Program, and rewrites it for this job."""
        compiler.choose(context)  # drops what is for collective jobs, and says so
        context.optimize_ops, context.params_grads = context.user_optimizer.minimize(
            context.loss, context.startup_program, context.parameters, context.no_grad_set
        )
        mode = "half_async" if self.half_async else mode_of(context.strategy)
        configs = dict(context.strategy.a_sync_configs)
        self.distribute(context.main_program, context.startup_program, mode, configs)
        context.applied.append(ParameterServerOptimizer)
        return context.optimize_ops, context.params_grads

    def distribute(
        self, main: Program, startup: Program, mode: str, configs: dict[str, Any]
    ) -> None:
        """Plans the tables of a minimised Program; on a trainer, rewrites it.

        Args:
            main (Program): has gradients and updates.
            startup (Program): sets first values.
            mode (str): ``sync``, ``async``, ``half_async`` or ``geo``.
            configs (dict): ``a_sync_configs``.
        """
        role = self.role_maker
        endpoints = role._get_pserver_endpoints()
        self.main, self.startup = clone(main), clone(startup)
        self.plan = plan_job(
            main, startup, mode, role._worker_num(), len(endpoints),
            int(configs.get("lr_decay_steps", 10)),
        )  # fmt: skip
        if role._is_server():
            return
        self.job = TrainerJob(self.plan, endpoints, role._worker_index(), configs)
        self.number = jobs.add(self.job)
        rewrite_trainer(main, startup, self.plan, self.number)

    def _planned(self) -> JobPlan:
        if self.plan is None:
            raise PreconditionNotMetError(
                "fleet: the tables of the servers are not known yet.",
                hint="call fleet.distributed_optimizer(optimizer, strategy).minimize(loss) first",
            )
        return self.plan

    # -- trainers --------------------------------------------------------------------------------

    def init_worker(self) -> None:
        """Connects this trainer to the servers."""
        job, scope = self._trainer(), global_scope()

        def find(name: str) -> Any:
            found = scope.find_var(name)
            return None if found is None else found.held

        job.connect(find)

    def _trainer(self) -> TrainerJob:
        self._planned()
        if self.job is None:
            raise PreconditionNotMetError("fleet: this process is a server, not a trainer.")
        return self.job

    def _connected(self, api: str) -> TrainerJob:
        job = self._trainer()
        if job.client is None:
            raise PreconditionNotMetError(
                f"fleet.{api}: this trainer is not connected to the servers.",
                hint="call fleet.init_worker() before, and fleet.stop_worker() after",
            )
        return job

    def stop_worker(self) -> None:
        """Tells the servers that this trainer has ended."""
        self._trainer().close()

    def barrier_worker(self) -> bool:
        """Lets the workers meet at the servers, once they are connected."""
        if self.job is None or self.job.client is None:
            return False
        self.job.client.barrier("worker")
        return True

    def set_rate(self, value: float) -> None:
        """Sets the learning rate of all tables; with geo, trainers update by their own."""
        if self.plan is None or self.plan.mode == "geo" or self.role_maker._is_server():
            return
        job = self._connected("set_lr")
        job.flush()
        for spec in self.plan.tables:
            job.client.set_rate(spec.id, value)

    def shrink(self, threshold: float) -> None:
        """Drops the rows of tables that nobody used for so many calls."""
        job = self._connected("shrink")
        job.client.shrink(math.ceil(threshold))  # calls are whole

    # -- servers ---------------------------------------------------------------------------------

    def init_server(self, model_dir: str | None = None, *more: Any, **options: Any) -> None:
        """Makes this server's tables, with what a folder holds if one is given."""
        if more or any(k not in ("dirname", "var_names") for k in options):
            raise InvalidArgumentError(
                f"fleet.init_server: expected one folder, but received {[*more, *options]}."
            )
        if options.get("var_names") is not None:
            raise UnimplementedError(
                "fleet.init_server(var_names): servers load all tables of a folder, not a part.",
                hint="leave var_names out",
            )
        model_dir = options.get("dirname") if model_dir is None else model_dir
        serving = importlib.import_module("paddle.distributed.ps.server")  # which imports grpc
        plan, role = self._planned(), self.role_maker
        if self.server is not None:
            self.server.stop()
        number = role._server_index()
        self.server = serving.Server(
            role._get_pserver_endpoints()[number], plan.tables, plan.trainers, plan.server_mode,
            os.environ.get("PADDLE_JOB_TOKEN", ""), tables_folder(number), number, plan.servers,
            tls=certificates(),
        )  # fmt: skip
        restarted = int(os.environ.get("PADDLE_RESTART_COUNT") or 0) > 0
        if model_dir is None or (restarted and tables_folder(number) is not None):
            return  # what is in the files of a server that was ended is newer
        if not os.path.isdir(model_dir):
            raise NotFoundError(f"fleet.init_server(model_dir): there is no folder {model_dir!r}.")
        self.server.load(model_dir)

    def run_server(self) -> None:
        """Serves until the trainers have gone."""
        if self.server is None:
            self.init_server()
        server, self.server = self.server, None
        server.start()
        try:
            server.wait()
        finally:
            server.stop()
        if "PADDLE_PS_FOLDER" not in os.environ and (
            folder := tables_folder(server.service.server)
        ):
            drop_tables(folder)

    # -- saving ----------------------------------------------------------------------------------

    def save_persistables(
        self, executor: Any, dirname: str, main_program: Any = None, mode: int = 0
    ) -> None:
        """Saves all that outlives a step."""
        if self.role_maker._is_first_worker():
            job = self._connected("save_persistables")
            ps_saving.save_persistables(job, executor, dirname, main_program)

    def save_inference_model(
        self, executor: Any, dirname: str, feeded_var_names: list[str], target_vars: list,
        main_program: Any = None, export_for_deployment: bool = True,
    ) -> None:  # fmt: skip
        """Saves what the predictor runs."""
        if self.role_maker._is_first_worker():
            ps_saving.save_inference_model(
                self._connected("save_inference_model"), executor, dirname, feeded_var_names,
                target_vars, main_program, export_for_deployment,
            )  # fmt: skip
