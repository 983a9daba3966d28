"""Hyper-parameters of a run, and the names of the scalars they are judged by."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from visualdl.component import checks
from visualdl.record import HPARAM_TAG, Record, Value

KINDS = {"int_value": "numeric", "float_value": "continuous", "string_value": "string"}
"""The member that is set -> what the board calls it."""


def to_record(hparams_dict: Any, metrics_list: Any, walltime: Any = None, name: str = "") -> Any:
    """Gives hyper-parameters as a Record; see `LogWriter.add_hparams`.

    Args:
        name (str): tells this record from others; the path of the log.
    """
    if not isinstance(hparams_dict, Mapping):
        raise ValueError(f"hparams_dict: expected a dict, but got {hparams_dict!r}.")
    metrics = checks.names(metrics_list, "metrics_list")
    made = Record.HParam(name=hashlib.blake2s(name.encode(), digest_size=16).hexdigest())
    for key, value in hparams_dict.items():
        checks.text(key, "hparams_dict")
        if value is not None:
            made.hparamInfos.add(name=key, **_setting(value, f"hparams_dict[{key!r}]"))
    for metric in metrics:
        made.metricInfos.add(name=metric, float_value=0.0)
    time = checks.milliseconds(walltime)
    return Record(values=[Value(id=1, tag=HPARAM_TAG, timestamp=time, hparam=made)])


def _setting(value: Any, name: str) -> dict[str, Any]:
    """Gives the member for a value; what is neither number nor text is stored as it is printed."""
    if isinstance(value, str):
        return {"string_value": checks.text(value, name)}
    if isinstance(value, int):
        return {"int_value": checks.whole(value, name)}
    if isinstance(value, float):
        return {"float_value": value}
    try:
        found = None if isinstance(value, (list, tuple)) else checks.array(value, name)
    except ValueError:
        found = None
    if found is None:
        return {"string_value": checks.text(_printed(value), name)}
    if found.size != 1:
        raise ValueError(f"{name}: expected one number, but got shape {tuple(found.shape)}.")
    only = found.reshape(-1)[0].item()
    return {"float_value": only} if isinstance(only, float) else {"int_value": int(only)}


def _printed(value: Any) -> str:
    """Gives a value as text, a function or a class by its name: addresses differ by run."""
    named = getattr(value, "__qualname__", None)
    return named if callable(value) and isinstance(named, str) else str(value)


def from_record(value: Any) -> tuple[dict[str, Any], list[str]]:
    """Gives the hyper-parameters and the names of the metrics."""
    settings = {}
    for info in value.hparam.hparamInfos:
        kind = info.WhichOneof("type")
        settings[info.name] = getattr(info, kind) if kind else None
    return settings, [info.name for info in value.hparam.metricInfos]


def to_json(value: Any) -> dict[str, Any]:
    """Gives `{"hparams": {name: value}, "metrics": [name, ...]}`."""
    settings, metrics = from_record(value)
    shown = {
        key: checks.number_shown(item) if isinstance(item, float) else item
        for key, item in settings.items()
    }
    return {"hparams": shown, "metrics": metrics}
