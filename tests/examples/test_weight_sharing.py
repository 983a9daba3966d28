"""Shared weights: fewer numbers, better guesses, gradients that add up, files that keep it."""

from __future__ import annotations

import pytest

from paddle import static
from tests.examples.running import load


@pytest.mark.slow
def test_shared_weights() -> None:
    with static.scope_guard(static.Scope()):
        found, apart, numbers, (went_on, again) = load("weight_sharing").main()
    (separate, worse), (shared, better) = found["separate"], found["shared"]
    assert shared < 0.5 * separate
    assert better < 50 and better < worse
    assert apart < 1e-6
    assert numbers == (shared, shared)
    assert went_on == again
