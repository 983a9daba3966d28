"""Uniform, Normal and Categorical: values, shapes, types, seeds, static mode and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import paddle
from paddle.distribution import Categorical, Distribution, Normal, Uniform
from tests import rounding
from tests.static import harness

T = paddle.to_tensor
LOW, HIGH = np.array([-1.0, 0.5], "float32"), np.array([[2.0], [3.0], [5.0]], "float32")


def test_uniform_follows_scipy() -> None:
    uniform = Uniform(LOW, HIGH)
    value = np.array([0.7, 0.6], "float32")
    expected = stats.uniform(LOW, HIGH - LOW)
    np.testing.assert_allclose(uniform.probs(T(value)).numpy(), expected.pdf(value), rtol=1e-6)
    np.testing.assert_allclose(
        uniform.log_prob(T(value)).numpy(), expected.logpdf(value), rtol=1e-5
    )
    np.testing.assert_allclose(uniform.entropy().numpy(), expected.entropy(), rtol=1e-6)


def test_uniform_is_open_at_both_ends() -> None:
    uniform = Uniform(0.0, 2.0)
    ends = T(np.array([0.0, 2.0, -1.0, 3.0, 1.0], "float32"))
    np.testing.assert_array_equal(uniform.probs(ends).numpy(), [0, 0, 0, 0, 0.5])
    assert np.isneginf(uniform.log_prob(ends).numpy()[:4]).all()


def test_normal_follows_scipy() -> None:
    loc, scale = np.array([0.0, 1.5]), np.array([[1.0], [2.0]])
    normal, expected = Normal(loc, scale), stats.norm(loc, scale)
    value = np.array([-0.3, 2.0])
    assert normal.entropy().dtype == paddle.float64
    np.testing.assert_allclose(normal.entropy().numpy(), expected.entropy() + 0 * loc)
    np.testing.assert_allclose(normal.log_prob(T(value)).numpy(), expected.logpdf(value))
    np.testing.assert_allclose(normal.probs(T(value)).numpy(), expected.pdf(value))


def test_divergence_of_normals_is_the_integral() -> None:
    grid = np.linspace(-30.0, 30.0, 60001)
    p, q = stats.norm(0.5, 1.5), stats.norm(-1.0, 2.0)
    integral = np.sum(p.pdf(grid) * (p.logpdf(grid) - q.logpdf(grid))) * (grid[1] - grid[0])
    mine = Normal(np.array([0.5]), np.array([1.5])).kl_divergence(
        Normal(np.array([-1.0]), np.array([2.0]))
    )
    np.testing.assert_allclose(mine.numpy(), [integral], rtol=1e-6)


@pytest.mark.parametrize("kind", [Uniform, Normal])
def test_shape_of_samples(kind: Any) -> None:
    assert kind(0.0, 1.0).sample([2, 3]).shape == [2, 3]
    assert kind(0, np.float32(1)).sample((4,)).shape == [4]
    assert kind(0.0, [1.0, 2.0]).sample([3]).shape == [3, 2]
    assert kind(LOW, HIGH).sample([4, 5]).shape == [4, 5, 3, 2]
    assert kind(T(LOW), T(HIGH)).sample([2]).shape == [2, 3, 2]
    assert kind(LOW, HIGH).sample([]).shape == [3, 2]


@pytest.mark.parametrize("kind", [Uniform, Normal])
def test_dtypes(kind: Any) -> None:
    one = np.ones(2)
    assert kind(0.0, [1.0]).sample([1]).dtype == paddle.float32
    assert kind([1, 2], [3, 4]).sample([1]).dtype == paddle.float32
    assert kind(one, one).sample([1]).dtype == paddle.float64
    assert kind(T(one), T(one)).entropy().dtype == paddle.float64
    assert kind(one.astype("int32"), 2.0).sample([1]).dtype == paddle.float32


@pytest.mark.parametrize("kind", [Uniform, Normal])
def test_seeds(kind: Any) -> None:
    made = kind(0.0, 1.0)
    assert (made.sample([8], seed=5).numpy() == made.sample([8], seed=5).numpy()).all()
    assert (made.sample([8], seed=5).numpy() != made.sample([8], seed=6).numpy()).any()
    paddle.seed(3)
    first = made.sample([8]).numpy()
    assert (first != made.sample([8]).numpy()).any()
    paddle.seed(3)
    assert (first == made.sample([8]).numpy()).all()


def test_samples_have_the_distribution() -> None:
    paddle.seed(11)
    normal = Normal([1.0, -2.0], [0.5, 3.0]).sample([4000]).numpy()
    uniform = Uniform(-1.0, 3.0).sample([4000]).numpy()
    for column, frozen in ((0, stats.norm(1, 0.5)), (1, stats.norm(-2, 3))):
        assert stats.kstest(normal[:, column], frozen.cdf).pvalue > 1e-3
    assert stats.kstest(uniform, stats.uniform(-1, 4).cdf).pvalue > 1e-3


def test_gradients_reach_the_parameters() -> None:
    loc = paddle.to_tensor([0.5], stop_gradient=False)
    scale = paddle.to_tensor([2.0], stop_gradient=False)
    drawn = Normal(loc, scale).sample([3], seed=4)
    drawn.sum().backward()
    noise = Normal(0.0, 1.0).sample([3], seed=4).numpy()
    np.testing.assert_allclose(loc.grad.numpy(), [3.0])
    np.testing.assert_allclose(scale.grad.numpy(), [noise.sum()], rtol=1e-5)
    loc.clear_grad()
    Normal(loc, scale).log_prob(T(np.array([1.5], "float32"))).backward()
    np.testing.assert_allclose(loc.grad.numpy(), [0.25], rtol=1e-6)  # (x - mean) / variance


WEIGHTS = np.array([[1.0, 2.0, 7.0], [5.0, 1.0, 2.0]], "float32")


def test_probabilities_of_categories_are_shares_of_the_weights() -> None:
    one, two = Categorical(T(WEIGHTS[0])), Categorical(T(WEIGHTS))
    value = T(np.array([[2, 0], [1, 1]]))
    np.testing.assert_allclose(one.probs(value).numpy(), [[0.7, 0.1], [0.2, 0.2]], rtol=1e-6)
    np.testing.assert_allclose(two.probs(value).numpy(), [[0.7, 0.1], [0.125, 0.125]], rtol=1e-6)
    both = two.probs(T(np.array([2, 0])))
    np.testing.assert_allclose(both.numpy(), [[0.7, 0.1], [0.25, 0.625]], rtol=1e-6)
    rounding.close(two.log_prob(value).numpy(), np.log(two.probs(value).numpy()), terms=4)


def test_categories_of_lists_and_arrays() -> None:
    assert Categorical([1.0, 3.0]).probs(T(np.array([1]))).numpy() == [0.75]
    assert Categorical(WEIGHTS.astype("float64")).entropy().dtype == paddle.float64


def test_entropy_and_divergence_of_categories_take_logits() -> None:
    other = WEIGHTS[:, ::-1].copy()
    p, q = (np.exp(w) / np.exp(w).sum(1, keepdims=True) for w in (WEIGHTS, other))
    mine = Categorical(T(WEIGHTS))
    np.testing.assert_allclose(mine.entropy().numpy(), stats.entropy(p, axis=1), rtol=1e-5)
    divergence = mine.kl_divergence(Categorical(T(other)))
    assert divergence.shape == [2, 1]
    np.testing.assert_allclose(divergence.numpy()[:, 0], stats.entropy(p, q, axis=1), rtol=1e-5)


def test_samples_of_categories() -> None:
    paddle.seed(5)
    drawn = Categorical(T(WEIGHTS)).sample([60, 100])
    assert drawn.shape == [60, 100, 2] and drawn.dtype == paddle.int64
    for row in range(2):
        counts = np.bincount(drawn.numpy()[..., row].ravel(), minlength=3)
        expected = WEIGHTS[row] / WEIGHTS[row].sum() * 6000
        assert stats.chisquare(counts, expected).pvalue > 1e-3
    assert Categorical(T(WEIGHTS[0])).sample([2, 3]).shape == [2, 3]
    assert Categorical(T(np.stack([WEIGHTS] * 4))).sample([5]).shape == [5, 4, 2]


def test_static_programs() -> None:
    value = np.array([0.2, 0.7, 1.4], "float32")
    weights = np.abs(WEIGHTS)
    with harness.static() as (main, startup):
        x = harness.data("x", value, batch=True)
        w = harness.data("w", weights, batch=True)
        normal, uniform = Normal(0.0, 2.0), Uniform(x, x + 1.0)
        category = Categorical(w)
        fetch = [
            normal.log_prob(x), normal.kl_divergence(Normal([1.0], [2.0])), uniform.sample([2], 3),
            uniform.entropy(), category.sample([4]), category.entropy(), normal.sample([2, 2]),
        ]  # fmt: skip
        got = harness.run(main, startup, {"x": value, "w": weights}, fetch)
    np.testing.assert_allclose(got[0], stats.norm(0, 2).logpdf(value), rtol=1e-5)
    np.testing.assert_allclose(got[1], [0.125], rtol=1e-6)
    assert got[2].shape == (2, 3) and ((got[2] > value) & (got[2] < value + 1)).all()
    np.testing.assert_allclose(got[3], np.zeros(3), atol=1e-6)
    assert got[4].shape == (4, 2)
    np.testing.assert_allclose(got[5], Categorical(T(weights)).entropy().numpy(), rtol=1e-5)
    assert got[6].shape == (2, 2)


@pytest.mark.parametrize("kind", [Uniform, Normal])
def test_bad_parameters(kind: Any) -> None:
    name = kind.__name__
    with pytest.raises(TypeError, match=rf"{name}\((low|loc)\): expected .* received str"):
        kind("a", 1.0)
    with pytest.raises(ValueError, match="Tensors for all parameters"):
        kind(0.0, T([1.0]))
    with pytest.raises(TypeError, match="float32 or float64, but received int64"):
        kind(T(np.array([1])), T(np.array([2])))
    with pytest.raises(ValueError, match=r"shapes broadcast, but received"):
        kind(np.ones(2), np.ones(3))
    with pytest.raises(TypeError, match=r"sample\(shape\): expected a list"):
        kind(0.0, 1.0).sample(3)
    with pytest.raises(ValueError, match=r"no negative size, but received \[-1\]"):
        kind(0.0, 1.0).sample([-1])
    with pytest.raises(TypeError, match=r"sample\(seed\): expected an int"):
        kind(0.0, 1.0).sample([1], seed=None)
    with pytest.raises(TypeError, match=r"probs\(value\): expected a Tensor, but received float"):
        kind(0.0, 1.0).probs(0.5)


def test_values_of_another_type_are_converted_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="float64 is converted to float32"):
        assert Normal(0.0, 1.0).probs(T(np.zeros(1))).dtype == paddle.float32


def test_bad_categories() -> None:
    for wrong, text in ((0.5, "the number 0.5"), ("a", "str")):
        with pytest.raises(TypeError, match=rf"Categorical\(logits\): expected .* received {text}"):
            Categorical(wrong)
    with pytest.raises(TypeError, match="float32 or float64, but received int64"):
        Categorical(T(np.array([1, 2])))
    with pytest.raises(ValueError, match="not negative") as caught:
        Categorical(T(np.array([-1.0, 1.0]))).sample([2])
    assert "softmax" in str(caught.value)
    with pytest.raises(TypeError, match="expected a Tensor of integers, but received float32"):
        Categorical(T(WEIGHTS)).probs(T([0.0]))
    with pytest.raises(ValueError, match=r"the sizes \[2\] before the last"):
        Categorical(T(WEIGHTS)).probs(T(np.zeros([3, 1], "int64")))
    with pytest.raises(TypeError, match="expected a Categorical, but received Normal"):
        Categorical(T(WEIGHTS)).kl_divergence(Normal(0.0, 1.0))
    with pytest.raises(TypeError, match="expected a Normal, but received int"):
        Normal(0.0, 1.0).kl_divergence(1)


@pytest.mark.parametrize("method", ["entropy", "kl_divergence", "log_prob", "probs", "sample"])
def test_the_base_class_only_has_the_interface(method: str) -> None:
    args = [] if method in ("entropy", "sample") else [1]
    with pytest.raises(NotImplementedError, match=rf"Distribution has no {method}\(\)"):
        getattr(Distribution(), method)(*args)


@pytest.mark.parametrize("made", [Normal(0.0, 1.0), Categorical([1.0, 2.0])])
def test_sizes_are_whole_numbers(made) -> None:
    for wrong, text in (([2.5], "float 2.5"), (["a"], "str 'a'"), ([True], "bool True")):
        with pytest.raises(TypeError, match=rf"sample\(shape\): expected ints, .* {text}"):
            made.sample(wrong)
    assert made.sample([np.int64(2)]).shape == [2]
