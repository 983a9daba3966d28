"""Strategies of 1.x's fleet with parameter servers: when trainers exchange with the servers."""

from __future__ import annotations

import os
from typing import Any

from paddle.distributed.transpiler.config import DistributeTranspilerConfig
from paddle.static import BuildStrategy, ExecutionStrategy

__all__ = [
    "AsyncStrategy",
    "DistributedStrategy",
    "GeoStrategy",
    "HalfAsyncStrategy",
    "StrategyFactory",
    "SyncStrategy",
    "TrainerRuntimeConfig",
]

_PREFIX = "communicator_"
_ALWAYS = ("max_merge_var_num", "send_wait_times", "thread_pool_size", "send_queue_size")


def _set(name: str, default: str) -> str:
    """What the environment says under a name of PaddlePaddle's."""
    return os.getenv(name, default)


class DistributedMode:
    """How trainers and servers work together."""

    SYNC, ASYNC, HALF_ASYNC, GEO = 0, 1, 2, 3


class ServerRuntimeConfig:
    """Threads of a server; here each request takes one of a pool, whatever these say."""

    def __init__(self) -> None:
        self._rpc_send_thread_num = int(_set("FLAGS_rpc_send_thread_num", "12"))
        self._rpc_get_thread_num = int(_set("FLAGS_rpc_get_thread_num", "12"))
        self._rpc_prefetch_thread_num = int(_set("FLAGS_rpc_prefetch_thread_num", "12"))


class TrainerRuntimeConfig:
    """How a trainer sends: the ``FLAGS_communicator_*`` of the environment, or what is set here.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
                distributed_strategy as strategies,
            )
            config = strategies.TrainerRuntimeConfig()
            config.runtime_configs["communicator_thread_pool_size"] = "2"
            print(config.get_communicator_flags()["communicator_thread_pool_size"])  # 2
    """

    def __init__(self) -> None:
        self.mode: int | None = None
        threads = os.getenv("CPU_NUM", "1")
        defaults = {
            "max_merge_var_num": threads, "send_queue_size": threads,
            "independent_recv_thread": "1", "min_send_grad_num_before_recv": threads,
            "thread_pool_size": "5", "send_wait_times": "5", "is_sgd_optimizer": "1",
        }  # fmt: skip
        self.runtime_configs = {
            _PREFIX + name: os.getenv(f"FLAGS_{_PREFIX}{name}", value)
            for name, value in defaults.items()
        }
        self.runtime_configs["rpc_deadline"] = _set("FLAGS_rpc_deadline", "180000")
        self.runtime_configs["rpc_retry_times"] = _set("FLAGS_rpc_retry_times", "3")

    def get_communicator_flags(self) -> dict[str, str]:
        """Returns the settings that count in this mode.

        Raises:
            ValueError: ``mode`` is none.
        """
        modes = DistributedMode
        if self.mode in (None, modes.ASYNC):
            names = list(self.runtime_configs)
        elif self.mode in (modes.SYNC, modes.HALF_ASYNC):
            threads = os.getenv("CPU_NUM", "1")
            for name in ("max_merge_var_num", "send_queue_size"):
                self.runtime_configs[_PREFIX + name] = threads  # each thread sends once a step
            names = [_PREFIX + name for name in _ALWAYS]
        elif self.mode == modes.GEO:
            names = [_PREFIX + name for name in ("thread_pool_size", "send_wait_times")]
        else:
            raise ValueError(f"TrainerRuntimeConfig.mode: expected a mode, got {self.mode!r}.")
        return {name: str(self.runtime_configs[name]) for name in names}

    def display(self, configs: dict[str, Any]) -> str:
        """Returns settings as a table of text.

        Args:
            configs (dict): names and values.
        """
        rows = [f"{name:<45s}{value:<5s}" for name, value in configs.items()]
        head = f"{'TrainerRuntimeConfig Overview':^45s}{'Value':<5s}"
        return "\n".join(["", "=" * 50, head, "-" * 50, *rows, "=" * 50, ""])

    def __repr__(self) -> str:
        return self.display(self.get_communicator_flags())


def _told(where: str, target: Any, names: Any, config: Any, kind: type) -> Any:
    """What a setter takes: an object of a kind, or a dictionary of its settings."""
    if isinstance(config, kind):
        return config
    if not isinstance(config, dict):
        raise TypeError(
            f"set_{where}(config): expected a dict or a {kind.__name__}, but received "
            f"{type(config).__name__}."
        )
    for name, value in config.items():
        if not names(name):
            raise ValueError(f"set_{where}(config): {kind.__name__} has no {name!r}.")
        if isinstance(target, TrainerRuntimeConfig):
            target.runtime_configs[name] = value
        else:
            setattr(target, name, value)
    return target


class DistributedStrategy:
    """Base of the strategies; StrategyFactory makes them."""

    _mode: int | None = None

    def __init__(self) -> None:
        self._program_config = DistributeTranspilerConfig()
        self._trainer_runtime_config = TrainerRuntimeConfig()
        self._server_runtime_config = ServerRuntimeConfig()
        self._execute_strategy = ExecutionStrategy()
        self._build_strategy = BuildStrategy()
        self._execute_strategy.num_threads = int(os.getenv("CPU_NUM", "1"))
        self.debug_opt: Any = None
        if self._mode is not None:
            self.check_program_config()
            self.check_trainer_runtime_config()

    def set_debug_opt(self, opt_info: Any) -> None:
        """Keeps what to dump while training.

        Args:
            opt_info (dict): ``dump_slot``, ``dump_fields`` and others.
        """
        self.debug_opt = opt_info

    def get_debug_opt(self) -> dict[str, Any]:
        """Returns what to dump while training."""
        given = self.debug_opt if isinstance(self.debug_opt, dict) else None
        if given is None:
            return {}
        return {
            "dump_slot": bool(given.get("dump_slot", 0)),
            "dump_converter": str(given.get("dump_converter", "")),
            "dump_fields": given.get("dump_fields", []),
            "dump_file_num": given.get("dump_file_num", 16),
            "dump_fields_path": given.get("dump_fields_path", ""),
            "dump_param": given.get("dump_param", []),
        }

    def get_program_config(self) -> DistributeTranspilerConfig:
        """Returns how Programs are cut."""
        return self._program_config

    def set_program_config(self, config: Any) -> None:
        """Says how Programs are cut.

        Args:
            config (DistributeTranspilerConfig|dict): the settings.
        """
        here = self._program_config
        self._program_config = _told(
            "program_config", here, lambda n: hasattr(here, n), config, DistributeTranspilerConfig
        )
        self.check_program_config()

    def get_trainer_runtime_config(self) -> TrainerRuntimeConfig:
        """Returns how trainers send."""
        return self._trainer_runtime_config

    def set_trainer_runtime_config(self, config: Any) -> None:
        """Says how trainers send.

        Args:
            config (TrainerRuntimeConfig|dict): the settings.
        """
        here = self._trainer_runtime_config
        self._trainer_runtime_config = _told(
            "trainer_runtime_config", here, lambda n: n in here.runtime_configs, config,
            TrainerRuntimeConfig,
        )  # fmt: skip
        self.check_trainer_runtime_config()

    def get_server_runtime_config(self) -> ServerRuntimeConfig:
        """Returns how servers run."""
        return self._server_runtime_config

    def set_server_runtime_config(self, config: Any) -> None:
        """Says how servers run.

        Args:
            config (ServerRuntimeConfig|dict): the settings.
        """
        here = self._server_runtime_config
        self._server_runtime_config = _told(
            "server_runtime_config", here, lambda n: hasattr(here, n), config, ServerRuntimeConfig
        )
        self.check_server_runtime_config()

    def get_execute_strategy(self) -> Any:
        """Returns how trainers execute."""
        return self._execute_strategy

    def set_execute_strategy(self, config: Any) -> None:
        """Says how trainers execute.

        Args:
            config (ExecutionStrategy|dict): the settings.
        """
        here = self._execute_strategy
        self._execute_strategy = _told(
            "execute_strategy", here, lambda n: hasattr(here, n), config, ExecutionStrategy
        )
        self.check_execute_strategy()

    def get_build_strategy(self) -> Any:
        """Returns how trainers compile."""
        return self._build_strategy

    def set_build_strategy(self, config: Any) -> None:
        """Says how trainers compile.

        Args:
            config (BuildStrategy|dict): the settings.
        """
        here = self._build_strategy
        self._build_strategy = _told(
            "build_strategy", here, lambda n: hasattr(here, n), config, BuildStrategy
        )
        self.check_build_strategy()

    def _own(self, name: str) -> None:
        if self._mode is None:
            raise NotImplementedError(
                f"{name}: a DistributedStrategy by itself has no mode; let StrategyFactory make "
                "one."
            )

    def check_program_config(self) -> None:
        """Sets what the mode asks of Programs."""
        self._own("check_program_config")
        self._program_config.sync_mode = False
        self._program_config.runtime_split_send_recv = True

    def check_trainer_runtime_config(self) -> None:
        """Sets the mode of trainers."""
        self._own("check_trainer_runtime_config")
        self._trainer_runtime_config.mode = self._mode

    def check_server_runtime_config(self) -> None:
        """Checks what servers are told: anything goes."""
        self._own("check_server_runtime_config")

    def check_execute_strategy(self) -> None:
        """Checks how trainers execute: anything goes."""
        self._own("check_execute_strategy")

    def check_build_strategy(self) -> None:
        """Checks how trainers compile: anything goes."""
        self._own("check_build_strategy")


class SyncStrategy(DistributedStrategy):
    """Servers update by the mean of all trainers' gradients; trainers wait for that."""

    _mode = DistributedMode.SYNC

    def check_program_config(self) -> None:
        """Sets what the mode asks of Programs."""
        super().check_program_config()
        self._program_config.half_async = True
        self._program_config.completely_not_async = True

    def check_trainer_runtime_config(self) -> None:
        """Sets the mode of trainers."""
        super().check_trainer_runtime_config()

    def check_server_runtime_config(self) -> None:
        """Checks what servers are told: anything goes."""

    def check_execute_strategy(self) -> None:
        """Checks how trainers execute: anything goes."""

    def check_build_strategy(self) -> None:
        """Checks how trainers compile: anything goes."""


class AsyncStrategy(DistributedStrategy):
    """Gradients go to the servers in the background; nobody waits."""

    _mode = DistributedMode.ASYNC

    def check_program_config(self) -> None:
        """Sets what the mode asks of Programs."""
        super().check_program_config()

    def check_trainer_runtime_config(self) -> None:
        """Sets the mode of trainers."""
        super().check_trainer_runtime_config()

    def check_server_runtime_config(self) -> None:
        """Checks what servers are told: anything goes."""

    def check_execute_strategy(self) -> None:
        """Checks how trainers execute: anything goes."""

    def check_build_strategy(self) -> None:
        """Checks how trainers compile: anything goes."""


class HalfAsyncStrategy(DistributedStrategy):
    """A trainer waits for the servers after each step, but not for other trainers."""

    _mode = DistributedMode.HALF_ASYNC

    def check_program_config(self) -> None:
        """Sets what the mode asks of Programs."""
        super().check_program_config()
        self._program_config.half_async = True

    def check_trainer_runtime_config(self) -> None:
        """Sets the mode of trainers."""
        super().check_trainer_runtime_config()

    def check_server_runtime_config(self) -> None:
        """Checks what servers are told: anything goes."""

    def check_execute_strategy(self) -> None:
        """Checks how trainers execute: anything goes."""

    def check_build_strategy(self) -> None:
        """Checks how trainers compile: anything goes."""


class GeoStrategy(DistributedStrategy):
    """Trainers train by themselves; now and then the differences are added on the servers.

    Args:
        update_frequency (int): steps between two exchanges. Default: 100.
    """

    _mode = DistributedMode.GEO

    def __init__(self, update_frequency: int = 100) -> None:
        super().__init__()
        self._program_config.geo_sgd_need_push_nums = update_frequency

    def check_program_config(self) -> None:
        """Sets what the mode asks of Programs."""
        super().check_program_config()
        self._program_config.geo_sgd_mode = True

    def check_trainer_runtime_config(self) -> None:
        """Sets the mode of trainers."""
        super().check_trainer_runtime_config()

    def check_server_runtime_config(self) -> None:
        """Checks what servers are told: anything goes."""

    def check_execute_strategy(self) -> None:
        """Checks how trainers execute: anything goes."""

    def check_build_strategy(self) -> None:
        """Checks how trainers compile: anything goes."""


class StrategyFactory:
    """Makes the strategies.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
                distributed_strategy as strategies,
            )
            geo = strategies.StrategyFactory.create_geo_strategy(10)
            print(geo.get_program_config().geo_sgd_need_push_nums)  # 10
    """

    @staticmethod
    def create_sync_strategy() -> SyncStrategy:
        """Returns a SyncStrategy."""
        return SyncStrategy()

    @staticmethod
    def create_half_async_strategy() -> HalfAsyncStrategy:
        """Returns a HalfAsyncStrategy."""
        return HalfAsyncStrategy()

    @staticmethod
    def create_async_strategy() -> AsyncStrategy:
        """Returns an AsyncStrategy."""
        return AsyncStrategy()

    @staticmethod
    def create_geo_strategy(update_frequency: int = 100) -> GeoStrategy:
        """Returns a GeoStrategy.

        Args:
            update_frequency (int): steps between two exchanges.
        """
        return GeoStrategy(update_frequency)


def configs_of(strategy: DistributedStrategy) -> tuple[str, dict[str, Any]]:
    """Returns the mode of a strategy, and 2.0's settings for what it says.

    Args:
        strategy (DistributedStrategy): of 1.x.
    """
    modes = {DistributedMode.SYNC: "sync", DistributedMode.ASYNC: "async",
             DistributedMode.HALF_ASYNC: "half_async", DistributedMode.GEO: "geo"}  # fmt: skip
    told = strategy.get_trainer_runtime_config()
    mode = modes.get(told.mode) if told.mode is not None else None
    if mode is None:
        raise ValueError("the strategy has no mode: let StrategyFactory make one.")
    configs: dict[str, Any] = {}
    for name, value in told.get_communicator_flags().items():
        short = name.removeprefix(_PREFIX)
        if name.startswith(_PREFIX) and short != "is_sgd_optimizer":
            configs[short] = bool(int(value)) if short == "independent_recv_thread" else int(value)
    if mode == "geo":
        configs["k_steps"] = int(strategy.get_program_config().geo_sgd_need_push_nums)
    return mode, configs
