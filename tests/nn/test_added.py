"""A layer that is defined here works in both modes, converted, summed up, saved and by Model."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.core.op import C
from paddle.nn.initializer import Constant
from tests.executor.building import building, run, started

X = np.linspace(-2, 3, 10, dtype="float32").reshape(2, 5)
W = np.linspace(0.5, 1.5, 5, dtype="float32")


def scale_norm(x, weight=None, epsilon=1e-5):
    """Divides the last dimension by the root of its mean square."""
    out = x * C.rsqrt(C.reduce_mean(C.square(x), dim=[-1], keep_dim=True) + epsilon)
    return out if weight is None else out * weight


class ScaleNorm(nn.Layer):
    def __init__(self, size, epsilon=1e-5, weight_attr=None):
        super().__init__()
        self._size, self._epsilon = size, epsilon
        self.weight = self.create_parameter(
            shape=[size], attr=weight_attr, default_initializer=Constant(1.0)
        )

    def forward(self, x):
        return scale_norm(x, self.weight, self._epsilon)

    def extra_repr(self):
        return f"size={self._size}, epsilon={self._epsilon}"


def by_hand(x, w=1.0):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * w


@pytest.fixture
def layer():
    made = ScaleNorm(5)
    made.weight.set_value(W)
    return made


def test_it_computes_and_trains(layer):
    x = paddle.to_tensor(X, stop_gradient=False)
    np.testing.assert_allclose(layer(x).numpy(), by_hand(X, W), rtol=1e-5)
    layer(x).sum().backward()
    np.testing.assert_allclose(layer.weight.grad.numpy(), by_hand(X).sum(0), rtol=1e-5)
    before = layer.weight.numpy()
    paddle.optimizer.SGD(0.1, parameters=layer.parameters()).step()
    assert not np.array_equal(layer.weight.numpy(), before)
    with paddle.amp.auto_cast():
        assert layer(x).dtype == paddle.float32


def test_it_has_a_name_a_text_and_a_state(layer):
    assert str(nn.Sequential(layer)).splitlines()[1] == "  (0): ScaleNorm(size=5, epsilon=1e-05)"
    assert layer.full_name().startswith("scale_norm_")
    assert ScaleNorm(5, weight_attr=False).state_dict() == {}
    again = ScaleNorm(5)
    again.set_state_dict(layer.state_dict())
    np.testing.assert_array_equal(again.weight.numpy(), W)


def test_in_a_program():
    with building() as (main, startup):
        x = static.data("x", [None, 5])
        loss = paddle.mean(ScaleNorm(5)(static.nn.fc(x, 5)))
        paddle.optimizer.SGD(0.1).minimize(loss)
        out = ScaleNorm(5, weight_attr=paddle.ParamAttr(name="w", initializer=Constant(2.0)))(x)
    scope = started(startup)
    found = run(main, {"x": X}, [out, loss], scope)
    np.testing.assert_allclose(found[0], by_hand(X, 2.0), rtol=1e-5)
    assert run(main, {"x": X}, [out, loss], scope)[1] < found[1]


def test_converted_and_saved(layer, tmp_path):
    net = paddle.jit.to_static(layer, input_spec=[static.InputSpec([None, 5])])
    expected = by_hand(X, W)
    np.testing.assert_allclose(net(paddle.to_tensor(X)).numpy(), expected, rtol=1e-5)
    paddle.jit.save(net, str(tmp_path / "net"))
    loaded = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_allclose(loaded(paddle.to_tensor(X)).numpy(), expected, rtol=1e-5)


def test_summary_and_flops(layer, capsys):
    net = nn.Sequential(nn.Linear(4, 5), layer)
    assert paddle.summary(net, (2, 4)) == {"total_params": 30, "trainable_params": 30}
    assert "ScaleNorm-" in capsys.readouterr().out
    assert paddle.flops(net, [2, 4]) == 2 * 4 * 5
    assert "Cannot find suitable count function" in capsys.readouterr().out

    def count(layer, x, y):
        layer.total_ops += 2 * y.size

    assert paddle.flops(net, [2, 4], custom_ops={ScaleNorm: count}) == 2 * 4 * 5 + 2 * 2 * 5


def test_model_trains_it(layer):
    model = paddle.Model(nn.Sequential(layer, nn.Linear(5, 1)))
    model.prepare(
        paddle.optimizer.SGD(0.1, parameters=model.parameters()), loss=nn.MSELoss()
    )  # fmt: skip
    first = model.train_batch([X], [np.ones([2, 1], "float32")])
    for _ in range(20):
        last = model.train_batch([X], [np.ones([2, 1], "float32")])
    assert np.ravel(last)[0] < np.ravel(first)[0]
