"""MQ2007 of LETOR 4.0 as readers of 1.x: documents to be ranked for the queries of 2007's TREC.

The archive is a .rar file, which takes a program of its own: unpack it into its folder in the
cache, so that ``MQ2007/MQ2007/Fold1/train.txt`` lies there.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, UnavailableError
from paddle.core.guards import Guarded, guard_module
from paddle.dataset.common import data_home
from paddle.dataset.files import locate
from paddle.dataset.parsers import letor

__all__: list[str] = []

URL = letor.URL
MD5 = letor.MD5
_TRAIN, _TEST = (f"MQ2007/MQ2007/Fold1/{part}.txt" for part in ("train", "test"))
_ORDERS = ("full", "neighbour")
_FORMATS = ("plain_txt", "pointwise", "pairwise", "listwise")


class Query(Guarded):
    """A document found for a query.

    Args:
        query_id (int, optional): number of the query. Default: -1.
        relevance_score (int, optional): how well the document answers it, from 0 on. Default: -1.
        feature_vector (list|None, optional): 46 numbers. Default: None, an empty list.
        description (str, optional): what the file remarks. Default: ``''``.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query
            print(Query(10, 2, [0.5, 0.25]))  # 2 10 0.5 0.25
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
        return " ".join(map(str, [self.relevance_score, self.query_id, *self.feature_vector]))


class QueryList(Guarded):
    """The documents found for one query, a sequence of :class:`Query`.

    Args:
        querylist (list|None, optional): they must have the same ``query_id``. Default: None.

    Raises:
        ValueError: two of them belong to different queries.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query, QueryList
            found = QueryList([Query(10, 0), Query(10, 2)])
            print(len(found), found.query_id, found[1])  # 2 10 2 10
    """

    def __init__(self, querylist: list[Query] | None = None) -> None:
        self.query_id = -1
        self.querylist: list[Query] = []
        for query in querylist or []:
            self._add_query(query)

    def __iter__(self) -> Iterator[Query]:
        return iter(self.querylist)

    def __len__(self) -> int:
        return len(self.querylist)

    def __getitem__(self, i: Any) -> Any:
        return self.querylist[i]

    def _correct_ranking_(self) -> None:
        """Puts the documents that answer best first."""
        self.querylist.sort(key=lambda query: query.relevance_score, reverse=True)

    def _add_query(self, query: Query) -> None:
        if not isinstance(query, Query):
            raise TypeError(f"QueryList: expected Query, but received {type(query).__name__}.")
        if self.query_id == -1:
            self.query_id = query.query_id
        elif self.query_id != query.query_id:
            raise InvalidArgumentError(
                f"QueryList: expected documents of query {self.query_id}, the first one's, but "
                f"received one of query {query.query_id}."
            )
        self.querylist.append(query)


def _ranked(querylist: Any) -> QueryList:
    made = querylist if isinstance(querylist, QueryList) else QueryList(list(querylist))
    made._correct_ranking_()
    return made


def gen_plain_txt(querylist: Any) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yields query, relevance and features of each document, the best first.

    Args:
        querylist (QueryList|list): the documents of a query; a QueryList is sorted in place.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query, gen_plain_txt
            found = [Query(10, 0, [0.5]), Query(10, 2, [0.25])]
            print([relevance for _, relevance, _ in gen_plain_txt(found)])  # [2, 0]
    """
    ranked = _ranked(querylist)
    for query in ranked:
        yield ranked.query_id, query.relevance_score, np.array(query.feature_vector)


def gen_point(querylist: Any) -> Iterator[tuple[int, np.ndarray]]:
    """Yields relevance and features of each document, the best first.

    Args:
        querylist (QueryList|list): the documents of a query; a QueryList is sorted in place.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query, gen_point
            found = [Query(10, 0, [0.5]), Query(10, 2, [0.25])]
            print(next(gen_point(found)))  # (2, array([0.25]))
    """
    for query in _ranked(querylist):
        yield query.relevance_score, np.array(query.feature_vector)


def gen_pair(
    querylist: Any, partial_order: str = "full"
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yields pairs of documents of which the first answers better.

    Args:
        querylist (QueryList|list): the documents of a query; a QueryList is sorted in place.
        partial_order (str, optional): ``'full'`` gives all such pairs, ``'neighbour'`` those that
            follow each other in the order of relevance. Default: ``'full'``.

    Returns:
        iterator: the label, an array of 1, and the features of the better and of the other one.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query, gen_pair
            found = [Query(10, 0, [0.5]), Query(10, 2, [0.25]), Query(10, 1, [0.75])]
            print(len(list(gen_pair(found))), len(list(gen_pair(found, "neighbour"))))  # 3 2
    """
    if partial_order not in _ORDERS:
        raise InvalidArgumentError(
            f"gen_pair(partial_order): expected one of {list(_ORDERS)}, "
            f"but received {partial_order!r}."
        )
    ranked = _ranked(querylist)
    for i, better in enumerate(ranked):
        end = i + 2 if partial_order == "neighbour" else len(ranked)
        for other in ranked[i + 1 : end]:
            if better.relevance_score > other.relevance_score:
                first, second = (np.array(query.feature_vector) for query in (better, other))
                yield np.array([1]), first, second


def gen_list(querylist: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields one item: the relevance [N, 1] and the features [N, 46] of all documents of a query.

    Args:
        querylist (QueryList|list): the documents; a QueryList is sorted in place.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query, gen_list
            relevance, features = next(gen_list([Query(10, 0, [0.5]), Query(10, 2, [0.25])]))
            print(relevance.tolist(), features.tolist())  # [[2], [0]] [[0.25], [0.5]]
    """
    ranked = _ranked(querylist)
    relevance = [[query.relevance_score] for query in ranked]
    yield np.array(relevance), np.array([query.feature_vector for query in ranked])


def query_filter(querylists: Iterable[Any]) -> list[Any]:
    """Leaves out the queries that no document answers, whose relevance is 0 throughout.

    Args:
        querylists (list): of :class:`QueryList`.

    Returns:
        list: the others.

    Examples:
        .. code-block:: python

            from paddle.dataset.mq2007 import Query, QueryList, query_filter
            lists = [QueryList([Query(10, 0)]), QueryList([Query(11, 2)])]
            print([found.query_id for found in query_filter(lists)])  # [11]
    """
    return [found for found in querylists if sum(query.relevance_score for query in found) != 0]


def load_from_text(
    filepath: str, shuffle: bool = False, fill_missing: float = -1
) -> list[QueryList]:
    """Reads a file of LETOR 4.0.

    Args:
        filepath (str): its path, below the folder ``MQ2007`` of the cache if it is relative.
        shuffle (bool, optional): whether Python's ``random`` orders the queries. Default: False.
        fill_missing (float, optional): in the place of features that are missing. Default: -1.

    Returns:
        list: a :class:`QueryList` for each query, as documents of a query follow each other.

    Raises:
        RuntimeError: the file is not there; the text says how to unpack the archive.
        ValueError: a line is something else.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset.mq2007 import load_from_text

            with open("one.txt", "w") as file:
                file.write("2 qid:10 " + " ".join(f"{n}:0.5" for n in range(1, 47)) + " #docid")
            (found,) = load_from_text(os.path.abspath("one.txt"))
            print(found.query_id, len(found))  # 10 1
    """
    lists: list[QueryList] = []
    for document in letor.documents(_path(filepath), fill_missing):
        if not lists or lists[-1].query_id != document.query:
            lists.append(QueryList())
        lists[-1]._add_query(
            Query(document.query, document.relevance, document.features, document.description)
        )
    if shuffle:
        random.shuffle(lists)
    return lists


def _path(filepath: str) -> str:
    folder = os.path.join(data_home(), letor.FOLDER)
    path = os.path.join(folder, filepath)
    if not os.path.isfile(path):
        archive = letor.URL.rpartition("/")[2]
        raise UnavailableError(
            f"paddle.dataset.mq2007: expected the text file {path}, but there is none.",
            hint=f"unpack {archive}, which paddle.dataset.mq2007.fetch() downloads, into {folder}, "
            f"for instance by `unrar x {archive}` or `bsdtar -xf {archive}`",
        )
    return path


def _read(filepath: str, format: str, shuffle: bool, fill_missing: float) -> Iterator[Any]:
    if format not in _FORMATS:
        raise InvalidArgumentError(
            f"mq2007(format): expected one of {list(_FORMATS)}, but received {format!r}."
        )
    firsts = {"plain_txt": gen_plain_txt, "pointwise": gen_point, "listwise": gen_list}
    for found in query_filter(load_from_text(filepath, shuffle, fill_missing)):
        if format == "pairwise":
            yield from gen_pair(found)
        else:  # of each query the best document, or all in one item
            yield next(firsts[format](found))


def train(
    format: str = "pairwise",
    shuffle: bool = False,
    fill_missing: float = -1,
    filepath: str = _TRAIN,
) -> Iterator[Any]:
    """Reads the first fold's part for training, without queries that no document answers.

    This is the reader itself: ``paddle.batch(mq2007.train, 32)``.

    Args:
        format (str, optional): ``'pairwise'`` gives the items of :func:`gen_pair`, ``'listwise'``
            those of :func:`gen_list`, ``'pointwise'`` and ``'plain_txt'`` the first ones, for each
            query, of :func:`gen_point` and :func:`gen_plain_txt`. Default: ``'pairwise'``.
        shuffle (bool, optional): as for :func:`load_from_text`. Default: False.
        fill_missing (float, optional): as for :func:`load_from_text`. Default: -1.
        filepath (str, optional): another file. Default: ``'MQ2007/MQ2007/Fold1/train.txt'``.

    Examples:
        .. code-block:: python

            from paddle.dataset import mq2007
            label, better, other = next(mq2007.train())
            print(label, better.shape)  # [1] (46,)
    """
    return _read(filepath, format, shuffle, fill_missing)


def test(
    format: str = "pairwise", shuffle: bool = False, fill_missing: float = -1, filepath: str = _TEST
) -> Iterator[Any]:
    """Reads the first fold's part for tests, as :func:`train`.

    Args:
        format (str, optional): as for :func:`train`. Default: ``'pairwise'``.
        shuffle (bool, optional): as for :func:`load_from_text`. Default: False.
        fill_missing (float, optional): as for :func:`load_from_text`. Default: -1.
        filepath (str, optional): another file. Default: ``'MQ2007/MQ2007/Fold1/test.txt'``.

    Examples:
        .. code-block:: python

            from paddle.dataset import mq2007
            relevance, features = next(mq2007.test(format="listwise"))
            print(features.shape[1])  # 46
    """
    return _read(filepath, format, shuffle, fill_missing)


def fetch() -> str:
    """Downloads the .rar archive, unless it is in the cache, and returns its path.

    Examples:
        .. code-block:: python

            from paddle.dataset import mq2007
            print(mq2007.fetch().endswith("MQ2007.rar"))  # True
    """
    return locate("paddle.dataset.mq2007", "", None, letor.URL, letor.MD5, letor.FOLDER, True)


guard_module(globals())
