"""PARL 1.3.2 from the registry learns games with the results of PaddlePaddle 1.8.5."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, alike, expected, results_of

EXPECTED = expected("parl-1.3.2")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "parl").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    return results_of("parl_agents.py", tmp_path_factory.mktemp("parl"))


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_that_of_185(name: str, results: Mapping[str, np.ndarray]) -> None:
    alike(results[name], EXPECTED[name], rtol=1e-3, atol=1e-4)


def test_agents_learn_their_games(results: Mapping[str, np.ndarray]) -> None:
    assert results["dqn_actions"].tolist() == [1] * 5  # right, from every place
    assert np.mean(results["pg_rewards"][-5:]) > np.mean(results["pg_rewards"][:5]) + 0.1
    judged = results["ddpg_costs"][:, 1]
    assert np.mean(judged[-5:]) < 0.5 * np.mean(judged[:5])
