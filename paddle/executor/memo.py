"""Memoization: results kept as long as the buffers they were computed from stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def versions(buffers: Iterable[Any]) -> tuple[int, ...]:
    """Numbers that change when buffers are written to; -1 for None."""
    return tuple(-1 if b is None else b._version for b in buffers)


class Memo:
    """Calls a kernel again only when one of its buffers was replaced or written to.

    Args:
        kernel (callable): a pure function of buffers and attributes.
    """

    __slots__ = ("_kernel", "_last")

    def __init__(self, kernel: Callable) -> None:
        self._kernel = kernel
        self._last: tuple = ((), (), None)  # one object, so that threads see what belongs together

    def __call__(self, *buffers: Any, **attrs: Any) -> Any:
        inputs, before, result = self._last
        now = versions(buffers)
        if now == before and all(a is b for a, b in zip(buffers, inputs, strict=True)):
            return result
        result = self._kernel(*buffers, **attrs)
        self._last = buffers, now, result
        return result
