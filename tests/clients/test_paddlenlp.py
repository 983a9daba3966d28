"""PaddleNLP 2.0.8 from the registry trains, decodes and exports with PaddlePaddle's results.

`scripts/fetch_clients.sh` puts it into .venv/clients; `scripts/oracle/clients_262.py` wrote the
expected results with PaddlePaddle 2.6.2.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / ".venv" / "clients"
EXPECTED = np.load(ROOT / "tests" / "data" / "paddlenlp-2.0.8.npz")
MODELS = ("bert", "ernie", "gpt", "transformer")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CLIENTS / "paddlenlp").is_dir(), reason="`bash scripts/fetch_clients.sh` fetches it"
    ),
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, np.ndarray]:
    """What the training program gives here, run by itself: PaddleNLP changes global things."""
    folder = tmp_path_factory.mktemp("paddlenlp")
    script = ROOT / "tests" / "clients" / "nlp_training.py"
    env = {
        **os.environ, "HOME": str(folder), "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(CLIENTS), str(ROOT)]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(script), str(folder / "results.npz"), str(folder)],
        env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(np.load(folder / "results.npz"))


@pytest.mark.parametrize("model", MODELS)
def test_losses_are_paddlepaddle_s(model: str, results: Mapping[str, np.ndarray]) -> None:
    expected = EXPECTED[f"{model}_losses"]
    np.testing.assert_allclose(results[f"{model}_losses"], expected, rtol=2e-5)
    assert expected[-1] < 0.9 * expected[0]


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


OTHERS = [n for n in EXPECTED.files if not n.startswith(tuple(f"{m}_" for m in MODELS))]


@pytest.mark.parametrize("name", OTHERS)
def test_the_rest_is_paddlepaddle_s(name: str, results: Mapping[str, np.ndarray]) -> None:
    got, expected = results[name], EXPECTED[name]
    assert got.size == expected.size
    if expected.dtype.kind in "iub":
        assert got.reshape(-1).tolist() == expected.reshape(-1).tolist()
    else:
        np.testing.assert_allclose(got.reshape(-1), expected.reshape(-1), rtol=1e-4, atol=2e-5)


def test_sequences_of_tags_have_their_chunks() -> None:
    from tests.clients.stand_ins import get_entities

    tags = ["B-A", "I-A", "O", "I-C", "E-C", "S-A", "B-A", "I-C"]
    assert get_entities(tags) == [
        ("A", 0, 1), ("C", 3, 4), ("A", 5, 5), ("A", 6, 6), ("C", 7, 7)
    ]  # fmt: skip
    assert get_entities([["B-A"], ["I-A"]]) == [("A", 0, 0), ("A", 2, 2)]
    assert get_entities(["A-B", "A-I"], suffix=True) == [("A", 0, 1)]
