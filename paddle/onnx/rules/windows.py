"""What convolutions and pools have in common: layouts and padding."""

from __future__ import annotations

from typing import Any


def is_last(layout: Any) -> bool:
    """Says whether a layout has its channels last."""
    return str(layout).endswith("C") and len(str(layout)) > 2


def channels_first(g: Any, value: str, rank: int) -> str:
    """Moves the last dimension behind the first."""
    return g.Transpose(value, perm=[0, rank - 1, *range(1, rank - 1)])


def channels_last(g: Any, value: str, rank: int) -> str:
    """Moves the second dimension to the end."""
    return g.Transpose(value, perm=[0, *range(2, rank), 1])


def spatial(shape: list[int], last: bool) -> list[int]:
    """The sizes that are neither batch nor channels."""
    return shape[1:-1] if last else shape[2:]


def padding(
    op: Any, sizes: list[int], kernel: list[int], strides: list[int]
) -> tuple[list[int], list[int]] | None:
    """What is added before and behind each dimension; None: as much as "SAME" needs in a run."""
    count = len(kernel)
    algorithm = op.attr("padding_algorithm", "EXPLICIT")
    if algorithm == "VALID":
        return [0] * count, [0] * count
    if algorithm == "SAME":
        if -1 in sizes:
            return None
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, strides)]
        return [t // 2 for t in total], [t - t // 2 for t in total]
    given = op.ints("paddings")
    if len(given) == count:
        return given, given
    return given[::2], given[1::2]
