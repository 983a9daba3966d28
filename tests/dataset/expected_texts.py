"""What PaddlePaddle 2.6.2 gives for the archives of text_archives.py, and forms to compare in.

scripts/oracle/text_datasets.py wrote it; lists stand for tuples, texts with `b:` for bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

EXPECTED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "text_datasets.json").read_text(encoding="utf8")
)


def plain(value: Any) -> Any:
    """Arrays as lists, words as texts, tuples as lists, dictionaries as lists of pairs."""
    if isinstance(value, dict):
        return [[plain(key), plain(number)] for key, number in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return "b:" + value.decode("latin-1")
    return value.tolist() if isinstance(value, np.ndarray) else value


def named(fields: list[Any], *dictionaries: tuple[int, dict[str, int]]) -> list[Any]:
    """The fields of a sample, with words in the place of numbers where a dictionary is given."""
    words = {place: {n: word for word, n in numbers.items()} for place, numbers in dictionaries}
    return [
        [words[place][number] for number in field] if place in words else field
        for place, field in enumerate(fields)
    ]
