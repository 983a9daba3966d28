"""Vectors of related words are alike, and the sampled loss is what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.examples.running import load


@pytest.mark.slow
def test_word_vectors(tmp_path: Path) -> None:
    example = load("word_vectors")
    found = example.main(tmp_path)
    assert found["odd one out"] > 0.85
    assert found["full loss"] < found["blind loss"] - 0.35
    numbers = set(example.GROUPS["numbers"].split())
    assert len(numbers & set(found["nearest"]["three"])) >= 3
    assert {"father", "daughter", "sister"} & set(found["nearest"]["mother"])
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"losses.png", "vectors.png", "vectors.pdparams", "words.json"}


def test_pairs_are_words_of_one_verse_and_near() -> None:
    example = load("word_vectors")
    verses = [[f"v{v}w{i}" for i in range(8)] for v in range(200)]
    words, counts = example.make_vocabulary(verses * 5)
    pairs = example.Pairs(verses, words, counts, seed=1)
    seen = set()
    for left, right in pairs.pairs():
        (verse, at), (other, near) = (words[i][1:].split("w") for i in (left, right))
        assert verse == other
        seen.add(int(near) - int(at))
    assert seen == {d for d in range(-example.WINDOW, example.WINDOW + 1) if d}
    word, near, sampled = next(iter(pairs))
    assert word.shape == near.shape == (example.BATCH,)
    assert sampled.shape == (example.SAMPLED,)


def _net(example, drawn: np.ndarray):
    paddle.seed(3)
    net = example.SkipGram(drawn)
    for table in (net.vectors, net.neighbours):
        table.weight.set_value(paddle.randn(table.weight.shape) / 4)
    return net


def test_a_drawn_word_that_is_the_true_neighbour_is_no_wrong_answer() -> None:
    example = load("word_vectors")
    net = _net(example, np.full(6, 1 / 6))
    word, near = paddle.to_tensor([0, 1, 2]), paddle.to_tensor([3, 3, 3])
    loss = net(word, near, paddle.to_tensor([3] * example.SAMPLED))
    assert float(loss) == pytest.approx(0, abs=1e-6)


def test_the_sampled_loss_comes_close_to_the_full_one_with_many_words_drawn(monkeypatch) -> None:
    example = load("word_vectors")
    monkeypatch.setattr(example, "SAMPLED", 200_000)
    drawn = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    net = _net(example, drawn)
    word, near = paddle.to_tensor([0, 1, 2, 4]), paddle.to_tensor([3, 0, 4, 1])
    sampled = np.random.RandomState(5).choice(5, example.SAMPLED, p=drawn)
    with paddle.no_grad():
        full = float(net.full_loss(word, near))
        assert float(net(word, near, paddle.to_tensor(sampled))) == pytest.approx(full, rel=2e-3)
        other = float(net(word, near, paddle.to_tensor(sampled * 0)))
    assert abs(other - full) > 0.01  # the comparison can fail
