"""Where the channels of a variable lie after its axes were merged or divided."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from paddle.incubate.compress.units import Channels, Labels

# Sizes that are not known: primes, so that products tell where they went.
_UNKNOWN = (1_000_003, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099, 1_000_117, 1_000_121)


def stand_ins(shape: Sequence[int]) -> list[int]:
    """Returns the sizes of a shape with a number of its own for each that is not known.

    Args:
        shape (Sequence[int]): sizes, -1 where unknown.
    """
    numbers = iter(_UNKNOWN)
    return [next(numbers) if size < 0 else size for size in shape]


def wanted_sizes(sizes: Sequence[int], asked: Sequence[int]) -> list[int] | None:
    """Returns the sizes that reshape makes; None where they cannot be told.

    Args:
        sizes (Sequence[int]): of the input, from :func:`stand_ins`.
        asked (Sequence[int]): the attribute: 0 keeps a size, -1 is what remains.
    """
    if any(n == 0 and i >= len(sizes) for i, n in enumerate(asked)):
        return None
    found = [sizes[i] if n == 0 else n for i, n in enumerate(asked)]
    known = math.prod(n for n in found if n > 0)
    total = math.prod(sizes)
    if -1 in found:
        if total % known:
            return None
        found[found.index(-1)] = total // known
    return found if math.prod(found) == total else None


def blocks(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[range, range]]:
    """Divides two shapes of as many elements into the shortest parts of as many elements.

    Args:
        before (Sequence[int]): sizes.
        after (Sequence[int]): sizes.
    """
    i = j = 0
    while i < len(before) or j < len(after):
        first = (i, j)
        left = right = 1
        while True:
            if left <= right and i < len(before):
                left, i = left * before[i], i + 1
            elif j < len(after):
                right, j = right * after[j], j + 1
            else:
                left, i = left * before[i], i + 1
            if left == right and (i > first[0] or j > first[1]):
                break
            if i == len(before) and j == len(after):
                break
        while i == len(before) and j < len(after) and after[j] == 1:
            j += 1
        while j == len(after) and i < len(before) and before[i] == 1:
            i += 1
        yield range(first[0], i), range(first[1], j)


def reshaped(
    channels: Channels, labels: Labels, before: Sequence[int], after: Sequence[int], reason: str
) -> Labels:
    """Returns the channels along the axes of a reshaped variable.

    An axis of channels that is divided lets those of the same place in each part go together.

    Args:
        channels (Channels): all channels.
        labels (Labels): along the axes before.
        before (Sequence[int]): sizes, from :func:`stand_ins`.
        after (Sequence[int]): sizes, as many elements.
        reason (str): why channels have to stay that are mixed with others.
    """
    made: Labels = [None] * len(after)
    for old, new in blocks(before, after):
        tracked = [axis for axis in old if labels[axis] is not None]
        if not tracked:
            continue
        axis = tracked[0]
        sizes = [before[i] for i in old]
        targets = [j for j in new if after[j] != 1]
        if len(tracked) > 1 or any(size >= _UNKNOWN[0] for size in sizes) or not targets:
            for each in tracked:
                channels.fix(labels[each], reason)
            continue
        place = axis - old.start
        own = labels[axis]
        assert own is not None
        spread = own.reshape([-1 if i == place else 1 for i in range(len(sizes))])
        spread = np.broadcast_to(spread, sizes).reshape([after[j] for j in targets])
        at, divides = _carrier(spread)
        parts = np.moveaxis(spread, at, 0).reshape(spread.shape[at], -1)
        if divides:
            channels.tie(np.repeat(parts[:, 0], parts.shape[1] - 1), parts[:, 1:])
        made[targets[at]] = parts[:, 0].copy()
    return made


def _carrier(spread: np.ndarray) -> tuple[int, bool]:
    """The axis along which the channels lie, and whether they lie along others too."""
    for axis in range(spread.ndim):
        parts = np.moveaxis(spread, axis, 0).reshape(spread.shape[axis], -1)
        if (parts == parts[:, :1]).all():
            return axis, False
    return spread.ndim - 1, True
