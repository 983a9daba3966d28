"""What a job does besides training steps: starting and ending servers, and saving."""

from __future__ import annotations

import abc
import importlib
import warnings
from typing import TYPE_CHECKING, Any

from paddle.core.errors import PreconditionNotMetError
from paddle.core.user_frame import outside
from paddle.distributed.fleet import compiler
from paddle.distributed.fleet.base.job import START
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.fleet.meta_optimizers.programs import skipped_passes
from paddle.ir.cloning import clone
from paddle.ir.current import default_main_program
from paddle.static import io_folder
from paddle.static.io_vars import save_vars

if TYPE_CHECKING:
    from paddle.distributed.fleet.base.role_maker import RoleMakerBase


class Runtime(abc.ABC):
    """The life of one process of a job; ``fleet`` calls it.

    Args:
        role_maker (RoleMakerBase): who this process is.
    """

    def __init__(self, role_maker: RoleMakerBase) -> None:
        self.role_maker = role_maker

    @abc.abstractmethod
    def minimize(self, context: Context) -> tuple[list, list]:
        """Makes the gradients and updates of a static Program, and rewrites it for this job."""

    @abc.abstractmethod
    def init_worker(self) -> None:
        """Connects this worker to the servers."""

    @abc.abstractmethod
    def init_server(self, model_dir: str | None = None, **options: Any) -> None:
        """Makes this server's tables, with what a folder holds if one is given."""

    @abc.abstractmethod
    def run_server(self) -> None:
        """Serves until the workers have gone."""

    @abc.abstractmethod
    def stop_worker(self) -> None:
        """Tells the servers that this worker has ended."""

    def barrier_worker(self) -> bool:
        """Lets the workers meet at the servers, which outlive a worker that starts again.

        Returns:
            bool: False where there are none, or this worker is not connected to them.
        """
        return False

    def set_rate(self, value: float) -> None:  # noqa: B027 (most have nobody to tell)
        """Tells the servers a learning rate that the user has set for the optimizer."""

    @abc.abstractmethod
    def save_persistables(
        self, executor: Any, dirname: str, main_program: Any = None, mode: int = 0
    ) -> None:
        """Saves all that outlives a step."""

    @abc.abstractmethod
    def save_inference_model(
        self, executor: Any, dirname: str, feeded_var_names: list[str], target_vars: list,
        main_program: Any = None, export_for_deployment: bool = True,
    ) -> None:  # fmt: skip
        """Saves what the predictor runs."""

    @abc.abstractmethod
    def shrink(self, threshold: float) -> None:
        """Drops the rows of tables that are used less than that."""


class CollectiveRuntime(Runtime):
    """A job of trainers only: there is nothing to start, and the first worker saves."""

    def minimize(self, context: Context) -> tuple[list, list]:
        """Carries out the strategies that go together."""
        if self.role_maker.doubt:
            raise PreconditionNotMetError(f"fleet.minimize: {self.role_maker.doubt}.", hint=START)
        chain = compiler.choose(context)
        whole = clone(context.main_program) if any(meta.divides for meta in chain) else None
        for meta in reversed(chain):
            meta.apply(context)
            context.applied.append(type(meta))
        context.optimize_ops, context.params_grads = context.optimizer.minimize(
            context.loss, context.startup_program, context.parameters, context.no_grad_set
        )
        for meta in reversed(chain):
            meta.rewrite(context)
        main, strategy = context.main_program, context.strategy  # the Executor reads these
        main.__dict__["_fleet_skipped"] = skipped_passes(strategy.build_strategy)
        main.__dict__["_fleet_iterations"] = strategy.execution_strategy.num_iteration_per_run
        if whole is not None:
            main.__dict__["_fleet_whole"] = whole
        return context.optimize_ops, context.params_grads

    def _nothing(self, name: str) -> None:
        what = "a collective job" if self.role_maker._is_collective else "one process"
        warnings.warn(
            f"fleet.{name}: {what} has no servers, so this does nothing.", stacklevel=outside()
        )

    def init_worker(self) -> None:
        """Warns: there is nothing to connect."""
        self._nothing("init_worker")

    def init_server(self, model_dir: str | None = None, **options: Any) -> None:
        """Warns: there is no server."""
        self._nothing("init_server")

    def run_server(self) -> None:
        """Warns: there is no server."""
        self._nothing("run_server")

    def stop_worker(self) -> None:
        """Warns: nobody waits for it."""
        self._nothing("stop_worker")

    def shrink(self, threshold: float) -> None:
        """Warns: there are no tables."""
        self._nothing("shrink")

    def save_persistables(
        self, executor: Any, dirname: str, main_program: Any = None, mode: int = 0
    ) -> None:
        """Saves all that outlives a step: the first worker, and who alone has parts of a model."""
        if self.role_maker._is_first_worker():
            io_folder.save_persistables(executor, dirname, main_program)
            return
        program = default_main_program() if main_program is None else main_program
        own = set(program.__dict__.get("_fleet_own", ()))
        if own:
            save_vars(executor, dirname, program, None, lambda var: var.name in own)

    def save_inference_model(
        self, executor: Any, dirname: str, feeded_var_names: list[str], target_vars: list,
        main_program: Any = None, export_for_deployment: bool = True,
    ) -> None:  # fmt: skip
        """Saves what the predictor runs: the first worker, and who alone has parts of a model."""
        program = default_main_program() if main_program is None else main_program
        whole = program.__dict__.get("_fleet_whole")
        if whole is not None and export_for_deployment:
            first = self.role_maker._is_first_worker()
            held = program.global_block().vars if first else program.__dict__["_fleet_own"]
            io_folder.save_part(
                dirname, feeded_var_names, target_vars, executor, whole, held, model=first
            )
        elif self.role_maker._is_first_worker():
            io_folder.save_inference_model(
                dirname, feeded_var_names, target_vars, executor, main_program, None, None,
                export_for_deployment,
            )  # fmt: skip


_SERVERS = "paddle.distributed.fleet.ps_runtime"


def runtime_of(role_maker: RoleMakerBase) -> Runtime:
    """Returns the runtime for a process: one with parameter servers where its job has some.

    Args:
        role_maker (RoleMakerBase): who this process is.
    """
    if role_maker._is_collective or role_maker._is_non_distributed():
        return CollectiveRuntime(role_maker)
    return importlib.import_module(_SERVERS).ParameterServerRuntime(role_maker)
