"""Prices of houses in Boston, a table of numbers (housing.data)."""

from __future__ import annotations

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.archives import text_lines, wrong_line
from paddle.reader.prefetch import check_count

__all__: list[str] = []

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
FOLDER = "uci_housing"

FEATURES = [
    "CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT",
]  # fmt: skip
COLUMNS = len(FEATURES) + 1
TRAIN_RATIO = 0.8


def load(
    path: str, columns: int = COLUMNS, ratio: float = TRAIN_RATIO
) -> tuple[np.ndarray, np.ndarray]:
    """Reads the table: rows for training and for tests, float64 [N, columns].

    Every column but the last, the price, loses its mean and is divided by its range.

    Args:
        path (str): the table.
        columns (int): how many columns it has.
        ratio (float): the part of the rows that is for training, from the first one on.

    Raises:
        ValueError: a line is malformed, or there are no rows.
    """
    check_count("load_data", "feature_num", columns, 2)
    if not isinstance(ratio, (int, float)) or not 0 <= ratio <= 1:
        raise InvalidArgumentError(
            f"load_data(ratio): expected a number from 0 to 1, but received {ratio!r}."
        )
    with open(path, "rb") as file:
        lines = text_lines(file.read(), path)
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append([float(field) for field in line.split()])
            if len(rows[-1]) != columns:
                raise ValueError
        except ValueError:
            expected = f"{columns} numbers with blanks between them"
            raise wrong_line(path, number, line, expected) from None
    if not rows:
        raise InvalidArgumentError(
            f"{path}: expected lines of {columns} numbers, but the file has none."
        )
    table = np.array(rows)
    features = table[:, :-1]
    spread = features.max(axis=0) - features.min(axis=0)
    # A column of equal numbers says nothing: 0, not 0 / 0.
    features[:] = (features - table.sum(axis=0)[:-1] / len(table)) / np.where(spread, spread, 1)
    train = int(len(table) * ratio)
    return table[:train], table[train:]
