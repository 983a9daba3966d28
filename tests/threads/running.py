"""Work done by several threads that begin together; the first error is raised."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Calls ``work(number)`` in so many threads at once and returns the results in order."""
    together = threading.Barrier(count)
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            together.wait(60)
            results[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if errors:
        raise errors[0]
    return results


def in_thread(work: Callable[[], Any]) -> Any:
    """The result of ``work`` called by a new thread."""
    return in_threads(1, lambda _: work())[0]
