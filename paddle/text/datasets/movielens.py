"""Movielens: what users thought of films."""

from __future__ import annotations

from operator import index

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import check_mode, locate
from paddle.dataset.parsers import movielens
from paddle.dataset.parsers.movielens import MD5, URL, MovieInfo, UserInfo  # noqa: F401
from paddle.io import Dataset

__all__ = []


class Movielens(Dataset):
    """A million ratings of 3,900 films by 6,000 users.

    Args:
        data_file (str|None): ``ml-1m.zip``, or None for the copy in
            ``~/.cache/paddle/dataset/movielens``.
        mode (str): ``'train'`` or ``'test'``.
        test_ratio (float): the part of the ratings that is for tests, 0 to 1. Default: 0.1.
        rand_seed (int): seed of the numbers by which ratings are drawn for tests; with the same one
            the two modes share no rating. Default: 0.
        download (bool): whether a missing archive is downloaded.

    Attributes:
        movie_info (dict): number of a film -> :class:`MovieInfo`.
        user_info (dict): number of a user -> :class:`UserInfo`.
        categories_dict (dict): kind of films -> number, in alphabetical order.
        movie_title_dict (dict): word of the titles, in lower case -> number, likewise.

    Returns:
        Dataset: sample ``i`` are eight arrays, int64 but for the last: user, sex (0 is male), age
        group, job, film [1] each; kinds of the film [number of kinds]; its title [number of words];
        the rating [1], float64, from -3 for one star to 5 for five.

    Raises:
        ValueError: the archive is damaged, a line is malformed, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import Movielens

            ratings = Movielens(mode="train")
            user, sex, age, job, film, kinds, title, rating = ratings[0]
            print(ratings.movie_info[int(film[0])].title.split()[0].lower()
                  in ratings.movie_title_dict)  # True
            print(rating.dtype, -3 <= rating[0] <= 5)  # float64 True
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        test_ratio: float = 0.1,
        rand_seed: int = 0,
        download: bool = True,
    ) -> None:
        self.mode = check_mode("Movielens", mode, ("train", "test"))
        movielens.check_split("Movielens", test_ratio, rand_seed)
        self.test_ratio = test_ratio
        self.rand_seed = rand_seed
        self.data_file = locate(
            "Movielens", "data_file", data_file, URL, MD5, movielens.FOLDER, download
        )
        self._tables = movielens.load(self.data_file)
        self.movie_info, self.user_info = self._tables.movies, self._tables.users
        self.categories_dict = self._tables.categories
        self.movie_title_dict = self._tables.title_words
        self.data = self._tables.chosen(self.mode == "test", test_ratio, rand_seed)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        # A row, where NumPy would also take lists, None and the like.
        row = self.data[range(len(self.data))[index(idx)]]
        return tuple(np.array(field) for field in self._tables.sample(row))

    def __len__(self) -> int:
        return len(self.data)


guard_module(globals())
