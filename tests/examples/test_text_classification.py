"""Both networks tell pleased sentences from displeased ones; padding has no say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.examples.running import load, run


@pytest.mark.slow
@pytest.mark.parametrize("network", ["cnn", "bilstm"])
def test_text_classification(network: str, tmp_path: Path) -> None:
    found = load("text_classification").main([network], tmp_path)[network]
    assert found["accuracy"] > 0.78
    assert found["new"] == [0, 1, 0, 1]
    written = {path.name for path in tmp_path.iterdir()}
    assert {"confusion.png", f"{network}_curves.png", "vocabulary.json"} <= written


@pytest.mark.slow
def test_an_unknown_network_is_refused_before_anything_is_trained(tmp_path: Path) -> None:
    done = run("text_classification", tmp_path, "transformer")
    assert done.returncode == 2
    assert "expected networks out of ['cnn', 'bilstm'], but got ['transformer']" in done.stderr


def test_the_bundled_corpus_is_balanced() -> None:
    sentences, labels = load("text_classification").read_corpus()
    assert len(sentences) == len(labels) == 2979
    assert 0.49 < labels.mean() < 0.51


def test_sentences_are_padded_and_cut() -> None:
    example = load("text_classification")
    vocabulary = example.make_vocabulary(["It works, it works!", "It's great!"])
    assert vocabulary == {"<pad>": 0, "<unknown>": 1, "it": 2, "works": 3, "!": 4}
    data = example.Sentences(["It never works!", "works " * 50, ""], [0, 1, 0], vocabulary)
    assert data.ids.shape == (3, example.LONGEST)
    assert data.ids[0, :6].tolist() == [2, 1, 3, 4, 0, 0]
    assert (data.ids[1] == 3).all()
    assert (data.ids[2] == 0).all()
    assert data[1][1].tolist() == [1]


@pytest.mark.parametrize("network", ["cnn", "bilstm"])
def test_more_padding_changes_no_score(network: str) -> None:
    paddle.seed(1)
    net = load("text_classification").NETWORKS[network](10)
    net.eval()
    ids = np.zeros((2, 20), "int64")
    ids[0, :5], ids[1, :12] = np.arange(1, 6), 7
    with paddle.no_grad():
        short, long = (net(paddle.to_tensor(ids[:, :width])).numpy() for width in (14, 20))
    np.testing.assert_allclose(short, long, rtol=1e-5, atol=1e-6)
    assert np.abs(short[0] - short[1]).max() > 1e-4


def test_confusion_counts_labels_by_row() -> None:
    matrix = load("text_classification").confusion_matrix([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])
    assert matrix.tolist() == [[1, 1], [1, 2]]
