"""Activation functions and layers: formulas, layers against functions, bad input."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from scipy import special

import paddle
import paddle.nn.functional as F
from paddle import nn

X = np.array([[-4.0, -1.2, -0.3, 0.0], [0.3, 0.8, 2.5, 7.0]], "float32")


def softplus(x, beta=1.0, threshold=20.0):
    return np.where(beta * x > threshold, x, np.log1p(np.exp(beta * x)) / beta)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(x))


# layer, its arguments, the function, its arguments, formula
TABLE = [
    ("ReLU", {}, "relu", {}, lambda x: np.maximum(x, 0)),
    ("ReLU6", {}, "relu6", {}, lambda x: np.clip(x, 0, 6)),
    ("ELU", {}, "elu", {}, elu),
    ("ELU", {"alpha": 0.3}, "elu", {"alpha": 0.3}, lambda x: elu(x, 0.3)),
    ("SELU", {}, "selu", {}, lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772)),
    ("SELU", {"scale": 1.5, "alpha": 0.7}, "selu", {"scale": 1.5, "alpha": 0.7},
     lambda x: 1.5 * elu(x, 0.7)),
    ("GELU", {}, "gelu", {}, lambda x: x * special.ndtr(x)),
    ("GELU", {"approximate": True}, "gelu", {"approximate": True},
     lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    ("LeakyReLU", {}, "leaky_relu", {}, lambda x: np.where(x > 0, x, 0.01 * x)),
    ("LeakyReLU", {"negative_slope": 0.3}, "leaky_relu", {"negative_slope": 0.3},
     lambda x: np.where(x > 0, x, 0.3 * x)),
    ("Hardshrink", {}, "hardshrink", {}, lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    ("Hardshrink", {"threshold": 1.0}, "hardshrink", {"threshold": 1.0},
     lambda x: np.where(np.abs(x) > 1, x, 0)),
    ("Softshrink", {}, "softshrink", {}, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    ("Softshrink", {"threshold": 1.0}, "softshrink", {"threshold": 1.0},
     lambda x: np.sign(x) * np.maximum(np.abs(x) - 1, 0)),
    ("Tanhshrink", {}, "tanhshrink", {}, lambda x: x - np.tanh(x)),
    ("Hardtanh", {}, "hardtanh", {}, lambda x: np.clip(x, -1, 1)),
    ("Hardtanh", {"min": -0.5, "max": 2.0}, "hardtanh", {"min": -0.5, "max": 2.0},
     lambda x: np.clip(x, -0.5, 2)),
    ("Hardsigmoid", {}, "hardsigmoid", {}, lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    ("Hardswish", {}, "hardswish", {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("Sigmoid", {}, "sigmoid", {}, special.expit),
    ("LogSigmoid", {}, "log_sigmoid", {}, special.log_expit),
    ("Softplus", {}, "softplus", {}, softplus),
    ("Softplus", {"beta": 2, "threshold": 3}, "softplus", {"beta": 2, "threshold": 3},
     lambda x: softplus(x, 2, 3)),
    ("Softsign", {}, "softsign", {}, lambda x: x / (1 + np.abs(x))),
    ("Swish", {}, "swish", {}, lambda x: x * special.expit(x)),
    ("Tanh", {}, "tanh", {}, np.tanh),
    ("ThresholdedReLU", {}, "thresholded_relu", {}, lambda x: np.where(x > 1, x, 0)),
    ("ThresholdedReLU", {"threshold": 0.5}, "thresholded_relu", {"threshold": 0.5},
     lambda x: np.where(x > 0.5, x, 0)),
    ("Softmax", {}, "softmax", {}, lambda x: special.softmax(x, -1)),
    ("Softmax", {"axis": 0}, "softmax", {"axis": 0}, lambda x: special.softmax(x, 0)),
    ("LogSoftmax", {}, "log_softmax", {}, lambda x: special.log_softmax(x, -1)),
    ("LogSoftmax", {"axis": 0}, "log_softmax", {"axis": 0}, lambda x: special.log_softmax(x, 0)),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}{row[1] or ''}")
def test_formula(row):
    layer, settings, function, options, formula = row
    x = paddle.to_tensor(X)
    expected = formula(X.astype("float64"))
    out = getattr(F, function)(x, **options)
    assert out.dtype == x.dtype
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    made = getattr(nn, layer)(**settings)
    np.testing.assert_array_equal(made(x).numpy(), out.numpy())
    assert list(made.parameters()) == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}{row[1] or ''}")
@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float16"])
def test_precisions(row, dtype):
    _, _, function, options, formula = row
    x = paddle.to_tensor(X).astype(dtype)
    out = getattr(F, function)(x, **options)
    assert out.dtype == x.dtype
    tolerance = {"float64": 1e-7, "float16": 1e-2, "bfloat16": 6e-2}[dtype]
    exact = formula(x.astype("float64").numpy())
    np.testing.assert_allclose(
        out.astype("float64").numpy(), exact, rtol=tolerance, atol=max(tolerance / 3, 1e-6)
    )


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}{row[1] or ''}")
def test_printed_with_its_settings(row):
    layer, settings, *_ = row
    made = getattr(nn, layer)(**settings, name="mine")
    text = repr(made)
    assert text.startswith(f"{layer}(") and text.endswith("name=mine)")
    for key, value in settings.items():
        assert f"{key}={value}" in text


@pytest.mark.parametrize("function", sorted({row[2] for row in TABLE}))
def test_not_a_tensor(function):
    for wrong in ([1.0], None, np.ones(2)):
        with pytest.raises(TypeError, match="argument X expects a Tensor"):
            getattr(F, function)(wrong)


@pytest.mark.parametrize("function", sorted({row[2] for row in TABLE}))
def test_empty(function):
    assert getattr(F, function)(paddle.zeros([0, 3])).shape == [0, 3]


@pytest.mark.parametrize("function, options", [("relu_", {}), ("elu_", {"alpha": 0.5}),
                                               ("softmax_", {"axis": 0})])  # fmt: skip
def test_in_place(function, options):
    x = paddle.to_tensor(X)
    expected = getattr(F, function[:-1])(x, **options).numpy()
    assert getattr(F, function)(x, **options) is x
    np.testing.assert_array_equal(x.numpy(), expected)


def test_in_place_on_a_leaf_that_wants_a_gradient_is_refused():
    x = paddle.to_tensor(X, stop_gradient=False)
    with pytest.raises(ValueError, match="cannot be changed in place"):
        F.relu_(x)


def test_gradients_flow_through_the_in_place_form():
    x = paddle.to_tensor([-1.0, 2.0], stop_gradient=False)
    y = x * 3
    F.relu_(y)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 3.0])


# -- softmax ------------------------------------------------------------------------------------


def test_softmax_converts_first():
    whole = F.softmax(paddle.to_tensor([1, 1]), dtype="float64")
    assert whole.dtype == paddle.float64
    np.testing.assert_array_equal(whole.numpy(), [0.5, 0.5])
    assert F.log_softmax(paddle.to_tensor(X), dtype=paddle.float64).dtype == paddle.float64
    with pytest.raises(ValueError, match="but received 'flt'"):
        F.softmax(paddle.to_tensor(X), dtype="flt")


@pytest.mark.parametrize("function", [F.softmax, F.log_softmax])
def test_bad_softmax(function):
    with pytest.raises(TypeError, match="no kernel for these data types"):
        function(paddle.to_tensor([1, 2]))
    with pytest.raises(ValueError, match=r"axis is expected to be in range of \[-2, 1\]"):
        function(paddle.to_tensor(X), axis=2)
    with pytest.raises(TypeError, match="axis is expected to be an int, but received str"):
        function(paddle.to_tensor(X), axis="1")


# -- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: F.selu(x, scale=1.0), ValueError, r"selu\(scale\): expected more than 1.0"),
        (lambda x: F.selu(x, alpha=-1.0), ValueError, r"selu\(alpha\): expected at least 0"),
        (lambda x: F.selu(x, scale="a"), TypeError, r"selu\(scale\): expected a number"),
        (lambda x: F.softshrink(x, -1.0), ValueError, "expected at least 0, but received -1.0"),
        (
            lambda x: F.softshrink(x, float("nan")),
            ValueError,
            "expected a number, but received nan",
        ),
        (lambda x: F.softplus(x, beta=0), ValueError, "a number other than 0"),
        (lambda x: F.softplus(x, beta="z"), TypeError, r"softplus\(beta\): expected a number"),
        (lambda x: F.gelu(x, "tanh"), TypeError, r"gelu\(approximate\): expected a bool"),
        (
            lambda x: F.elu(x, alpha=None),
            TypeError,
            "attribute alpha is expected to be a number, but received NoneType",
        ),
        (
            lambda x: F.leaky_relu(x, "a"),
            TypeError,
            "attribute alpha is expected to be a number, but received str",
        ),
        (lambda x: F.hardtanh(x, 2.0, 1.0), ValueError, "min_val cannot be greater than max_val"),
    ],
)
def test_bad_settings(call, error, text):
    with pytest.raises(error, match=text):
        call(paddle.to_tensor(X))


# -- maxout and prelu -----------------------------------------------------------------------------


def test_maxout():
    x = np.random.RandomState(0).rand(2, 6, 3, 4).astype("float32")
    expected = x.reshape(2, 3, 2, 3, 4).max(2)
    np.testing.assert_array_equal(F.maxout(paddle.to_tensor(x), 2).numpy(), expected)
    np.testing.assert_array_equal(nn.Maxout(2)(paddle.to_tensor(x)).numpy(), expected)
    last = paddle.to_tensor(x.transpose(0, 2, 3, 1))
    for axis in (-1, 3):
        out = F.maxout(last, groups=2, axis=axis).numpy()
        np.testing.assert_array_equal(out, expected.transpose(0, 2, 3, 1))


def test_bad_maxout():
    x = paddle.ones([1, 4, 2, 2])
    with pytest.raises(ValueError, match=r"maxout\(axis\): expected 1, -1 or 3, but received 2"):
        F.maxout(x, 2, axis=2)
    for groups in (3, 0):
        with pytest.raises(ValueError, match=rf"divides by groups={groups}.*shape \[1, 4, 2, 2\]"):
            F.maxout(x, groups)
    with pytest.raises(ValueError, match="expected a 4-D Tensor"):
        F.maxout(paddle.ones([4, 4]), 2)
    with pytest.raises(TypeError, match=r"maxout\(groups\): expected an int, got float"):
        F.maxout(x, 2.0)


def test_prelu():
    x = np.random.RandomState(0).randn(2, 3, 2).astype("float32")
    for weight in ([0.25], [0.1, 0.2, 0.3]):
        slopes = np.array(weight, "float32")
        expected = np.where(x > 0, x, x * slopes.reshape(1, -1, 1))
        out = F.prelu(paddle.to_tensor(x), paddle.to_tensor(slopes))
        np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


def test_prelu_learns():
    layer = nn.PReLU(3, init=0.5, weight_attr=paddle.ParamAttr(name="slopes"))
    assert [p.name for p in layer.parameters()] == ["slopes"]
    np.testing.assert_array_equal(layer.parameters()[0].numpy(), [0.5] * 3)
    assert repr(layer) == "PReLU(num_parameters=3, init=0.5, dtype=float32)"
    x = np.array([[-1.0, 2.0, -3.0], [-4.0, -5.0, 6.0]], "float32")
    layer(paddle.to_tensor(x)).sum().backward()
    np.testing.assert_array_equal(layer.parameters()[0].grad.numpy(), [-5.0, -5.0, -3.0])


def test_bad_prelu():
    x = paddle.ones([1, 3, 2])
    with pytest.raises(ValueError, match=r"prelu\(weight\): expected one dimension.*\[1, 1\]"):
        F.prelu(x, paddle.ones([1, 1]))
    with pytest.raises(ValueError, match=r"1 slope or one per channel.*\[1, 3, 2\].*received 2"):
        F.prelu(x, paddle.ones([2]))
    with pytest.raises(ValueError, match=r"PReLU\(num_parameters\): expected at least 1"):
        nn.PReLU(0)
    with pytest.raises(TypeError, match=r"PReLU\(num_parameters\): expected an int, got float"):
        nn.PReLU(1.5)


# -- modules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["activation", "loss"])
def test_modules_of_functions_keep_their_names(kind):
    functions = importlib.import_module(f"paddle.nn.functional.{kind}")
    layers = importlib.import_module(f"paddle.nn.layer.{kind}")
    for module, public in ((functions, F), (layers, nn)):
        for name in module.__all__:
            assert getattr(public, name) is getattr(module, name)
