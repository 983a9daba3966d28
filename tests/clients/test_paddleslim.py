"""PaddleSlim 1.1.1 from the registry compresses networks with the results of PaddlePaddle 1.8.5."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, alike, expected, results_of

EXPECTED = expected("paddleslim-1.1.1")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "paddleslim").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    return results_of("slim_compression.py", tmp_path_factory.mktemp("slim"))


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_that_of_185(name: str, results: Mapping[str, np.ndarray]) -> None:
    alike(results[name], EXPECTED[name], rtol=1e-3, atol=2e-3)


def test_a_smaller_network_goes_on_learning(results: Mapping[str, np.ndarray]) -> None:
    assert results["losses"][-1] < 0.8 * results["losses"][0]
    assert results["losses_pruned"][-1] < 0.85 * results["losses"][-1]
    assert (results["flops_pruned"] < 0.6 * results["flops"]).all()
    assert "third_weights [8, 6, 3, 3]" in results["shapes"]  # of [16, 8, 3, 3]


def test_a_student_learns_from_its_teacher(results: Mapping[str, np.ndarray]) -> None:
    assert results["distilled"][-1] < 0.9 * results["distilled"][0]
    assert not [name for name in results["student_parameters"] if name.startswith("teacher_")]
