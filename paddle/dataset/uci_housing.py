"""Prices of houses as readers of 1.x; ``paddle.text.datasets.UCIHousing`` is a class of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.common import data_home
from paddle.dataset.files import locate
from paddle.dataset.parsers import uci_housing
from paddle.dataset.parsers.uci_housing import FEATURES as feature_names
from paddle.dataset.parsers.uci_housing import MD5, URL
from paddle.utils.download import get_path_from_url
from paddle.utils.lazy_import import try_import

__all__ = ["test", "train"]

FLUID_URL_MODEL = (
    "https://github.com/PaddlePaddle/book/raw/develop/01.fit_a_line/fluid/fit_a_line.fluid.tar"
)
FLUID_MD5_MODEL = "6e6dd637ccd5993961f68bfbde46090b"

# What load_data read last, rows of features and price.
UCI_TRAIN_DATA: np.ndarray | None = None
UCI_TEST_DATA: np.ndarray | None = None

Reader = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


def _table() -> str:
    return locate("paddle.dataset.uci_housing", "", None, URL, MD5, uci_housing.FOLDER, True)


def load_data(
    filename: str,
    feature_num: int = uci_housing.COLUMNS,
    ratio: float = uci_housing.TRAIN_RATIO,
) -> None:
    """Reads a table into ``UCI_TRAIN_DATA`` and ``UCI_TEST_DATA`` of this module.

    Every column but the last, the price, loses its mean and is divided by its range.

    Args:
        filename (str): lines of numbers.
        feature_num (int): how many numbers a line has, the price included. Default: 14.
        ratio (float): the part of the lines that is for training. Default: 0.8.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.dataset import uci_housing
            np.savetxt("table.txt", [[0, 1, 5], [4, 3, 6], [2, 2, 7]])
            uci_housing.load_data("table.txt", feature_num=3, ratio=0.7)
            print(uci_housing.UCI_TEST_DATA)  # [[0. 0. 7.]]
    """
    global UCI_TRAIN_DATA, UCI_TEST_DATA
    UCI_TRAIN_DATA, UCI_TEST_DATA = uci_housing.load(filename, feature_num, ratio)


def feature_range(maximums: Any, minimums: Any) -> None:
    """Draws the ranges of features as bars, into ``image/ranges.png``; needs matplotlib.

    Args:
        maximums (array): highest value of each feature.
        minimums (array): lowest value of each feature.

    Raises:
        ImportError: matplotlib is not installed.

    Examples:
        .. code-block:: python

            from paddle.dataset import uci_housing
            try:
                uci_housing.feature_range([1.0, 5.0], [0.0, 2.0])
            except ImportError as error:
                print("pip install matplotlib" in str(error))  # True
    """
    figure = try_import("matplotlib.figure").Figure(figsize=(10, 6))
    heights = np.asarray(maximums, np.float64) - np.asarray(minimums, np.float64)
    places = range(len(heights))
    axes = figure.add_subplot()
    axes.bar(places, heights, color="r")
    axes.set_title("feature scale")
    named = len(heights) == len(feature_names)
    axes.set_xticks(places, feature_names if named else [str(n) for n in places])
    os.makedirs("image", exist_ok=True)
    figure.savefig(os.path.join("image", "ranges.png"), dpi=48)


def train() -> Reader:
    """Makes a reader of the first four fifths.

    Returns:
        callable: gives an iterator over pairs of float64 arrays: thirteen features, each without
        its mean and divided by its range, and the price [1].

    Examples:
        .. code-block:: python

            from paddle.dataset import uci_housing
            features, price = next(uci_housing.train()())
            print(features.shape, price.shape)  # (13,) (1,)
    """
    load_data(_table())
    return _reader(UCI_TRAIN_DATA)


def test() -> Reader:
    """Makes a reader of the last fifth, as :func:`train`.

    Examples:
        .. code-block:: python

            from paddle.dataset import uci_housing
            features, price = next(uci_housing.test()())
            print(features.shape, price.shape)  # (13,) (1,)
    """
    load_data(_table())
    return _reader(UCI_TEST_DATA)


def _reader(rows: Any) -> Reader:
    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for row in rows:
            yield row[:-1], row[-1:]

    return reader


def fluid_model() -> str:
    """Downloads and unpacks a model that was trained on the table, and returns its folder.

    Examples:
        .. code-block:: python

            from paddle.dataset import uci_housing
            print(uci_housing.FLUID_URL_MODEL.endswith("fit_a_line.fluid.tar"))  # True
            # folder = uci_housing.fluid_model()
    """
    home = os.path.join(data_home(), uci_housing.FOLDER)
    return get_path_from_url(FLUID_URL_MODEL, home, FLUID_MD5_MODEL)


def predict_reader() -> tuple[np.ndarray]:
    """Returns the features of the first row for tests, in a tuple.

    Examples:
        .. code-block:: python

            from paddle.dataset import uci_housing
            (features,) = uci_housing.predict_reader()
            print(features.shape)  # (13,)
    """
    features, _ = next(test()())
    return (features,)


def fetch() -> None:
    """Downloads the table unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import uci_housing
            uci_housing.fetch()
    """
    _table()


guard_module(
    globals(), more=("feature_range", "fetch", "fluid_model", "load_data", "predict_reader")
)
