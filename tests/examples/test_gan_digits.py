"""The GAN's digits: a classifier of real ones knows them, and all ten are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.running import load, needs_mnist


@pytest.mark.slow
@needs_mnist
def test_generated_digits_are_known_and_of_all_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    accuracy, confidence, shares = load("gan_digits").main(quick=True)
    assert accuracy > 0.94
    assert confidence > 0.55
    assert (shares > 0).sum() >= 9
    assert (tmp_path / "output/gan_digits/digits.png").stat().st_size > 1000
