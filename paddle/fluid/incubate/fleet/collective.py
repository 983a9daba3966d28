"""Fleet of 1.x: training by collective operators; 2.0's fleet rewrites the Programs."""

from __future__ import annotations

import json
import os
from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError, UnimplementedError
from paddle.distributed.fleet.base import distributed_strategy as new
from paddle.distributed.fleet.utils.fs import LocalFS
from paddle.fluid import io
from paddle.fluid.incubate.fleet.base.fleet_base import DistributedOptimizer, Fleet, Mode
from paddle.ir.current import default_startup_program
from paddle.static.strategy import BuildStrategy, ExecutionStrategy

__all__ = [
    "Collective",
    "CollectiveOptimizer",
    "DistFCConfig",
    "DistributedStrategy",
    "LambConfig",
    "TrainStatus",
    "fleet",
]

_PREFIX = "__paddle_fleet_checkpoint__"
_PARAMETERS = "_paddle_fleet_param__"
_STATUS = "fleet_train_status"


class LambConfig:
    """Settings of Lamb; it has none."""


class DistFCConfig:
    """Settings of fully connected layers that are divided over processes; it has none."""


class TrainStatus:
    """How far a training has come.

    Args:
        epoch_no (int): the last epoch that was completed; -1: none.
    """

    def __init__(self, epoch_no: int = -1) -> None:
        self._epoch_no = epoch_no

    def next(self) -> int:
        """Returns the epoch that comes next."""
        return self._epoch_no + 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrainStatus) and self._epoch_no == other._epoch_no

    __hash__ = None  # type: ignore[assignment]


class DistributedStrategy(BuildStrategy):
    """How a collective job trains: the switches of BuildStrategy, and these.

    Attributes:
        use_local_sgd (bool): train apart, and average the parameters now and then.
        mode (str): ``"nccl2"`` or ``"collective"``, which are the same here.
        collective_mode (str): None, ``"grad_allreduce"`` or ``"local_sgd"``.
        forward_recompute (bool): compute values between checkpoints again for backward.
        recompute_checkpoints (list): Variables, or their names.
        use_amp (bool): mixed precision.
        amp_loss_scaling (float): the first factor of the loss.
        use_dist_fc (bool), dist_fc_config (DistFCConfig): refused by ``minimize``.
        exec_strategy (ExecutionStrategy): how a Program runs.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.collective import DistributedStrategy
            strategy = DistributedStrategy()
            strategy.use_local_sgd = True
            print(strategy.mode)  # nccl2
    """

    _own: dict[str, Any] = {
        "use_local_sgd": False, "use_dist_fc": False, "dist_fc_config": None, "mode": "nccl2",
        "collective_mode": None, "forward_recompute": False, "recompute_checkpoints": [],
        "use_amp": False, "amp_loss_scaling": 2**15, "exec_strategy": None,
        "_ut4grad_allreduce": False,
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        for name, value in self._own.items():
            object.__setattr__(self, name, list(value) if isinstance(value, list) else value)
        object.__setattr__(self, "exec_strategy", ExecutionStrategy())

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._own:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


def _of_2_0(given: Any) -> new.DistributedStrategy:
    """The strategy of 2.0 that says the same."""
    if given.use_dist_fc:
        raise UnimplementedError(
            "DistributedStrategy.use_dist_fc: fully connected layers that are divided over "
            "processes are not part of this version.",
            hint="paddle.distributed.split divides a layer",
        )
    modes = {"mode": ("nccl2", "collective"),
             "collective_mode": (None, "grad_allreduce", "local_sgd")}  # fmt: skip
    for name, known in modes.items():
        if getattr(given, name) not in known:
            raise InvalidArgumentError(
                f"DistributedStrategy.{name}: expected one of {list(known)}, but it is "
                f"{getattr(given, name)!r}."
            )
    made = new.DistributedStrategy()
    made.localsgd = given.use_local_sgd or given.collective_mode == "local_sgd"
    if given.forward_recompute:
        points = given.recompute_checkpoints
        if not isinstance(points, list) or not points:
            raise InvalidArgumentError(
                "DistributedStrategy.recompute_checkpoints: expected a list of Variables, as "
                f"forward_recompute is on, but it is {points!r}."
            )
        made.recompute = True
        made.recompute_configs = {"checkpoints": [getattr(p, "name", p) for p in points]}
    if given.use_amp:
        made.amp = True
        made.amp_configs = {"init_loss_scaling": given.amp_loss_scaling}
    explicit = given.explicit()
    for name in ("nccl_comm_num", "use_hierarchical_allreduce", "sync_batch_norm",
                 "fuse_all_reduce_ops"):  # fmt: skip
        if name in explicit:
            setattr(made, name, getattr(given, name))
    build = BuildStrategy()
    build.adopt(explicit)
    made.build_strategy, made.execution_strategy = build, given.exec_strategy
    return made


class CollectiveOptimizer(DistributedOptimizer):
    """An optimizer that trains in all processes of a collective job.

    Args:
        optimizer (Optimizer): the optimizer of one process.
        strategy (DistributedStrategy, optional): how to train.

    Raises:
        TypeError: an argument of another type.
    """

    def __init__(self, optimizer: Any, strategy: Any = None) -> None:
        chosen = DistributedStrategy() if strategy is None else strategy
        if not isinstance(chosen, DistributedStrategy):
            raise ArgumentTypeError(
                "CollectiveOptimizer(strategy): expected a DistributedStrategy of "
                f"paddle.fluid.incubate.fleet.collective, but received {type(chosen).__name__}."
            )
        super().__init__(optimizer, chosen)

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Rewrites the Program of a loss so that it trains in all processes.

        ``fleet.main_program`` is then what is run.

        Args:
            loss (Variable): what is minimised.
            startup_program (Program, optional): sets first values; None means the default one.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): variables without gradient.

        Returns:
            tuple: the operators added, and the pairs (parameter, gradient).

        Raises:
            ValueError: the strategy contradicts itself.
            RuntimeError: before ``fleet.init``.
        """
        startup = default_startup_program() if startup_program is None else startup_program
        return fleet.minimize(
            self._optimizer, _of_2_0(self._strategy), loss, startup, parameter_list, no_grad_set
        )


class Collective(Fleet):
    """A collective job of 1.x; there is one, ``fleet``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            from paddle.fluid.incubate.fleet.base import role_maker
            from paddle.fluid.incubate.fleet.collective import DistributedStrategy, fleet
            fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
                opt = fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), DistributedStrategy())
                opt.minimize(loss)
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
    """

    def __init__(self) -> None:
        super().__init__(Mode.COLLECTIVE)
        self.startup_program: Any = None
        self.main_program: Any = None
        self._origin_program: Any = None
        self._transpiled_program: Any = None

    def distributed_optimizer(self, optimizer: Any, strategy: Any = None) -> CollectiveOptimizer:
        """Makes an optimizer train in all processes.

        Args:
            optimizer (Optimizer): the optimizer of one process.
            strategy (DistributedStrategy, optional): how to train.
        """
        self._optimizer = CollectiveOptimizer(optimizer, strategy)
        return self._optimizer

    def minimize(
        self, optimizer: Any, strategy: new.DistributedStrategy, loss: Any, startup: Any,
        parameter_list: Any, no_grad_set: Any,
    ) -> tuple[list, list]:  # fmt: skip
        """Rewrites Programs as 2.0 does; what :class:`CollectiveOptimizer` calls."""
        made = self._fleet.distributed_optimizer(optimizer, strategy)
        result = made.minimize(loss, startup, parameter_list, no_grad_set)
        self.startup_program, self.main_program = startup, loss.block.program
        self._transpiled_program = self._origin_program = loss.block.program
        return result

    def save_persistables(
        self, executor: Any, dirname: str, main_program: Any = None, filename: Any = None
    ) -> None:
        """Saves all parameters and what the optimizer keeps; each process that calls it writes.

        Args:
            executor (Executor): runs the Program.
            dirname (str): the folder.
            main_program (Program, optional): None means the one that was minimised.
            filename (str, optional): one file for all; None makes a file for each.
        """
        io.save_persistables(executor, dirname, main_program or self._origin_program, filename)

    def save_check_point(
        self,
        executor: Any,
        path: str,
        train_status: TrainStatus,
        main_program: Any = None,
        fs: Any = None,
        local_cache_path: str = ".cache",
        remain_all_checkpoint: bool = True,
    ) -> None:
        """Saves parameters and the number of the epoch as the next checkpoint in a folder.

        Args:
            executor (Executor): runs the Program.
            path (str): the folder of checkpoints.
            train_status (TrainStatus): how far the training has come.
            main_program (Program, optional): None means the one that was minimised.
            fs (FS, optional): where the folder is; None: on this machine.
            local_cache_path (str): a folder here, for what is uploaded.
            remain_all_checkpoint (bool): False deletes those before.
        """
        files = LocalFS() if fs is None else fs
        files.mkdirs(path)
        number = _last(files, path) + 1
        target = f"{path}/{_PREFIX}.{number}"
        folder = f"{target}.tmp"
        if files.need_upload_download():
            folder = f"{local_cache_path}/{_PREFIX}.{number}.saved_cache"
        LocalFS().delete(folder)
        self.save_persistables(executor, folder, main_program, _PARAMETERS)
        with open(f"{folder}/{_STATUS}", "w") as file:
            json.dump({"epoch_no": train_status.next() - 1}, file)
        if files.need_upload_download():
            files.delete(f"{target}.tmp")
            files.upload(folder, f"{target}.tmp")
            LocalFS().delete(folder)
        files.mv(f"{target}.tmp", target)
        if not remain_all_checkpoint:
            self.clean_redundant_check_points(path, files)

    def load_check_point(
        self,
        executor: Any,
        path: str,
        trainer_id: int,
        main_program: Any = None,
        fs: Any = None,
        local_cache_path: str = ".cache",
        ignore_empty: bool = True,
    ) -> TrainStatus | None:
        """Loads the last checkpoint of a folder.

        Args:
            executor (Executor): runs the Program.
            path (str): the folder of checkpoints.
            trainer_id (int): the number of this process, for its own folder of downloads.
            main_program (Program, optional): None means the one that was minimised.
            fs (FS, optional): where the folder is; None: on this machine.
            local_cache_path (str): a folder here, for what is downloaded.
            ignore_empty (bool): return None where there is no checkpoint; else that is an error.

        Returns:
            TrainStatus: how far the training had come.
        """
        files = LocalFS() if fs is None else fs
        number = _last(files, path)
        if number < 0:
            if not ignore_empty:
                raise InvalidArgumentError(f"load_check_point: there is no checkpoint in {path!r}.")
            return None
        folder = f"{path}/{_PREFIX}.{number}"
        if files.need_upload_download():
            copied = f"{local_cache_path}/{_PREFIX}.{number}.load_cache.{trainer_id}"
            LocalFS().delete(copied)
            os.makedirs(local_cache_path, exist_ok=True)
            files.download(folder, copied)
            folder = copied
        program = main_program or self._transpiled_program
        io.load_persistables(executor, folder, program, _PARAMETERS)
        with open(f"{folder}/{_STATUS}") as file:
            status = TrainStatus(json.load(file)["epoch_no"])
        if files.need_upload_download():
            LocalFS().delete(folder)
        return status

    def clean_redundant_check_points(
        self, root_path: str, fs: Any = None, checkpoint_num: int = 1
    ) -> None:
        """Deletes all but the last checkpoints of a folder.

        Args:
            root_path (str): the folder of checkpoints.
            fs (FS, optional): where the folder is; None: on this machine.
            checkpoint_num (int): how many are kept.
        """
        files = LocalFS() if fs is None else fs
        last = _last(files, root_path)
        for number, name in _numbered(files, root_path):
            if number <= last - max(checkpoint_num, 1):
                files.delete(f"{root_path}/{name}")


def _numbered(files: Any, path: str) -> list[tuple[int, str]]:
    """The checkpoints of a folder with their numbers."""
    split = [(name.rpartition("."), name) for name in files.list_dirs(path)]
    return [(int(p[2]), name) for p, name in split if p[0] == _PREFIX and p[2].isdigit()]


def _last(files: Any, path: str) -> int:
    return max((number for number, _ in _numbered(files, path)), default=-1)


fleet = Collective()
