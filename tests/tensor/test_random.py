"""Random tensors: repeatable, of the right shape, type and distribution."""

from __future__ import annotations

import numpy as np
import pytest

import paddle

T = paddle.to_tensor

DRAWS = {
    "rand": lambda: paddle.rand([4, 3]),
    "randn": lambda: paddle.randn([4, 3]),
    "standard_normal": lambda: paddle.standard_normal([4, 3]),
    "uniform": lambda: paddle.uniform([4, 3]),
    "normal": lambda: paddle.normal(1.0, 2.0, [4, 3]),
    "normal_tensors": lambda: paddle.normal(paddle.zeros([4, 3]), paddle.ones([4, 3])),
    "randint": lambda: paddle.randint(0, 1000, [4, 3]),
    "randperm": lambda: paddle.randperm(12).reshape([4, 3]),
    "bernoulli": lambda: paddle.bernoulli(paddle.full([4, 3], 0.5)),
    "multinomial": lambda: paddle.multinomial(paddle.ones([4, 9]), 3),
    "uniform_": lambda: paddle.zeros([4, 3]).uniform_(),
    "normal_": lambda: paddle.zeros([4, 3]).normal_(),
    "exponential_": lambda: paddle.zeros([4, 3]).exponential_(),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=list(DRAWS))
def test_the_seed_decides(draw):
    paddle.seed(90)
    first, second = draw(), draw()
    paddle.seed(90)
    again = draw()
    assert first.shape == [4, 3]
    np.testing.assert_array_equal(first.numpy(), again.numpy())
    assert (first.numpy() != second.numpy()).any()


def test_a_seed_of_its_own_does_not_touch_the_common_sequence():
    paddle.seed(1)
    expected = paddle.rand([3]).numpy()
    paddle.seed(1)
    a, b = paddle.uniform([3], seed=7), paddle.uniform([3], seed=7)
    np.testing.assert_array_equal(a.numpy(), b.numpy())
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), expected)


@pytest.mark.parametrize(
    ("call", "shape", "dtype"),
    [
        (lambda: paddle.rand([2, 3]), [2, 3], paddle.float32),
        (lambda: paddle.rand(T([2, 3])), [2, 3], paddle.float32),
        (lambda: paddle.rand([T(2), 3], "float64"), [2, 3], paddle.float64),
        (lambda: paddle.randn((2,), "float16"), [2], paddle.float16),
        (lambda: paddle.uniform([2], min=1, max=2), [2], paddle.float32),
        (lambda: paddle.normal(), [1], paddle.float32),
        (lambda: paddle.normal(shape=[2, 3]), [2, 3], paddle.float32),
        (lambda: paddle.normal(T([0.0, 1.0])), [2], paddle.float32),
        (lambda: paddle.normal(0, T(np.ones([3]))), [3], paddle.float64),
        (lambda: paddle.randint(10), [1], paddle.int64),
        (lambda: paddle.randint(-5, 5, (2, 2), "int32"), [2, 2], paddle.int32),
        (lambda: paddle.randint(0, 5, T([2])), [2], paddle.int64),
        (lambda: paddle.randperm(5), [5], paddle.int64),
        (lambda: paddle.randperm(5, "float32"), [5], paddle.float32),
        (lambda: paddle.bernoulli(paddle.rand([2, 3])), [2, 3], paddle.float32),
        (lambda: paddle.multinomial(T([1.0, 2.0, 1.0]), 2), [2], paddle.int64),
    ],
)
def test_shapes_and_types(call, shape, dtype):
    x = call()
    assert (x.shape, x.dtype) == (shape, dtype)
    assert x.stop_gradient


def test_distributions():
    paddle.seed(3)
    x = paddle.uniform([20000], min=2.0, max=4.0).numpy()
    assert x.min() >= 2.0 and x.max() <= 4.0 and abs(x.mean() - 3.0) < 0.02
    x = paddle.normal(T(np.float32([[0.0, 100.0]] * 10000)), 2.0).numpy()
    np.testing.assert_allclose(x.mean(0), [0.0, 100.0], atol=0.1)
    np.testing.assert_allclose(x.std(0), 2.0, rtol=0.05)
    x = paddle.randint(3, shape=[9000]).numpy()
    np.testing.assert_allclose(np.bincount(x) / 9000, 1 / 3, atol=0.03)
    x = paddle.zeros([20000]).exponential_(4.0).numpy()
    assert abs(x.mean() - 0.25) < 0.01
    assert sorted(paddle.multinomial(T([0.0, 3.0, 0.0, 1.0]), 2).tolist()) == [1, 3]
    assert paddle.bernoulli(T([0.0, 1.0])).tolist() == [0.0, 1.0]


def test_gradient_of_normal_reaches_its_parameters():
    mean, std = paddle.zeros([3]), paddle.ones([3])
    mean.stop_gradient = std.stop_gradient = False
    x = paddle.normal(mean, std)
    x.sum().backward()
    assert mean.grad.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(std.grad.numpy(), x.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: paddle.rand([2, -1]), ValueError, r"no negative size, but received \[2, -1\]"),
        (lambda: paddle.rand("ab"), TypeError, r"rand\(shape\)"),
        (lambda: paddle.randn([2], "int32"), TypeError, r"randn\(dtype\).*int32"),
        (lambda: paddle.uniform([2], "int32"), TypeError, r"uniform\(dtype\)"),
        (lambda: paddle.uniform([2], min=2.0, max=1.0), ValueError, "no larger than max"),
        (lambda: paddle.normal("a"), TypeError, r"normal\(mean\): expected a float or a Tensor"),
        (lambda: paddle.normal(T([0.0, 1.0]), T([1.0, 1.0, 1.0])), ValueError, r"\[2\] and \[3\]"),
        (lambda: paddle.normal(T([1, 2])), TypeError, r"normal\(dtype\).*int64"),
        (lambda: paddle.randint(0), ValueError, "low is expected to be positive"),
        (lambda: paddle.randint(5, 5), ValueError, "low is expected to be less than high"),
        (lambda: paddle.randint(0, 5, dtype="float32"), TypeError, r"randint\(dtype\)"),
        (lambda: paddle.randint(1.5), TypeError, r"randint\(low\)"),
        (lambda: paddle.randperm(0), ValueError, "n is expected to be positive"),
        (lambda: paddle.randperm(5, "bool"), TypeError, r"randperm\(dtype\)"),
        (lambda: paddle.bernoulli(T([1.5])), ValueError, r"range of \[0, 1\]"),
        (lambda: paddle.multinomial(T([0.0, 1.0]), 2), ValueError, "2 categories cannot be drawn"),
        (lambda: paddle.multinomial(T([-1.0, 1.0])), ValueError, "no negative weight"),
        (lambda: paddle.multinomial(paddle.ones([1, 1, 1])), ValueError, "1 or 2 dimensions"),
        (lambda: paddle.multinomial(T([1.0]), 0), ValueError, "num_samples to be positive"),
    ],
)
def test_bad_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
