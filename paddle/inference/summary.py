"""The table that Config.summary() returns: what is really on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddle.inference import onnxruntime

if TYPE_CHECKING:
    from paddle.inference.config import Config

Rows = list[tuple[str, Any]]


def summary_of(config: Config) -> str:
    """Returns a table of what is on in a Config.

    Args:
        config (Config): whose.
    """
    groups = [_model(config), _engine(config), _processor(config), _device(config),
              [(name, "not available") for name in config.settings.asked_for], _program(config),
              _runs(config)]  # fmt: skip
    return table(("Option", "Value"), [group for group in groups if group])


def _model(config: Config) -> Rows:
    if config.model_from_memory():
        return [("model", "in memory")]
    files = {"model_dir": config.model_dir(), "model_file": config.prog_file(),
             "params_file": config.params_file()}  # fmt: skip
    return [(name, value) for name, value in files.items() if value] or [("model", "not set")]


def _engine(config: Config) -> Rows:
    if not config.onnxruntime_enabled():
        return [("engine", "pypaddle")]
    found = onnxruntime.version()
    if found is None:
        return [("engine", "onnxruntime: not installed")]
    optimised = config.ir_optim() or config.settings.ort_optimization
    return [("engine", f"onnxruntime {found}"), ("ort_optimization", optimised)]


def _processor(config: Config) -> Rows:
    rows: Rows = [("cpu_math_thread", config.cpu_math_library_num_threads())]
    rows.append(("enable_mkldnn", config.mkldnn_enabled()))
    if config.mkldnn_enabled():
        rows.append(("mkldnn_cache_capacity", config.settings.cache_capacity))
    rows.append(("mkldnn_bfloat16", config.mkldnn_bfloat16_enabled()))
    rows.append(("mkldnn_int8", config.mkldnn_int8_enabled()))
    if config.mkldnn_quantizer_enabled():
        rows.append(("mkldnn_quantizer", True))
    return rows


def _device(config: Config) -> Rows:
    rows: Rows = [("use_gpu", config.use_gpu())]
    if config.use_gpu():
        rows.append(("gpu_device_id", config.gpu_device_id()))
    if config.use_custom_device():
        rows.append(("device", f"{config.custom_device_type()}:{config.custom_device_id()}"))
    return rows


def _program(config: Config) -> Rows:
    passes = config.passes() if not config.onnxruntime_enabled() else []
    rows: Rows = [("ir_optim", config.ir_optim()), ("ir_debug", config.ir_debug())]
    rows += [("passes" if not at else "", name) for at, name in enumerate(passes or ["none"])]
    return [*rows, ("memory_optim", config.memory_optim_enabled())]


def _runs(config: Config) -> Rows:
    return [
        ("enable_profile", config.profile_enabled()),
        ("enable_log", not config.glog_info_disabled()),
        ("specify_input_name", config.specify_input_name()),
    ]


def table(head: tuple[str, str], groups: list[Rows]) -> str:
    """Returns rows of two columns in frames, a frame a group.

    Args:
        head (tuple): the titles of the columns.
        groups (list): rows for each frame.
    """
    shown = [[(a, str(b).lower() if isinstance(b, bool) else str(b)) for a, b in g] for g in groups]
    rows = [head, *(row for group in shown for row in group)]
    first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
    rule = f"+-{'-' * first}-+-{'-' * second}-+"
    lines = [rule, f"| {head[0]:{first}} | {head[1]:{second}} |", rule]
    for group in shown:
        lines += [f"| {a:{first}} | {b:{second}} |" for a, b in group]
        lines.append(rule)
    return "\n" + "\n".join(lines) + "\n"
