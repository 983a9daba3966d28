"""Answers about hyper-parameters: each run that has some, and what its metrics came to."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from visualdl.server.asking import Body, Context, Query, Refused
from visualdl.server.scalars import DELIMITERS, chosen, rows
from visualdl.server.store import RunData

TYPES = {"float_value": "continuous", "int_value": "numeric", "string_value": "string"}
ENOUGH = 3
"""Fewer pairs of numbers say nothing about how they go together."""
MOST = 10_000


def _runs(context: Context) -> list[RunData]:
    """Gives the runs with hyper-parameters, the oldest first."""
    found = [run for run in list(context.store.runs.values()) if run.hparams is not None]
    return sorted(found, key=lambda run: run.hparams[0])[:MOST]  # type: ignore[index]


def _given(run: RunData) -> dict[str, tuple[str, Any]]:
    """Gives name -> (type, value) of a run's hyper-parameters."""
    assert run.hparams is not None
    result = {}
    for info in run.hparams[1].hparamInfos:
        kind = info.WhichOneof("type")
        if kind in TYPES:
            result[info.name] = (TYPES[kind], getattr(info, kind))
    return result


def _metrics(run: RunData) -> dict[str, Any]:
    """Gives name -> the last value of a run's metrics, None where it has none."""
    assert run.hparams is not None
    result: dict[str, Any] = {}
    for info in run.hparams[1].metricInfos:
        last = run.scalars.last(info.name)
        result[info.name] = None if last is None else rows(last)[0][-1]
    return result


def listed(query: Query, context: Context) -> list[dict[str, Any]]:
    """`hparams/list`: folder (by `shown=1` the name), hyper-parameters and metrics of each run."""
    shown = context.names if query.text("shown", "") else {}
    return [
        {
            "name": shown.get(run.name, run.name),
            "hparams": {name: value for name, (_, value) in _given(run).items()},
            "metrics": _metrics(run),
        }
        for run in _runs(context)
    ]


def indicators(query: Query, context: Context) -> dict[str, list[dict[str, Any]]]:
    """`hparams/indicators`: the hyper-parameters with the values they had, and the metrics."""
    hparams: dict[str, dict[str, Any]] = {}
    metrics: dict[str, dict[str, Any]] = {}
    for run in _runs(context):
        for name, (kind, value) in _given(run).items():
            known = hparams.setdefault(name, {"name": name, "type": kind, "values": []})
            if value not in known["values"]:
                known["values"].append(value)
        for name, last in _metrics(run).items():
            if last is not None:
                metrics[name] = {"name": name, "type": "continuous"}
    return {"hparams": list(hparams.values()), "metrics": list(metrics.values())}


def metric(query: Query, context: Context) -> list[list[Any]]:
    """`hparams/metric`: the points of a metric of a run."""
    run, name = query.text("run"), query.text("metric")
    points = context.store.scalar(run, name)
    if points is None:
        raise Refused(f"there is no scalar {name[:200]!r} in the run {run[:200]!r}.", 404)
    return rows(chosen(query, points))


def importance(query: Query, context: Context) -> list[dict[str, Any]]:
    """`hparams/importance`: how much each hyper-parameter goes together with the metrics.

    That is the absolute correlation with each metric, added up, as a share of all.
    """
    runs = [(_given(run), _metrics(run)) for run in _runs(context)]
    names = dict.fromkeys(
        name for given, _ in runs for name, (kind, _) in given.items() if kind != "string"
    )
    metrics = dict.fromkeys(name for _, found in runs for name in found)
    sums = {
        name: sum(
            _together([(g.get(name, ("", None))[1], m.get(other)) for g, m in runs])
            for other in metrics
        )
        for name in names
    }
    total = sum(sums.values())
    return [{"name": n, "value": value / total if total else 0.0} for n, value in sums.items()]


def _together(pairs: list[tuple[Any, Any]]) -> float:
    """Gives the absolute correlation of pairs of numbers, 0 where there is none."""
    numbers = [
        pair for pair in pairs if all(isinstance(v, (int, float)) and np.isfinite(v) for v in pair)
    ]
    if len(numbers) < ENOUGH:
        return 0.0
    data = np.array(numbers, np.float64)
    data -= data.mean(axis=0)
    size = float(np.sqrt((data[:, 0] ** 2).sum() * (data[:, 1] ** 2).sum()))
    value = abs(float((data[:, 0] * data[:, 1]).sum())) / size if size > 0 else 0.0
    return value if np.isfinite(value) else 0.0


def table(query: Query, context: Context) -> Body:
    """`hparams/data`: the list as a table."""
    delimiter = DELIMITERS[query.choice("type", ("tsv", "csv"))]
    found = listed(query, context)
    hparams = list(dict.fromkeys(name for item in found for name in item["hparams"]))
    metrics = list(dict.fromkeys(name for item in found for name in item["metrics"]))
    with io.StringIO() as text:
        writer = csv.writer(text, delimiter=delimiter)
        writer.writerow(["Trial ID", *hparams, *metrics])
        for item in found:
            values = {**item["hparams"], **item["metrics"]}
            writer.writerow([item["name"], *(values.get(name, "") for name in hparams + metrics)])
        return Body(text.getvalue().encode("utf-8", "replace"), "text/csv")


ROUTES = {
    "hparams/list": listed,
    "hparams/indicators": indicators,
    "hparams/metric": metric,
    "hparams/importance": importance,
    "hparams/data": table,
}
