"""Fleet of 1.x: training with parameter servers; 2.0's fleet does the work."""

from __future__ import annotations

import copy
from typing import Any

from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy as Strategy
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.transpiler.config import DistributeTranspilerConfig
from paddle.fluid.incubate.fleet.base.fleet_base import DistributedOptimizer, Fleet
from paddle.fluid.incubate.fleet.base.mode import Mode
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
    distributed_strategy as strategies,
)
from paddle.ir.current import default_startup_program
from paddle.ir.variable import Variable

__all__ = ["DistributedTranspiler", "TranspilerOptimizer", "fleet"]


class DistributedTranspiler(Fleet):
    """A job with parameter servers: ``fleet`` of this module.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
            print(fleet.main_program)  # None: there is one after minimize
    """

    def __init__(self) -> None:
        super().__init__(Mode.TRANSPILER)
        self.main_program: Any = None
        self.startup_program: Any = None
        self._origin_program: Any = None

    def distributed_optimizer(self, optimizer: Any, strategy: Any = None) -> TranspilerOptimizer:
        """Makes an optimizer whose updates run on servers.

        Args:
            optimizer (Optimizer): the optimizer of one process.
            strategy (DistributedStrategy|DistributeTranspilerConfig|dict, optional): when trainers
                exchange with the servers; None means in step.

        Raises:
            TypeError: an argument of another type.
        """
        self._optimizer = TranspilerOptimizer(optimizer, strategy, self)
        return self._optimizer

    def stop_worker(self) -> None:
        """Ends this worker's part; the servers end when all workers have."""
        super().stop_worker()
        if self._executor is not None:
            self._executor.close()


fleet = DistributedTranspiler()


class TranspilerOptimizer(DistributedOptimizer):
    """An optimizer whose updates run on servers.

    Args:
        optimizer (Optimizer): the optimizer of one process.
        strategy (DistributedStrategy|DistributeTranspilerConfig|dict, optional): when trainers
            exchange with the servers.
    """

    def __init__(self, optimizer: Any, strategy: Any = None, owner: Any = None) -> None:
        super().__init__(optimizer, _strategy_of(strategy))
        self._owner = fleet if owner is None else owner

    def minimize(
        self,
        losses: Any,
        scopes: Any = None,
        startup_programs: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> Any:
        """Adds gradients, and rewrites the Programs of a worker.

        Args:
            losses (Variable): what is minimised.
            scopes (None): only None.
            startup_programs (Program, optional): sets first values; None means the default one.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): variables without gradient.

        Returns:
            tuple: the operators of the updates, and the pairs (parameter, gradient).

        Raises:
            TypeError: there are several losses.
            RuntimeError: ``fleet.init`` was not called.
        """
        if isinstance(losses, (list, tuple)) and len(losses) == 1:
            losses = losses[0]
        if not isinstance(losses, Variable):
            raise TypeError(
                "TranspilerOptimizer.minimize(losses): expected one Variable, but received "
                f"{type(losses).__name__}."
            )
        if isinstance(startup_programs, (list, tuple)):
            startup_programs = startup_programs[0]
        startup = default_startup_program() if startup_programs is None else startup_programs
        owner, inner = self._owner, self._owner._fleet
        mode, configs = strategies.configs_of(self._strategy)
        told = Strategy()
        told.a_sync = mode != "sync"
        told.a_sync_configs = configs
        context = Context(losses, startup, inner._role_maker, told, self._optimizer,
                          self._optimizer, parameter_list, no_grad_set)  # fmt: skip
        runtime = inner._started("minimize")
        if hasattr(runtime, "half_async"):
            runtime.half_async = mode == "half_async"
        made = inner._rewrite(context)
        owner.main_program, owner.startup_program = context.main_program, startup
        owner._origin_program = getattr(runtime, "main", None) or context.main_program
        return made


def _strategy_of(given: Any) -> strategies.DistributedStrategy:
    """A strategy of 1.x, of whatever says one."""
    if given is None:
        return strategies.SyncStrategy()
    if isinstance(given, strategies.DistributedStrategy):
        return given
    if isinstance(given, dict):
        config = DistributeTranspilerConfig()
        for name, value in given.items():
            if not hasattr(config, name):
                raise ValueError(f"strategy: DistributeTranspilerConfig has no {name!r}.")
            setattr(config, name, value)
        given = config
    if not isinstance(given, DistributeTranspilerConfig):
        raise TypeError(
            "distributed_optimizer(strategy): expected a strategy of StrategyFactory, a "
            f"DistributeTranspilerConfig or a dict, but received {type(given).__name__}."
        )
    made = _by_config(given)
    made.set_program_config(copy.copy(given))  # which changes what the mode asks for
    return made


def _by_config(config: DistributeTranspilerConfig) -> strategies.DistributedStrategy:
    """The strategy that 1.8.5 takes for a config."""
    if config.sync_mode or config.completely_not_async:
        return strategies.SyncStrategy()
    if not config.runtime_split_send_recv:
        return strategies.HalfAsyncStrategy()
    if config.geo_sgd_mode:
        return strategies.GeoStrategy(config.geo_sgd_need_push_nums)
    return strategies.HalfAsyncStrategy() if config.half_async else strategies.AsyncStrategy()
