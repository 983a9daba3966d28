"""Fleet: one interface to training in many processes, with or without parameter servers."""

from __future__ import annotations

import copy
import os
from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError, PreconditionNotMetError
from paddle.distributed.data_parallel import DataParallel
from paddle.distributed.env import ParallelEnv
from paddle.distributed.fleet.base.distributed_optimizer import DistributedOptimizer
from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy
from paddle.distributed.fleet.base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from paddle.distributed.fleet.base.util_factory import UtilBase
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.fleet.runtime import Runtime, runtime_of
from paddle.distributed.parallel import init_parallel_env
from paddle.framework.mode import in_dynamic_mode

__all__ = ["Fleet"]


class Fleet:
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
        self._maker: RoleMakerBase | None = None
        self._user_defined_strategy = DistributedStrategy()
        self._optimizer: DistributedOptimizer | None = None
        self._runtime_handle: Runtime | None = None
        self._context: Context | None = None
        self._told: set[str] = set()
        self._util = UtilBase()

    # -- what the methods need -------------------------------------------------------------------

    @property
    def _role_maker(self) -> RoleMakerBase:
        """Who this process is."""
        return self._role("a method of fleet")

    @property
    def _is_collective(self) -> bool:
        """Whether the job is all trainers."""
        return self._role_maker._is_collective

    @property
    def util(self) -> UtilBase:
        """Small exchanges between the processes: ``fleet.util``."""
        return self._util

    @util.setter
    def util(self, value: UtilBase) -> None:
        self._util = value

    def _role(self, api: str) -> RoleMakerBase:
        if self._maker is None:
            raise PreconditionNotMetError(
                f"fleet.{api}: fleet does not know yet which role this process has.",
                hint="call fleet.init() first",
            )
        return self._maker

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

    def _wrapped(self, api: str) -> DistributedOptimizer:
        """The optimizer of the last ``distributed_optimizer``."""
        self._role(api)
        if self._optimizer is None:
            raise PreconditionNotMetError(
                f"fleet.{api}: there is no optimizer yet.",
                hint="call fleet.distributed_optimizer(optimizer) first",
            )
        return self._optimizer

    def _only(self, api: str, server: bool) -> None:
        """Refuses a call that belongs to the other role."""
        maker = self._role(api)
        here = maker._is_server()
        if here != server:
            kind, other = ("server", "worker") if here else ("worker", "server")
            raise PreconditionNotMetError(
                f"fleet.{api}: this process is {kind} {maker._role_id()}, but {api} is for {other}s.",
                hint=f"ask fleet.is_{other}() before",
            )

    def _tell_once(self, about: str) -> bool:
        """Whether nobody was told of it yet."""
        new = about not in self._told
        self._told.add(about)
        return new

    def _minimized(self, context: Context) -> None:
        self._context = context
        self._util._set_strategy(context.strategy)

    def _final_strategy(self) -> DistributedStrategy | None:
        """The strategy as it was carried out: what was left out is off; None before minimize."""
        return copy.deepcopy(self._context.strategy) if self._context else None

    def _get_applied_meta_list(self) -> list[str]:
        """The strategies that ``minimize`` carried out, the innermost first."""
        return list(self._context.applied) if self._context else []

    # -- beginning -------------------------------------------------------------------------------

    def init(
        self,
        role_maker: Any = None,
        is_collective: bool = False,
        strategy: DistributedStrategy | None = None,
    ) -> None:
        """Finds out which role this process has, and connects trainers of a collective job.

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
        maker = role_maker or PaddleCloudRoleMaker(is_collective=is_collective)
        chosen = _checked_strategy("init", strategy) if strategy is not None else None
        maker._generate_role()
        if maker._is_collective and maker._worker_num() > 1:
            _tell_environment(maker)
            init_parallel_env()
        self.__init__()  # type: ignore[misc]  # what an earlier init left is over
        self._maker = maker
        if chosen is not None:
            self._user_defined_strategy = chosen
        self._util = _UTIL
        self._util._set_role_maker(maker)
        self._util._set_strategy(self._user_defined_strategy)

    # -- who is who ------------------------------------------------------------------------------

    def is_first_worker(self) -> bool:
        """Says whether this process is worker 0, which prints and saves.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.is_first_worker())  # True
        """
        return self._role("is_first_worker")._is_first_worker()

    def worker_index(self) -> int:
        """Returns the number of this worker, from 0.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.worker_index())  # 0
        """
        return self._role("worker_index")._worker_index()

    def worker_num(self) -> int:
        """Returns how many workers there are.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.worker_num())  # 1
        """
        return self._role("worker_num")._worker_num()

    def is_worker(self) -> bool:
        """Says whether this process trains.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.is_worker())  # True
        """
        return self._role("is_worker")._is_worker()

    def worker_endpoints(self, to_string: bool = False) -> Any:
        """Returns the addresses of the workers.

        Args:
            to_string (bool): as one text with commas between them. Default: False, a list.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.worker_endpoints())  # ['127.0.0.1:6170']
        """
        listed = self._role("worker_endpoints")._get_trainer_endpoints()
        return ",".join(listed) if to_string else list(listed)

    def server_num(self) -> int:
        """Returns how many servers there are.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.server_num())  # 0
        """
        return self._role("server_num")._server_num()

    def server_index(self) -> int:
        """Returns the number of this server, from 0.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(fleet.UserDefinedRoleMaker(
                    current_id=1, role=fleet.Role.SERVER, worker_num=2,
                    server_endpoints=["127.0.0.1:36011", "127.0.0.1:36012"]))
                print(fleet.server_index())  # 1
        """
        return self._role("server_index")._server_index()

    def server_endpoints(self, to_string: bool = False) -> Any:
        """Returns the addresses of the servers.

        Args:
            to_string (bool): as one text with commas between them. Default: False, a list.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.server_endpoints())  # []
        """
        listed = self._role("server_endpoints")._get_pserver_endpoints()
        return ",".join(listed) if to_string else list(listed)

    def is_server(self) -> bool:
        """Says whether this process serves parameters.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.is_server())  # False
        """
        return self._role("is_server")._is_server()

    def barrier_worker(self) -> None:
        """Returns when all workers have called it.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                fleet.barrier_worker()
        """
        self._role("barrier_worker")._barrier("worker")

    # -- parameter servers -----------------------------------------------------------------------

    def init_worker(self) -> None:
        """Connects this worker to the servers; before or after the startup Program is run.

        Raises:
            RuntimeError: on a server, or before ``minimize``.
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
            RuntimeError: on a worker, or before ``minimize``.
        """
        self._only("init_server", server=True)
        self._rewritten("init_server").init_server(*args, **kwargs)

    def run_server(self) -> None:
        """Serves until all workers have stopped.

        Raises:
            RuntimeError: on a worker, or before ``minimize``.
        """
        self._only("run_server", server=True)
        self._rewritten("run_server").run_server()

    def stop_worker(self) -> None:
        """Ends this worker's part; the servers end when all workers have.

        Raises:
            RuntimeError: on a server.
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

        Args:
            executor (Executor): runs the Program.
            dirname (str): the folder.
            feeded_var_names (list[str]): names of the inputs.
            target_vars (list[Variable]): the outputs.
            main_program (Program, optional): None means the one that was minimised.
            export_for_deployment (bool): False saves the whole Program, to train on.
        """
        self._rewritten("save_inference_model").save_inference_model(
            executor, dirname, feeded_var_names, target_vars, self._program(main_program),
            export_for_deployment,
        )  # fmt: skip

    def save_persistables(
        self, executor: Any, dirname: str, main_program: Any = None, mode: int = 0
    ) -> None:
        """Saves all parameters and what the optimizer keeps, once for the job.

        Args:
            executor (Executor): runs the Program.
            dirname (str): the folder.
            main_program (Program, optional): None means the one that was minimised.
            mode (int): 0 saves all; the servers' tables may know others.
        """
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
        self._role("distributed_optimizer")
        if strategy is not None:
            self._user_defined_strategy = _checked_strategy("distributed_optimizer", strategy)
        if not hasattr(optimizer, "minimize"):
            raise ArgumentTypeError(
                "fleet.distributed_optimizer(optimizer): expected an optimizer, but received "
                f"{type(optimizer).__name__}."
            )
        self._optimizer = DistributedOptimizer(self, optimizer, self._user_defined_strategy)
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

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Does what ``minimize`` of the distributed optimizer does.

        Args:
            loss (Tensor|Variable): what is minimised.
            startup_program (Program, optional): sets first values; None means the default one.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): Tensors or names that are not updated.

        Returns:
            tuple: the operators added (none in dynamic mode), and the pairs (parameter, gradient).

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                loss = net(paddle.ones([3, 2])).mean()
                loss.backward()
                fleet.minimize(loss)
        """
        return self._wrapped("minimize").minimize(
            loss, startup_program, parameter_list, no_grad_set
        )

    def step(self) -> None:
        """Does one update with the gradients there are. Dynamic mode.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                net(paddle.ones([3, 2])).mean().backward()
                fleet.step()
                fleet.clear_grad()
        """
        self._wrapped("step").step()

    def clear_grad(self) -> None:
        """Forgets the gradients of the optimizer's parameters. Dynamic mode."""
        self._wrapped("clear_grad").clear_grad()

    def get_lr(self) -> float:
        """Returns the learning rate of the optimizer.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                fleet.set_lr(0.2)
                print(fleet.get_lr())  # 0.2
        """
        return self._wrapped("get_lr").get_lr()

    def set_lr(self, value: float) -> None:
        """Sets the learning rate of the optimizer.

        Args:
            value (float): the rate.
        """
        self._wrapped("set_lr").set_lr(value)

    def state_dict(self) -> dict:
        """Returns what the optimizer keeps."""
        return self._wrapped("state_dict").state_dict()

    def set_state_dict(self, state_dict: dict) -> None:
        """Sets what the optimizer keeps.

        Args:
            state_dict (dict): from :meth:`state_dict`.
        """
        self._wrapped("set_state_dict").set_state_dict(state_dict)

    def amp_init(
        self, place: Any, scope: Any = None, test_program: Any = None, use_fp16_test: bool = False
    ) -> None:
        """Casts the parameters for training in 16 bits, after the startup Program has run.

        Args:
            place (Place): where the parameters are.
            scope (Scope, optional): holds them; None means the global one.
            test_program (Program, optional): cast too, for testing.
            use_fp16_test (bool): whether that one tests in 16 bits.

        Raises:
            RuntimeError: the strategy has no ``amp``, or ``minimize`` was not called.
        """
        self._wrapped("amp_init").amp_init(place, scope, test_program, use_fp16_test)


_UTIL = UtilBase()


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
    os.environ["PADDLE_TRAINER_ID"] = str(maker._worker_index())
    os.environ["PADDLE_TRAINERS_NUM"] = str(count)
    os.environ["PADDLE_TRAINER_ENDPOINTS"] = ",".join(endpoints)
    os.environ["PADDLE_CURRENT_ENDPOINT"] = endpoints[maker._worker_index()]


fleet = Fleet()
fleet._util = _UTIL
