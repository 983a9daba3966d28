"""BuildStrategy and ExecutionStrategy: switches of 1.x and 2.x, and what they do here.

``EFFECTS`` is the one table of what every switch does on this engine; the documentation shows it.
"""

from __future__ import annotations

import enum
from typing import Any

# name -> (default, effect, or why there is none)
BUILD: dict[str, tuple[Any, str]] = {
    "reduce_strategy": (
        0,
        "AllReduce and Reduce give the same result: parameters exist once, and are updated once",
    ),
    "gradient_scale_strategy": (
        0,
        "CoeffNumDevice averages the gradients of all places, One adds them up, Customized takes "
        "the gradient of the loss from the feed",
    ),
    "debug_graphviz_path": ("", "the Program is written there in the language of Graphviz"),
    "enable_inplace": (None, "False keeps operators from writing into memory of their inputs"),
    "memory_optimize": (None, "False keeps every value to the end of the run"),
    "fuse_all_optimizer_ops": (None, "False updates one parameter after the other"),
    "fuse_elewise_add_act_ops": (
        None,
        "no effect: an activation is always run in place on the sum, which is quicker than one "
        "kernel for both",
    ),
    "fuse_bn_act_ops": (None, "no effect: the activation always runs in place"),
    "fuse_bn_add_act_ops": (None, "no effect: sum and activation always run in place"),
    "fuse_relu_depthwise_conv": (None, "no effect: relu always runs in place"),
    "fuse_all_reduce_ops": (None, "no effect: gradients of a process are joined in memory"),
    "fuse_broadcast_ops": (None, "no effect: nothing is broadcast within a process"),
    "enable_addto": (None, "no effect: gradients are always added up in place where possible"),
    "enable_auto_fusion": (None, "no effect: kernels are not generated"),
    "enable_backward_optimizer_op_deps": (None, "no effect: operators run in the Program's order"),
    "enable_sequential_execution": (None, "no effect: operators run in the Program's order"),
    "cache_runtime_context": (None, "no effect: plans bind everything once"),
    "remove_unnecessary_lock": (None, "no effect: there are no locks"),
    "sync_batch_norm": (
        None,
        "True raises: the statistics of a batch norm are each place's own",
    ),
    "mkldnn_enabled_op_types": (None, "no effect: ATen chooses the kernels"),
    "async_mode": (None, "True raises: there is no parameter server"),
    "is_distribution": (None, "no effect: processes are started by paddle.distributed"),
    "num_trainers": (1, "more than 1 raises: use paddle.distributed"),
    "trainer_id": (0, "no effect with one trainer"),
    "trainers_endpoints": (None, "no effect with one trainer"),
    "nccl_comm_num": (1, "no effect: one communicator"),
    "use_hierarchical_allreduce": (None, "no effect within a process"),
    "hierarchical_allreduce_inter_nranks": (0, "no effect within a process"),
}
EXECUTION: dict[str, tuple[Any, str]] = {
    "num_threads": (0, "how many places compute at the same time; 0: all of them"),
    "num_iteration_per_drop_scope": (100, "no effect: values are dropped after their last use"),
    "num_iteration_per_run": (1, "so many steps are made by one call of run"),
    "use_thread_barrier": (None, "no effect: a step ends when all places have ended"),
    "allow_op_delay": (None, "no effect: operators run in the Program's order"),
    "use_experimental_executor": (None, "no effect: there is one executor"),
}
_REFUSED = {"sync_batch_norm": True, "async_mode": True}


class _Strategy:
    """Attributes of a table, with a check of their names."""

    _table: dict[str, tuple[Any, str]]

    def __init__(self) -> None:
        for name, (default, _) in self._table.items():
            object.__setattr__(self, name, default)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._table:
            raise AttributeError(
                f"{type(self).__name__} has no switch {name!r}; it has {sorted(self._table)}."
            )
        if name in _REFUSED and value:
            raise NotImplementedError(f"{type(self).__name__}.{name}: {self._table[name][1]}.")
        if name == "num_trainers" and value != 1:
            raise NotImplementedError(
                "BuildStrategy.num_trainers: start the processes by paddle.distributed.launch."
            )
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={getattr(self, n)!r}" for n in self._table)
        return f"{type(self).__name__}({shown})"


class BuildStrategy(_Strategy):
    """How a Program is made ready to run; docs/static.md says what every switch does here.

    Examples:
        .. code-block:: python

            import paddle.static as static
            strategy = static.BuildStrategy()
            strategy.enable_inplace = False
            strategy.reduce_strategy = static.BuildStrategy.ReduceStrategy.Reduce
            print(strategy.enable_inplace)  # False
    """

    _table = BUILD

    class ReduceStrategy(enum.IntEnum):
        """How gradients of several places come together."""

        AllReduce = 0
        Reduce = 1
        _NoReduce = 2

    class GradientScaleStrategy(enum.IntEnum):
        """What the gradient of the loss is on each place."""

        CoeffNumDevice = 0
        One = 1
        Customized = 2

    def _skipped(self) -> list[str]:
        """The passes that the switches leave out."""
        off: Any = self
        return ["merge_optimizers"] if off.fuse_all_optimizer_ops is False else []


class ExecutionStrategy(_Strategy):
    """How a Program runs on several places.

    Examples:
        .. code-block:: python

            import paddle.static as static
            strategy = static.ExecutionStrategy()
            strategy.num_threads = 2
            print(strategy.num_iteration_per_drop_scope)  # 100
    """

    _table = EXECUTION


def check_strategy(value: Any, kind: type, argument: str) -> Any:
    """Returns a strategy, a new one for None."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise TypeError(
            f"with_data_parallel({argument}): expected a {kind.__name__}, "
            f"but received {type(value).__name__}."
        )
    return value
