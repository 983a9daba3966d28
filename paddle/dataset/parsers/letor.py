"""Text files of LETOR 4.0: documents found for queries, their relevance and features by number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from paddle.dataset.parsers.archives import text_lines, wrong_line

__all__: list[str] = []

URL = (
    "http://www.bigdatalab.ac.cn/benchmark/upload/download_source/"
    "7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar"
)
MD5 = "7be1640ae95c6408dab0ae7207bdc706"
FOLDER = "MQ2007"
FEATURES = 46
_EXPECTED = (
    f"a line such as '0 qid:10 1:0.03 2:0.5 #docid = GX000' with features from 1 to {FEATURES}"
)


class Document(NamedTuple):
    """What one line says of a document."""

    query: int
    relevance: int
    features: list[float]
    description: str


def documents(path: str, fill_missing: float) -> Iterator[Document]:
    """Yields the documents of a file; blank lines are left out.

    Args:
        path (str): the file.
        fill_missing (float): in the place of features that are not given, or are ``NULL``.

    Raises:
        ValueError: a line is something else; the text names it.
    """
    with open(path, "rb") as file:
        lines = text_lines(file.read(), path)
    for number, line in enumerate(lines, 1):
        if line.partition("#")[0].strip():
            try:
                document = parsed(line, fill_missing)
            except (ValueError, IndexError):
                raise wrong_line(path, number, line, _EXPECTED) from None
            yield document


def parsed(line: str, fill_missing: float) -> Document:
    """Reads one line; ValueError or IndexError where it is something else."""
    data, _, description = line.partition("#")
    relevance, query, *pairs = data.split()
    name, colon, number = query.partition(":")
    if name != "qid" or not colon or not pairs:
        raise ValueError(query)
    features = [float(fill_missing)] * FEATURES
    for pair in pairs:
        place, _, value = pair.partition(":")
        if int(place) < 1:
            raise ValueError(place)
        features[int(place) - 1] = float(fill_missing if value == "NULL" else value)
    return Document(int(number), int(relevance), features, description.strip())
