"""Histograms: how often values fall between edges."""

from __future__ import annotations

from typing import Any

from visualdl.component import checks
from visualdl.record import Record


def to_record(tag: str, values: Any, step: Any, walltime: Any = None, buckets: Any = 10) -> Any:
    """Gives the histogram of values as a Record; see `LogWriter.add_histogram`."""
    counts, edges = counted(values, buckets)
    return checks.record(
        tag,
        step,
        walltime,
        histogram=Record.Histogram(hist=counts.tolist(), bin_edges=edges.tolist()),
    )


def counted(values: Any, buckets: Any) -> tuple[Any, Any]:
    """Counts values; NaN and infinities are left out.

    Args:
        values: numbers of any shape.
        buckets (int or list): how many buckets between the least and the largest value, or edges.

    Returns:
        tuple: counts, and edges, one more than counts.

    Raises:
        ValueError: the values are no numbers, or the buckets are none.
    """
    import numpy as np

    found = checks.array(values, "values").reshape(-1)
    if found.dtype.kind == "f":
        finite = np.isfinite(found)
        found = (found if finite.all() else found[finite]).astype(np.float64)
    elif found.dtype == bool:
        found = found.astype(np.uint8)
    if np.ndim(buckets) == 1:
        edges = checks.array(buckets, "buckets").astype(np.float64)
        if len(edges) < 2 or not (np.diff(edges) > 0).all() or not np.isfinite(edges).all():
            raise ValueError(f"buckets: expected edges that increase, but got {buckets!r}.")
        return np.histogram(found, edges)
    count = checks.whole(buckets, "buckets", 1, 1 << 20)
    if not found.size:
        return np.histogram(found, count)
    low, high = float(found.min()), float(found.max())
    span = high - low
    if low == high:  # as NumPy does, but wide enough for large numbers too
        half = max(0.5, abs(low) * 1e-6)
        return np.histogram(found, count, (low - half, high + half))
    if not np.isfinite(span) or span / count <= np.spacing(max(abs(low), abs(high))):
        return _coarse(found, count, low, high)
    return np.histogram(found, count)


def _coarse(found: Any, count: int, low: float, high: float) -> tuple[Any, Any]:
    """Counts values that are too far apart, or too close, for buckets of one width."""
    import numpy as np

    edges = np.linspace(low / 2, high / 2, count + 1) * 2
    edges[0], edges[-1] = low, high
    places = np.searchsorted(edges, found, side="right") - 1
    return np.bincount(places.clip(0, count - 1), minlength=count), edges


def from_record(value: Any) -> tuple[list[float], list[float]]:
    """Gives the counts and the edges of a record."""
    return list(value.histogram.hist), list(value.histogram.bin_edges)


def to_json(value: Any) -> list[Any]:
    """Gives `[milliseconds, step, [[left, right, count], ...]]`."""
    counts, edges = from_record(value)
    shown = [checks.number_shown(edge) for edge in edges]
    bars = [
        [left, right, checks.number_shown(count)]
        for left, right, count in zip(shown, shown[1:], counts)
    ]
    return [checks.shown_time(value.timestamp), value.id, bars]
