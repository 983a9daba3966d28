"""Samples of operators that draw for every element of an input."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos


def _shares(outs, inputs, attrs):
    """The largest entry is where category k was drawn: as often as softmax says."""
    out, x = outs[0].numpy(), inputs["X"]
    axis = attrs.get("axis", -1)
    np.testing.assert_allclose(out.sum(axis), 1.0)
    rows = np.moveaxis(out, axis, -1).reshape(-1, x.shape[axis])
    drawn = np.bincount(rows.argmax(1), minlength=rows.shape[1]) / len(rows)
    weights = np.exp(np.moveaxis(x, axis, -1).reshape(rows.shape)[0])
    np.testing.assert_allclose(drawn, weights / weights.sum(), atol=0.03)
    if attrs.get("hard"):
        assert set(np.unique(out)) == {0.0, 1.0}


def _slopes(outs, inputs, attrs):
    out, noise, x = outs[0].numpy(), outs[1].numpy(), inputs["X"]
    np.testing.assert_allclose(out, x * noise)
    assert (noise[x >= 0] == 1).all()
    drawn, low, high = noise[x < 0], attrs["lower"], attrs["upper"]
    assert drawn.min() >= low and drawn.max() <= high
    assert abs(drawn.mean() - (low + high) / 2) < 0.02 * (high - low)


def rrelu(x, is_test=False, lower=0.125, upper=0.3333333432674408):
    noise = np.where(x < 0, (lower + upper) / 2, 1.0)
    return x * noise, noise


def _counts(outs, inputs, attrs):
    out, rate = outs[0].numpy(), inputs["X"][0]
    assert (out == np.round(out)).all() and out.min() >= 0
    np.testing.assert_allclose(out.mean(0), rate, rtol=0.1)
    np.testing.assert_allclose(out.var(0), rate, rtol=0.15)


def _uniform(outs, inputs, attrs):
    out = outs[0].numpy()
    low, high = attrs.get("min", -1.0), attrs.get("max", 1.0)
    assert out.shape == inputs["X"].shape and out.min() >= low and out.max() <= high
    assert abs(out.mean() - (low + high) / 2) < 0.02 * (high - low)
    assert abs(out.std() - (high - low) / 12**0.5) < 0.02 * (high - low)


def _diagonal(outs, inputs, attrs):
    out = outs[0].numpy()
    np.testing.assert_array_equal(np.diagonal(out), [7.0, 7.0, 7.0])
    assert np.abs(out[~np.eye(3, dtype=bool)]).max() <= 1.0


def _normal(outs, inputs, attrs):
    out = outs[0].numpy()
    assert out.shape == inputs["x"].shape
    mean, std = attrs.get("mean", 0.0), attrs.get("std", 1.0)
    assert abs(out.mean() - mean) < 0.04 * std
    assert abs(out.std() / std - 1) < 0.03
    assert abs(np.mean(np.abs(out - mean) < std) - 0.6827) < 0.02


MANY = np.tile(f64(4), (5000, 1))
LINES = np.tile(f64(3, 1), (1, 4000))
RATES = np.tile(np.array([0.5, 2.0, 30.0]), (4000, 1))
WIDE = f64(100, 100)

SAMPLES = [
    Sample("gumbel_softmax", {"X": MANY}, check=_shares, grad=[]),
    Sample("gumbel_softmax", {"X": MANY}, {"hard": True, "temperature": 2.0}, check=_shares,
           grad=[], note="hard"),
    Sample("gumbel_softmax", {"X": LINES}, {"axis": 0}, check=_shares, grad=[], note="axis"),
    Sample("gumbel_softmax", {"X": f64(3, 4)}, {"temperature": 1.5}, orders=2, note="gradient",
           check=lambda outs, inputs, attrs: np.testing.assert_allclose(outs[0].numpy().sum(1), 1)),
    Sample("rrelu", {"X": WIDE}, {"lower": 0.1, "upper": 0.5}, check=_slopes, orders=1),
    Sample("rrelu", {"X": f64(3, 4)}, {"is_test": True}, rrelu, note="test"),
    Sample("poisson", {"X": RATES}, check=_counts, grad=[]),
    Sample("uniform_random_inplace", {"X": WIDE}, check=_uniform, grad=[]),
    Sample("uniform_random_inplace", {"X": WIDE}, {"min": 2.0, "max": 5.0, "seed": 3},
           check=_uniform, grad=[], note="seed"),
    Sample("uniform_random_inplace", {"X": f64(3, 3)},
           {"diag_num": 3, "diag_step": 3, "diag_val": 7.0}, check=_diagonal, grad=[],
           note="diagonal"),
    Sample("gaussian_inplace", {"x": WIDE}, check=_normal, grad=[]),
    Sample("gaussian_inplace", {"x": WIDE}, {"mean": 3.0, "std": 0.5, "seed": 2}, check=_normal,
           grad=[], note="seed"),
]  # fmt: skip

ERRORS = [
    ErrorSample("gumbel_softmax", {"X": f64(3)}, {"temperature": 0.0}, ValueError, "positive"),
    ErrorSample("gumbel_softmax", {"X": f64(3)}, {"axis": 1}, ValueError, r"range of \[-1, 0\]"),
    ErrorSample("rrelu", {"X": f64(3)}, {"lower": 0.5, "upper": 0.2}, ValueError, "0.5 and 0.2"),
    ErrorSample("poisson", {"X": -pos(3)}, {}, ValueError, "no negative rates"),
    ErrorSample("uniform_random_inplace", {"X": f64(3)}, {"min": 1.0, "max": 0.0}, ValueError,
                "no larger than max"),
    ErrorSample("uniform_random_inplace", {"X": f64(2, 2)}, {"diag_num": 3, "diag_step": 2},
                ValueError, "3 places 3 apart among 4 elements"),
]  # fmt: skip
