"""Answers about scalars: lists, many runs at once for a chart, tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from visualdl.server.asking import Body, Context, Query, Refused
from visualdl.server.points import Points
from visualdl.server.sampling import between, sampled

POINTS = 2000
"""A chart shows no more of a line."""
MOST_POINTS = 100_000
MOST_RUNS = 1000
MOST_OF_ALL = 1_000_000
"""An answer about many runs has about so many points at most."""
ROWS = 10_000
"""Rows of a table that are written at once."""
DELIMITERS = {"tsv": "\t", "csv": ","}


def rows(points: Points) -> list[list[Any]]:
    """Gives points as [milliseconds, step, value]; what is not finite is a text."""
    values = points.values.tolist()
    for at in np.flatnonzero(~np.isfinite(points.values)).tolist():
        value = values[at]
        values[at] = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return [list(row) for row in zip(points.ms.tolist(), points.steps.tolist(), values)]


def chosen(query: Query, points: Points, limit: int = MOST_POINTS) -> Points:
    """Gives the points a query asks for: `since`, `from`, `to`, `axis`, `points`."""
    since = query.whole("since", 0, 0, 1 << 62)
    if since:
        points = points.part(slice(min(since, len(points)), None))
    axis = query.choice("axis", ("step", "wall"))
    low, high = query.number("from"), query.number("to")
    if low is not None or high is not None:
        points = points.part(between(points.ms if axis == "wall" else points.steps, low, high))
    most = query.whole("points", POINTS, 0, limit) or limit
    if len(points) > most:
        points = points.part(sampled(points.values, most))
    return points


def scalar_list(query: Query, context: Context) -> list[list[Any]]:
    """`scalar/list`: the points of a tag of a run."""
    run, tag = query.text("run"), query.text("tag")
    points = context.store.scalar(run, tag)
    if points is None:
        raise Refused(f"there is no scalar {tag[:200]!r} in the run {run[:200]!r}.", 404)
    return rows(chosen(query, points))


def scalars_list(query: Query, context: Context) -> list[list[Any]]:
    """`scalars/list`: the points of one part of what `add_scalars` wrote."""
    return rows(chosen(query, _part(query, context)))


def scalar_many(query: Query, context: Context) -> dict[str, Any]:
    """`scalar/many`: the points of a tag of many runs; runs that do not have it are left out."""
    tag = query.text("tag")
    names = query.texts("run")[:MOST_RUNS]
    limit = min(MOST_POINTS, MOST_OF_ALL // max(1, len(names)))
    result = {}
    for name in names:
        points = context.store.scalar(name, tag)
        if points is None or not len(points):
            continue
        result[name] = {
            "points": rows(chosen(query, points, limit)),
            "total": len(points),
            "next": len(points),
            "last": rows(points.part(slice(-1, None)))[0],
        }
    return result


def scalar_data(query: Query, context: Context) -> Body:
    """`scalar/data`: every point of a tag as a table."""
    delimiter = DELIMITERS[query.choice("type", ("tsv", "csv"))]
    run, tag = query.text("run"), query.text("tag")
    place = context.store.series(run, tag)
    if place is None:
        raise Refused(f"there is no scalar {tag[:200]!r} in the run {run[:200]!r}.", 404)
    series, name = place
    if isinstance(name, tuple):
        head = ["id", "tag", "sub_tag", "timestamp", "value"]
        return Body(_table(head, list(name), _points(series.get(name)), delimiter), "text/csv")
    head = ["id", "tag", "timestamp", "value"]
    return Body(_table(head, [tag], _points(series.get(name)), delimiter), "text/csv")


def scalars_data(query: Query, context: Context) -> Body:
    """`scalars/data`: every point of one part of what `add_scalars` wrote, as a table."""
    delimiter = DELIMITERS[query.choice("type", ("tsv", "csv"))]
    names = [query.text("tag"), query.text("sub_tag")]
    head = ["id", "tag", "sub_tag", "timestamp", "value"]
    return Body(_table(head, names, _part(query, context), delimiter), "text/csv")


def _part(query: Query, context: Context) -> Points:
    name, tag, part = query.text("run"), query.text("tag"), query.text("sub_tag")
    run = context.store.run(name)
    points = run.groups.get((tag, part)) if run is not None else context.store.scalar(name, tag)
    if points is None:
        raise Refused(f"there is no {tag[:200]!r} with {part[:200]!r} in the run {name!r}.", 404)
    return points


def _points(points: Points | None) -> Points:
    assert points is not None
    return points


def _table(head: list[str], names: list[str], points: Points, delimiter: str) -> Iterator[bytes]:
    """Writes a table piece by piece: a long one is never in memory as a whole."""
    for start in range(0, max(len(points), 1), ROWS):
        with io.StringIO() as text:
            writer = csv.writer(text, delimiter=delimiter)
            if start == 0:
                writer.writerow(head)
            part = points.part(slice(start, start + ROWS))
            columns = zip(part.steps.tolist(), part.times.tolist(), part.values.tolist())
            writer.writerows([step, *names, time, value] for step, time, value in columns)
            yield text.getvalue().encode("utf-8", "replace")
