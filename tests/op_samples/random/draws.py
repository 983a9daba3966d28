"""Samples of random operators: moments and ranges of large draws."""

from __future__ import annotations

import numpy as np

from paddle.core.dtype import numpy_dtype
from tests.op_samples.sample import ErrorSample, Sample, f64

F64, I32, I64 = 6, 2, 3
MANY = [200, 100]


def _values(outs, attrs, shape=None, default=5):
    array = outs[0].numpy()
    assert list(array.shape) == list(shape or attrs["shape"])
    assert array.dtype == numpy_dtype(attrs.get("dtype", default))
    return array


def _normal(outs, inputs, attrs, shape=None):
    x = _values(outs, attrs, shape)
    mean, std = attrs.get("mean", 0.0), attrs.get("std", 1.0)
    assert abs(x.mean() - mean) < 4 * std / x.size**0.5
    assert abs(x.std() / std - 1) < 0.03
    inside = np.mean(np.abs(x - mean) < std)
    assert abs(inside - 0.6827) < 0.02


def _truncated(outs, inputs, attrs):
    x = (_values(outs, attrs) - attrs.get("mean", 0.0)) / attrs.get("std", 1.0)
    assert np.abs(x).max() <= 2.0 + 1e-5
    assert abs(x.mean()) < 0.03
    assert abs(x.std() - 0.8796) < 0.02  # of a normal distribution cut at two standard deviations


def _uniform(outs, inputs, attrs, shape=None):
    x = _values(outs, attrs, shape)
    low, high = attrs.get("min", -1.0), attrs.get("max", 1.0)
    assert x.min() >= low and x.max() <= high
    assert abs(x.mean() - (low + high) / 2) < 0.02 * (high - low)
    assert abs(x.std() - (high - low) / 12**0.5) < 0.01 * (high - low)


def _diagonal(outs, inputs, attrs):
    x = outs[0].numpy()
    np.testing.assert_array_equal(np.diagonal(x), [7.0, 7.0, 7.0])
    rest = x[~np.eye(3, dtype=bool)]
    assert np.abs(rest).max() <= 1.0


def _integers(outs, inputs, attrs):
    x = _values(outs, attrs, default=I64)
    share = np.bincount(x.ravel() - attrs["low"]) / x.size
    assert len(share) == attrs["high"] - attrs["low"]
    np.testing.assert_allclose(share, 1 / len(share), atol=0.02)


def _permutation(outs, inputs, attrs):
    x = _values(outs, attrs, [attrs["n"]], default=I64)
    np.testing.assert_array_equal(np.sort(x), np.arange(attrs["n"]))
    assert (x != np.arange(attrs["n"])).any()


def _coins(outs, inputs, attrs):
    x, p = outs[0].numpy(), inputs["X"]
    assert set(np.unique(x)) <= {0.0, 1.0}
    np.testing.assert_allclose(x.mean(0), p[0], atol=0.04)


def _categories(outs, inputs, attrs):
    x, weights = outs[0].numpy(), inputs["X"]
    assert x.dtype == np.int64
    assert list(x.shape) == [*weights.shape[:-1], attrs["num_samples"]]
    share = np.bincount(x.ravel(), minlength=weights.shape[-1]) / x.size
    np.testing.assert_allclose(
        share, weights.sum(tuple(range(weights.ndim - 1))) / weights.sum(), atol=0.03
    )


def _different(outs, inputs, attrs):
    assert sorted(outs[0].tolist()) == [1, 2, 4]


def _waiting(outs, inputs, attrs):
    x = outs[0].numpy()
    assert x.shape == inputs["X"].shape and x.min() >= 0
    assert abs(x.mean() * attrs.get("lambda", 1.0) - 1) < 0.05
    assert abs(x.std() * attrs.get("lambda", 1.0) - 1) < 0.06


def _ids(outs, inputs, attrs):
    share = np.bincount(outs[0].numpy(), minlength=3) / len(inputs["X"])
    np.testing.assert_allclose(share, inputs["X"][0], atol=0.03)


P = np.tile(np.float64([0.0, 0.25, 0.5, 1.0]), (2000, 1))
W = np.float64([1, 0, 3, 4])

SAMPLES = [
    Sample("gaussian_random", {}, {"shape": MANY}, check=_normal),
    Sample(
        "gaussian_random",
        {},
        {"shape": MANY, "mean": 3.0, "std": 0.5, "dtype": F64, "seed": 5},
        check=_normal,
        note="moved",
    ),
    Sample(
        "gaussian_random",
        {"ShapeTensor": np.int32(MANY)},
        {},
        check=lambda o, i, a: _normal(o, i, a, MANY),
        note="tensor",
        static_shape=False,
    ),
    Sample(
        "gaussian_random_batch_size_like",
        {"Input": f64(200, 1)},
        {"shape": [-1, 100]},
        check=lambda o, i, a: _normal(o, i, a, MANY),
    ),
    Sample(
        "truncated_gaussian_random", {}, {"shape": MANY, "mean": 1.0, "std": 2.0}, check=_truncated
    ),
    Sample("uniform_random", {}, {"shape": MANY}, check=_uniform),
    Sample(
        "uniform_random",
        {},
        {"shape": MANY, "min": 2.0, "max": 5.0, "dtype": F64},
        check=_uniform,
        note="range",
    ),
    Sample(
        "uniform_random",
        {"ShapeTensorList": [np.int32([200]), np.int32([100])]},
        {"shape": [200, 100]},
        check=_uniform,
        note="parts",
        static_shape=False,
    ),
    Sample(
        "uniform_random",
        {},
        {"shape": [3, 3], "diag_num": 3, "diag_step": 3, "diag_val": 7.0},
        check=_diagonal,
        note="diagonal",
    ),
    Sample(
        "uniform_random_batch_size_like",
        {"Input": f64(200, 1)},
        {"shape": [-1, 100]},
        check=lambda o, i, a: _uniform(o, i, a, MANY),
    ),
    Sample("randint", {}, {"shape": MANY, "low": -3, "high": 2}, check=_integers),
    Sample(
        "randint",
        {},
        {"shape": MANY, "low": 0, "high": 4, "dtype": I32},
        check=_integers,
        note="int32",
    ),
    Sample("randperm", {}, {"n": 50}, check=_permutation),
    Sample("randperm", {}, {"n": 50, "dtype": 5}, check=_permutation, note="float"),
    Sample("bernoulli", {"X": P}, {}, check=_coins),
    Sample("multinomial", {"X": W}, {"num_samples": 4000, "replacement": True}, check=_categories),
    Sample(
        "multinomial",
        {"X": np.stack([W, W])},
        {"num_samples": 2000, "replacement": True},
        check=_categories,
        note="rows",
    ),
    Sample(
        "multinomial",
        {"X": np.float64([0, 1, 2, 0, 3])},
        {"num_samples": 3},
        check=_different,
        note="without_replacement",
    ),
    Sample("exponential", {"X": f64(200, 50)}, {}, check=_waiting, grad=[]),
    Sample(
        "exponential", {"X": f64(200, 50)}, {"lambda": 4.0}, check=_waiting, grad=[], note="rate"
    ),
    Sample("sampling_id", {"X": np.tile(np.float64([0.2, 0.5, 0.3]), (5000, 1))}, {}, check=_ids),
]

ERRORS = [
    ErrorSample(
        "gaussian_random", {}, {"shape": [2], "dtype": I64}, ValueError, "int64 cannot be drawn"
    ),
    ErrorSample(
        "uniform_random",
        {},
        {"shape": [2], "min": 1.0, "max": 0.0},
        ValueError,
        "no larger than max",
    ),
    ErrorSample(
        "randint", {}, {"shape": [2], "low": 3, "high": 3}, ValueError, "low is expected to be less"
    ),
    ErrorSample(
        "bernoulli", {"X": np.float64([0.5, 1.5])}, {}, ValueError, r"\[0, 1\].*from 0.5 to 1.5"
    ),
    ErrorSample(
        "multinomial",
        {"X": np.float64([0, 1])},
        {"num_samples": 2},
        ValueError,
        "2 categories cannot be drawn",
    ),
    ErrorSample("multinomial", {"X": np.float64([-1, 1])}, {}, ValueError, "no negative weight"),
    ErrorSample("multinomial", {"X": f64(2, 2, 2)}, {}, ValueError, "1 or 2 dimensions"),
]
