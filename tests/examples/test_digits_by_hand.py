"""Digits by hand: F1, accuracy and the picture of the hardest images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples.running import load, needs_mnist


@pytest.mark.slow
@needs_mnist
def test_digits_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    f1, accuracy, losses = load("digits_by_hand").main(quick=True)
    assert f1 > 0.93
    assert accuracy > 0.93
    assert losses[1] < losses[0]
    assert (tmp_path / "output/digits_by_hand/hardest.png").stat().st_size > 1000
    assert (tmp_path / "output/digits_by_hand/best.pdparams").exists()


def test_the_metric_is_f1() -> None:
    metric = load("digits_by_hand").F1(classes=3)
    metric.update(np.array([0, 0, 1]), np.array([[0], [1], [1]]))
    metric.update(np.array([2]), np.array([[2]]))
    np.testing.assert_allclose(metric.by_class(), [2 / 3, 2 / 3, 1.0])
    assert metric.accumulate() == pytest.approx(7 / 9)
    metric.reset()
    assert metric.accumulate() == 0.0
