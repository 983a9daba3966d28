"""Few points for many: what a chart of a given width cannot show is left out."""

from __future__ import annotations

import numpy as np


def sampled(values: np.ndarray, most: int) -> np.ndarray:
    """Chooses points of a line so that it looks the same.

    The points are cut into equal parts; of each part the least and the greatest are kept, and where
    it has values that are no number the first of those, so gaps stay gaps. The first and the last
    point are always kept.

    Args:
        values (ndarray): the values, floating point.
        most (int): so many points at most; at least 8 are given where there are so many.

    Returns:
        ndarray: the numbers of the chosen points, ascending.
    """
    count = len(values)
    most = max(8, most)
    if count <= most:
        return np.arange(count)
    missing = np.isnan(values)
    gaps = bool(missing.any())
    parts = max(1, (most - 2) // (3 if gaps else 2))
    size = -(-count // parts)
    low, high = _filled(values, missing, np.inf), _filled(values, missing, -np.inf)
    chosen = [np.array([0, count - 1]), *_of_parts(low, size, np.argmin)]
    chosen += _of_parts(high, size, np.argmax)
    if gaps:
        chosen += [at[missing[at]] for at in _of_parts(missing, size, np.argmax)]
    return np.unique(np.concatenate(chosen))


def _filled(values: np.ndarray, missing: np.ndarray, by: float) -> np.ndarray:
    return np.where(missing, values.dtype.type(by), values) if missing.any() else values


def _of_parts(values: np.ndarray, size: int, choose) -> list[np.ndarray]:
    """Gives the numbers of the points that a function chooses of each part of a size."""
    whole = len(values) // size
    body = values[: whole * size].reshape(whole, size)
    chosen = [choose(body, axis=1) + np.arange(whole) * size] if whole else []
    if whole * size < len(values):
        chosen.append(np.array([whole * size + int(choose(values[whole * size :]))]))
    return chosen


def between(axis: np.ndarray, low: float | None, high: float | None) -> slice | np.ndarray:
    """Finds the points in a range of steps or times, with one neighbour on either side.

    The neighbours are there so that lines go on to the edge of a chart that is zoomed in.

    Args:
        axis (ndarray): steps or milliseconds, not always ascending: runs are resumed.
        low (float, optional): where the range begins.
        high (float, optional): where it ends.

    Returns:
        slice or ndarray: what to index the points with.
    """
    count = len(axis)
    if (low is None and high is None) or not count:
        return slice(0, count)
    low = -np.inf if low is None else low
    high = np.inf if high is None else high
    if bool((axis[1:] >= axis[:-1]).all()):
        first = int(np.searchsorted(axis, low, "left"))
        stop = int(np.searchsorted(axis, high, "right"))
        return slice(max(0, first - 1), min(count, stop + 1))
    inside = (axis >= low) & (axis <= high)
    near = inside.copy()
    near[1:] |= inside[:-1]
    near[:-1] |= inside[1:]
    return np.flatnonzero(near)


def spread(count: int, most: int) -> np.ndarray:
    """Chooses so many of some things, evenly, the first and the last among them."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, max(most, 1)).round().astype(np.int64))
