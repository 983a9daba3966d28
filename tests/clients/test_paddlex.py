"""PaddleX 1.3.11 from the registry trains on drawn pictures, saves, loads and serves its models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.clients.running import CLIENTS, REASON, results_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "paddlex").is_dir(), reason=REASON),
]


def test_pictures_are_classified_and_the_model_served(tmp_path: Path) -> None:
    results = results_of("paddlex_vision.py", tmp_path, "classified")
    losses = results["losses"]
    assert len(losses) == 15 and losses[-3:].mean() < 0.3 * losses[:3].mean()
    assert results["scores"].sum() == pytest.approx(1, abs=1e-5)
    for how in ("again", "served"):
        np.testing.assert_allclose(results[f"scores_{how}"], results["scores"], atol=1e-5)


def test_pixels_are_told_apart(tmp_path: Path) -> None:
    results = results_of("paddlex_vision.py", tmp_path, "segmented")
    losses = results["losses"]
    assert losses[-3:].mean() < 0.7 * losses[:3].mean() and 0 <= results["iou"] <= 1
    assert results["mask"].shape == (64, 64)


def test_boxes_are_learnt(tmp_path: Path) -> None:
    results = results_of("paddlex_vision.py", tmp_path, "detected")
    losses = results["losses"]
    assert len(losses) == 9 and np.isfinite(losses).all() and losses[-1] < 0.5 * losses[0]
    assert results["boxes"].shape[-1] in (0, 5)
