"""Numbers of a running server, in the text format that Prometheus reads."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
_PREFIX = "paddle_serve_"


class Histogram:
    """How often a value was at most each of some bounds.

    Args:
        bounds (Sequence[float]): rising.
    """

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Counts a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str) -> Iterator[str]:
        """Returns the lines of the text format."""
        total = 0
        for bound, count in zip((*self._bounds, "+Inf"), self._counts, strict=True):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._sum:.9g}"
        yield f"{name}_count {total}"


class Metrics:
    """What is counted; any thread may count.

    Args:
        waiting (callable): ``waiting()`` returns how many requests wait in the queue now.
    """

    def __init__(self, waiting: Callable[[], int] = lambda: 0) -> None:
        self._lock = threading.Lock()
        self._waiting = waiting
        self._requests: Counter[int] = Counter()
        self._seconds = Histogram(_SECONDS)
        self._batch_rows = Histogram(_ROWS)
        self._batch_requests = Histogram(_ROWS)
        self._in_progress = 0

    def began(self) -> None:
        """Notes that a request came."""
        with self._lock:
            self._in_progress += 1

    def ended(self, status: int, seconds: float) -> None:
        """Notes that a request was answered.

        Args:
            status (int): of HTTP.
            seconds (float): since it came.
        """
        with self._lock:
            self._in_progress -= 1
            self._requests[status] += 1
            self._seconds.add(seconds)

    def ran(self, requests: int, rows: int) -> None:
        """Notes a run of the model.

        Args:
            requests (int): how many were joined in it.
            rows (int): how many rows they had together.
        """
        with self._lock:
            self._batch_requests.add(requests)
            self._batch_rows.add(rows)

    @property
    def in_progress(self) -> int:
        """How many requests have come and are not answered yet."""
        return self._in_progress

    def text(self) -> str:
        """Returns all numbers in the text format."""
        with self._lock:
            errors = sum(n for status, n in self._requests.items() if status >= 400)
            lines = [
                *_head("requests_total", "counter", "requests for predictions, by status"),
                *(f'{_PREFIX}requests_total{{code="{status}"}} {n}'
                  for status, n in sorted(self._requests.items())),
                *_single("errors_total", "counter", "requests that got no prediction", errors),
                *_single("in_progress", "gauge", "requests not answered yet", self._in_progress),
                *_single("queue_length", "gauge", "requests that wait", self._waiting()),
                *_head("batch_requests", "histogram", "requests joined in a run"),
                *self._batch_requests.lines(_PREFIX + "batch_requests"),
                *_head("batch_rows", "histogram", "rows of a run"),
                *self._batch_rows.lines(_PREFIX + "batch_rows"),
                *_head("latency_seconds", "histogram", "from a request's coming to its answer"),
                *self._seconds.lines(_PREFIX + "latency_seconds"),
            ]  # fmt: skip
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, help: str) -> tuple[str, str]:
    return f"# HELP {_PREFIX}{name} {help}", f"# TYPE {_PREFIX}{name} {kind}"


def _single(name: str, kind: str, help: str, value: float) -> tuple[str, ...]:
    return (*_head(name, kind, help), f"{_PREFIX}{name} {value}")
