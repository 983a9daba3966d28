"""Logs of a step that are fetched from the device only when somebody reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.hapi.losses import Losses


class Logs(dict):
    """A dict whose values are computed at the first look.

    Args:
        fill (callable): returns the values; called at most once.
        losses (Losses, optional): those of all steps up to this one.
        known: entries that cost nothing, such as ``step``.
    """

    def __init__(
        self, fill: Callable[[], dict[str, Any]], losses: Losses | None = None, **known: Any
    ) -> None:
        super().__init__(known)
        self.losses = losses
        self._fill: Callable[[], dict[str, Any]] | None = fill

    def settle(self) -> Logs:
        """Fetches the values if that has not happened yet."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            known = dict(super().items())
            super().clear()
            super().update(fill())
            super().update(known)
        return self

    def __getitem__(self, key: str) -> Any:
        if super().__contains__(key):
            return super().__getitem__(key)
        return dict.__getitem__(self.settle(), key)

    def get(self, key: str, default: Any = None) -> Any:
        """Returns an entry or ``default``."""
        if not super().__contains__(key):
            self.settle()
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or dict.__contains__(self.settle(), key)

    def __iter__(self) -> Iterator[str]:
        return dict.__iter__(self.settle())

    def __len__(self) -> int:
        return dict.__len__(self.settle())

    def keys(self) -> Any:
        """The names."""
        return dict.keys(self.settle())

    def values(self) -> Any:
        """The values."""
        return dict.values(self.settle())

    def items(self) -> Any:
        """Names and values."""
        return dict.items(self.settle())

    def __repr__(self) -> str:
        return dict.__repr__(self.settle())

    def __eq__(self, other: object) -> bool:
        return dict(self.items()) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __or__(self, other: Any) -> dict:
        return dict(self.items()) | other

    def pop(self, key: str, *default: Any) -> Any:
        """Takes an entry out."""
        return dict.pop(self.settle(), key, *default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Returns an entry, adding it first if need be."""
        return dict.setdefault(self.settle(), key, default)

    def __reduce__(self) -> Any:
        return dict, (dict(self.items()),)

    def copy(self) -> dict:
        """A plain dict of the values."""
        return dict(self.items())
