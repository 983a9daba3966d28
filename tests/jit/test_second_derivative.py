"""Derivatives of higher order through converted functions and loaded models."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.jit import to_static
from paddle.static import InputSpec
from tests.jit.cases.models_flow import rows
from tests.jit.cases.models_vision import Critic
from tests.jit.cases.training import both, fit, seeded, state


def leaf(*shape, seed=0):
    values = np.random.RandomState(seed).rand(*shape).astype("float32")
    return paddle.to_tensor(values, stop_gradient=False)


class Normed(nn.Layer):
    """A critic with running statistics, of two inputs and two results."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(1, 4, 3)
        self.norm = nn.BatchNorm2D(4)
        self.fc = nn.Linear(4 * 16, 1)

    def forward(self, x, scale):
        hidden = F.leaky_relu(self.norm(self.conv(x))) * scale
        return self.fc(paddle.flatten(hidden, 1)), paddle.tanh(hidden).mean()


def penalty(critic, x, *more):
    """WGAN-GP: how far the norm of the gradient is from one."""
    x.stop_gradient = False
    out = critic(x, *more)
    first = out[0] if isinstance(out, (list, tuple)) else out
    (grad,) = paddle.grad(first.sum(), [x], create_graph=True)
    norm = paddle.sqrt(paddle.sum(grad * grad, axis=list(range(1, grad.ndim))) + 1e-8)
    return ((norm - 1) ** 2).mean() + first.mean()


def test_gradient_penalty_outside():
    def run(convert):
        critic = seeded(Critic)
        convert(critic)
        steps = [(rows(2, 6, seed),) for seed in range(3)]
        return fit(critic, steps, lambda x: penalty(critic, x)), state(critic)

    both(run)


def test_running_statistics_are_updated_once():
    def run(convert):
        critic = seeded(Normed)
        convert(critic)
        scale = paddle.to_tensor([0.5])
        steps = [(leaf(2, 1, 6, 6, seed=seed),) for seed in range(3)]
        found = fit(critic, steps, lambda x: penalty(critic, x, scale))
        return found, state(critic)

    both(run)


def test_in_evaluation_the_statistics_of_now_are_read():
    def run(convert):
        critic = seeded(Normed)
        convert(critic)
        critic.eval()
        scale, found = leaf(1), []
        for mean in (0.0, 0.7):
            critic.norm._mean.set_value(np.full(4, mean, "float32"))
            x = leaf(2, 1, 6, 6)
            loss = penalty(critic, x, scale)
            found += [loss, *paddle.grad(loss, [x, scale])]
        return found

    both(run)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_orders(order):
    def function(x, y):
        return paddle.exp(x * y) + x**4

    x, y = leaf(3), leaf(3, seed=1)
    value = to_static(function)(x, y)
    for _ in range(order):
        (value,) = paddle.grad(value.sum(), [x], create_graph=True)
    a, b = x.numpy().astype("float64"), y.numpy().astype("float64")
    rest = {2: 12 * a**2, 3: 24 * a, 4: 24.0}[order]
    np.testing.assert_allclose(value.numpy(), b**order * np.exp(a * b) + rest, rtol=1e-4)


def test_gradients_of_gradients_reach_parameters_and_given_gradients():
    net = seeded(lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)))

    def run(convert):
        function = convert(lambda x: net(x))
        x, v = leaf(5, 3), leaf(5, 2, seed=3)
        (grad,) = paddle.grad(function(x), [x], grad_outputs=[v], create_graph=True)
        return [grad, *paddle.grad((grad**2).sum(), [x, v, net[0].weight, net[2].weight])]

    both(run)


def test_a_loaded_model(tmp_path):
    net = seeded(
        lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.5), nn.Linear(4, 1))
    )
    net.eval()
    path = str(tmp_path / "critic")
    paddle.jit.save(net, path, input_spec=[InputSpec([None, 3])])
    loaded = paddle.jit.load(path)
    x = leaf(4, 3)
    found = paddle.grad(penalty(loaded, x), [x])[0]
    np.testing.assert_allclose(found.numpy(), paddle.grad(penalty(net, x), [x])[0].numpy(), 1e-5)


def test_a_result_that_needs_no_gradient_and_one_that_is_not_used():
    @to_static
    def function(x):
        return x * x, (x > 0.5).astype("int64"), x**3

    x = leaf(4)
    square, above, cube = function(x)
    (grad,) = paddle.grad(cube.sum(), [x], create_graph=True)
    np.testing.assert_allclose(paddle.grad(grad.sum(), [x])[0].numpy(), 6 * x.numpy(), rtol=1e-5)
    assert above.numpy().tolist() == (x.numpy() > 0.5).astype(int).tolist()
    del square


# -- what is done twice, and must be the same ------------------------------------------------------


def squared(function, x, *more):
    """The second derivative, the gradients of its square, and what is drawn after all that."""
    (first,) = paddle.grad(function(x, *more).sum(), [x], create_graph=True)
    (second,) = paddle.grad((first * first).sum(), [x], create_graph=True)
    return [first, second, *paddle.grad((second * second).sum(), [x]), paddle.rand([3])]


def test_dropout_has_the_same_mask():
    def run(convert):
        net = seeded(
            lambda: nn.Sequential(
                nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 4), nn.Dropout(0.3),
                nn.Sigmoid(),
            )
        )  # fmt: skip
        convert(net)
        return squared(net, leaf(4, 3))

    both(run)


def test_attention_with_dropout():
    def run(convert):
        layer = seeded(lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.2))
        convert(layer)
        return squared(layer, leaf(2, 5, 8))

    both(run, rtol=1e-4, atol=1e-5)


def test_the_masks_of_two_calls_are_told_apart():
    def run(convert):
        net = seeded(lambda: nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Tanh()))
        convert(net)
        x = leaf(4, 3)
        outs = [net(x).sum() for _ in range(3)]
        grads = [paddle.grad(out, [x], create_graph=True)[0] for out in outs[::-1]]
        return [*grads, *paddle.grad([(g * g).sum() for g in grads], [x])]

    both(run)


def test_instance_norm():
    def run(convert):
        net = seeded(lambda: nn.Sequential(nn.Conv2D(1, 3, 3), nn.InstanceNorm2D(3), nn.Tanh()))
        convert(net)
        return squared(net, leaf(2, 1, 6, 6))

    both(run, rtol=1e-3, atol=1e-3)


class Counting(nn.Layer):
    """What it computes depends on how often it was called."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", paddle.ones([1]))

    def forward(self, x):
        y = x * x * self.calls
        paddle.assign(self.calls + 1, self.calls)
        return paddle.sin(y) * self.calls


def test_a_counter_is_advanced_once():
    def run(convert):
        net, found = Counting(), []
        convert(net)
        for order in (1, 2, 3):
            x = leaf(2, 3)
            found += [*squared(net, x)[:order], net.calls.numpy()]
        return found

    both(run)


def test_a_counter_that_is_read_before_it_changes_has_the_gradient_of_then():
    def run(convert):
        net = Counting()
        convert(net)
        x = leaf(2, 3)
        return paddle.grad(net(x).sum(), [x])

    both(run)


def test_what_was_printed_is_not_printed_again(capfd):
    @to_static
    def function(x):
        print(x.sum())
        return x**3

    x = leaf(2)
    (first,) = paddle.grad(function(x).sum(), [x], create_graph=True)
    first.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * x.numpy(), rtol=1e-5)
    assert capfd.readouterr().out.count("data:") == 1


# -- control flow ----------------------------------------------------------------------------------


def branches_and_loops(x):
    count = paddle.zeros([1], "int64")
    while x.sum() < 40.0:
        x = x * x + x
        if x.mean() > 2.0:
            x = F.dropout(x, 0.3) * paddle.sin(x) + x
        else:
            x = x + 0.5
        count += 1
    return x * x + count.astype("float32")


def with_a_list(x):
    rows = []
    for i in range(paddle.to_tensor([3])):
        x = x * paddle.tanh(x)
        rows.append(x * x * i)
    return paddle.stack(rows).sum() + paddle.concat(rows).mean()


def descending(x):
    """Steps of gradient descent, as in meta-learning."""
    weight, steps = x * 1.0, paddle.zeros([1], "int64")
    while steps < 3:
        (grad,) = paddle.grad((weight**3 + x * weight).sum(), weight, create_graph=True)
        weight = weight - 0.1 * grad
        steps += 1
    return weight


@pytest.mark.parametrize("function", [branches_and_loops, with_a_list, descending])
def test_control_flow_on_values(function):
    def run(convert):
        paddle.seed(5)
        return squared(convert(function), leaf(3, 4))

    both(run, rtol=2e-4)


# -- what is refused ------------------------------------------------------------------------------


def test_a_hook_that_is_not_linear():
    @to_static
    def function(x):
        y = x * x
        y.register_hook(lambda grad: paddle.clip(grad, -1.0, 1.0))
        return y * y

    x = leaf(2)
    with pytest.raises(NotImplementedError, match=r"a hook .* not linear(.|\n)*take the gradient"):
        paddle.grad(function(x).sum(), [x], create_graph=True)


def test_an_input_that_was_overwritten_meanwhile():
    def run(convert):
        function, x = convert(lambda x: x**3), leaf(2)
        hidden = x * 1
        out = function(hidden)
        hidden[0] = 0.0
        (grad,) = paddle.grad(out.sum(), [x], create_graph=True)
        return [grad, *paddle.grad(grad.sum(), [x])]

    both(run)


def test_a_parameter_that_was_overwritten_meanwhile():
    net = seeded(lambda: nn.Linear(3, 1, bias_attr=False))
    to_static(net)
    x = leaf(2, 3)
    out = net(x).sum()
    net.weight.set_value(np.zeros([3, 1], "float32"))
    with pytest.raises(RuntimeError, match="overwritten in place"):
        paddle.grad(out, [x], create_graph=True)


def test_a_graph_that_was_freed():
    net = seeded(lambda: nn.Linear(3, 1))
    to_static(net)
    x = leaf(2, 3)
    out = net(x).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="second time"):
        paddle.grad(out, [x], create_graph=True)
