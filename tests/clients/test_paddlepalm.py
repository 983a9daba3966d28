"""PaddlePALM 2.0.2 from the registry trains language tasks with PaddlePaddle 1.8.5's results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, alike, expected, results_of

EXPECTED = expected("paddlepalm-2.0.2")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "paddlepalm").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    return results_of("palm_tasks.py", tmp_path_factory.mktemp("palm"))


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_that_of_185(name: str, results: Mapping[str, np.ndarray]) -> None:
    # after 64 steps of Adam the last digits of the first ones show
    alike(results[name], EXPECTED[name], rtol=2e-3, atol=0.05 if "chances" in name else 1e-3)


def test_it_has_learnt(results: Mapping[str, np.ndarray]) -> None:
    assert results["sense_right"].mean() >= 0.9
    assert results["sense_losses"][-1] < 0.05 < 0.6 < results["sense_losses"][0]
    assert results["tags_losses"][-1] < 0.5 * results["tags_losses"][0]
    assert results["several_steps"].min() > 4  # both tasks got their steps
