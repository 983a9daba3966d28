"""BuildStrategy and ExecutionStrategy: switches of 1.x and 2.x, and what they do here.

``BUILD`` and ``EXECUTION`` are the one table of what every switch does on this engine;
``effects_table`` renders it for docs/static.md.
"""

from __future__ import annotations

import enum
import numbers
from typing import Any, NamedTuple

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded


class Option(NamedTuple):
    """One switch of a strategy.

    Attributes:
        default: its value until it is set.
        kind (str): what it takes: ``"bool"``, ``"bool or None"``, ``"int"``, ``"str"``,
            ``"set of str"``, ``"list of str"`` or the name of an enumeration of BuildStrategy.
        effect (str): what it does here, or why it does nothing.
        refused (tuple): values that raise NotImplementedError, because nothing can stand for them.
    """

    default: Any
    kind: str
    effect: str
    refused: tuple = ()


_ORDER = "no effect: operators run in the Program's order"
_JOINED = "no effect: an activation always runs in place; joint kernels would turn NaN into 0"
_ONE_RING = "no effect: places share the memory of their process, and processes have one ring"

BUILD: dict[str, Option] = {
    "reduce_strategy": Option(
        0, "ReduceStrategy",
        "`AllReduce` and `Reduce` both add up the gradients of all places and update each "
        "parameter once: it exists once for all CPU places. `_NoReduce` raises", (2,),
    ),
    "gradient_scale_strategy": Option(
        0, "GradientScaleStrategy",
        "`CoeffNumDevice` averages the gradients of all places, `One` adds them up, `Customized` "
        "takes the gradient of the loss from the feed and adds up",
    ),
    "debug_graphviz_path": Option("", "str", "the Program is written there, in Graphviz's form"),
    "enable_inplace": Option(
        True, "bool", "False leaves out the pass `in_place`: no operator writes into an input"
    ),
    "memory_optimize": Option(
        None, "bool or None",
        "False leaves out the pass `lifetimes`: every value is kept to the end of the run",
    ),
    "fuse_all_optimizer_ops": Option(
        False, "bool",
        "set to False it leaves out the pass `merge_optimizers`: one parameter is updated after "
        "the other; if it is not set, they are updated together",
    ),
    "sync_batch_norm": Option(
        False, "bool",
        "True: batch norm takes the statistics of the whole batch, over places and processes; "
        "False: each place those of its own part",
    ),
    "async_mode": Option(False, "bool", "True raises: there is no parameter server", (True,)),
    "num_trainers": Option(
        1, "int",
        "so many processes, each with a part of the batch, add up their gradients: over their "
        "places first, then over ring 0; the first run takes the parameters of process 0",
    ),
    "trainer_id": Option(0, "int", "which of the processes this is, from 0"),
    "trainers_endpoints": Option(
        [], "list of str",
        "the addresses of the processes, where `init_parallel_env` did not connect them",
    ),
    "is_distribution": Option(False, "bool", "no effect: num_trainers says so"),
    "fuse_elewise_add_act_ops": Option(False, "bool", _JOINED),
    "fuse_bn_act_ops": Option(False, "bool", _JOINED),
    "fuse_bn_add_act_ops": Option(True, "bool", _JOINED),
    "fuse_relu_depthwise_conv": Option(False, "bool", _JOINED),
    "fuse_all_reduce_ops": Option(
        True, "bool",
        "set to False it leaves out the pass `fuse_all_reduce`: processes exchange one gradient "
        "after the other",
    ),
    "fuse_broadcast_ops": Option(True, "bool", _ONE_RING),
    "nccl_comm_num": Option(1, "int", _ONE_RING),
    "use_hierarchical_allreduce": Option(False, "bool", _ONE_RING),
    "hierarchical_allreduce_inter_nranks": Option(0, "int", _ONE_RING),
    "enable_addto": Option(
        False, "bool", "no effect: gradients are always added up in place where that is possible"
    ),
    "enable_auto_fusion": Option(False, "bool", "no effect: kernels are not generated"),
    "enable_backward_optimizer_op_deps": Option(True, "bool", _ORDER),
    "enable_sequential_execution": Option(False, "bool", _ORDER),
    "cache_runtime_context": Option(
        False, "bool", "no effect: a plan binds kernels and attributes once"
    ),
    "remove_unnecessary_lock": Option(False, "bool", "no effect: there are no locks"),
    "mkldnn_enabled_op_types": Option(set(), "set of str", "no effect: ATen chooses the kernels"),
}  # fmt: skip
EXECUTION: dict[str, Option] = {
    "num_threads": Option(0, "int", "how many places compute at the same time; 0: all of them"),
    "num_iteration_per_run": Option(
        1, "int", "`run` makes so many steps with one feed and returns what the last one gave"
    ),
    "num_iteration_per_drop_scope": Option(
        100, "int", "no effect: values are dropped after their last use"
    ),
    "use_thread_barrier": Option(
        False, "bool", "no effect: a step ends when all places have ended"
    ),
    "allow_op_delay": Option(False, "bool", _ORDER),
    "use_experimental_executor": Option(True, "bool", "no effect: there is one executor"),
}
_LEAST = {  # of integers
    "num_trainers": 1, "nccl_comm_num": 1, "trainer_id": 0,
    "hierarchical_allreduce_inter_nranks": 0, "num_threads": 0, "num_iteration_per_run": 1,
    "num_iteration_per_drop_scope": 1,
}  # fmt: skip


class _Strategy(Guarded):
    """Values of the switches of a table."""

    _table: dict[str, Option]
    _set: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_set", {})

    def __init_subclass__(cls) -> None:
        for name, switch in cls._table.items():
            setattr(cls, name, _property(cls, name, switch))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._table:
            raise AttributeError(
                f"{type(self).__name__} has no switch {name!r}; it has {sorted(self._table)}."
            )
        object.__setattr__(self, name, value)

    def explicit(self) -> dict[str, Any]:
        """Returns the switches that somebody set, with their values."""
        return dict(self._set)

    def adopt(self, values: dict[str, Any]) -> None:
        """Takes switches from :meth:`explicit` of another strategy.

        Args:
            values (dict): the switches.
        """
        self._set.update(values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={getattr(self, n)!r}" for n in self._table)
        return f"{type(self).__name__}({shown})"


def _property(owner: type, name: str, switch: Option) -> property:
    where = f"{owner.__name__}.{name}"

    def get(self: Any) -> Any:
        if name not in self._set:
            default = switch.default
            if switch.kind.endswith("Strategy"):
                return getattr(BuildStrategy, switch.kind)(default)
            if not isinstance(default, (list, set)):
                return default
            self._set[name] = type(default)(default)  # so that it can be added to
        return self._set[name]

    def put(self: Any, value: Any) -> None:
        value = _checked(where, switch.kind, value)
        least = _LEAST.get(name)
        if least is not None and value < least:
            raise InvalidArgumentError(f"{where}: expected an int >= {least}, got {value}.")
        if value in switch.refused:
            raise NotImplementedError(f"{where} = {value!r}: {switch.effect}.")
        self._set[name] = value

    return property(get, put, doc=f"{switch.kind}: {switch.effect}. Default: {switch.default!r}.")


def _checked(where: str, kind: str, value: Any) -> Any:
    """A value of the kind that a switch takes."""
    if kind.endswith("Strategy"):
        fits, kind = isinstance(value, getattr(BuildStrategy, kind)), f"a BuildStrategy.{kind}"
    elif kind.startswith("bool"):
        whole = isinstance(value, numbers.Integral) or type(value).__name__ in ("bool", "bool_")
        if whole and value in (0, 1):
            return bool(value)
        fits = value is None and kind == "bool or None"
    elif kind == "int":
        fits = isinstance(value, numbers.Integral)
        value = int(value) if fits else value
    elif kind == "str":
        fits = isinstance(value, str)
    else:
        outer = {"set": (set, frozenset), "list": (list, tuple)}[kind.split()[0]]
        fits = isinstance(value, outer) and all(isinstance(v, str) for v in value)
        value = outer[0](value) if fits else value
    if not fits:
        raise TypeError(f"{where}: expected {kind}, but received {type(value).__name__}.")
    return value


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
        """The passes that the switches leave out: where somebody set one to False."""
        switches = {
            "merge_optimizers": "fuse_all_optimizer_ops",
            "fuse_all_reduce": "fuse_all_reduce_ops",
            "in_place": "enable_inplace",
            "lifetimes": "memory_optimize",
        }
        return [passed for passed, name in switches.items() if self._set.get(name) is False]


class ExecutionStrategy(_Strategy):
    """How a Program runs on several places; docs/static.md says what every switch does here.

    Examples:
        .. code-block:: python

            import paddle.static as static
            strategy = static.ExecutionStrategy()
            strategy.num_threads = 2
            print(strategy.num_iteration_per_drop_scope)  # 100
    """

    _table = EXECUTION


def effects_table() -> str:
    """Returns what every switch does here as tables of Markdown."""
    parts = []
    for cls in (BuildStrategy, ExecutionStrategy):
        lines = [f"| `{cls.__name__}` | default | what it does here |", "|---|---|---|"]
        for name, switch in cls._table.items():
            shown = getattr(cls(), name)
            text = shown.name if isinstance(shown, enum.Enum) else repr(shown)
            lines.append(f"| `{name}` | `{text}` | {switch.effect} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def check_strategy(value: Any, kind: type, argument: str, owner: str = "") -> Any:
    """Returns a strategy, a new one for None."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise TypeError(
            f"{owner or 'with_data_parallel'}({argument}): expected a {kind.__name__}, "
            f"but received {type(value).__name__}."
        )
    return value
