"""Dictionaries from words to numbers, frequent words first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddle.core.errors import InvalidArgumentError

UNKNOWN = "<unk>"


def frequent_first(counts: Iterable[tuple[Any, int]], cutoff: int) -> dict[Any, int]:
    """Numbers words by how often they come, equally frequent ones in the order of their bytes.

    Args:
        counts (Iterable): words, bytes or texts, and how often each comes.
        cutoff (int): words that come so often, or less, are left out.

    Returns:
        dict: word -> number; the last one is that of unknown words.
    """
    ranks = [
        (-times, word if isinstance(word, bytes) else word.encode(), word)
        for word, times in counts
        if times > cutoff
    ]
    words = [word for _, _, word in sorted(ranks, key=lambda rank: rank[:2])]
    return {word: number for number, word in enumerate([*words, UNKNOWN])}


def check_dictionary(api: str, numbers: Any) -> None:
    """Refuses what is no dictionary with a number for unknown words."""
    if not isinstance(numbers, dict) or UNKNOWN not in numbers:
        size = f" of {len(numbers)} words" if isinstance(numbers, dict) else ""
        raise InvalidArgumentError(
            f"{api}: expected a dict with {UNKNOWN!r}, as build_dict makes it, "
            f"but received {type(numbers).__name__}{size}."
        )
