"""Making rows that are split into sequences (LoDTensor)."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.lod import LoDTensor

__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]


def create_lod_tensor(data: Any, recursive_seq_lens: Any, place: Any) -> LoDTensor:
    """Makes a LoDTensor of rows and the lengths of their sequences.

    Args:
        data (np.ndarray|list|LoDTensor): the rows; a list holds a list of numbers for each
            sequence of the last level, which become int64 rows of one element.
        recursive_seq_lens (list[list[int]]): the lengths of every level, the outermost first;
            those of the last one count rows, those above sequences of the next level.
        place (Place): the device.

    Returns:
        LoDTensor: the rows with their levels.

    Raises:
        TypeError: ``data`` is something else.
        InvalidArgumentError: the lengths do not fit together or the rows.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            t = fluid.create_lod_tensor(np.ones([5, 2], "float32"), [[2, 3]], fluid.CPUPlace())
            print(t.lod(), t.recursive_sequence_lengths())  # [[0, 2, 5]] [[2, 3]]
    """
    if isinstance(data, LoDTensor):
        return create_lod_tensor(np.array(data), recursive_seq_lens, place)
    if isinstance(data, list):
        data = _rows_of(data, recursive_seq_lens)
    if not isinstance(data, np.ndarray):
        raise TypeError(
            "create_lod_tensor(data): expected a LoDTensor, an array or a list, but received "
            f"{type(data).__name__}."
        )
    made = LoDTensor()
    made.set(data, place)
    made.set_recursive_sequence_lengths(recursive_seq_lens)
    return made


def _rows_of(data: list, lengths: Any) -> np.ndarray:
    """Lists of numbers, one for each sequence, below each other."""
    if not all(isinstance(part, (list, tuple, np.ndarray)) for part in data):
        raise TypeError(
            "create_lod_tensor(data): expected a list for each sequence, but received "
            f"{type(data[0]).__name__} in the list."
        )
    found = [len(part) for part in data]
    if list(lengths[-1]) != found:
        raise InvalidArgumentError(
            f"create_lod_tensor: data and recursive_seq_lens do not match: expected "
            f"lengths {found}, but received {list(lengths[-1])}."
        )
    flat = [np.asarray(part) for part in data]
    rows = np.concatenate(flat) if flat else np.zeros([0])
    return rows.astype("int64").reshape(len(rows), 1)


def create_random_int_lodtensor(
    recursive_seq_lens: Any, base_shape: Any, place: Any, low: int, high: int
) -> LoDTensor:
    """Makes a LoDTensor of random int64 numbers.

    Args:
        recursive_seq_lens (list[list[int]]): the lengths of every level, the outermost first.
        base_shape (list[int]): the sizes of a row.
        place (Place): the device.
        low (int): the smallest number.
        high (int): the greatest number.

    Returns:
        LoDTensor: as many rows as the last level counts.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            t = fluid.create_random_int_lodtensor([[2, 3]], [1], fluid.CPUPlace(), 0, 9)
            print(t.shape())  # [5, 1]
    """
    rows = sum(recursive_seq_lens[-1])
    data = np.random.randint(low, high + 1, [rows, *base_shape]).astype("int64")
    return create_lod_tensor(data, recursive_seq_lens, place)
