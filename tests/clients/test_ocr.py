"""OCR packages from the registry, unmodified, read drawn text as PaddlePaddle does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.clients.ocr_pipelines import PICTURES
from tests.clients.running import CLIENTS, REASON, ROOT, expected, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "rapidocr_paddle").is_dir(), reason=REASON),
]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    pictures = ROOT / "tests" / "data" / "ocr.npz"  # what 2.6.2 read, and what it found
    folder = tmp_path_factory.mktemp("ocr")
    return results_of("ocr_pipelines.py", folder, str(pictures))


@pytest.mark.parametrize("package", ["rapidocr", "paddleocr"])
@pytest.mark.parametrize("picture", PICTURES)
def test_text_is_read_as_by_paddlepaddle(
    results: dict[str, np.ndarray], package: str, picture: str
) -> None:
    known, key = expected("ocr"), f"{package}/{picture}"
    assert results[f"{key}/texts"].tolist() == known[f"{key}/texts"].tolist()
    np.testing.assert_allclose(results[f"{key}/scores"], known[f"{key}/scores"], atol=1e-3)
    np.testing.assert_allclose(results[f"{key}/boxes"], known[f"{key}/boxes"], atol=1.01)


def test_what_is_read_was_drawn(tmp_path: Path) -> None:
    """Pictures of this machine's own fonts and Pillow."""
    found = results_of("ocr_pipelines.py", tmp_path)
    for picture, lines in PICTURES.items():
        for package in ("rapidocr", "paddleocr"):
            read = [text.replace(" ", "") for text in found[f"{package}/{picture}/texts"]]
            assert read == [line.replace(" ", "") for line in lines]
