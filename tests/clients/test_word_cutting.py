"""jieba and LAC, written for 1.x, find the words that they find with PaddlePaddle 1.8.5."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, expected, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "LAC").is_dir(), reason=REASON),
]


def _read(arrays: dict[str, np.ndarray]) -> Any:
    return json.loads(bytes(arrays["found"]))


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return _read(results_of("word_cutting.py", tmp_path_factory.mktemp("words")))


@pytest.mark.parametrize(
    "library, what",
    [("jieba", "cut"), ("jieba", "tagged"), ("lac", "seg"), ("lac", "lac"), ("lac", "rank")],
)
def test_a_thousand_sentences(found: Any, library: str, what: str) -> None:
    known = _read(expected("word_cutting"))[library][what]
    wrong = [
        (mine, theirs) for mine, theirs in zip(found[library][what], known, strict=True)
        if mine != theirs
    ]  # fmt: skip
    assert not wrong, f"{len(wrong)} of {len(known)}: {wrong[:2]}"


def test_a_trained_model_knows_what_it_was_told(found: Any) -> None:
    before, after = _read(expected("word_cutting"))["trained"]
    assert found["trained"][0] == before and before[1][2] == "nz"
    assert found["trained"][1][1][2] == after[1][2] == "ORG"
