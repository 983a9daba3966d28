"""Senta 2.0.0 from the registry trains by its own trainer and answers by its own predictor."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "senta").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    return results_of("senta_training.py", tmp_path_factory.mktemp("senta"))


def test_it_learns_what_sentences_say(results: Mapping[str, np.ndarray]) -> None:
    losses = results["losses"]
    assert len(losses) == 64 and np.mean(losses[-8:]) < 0.4 * np.mean(losses[:8])
    assert results["accuracy"].tolist() == [pytest.approx(1.0, abs=0.15)]


def test_the_saved_model_answers_alike(results: Mapping[str, np.ndarray]) -> None:
    right = results["answers"] == results["truth"]
    assert right.mean() == pytest.approx(results["accuracy"][0], abs=1e-6)
