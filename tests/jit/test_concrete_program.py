"""Recording a function as a Program, and running that as one node of the tape."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core.errors import PreconditionNotMetError
from paddle.executor.plan import Plan
from paddle.jit.calls.concrete_program import record
from paddle.static import InputSpec


def _tensor(*shape, seed=0, stop_gradient=False):
    values = np.random.RandomState(seed).standard_normal(shape).astype("float32")
    return paddle.to_tensor(values, stop_gradient=stop_gradient)


def _gradients(call, inputs, layers=()):
    """Results, and the gradients that a sum of squares leaves at inputs and parameters."""
    leaves = [*inputs, *[p for layer in layers for p in layer.parameters()]]
    for leaf in leaves:
        leaf.clear_grad()
    outs = call(*inputs)
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    total = sum(((o * o).sum() for o in outs), paddle.zeros([1]))
    total.backward()
    grads = [None if t.grad is None else t.grad.numpy() for t in leaves]
    return [o.numpy() for o in outs], grads


def _same(function, inputs, layers=()):
    concrete = record(function, inputs, layers=layers)
    expected = _gradients(function, inputs, layers)
    for _ in range(2):
        got = _gradients(lambda *given: concrete(list(given)), inputs, layers)
        for a, b in zip([*got[0], *got[1]], [*expected[0], *expected[1]], strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    return concrete


def test_one_result():
    concrete = _same(lambda x: paddle.tanh(x) * x, [_tensor(2, 3)])
    assert concrete([_tensor(2, 3)]).shape == [2, 3]
    assert concrete.parameters == [] and concrete.buffers == []


def test_several_results_in_nests():
    def function(x, y):
        return {"sum": x + y, "rest": (x * y, 3, [None, "text", x - y])}

    concrete = record(function, [_tensor(3), _tensor(3, seed=1)])
    x, y = _tensor(3), _tensor(3, seed=1)
    out = concrete([x, y])
    np.testing.assert_array_equal(out["sum"].numpy(), (x + y).numpy())
    product, three, (nothing, text, difference) = out["rest"]
    assert (three, nothing, text) == (3, None, "text")
    (product + difference).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.numpy() + 1)


def test_layer_with_parameters():
    paddle.seed(1)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    concrete = _same(net, [_tensor(5, 4)], [net])
    assert {p.name for p in concrete.parameters} == {p.name for p in net.parameters()}


def test_updates_of_parameters_are_seen():
    net = nn.Linear(2, 2)
    concrete = record(net, [_tensor(1, 2)], layers=[net])
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    x = _tensor(1, 2)
    for _ in range(3):
        np.testing.assert_array_equal(concrete([x]).numpy(), net(x).numpy())
        concrete([x]).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    net.set_state_dict({k: v * 2 for k, v in net.state_dict().items()})
    np.testing.assert_array_equal(concrete([x]).numpy(), net(x).numpy())


def test_parameter_that_is_frozen_later():
    net = nn.Linear(2, 2)
    concrete = record(net, [_tensor(1, 2)], layers=[net])
    net.weight.stop_gradient = True
    concrete([_tensor(1, 2)]).sum().backward()
    assert net.weight.grad is None and net.bias.grad.shape == [2]
    net.weight.stop_gradient = False
    concrete([_tensor(1, 2)]).sum().backward()
    assert net.weight.grad.shape == [2, 2]


def test_batch_norm_updates_its_statistics():
    x = _tensor(6, 3)
    nets = [nn.BatchNorm1D(3), nn.BatchNorm1D(3)]
    concrete = record(nets[1], [x], layers=[nets[1]])
    for _ in range(3):
        np.testing.assert_allclose(concrete([x]).numpy(), nets[0](x).numpy(), rtol=1e-5)
        for name in ("_mean", "_variance"):
            ours, eager = (getattr(net, name).numpy() for net in reversed(nets))
            np.testing.assert_allclose(ours, eager, rtol=1e-6)


def test_dropout_draws_what_eager_draws():
    x = _tensor(4, 50)
    layer = nn.Dropout(0.4)
    concrete = record(layer, [x], layers=[layer])
    paddle.seed(5)
    expected = [layer(x).numpy() for _ in range(2)]
    paddle.seed(5)
    got = [concrete([x]).numpy() for _ in range(2)]
    np.testing.assert_array_equal(got, expected)
    assert not np.array_equal(got[0], got[1])


def test_buffer_that_forward_writes():
    class Counter(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", paddle.zeros([1]))

        def forward(self, x):
            self.count = self.count + 1
            return x * self.count

    net = Counter()
    held = net.count
    concrete = record(net, [_tensor(2)], layers=[net])
    assert net.count is held and net.count.numpy() == 0
    concrete([_tensor(2)])
    out = concrete([paddle.ones([2])])
    assert net.count is held and net.count.numpy() == 2
    np.testing.assert_array_equal(out.numpy(), [2, 2])


def test_attribute_that_forward_sets():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.hidden = None

        def forward(self, x):
            self.hidden = self.linear(x)
            return {"out": paddle.tanh(self.hidden)}

    net = Net()
    x = _tensor(1, 2)
    concrete = record(net, [x], layers=[net])
    assert net.hidden is None
    out = concrete([x])["out"]
    np.testing.assert_allclose(np.tanh(net.hidden.numpy()), out.numpy(), rtol=1e-6)
    net.hidden.sum().backward()
    np.testing.assert_array_equal(net.linear.bias.grad.numpy(), [1, 1])


def test_constant_tensor_of_a_closure():
    offset = _tensor(3, seed=3, stop_gradient=True)
    concrete = _same(lambda x: x * offset, [_tensor(2, 3)])
    assert concrete.buffers == [offset]


def test_gradient_to_a_captured_result():
    w = _tensor(3)
    doubled = w * 2
    record(lambda x: x * doubled, [_tensor(3)])([_tensor(3)]).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * _tensor(3).numpy())


def test_result_that_is_an_input_has_memory_of_its_own():
    x = _tensor(3, stop_gradient=True)
    y, z = record(lambda x: (x, x.reshape([3, 1])), [x])([x])
    y[0] = 100.0
    z[0] = 50.0
    np.testing.assert_array_equal(x.numpy(), _tensor(3).numpy())


def test_constant_result_may_be_written():
    concrete = record(lambda x: (x, paddle.full([2], 7.0)), [_tensor(1)])
    concrete([_tensor(1)])[1][0] = 1.0
    np.testing.assert_array_equal(concrete([_tensor(1)])[1].numpy(), [7, 7])


def test_same_result_twice():
    def twice(x):
        y = x * 3
        return y, y

    a, b = record(twice, [_tensor(2)])([x := _tensor(2)])
    (a + b).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [6, 6])


def test_detached_result_has_no_gradient():
    concrete = record(lambda x: (x * 2, (x * 3).detach(), x > 0), [_tensor(2)])
    a, b, c = concrete([_tensor(2)])
    assert (a.stop_gradient, b.stop_gradient, c.stop_gradient) == (False, True, True)
    with paddle.no_grad():
        assert concrete([_tensor(2)])[0].stop_gradient


def test_input_without_gradient():
    concrete = record(lambda x, y: x * y, [_tensor(2), _tensor(2)])
    x, y = _tensor(2), _tensor(2, stop_gradient=True)
    concrete([x, y]).sum().backward()
    assert y.grad is None
    np.testing.assert_array_equal(x.grad.numpy(), y.numpy())


def test_specs_with_unknown_sizes():
    concrete = record(lambda x: (x * x).sum(axis=1), [InputSpec([None, 3], "float32", "x")])
    assert [v.name for v in concrete.inputs] == ["x"]
    assert concrete.main_program.global_block().var("x").shape == (-1, 3)
    before = Plan.built
    for rows in (2, 5):
        x = _tensor(rows, 3)
        concrete([x]).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy())
    assert Plan.built == before + 1


def test_nested_arguments():
    def function(pair, table, scale=1.0):
        return pair[0] * scale + pair[1][0] + table["bias"]

    specs = [InputSpec([2], "float32", n) for n in "abc"]
    concrete = record(function, [[specs[0], (specs[1],)]], {"table": {"bias": specs[2]}})
    assert [v.name for v in concrete.inputs] == ["a", "b", "c"]
    out = concrete([paddle.ones([2]), paddle.ones([2]) * 2, paddle.ones([2]) * 3])
    np.testing.assert_array_equal(out.numpy(), [6, 6])


@pytest.mark.parametrize("retain", [True, False])
def test_graph_is_kept_or_freed(retain):
    x = _tensor(3)
    y = record(lambda x: paddle.exp(paddle.tanh(x)), [x])([x])
    y.sum().backward(retain_graph=retain)
    first = x.grad.numpy()
    x.clear_grad()
    if retain:
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), first)
    else:
        with pytest.raises(PreconditionNotMetError, match="run_program runs a second time"):
            y.backward(paddle.ones([3]))


def test_overwritten_input_is_noticed():
    x, w = _tensor(3), _tensor(3, seed=1, stop_gradient=True)
    y = record(lambda x, w: x * w, [x, w])([x, w])
    w[0] = 5.0
    with pytest.raises(PreconditionNotMetError, match=r"run_program.*overwritten in place"):
        y.sum().backward()


def test_paddle_grad_and_hooks():
    x = _tensor(3)
    concrete = record(lambda x: paddle.tanh(x), [x])
    seen = []
    y = concrete([x])
    y.register_hook(lambda g: seen.append(g.numpy()) or g * 2)
    (gradient,) = paddle.grad(y.sum(), [x])
    np.testing.assert_allclose(gradient.numpy(), 2 * (1 - np.tanh(x.numpy()) ** 2), rtol=1e-5)
    assert len(seen) == 1


def test_control_flow_on_data():
    def function(x):
        positive = paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x * x)
        i = paddle.zeros([1], "int64")
        return paddle.static.nn.while_loop(
            lambda i, y: i < 3, lambda i, y: [i + 1, y * x], [i, positive]
        )[1]

    concrete = record(function, [_tensor(3)])
    for sign in (1, -1):
        x = paddle.to_tensor(sign * np.array([1.0, 2.0, 0.5], "float32"), stop_gradient=False)
        y = concrete([x])
        y.sum().backward()
        v = x.numpy()
        expected = 2 * v**4 if sign > 0 else v**5
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5)
        slope = 8 * v**3 if sign > 0 else 5 * v**4
        np.testing.assert_allclose(x.grad.numpy(), slope, rtol=1e-5)


def test_error_of_a_run_names_operator_and_line():
    concrete = record(lambda x, y: paddle.matmul(x, y), [InputSpec([None, 3]), InputSpec([3, 2])])
    with pytest.raises(ValueError, match=r"(?s)matmul_v2.*test_concrete_program\.py") as caught:
        concrete([_tensor(2, 4), _tensor(3, 2)])
    assert "[2, 4]" in str(caught.value)
    np.testing.assert_allclose(concrete([paddle.ones([1, 3]), paddle.ones([3, 2])]), [[3, 3]])


def test_rng_of_a_backward_pass_uses_the_same_mask():
    x = _tensor(4, 50)
    layer = nn.Dropout(0.5)
    y = record(layer, [x], layers=[layer])([x])
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy() == 0, y.numpy() == 0)


def test_loop_is_walked_back_twice():
    def function(x):
        i = paddle.zeros([1], "int64")
        return paddle.static.nn.while_loop(
            lambda i, y: i < 2, lambda i, y: [i + 1, paddle.tanh(y) * x], [i, x]
        )[1]

    x = _tensor(3)
    y = record(function, [x])([x]).sum()
    grads = []
    for retain in (True, True, False):
        x.clear_grad()
        y.backward(retain_graph=retain)
        grads.append(x.grad.numpy())
    np.testing.assert_array_equal(grads[1], grads[0])
    np.testing.assert_array_equal(grads[2], grads[0])
    assert np.abs(grads[0]).max() > 0
