"""PaddleNLP 2.0.8 from the registry trains, decodes and exports with PaddlePaddle's results.

`make clients` puts it into .venv/clients; `scripts/oracle/clients_262.py` wrote the expected
results with PaddlePaddle 2.6.2.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, expected, results_of

EXPECTED = expected("paddlenlp-2.0.8")
MODELS = ("bert", "ernie", "gpt", "transformer")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "paddlenlp").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    """What the training program gives here."""
    folder = tmp_path_factory.mktemp("paddlenlp")
    return results_of("nlp_training.py", folder, str(folder))


@pytest.mark.parametrize("model", MODELS)
def test_losses_are_paddlepaddle_s(model: str, results: Mapping[str, np.ndarray]) -> None:
    known = EXPECTED[f"{model}_losses"]
    np.testing.assert_allclose(results[f"{model}_losses"], known, rtol=2e-5)
    assert known[-1] < 0.9 * known[0]


@pytest.mark.parametrize("model", MODELS)
def test_the_converted_model_trains_alike(model: str, results: Mapping[str, np.ndarray]) -> None:
    np.testing.assert_allclose(
        results[f"{model}_losses_static"], results[f"{model}_losses"], rtol=1e-5
    )


@pytest.mark.parametrize("model", MODELS)
def test_the_exported_model_gives_its_outputs(
    model: str, results: Mapping[str, np.ndarray]
) -> None:
    outputs = [name for name in results if name.startswith(f"{model}_out")]
    assert outputs
    for name in outputs:
        np.testing.assert_allclose(results[name], EXPECTED[name], atol=3e-4, err_msg=name)
        loaded = results[name.replace("_out", "_loaded")]
        np.testing.assert_allclose(loaded, results[name], atol=1e-4, err_msg=name)


OTHERS = [n for n in EXPECTED if not n.startswith(tuple(f"{m}_" for m in MODELS))]


@pytest.mark.parametrize("name", OTHERS)
def test_the_rest_is_paddlepaddle_s(name: str, results: Mapping[str, np.ndarray]) -> None:
    got, known = results[name], EXPECTED[name]
    assert got.size == known.size
    if known.dtype.kind in "iub":
        assert got.reshape(-1).tolist() == known.reshape(-1).tolist()
    else:
        np.testing.assert_allclose(got.reshape(-1), known.reshape(-1), rtol=1e-4, atol=2e-5)


def test_sequences_of_tags_have_their_chunks() -> None:
    from tests.clients.stand_ins import get_entities

    tags = ["B-A", "I-A", "O", "I-C", "E-C", "S-A", "B-A", "I-C"]
    assert get_entities(tags) == [
        ("A", 0, 1), ("C", 3, 4), ("A", 5, 5), ("A", 6, 6), ("C", 7, 7)
    ]  # fmt: skip
    assert get_entities([["B-A"], ["I-A"]]) == [("A", 0, 0), ("A", 2, 2)]
    assert get_entities(["A-B", "A-I"], suffix=True) == [("A", 0, 1)]
