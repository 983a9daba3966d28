"""Initializers: distributions, fans, fixed patterns, repeatability, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import paddle

nn = paddle.nn
I = nn.initializer


def drawn(init, shape=(200, 300), dtype="float32") -> np.ndarray:
    paddle.seed(7)
    return nn.Layer().create_parameter(list(shape), init, dtype).numpy()


def follows(values: np.ndarray, distribution) -> bool:
    """Kolmogorov-Smirnov: whether the values may come from the distribution."""
    return stats.kstest(values.ravel()[:20000], distribution.cdf).pvalue > 1e-3


def test_constant() -> None:
    assert (drawn(I.Constant(2.5), [3, 2]) == 2.5).all()
    assert (drawn(I.Constant(), [3]) == 0).all()
    for dtype, expected in (("int64", 2), ("float64", 2.7), ("bool", True)):
        values = drawn(I.Constant(2.7), [2], dtype)
        assert values.dtype == dtype and (values == expected).all()


def test_given_distributions() -> None:
    assert follows(drawn(I.Normal(1.0, 2.0)), stats.norm(1.0, 2.0))
    assert follows(drawn(I.Uniform(-1.0, 3.0)), stats.uniform(-1.0, 4.0))
    cut = drawn(I.TruncatedNormal(1.0, 2.0))
    assert follows(cut, stats.truncnorm(-2, 2, loc=1.0, scale=2.0))
    assert cut.min() >= -3.0 and cut.max() <= 5.0
    assert (drawn(I.Normal(3.0, 0.0), [4]) == 3.0).all()
    assert (drawn(I.Uniform(3.0, 3.0), [4]) == 3.0).all()


# What PaddlePaddle takes as fans: a vector its length, a matrix [in, out], else [out, in, kernel].
FANS = [
    ([500], 500, 500),
    ([200, 300], 200, 300),
    ([200, 30, 3], 90, 600),
    ([40, 30, 3, 5], 450, 600),
    ([20, 30, 3, 3, 3], 810, 540),
]


@pytest.mark.parametrize("shape, fan_in, fan_out", FANS)
def test_scales_follow_the_fans(shape, fan_in, fan_out) -> None:
    xavier, kaiming = 2.0 / (fan_in + fan_out), 2.0 / fan_in
    for cls, variance in ((I.XavierNormal, xavier), (I.KaimingNormal, kaiming)):
        assert follows(drawn(cls(), shape), stats.norm(0, math.sqrt(variance)))
    for cls, variance in ((I.XavierUniform, xavier), (I.KaimingUniform, kaiming)):
        limit = math.sqrt(3 * variance)
        values = drawn(cls(), shape)
        assert follows(values, stats.uniform(-limit, 2 * limit))
        assert 0.98 * limit < np.abs(values).max() <= limit * (1 + 1e-6)


def test_fans_may_be_given() -> None:
    assert follows(drawn(I.XavierNormal(fan_in=7)), stats.norm(0, math.sqrt(2 / 307)))
    assert follows(drawn(I.XavierNormal(fan_out=7)), stats.norm(0, math.sqrt(2 / 207)))
    limit = math.sqrt(6 / 12)
    assert follows(drawn(I.XavierUniform(5, 7)), stats.uniform(-limit, 2 * limit))
    assert follows(drawn(I.KaimingNormal(fan_in=8)), stats.norm(0, 0.5))
    limit = math.sqrt(6 / 24)
    assert follows(drawn(I.KaimingUniform(fan_in=24)), stats.uniform(-limit, 2 * limit))


RANDOM = [
    I.Normal(),
    I.TruncatedNormal(),
    I.Uniform(),
    I.XavierNormal(),
    I.XavierUniform(),
    I.KaimingNormal(),
    I.KaimingUniform(),
    I.Orthogonal(),
]


@pytest.mark.parametrize("init", RANDOM, ids=lambda init: type(init).__name__)
def test_random_values_repeat_under_a_seed_and_only_there(init) -> None:
    layer = nn.Layer()
    paddle.seed(3)
    first = layer.create_parameter([4, 5], init).numpy()
    second = layer.create_parameter([4, 5], init).numpy()
    paddle.seed(3)
    again = layer.create_parameter([4, 5], init).numpy()
    assert (first == again).all() and not (first == second).all()


@pytest.mark.parametrize("init", RANDOM, ids=lambda init: type(init).__name__)
def test_random_values_need_a_floating_type(init) -> None:
    for dtype in ("float64", "float16"):
        assert drawn(init, [4, 4], dtype).dtype == dtype
    with pytest.raises(ValueError, match=r"expected a parameter of a floating type.*int64"):
        drawn(init, [4, 4], "int64")


@pytest.mark.parametrize("init", RANDOM, ids=lambda init: type(init).__name__)
def test_an_empty_parameter_can_be_filled(init) -> None:
    assert drawn(init, [0, 3]).shape == (0, 3)


def test_assign() -> None:
    value = np.arange(6.0).reshape(2, 3)
    for given in (value, value.tolist(), tuple(value), paddle.to_tensor(value)):
        made = drawn(I.Assign(given), [2, 3])
        assert made.dtype == np.float32 and (made == value).all()
    assert (drawn(I.Assign(value), [2, 3], "int64") == value).all()
    assert drawn(I.Assign(np.array(2.0)), [1]).tolist() == [2.0]


def test_assign_copies() -> None:
    value = np.zeros(2, "float32")
    init, layer = I.Assign(value), nn.Layer()
    made = layer.create_parameter([2], init)
    value[:] = 1.0
    made.set_value(np.full(2, 5.0, "float32"))
    assert layer.create_parameter([2], init).numpy().tolist() == [0.0, 0.0]
    source = paddle.to_tensor(value)
    made = layer.create_parameter([2], I.Assign(source))
    made.set_value(np.full(2, 5.0, "float32"))
    assert source.numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "value",
    [np.ones([4, 1]), [1.0, 2, 3, 4, 5, 6], (1, 2, 3), np.array(3.0), [[1.0, 2.0]], "tensor"],
    ids=str,
)
def test_assign_gives_a_parameter_the_shape_of_the_value(value) -> None:
    """As PaddlePaddle 2.6.2, for flat lists of the parameter's size too; no rank 0 here."""
    given = paddle.arange(6.0).reshape([3, 2]) if isinstance(value, str) else value
    made = drawn(I.Assign(given), [2, 3], "float64")
    assert made.dtype == np.float64
    np.testing.assert_array_equal(made, np.atleast_1d(np.asarray(given)))


def test_assign_of_another_shape_copies() -> None:
    source = paddle.ones([4])
    made = nn.Layer().create_parameter([2], I.Assign(source))
    with paddle.no_grad():
        made[0] = 5.0
    assert source.numpy().tolist() == [1.0] * 4


def test_a_layer_with_a_weight_of_another_shape() -> None:
    wide = nn.Linear(2, 3, weight_attr=I.Assign(np.ones([4, 3])))
    assert wide(paddle.ones([1, 4])).numpy().tolist() == [[4.0, 4.0, 4.0]]
    flat = nn.Linear(2, 3, weight_attr=I.Assign([1.0, 2, 3, 4, 5, 6]))
    with pytest.raises(ValueError, match=r"beside a weight of shape \[6\], but received"):
        flat(paddle.ones([1, 2]))


def test_assign_of_another_shape_in_a_program() -> None:
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            init = I.Assign(np.ones([4, 1]))
            w = paddle.create_parameter([2, 3], "float32", default_initializer=init)
            assert w.shape == (2, 3)
        executor = paddle.static.Executor()
        executor.run(startup)
        (value,) = executor.run(main, fetch_list=[w])
        assert value.shape == (4, 1)
    finally:
        paddle.disable_static()


def test_assign_refuses_bad_values() -> None:
    with pytest.raises(TypeError, match=r"expected a numpy.ndarray, a Tensor or a list.*str"):
        I.Assign("abc")
    with pytest.raises(TypeError, match="expected numbers, but received elements of dtype <U1"):
        I.Assign(["a", "b"])
    with pytest.raises(ValueError, match="lists of unequal length"):
        I.Assign([[1, 2], [3]])


def test_bilinear() -> None:
    values = drawn(I.Bilinear(), [2, 3, 4, 4])
    line = np.array([0.25, 0.75, 0.75, 0.25])
    assert (values == np.outer(line, line)).all()
    line = np.array([0.25, 0.75, 0.75])
    assert drawn(I.Bilinear(), [1, 1, 3, 3])[0, 0].tolist() == np.outer(line, line).tolist()
    for shape in ([2, 3], [2, 3, 3, 5]):
        with pytest.raises(ValueError, match="square kernel, but received shape"):
            drawn(I.Bilinear(), shape)
    with pytest.raises(ValueError, match="floating type"):
        drawn(I.Bilinear(), [1, 1, 2, 2], "int32")


def test_dirac() -> None:
    values = drawn(I.Dirac(), [3, 4, 3])
    expected = np.zeros([3, 4, 3])
    expected[[0, 1, 2], [0, 1, 2], 1] = 1
    assert (values == expected).all()
    grouped = drawn(I.Dirac(groups=2), [4, 2, 3, 3])
    assert grouped.sum() == 4 and (grouped[[0, 1, 2, 3], [0, 1, 0, 1], 1, 1] == 1).all()
    with pytest.raises(ValueError, match=r"3, 4 or 5 dimensions.*received shape \[2, 2\]"):
        drawn(I.Dirac(), [2, 2])
    with pytest.raises(ValueError, match="divisible by groups=2"):
        drawn(I.Dirac(2), [3, 2, 3])
    with pytest.raises(ValueError, match="at least 1, received 0"):
        I.Dirac(0)
    with pytest.raises(TypeError, match="expected an int, got float"):
        I.Dirac(1.0)


def test_orthogonal() -> None:
    for shape in ([3, 5], [5, 3], [4, 4]):
        matrix = drawn(I.Orthogonal(gain=2.0), shape, "float64")
        short = matrix @ matrix.T if shape[0] <= shape[1] else matrix.T @ matrix
        np.testing.assert_allclose(short, 4.0 * np.eye(min(shape)), atol=1e-12)
    folded = drawn(I.Orthogonal(), [3, 2, 2], "float64").reshape(3, 4)
    np.testing.assert_allclose(folded @ folded.T, np.eye(3), atol=1e-12)
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        drawn(I.Orthogonal(), [3])


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: I.Constant("a"), TypeError, r"Constant\(value\): expected a number.*str"),
        (lambda: I.Constant(None), TypeError, "expected a number, but received NoneType"),
        (lambda: I.Normal(std=-1.0), ValueError, r"Normal\(std\): .* >= 0, but received -1.0"),
        (lambda: I.TruncatedNormal(std=-1), ValueError, r"TruncatedNormal\(std\): .* >= 0"),
        (lambda: I.Normal(mean="x"), TypeError, r"Normal\(mean\): expected a number"),
        (lambda: I.Normal(std=math.nan), ValueError, "but received nan"),
        (lambda: I.Uniform(2.0, 1.0), ValueError, "expected low <= high, but received 2.0 and 1"),
        (lambda: I.XavierNormal(fan_in=-3), ValueError, r"XavierNormal\(fan_in\).*> 0.*-3"),
        (lambda: I.XavierUniform(fan_out=0), ValueError, r"XavierUniform\(fan_out\).*> 0.*0"),
        (lambda: I.KaimingUniform("fan_in"), TypeError, "KaimingUniform.*number.*str"),
        (lambda: I.KaimingNormal(fan_in=[3]), TypeError, "KaimingNormal.*number.*list"),
    ],
)
def test_bad_settings_are_refused(make, error, text) -> None:
    with pytest.raises(error, match=text):
        make()


def test_an_initializer_fills_any_tensor_in_place() -> None:
    tensor = paddle.to_tensor(np.zeros([2, 2], "float32"))
    alias = tensor.detach()
    assert I.Constant(3.0)(tensor) is None
    assert (tensor.numpy() == 3.0).all() and (alias.numpy() == 3.0).all()
    I.Constant(4.0)(tensor, block=None)
    assert (tensor.numpy() == 4.0).all()
    with pytest.raises(TypeError, match=r"Constant\(var\): expected a Tensor to fill.*ndarray"):
        I.Constant()(np.zeros(2))


def test_filling_leaves_the_gradient_graph_alone() -> None:
    made = nn.Layer().create_parameter([2], I.Constant(3.0))
    out = made * made
    I.Constant(7.0)(made)
    assert made.numpy().tolist() == [7.0, 7.0] and made.is_leaf and not made.stop_gradient
    assert out.numpy().tolist() == [9.0, 9.0]


def test_users_write_their_own() -> None:
    class Ramp(I.Initializer):
        def __call__(self, var, block=None):
            var.set_value(np.arange(var.size, dtype="float32").reshape(var.shape))

    assert drawn(Ramp(), [2, 2]).tolist() == [[0.0, 1.0], [2.0, 3.0]]

    class Forgotten(I.Initializer):
        pass

    with pytest.raises(NotImplementedError, match="Forgotten must override __call__"):
        drawn(Forgotten(), [2])


def test_initializers_print_their_settings() -> None:
    assert repr(I.Normal(0.0, 2.0)) == "Normal(mean=0.0, std=2.0)"
    assert repr(I.XavierUniform(fan_in=3)) == "XavierUniform(fan_in=3.0, fan_out=None)"
    assert repr(I.Assign(np.ones([2, 3]))) == "Assign(value of shape [2, 3])"
