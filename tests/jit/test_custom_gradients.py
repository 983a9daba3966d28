"""PyLayer and hooks on intermediate values in converted functions and in Programs."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.autograd import PyLayer
from paddle.jit import to_static
from paddle.static import InputSpec, gradients
from tests.jit.cases.training import both, fit, seeded, state
from tests.static.harness import data, run, static

X = np.random.RandomState(0).rand(3, 4).astype("float32")


def leaf(values=X):
    return paddle.to_tensor(values, stop_gradient=False)


class Cube(PyLayer):
    """Its backward has a factor that no gradient of its forward has."""

    @staticmethod
    def forward(ctx, x, factor=5.0):
        ctx.factor = factor
        y = x * x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, y = ctx.saved_tensor()
        return dy * x * ctx.factor + dy * y


class Two(PyLayer):
    """Several inputs and results, control flow on values, and a result that is none."""

    @staticmethod
    def forward(ctx, x, w, name="two"):
        if x.sum() > 0.0:
            a = paddle.tanh(x) * w
        else:
            a = x
        ctx.save_for_backward(a, w)
        return a, name, x.sum()

    @staticmethod
    def backward(ctx, da, db):
        a, w = ctx.saved_tensor()
        if da.sum() > 0.0:
            grad = da * (1 - a * a) * w
        else:
            grad = da * 3.0
        return grad + db, (da * a).sum().reshape([1])


class Straight(PyLayer):
    @staticmethod
    def forward(ctx, x):
        return paddle.sign(x)

    @staticmethod
    def backward(ctx, dy):
        return dy


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.w = self.create_parameter([1])

    def forward(self, x):
        hidden = Cube.apply(self.fc(x), factor=2.0)
        a, name, b = Two.apply(hidden, self.w)
        assert name == "two"
        return Straight.apply(a) * hidden + b


# -- PyLayer ---------------------------------------------------------------------------------------


def test_the_backward_that_was_written_is_used():
    function = to_static(lambda x: Cube.apply(x * 2.0))
    x = leaf()
    function(x).sum().backward()
    double = 2 * X
    np.testing.assert_allclose(x.grad.numpy(), 2 * (double * 5.0 + double**3), rtol=1e-5)


def test_training():
    def run(convert):
        net = seeded(Net)
        convert(net)
        steps = [(paddle.to_tensor(X * k),) for k in (0.5, 1.0, 1.5)]
        losses = fit(net, steps, lambda x: (net(x) ** 2).mean(), lambda p: paddle.optimizer.SGD(
            0.01, parameters=p))  # fmt: skip
        return losses, state(net)

    both(run)


def test_in_loops_and_branches():
    def function(x):
        steps = paddle.zeros([1], "int64")
        while steps < 2:
            x = Cube.apply(x) * 0.3 + x
            if x.sum() > 4.0:
                x = Straight.apply(x - 1.0) * x
            steps += 1
        return x

    def run(convert):
        x = leaf()
        return paddle.grad(convert(function)(x).sum(), [x])

    both(run)


@pytest.mark.parametrize("order", [2, 3])
def test_higher_order(order):
    def function(x):
        y = Cube.apply(x * 2.0)
        return y + paddle.sin(y) + Straight.apply(y)

    def run(convert):
        x = leaf()
        value = convert(function)(x)
        for _ in range(order):
            (value,) = paddle.grad((value * value).sum(), [x], create_graph=True)
        return [value]

    both(run, rtol=1e-4)


def test_of_the_second_order_inside():
    def function(x):
        (grad,) = paddle.grad(Cube.apply(x).sum(), x, create_graph=True)
        return (grad**2).sum()

    def run(convert):
        x = leaf()
        return paddle.grad(convert(function)(x), [x])

    both(run)


def test_a_saved_model_has_the_forward(tmp_path):
    net = seeded(Net)
    path = str(tmp_path / "net")
    paddle.jit.save(net, path, input_spec=[InputSpec([None, 4], name="x")])
    loaded = paddle.jit.load(path)
    np.testing.assert_allclose(loaded(leaf()).numpy(), net(leaf()).numpy(), rtol=1e-6)
    types = {op.type for op in loaded.program().global_block().ops}
    assert not types & {"custom_gradient", "gradient_hook"}


def test_without_gradients():
    net = seeded(Net)
    expected = net(leaf()).numpy()
    to_static(net)
    with paddle.no_grad():
        np.testing.assert_allclose(net(leaf()).numpy(), expected, rtol=1e-6)


def test_in_a_static_program():
    with static() as (main, startup):
        x = data("x", X, stop_gradient=False)
        y = paddle.sum(Cube.apply(x))
        for_test = main.clone(for_test=True)
        (first,) = gradients(y, x)
        (second,) = gradients(first, x)
    one, two = run(main, startup, {"x": X}, [first, second])
    np.testing.assert_allclose(one, 5.0 * X + X**3, rtol=1e-5)
    # The backward is what is differentiated; y counts as what forward computed, Cube itself.
    np.testing.assert_allclose(two, 5.0 + (5.0 * X + X**3), rtol=1e-5)
    assert for_test.num_blocks == 1
    assert [op.type for op in for_test.global_block().ops][-2:] == ["assign", "reduce_sum"]


def test_a_gradient_that_was_computed_before():
    class SideEffect(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(paddle.exp(x))
            return x * 2.0

        @staticmethod
        def backward(ctx, dy):
            (gradient,) = ctx.saved_tensor()
            return gradient

    def run(convert):
        x = leaf()
        return paddle.grad(convert(lambda x: SideEffect.apply(x * 1.0))(x).sum(), [x])

    both(run)


class Wrong(PyLayer):
    made = staticmethod(lambda dy: None)

    @staticmethod
    def forward(ctx, x):
        return x * 2.0

    @staticmethod
    def backward(ctx, dy):
        return Wrong.made(dy)


@pytest.mark.parametrize(
    ("made", "error", "text"),
    [
        (lambda dy: (dy, dy), ValueError, r"Wrong.backward: expected 1 gradients.*returned 2"),
        (lambda dy: dy.sum(), ValueError, r"Wrong.backward: .*shape \[3, 4\].*shape \[1\]"),
        (lambda dy: 1.0, TypeError, r"Wrong.backward: expected Tensors or None.*float"),
    ],
)
def test_a_wrong_backward(made, error, text, monkeypatch):
    monkeypatch.setattr(Wrong, "made", staticmethod(made))
    with static() as (main, _):
        x = data("x", X, stop_gradient=False)
        with pytest.raises(error, match=text):
            Wrong.apply(x)
    assert main.num_blocks == 1
    assert "custom_gradient" not in [op.type for op in main.global_block().ops]


def test_a_forward_that_returns_no_tensor():
    class Nothing(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return 3

    with static(), pytest.raises(TypeError, match=r"Nothing.forward: expected a Tensor.*got int"):
        Nothing.apply(data("x", X))


# -- hooks -----------------------------------------------------------------------------------------


def hooked(x):
    y = x * x
    z = y * 2.0
    y.register_hook(lambda grad: grad * 10.0)
    y.register_hook(lambda grad: None)
    gone = y.register_hook(lambda grad: grad * 7.0)
    gone.remove()
    y.register_hook(lambda grad: grad * z)
    return z.sum() + paddle.tanh(y).sum()


def test_a_hook_gets_the_whole_gradient():
    def run(convert):
        x = leaf()
        return paddle.grad(convert(hooked)(x), [x])

    (found,) = both(run)
    square = X.astype("float64") ** 2
    expected = 10.0 * (2.0 + 1 - np.tanh(square) ** 2) * 2 * square * 2 * X
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


def test_hooks_in_loops_and_on_inputs():
    def function(x):
        x.register_hook(lambda grad: grad * 0.5)
        steps = paddle.zeros([1], "int64")
        while steps < 3:
            x = x * x
            x.register_hook(lambda grad: paddle.clip(grad, -1.0, 1.0))
            if x.sum() > 1.0:
                half = x * 0.5
                half.register_hook(lambda grad: grad * 3.0)
                x = half + 1.0
            steps += 1
        return x

    def run(convert):
        x = leaf()
        convert(function)(x).sum().backward()
        return [x.grad]

    both(run)


def test_a_value_that_is_replaced_keeps_its_hook_to_itself():
    """Both values have one name in the Program."""

    def function(x):
        y = x * 2.0
        y.register_hook(lambda grad: grad * 100.0)
        total = y.sum() * 0.0
        steps = paddle.zeros([1], "int64")
        while steps < 2:
            y = y * 3.0
            steps += 1
        return total + y.sum()

    def run(convert):
        x = leaf()
        return paddle.grad(convert(function)(x), [x])

    both(run)


def test_hooks_of_higher_order():
    def run(convert):
        x = leaf()
        (first,) = paddle.grad(convert(hooked)(x), [x], create_graph=True)
        (second,) = paddle.grad((first * first).sum(), [x], create_graph=True)
        return [first, second, *paddle.grad(second.sum(), [x])]

    both(run, rtol=1e-4)


def test_a_hook_in_a_static_program():
    with static() as (main, startup):
        x = data("x", X, stop_gradient=False)
        y = x * x
        handle = y.register_hook(lambda grad: grad * 10.0)
        (first,) = gradients(paddle.sum(y), x)
        assert handle.remove() and not handle.remove()
        (plain,) = gradients(paddle.sum(y), x)
    one, two = run(main, startup, {"x": X}, [first, plain])
    np.testing.assert_allclose(one, 20 * X)
    np.testing.assert_allclose(two, 2 * X)


def test_hooks_and_the_gradient_of_a_parameter():
    with static() as (main, startup):
        w = paddle.static.create_parameter([4], "float32", name="w")
        y = data("x", X) * w
        y.register_hook(lambda grad: grad + 1.0)
        ((_, grad),) = paddle.static.append_backward(paddle.sum(y))
    assert grad.name == "w@GRAD"
    (found,) = run(main, startup, {"x": X}, [grad])
    np.testing.assert_allclose(found, 2 * X.sum(0), rtol=1e-5)


def test_wrong_hooks():
    with static() as (main, _):
        x = data("x", X, stop_gradient=False)
        y = x * 2.0
        with pytest.raises(TypeError, match=r"register_hook: expected a callable, but got int"):
            y.register_hook(3)
        with pytest.raises(ValueError, match=r"register_hook: .*shape \[3, 4\].*shape \[1\]"):
            y.register_hook(lambda grad: grad.sum())
        with pytest.raises(ValueError, match=r"register_hook: .*stop_gradient=False"):
            paddle.argmax(y).register_hook(lambda grad: grad)

        def branch():
            y.register_hook(lambda grad: grad)
            return y * 1.0

        with pytest.raises(ValueError, match=r"made outside of this branch(.|\n)*where the value"):
            paddle.static.nn.cond(paddle.sum(x) > 0.0, branch, lambda: y * 2.0)
    assert main.num_blocks == 1
