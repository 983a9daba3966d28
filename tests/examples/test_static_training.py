"""Training in static mode: accuracy, averaged weights, what is served, and a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddle import static
from tests.examples.running import load, needs_mnist


@pytest.mark.slow
@needs_mnist
def test_static_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with static.scope_guard(static.Scope()):
        accuracies, (went_on, resumed) = load("static_training").main(quick=True)
    last, averaged, served = accuracies
    assert last > 0.9
    assert averaged > 0.95
    assert served == pytest.approx(averaged, abs=1e-3)
    assert went_on == resumed
    assert len(went_on) == 20
