"""spectral_norm: values, gradients, buffers, converted functions, wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.jit import to_static
from paddle.nn.utils import spectral_norm

LAYERS = {
    "linear": (lambda: nn.Linear(3, 4), (2, 3), 1),
    "conv2d": (lambda: nn.Conv2D(2, 3, 3), (1, 2, 5, 5), 0),
    "conv1d_transpose": (lambda: nn.Conv1DTranspose(2, 3, 3), (1, 2, 5), 1),
}


def unit(x):
    return x / np.linalg.norm(x)


def step(weight, u, dim, count=1):
    """Weight, u and v after so many steps, with NumPy."""
    matrix = np.moveaxis(weight, dim, 0).reshape(weight.shape[dim], -1)
    for _ in range(count):
        v = unit(matrix.T @ u)
        u = unit(matrix @ v)
    return weight / (u @ matrix @ v), u, v


@pytest.mark.parametrize("name", LAYERS)
def test_a_call_in_training_and_in_evaluation(name):
    make, shape, dim = LAYERS[name]
    layer = make()
    weight = layer.weight.numpy()
    assert spectral_norm(layer, n_power_iterations=2) is layer
    assert list(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    np.testing.assert_array_equal(layer.weight_orig.numpy(), weight)
    expected, u, v = step(weight, layer.weight_u.numpy(), dim, 2)
    x = paddle.rand(shape)
    layer(x)
    np.testing.assert_allclose(layer.weight.numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(layer.weight_u.numpy(), u, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer.weight_v.numpy(), v, rtol=1e-5, atol=1e-6)
    kept = layer.weight_u.numpy(), layer.weight_v.numpy()
    layer.eval()
    again = layer(x)
    np.testing.assert_array_equal(layer.weight_u.numpy(), kept[0])
    np.testing.assert_array_equal(layer.weight_v.numpy(), kept[1])
    plain = make()
    plain.set_state_dict({"weight": layer.weight.numpy(), "bias": layer.bias.numpy()})
    np.testing.assert_allclose(again.numpy(), plain(x).numpy(), rtol=1e-5, atol=1e-6)


def test_it_approaches_the_largest_singular_value():
    layer = spectral_norm(nn.Linear(6, 5), n_power_iterations=50)
    layer(paddle.rand([1, 6]))
    assert np.linalg.norm(layer.weight.numpy(), 2) == pytest.approx(1, rel=1e-3)


def test_gradients_treat_u_and_v_as_constants():
    layer = spectral_norm(nn.Linear(3, 4, bias_attr=False))
    x = np.random.RandomState(0).rand(5, 3).astype("float32")
    layer(paddle.to_tensor(x)).sum().backward()
    weight, u, v = (getattr(layer, f"weight_{n}").numpy() for n in ("orig", "u", "v"))
    matrix = weight.T
    sigma = u @ matrix @ v
    d_weight = np.repeat(x.sum(0)[:, None], 4, 1)  # of the normalized one
    expected = d_weight / sigma - (d_weight * weight).sum() / sigma**2 * np.outer(v, u)
    np.testing.assert_allclose(layer.weight_orig.grad.numpy(), expected, rtol=1e-4, atol=1e-6)
    assert layer.weight_u.stop_gradient and layer.weight_u.grad is None
    assert layer.weight_orig.is_parameter and "weight" not in dict(layer.named_parameters())


def test_dim_and_other_names():
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first = self.create_parameter([2, 3, 4])

        def forward(self, x):
            return (self.first * x).sum()

    layer = spectral_norm(Two(), "first", dim=-1)
    weight = layer.first_orig.numpy()
    expected, *_ = step(weight, layer.first_u.numpy(), 2)
    layer(paddle.ones([1]))
    np.testing.assert_allclose(layer.first.numpy(), expected, rtol=1e-5)
    assert layer.first_u.shape == [4] and layer.first_v.shape == [6]


def test_converted_and_trained_as_eagerly():
    def run(convert):
        paddle.seed(5)
        net = nn.Sequential(spectral_norm(nn.Conv2D(1, 2, 3)), nn.Flatten(), nn.Linear(8, 1))
        if convert:
            net = to_static(net)
        optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        losses = []
        for i in range(3):
            x = paddle.to_tensor(np.random.RandomState(i).rand(2, 1, 4, 4).astype("float32"))
            loss = net(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(loss.item())
        return losses, net[0].weight_u.numpy()

    (losses, u), (found, found_u) = run(False), run(True)
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    np.testing.assert_allclose(found_u, u, rtol=1e-4, atol=1e-6)


def test_states_are_exchanged():
    one, other = spectral_norm(nn.Linear(3, 4)), spectral_norm(nn.Linear(3, 4))
    other.set_state_dict(one.state_dict())
    one.eval(), other.eval()
    x = paddle.rand([2, 3])
    np.testing.assert_array_equal(one(x).numpy(), other(x).numpy())


BAD = [
    (lambda: spectral_norm(3), TypeError, "layer.*Layer.*int"),
    (lambda: spectral_norm(nn.Linear(2, 2), 3), TypeError, "name.*str.*int"),
    (lambda: spectral_norm(nn.Linear(2, 2), "nope"), ValueError, r"\['weight'\].*'nope'"),
    (lambda: spectral_norm(nn.Linear(2, 2), "bias"), ValueError, r"\['weight'\].*'bias'"),
    (lambda: spectral_norm(nn.Linear(2, 2), dim=2), ValueError, "dim.*-2 <= dim < 2.*2"),
    (lambda: spectral_norm(nn.Linear(2, 2), dim=0.5), TypeError, "dim.*int or None.*float"),
    (lambda: spectral_norm(nn.Linear(2, 2), n_power_iterations=0), ValueError, "at least 1"),
    (lambda: spectral_norm(nn.Linear(2, 2), n_power_iterations=1.5), TypeError, "int.*float"),
    (lambda: spectral_norm(nn.Linear(2, 2), eps=-1.0), ValueError, "more than 0.*-1"),
    (lambda: spectral_norm(nn.Linear(2, 2), eps="a"), TypeError, "number.*str"),
    (lambda: spectral_norm(spectral_norm(nn.Linear(2, 2))), RuntimeError, "normalized already"),
]


@pytest.mark.parametrize(("call", "error", "match"), BAD)
def test_wrong_arguments(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_in_static_mode_it_says_what_to_call():
    paddle.enable_static()
    try:
        with pytest.raises(NotImplementedError, match=r"static\.nn\.spectral_norm"):
            spectral_norm(nn.Linear(2, 2))
    finally:
        paddle.disable_static()
