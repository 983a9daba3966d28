"""MQ2007 of LETOR 4.0: queries, and documents with 46 features and a relevance, in text files.

Its archive is a .rar, which Python cannot read: unpacked by another program, it is found in the
cache.
"""

from __future__ import annotations

import functools
import glob
import os
import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.core.guards import guard_module
from paddle.dataset.common import data_home, download
from paddle.dataset.files import as_text

__all__: list[str] = []

URL = (
    "http://www.bigdatalab.ac.cn/benchmark/upload/download_source/"
    "7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar"
)
MD5 = "7be1640ae95c6408dab0ae7207bdc706"

_FOLDER = "MQ2007"
_FEATURES = 46


class Query:
    """A document beside a query.

    Args:
        query_id (int, optional): number of the query. Default: -1.
        relevance_score (int, optional): 0, 1 or 2. Default: -1.
        feature_vector (list, optional): 46 numbers. Default: None, an empty list.
        description (str, optional): the comment of its line. Default: ``''``.
    """

    def __init__(
        self,
        query_id: int = -1,
        relevance_score: int = -1,
        feature_vector: list[float] | None = None,
        description: str = "",
    ) -> None:
        self.query_id = query_id
        self.relevance_score = relevance_score
        self.feature_vector = [] if feature_vector is None else feature_vector
        self.description = description

    def __str__(self) -> str:
        return " ".join(map(str, (self.relevance_score, self.query_id, *self.feature_vector)))


class QueryList:
    """The documents of one query.

    Args:
        querylist (list, optional): Query objects of the same number. Default: None, an empty list.

    Raises:
        ValueError: the numbers differ.
    """

    def __init__(self, querylist: list[Query] | None = None) -> None:
        self.query_id = -1
        self.querylist: list[Query] = []
        for query in querylist or []:
            self.add(query)

    def add(self, query: Query) -> None:
        """Appends a document.

        Args:
            query (Query): it must be of the query that the others are of.
        """
        if self.querylist and query.query_id != self.query_id:
            raise InvalidArgumentError(
                f"QueryList: expected documents of the query {self.query_id}, "
                f"but received one of {query.query_id}."
            )
        self.query_id = query.query_id
        self.querylist.append(query)

    def sort(self) -> None:
        """Brings the most relevant documents to the front; equal ones keep their order."""
        self.querylist.sort(key=lambda query: query.relevance_score, reverse=True)

    def __iter__(self) -> Iterator[Query]:
        return iter(self.querylist)

    def __len__(self) -> int:
        return len(self.querylist)

    def __getitem__(self, i: int) -> Query:
        return self.querylist[i]


def _ranked(querylist: QueryList | list[Query]) -> QueryList:
    ranked = querylist if isinstance(querylist, QueryList) else QueryList(querylist)
    ranked.sort()
    return ranked


def gen_plain_txt(querylist: QueryList | list[Query]) -> Iterator[tuple[int, int, np.ndarray]]:
    """Gives of each document the query's number, the relevance and the features.

    Args:
        querylist (QueryList|list): the documents of a query; they are sorted by relevance.
    """
    ranked = _ranked(querylist)
    for query in ranked:
        yield ranked.query_id, query.relevance_score, np.array(query.feature_vector)


def gen_point(querylist: QueryList | list[Query]) -> Iterator[tuple[int, np.ndarray]]:
    """Gives of each document the relevance and the features, for learning point by point.

    Args:
        querylist (QueryList|list): the documents of a query; they are sorted by relevance.
    """
    for query in _ranked(querylist):
        yield query.relevance_score, np.array(query.feature_vector)


def gen_pair(
    querylist: QueryList | list[Query], partial_order: str = "full"
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Gives pairs of documents: ``[1]``, the features of the more relevant one, and of the other.

    Args:
        querylist (QueryList|list): the documents of a query; they are sorted by relevance.
        partial_order (str, optional): ``'full'``: every pair of different relevance;
            ``'neighbour'``: only those that follow each other in the order. Default: ``'full'``.
    """
    if partial_order not in ("full", "neighbour"):
        raise InvalidArgumentError(
            f"gen_pair(partial_order): expected 'full' or 'neighbour', "
            f"but received {partial_order!r}."
        )
    ranked = _ranked(querylist)
    for i, left in enumerate(ranked):
        last = len(ranked) if partial_order == "full" else min(i + 2, len(ranked))
        for right in ranked.querylist[i + 1 : last]:
            if left.relevance_score > right.relevance_score:
                better, worse = np.array(left.feature_vector), np.array(right.feature_vector)
                yield np.array([1]), better, worse


def gen_list(querylist: QueryList | list[Query]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Gives all documents at once: relevances [N, 1] and features [N, 46].

    Args:
        querylist (QueryList|list): the documents of a query; they are sorted by relevance.
    """
    ranked = _ranked(querylist)
    scores = [[query.relevance_score] for query in ranked]
    yield np.array(scores), np.array([query.feature_vector for query in ranked])


def query_filter(querylists: Iterable[QueryList]) -> list[QueryList]:
    """Leaves out the queries without any relevant document.

    Args:
        querylists (list): QueryList objects.
    """
    return [each for each in querylists if sum(query.relevance_score for query in each)]


def load_from_text(filepath: str, shuffle: bool = False, fill_missing: float = -1) -> list:
    """Reads the queries of a file.

    Args:
        filepath (str): the file, or its place in the cache: ``MQ2007/MQ2007/Fold1/train.txt``.
        shuffle (bool, optional): bring the queries into a random order, by Python's ``random``.
            Default: False.
        fill_missing (float, optional): what features get that a line does not have, or has as
            ``NULL``. Default: -1.

    Returns:
        list: QueryList objects, of documents of the same query that follow one another.

    Raises:
        FileNotFoundError: there is no such file; the text says how to get it.
        ValueError: a line is not of the format.
    """
    path = _found(filepath)
    lists: list[QueryList] = []
    with open(path, "rb") as file:
        for number, content in enumerate(file, 1):
            where = f"line {number} of {path}"
            line = as_text(content, where).strip()
            if line:
                query = _parsed(line, where, fill_missing)
                if not lists or lists[-1].query_id != query.query_id:
                    lists.append(QueryList())
                lists[-1].add(query)
    if shuffle:
        random.shuffle(lists)
    return lists


def _parsed(line: str, where: str, missing: float) -> Query:
    """Parses ``2 qid:10 1:0.5 2:NULL ... #docid = ...``."""
    text, _, comment = line.partition("#")
    features = [float(missing)] * _FEATURES
    try:
        score, *fields = text.split()
        query_id = dict(field.split(":") for field in fields[:1])["qid"]
        for field in fields[1:]:
            place, value = field.split(":")
            if not 1 <= int(place) <= _FEATURES:
                raise ValueError(field)
            if value != "NULL":
                features[int(place) - 1] = float(value)
        return Query(int(query_id), int(score), features, comment.strip())
    except (ValueError, KeyError):
        raise InvalidArgumentError(
            f"{where}: expected '<relevance> qid:<number> 1:<value> ... {_FEATURES}:<value>', "
            f"but received {line[:60]!r}."
        ) from None


def _found(filepath: str) -> str:
    """The path of a file given as in the archive, which may have been unpacked here or there."""
    if os.path.isfile(filepath):
        return filepath
    home = os.path.join(data_home(), _FOLDER)
    parts = filepath.split("/")
    inside = os.path.join(*parts[-2:])  # Fold1/train.txt
    places = [os.path.join(home, *parts), *sorted(glob.glob(f"{home}/**/{inside}", recursive=True))]
    for path in places:
        if os.path.isfile(path):
            return path
    name = URL.rpartition("/")[2]
    raise MissingFileError(
        f"mq2007: expected the file {inside} somewhere below {home}, but there is none.",
        hint=f"download {URL}, or call paddle.dataset.mq2007.fetch(), and unpack {name} into "
        f"{home}, with unrar, 7z or bsdtar: `7z x -o{home} {name}`",
    )


def __reader__(
    filepath: str, format: str = "pairwise", shuffle: bool = False, fill_missing: float = -1
) -> Iterator[Any]:
    """Reads a file's queries that have relevant documents.

    Args:
        filepath (str): as for :func:`load_from_text`.
        format (str, optional): ``'pairwise'``: what :func:`gen_pair` gives; ``'listwise'``: what
            :func:`gen_list` gives; ``'pointwise'``, ``'plain_txt'``: the most relevant document of
            each query. Default: ``'pairwise'``.
        shuffle (bool, optional): bring the queries into a random order. Default: False.
        fill_missing (float, optional): what missing features get. Default: -1.
    """
    makers = {
        "plain_txt": gen_plain_txt, "pointwise": gen_point, "pairwise": gen_pair,
        "listwise": gen_list,
    }  # fmt: skip
    if format not in makers:
        raise InvalidArgumentError(
            f"mq2007(format): expected one of {list(makers)}, but received {format!r}."
        )
    for querylist in query_filter(load_from_text(filepath, shuffle, fill_missing)):
        samples: Iterator[Any] = makers[format](querylist)
        yield from samples if format == "pairwise" else [next(samples)]


train = functools.partial(__reader__, filepath="MQ2007/MQ2007/Fold1/train.txt")
test = functools.partial(__reader__, filepath="MQ2007/MQ2007/Fold1/test.txt")


def fetch() -> str:
    """Downloads the archive, unless it is in the cache, and returns its path."""
    return download(URL, _FOLDER, MD5)


guard_module(globals())
