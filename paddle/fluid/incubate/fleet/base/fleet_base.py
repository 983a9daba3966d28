"""Fleet of 1.x: the base of its kinds; 2.0's fleet does the work."""

from __future__ import annotations

from typing import Any

from paddle.core.place import CPUPlace
from paddle.distributed.fleet.base import fleet_base as new
from paddle.distributed.fleet.base.role_maker import RoleMakerBase
from paddle.distributed.fleet.base.util_factory import file_shard
from paddle.fluid.incubate.fleet.base.mode import Mode
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker, put
from paddle.static import Executor

__all__ = ["DistributedOptimizer", "Fleet", "Mode"]


class Fleet:
    """A job of several processes, as one of them sees it.

    Args:
        mode (Mode): how the job trains.
    """

    def __init__(self, mode: int) -> None:
        self._mode = mode
        self._fleet = new.Fleet()
        self._optimizer: Any = None
        self._executor: Any = None

    _role_maker = property(lambda self: self._fleet._role_maker)
    _is_initialized = property(lambda self: self._fleet._role_maker is not None)

    def init(self, role_maker: Any = None) -> None:
        """Finds out which role this process has; comes first.

        Args:
            role_maker (RoleMakerBase, optional): says the role; None: the environment does.

        Raises:
            TypeError: it is no role maker.
        """
        if role_maker is not None and not isinstance(role_maker, RoleMakerBase):
            raise TypeError(
                "fleet.init(role_maker): expected an instance of RoleMakerBase, but received "
                f"{type(role_maker).__name__}."
            )
        made = role_maker or PaddleCloudRoleMaker(is_collective=self._mode == Mode.COLLECTIVE)
        self._executor = Executor(CPUPlace())
        self._fleet.init(made)

    def is_first_worker(self) -> bool:
        """Says whether this process is worker 0."""
        return self._fleet.is_first_worker()

    def worker_index(self) -> int:
        """Returns the number of this worker."""
        return self._fleet.worker_index()

    def worker_num(self) -> int:
        """Returns how many workers there are."""
        return self._fleet.worker_num()

    def is_worker(self) -> bool:
        """Says whether this process trains."""
        return self._fleet.is_worker()

    def worker_endpoints(self, to_string: bool = False) -> Any:
        """Returns the addresses of the workers.

        Args:
            to_string (bool): as one text with commas between them.
        """
        return self._fleet.worker_endpoints(to_string)

    def server_num(self) -> int:
        """Returns how many servers there are."""
        return self._fleet.server_num()

    def server_index(self) -> int:
        """Returns the number of this server."""
        return self._fleet.server_index()

    def server_endpoints(self, to_string: bool = False) -> Any:
        """Returns the addresses of the servers.

        Args:
            to_string (bool): as one text with commas between them.
        """
        return self._fleet.server_endpoints(to_string)

    def is_server(self) -> bool:
        """Says whether this process serves parameters."""
        return self._fleet.is_server()

    def is_xpu(self) -> bool:
        """Says whether this process trains on a Kunlun device: no."""
        return False

    def split_files(self, files: list[str]) -> list[str]:
        """Returns which of the files this worker reads.

        Args:
            files (list[str]): all files.

        Raises:
            TypeError: it is no list.
        """
        if not isinstance(files, list):
            raise TypeError(
                f"fleet.split_files(files): expected a list, but received {type(files).__name__}."
            )
        return file_shard(files, self.worker_index(), self.worker_num())

    def all_reduce_worker(self, input: Any, output: Any) -> None:
        """Puts the sum of all workers' numbers into ``output``.

        Args:
            input (list|numpy.ndarray): this worker's.
            output (list|numpy.ndarray): of the same length.
        """
        put(output, self._fleet.util.all_reduce(input, "sum", "worker"))

    def barrier_worker(self) -> None:
        """Returns when all workers have called it."""
        self._fleet.barrier_worker()

    def init_worker(self) -> None:
        """Connects this worker to the servers."""
        self._fleet.init_worker()

    def init_server(self, model_dir: Any = None, **kwargs: Any) -> None:
        """Makes the tables of this server.

        Args:
            model_dir (str, optional): a folder that ``save_persistables`` wrote.
            **kwargs: for the runtime.
        """
        self._fleet.init_server(model_dir, **kwargs)

    def run_server(self) -> None:
        """Serves until all workers have stopped."""
        self._fleet.run_server()

    def stop_worker(self) -> None:
        """Ends this worker's part."""
        self._fleet.stop_worker()

    def distributed_optimizer(self, optimizer: Any, strategy: Any = None) -> Any:
        """Makes an optimizer train in all processes; each kind of fleet has its own.

        Args:
            optimizer (Optimizer): the optimizer of one process.
            strategy (Any, optional): how to train.
        """
        raise NotImplementedError(f"{type(self).__name__} has no distributed_optimizer.")

    def save_inference_model(
        self,
        executor: Any,
        dirname: str,
        feeded_var_names: Any,
        target_vars: Any,
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
        self._fleet.save_inference_model(
            executor, dirname, feeded_var_names, target_vars, main_program, export_for_deployment
        )

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None) -> None:
        """Saves all parameters and what the optimizer keeps, once for the job.

        Args:
            executor (Executor): runs the Program.
            dirname (str): the folder.
            main_program (Program, optional): None means the one that was minimised.
        """
        self._fleet.save_persistables(executor, dirname, main_program)


class DistributedOptimizer:
    """An optimizer together with a strategy; each kind of fleet derives its own.

    Args:
        optimizer (Optimizer): the optimizer of one process.
        strategy (Any, optional): how to train.

    Raises:
        TypeError: ``optimizer`` is none.
    """

    def __init__(self, optimizer: Any, strategy: Any = None) -> None:
        if not hasattr(optimizer, "minimize"):
            raise TypeError(
                f"{type(self).__name__}(optimizer): expected an instance of Optimizer, but "
                f"received {type(optimizer).__name__}."
            )
        self._optimizer = optimizer
        self._strategy = strategy

    def backward(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list:
        """Adds the gradients, as the optimizer of one process does.

        Args:
            loss (Variable): what is minimised.
            startup_program (Program, optional): sets first values.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): variables without gradient.
            callbacks (list, optional): see ``append_backward``.

        Returns:
            list: pairs (parameter, gradient).
        """
        return self._optimizer.backward(
            loss, startup_program, parameter_list, no_grad_set, callbacks
        )

    def apply_gradients(self, params_grads: list) -> list:
        """Adds the updates, as the optimizer of one process does.

        Args:
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators.
        """
        return self._optimizer.apply_gradients(params_grads)

    def minimize(
        self,
        losses: Any,
        scopes: Any = None,
        startup_programs: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> Any:
        """Rewrites Programs so that they train in all processes; each kind has its own.

        Args:
            losses (Variable|list): what is minimised.
            scopes (Scope|list, optional): hold values.
            startup_programs (Program|list, optional): set first values.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): variables without gradient.
        """
        raise NotImplementedError(f"{type(self).__name__} has no minimize.")
