"""weight_norm and remove_weight_norm: values, gradients, names, both modes, wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.nn.utils import remove_weight_norm, weight_norm
from tests.nn.transformer_cases import numbers
from tests.static import harness

LAYERS = {
    "linear": (lambda: paddle.nn.Linear(3, 4), (2, 3)),
    "conv2d": (lambda: paddle.nn.Conv2D(2, 3, 3), (1, 2, 5, 5)),
    "conv1d_transpose": (lambda: paddle.nn.Conv1DTranspose(2, 3, 3), (1, 2, 5)),
}


def _lengths(v, dim):
    """Lengths that broadcast against v."""
    if dim in (None, -1):
        return np.sqrt((v**2).sum()).reshape([1] * v.ndim)
    axes = tuple(i for i in range(v.ndim) if i != dim % v.ndim)
    return np.sqrt((v**2).sum(axes, keepdims=True))


@pytest.mark.parametrize("dim", [0, 1, None, -1, -2])
@pytest.mark.parametrize("name", LAYERS)
def test_the_weight_is_that_of_the_formula(name, dim):
    make, shape = LAYERS[name]
    layer = make()
    x, before = paddle.to_tensor(numbers("x", *shape)), layer.weight.numpy()
    expected = layer(x).numpy()
    assert weight_norm(layer, dim=dim) is layer
    g = layer.weight_g.numpy()
    np.testing.assert_allclose(g.ravel(), _lengths(before, dim).ravel(), rtol=1e-5)
    assert g.ndim == 1
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    v = numbers("v", *before.shape)
    layer.weight_v.set_value(v)
    layer.weight_g.set_value(g * 2)
    layer(x)
    wanted = v / _lengths(v, dim) * 2 * _lengths(before, dim)
    np.testing.assert_allclose(layer.weight.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_names_and_what_is_saved():
    with paddle.utils.unique_name.guard():
        layer = weight_norm(paddle.nn.Linear(3, 4))
    held = [(n, p.name, p.shape) for n, p in layer.named_parameters()]
    assert held == [
        ("bias", "linear_0.b_0", [4]), ("weight_v", "linear_0.w_1", [3, 4]),
        ("weight_g", "linear_0.w_2", [3]),
    ]  # fmt: skip
    assert list(layer.state_dict()) == ["bias", "weight_v", "weight_g"]
    assert not layer.weight.stop_gradient


def test_gradients_go_to_direction_and_length():
    layer = weight_norm(paddle.nn.Linear(3, 4, bias_attr=False), dim=1)
    x = numbers("x", 5, 3)
    out = layer(paddle.to_tensor(x))
    out.sum().backward()
    v, g = layer.weight_v.numpy(), layer.weight_g.numpy()
    upstream = np.repeat(x.sum(0)[:, None], 4, 1)
    length = _lengths(v, 1)
    d_g = (upstream * v / length).sum(0)
    d_v = g / length * (upstream - v * (upstream * v).sum(0) / length**2)
    np.testing.assert_allclose(layer.weight_g.grad.numpy(), d_g, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(layer.weight_v.grad.numpy(), d_v, rtol=1e-4, atol=1e-5)


def test_training_keeps_the_weight_beside_its_parts():
    layer = weight_norm(paddle.nn.Linear(3, 1))
    adam = paddle.optimizer.Adam(0.05, parameters=layer.parameters())
    x = paddle.to_tensor(numbers("x", 32, 3))
    y = paddle.matmul(x, paddle.to_tensor(np.float32([[1], [-2], [0.5]])))
    for _ in range(300):
        loss = paddle.mean(paddle.square(layer(x) - y))
        loss.backward()
        adam.step()
        adam.clear_grad()
    np.testing.assert_allclose(layer.weight.numpy().ravel(), [1, -2, 0.5], atol=0.05)


def test_how_a_parameter_is_trained_is_kept():
    attr = paddle.ParamAttr(learning_rate=0.5, trainable=False)
    layer = weight_norm(paddle.nn.Linear(3, 4, weight_attr=attr))
    for parameter in (layer.weight_v, layer.weight_g):
        assert parameter.optimize_attr == {"learning_rate": 0.5} and parameter.stop_gradient
    remove_weight_norm(layer)
    assert layer.weight.optimize_attr == {"learning_rate": 0.5} and layer.weight.stop_gradient


def test_removing_leaves_the_present_weight():
    layer = weight_norm(paddle.nn.Linear(3, 4))
    layer.weight_g.set_value(layer.weight_g.numpy() * 3)
    x = paddle.to_tensor(numbers("x", 2, 3))
    expected, weight = layer(x).numpy(), layer.weight.numpy()
    assert remove_weight_norm(layer) is layer
    assert isinstance(layer.weight, paddle.nn.Linear(1, 1).weight.__class__)
    assert [n for n, _ in layer.named_parameters()] == ["bias", "weight"]
    np.testing.assert_array_equal(layer.weight.numpy(), weight)
    np.testing.assert_array_equal(layer(x).numpy(), expected)
    assert not layer._forward_pre_hooks
    weight_norm(layer)  # possible again


def test_two_weights_of_one_layer():
    layer = weight_norm(weight_norm(paddle.nn.Linear(3, 4)), "bias", None)
    layer.bias_v.set_value(np.float32([3, 0, 4, 0]))
    layer.bias_g.set_value(np.float32([10]))
    layer(paddle.ones([1, 3]))
    np.testing.assert_allclose(layer.bias.numpy(), [6, 0, 8, 0], rtol=1e-6)
    remove_weight_norm(layer, "bias")
    assert [n for n, _ in layer.named_parameters()] == ["weight_v", "weight_g", "bias"]


@pytest.mark.parametrize("dim", [0, 1, None])
def test_static_equals_eager(dim):
    def call(x):
        return weight_norm(paddle.nn.Linear(3, 4), dim=dim)(x)

    eager, found, _ = harness.both(call, {"x": numbers("x", 2, 3)})
    np.testing.assert_allclose(found[0], eager[0], rtol=1e-5, atol=1e-6)


def test_training_in_a_program():
    with harness.static() as (main, startup):
        x = harness.data("x", numbers("x", 2, 3))
        layer = weight_norm(paddle.nn.Linear(3, 4, bias_attr=False))
        loss = paddle.mean(paddle.square(layer(x)))
        paddle.optimizer.SGD(0.5).minimize(loss)
        fetched = [loss, layer.weight_v, layer.weight_g]
    exe = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        exe.run(startup)
        runs = [exe.run(main, {"x": numbers("x", 2, 3)}, fetched) for _ in range(3)]
    assert runs[0][0] > runs[1][0] > runs[2][0]
    assert np.abs(runs[0][1] - runs[2][1]).max() > 0 and np.abs(runs[0][2] - runs[2][2]).max() > 0


WRONG = [
    (lambda: weight_norm(3), TypeError, r"weight_norm\(layer\): expected a Layer, .* int"),
    (lambda: weight_norm(paddle.nn.Linear(2, 2), 1), TypeError, r"\(name\): expected a str"),
    (lambda: weight_norm(paddle.nn.Linear(2, 2), "nope"), ValueError,
     r"one of the parameters \['weight', 'bias'\] of Linear, but received 'nope'"),
    (lambda: weight_norm(paddle.nn.Linear(2, 2), dim=2), ValueError,
     r"\(dim\): expected -2 <= dim < 2 .*\[2, 2\], but received 2"),
    (lambda: weight_norm(paddle.nn.Linear(2, 2), dim=1.0), TypeError, r"\(dim\): expected an int"),
    (lambda: weight_norm(weight_norm(paddle.nn.Linear(2, 2))), RuntimeError,
     r"'weight' of Linear is normalized already"),
    (lambda: remove_weight_norm(paddle.nn.Linear(2, 2)), ValueError,
     r"remove_weight_norm\(name\): expected a parameter that weight_norm was applied to"),
    (lambda: remove_weight_norm("layer"), TypeError, r"remove_weight_norm\(layer\): .* str"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "raises", "match"), WRONG)
def test_wrong_arguments(call, raises, match):
    with pytest.raises(raises, match=match):
        call()


@pytest.mark.parametrize("ran", [False, True])
def test_removing_in_a_program(ran):
    """The scope's values are the present ones, once there are any."""
    exe = paddle.static.Executor(paddle.CPUPlace())
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope), harness.static() as (main, startup):
        x = harness.data("x", numbers("x", 2, 3))
        layer = weight_norm(paddle.nn.Linear(3, 4, bias_attr=False), dim=1)
        before = layer(x)
        if ran:
            exe.run(startup)
            scope.find_var(layer.weight_g.name).get_tensor().set(
                np.float32([1, 2, 3, 4]), paddle.CPUPlace()
            )
        assert remove_weight_norm(layer) is layer
        assert [n for n, _ in layer.named_parameters()] == ["weight"]
        after = layer(x)
        if not ran:
            exe.run(startup)
        first, second, weight = exe.run(
            main, {"x": numbers("x", 2, 3)}, [before, after, layer.weight]
        )
    np.testing.assert_allclose(second, first, rtol=1e-5, atol=1e-6)
    if ran:
        np.testing.assert_allclose(_lengths(weight, 1).ravel(), [1, 2, 3, 4], rtol=1e-5)


def test_removing_in_the_other_mode_is_refused():
    layer = weight_norm(paddle.nn.Linear(2, 2))
    with harness.static():
        with pytest.raises(RuntimeError, match="normalized in dynamic mode"):
            remove_weight_norm(layer)
