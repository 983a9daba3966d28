"""Channels of parameters that can only go together, as sets that grow while operators are read."""

from __future__ import annotations

import numpy as np

# For each axis of a variable the channels that lie along it, by number; None: nobody tracks them,
# because they come from outside, there is one only, or their number is not known.
Labels = list[np.ndarray | None]


class Channels:
    """All channels of all parameters, by number, in sets that go together.

    A set that has to stay has a reason, which is text for whoever asks for it to go.
    """

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._reasons: dict[int, str] = {}

    def new(self, count: int) -> np.ndarray:
        """Returns the numbers of new channels.

        Args:
            count (int): how many.
        """
        first = len(self._parents)
        made = range(first, first + count)
        self._parents.extend(made)
        return np.array(made, dtype=np.int64)

    def _root(self, channel: int) -> int:
        parents = self._parents
        while parents[channel] != channel:
            parents[channel] = parents[parents[channel]]
            channel = parents[channel]
        return channel

    def roots(self) -> np.ndarray:
        """Returns for each channel the number that stands for its set."""
        return np.array([self._root(c) for c in range(len(self._parents))], dtype=np.int64)

    def tie(self, one: np.ndarray, other: np.ndarray) -> None:
        """Lets channels go together, each with that at the same place.

        Args:
            one (np.ndarray): numbers of channels.
            other (np.ndarray): as many.
        """
        for a, b in zip(one.ravel().tolist(), other.ravel().tolist(), strict=True):
            first, second = self._root(a), self._root(b)
            if first == second:
                continue
            self._parents[second] = first
            reason = self._reasons.pop(second, None)
            if reason is not None:
                self._reasons.setdefault(first, reason)

    def fix(self, channels: np.ndarray | None, reason: str) -> None:
        """Notes that channels have to stay; the first reason counts.

        Args:
            channels (np.ndarray|None): their numbers; None: nobody tracks them.
            reason (str): why, as the end of "they have to stay: ...".
        """
        if channels is not None:
            for channel in np.unique(channels).tolist():
                self._reasons.setdefault(self._root(channel), reason)

    def reason(self, root: int) -> str | None:
        """Returns why a set has to stay, or None.

        Args:
            root (int): the number that stands for the set.
        """
        return self._reasons.get(root)

    def meet(
        self, one: np.ndarray | None, other: np.ndarray | None, reason: str
    ) -> np.ndarray | None:
        """Lets two axes of the same size be the same channels; returns these.

        Args:
            one (np.ndarray|None): the channels of an axis.
            other (np.ndarray|None): those of the other one.
            reason (str): why they have to stay, if nobody tracks those of one of the two.
        """
        if one is None or other is None:
            found = other if one is None else one
            self.fix(found, reason)
            return found
        self.tie(one, other)
        return one
