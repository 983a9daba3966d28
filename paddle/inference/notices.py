"""Notices of switches that change nothing here: each Config gives one once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from paddle.core.user_frame import outside


class Notices:
    """Warnings at the caller's line, none of them twice."""

    def __init__(self, told: Iterable[str] = ()) -> None:
        self._told = set(told)

    def tell(self, text: str) -> None:
        """Warns, unless it did so before.

        Args:
            text (str): the warning.
        """
        if text not in self._told:
            self._told.add(text)
            warnings.warn(text, stacklevel=outside())

    def copy(self) -> Notices:
        """Returns notices of which the same were given."""
        return Notices(self._told)
