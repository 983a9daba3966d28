"""Ratings of films as readers of 1.x; ``paddle.text.datasets.Movielens`` is the same as a class."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import movielens
from paddle.dataset.parsers.movielens import AGES as age_table
from paddle.dataset.parsers.movielens import MD5, URL

__all__ = [
    "age_table", "get_movie_title_dict", "max_job_id", "max_movie_id", "max_user_id",
    "movie_categories", "movie_info", "test", "train", "user_info",
]  # fmt: skip


class MovieInfo(movielens.MovieInfo):
    """A film: its number, title and kinds.

    Args:
        index (int|str): number of the film.
        categories (list[str]): its kinds.
        title (str): its title, without the year.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            film = movielens.movie_info()[1]
            print(film.value()[0])  # 1
    """

    def value(self) -> list[Any]:  # type: ignore[override]
        """Number, list of the kinds' numbers, list of the numbers of the title's words."""
        tables = _tables()
        [index], *lists = super().value(tables.categories, tables.title_words)
        return [index, *lists]


class UserInfo(movielens.UserInfo):
    """A user: number, sex, age and job.

    Args:
        index (int|str): number of the user.
        gender (str): ``'M'`` or ``'F'``.
        age (int|str): a member of ``age_table``.
        job_id (int|str): number of the job.

    Examples:
        .. code-block:: python

            from paddle.dataset.movielens import UserInfo
            print(UserInfo("7", "F", "25", "3").value())  # [7, 1, 2, 3]
    """

    def value(self) -> list[int]:  # type: ignore[override]
        """Number, sex (0 is male), place of the age in ``age_table``, job."""
        return [number for (number,) in super().value()]


def _tables() -> movielens.Tables:
    """The contents of the archive, read again only if the file is another one."""
    path = locate("paddle.dataset.movielens", "", None, URL, MD5, movielens.FOLDER, True)
    state = os.stat(path)
    return _loaded(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=1)
def _loaded(path: str, changed: int, size: int) -> movielens.Tables:
    return movielens.load(path)


def get_movie_title_dict() -> dict[str, int]:
    """Returns the dictionary of the words of titles, in lower case.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print("story" in movielens.get_movie_title_dict())  # True
    """
    return _tables().title_words


def movie_categories() -> dict[str, int]:
    """Returns the dictionary of the kinds of films.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print("Comedy" in movielens.movie_categories())  # True
    """
    return _tables().categories


def max_movie_id() -> int:
    """Returns the highest number of a film.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print(movielens.max_movie_id() in movielens.movie_info())  # True
    """
    return max(_tables().movies)


def max_user_id() -> int:
    """Returns the highest number of a user.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print(movielens.max_user_id() in movielens.user_info())  # True
    """
    return max(_tables().users)


def max_job_id() -> int:
    """Returns the highest number of a job.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print(movielens.max_job_id() > 0)  # True
    """
    return max(user.job_id for user in _tables().users.values())


def movie_info() -> dict[int, MovieInfo]:
    """Returns the films by number.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print(movielens.movie_info()[1].index)  # 1
    """
    found = _tables().movies
    return {number: MovieInfo(number, m.categories, m.title) for number, m in found.items()}


def user_info() -> dict[int, UserInfo]:
    """Returns the users by number.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print(movielens.user_info()[1].index)  # 1
    """
    made = {}
    for number, user in _tables().users.items():
        gender = "M" if user.is_male else "F"
        made[number] = UserInfo(number, gender, age_table[user.age], user.job_id)
    return made


def train(**kwargs: Any) -> Callable[[], Iterator[list[Any]]]:
    """Makes a reader of the ratings for training.

    Args:
        kwargs: ``rand_seed`` (int), seed by which ratings are drawn for tests, 0 by default, and
            ``test_ratio`` (float), their part, 0.1 by default. With the same ones :func:`test`
            gives the other ratings.

    Returns:
        callable: gives an iterator over lists: user, sex (0 is male), age group, job, film, list of
        its kinds, list of the words of its title, list of the rating, from -3 for one star to 5 for
        five.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            user, sex, age, job, film, kinds, title, rating = next(movielens.train()())
            print(-3 <= rating[0] <= 5)  # True
    """
    return _reader("train", **kwargs)


def test(**kwargs: Any) -> Callable[[], Iterator[list[Any]]]:
    """Makes a reader of the ratings for tests, as :func:`train`.

    Args:
        kwargs: ``rand_seed`` and ``test_ratio``, as for :func:`train`.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            print(len(next(movielens.test(test_ratio=0.5)())))  # 8
    """
    return _reader("test", **kwargs)


def _reader(
    mode: str, rand_seed: int = 0, test_ratio: float = 0.1
) -> Callable[[], Iterator[list[Any]]]:
    movielens.check_split(mode, test_ratio, rand_seed)

    def reader() -> Iterator[list[Any]]:
        tables = _tables()
        for row in tables.chosen(mode == "test", test_ratio, rand_seed):
            *numbers, kinds, title, rating = tables.sample(row)
            yield [*(number for (number,) in numbers), kinds, title, rating]

    return reader


def fetch() -> None:
    """Downloads the archive unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import movielens
            movielens.fetch()
    """
    locate("paddle.dataset.movielens", "", None, URL, MD5, movielens.FOLDER, True)


guard_module(globals(), more=("fetch",))
