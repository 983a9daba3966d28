"""Methods of FleetUtil that work on the servers of PaddlePaddle's pslib, and say so."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from paddle.core.errors import UnimplementedError

_SAVE = "fleet.save_persistables saves parameters and tables"
_LOAD = "fleet.init_server(folder) loads what fleet.save_persistables saved"
_DONE = "write a file of your own when fleet.save_persistables has returned"
_HDFS = "hadoop_fs_name hadoop_fs_ugi hadoop_home='$HADOOP_HOME'"
# Name -> parameters, what to do instead.
_METHODS = {
    "get_last_save_model": (f"output_path {_HDFS}", _DONE),
    "get_last_save_xbox": (f"output_path {_HDFS}", _DONE),
    "get_last_save_xbox_base": (f"output_path {_HDFS}", _DONE),
    "load_fleet_model": ("path mode=0", _LOAD),
    "load_fleet_model_one_table": ("table_id path", _LOAD),
    "load_model": ("output_path day pass_id", _LOAD),
    "pull_all_dense_params": ("scope program", _LOAD),
    "save_batch_model": ("output_path day", _SAVE),
    "save_cache_base_model": ("output_path day **kwargs", _SAVE),
    "save_cache_model": ("output_path day pass_id mode=1 **kwargs", _SAVE),
    "save_delta_model": ("output_path day pass_id", _SAVE),
    "save_fleet_model": ("path mode=0", _SAVE),
    "save_model": ("output_path day pass_id", _SAVE),
    "save_paddle_inference_model": (
        "executor scope program feeded_vars target_vars output_path day pass_id "
        f"{_HDFS} save_combine=True", _SAVE,
    ),
    "save_paddle_params": (
        f"executor scope program model_name output_path day pass_id {_HDFS} var_names=None "
        "save_combine=True", _SAVE,
    ),
    "save_xbox_base_model": ("output_path day", _SAVE),
    "split_program_by_device": ("program", "paddle.static.device_guard marks sections"),
    "write_cache_donefile": (
        f"output_path day pass_id key_num {_HDFS} donefile_name='sparse_cache.meta' **kwargs",
        _DONE,
    ),
    "write_model_donefile": (
        f"output_path day pass_id xbox_base_key {_HDFS} donefile_name='donefile.txt'", _DONE,
    ),
    "write_xbox_donefile": (
        "output_path day pass_id xbox_base_key data_path hadoop_fs_name hadoop_fs_ugi "
        "monitor_data={} hadoop_home='$HADOOP_HOME' donefile_name=None", _DONE,
    ),
}  # fmt: skip


def methods() -> dict[str, Callable]:
    """Returns the methods by name."""
    return {name: _refused(name, *told) for name, told in _METHODS.items()}


def _refused(name: str, parameters: str, instead: str) -> Callable:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise UnimplementedError(
            f"FleetUtil.{name} works on the servers of PaddlePaddle's pslib, which are not part "
            "of this version.",
            hint=instead,
        )

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Needs pslib's servers. Instead: {instead}."
    made = [_parameter(text) for text in ["self", *parameters.split()]]
    method.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    return method


def _parameter(text: str) -> inspect.Parameter:
    """``name``, ``name=default`` or ``**name``."""
    name, _, default = text.partition("=")
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if name.startswith("**"):
        return inspect.Parameter(name[2:], inspect.Parameter.VAR_KEYWORD)
    value = ast.literal_eval(default) if default else inspect.Parameter.empty
    return inspect.Parameter(name, kind, default=value)
