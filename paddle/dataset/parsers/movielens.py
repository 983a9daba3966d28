"""Ratings of films by users, in the zip archive of MovieLens 1M (ml-1m)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.archives import text_lines, wrong_line, zip_members
from paddle.reader.prefetch import check_count

__all__: list[str] = []

URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
MD5 = "c4d9eecfca2ab87c1945afe126590906"
FOLDER = "movielens"

MOVIES, USERS, RATINGS = "ml-1m/movies.dat", "ml-1m/users.dat", "ml-1m/ratings.dat"
ENCODING = "latin-1"
AGES = [1, 18, 25, 35, 45, 50, 56]
_TITLE = re.compile(r"(.*)\((\d+)\)$")


def _whole(api: str, name: str, value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgumentError(
            f"{api}({name}): expected a whole number or its digits, but received {value!r}."
        ) from None


class MovieInfo:
    """A film: its number, title and kinds.

    Args:
        index (int|str): number of the film.
        categories (list[str]): its kinds.
        title (str): its title, without the year.

    Examples:
        .. code-block:: python

            from paddle.text.datasets.movielens import MovieInfo
            film = MovieInfo("3", ["Drama"], "Heat")
            print(film.value({"Drama": 4}, {"heat": 7}))  # [[3], [4], [7]]
    """

    def __init__(self, index: int | str, categories: list[str], title: str) -> None:
        self.index = _whole("MovieInfo", "index", index)
        self.categories = categories
        self.title = title

    def value(
        self, categories_dict: dict[str, int], movie_title_dict: dict[str, int]
    ) -> list[list[int]]:
        """Number, numbers of the kinds, numbers of the title's words; a list each.

        Args:
            categories_dict (dict): kind -> number.
            movie_title_dict (dict): word in lower case -> number.
        """
        return [
            [self.index],
            [categories_dict[kind] for kind in self.categories],
            [movie_title_dict[word.lower()] for word in self.title.split()],
        ]

    def __str__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"

    __repr__ = __str__


class UserInfo:
    """A user: number, sex, age and job.

    Args:
        index (int|str): number of the user.
        gender (str): ``'M'`` or ``'F'``.
        age (int|str): one of 1, 18, 25, 35, 45, 50, 56: the youngest of an age group.
        job_id (int|str): number of the job.

    Raises:
        ValueError: an age or a sex that the set does not have.

    Examples:
        .. code-block:: python

            from paddle.text.datasets.movielens import UserInfo
            print(UserInfo("7", "F", "25", "3").value())  # [[7], [1], [2], [3]]
    """

    def __init__(self, index: int | str, gender: str, age: int | str, job_id: int | str) -> None:
        if not isinstance(gender, str) or gender not in ("M", "F"):
            raise InvalidArgumentError(
                f"UserInfo(gender): expected 'M' or 'F', but received {gender!r}."
            )
        if _whole("UserInfo", "age", age) not in AGES:
            raise InvalidArgumentError(
                f"UserInfo(age): expected one of {AGES}, but received {age!r}."
            )
        self.index = _whole("UserInfo", "index", index)
        self.is_male = gender == "M"
        self.age = AGES.index(int(age))
        self.job_id = _whole("UserInfo", "job_id", job_id)

    def value(self) -> list[list[int]]:
        """Number, sex (0 is male), place of the age among the groups, job; a list each."""
        return [[self.index], [0 if self.is_male else 1], [self.age], [self.job_id]]

    def __str__(self) -> str:
        gender, age = "M" if self.is_male else "F", AGES[self.age]
        return f"<UserInfo id({self.index}), gender({gender}), age({age}), job({self.job_id})>"

    __repr__ = __str__


class Tables(NamedTuple):
    """What the archive holds: films and users by number, dictionaries, ratings a row each."""

    movies: dict[int, MovieInfo]
    users: dict[int, UserInfo]
    categories: dict[str, int]
    title_words: dict[str, int]
    ratings: np.ndarray
    """float64 [N, 3]: user, film, rating from -3 (one star) to 5 (five)."""

    def chosen(self, test: bool, test_ratio: float, rand_seed: int) -> np.ndarray:
        """The rows of a part; each row is drawn to be for tests with a chance of test_ratio."""
        drawn = np.random.RandomState(rand_seed).random_sample(len(self.ratings)) < test_ratio
        return self.ratings[drawn == test]

    def sample(self, row: np.ndarray) -> list[list[Any]]:
        """The fields of a row: four of the user, three of the film, the rating; a list each."""
        user, movie, rating = row.tolist()
        film = self.movies[int(movie)].value(self.categories, self.title_words)
        return [*self.users[int(user)].value(), *film, [rating]]


def check_split(api: str, test_ratio: float, rand_seed: int) -> None:
    """Refuses what cannot divide the ratings into those for training and those for tests."""
    if not isinstance(test_ratio, (int, float)) or not 0 <= test_ratio <= 1:
        raise InvalidArgumentError(
            f"{api}(test_ratio): expected a number from 0 to 1, but received {test_ratio!r}."
        )
    check_count(api, "rand_seed", rand_seed, 0)


def load(path: str) -> Tables:
    """Reads the archive.

    Raises:
        ValueError: the archive is damaged or lacks a file, or a line is malformed.
    """
    contents = zip_members(path, [MOVIES, USERS, RATINGS])
    movies = {m.index: m for m in _parsed(path, MOVIES, contents, 3, _movie)}
    users = {u.index: u for u in _parsed(path, USERS, contents, 5, lambda f: UserInfo(*f[:4]))}
    kinds = {kind for movie in movies.values() for kind in movie.categories}
    words = {word.lower() for movie in movies.values() for word in movie.title.split()}

    def rating(fields: list[str]) -> tuple[int, int, float]:
        user, movie, stars = int(fields[0]), int(fields[1]), float(fields[2])
        if user not in users or movie not in movies or not 0 <= stars <= 5:
            raise ValueError
        return user, movie, stars * 2 - 5

    rows = _parsed(path, RATINGS, contents, 4, rating)
    ratings = np.array(rows, np.float64).reshape(-1, 3)
    # In PaddlePaddle the order of these two changes from process to process.
    return Tables(movies, users, _places(kinds), _places(words), ratings)


def _places(words: set[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(sorted(words))}


def _movie(fields: list[str]) -> MovieInfo:
    title = _TITLE.match(fields[1])
    if title is None:
        raise ValueError
    return MovieInfo(fields[0], fields[2].split("|"), title.group(1))


_EXPECTED = {
    MOVIES: "number::title (year)::kind|kind",
    USERS: f"number::M or F::age, one of {AGES}::job::zip code",
    RATINGS: f"user of {USERS}::film of {MOVIES}::0 to 5::time",
}


def _parsed(path: str, name: str, contents: dict[str, bytes], fields: int, make: Any) -> list[Any]:
    """What ``make`` makes of the fields of each line."""
    where = f"{name} in {path}"
    made = []
    for number, line in enumerate(text_lines(contents[name], where, ENCODING), 1):
        parts = line.split("::")
        try:
            if len(parts) != fields:
                raise ValueError
            made.append(make(parts))
        except ValueError:
            raise wrong_line(where, number, line, _EXPECTED[name]) from None
    return made
