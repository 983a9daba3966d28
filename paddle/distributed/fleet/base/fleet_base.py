"""Fleet: one interface to training in many processes, with or without parameter servers."""

from __future__ import annotations

import copy
import os
import warnings
from typing import Any

from paddle.core.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.core.rings import rings
from paddle.core.user_frame import outside
from paddle.distributed.data_parallel import DataParallel
from paddle.distributed.env import ParallelEnv
from paddle.distributed.fleet.base.distributed_optimizer import DistributedOptimizer
from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy
from paddle.distributed.fleet.base.optimizing import Optimizing
from paddle.distributed.fleet.base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.fleet.runtime import Runtime, runtime_of
from paddle.distributed.parallel import expect_parallel_env, init_parallel_env
from paddle.framework.mode import in_dynamic_mode

__all__ = ["Fleet"]


class Fleet(Optimizing):
    """A job of several processes, as one of them sees it.

    There is one, ``paddle.distributed.fleet.fleet``; its methods are the functions of
    ``paddle.distributed.fleet``. :meth:`init` comes first.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            net = paddle.nn.Linear(2, 1)
            opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
            opt = fleet.distributed_optimizer(opt)
            net = fleet.distributed_model(net)
            loss = net(paddle.ones([4, 2])).mean()
            loss.backward()
            opt.step()
            opt.clear_grad()
    """

    def __init__(self) -> None:
        super().__init__()
        self._user_defined_strategy = DistributedStrategy()
        self._context: Context | None = None
        self._told: set[str] = set()

    # -- what the methods need -------------------------------------------------------------------

    def _started(self, api: str) -> Runtime:
        """The runtime of this process; made when first needed."""
        maker = self._role(api)
        if self._runtime_handle is None:
            self._runtime_handle = runtime_of(maker)
        return self._runtime_handle

    def _rewritten(self, api: str) -> Runtime:
        """The runtime, where the Program was rewritten for the job or need not be."""
        runtime, maker = self._started(api), self._role(api)
        servers = not (maker._is_collective or maker._is_non_distributed())
        if servers and self._context is None:
            raise PreconditionNotMetError(
                f"fleet.{api}: the tables of a job with parameter servers are not known yet.",
                hint="call fleet.distributed_optimizer(optimizer, strategy).minimize(loss) first, "
                "on servers too",
            )
        return runtime

    def _tell_once(self, about: str) -> bool:
        """Whether nobody was told of it yet."""
        new = about not in self._told
        self._told.add(about)
        return new

    def _rewrite(self, context: Context) -> tuple[list, list]:
        """Carries out ``minimize`` of a static Program."""
        made = self._started("minimize").minimize(context)
        self._context = context
        self._util._set_strategy(context.strategy)
        return made

    def _final_strategy(self) -> DistributedStrategy | None:
        """The strategy as it was carried out: what was left out is off; None before minimize."""
        return copy.deepcopy(self._context.strategy) if self._context else None

    def _get_applied_meta_list(self) -> list[str]:
        """The classes that ``minimize`` applied before the plain exchange, the outermost first."""
        applied = self._context.applied if self._context else []
        return [kind.__name__ for kind in reversed(applied) if not kind.graph]

    def _get_applied_graph_list(self) -> list[str]:
        """The class that made the exchange, where there is one."""
        applied = self._context.applied if self._context else []
        return [kind.__name__ for kind in reversed(applied) if kind.graph]

    # -- beginning -------------------------------------------------------------------------------

    def init(
        self,
        role_maker: Any = None,
        is_collective: bool = False,
        strategy: DistributedStrategy | None = None,
    ) -> None:
        """Finds out which role this process has, and connects trainers of a collective job.

        In static mode trainers are connected when something is first exchanged, by the startup
        Program for instance: one process can make and save the Program of another.

        Args:
            role_maker (RoleMakerBase, optional): says the role; None: PaddleCloudRoleMaker, which
                reads the environment.
            is_collective (bool): without a role maker: whether the job is all trainers.
            strategy (DistributedStrategy, optional): how to train; the one given to
                ``distributed_optimizer`` goes before.

        Raises:
            ValueError: an argument of another type, or the environment contradicts itself.
            OSError: the other trainers cannot be reached.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.is_first_worker())  # True
        """
        if role_maker is not None and not isinstance(role_maker, RoleMakerBase):
            raise ArgumentTypeError(
                "fleet.init(role_maker): expected a role maker, such as PaddleCloudRoleMaker, but "
                f"received {type(role_maker).__name__}."
            )
        if not isinstance(is_collective, bool):
            raise ArgumentTypeError(
                f"fleet.init(is_collective): expected a bool, but received {is_collective!r}."
            )
        _forget_environment()
        maker = role_maker or PaddleCloudRoleMaker(is_collective=is_collective)
        chosen = _checked_strategy("init", strategy) if strategy is not None else None
        maker._generate_role()
        if maker.doubt:
            warnings.warn(f"fleet.init: {maker.doubt}: one of them is wrong.", stacklevel=outside())
        if maker._is_collective and maker._worker_num() > 1:
            _tell_environment(maker)
            init_parallel_env() if in_dynamic_mode() else expect_parallel_env()
        self.__init__()  # type: ignore[misc]  # what an earlier init left is over
        self._maker = maker
        if chosen is not None:
            self._user_defined_strategy = chosen
        self._util._set_role_maker(maker)
        self._util._set_strategy(self._user_defined_strategy)

    # -- parameter servers -----------------------------------------------------------------------

    def init_worker(self) -> None:
        """Connects this worker to the servers; before or after the startup Program is run.

        Raises:
            RuntimeError: on a server, or before ``minimize``.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                paddle.enable_static()
                fleet.init()  # the launcher says which role this process has
                loss = paddle.mean(paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 1))
                fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(loss)
                if fleet.is_server():
                    fleet.run_server()
                else:
                    fleet.init_worker()
                    fleet.stop_worker()
                paddle.disable_static()
        """
        self._only("init_worker", server=False)
        self._rewritten("init_worker").init_worker()

    def init_server(self, *args: Any, **kwargs: Any) -> None:
        """Makes the tables of this server.

        Args:
            *args: ``model_dir`` (str), a folder that ``save_persistables`` wrote, with any number
                of servers; without it tables begin anew.
            **kwargs: ``model_dir`` by its name.

        Raises:
            NotImplementedError: ``var_names`` asks for a part of what was saved.
            RuntimeError: on a worker, or before ``minimize``.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                paddle.enable_static()
                fleet.init()  # the launcher says which role this process has
                loss = paddle.mean(paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 1))
                fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(loss)
                if fleet.is_server():
                    fleet.init_server()
                    fleet.run_server()
                paddle.disable_static()
        """
        self._only("init_server", server=True)
        self._rewritten("init_server").init_server(*args, **kwargs)

    def run_server(self) -> None:
        """Serves until all workers have stopped.

        Raises:
            RuntimeError: on a worker, or before ``minimize``.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                paddle.enable_static()
                fleet.init()  # the launcher says which role this process has
                loss = paddle.mean(paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 1))
                fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(loss)
                if fleet.is_server():
                    fleet.init_server()
                    fleet.run_server()
                paddle.disable_static()
        """
        self._only("run_server", server=True)
        self._rewritten("run_server").run_server()

    def stop_worker(self) -> None:
        """Ends this worker's part; the servers end when all workers have.

        Raises:
            RuntimeError: on a server.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                paddle.enable_static()
                fleet.init()  # the launcher says which role this process has
                loss = paddle.mean(paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 1))
                fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(loss)
                if fleet.is_server():
                    fleet.run_server()
                else:
                    fleet.init_worker()
                    fleet.stop_worker()
                paddle.disable_static()
        """
        self._only("stop_worker", server=False)
        self._rewritten("stop_worker").stop_worker()

    def save_inference_model(
        self,
        executor: Any,
        dirname: str,
        feeded_var_names: list[str],
        target_vars: list,
        main_program: Any = None,
        export_for_deployment: bool = True,
    ) -> None:
        """Saves what the Program computes from inputs to outputs, once for the job.

        With ``sharding`` or ``pipeline`` all workers call it: each saves its own parameters, in a
        folder that all of them see.

        Args:
            executor (Executor): runs the Program.
            dirname (str): the folder.
            feeded_var_names (list[str]): names of the inputs.
            target_vars (list[Variable]): the outputs.
            main_program (Program, optional): None means the one that was minimised.
            export_for_deployment (bool): False saves the whole Program, to train on.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                import paddle.static as static
                paddle.enable_static()
                fleet.init(is_collective=True)
                with static.program_guard(static.Program(), static.Program()):
                    y = static.nn.fc(static.data("x", [None, 2]), 1)
                    fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(paddle.mean(y))
                    exe = static.Executor(paddle.CPUPlace())
                    exe.run(static.default_startup_program())
                    if fleet.is_first_worker():
                        fleet.save_inference_model(exe, "served", ["x"], [y])
                paddle.disable_static()
        """
        self._rewritten("save_inference_model").save_inference_model(
            executor, dirname, feeded_var_names, target_vars, self._program(main_program),
            export_for_deployment,
        )  # fmt: skip

    def save_persistables(
        self, executor: Any, dirname: str, main_program: Any = None, mode: int = 0
    ) -> None:
        """Saves all parameters and what the optimizer keeps, once for the job.

        With ``sharding`` or ``pipeline`` all workers call it, as each has its own part.

        Args:
            executor (Executor): runs the Program.
            dirname (str): the folder.
            main_program (Program, optional): None means the one that was minimised.
            mode (int): only 0, which saves all.

        Raises:
            NotImplementedError: another mode.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                import paddle.static as static
                paddle.enable_static()
                fleet.init(is_collective=True)
                with static.program_guard(static.Program(), static.Program()):
                    y = static.nn.fc(static.data("x", [None, 2]), 1)
                    fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(paddle.mean(y))
                    exe = static.Executor(paddle.CPUPlace())
                    exe.run(static.default_startup_program())
                    if fleet.is_first_worker():
                        fleet.save_persistables(exe, "checkpoint")
                paddle.disable_static()
        """
        if mode != 0:
            raise UnimplementedError(
                "fleet.save_persistables(mode): expected 0, which saves all, but received "
                f"{mode!r}."
            )
        self._rewritten("save_persistables").save_persistables(
            executor, dirname, self._program(main_program), mode
        )

    def _program(self, given: Any) -> Any:
        if given is not None or self._context is None:
            return given
        return self._context.main_program

    def shrink(self, threshold: float) -> None:
        """Drops rows of the servers' tables that are used too little.

        Args:
            threshold (float): how much is enough.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                if fleet.server_num() and fleet.is_first_worker():
                    fleet.shrink(10)
        """
        self._only("shrink", server=False)
        self._rewritten("shrink").shrink(threshold)

    # -- training --------------------------------------------------------------------------------

    def distributed_optimizer(
        self, optimizer: Any, strategy: DistributedStrategy | None = None
    ) -> DistributedOptimizer:
        """Makes an optimizer train in all processes.

        Args:
            optimizer (Optimizer): the optimizer of one process.
            strategy (DistributedStrategy, optional): how to train; None: the one given to ``init``.

        Returns:
            DistributedOptimizer: has the methods of the optimizer; its ``minimize`` rewrites static
                Programs.

        Raises:
            RuntimeError: before ``init``.
            TypeError: ``strategy`` is something else.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                paddle.enable_static()
                fleet.init(is_collective=True)
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                opt = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1))
                opt.minimize(loss)
                paddle.disable_static()
        """
        maker = self._role("distributed_optimizer")
        if strategy is not None:
            self._user_defined_strategy = _checked_strategy("distributed_optimizer", strategy)
        if not hasattr(optimizer, "minimize"):
            raise ArgumentTypeError(
                "fleet.distributed_optimizer(optimizer): expected an optimizer, but received "
                f"{type(optimizer).__name__}."
            )
        self._optimizer = DistributedOptimizer(
            optimizer, self._user_defined_strategy, maker, self._rewrite, self._tell_once,
            lambda rate: self._started("set_lr").set_rate(rate),
        )  # fmt: skip
        return self._optimizer

    def distributed_model(self, model: Any) -> DataParallel:
        """Makes a network average its gradients over all processes. Dynamic mode.

        Args:
            model (Layer): the network.

        Returns:
            DataParallel: the network, wrapped.

        Raises:
            RuntimeError: before ``init``, or in static mode.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = fleet.distributed_model(paddle.nn.Linear(2, 1))
                print(net(paddle.ones([3, 2])).shape)  # [3, 1]
        """
        self._role("distributed_model")
        if not in_dynamic_mode():
            raise PreconditionNotMetError(
                "fleet.distributed_model is for dynamic mode, but static mode is on.",
                hint="in static mode distributed_optimizer(...).minimize(loss) does the work",
            )
        strategy = self._user_defined_strategy
        return DataParallel(
            model,
            comm_buffer_size=strategy.fuse_grad_size_in_MB,
            last_comm_buffer_size=strategy.last_comm_group_size_MB,
        )


def _checked_strategy(api: str, strategy: Any) -> DistributedStrategy:
    """A copy of a strategy, which later changes of the user's do not reach."""
    if not isinstance(strategy, DistributedStrategy):
        raise ArgumentTypeError(
            f"fleet.{api}(strategy): expected a DistributedStrategy, but received "
            f"{type(strategy).__name__}."
        )
    return copy.deepcopy(strategy)


def _tell_environment(maker: RoleMakerBase) -> None:
    """Sets the variables of a role that was given by hand, so that all of paddle reads the same."""
    env, count = ParallelEnv(), maker._worker_num()
    if env.world_size == count and env.rank == maker._worker_index():
        return
    if os.environ.get("PADDLE_TRAINERS_NUM") and "PADDLE_TRAINER_ENDPOINTS" in os.environ:
        raise InvalidArgumentError(
            f"fleet.init: the role maker says worker {maker._worker_index()} of {count}, but the "
            f"environment says {env.rank} of {env.world_size} (PADDLE_TRAINER_ID, "
            "PADDLE_TRAINERS_NUM)."
        )
    endpoints = maker._get_trainer_endpoints()
    told = {
        "PADDLE_TRAINER_ID": str(maker._worker_index()), "PADDLE_TRAINERS_NUM": str(count),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
        "PADDLE_CURRENT_ENDPOINT": endpoints[maker._worker_index()],
    }  # fmt: skip
    _set_here.update({name: v for name, v in told.items() if os.environ.get(name) != v})
    os.environ.update(_set_here)


def _forget_environment() -> None:
    """Takes back what an earlier init set, where nobody was connected by it."""
    if not rings.connected(0):
        rings.expect_nobody()
        for name, value in _set_here.items():
            if os.environ.get(name) == value:
                del os.environ[name]
        _set_here.clear()


_set_here: dict[str, str] = {}  # variables of the environment


fleet = Fleet()
