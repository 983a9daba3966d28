"""All flags in typed tables; each can be set by environment variable or paddle.set_flags."""

from __future__ import annotations

import builtins
import difflib
import math
import os
import warnings
from collections.abc import Callable
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError

# name -> (default, what it does)
TABLE: dict[str, tuple[Any, str]] = {
    "FLAGS_check_nan_inf": (False, "stop at the operator that makes a NaN or an infinity"),
    "FLAGS_check_overwritten": (
        False,
        "refuse backward through values updated since, see set_value",
    ),
    "FLAGS_check_native": (False, "hold results of loaded operators against what they inferred"),
    "FLAGS_cpu_deterministic": (False, "use only algorithms whose results repeat bit by bit"),
    "FLAGS_cudnn_deterministic": (False, "the same, in cuDNN's convolutions alone"),
    "FLAGS_cudnn_exhaustive_search": (False, "time cuDNN's algorithms and keep the fastest"),
    "FLAGS_device_fallback": (True, "compute on the CPU what a device has no kernel for"),
    "FLAGS_dist_check_calls": (True, "compare what processes are about to exchange"),
    "FLAGS_dist_timeout": (1800.0, "seconds that an exchange between processes may take"),
    "FLAGS_executor_int8": (False, "compute quantised Programs by bytes in the Executor, too"),
    "FLAGS_int8_tune": (True, "measure which products are faster by bytes than in floats"),
    "FLAGS_kernel_tuning": (True, "measure which form of a kernel is fastest on this machine"),
    "FLAGS_require_checksums": (False, "refuse files that no checksum was saved with"),
    "FLAGS_ps_join_limit": (
        512,
        "MB of a table of parameter servers up to which a saved model has it whole",
    ),
    "FLAGS_ps_table_memory": (0, "MB of tables that a parameter server keeps in memory; 0: any"),
    "FLAGS_rpc_deadline": (180000, "ms until a request to a parameter server is given up"),
    "FLAGS_run_limit_seconds": (0.0, "stop a Program that runs longer; 0: no limit"),
    "FLAGS_run_limit_steps": (0, "stop a Program whose loops take more steps in all; 0: no limit"),
    "FLAGS_to_static_cache_size": (256, "Programs that a converted function keeps; 0 keeps all"),
    "FLAGS_selected_gpus": ("0", "GPU this process uses, as a launcher sets it"),
    "FLAGS_selected_xpus": ("0", "XPU this process uses, as a launcher sets it"),
}
# Flags of PaddlePaddle that concern what is not there: its allocators, executors and libraries.
# They can be set and read, so that scripts go on; a warning says once that nothing follows.
WITHOUT_EFFECT: dict[str, Any] = {
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_apply_pass_to_program": False,
    "FLAGS_benchmark": False,
    "FLAGS_call_stack_level": 1,
    "FLAGS_conv_workspace_size_limit": 512,
    "FLAGS_cudnn_batchnorm_spatial_persistent": False,
    "FLAGS_cudnn_exhaustive_search_times": -1,
    "FLAGS_eager_delete_scope": True,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_enable_cublas_tensor_op_math": False,
    "FLAGS_enable_parallel_graph": False,
    "FLAGS_fast_eager_deletion_mode": True,
    "FLAGS_fraction_of_cpu_memory_to_use": 1.0,
    "FLAGS_fraction_of_cuda_pinned_memory_to_use": 0.5,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_fuse_parameter_groups_size": 3,
    "FLAGS_fuse_parameter_memory_size": -1.0,
    "FLAGS_gpu_allocator_retry_time": 2000,
    "FLAGS_gpu_memory_limit_mb": 0,
    "FLAGS_init_allocated_mem": False,
    "FLAGS_initial_cpu_memory_in_mb": 500,
    "FLAGS_initial_gpu_memory_in_mb": 0,
    "FLAGS_inner_op_parallelism": 0,
    "FLAGS_max_inplace_grad_add": 0,
    "FLAGS_memory_fraction_of_eager_deletion": 1.0,
    "FLAGS_multiple_of_cupti_buffer_size": 1,
    "FLAGS_paddle_num_threads": 1,
    "FLAGS_pe_profile_fname": "",
    "FLAGS_print_sub_graph_dir": "",
    "FLAGS_reader_queue_speed_test_mode": False,
    "FLAGS_reallocate_gpu_memory_in_mb": 0,
    "FLAGS_rpc_retry_times": 3,
    "FLAGS_sort_sum_gradient": False,
    "FLAGS_sync_nccl_allreduce": True,
    "FLAGS_tracer_mkldnn_ops_on": "",
    "FLAGS_use_mkldnn": False,
    "FLAGS_use_ngraph": False,
    "FLAGS_use_pinned_memory": True,
    "FLAGS_use_system_allocator": False,
}
_NOT_BELOW_0 = frozenset(
    [
        "FLAGS_ps_join_limit",
        "FLAGS_ps_table_memory",
        "FLAGS_rpc_deadline",
        "FLAGS_run_limit_seconds",
        "FLAGS_run_limit_steps",
    ]
)
_values: dict[str, Any] = {}
_told: builtins.set[str] = set()  # flags without effect that a warning was given for
# Seconds and steps that one run of a Program may take, 0: any number; None where nothing is
# limited. Plans are made for a limit, so this is looked at in every run.
run_limit: tuple[float, int] | None = None


def _repeat(on: bool) -> None:
    torch.use_deterministic_algorithms(on, warn_only=True)
    # new memory needs no values: every kernel writes its whole result
    setattr(torch.utils.deterministic, "fill_uninitialized_memory", False)


def _repeat_convolutions(on: bool) -> None:
    torch.backends.cudnn.deterministic = on


def _search(on: bool) -> None:
    torch.backends.cudnn.benchmark = on


def _limit_runs(value: float) -> None:
    global run_limit
    seconds, steps = get("FLAGS_run_limit_seconds"), get("FLAGS_run_limit_steps")
    run_limit = (seconds, steps) if seconds or steps else None


# What setting a flag does at once; the others are looked up where they matter.
_EFFECTS: dict[str, list[Callable[[Any], None]]] = {
    "FLAGS_cpu_deterministic": [_repeat],
    "FLAGS_cudnn_deterministic": [_repeat_convolutions],
    "FLAGS_cudnn_exhaustive_search": [_search],
    "FLAGS_run_limit_seconds": [_limit_runs],
    "FLAGS_run_limit_steps": [_limit_runs],
}


def when_set(name: str, effect: Callable[[Any], None]) -> None:
    """Has a function called with every new value of a flag."""
    _EFFECTS.setdefault(_known(name), []).append(effect)


def declare(name: str, default: Any, text: str) -> None:
    """Makes a flag known that a part outside of this package looks up."""
    TABLE.setdefault(name, (default, text))


def names() -> list[str]:
    """Returns the names of all flags."""
    return [*TABLE, *WITHOUT_EFFECT]


def _default(name: str) -> Any:
    return TABLE[name][0] if name in TABLE else WITHOUT_EFFECT[name]


def _parse(name: str, text: Any) -> Any:
    default = _default(name)
    if isinstance(default, bool):
        if isinstance(text, str):
            return text.strip().lower() in ("1", "true", "yes", "on")
        return bool(text)
    try:
        value = type(default)(text)
    except (TypeError, ValueError, OverflowError):
        value = None
    if value is None or (name in _NOT_BELOW_0 and not 0 <= value < math.inf):
        least = ", finite and at least 0," if name in _NOT_BELOW_0 else ""
        raise InvalidArgumentError(
            f"flag {name}: expected {type(default).__name__}{least}, but received {text!r}."
        )
    return value


def _known(name: str) -> str:
    if name in TABLE or name in WITHOUT_EFFECT:
        return name
    near = difflib.get_close_matches(name, names(), n=1)
    raise InvalidArgumentError(
        f"there is no flag {name!r}.",
        hint=f"did you mean {near[0]}?" if near else f"there are {list(TABLE)}",
    )


def get(name: str) -> Any:
    """Returns the value of a flag: as set, else from the environment, else its default."""
    _known(name)
    if name not in _values:
        text = os.environ.get(name)
        _values[name] = _default(name) if text is None else _parse(name, text)
    return _values[name]


def set(name: str, value: Any) -> None:
    """Sets a flag for this process."""
    _values[_known(name)] = parsed = _parse(name, value)
    if name in WITHOUT_EFFECT and name not in _told and parsed != _default(name):
        _told.add(name)
        warnings.warn(f"{name} has no effect here: it is for parts of PaddlePaddle that this "
                      "framework does not have.", stacklevel=4)  # fmt: skip
    for effect in _EFFECTS.get(name, ()):
        effect(parsed)


for _name in _EFFECTS:
    if _name in os.environ:
        set(_name, os.environ[_name])
