"""What all descriptions have in common; see ``desc.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from paddle.core.errors import UnimplementedError

_WRITING = ("set_", "_set_", "remove_", "_remove_", "clear_", "_move_from")


class View:
    """What the descriptions have in common: equality, and what to do where one cannot be written.

    Args:
        of: what is described.
    """

    _of: Any
    _kind: ClassVar[type]
    _instead: ClassVar[str]

    def __init__(self, of: Any) -> None:
        if not isinstance(of, self._kind):
            name, kind = type(self).__name__, self._kind.__name__
            raise TypeError(f"{name}: expected to describe a {kind}, but got {type(of).__name__}.")
        self._of = of

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._of is self._of  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), id(self._of)))

    def __getattr__(self, name: str) -> Callable:
        kind = type(self).__name__
        if not name.startswith(_WRITING):
            raise AttributeError(f"{kind} has no attribute {name!r}")

        def refuse(*args: Any, **kwargs: Any) -> None:
            raise UnimplementedError(
                f"{kind}.{name}: this is not written through a description.", hint=self._instead
            )

        return refuse


def text(name: str | bytes) -> str:
    """A name as a str."""
    return name.decode() if isinstance(name, bytes) else name
