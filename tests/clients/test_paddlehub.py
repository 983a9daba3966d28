"""PaddleHub 1.8.3 from the registry fine-tunes a module of a folder on files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "paddlehub").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    return results_of("hub_tasks.py", tmp_path_factory.mktemp("hub"))


@pytest.mark.parametrize("network", ["None", "bow", "cnn", "gru"])
def test_sentences_are_told_apart(network: str, results: Mapping[str, np.ndarray]) -> None:
    losses = results[f"{network}_losses"]
    assert len(losses) == 32 and np.mean(losses[-4:]) < 0.6 * np.mean(losses[:4])
    assert results[f"{network}_right"].mean() >= 0.8  # the program saw both ways to predict agree


def test_words_are_tagged(results: Mapping[str, np.ndarray]) -> None:
    assert results["tags1_f1"] > 0.7  # by a CRF; the other has hardly begun
    assert 0 <= results["tags0_f1"] <= 1
