"""When a parameter server of 2.0 adds a row to a table: after some look-ups, or by chance."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError

__all__ = ["CountFilterEntry", "ProbabilityEntry"]


class CountFilterEntry:
    """A row is added when it has been looked up so often.

    Args:
        count_filter (int): how often, 0 or more.

    Raises:
        ValueError: it is no such number.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.CountFilterEntry(10).to_attr())  # count_filter_entry:10
    """

    def __init__(self, count_filter: int) -> None:
        if not _is(int, count_filter) or count_filter < 0:
            raise InvalidArgumentError(
                "CountFilterEntry(count_filter): expected an int that is 0 or more, but received "
                f"{count_filter!r}."
            )
        self._count = count_filter

    def to_attr(self) -> str:
        """The text that operators keep."""
        return f"count_filter_entry:{self._count}"

    _to_attr = to_attr


class ProbabilityEntry:
    """A row is added with some probability.

    Args:
        probability (float): above 0 and below 1.

    Raises:
        ValueError: it is no such number.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.ProbabilityEntry(0.5).to_attr())  # probability_entry:0.5
    """

    def __init__(self, probability: float) -> None:
        if not _is(float, probability) or not 0 < probability < 1:
            raise InvalidArgumentError(
                "ProbabilityEntry(probability): expected a float above 0 and below 1, but received "
                f"{probability!r}."
            )
        self._probability = probability

    def to_attr(self) -> str:
        """The text that operators keep."""
        return f"probability_entry:{self._probability}"

    _to_attr = to_attr


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
