"""Answers about images, audio, texts, histograms and curves: read from the files when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from visualdl.server.asking import Body, Context, Query, Refused
from visualdl.server.points import SECONDS
from visualdl.server.sampling import spread
from visualdl.server.store import Places, RunData

MOST = 10_000
"""Records of a tag that a list names."""
SHOWN = 500
"""Histograms and curves of a tag that are answered, spread over the run."""
IMAGES = [
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
]
SOUNDS = [
    (b"RIFF", "audio/wav"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
]
OTHER = "application/octet-stream"


def in_ms(time: int) -> int:
    """Gives a time stamp in milliseconds."""
    return time * 1000 if time < SECONDS else time


def places(query: Query, context: Context, component: str) -> tuple[RunData, Places]:
    """Gives where the records of the tag are that is asked for.

    Raises:
        Refused: there is no such run or tag.
    """
    run = context.run(query)
    tag = query.text("tag")
    found = run.records.get(component, {}).get(tag)
    if found is None:
        raise Refused(f"there is no {component} {tag[:200]!r} in the run {run.name!r}.", 404)
    return run, found


def _list(component: str) -> Callable[[Query, Context], list[dict[str, int]]]:
    """Makes `COMPONENT/list`: step and time of each record."""

    def answer(query: Query, context: Context) -> list[dict[str, int]]:
        _, found = places(query, context, component)
        since = query.whole("since", 0, 0, 1 << 40)
        numbers = range(since, min(len(found), since + MOST))
        return [{"step": found[at][0], "wallTime": in_ms(found[at][1])} for at in numbers]

    return answer


def one(query: Query, context: Context, component: str) -> Any:
    """Reads the record that is asked for by `index`, the first by default."""
    run, found = places(query, context, component)
    index = query.whole("index", 0, -(1 << 40), 1 << 40)
    if not -len(found) <= index < len(found):
        raise Refused(f"index: expected less than {len(found)}, got {index}.", 404)
    return read(run, found, index % len(found))


def read(run: RunData, found: Places, index: int) -> Any:
    """Reads a record again.

    Raises:
        Refused: it is not there any more.
    """
    try:
        return run.value(found[index])
    except (OSError, ValueError) as error:
        raise Refused(f"the record is not there any more: {error}", 404) from error


def _kind(data: bytes, kinds: list[tuple[bytes, str]]) -> str:
    return next((kind for start, kind in kinds if data.startswith(start)), OTHER)


def image(query: Query, context: Context) -> Body:
    """`image/image`: one image."""
    data = one(query, context, "image").image.encoded_image_string
    return Body(data, "image/webp" if data[8:12] == b"WEBP" else _kind(data, IMAGES))


def audio(query: Query, context: Context) -> Body:
    """`audio/audio`: one piece of sound."""
    data = one(query, context, "audio").audio.encoded_audio_string
    return Body(data, _kind(data, SOUNDS))


def text(query: Query, context: Context) -> Body:
    """`text/text`: one text."""
    data = one(query, context, "text").text.encoded_text_string
    return Body(data.encode("utf-8", "replace"), "text/plain; charset=utf-8")


def _spread(query: Query, context: Context, component: str) -> list[Any]:
    """Gives the values that are shown of a tag, all or so many spread over the run."""
    run, found = places(query, context, component)
    most = query.whole("points", SHOWN, 1, MOST)
    since = min(query.whole("since", 0, 0, 1 << 40), len(found))
    return [read(run, found, since + int(at)) for at in spread(len(found) - since, most)]


def histograms(query: Query, context: Context) -> list[list[Any]]:
    """`histogram/list`: [milliseconds, step, [[left, right, count], ...]] of each."""
    result = []
    for value in _spread(query, context, "histogram"):
        edges = list(value.histogram.bin_edges)
        bars = [list(bar) for bar in zip(edges, edges[1:], value.histogram.hist)]
        result.append([in_ms(value.timestamp), value.id, bars])
    return result


def _curve(component: str, first: str, second: str) -> Callable[[Query, Context], list[list[Any]]]:
    """Makes `pr-curve/list` and `roc-curve/list`."""

    def answer(query: Query, context: Context) -> list[list[Any]]:
        result = []
        for value in _spread(query, context, component):
            curve = getattr(value, component)
            columns = [list(getattr(curve, name)) for name in (first, second)]
            columns += [list(getattr(curve, name)) for name in ("TP", "FP", "TN", "FN")]
            count = len(columns[0])
            columns.append([number / count for number in range(1, count + 1)])
            result.append([in_ms(value.timestamp), value.id, *columns])
        return result

    return answer


def _steps(component: str) -> Callable[[Query, Context], list[list[int]]]:
    """Makes `pr-curve/steps` and `roc-curve/steps`: [milliseconds, step] of each record."""

    def answer(query: Query, context: Context) -> list[list[int]]:
        run = context.run(query)
        tags = run.records.get(component) or {}
        tag = query.text("tag", next(iter(list(tags)), ""))
        found = tags.get(tag)
        if found is None:
            raise Refused(f"there is no {component} in the run {run.name!r}.", 404)
        return [[in_ms(found[at][1]), found[at][0]] for at in range(min(len(found), MOST))]

    return answer


ROUTES: dict[str, Callable[[Query, Context], Any]] = {
    "image/list": _list("image"),
    "image/image": image,
    "audio/list": _list("audio"),
    "audio/audio": audio,
    "text/list": _list("text"),
    "text/text": text,
    "histogram/list": histograms,
    "pr-curve/list": _curve("pr_curve", "precision", "recall"),
    "roc-curve/list": _curve("roc_curve", "tpr", "fpr"),
    "pr-curve/steps": _steps("pr_curve"),
    "roc-curve/steps": _steps("roc_curve"),
}
