"""Sentiment and MQ2007: text in a zip archive, and text that was unpacked by hand."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.dataset import common, mq2007, sentiment
from tests.dataset import archives


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    monkeypatch.setattr("paddle.utils.fetching.PAUSE_SECONDS", 0.0)
    return tmp_path


def test_sentiment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archives.movie_reviews(home / "corpora" / "movie_reviews.zip")
    monkeypatch.setattr(sentiment, "MD5", common.md5file(path))
    monkeypatch.setattr(sentiment, "NUM_TRAINING_INSTANCES", 3)
    sentiment.fetch()
    ranked = paddle.dataset.sentiment.get_word_dict()
    assert [number for _, number in ranked] == list(range(len(ranked)))
    # By frequency; words of the same frequency in the order in which they come.
    words = [word for word, _ in ranked]
    assert " ".join(words[:10]) == "a good . bad film , ! the plot '"
    train, test = list(sentiment.train()), list(sentiment.test())
    assert [label for _, label in train + test] == [0, 1, 0, 1]
    texts = [" ".join(words[i] for i in numbers) for numbers, _ in train + test]
    assert texts[0] == "a bad film , bad -- really ( ! ) not good ."
    assert texts[3] == 'the " best " of 1999 !'
    batches = list(paddle.batch(sentiment.train, batch_size=2)())
    assert [len(batch) for batch in batches] == [2, 1]


def test_bad_reviews(tmp_path: Path) -> None:
    path = archives.movie_reviews(tmp_path / "whole.zip")
    (tmp_path / "cut.zip").write_bytes(Path(path).read_bytes()[:-30])
    with pytest.raises(ValueError, match=r"cut\.zip: expected a complete zip archive"):
        sentiment.read_reviews(str(tmp_path / "cut.zip"))
    for name, content, words in (
        ("movie_reviews/neg/a.txt", b"bad", r"texts movie_reviews/pos/\*\.txt .*found none"),
        ("movie_reviews/neg/a.txt", b"b\xe4d", r"neg/a\.txt in .*expected text in UTF-8"),
    ):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
            archive.writestr(name, content)
        with pytest.raises(ValueError, match=words):
            sentiment.read_reviews(str(tmp_path / "bad.zip"))


def test_sentiment_without_network(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentiment, "URL", "http://127.0.0.1:9/movie_reviews.zip")
    with pytest.raises(RuntimeError, match=f"put the file there yourself: {home}/corpora/movie_re"):
        sentiment.train()


@pytest.mark.parametrize("place", ["MQ2007/Fold1", "MQ2007/MQ2007/Fold1", "Fold1"])
def test_mq2007_wherever_it_was_unpacked(home: Path, place: str) -> None:
    archives.letor(home / "MQ2007" / place / "train.txt")
    samples = list(paddle.dataset.mq2007.train(format="listwise"))
    assert [scores.ravel().tolist() for scores, _ in samples] == [[2, 2, 1, 0], [1, 0]]
    assert samples[0][1].shape == (4, 46)
    pairs = list(mq2007.train())
    assert len(pairs) == 6 and pairs[0][0].tolist() == [1]
    np.testing.assert_array_equal(pairs[-1][1], samples[1][1][0])


def test_queries(home: Path) -> None:
    archives.letor(home / "MQ2007" / "Fold1" / "test.txt")
    lists = mq2007.load_from_text("MQ2007/MQ2007/Fold1/test.txt")
    assert [(each.query_id, len(each)) for each in lists] == [(10, 4), (18, 2), (20, 2)]
    assert lists[0][1].description == "docid = GX1" and lists[0][1].relevance_score == 2
    assert str(lists[0][0]).startswith("0 10 0.1 0.2 ")
    neighbours = list(mq2007.gen_pair(lists[0], "neighbour"))
    assert len(neighbours) == 2 and len(list(mq2007.gen_pair(lists[0]))) == 5
    assert [each.query_id for each in mq2007.query_filter(lists)] == [10, 20]
    assert [score for score, _ in mq2007.gen_point(list(lists[2]))] == [1, 0]
    with pytest.raises(ValueError, match="documents of the query 1, but received one of 2"):
        mq2007.QueryList([mq2007.Query(1), mq2007.Query(2)])
    with pytest.raises(ValueError, match="'full' or 'neighbour', but received 'all'"):
        list(mq2007.gen_pair(lists[0], "all"))
    orders = {tuple(q.query_id for q in mq2007.load_from_text("Fold1/test.txt", shuffle=True))
              for _ in range(40)}  # fmt: skip
    assert len(orders) > 1


def test_values_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "few.txt"
    path.write_text("1 qid:3 1:0.5 2:NULL 46:1\n\n")
    ((document,),) = mq2007.load_from_text(str(path), fill_missing=9)
    assert document.feature_vector == [0.5, *[9.0] * 44, 1.0] and document.description == ""


@pytest.mark.parametrize("line", ["1 qid:3 47:1", "1 3 1:2", "x qid:3 1:2", "1 qid:3 1:2:3", "# a"])
def test_lines_of_another_format(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(f"1 qid:3 1:0.5\n{line}\n")
    with pytest.raises(ValueError, match=r"line 2 of .*bad\.txt: expected '<relevance> qid:"):
        mq2007.load_from_text(str(path))


def test_mq2007_says_how_to_unpack_it(home: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        list(mq2007.train())
    text = str(caught.value)
    assert f"Fold1/train.txt somewhere below {home}/MQ2007" in text and "7z x" in text
    with pytest.raises(ValueError, match=r"mq2007\(format\): expected one of .*received 'pair'"):
        list(mq2007.train(format="pair"))
    assert os.listdir(home) == []
