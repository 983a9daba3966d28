"""Digits by paddle.Model: accuracy, curves, pictures and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.running import load, needs_mnist


@pytest.mark.slow
@needs_mnist
def test_digits_by_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    accuracy, history, same = load("digits_by_model").main(quick=True)
    assert accuracy > 0.95
    assert same
    assert len(history.history["loss"]) == len(history.history["eval_acc"]) == 2
    assert history.history["loss"][1] < history.history["loss"][0]
    written = {path.name for path in (tmp_path / "output/digits_by_model").iterdir()}
    assert {"curves.png", "confusion.png", "digits.pdparams", "digits.pdopt"} <= written
    assert {"served.pdmodel", "served.pdiparams"} <= written


def test_confusion_counts_the_row_as_the_truth() -> None:
    counts = load("digits_by_model").confusion([3, 3, 5], [3, 8, 5])
    assert counts.sum() == 3
    assert counts[3, 8] == counts[3, 3] == counts[5, 5] == 1
