"""DDParser 1.0.8, which takes names of 1.x and 2.0, is trained on a file and parses sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.running import CLIENTS, REASON, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "ddparser").is_dir(), reason=REASON),
]


def test_it_learns_to_parse(tmp_path: Path) -> None:
    results = results_of("dd_parsing.py", tmp_path)
    loss, labelled, unlabelled = results["lstm_char"][-1]  # what was saved, on the test file
    assert loss < 0.5 * results["lstm_char"][0][0] and 0.8 < labelled <= unlabelled <= 1
    assert results["lstm_char_right"].mean() >= 0.7  # whole sentences
    assert (results["lstm_char_whole"] >= 2).all()  # cut by LAC first
