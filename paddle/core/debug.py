"""PADDLE_DEBUG: what the process prints about its own work, as words in the environment."""

from __future__ import annotations

import functools
import os
import re
import warnings

# word -> what is printed
WORDS = {
    "calls": "the function that is generated for an operator, when it is first called",
    "passes": "what each pass over a Program changed",
    "plan": "the function that runs a Program, when it is made",
    "time": "the time of every operator of Programs, at the end of the process",
    "tuning": "which form of a kernel was chosen, and what was measured",
}


def enabled(word: str) -> bool:
    """Says whether PADDLE_DEBUG asks for something now; commas stand between words.

    Args:
        word (str): one of :data:`WORDS`.
    """
    return word in _parsed(os.environ.get("PADDLE_DEBUG", ""))


@functools.cache
def _parsed(text: str) -> frozenset[str]:
    words = frozenset(re.findall(r"[\w-]+", text))
    unknown = sorted(words - WORDS.keys())
    if unknown:
        warnings.warn(
            f"PADDLE_DEBUG: expected some of {', '.join(WORDS)}, joined by commas, but received "
            f"{', '.join(unknown)}, which prints nothing.",
            stacklevel=3,
        )
    return words
