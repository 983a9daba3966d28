"""Layers written like PaddlePaddle's own, with self._helper."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.jit import to_static


class Scaled(nn.Layer):
    def __init__(self, act=None):
        super().__init__()
        self._dtype = self._helper.get_default_dtype()
        self.weight = self._helper.create_parameter(
            None, [3], self._dtype, default_initializer=nn.initializer.Constant(2.0)
        )
        self._act = act

    def forward(self, x):
        out = self._helper.create_variable_for_type_inference(self._dtype)
        self._helper.append_op(
            type="elementwise_mul",
            inputs={"X": x, "Y": [self.weight]},
            outputs={"Out": [out]},
            attrs={"axis": -1, "use_mkldnn": False},
        )
        return self._helper.append_activation(out, self._act)


def test_it_trains():
    layer = Scaled("tanh")
    x = paddle.to_tensor([[0.1, 0.2, 0.3]], stop_gradient=False)
    out = layer(x)
    np.testing.assert_allclose(out.numpy(), np.tanh(2 * x.numpy()), rtol=1e-6)
    out.sum().backward()
    slope = 1 - np.tanh(2 * x.numpy()) ** 2
    np.testing.assert_allclose(layer.weight.grad.numpy(), (slope * x.numpy())[0], rtol=1e-5)
    np.testing.assert_allclose(x.grad.numpy(), slope * 2, rtol=1e-5)
    assert layer._helper.name == layer.full_name()


def test_converted():
    layer = Scaled()
    x = paddle.to_tensor([[0.1, 0.2, 0.3]], stop_gradient=False)
    out = to_static(layer)(x)
    np.testing.assert_allclose(out.numpy(), 2 * x.numpy(), rtol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(layer.weight.grad.numpy(), x.numpy()[0], rtol=1e-6)


def test_in_static_mode():
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x = static.data("x", [None, 3])
            out = Scaled("relu")(x)
        exe = static.Executor()
        exe.run(startup)
        fed = np.array([[1, -2, 3]], "float32")
        (found,) = exe.run(main, feed={"x": fed}, fetch_list=[out])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(found, [[2, 0, 6]])


def test_several_results_and_state_in_place():
    """PaddleGAN's spectral norm calls the operator with buffers of the layer."""

    class Normed(nn.SpectralNorm):
        def forward(self, weight):
            out = self._helper.create_variable_for_type_inference(self._dtype)
            inputs = {"Weight": weight, "U": self.weight_u, "V": self.weight_v}
            attrs = {"dim": self._dim, "power_iters": self._power_iters, "eps": self._eps}
            self._helper.append_op("spectral_norm", inputs, {"Out": out}, attrs)
            return out

    weight = paddle.rand([4, 3])
    own, plain = Normed([4, 3]), nn.SpectralNorm([4, 3])
    own.set_state_dict(plain.state_dict())
    np.testing.assert_allclose(own(weight).numpy(), plain(weight).numpy(), rtol=1e-6)


BAD = [
    (lambda h, x: h.append_op("no_such", {"X": x}, {}), ValueError, "no operator 'no_such'"),
    (lambda h, x: h.append_op("relu", {"Y": x}, {"Out": x}), ValueError, r"inputs.*'Y'.*\['X'\]"),
    (lambda h, x: h.append_op("relu", {"X": x}, {"Y": x}), ValueError, r"outputs.*'Y'"),
    (lambda h, x: h.append_op("relu", {"X": [x, x]}, {"Out": x}), ValueError, "one Tensor.*got 2"),
    (
        lambda h, x: h.append_op("scale", {"X": x}, {"Out": x}, {"factor": 2.0}),
        ValueError,
        r"attrs.*'scale' has no 'factor'.*bias",
    ),
    (lambda h, x: h.append_op("relu", {}, {"Out": x}), TypeError, "X expects a Tensor"),
    (lambda h, x: h.append_activation(x, "relux"), ValueError, "no paddle.nn.functional.relux"),
]


@pytest.mark.parametrize(("call", "error", "match"), BAD)
def test_bad_calls(call, error, match):
    with pytest.raises(error, match=match):
        call(nn.Layer()._helper, paddle.zeros([2]))
