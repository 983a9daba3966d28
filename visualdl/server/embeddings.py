"""Answers about embeddings: the vectors, their labels, projections and neighbours."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from visualdl.server import projection
from visualdl.server.asking import Body, Context, Query, Refused
from visualdl.server.samples import places, read
from visualdl.server.store import Places, RunData

MOST = 1000
"""Tags that the list names."""
MOST_ROWS = 200_000
"""Points that are answered as JSON."""
MOST_SAMPLED = 20_000
"""Vectors that a sample has at most."""
COMPONENT = "embeddings"


@dataclass(frozen=True)
class Table:
    """Vectors of one tag.

    Attributes:
        vectors: rows x columns, float32.
        labels: the texts of each row.
        header: what the texts are called.
    """

    vectors: np.ndarray
    labels: list[list[str]]
    header: list[str]


def table(context: Context, run: RunData, tag: str, found: Places) -> Table:
    """Gives the newest vectors of a tag."""
    place = found[len(found) - 1]
    key = (COMPONENT, run.name, id(run), tag, place)
    return context.kept.get(key, lambda: _decoded(read(run, found, len(found) - 1).embeddings))


def _decoded(data: Any) -> Table:
    """Takes the vectors out of a record; those of another length than the first are left out."""
    width = len(data.embeddings[0].vectors) if data.embeddings else 0
    kept = [item for item in data.embeddings if len(item.vectors) == width]
    vectors = np.zeros((len(kept), width), np.float32)
    for row, item in enumerate(kept):
        vectors[row] = item.vectors
    return Table(vectors, [list(item.label) for item in kept], list(data.label_meta))


def _asked(query: Query, context: Context) -> Table:
    """Gives the vectors that are asked for, by `run` and `tag` or by the `name` of the list."""
    if query.args.get("name") is None:
        run, found = places(query, context, COMPONENT)
        return table(context, run, query.text("tag"), found)
    name = query.text("name")
    for run, tag, found in _all(context):
        if name in (f"{run.name}/{tag}", f"{context.names.get(run.name)}/{tag}"):
            return table(context, run, tag, found)
    raise Refused(f"there are no embeddings {name[:200]!r}.", 404)


def _all(context: Context) -> Iterator[tuple[RunData, str, Places]]:
    for run in list(context.store.runs.values()):
        for tag, found in list(run.records.get(COMPONENT, {}).items()):
            yield run, tag, found


def listed(query: Query, context: Context) -> list[dict[str, Any]]:
    """`embedding/list`: name and shape of all vectors."""
    result: list[dict[str, Any]] = []
    for run, tag, found in _all(context):
        if len(result) >= MOST:
            break
        name = f"{run.name}/{tag}"
        key = ("shape", run.name, id(run), tag, found[len(found) - 1])
        make = lambda r=run, t=tag, f=found: list(table(context, r, t, f).vectors.shape)
        try:
            shape = context.kept.get(key, make)
        except Refused:
            continue  # the run was just deleted
        result.append({"name": name, "shape": shape, "path": name})
    return result


def tensor(query: Query, context: Context) -> Body:
    """`embedding/tensor`: the vectors as they are, float32, little-endian."""
    data = _asked(query, context).vectors.astype("<f4")
    shape = "x".join(map(str, data.shape))
    return Body(data.tobytes(), "application/octet-stream", {"X-Shape": shape})


def sample(query: Query, context: Context) -> Body:
    """`embedding/sample`: some of the vectors, by chance, the same each time.

    Three int32 (how many vectors there are, their length, how many are here), the numbers of the
    rows (int32, ascending), then these rows as float32; all little-endian.
    """
    data = _asked(query, context).vectors
    most = query.whole("most", MOST_SAMPLED, 1, MOST_SAMPLED)
    chosen = projection.some_rows(len(data), most, query.whole("with", -1, -1, 1 << 40))
    head = np.concatenate([[*data.shape, len(chosen)], chosen]).astype("<i4")
    return Body(head.tobytes() + data[chosen].astype("<f4").tobytes(), "application/octet-stream")


def metadata(query: Query, context: Context) -> Body:
    """`embedding/metadata`: the labels as a table, after a header where there is one."""
    found = _asked(query, context)
    with io.StringIO() as text:
        writer = csv.writer(text, delimiter="\t")
        if found.header:
            writer.writerow(found.header)
        writer.writerows(found.labels)
        content = text.getvalue().encode("utf-8", "replace")
    return Body(content, "text/tab-separated-values")


def points(query: Query, context: Context) -> dict[str, Any]:
    """`embedding/points`: the vectors projected to two or three dimensions."""
    query.choice("method", ("pca",))
    query.choice("reduction", ("pca",))
    dimension = int(query.choice("dimension", ("2", "3")))
    found = _asked(query, context)
    if len(found.vectors) > MOST_ROWS:
        raise Refused(f"{len(found.vectors)} vectors are too many; at most {MOST_ROWS} are shown.")
    make = lambda: projection.pca(found.vectors, dimension)
    placed, shares = context.kept.get(("pca", id(found), dimension), lambda: (found, make()))[1]
    return {
        "points": placed.tolist(),
        "labels": found.labels,
        "header": found.header,
        "shape": list(found.vectors.shape),
        "variance": shares,
    }


def neighbors(query: Query, context: Context) -> list[dict[str, Any]]:
    """`embedding/neighbors`: the vectors nearest to that of a row."""
    found = _asked(query, context)
    count = len(found.vectors)
    index = query.whole("index", 0, -1, 1 << 40)
    if not 0 <= index < count:
        raise Refused(f"index: expected 0 to {count - 1}, got {index}.", 404)
    metric = query.choice("metric", ("cosine", "euclidean"))
    near = projection.neighbors(found.vectors, index, query.whole("k", 10, 1, 1000), metric)
    return [
        {"index": row, "distance": distance, "label": found.labels[row]} for row, distance in near
    ]


ROUTES = {
    "embedding/list": listed,
    "embedding/tensor": tensor,
    "embedding/sample": sample,
    "embedding/metadata": metadata,
    "embedding/points": points,
    "embedding/embedding": points,
    "embedding/neighbors": neighbors,
}
