"""fluid.layers.utils: numbers as lists, and structures of lists and dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paddle.core import pytree
from paddle.core.errors import InvalidArgumentError

__all__ = ["assert_same_structure", "convert_to_list", "is_sequence"]


def convert_to_list(value: Any, n: int, name: str, dtype: type = int) -> list[Any]:
    """One number as often as wanted, or a list of so many.

    Args:
        value (int|list|tuple): the number or numbers.
        n (int): how many are wanted.
        name (str): what they are, for errors.
        dtype (type): of the numbers. Default: int.

    Returns:
        list: of ``n`` numbers.

    Raises:
        ValueError: another count, or something else.

    Examples:
        .. code-block:: python

            from paddle.fluid.layers.utils import convert_to_list
            print(convert_to_list(3, 2, "stride"))  # [3, 3]
    """
    if isinstance(value, (dtype, np.integer)):
        return [value] * n
    if not isinstance(value, (list, tuple)) or len(value) != n:
        raise InvalidArgumentError(
            f"{name}: expected a number, or {n} of them, but received {value!r}."
        )
    for item in value:
        try:
            dtype(item)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(
                f"{name}: expected {n} numbers, but received {value!r}."
            ) from error
    return list(value)


def is_sequence(seq: Any) -> bool:
    """Whether something holds others: a list, a tuple, a dict; not a text.

    Args:
        seq: anything.

    Returns:
        bool: whether it does.

    Examples:
        .. code-block:: python

            from paddle.fluid.layers.utils import is_sequence
            print(is_sequence([1]), is_sequence("text"))  # True False
    """
    return isinstance(seq, (Sequence, Mapping)) and not isinstance(seq, (str, bytes))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises where two structures differ.

    Args:
        nest1: a structure of lists, tuples and dicts.
        nest2: another one.
        check_types (bool): lists and tuples are not the same. Default: True.

    Raises:
        ValueError: they hold another number of things.
        TypeError: they are of other kinds.

    Examples:
        .. code-block:: python

            from paddle.fluid.layers.utils import assert_same_structure
            assert_same_structure([1, {"a": 2}], [3, {"a": 4}])
    """
    counts = [len(pytree.leaves(n)) if is_sequence(n) else 1 for n in (nest1, nest2)]
    if counts[0] != counts[1] or is_sequence(nest1) != is_sequence(nest2):
        raise InvalidArgumentError(
            f"expected two structures of as many parts, but received {nest1!r} and {nest2!r}."
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            f"expected two structures of one kind, but received {type(nest1).__name__} and "
            f"{type(nest2).__name__}."
        )
    if isinstance(nest1, Mapping):
        if set(nest1) != set(nest2):
            raise InvalidArgumentError(
                f"expected the same keys, but received {sorted(nest1)} and {sorted(nest2)}."
            )
        pairs = [(nest1[key], nest2[key]) for key in nest1]
    else:
        pairs = list(zip(nest1, nest2, strict=True))
    for one, other in pairs:
        assert_same_structure(one, other, check_types)
