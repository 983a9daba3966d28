"""What answers are made of: compact points, few points for many, projections, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from visualdl.server import projection
from visualdl.server.points import LARGE, Numbers, Points, Series
from visualdl.server.projection import neighbors, pca
from visualdl.server.sampling import between, sampled, spread

KINDS = (np.int64, np.int64, np.float32)


def columns(count, first=0):
    """Gives steps, times and values."""
    return tuple(np.arange(first, first + count).astype(kind) for kind in KINDS)


# -- points --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "numbers",
    [[], [5], [2**62, 2**62 + 9], [0, 2**31], [-5, 2**40], [7, -(2**31)], [-(2**63), 2**63 - 1]],
)
def test_numbers_are_kept_as_they_are(numbers):
    given = np.array(numbers, np.int64)
    np.testing.assert_array_equal(Numbers(given).get(), given)


def test_series_grow_in_any_pieces():
    drawn = np.random.default_rng(0)
    series, expected = Series(), {}
    for _ in range(200):
        parts = []
        for name in drawn.choice(30, drawn.integers(1, 6), replace=False).tolist():
            first = len(expected.get(name, []))
            part = columns(int(drawn.integers(1, 50)), first)
            parts.append((name, *part))
            expected.setdefault(name, []).extend(part[0].tolist())
        series.add(parts)
    assert set(series.names) == set(expected) and series.total == sum(map(len, expected.values()))
    assert len(series._blocks) < 20
    for name, steps in expected.items():
        found = series.get(name)
        assert found.steps.tolist() == found.times.tolist() == steps
        assert found.values.tolist() == steps and found.steps.dtype == np.int64
        assert series.count(name) == len(found) == len(steps)
        rows = np.flatnonzero(drawn.random(len(steps)) < 0.2)
        assert series.get(name).part(rows).steps.tolist() == rows.tolist()
        low, high = sorted(drawn.integers(0, len(steps) + 1, 2).tolist())
        for where in (slice(low, high), slice(-1, None), slice(len(steps), None), slice(0, 0)):
            part = series.get(name).part(where)
            assert part.steps.tolist() == part.values.tolist() == steps[where]
            rows = np.arange(0, len(part), 3)
            assert part.part(rows).times.tolist() == steps[where][::3]
        assert series.last(name).steps.tolist() == steps[-1:]
    assert series.get("none") is None and series.last("none") is None
    assert series.count("none") == 0 and "none" not in series and 1 in series
    series.add([])


def test_large_blocks_are_not_copied_again():
    series = Series()
    for number in range(4):
        series.add([("a", *columns(LARGE, number * LARGE))])
    assert [block.size for block in series._blocks] == [LARGE] * 4
    assert series.get("a").steps.tolist() == list(range(4 * LARGE))


def test_times_in_seconds_are_told_from_milliseconds():
    times = np.array([1_600_000_000, 1_600_000_000_123], np.int64)
    points = Points(times, times, times.astype(np.float32))
    assert points.ms.tolist() == [1_600_000_000_000, 1_600_000_000_123]


# -- few for many --------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [1, 7, 8, 9, 100, 1999, 2000, 2001, 12_345])
@pytest.mark.parametrize("most", [1, 8, 100, 2000])
def test_sampling_keeps_what_is_seen(count, most):
    drawn = np.random.default_rng(count)
    values = drawn.standard_normal(count).astype(np.float32)
    for gaps in (0, 0.2, 1):
        values[drawn.random(count) < gaps] = np.nan
        at = sampled(values, most)
        assert len(at) <= max(8, most) and (np.diff(at) > 0).all()
        assert {at[0], at[-1]} == {0, count - 1}
        if gaps < 1 and np.isfinite(values).any():
            assert {int(np.nanargmin(values)), int(np.nanargmax(values))} <= set(at.tolist())
        if np.isnan(values).any():
            assert np.isnan(values[at]).any()


def test_sampling_of_infinities():
    values = np.zeros(5000, np.float32)
    values[[1000, 3000]] = np.inf, -np.inf
    assert {1000, 3000} <= set(sampled(values, 50).tolist())


@pytest.mark.parametrize("shuffled", [False, True])
def test_between_has_a_neighbour_on_either_side(shuffled):
    axis = np.arange(0, 100, 10)
    if shuffled:
        axis = np.array([0, 10, 20, 30, 20, 30, 40, 90])
    found = axis[between(axis, 20, 30)].tolist()
    assert found == ([10, 20, 30, 20, 30, 40] if shuffled else [10, 20, 30, 40])
    assert axis[between(axis, None, None)].tolist() == axis.tolist()
    assert axis[between(axis, 1000, None)].tolist() == ([] if shuffled else [90])
    assert axis[between(axis, None, -1)].tolist() == ([] if shuffled else [0])
    assert axis[between(axis, float("-inf"), float("inf"))].tolist() == axis.tolist()
    assert len(axis[:0][between(axis[:0], 1, 2)]) == 0


def test_spread_has_both_ends():
    for count in (0, 1, 2, 5, 100, 1001):
        for most in (1, 2, 5, 500):
            found = spread(count, most).tolist()
            assert len(found) <= max(most, 1) and found == sorted(set(found))
            assert not count or found[0] == 0
            assert most == 1 or not count or found[-1] == count - 1


# -- projections ---------------------------------------------------------------------------------
@pytest.mark.parametrize("rows, columns", [(50, 6), (30, 200), (80, 90), (3, 5), (2, 1), (1, 4)])
@pytest.mark.parametrize("dimension", [2, 3])
def test_pca_is_that_of_linear_algebra(rows, columns, dimension, monkeypatch):
    monkeypatch.setattr(projection, "WIDE", 60)
    drawn = np.random.default_rng(0)
    data = drawn.standard_normal((rows, min(4, columns))) * [8, 4, 2, 1][: min(4, columns)]
    data = data @ drawn.standard_normal((data.shape[1], columns))
    points, shares = pca(data, dimension)
    assert points.shape == (rows, dimension) and len(shares) == dimension
    centred = data - data.mean(0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    count = min(dimension, len(sizes))
    expected = np.abs(left[:, :count] * sizes[:count])
    scale = max(float(expected.max()), 1e-9)
    np.testing.assert_allclose(np.abs(points[:, :count]) / scale, expected / scale, atol=2e-3)
    again, _ = pca(data.copy(), dimension)
    np.testing.assert_array_equal(points, again)


def test_pca_of_odd_vectors():
    for data in (np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((4, 3)), np.full((4, 3), 1e30),
                 np.full((4, 3), np.nan), np.array([[np.inf, 1], [-np.inf, 2]])):  # fmt: skip
        points, shares = pca(data, 3)
        assert points.shape == (len(data), 3) and np.isfinite(points).all()
        assert np.isfinite(shares).all()
    points, _ = pca(np.array([[3e38, 0], [-3e38, 0], [0, 1]]), 2)
    assert np.isfinite(points).all()


def test_neighbors_of_odd_vectors():
    same = np.ones((5, 3))
    for metric in ("cosine", "euclidean"):
        assert neighbors(same, 2, 10, metric) == [(row, 0.0) for row in (0, 1, 3, 4)]
        assert neighbors(np.ones((1, 3)), 0, 10, metric) == []
        found = neighbors(np.array([[0, 0], [np.nan, 1], [1e38, 1e38]]), 0, 2, metric)
        assert sorted(row for row, _ in found) == [1, 2]
