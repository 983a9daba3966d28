"""Dates by attention: exact on unseen ones, and it looks at the right places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples.running import load


@pytest.mark.slow
def test_unseen_dates_are_exactly_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    greedy, beam = load("seq2seq_attention").main(quick=True)
    assert greedy > 0.95
    assert beam > 0.95
    assert (tmp_path / "output/seq2seq_attention/attention.png").stat().st_size > 1000


def test_attention_does_not_look_behind_the_end_of_a_text() -> None:
    example = load("seq2seq_attention")
    dataset = example.Dates(example.pairs(4, seed=2))
    net = example.Translator()
    read, lengths = (example.paddle.to_tensor(a) for a in (dataset.read, dataset.lengths))
    _, weights = net.greedy(read, lengths)
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-5)
    for weight, length in zip(weights, dataset.lengths):
        assert weight[:, length:].max(initial=0.0) == 0.0
        assert (weight[:, :length] > 0).all()
