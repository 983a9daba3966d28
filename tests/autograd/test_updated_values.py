"""Values that an optimizer or set_value overwrote between forward and backward.

What is expected here was computed by PaddlePaddle 2.6.2 with the same programs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import paddle
from paddle.autograd import PyLayer
from paddle.core.writes import writes

NEW = np.array([[10.0], [20.0]], "float32")


@pytest.fixture(autouse=True)
def _as_users_run_it(monkeypatch: pytest.MonkeyPatch):
    """The suite runs with the flag on."""
    before = paddle.get_flags("FLAGS_check_overwritten")
    paddle.set_flags({"FLAGS_check_overwritten": False})
    monkeypatch.setattr(writes, "warned", False)
    yield
    paddle.set_flags(before)


def leaf(value: list) -> paddle.Tensor:
    return paddle.to_tensor(np.array(value, "float32"), stop_gradient=False)


def two_layers() -> tuple:
    x = paddle.to_tensor([[1.0, 2.0]])
    w1, w2 = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[1.0], [-1.0]])
    h = paddle.matmul(x, w1)
    return w1, w2, h, paddle.matmul(h, w2)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("SGD", [[-1.8, 12.0], [-3.6, 24.0]]), ("Adam", [[-5.4, 6.6], [-10.8, 13.2]])],
)
def test_a_step_between_two_losses_of_one_graph(kind: str, expected: list):
    w1, w2, _, y = two_layers()
    optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=[w1, w2])
    first, second = y.sum(), (y * y).sum()
    first.backward(retain_graph=True)
    optimizer.step()
    optimizer.clear_grad()
    with pytest.warns(UserWarning, match=r"(?s)matmul_v2.*optimizer's step.*Hint: call backward"):
        second.backward()
    np.testing.assert_allclose(w1.grad.numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(w2.grad.numpy(), [[-42.0], [-60.0]], rtol=1e-6)


def test_several_steps_of_momentum():
    w = leaf([1.0, 2.0])
    optimizer = paddle.optimizer.Momentum(0.1, parameters=[w])
    first, second = (w * w).sum(), paddle.exp(w * w).sum()
    first.backward(retain_graph=True)
    optimizer.step()
    optimizer.step()
    optimizer.clear_grad()
    with pytest.warns(UserWarning, match="elementwise_mul"):
        second.backward()
    np.testing.assert_allclose(w.grad.numpy(), [2.2833567, 91.724892], rtol=1e-5)


WRITES: dict[str, Callable] = {
    "array": lambda w: w.set_value(NEW),
    "tensor": lambda w: w.set_value(paddle.to_tensor(NEW)),
    "copy_": lambda w: w.copy_(paddle.to_tensor(NEW), True),
    "detached": lambda w: w.detach().set_value(NEW),
}


@pytest.mark.parametrize("viewed", [False, True])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_set_value_between_forward_and_backward(write: Callable, viewed: bool):
    """With a view alive the memory is not written, and the numbers are the same."""
    w1, w2, _, y = two_layers()
    view = w2.reshape([-1]) if viewed else None
    loss = (y * y).sum()
    write(w2)
    with pytest.warns(UserWarning, match=r"set_value"):
        loss.backward()
    np.testing.assert_allclose(w1.grad.numpy(), [[-60.0, -120.0], [-120.0, -240.0]])
    np.testing.assert_allclose(w2.grad.numpy(), [[-42.0], [-60.0]])
    if view is not None:
        assert view.numpy().tolist() == [1.0, -1.0]


def test_an_update_after_a_copy_is_followed_too():
    w = leaf([2.0])
    y = w * w
    view = w.reshape([1, 1])
    w.set_value([3.0])  # gets memory of its own
    w.set_value([5.0])
    with pytest.warns(UserWarning):
        y.backward()
    assert w.grad.numpy().tolist() == [10.0]
    assert view.numpy().tolist() == [[2.0]]


def test_set_value_of_a_result():
    w1, w2, h, y = two_layers()
    loss = (y * y).sum()
    h.set_value([[100.0, 100.0]])
    with pytest.warns(UserWarning):
        loss.backward()
    np.testing.assert_allclose(w1.grad.numpy(), [[-6.0, 6.0], [-12.0, 12.0]])
    np.testing.assert_allclose(w2.grad.numpy(), [[-600.0], [-600.0]])


def test_a_state_dict_loaded_in_between():
    layer = paddle.nn.Linear(2, 1)
    layer.weight.set_value([[1.0], [-1.0]])
    x = leaf([[1.0, 2.0]])
    y = layer(x)
    loss = (y * y).sum()
    layer.set_state_dict({"weight": paddle.to_tensor(NEW), "bias": paddle.to_tensor([1.0])})
    with pytest.warns(UserWarning):
        loss.backward()
    np.testing.assert_allclose(x.grad.numpy(), [[-20.0, -40.0]])
    np.testing.assert_allclose(layer.weight.grad.numpy(), [[-2.0], [-4.0]])


def test_create_graph():
    w1, w2, _, y = two_layers()
    loss = (y * y).sum()
    w2.set_value(NEW)
    with pytest.warns(UserWarning):
        (g,) = paddle.grad(loss, [w1], create_graph=True)
    g.sum().backward()
    np.testing.assert_allclose(g.numpy(), [[-60.0, -120.0], [-120.0, -240.0]])
    np.testing.assert_allclose(w2.grad.numpy(), [[1242.0], [1782.0]])
    np.testing.assert_allclose(w1.grad.numpy(), [[1800.0, 3600.0], [3600.0, 7200.0]])


class Product(PyLayer):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, None, w)
        return x * w

    @staticmethod
    def backward(ctx, d):
        x, _, w = ctx.saved_tensor()
        return d * w, d * x


@pytest.mark.parametrize("viewed", [False, True])
def test_py_layer(viewed: bool):
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    view = w.reshape([2, 1]) if viewed else None
    y = Product.apply(x, w).sum()
    w.set_value([5.0, 6.0])
    with pytest.warns(UserWarning, match="operator Product"):
        y.backward()
    assert x.grad.numpy().tolist() == [5.0, 6.0]
    assert w.grad.numpy().tolist() == [1.0, 2.0]
    del view


class Squared(paddle.nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(2, 1, bias_attr=False)
        self.linear.weight.set_value([[1.0], [-1.0]])

    def forward(self, x):
        y = self.linear(x)
        return (y * y).sum()


@pytest.mark.parametrize("viewed", [False, True])
def test_a_converted_layer(viewed: bool):
    layer = Squared()
    x, weight = leaf([[1.0, 2.0]]), layer.linear.weight
    view = weight.reshape([-1]) if viewed else None
    loss = paddle.jit.to_static(layer)(x)
    weight.set_value(NEW)
    with pytest.warns(UserWarning, match="run_program"):
        loss.backward()
    np.testing.assert_allclose(x.grad.numpy(), [[-20.0, -40.0]])
    np.testing.assert_allclose(weight.grad.numpy(), [[-2.0], [-4.0]])
    del view


def meta_learning() -> tuple[float, paddle.Tensor]:
    """Adapts to two tasks in turn by set_value; the loss of all is differentiated at the end."""
    w = leaf([[1.0], [-1.0]])
    x, target = paddle.to_tensor([[1.0, 2.0], [3.0, -1.0]]), paddle.to_tensor([[1.0], [0.0]])

    def loss() -> paddle.Tensor:
        difference = paddle.matmul(x, w) - target
        return (difference * difference).mean()

    kept, total = w.numpy(), paddle.zeros([1])
    for rate in (0.1, 0.2):
        (g,) = paddle.grad(loss(), [w], retain_graph=True)
        w.set_value(w - rate * g)
        total = total + loss() * (rate * 10)
        w.set_value(kept)
    total.backward()
    return float(total), w.grad


def test_meta_learning_by_set_value():
    with pytest.warns(UserWarning, match="set_value"):
        total, grad = meta_learning()
    assert total == pytest.approx(14.6, rel=1e-6)
    np.testing.assert_allclose(grad.numpy(), [[-24.0], [1.0]], rtol=1e-5)


def test_half_precision_masters():
    w = paddle.to_tensor([1.0, 2.0], dtype="float16", stop_gradient=False)
    optimizer = paddle.optimizer.Momentum(0.5, parameters=[w], multi_precision=True)
    first, second = (w * 2.0).sum(), (w * w).sum()
    first.backward(retain_graph=True)
    optimizer.step()
    optimizer.clear_grad()
    with pytest.warns(UserWarning):
        second.backward()
    assert w.numpy().tolist() == [0.0, 1.0]
    assert w.grad.numpy().tolist() == [0.0, 2.0]
    w.set_value(np.array([4.0, 4.0], "float16"))
    optimizer.clear_grad()
    optimizer.step()  # the master copy follows what was written
    assert w.numpy().tolist()[1] == pytest.approx(4.0 - 0.5 * 0.9 * 2.0, rel=1e-2)


def test_it_is_told_once():
    for expected in (1, 0):
        w = leaf([2.0])
        y = w * w
        w.set_value([3.0])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            y.backward()
        assert len(caught) == expected


def test_the_flag_makes_it_an_error():
    paddle.set_flags({"FLAGS_check_overwritten": True})
    w = leaf([2.0])
    y = w * w
    w.set_value([3.0])
    with pytest.raises(RuntimeError, match=r"(?s)elementwise_mul.*overwritten in place.*clone"):
        y.backward()


def test_the_flag_lets_pass_what_was_not_overwritten():
    paddle.set_flags({"FLAGS_check_overwritten": True})
    w = leaf([2.0])
    y = w * w
    view = w.reshape([1, 1])
    w.set_value([3.0])
    y.backward()
    assert w.grad.numpy().tolist() == [4.0]
    del view


@pytest.mark.parametrize("then_updated", [False, True])
def test_writes_of_the_user_still_raise(then_updated: bool):
    w = leaf([2.0, 3.0])
    y = (w * w).sum()
    with paddle.no_grad():
        w[0] = 5.0
    if then_updated:
        w.set_value([1.0, 1.0])
    with pytest.raises(RuntimeError, match="overwritten in place"):
        y.backward()


def test_no_warning_in_an_ordinary_loop():
    layer = paddle.nn.Linear(2, 1)
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            layer(paddle.ones([2, 2])).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
