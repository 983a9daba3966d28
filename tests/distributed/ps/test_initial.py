"""Rows at first touch: the same whoever makes them, and distributed as asked for."""

import math

import numpy as np
import pytest

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.ps.initial import CountFilter, Initial, Probability

IDS = np.concatenate([np.arange(20_000), np.arange(20_000) * (1 << 40) - (1 << 62)])


@pytest.mark.parametrize("kind", ["constant", "uniform", "gaussian", "truncated_gaussian"])
def test_rows_follow_from_the_id(kind):
    initial = Initial(kind, value=2.5, seed=3)
    whole = initial.rows(IDS, 4)
    assert whole.shape == (40_000, 4)
    assert whole.dtype == np.float32
    some = np.random.default_rng(0).permutation(len(IDS))[:100]
    np.testing.assert_array_equal(initial.rows(IDS[some], 4), whole[some])
    np.testing.assert_array_equal(initial.rows(IDS[7:8], 4)[0], whole[7])
    assert initial.rows(IDS[:0], 4).shape == (0, 4)
    if kind != "constant":
        assert len(np.unique(whole)) > 0.97 * whole.size
        other = Initial(kind, seed=4).rows(IDS, 4)
        assert not (other == whole).any(1).all()


def test_constant():
    assert (Initial(value=2.5).rows(IDS, 3) == 2.5).all()


def test_uniform():
    found = Initial("uniform", low=-2.0, high=6.0).rows(IDS, 8, np.float64)
    assert found.min() >= -2.0
    assert found.max() <= 6.0
    assert abs(found.mean() - 2.0) < 0.05
    assert abs(found.std() - 8 / math.sqrt(12)) < 0.05
    counts = np.histogram(found, 16)[0] / found.size
    assert abs(counts - 1 / 16).max() < 0.004
    # neighbouring columns and ids tell nothing of each other
    assert abs(np.corrcoef(found.T) - np.eye(8)).max() < 0.03
    assert abs(np.corrcoef(found[:-1, 0], found[1:, 0])[0, 1]) < 0.03


def test_gaussian():
    found = Initial("gaussian", mean=1.0, std=3.0).rows(IDS, 8, np.float64)
    scaled = (found - 1.0) / 3.0
    assert abs(scaled.mean()) < 0.01
    assert abs(scaled.std() - 1) < 0.01
    assert abs((abs(scaled) < 1).mean() - 0.6827) < 0.005
    assert np.isfinite(scaled).all()
    assert abs(scaled).max() > 3.5


def test_truncated_gaussian():
    found = Initial("truncated_gaussian", mean=1.0, std=0.5).rows(IDS, 8)
    assert abs(found - 1.0).max() <= 1.0 + 1e-6
    assert abs(found.std() / 0.5 - 0.8796) < 0.01  # of a gaussian cut off at two deviations


def test_probability():
    entry = Probability(0.25)
    inside = entry.lets_in(IDS)
    assert abs(inside.mean() - 0.25) < 0.01
    np.testing.assert_array_equal(entry.lets_in(IDS[::-1]), inside[::-1])
    assert Probability(1.0).lets_in(IDS).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Initial("normal"), "expected one of"),
        (lambda: Initial("uniform", low=1.0, high=0.0), "low <= high"),
        (lambda: Initial("gaussian", std=-1.0), "std >= 0"),
        (lambda: Initial("gaussian", std=math.nan), "std >= 0"),
        (lambda: Probability(0.0), "above 0 and at most 1"),
        (lambda: Probability(1.5), "above 0 and at most 1"),
        (lambda: CountFilter(0), "at least 1"),
        (lambda: CountFilter(1.5), "at least 1"),
    ],
)
def test_refused(make, words):
    with pytest.raises(InvalidArgumentError, match=words):
        make()
