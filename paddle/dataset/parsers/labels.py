"""Checks the class numbers that data sets give with their pictures."""

from __future__ import annotations

import numpy as np

from paddle.core.errors import InvalidArgumentError

__all__: list[str] = []


def check_labels(where: str, labels: np.ndarray, lowest: int, highest: int) -> None:
    """Refuses labels out of range, naming the first one.

    Args:
        where (str): what holds them, for messages.
        labels (np.ndarray): whole numbers.
        lowest (int): the lowest that there is.
        highest (int): the highest that there is.

    Raises:
        ValueError: a label is below or above.
    """
    if not labels.size or lowest <= labels.min() <= labels.max() <= highest:
        return
    at = int(np.flatnonzero((labels < lowest) | (labels > highest))[0])
    raise InvalidArgumentError(
        f"{where}: expected labels from {lowest} to {highest}, but label {at} (counted from 0) is "
        f"{int(labels[at])}.",
        hint="give the file that belongs to this data set",
    )
