"""Tensor.backward: accumulation, retained graphs, cleared gradients, overwritten values."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.autograd import backward


def leaf(data, dtype="float64"):
    return paddle.to_tensor(data, dtype=dtype, stop_gradient=False)


# -- the value of a gradient ---------------------------------------------------------------------


def test_shared_subgraphs_and_diamonds():
    x = leaf([2.0, 3.0])
    a = x * x
    b, c = a * 3, a.exp()
    ((b + c) * a).sum().backward()
    v = np.array([2.0, 3.0]) ** 2
    slope = 6 * v + np.exp(v) * v + np.exp(v)
    np.testing.assert_allclose(x.grad.numpy(), slope * 2 * np.array([2.0, 3.0]))
    np.testing.assert_allclose(a.grad.numpy(), slope)


def test_a_power_by_repeated_doubling():
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**60


def test_same_tensor_in_every_slot():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    paddle.matmul(x, x).sum().backward()
    ones = np.ones((2, 2))
    v = x.numpy()
    np.testing.assert_allclose(x.grad.numpy(), ones @ v.T + v.T @ ones)
    y = leaf([1.0])
    paddle.concat([y, y, y]).sum().backward()
    assert y.grad.tolist() == [3]


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3,)), ((1,), (2, 2)), ((3, 1), (2, 1, 4)), ((2, 3), (1, 1))]
)
def test_broadcast_gradients_have_the_shape_of_their_input(shapes):
    x, y = (
        leaf(np.random.RandomState(0).rand(*shapes[0])),
        leaf(np.random.RandomState(1).rand(*shapes[1])),
    )
    (x * y).sum().backward()
    full = np.broadcast_shapes(*shapes)

    def reduced(value, shape):
        value = np.broadcast_to(value, full)
        lead = value.ndim - len(shape)
        axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1)
        return value.sum(axes).reshape(shape)

    np.testing.assert_allclose(x.grad.numpy(), reduced(y.numpy(), shapes[0]))
    np.testing.assert_allclose(y.grad.numpy(), reduced(x.numpy(), shapes[1]))


def test_start_gradient():
    x = leaf([1.0, 2.0])
    (x * 3).backward()
    assert x.grad.tolist() == [3, 3]
    calls = [
        lambda y, g: y.backward(grad_tensor=g),
        lambda y, g: y.backward(False, g),
        lambda y, g: y.backward(g),
        lambda y, g: backward(y, g),
        lambda y, g: backward([y], [g]),
    ]
    for call in calls:
        z = leaf([1.0, 2.0])
        call(z * 3, paddle.to_tensor([1.0, 10.0], dtype="float64"))
        assert z.grad.tolist() == [3, 30]


def test_several_starts():
    x = leaf([1.0, 2.0])
    a, b = x * 2, (x * x).sum()
    backward([a, b], [None, paddle.to_tensor([10.0], dtype="float64")])
    assert x.grad.tolist() == [22, 42]
    y = leaf([1.0])
    z = y * 3
    backward([z, z * 2, y])
    assert y.grad.tolist() == [3 + 6 + 1]


def test_backward_of_a_leaf():
    x = leaf([1.0, 2.0])
    x.backward()
    assert x.grad.tolist() == [1, 1]


def test_complex_gradient():
    x = paddle.to_tensor([1 + 2j, 3 - 1j], stop_gradient=False)
    (paddle.real(x) * 2 + paddle.imag(x) * 3).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [2 + 3j, 2 + 3j])


def test_the_type_of_a_gradient_is_the_type_of_its_tensor():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    (x.astype("float64") * 2).backward()
    assert x.grad.dtype == paddle.float32


def test_integer_tensors_in_a_graph():
    x = leaf([1.0, 2.0, 3.0])
    index = paddle.to_tensor([2, 0, 2])
    paddle.gather(x, index).sum().backward()
    assert x.grad.tolist() == [1, 0, 2]
    assert index.grad is None
    assert (x > 2).stop_gradient and paddle.argmax(x).stop_gradient
    y = leaf([1.0, 2.0])
    paddle.gather(y, y.astype("int64") - 1).sum().backward()
    assert y.grad.tolist() == [1, 1]


# -- accumulation and clearing -------------------------------------------------------------------


def test_gradients_add_up():
    x = leaf([1.0])
    for k in range(1, 4):
        (x * 2).backward()
        assert x.grad.tolist() == [2 * k]


@pytest.mark.parametrize("clear", ["clear_grad", "clear_gradient"])
def test_cleared_gradients_read_as_zeros(clear):
    x = leaf([[1.0, 2.0]])
    assert x.grad is None
    getattr(x, clear)()
    assert x.grad is None
    (x * 2).sum().backward()
    getattr(x, clear)()
    assert x.grad.numpy().tolist() == [[0, 0]] and x.grad.dtype == x.dtype
    assert x.gradient().tolist() == [[0, 0]]
    (x * 5).sum().backward()
    assert x.grad.tolist() == [[5, 5]]


def test_a_gradient_that_was_read_does_not_change_when_cleared():
    x = leaf([1.0])
    (x * 2).backward()
    kept = x.grad.clone()
    x.clear_grad()
    (x * 7).backward()
    assert kept.tolist() == [2] and x.grad.tolist() == [7]


def test_gradient_can_be_set():
    x = leaf([1.0, 2.0])
    x.grad = paddle.to_tensor([5.0, 6.0], dtype="float64")
    (x * 2).sum().backward()
    assert x.grad.tolist() == [7, 8]
    x.grad = None
    assert x.grad is None
    with pytest.raises(ValueError, match=r"gradient of shape \[2\], but received \[3\]"):
        x.grad = paddle.ones([3])


def test_results_keep_their_gradient():
    x = leaf([3.0])
    y = x * x
    z = y * 2
    z.backward()
    assert (z.grad.tolist(), y.grad.tolist(), x.grad.tolist()) == ([1], [2], [12])
    assert y.gradient().tolist() == [2]
    y.clear_grad()
    assert x.grad.tolist() == [12]


# -- stop_gradient -------------------------------------------------------------------------------


def test_stop_gradient_cuts():
    x = leaf([2.0])
    y = x * x
    y.stop_gradient = True
    z = y * x
    z.backward()
    assert x.grad.tolist() == [4] and y.grad is None


def test_stop_gradient_off_again():
    x = leaf([2.0])
    y = x * x
    y.stop_gradient = True
    (y * 3).stop_gradient = True
    y.stop_gradient = False
    (y * 3).backward()
    assert x.grad.tolist() == [12]


def test_frozen_leaves_get_nothing():
    x, w = leaf([2.0]), leaf([3.0])
    w.stop_gradient = True
    (x * w).backward()
    assert w.grad is None and x.grad.tolist() == [3]
    w.stop_gradient = False
    (x * w).backward()
    assert w.grad.tolist() == [2]


def test_detach_cuts():
    x = leaf([2.0])
    (x * x.detach()).backward()
    assert x.grad.tolist() == [2]


def test_stop_gradient_spreads():
    a, b = paddle.ones([2], "float64"), leaf([1.0, 1.0])
    assert (a + a).stop_gradient and not (a + b).stop_gradient
    assert not paddle.concat([a, b]).stop_gradient


# -- operators with several outputs --------------------------------------------------------------


def test_unused_outputs_count_as_zero():
    x = leaf(np.arange(6.0).reshape(2, 3))
    first, second, _ = x.split(3, axis=1)
    (second * 5).sum().backward()
    assert x.grad.tolist() == [[0, 5, 0], [0, 5, 0]]
    assert first.grad is None and second.grad.tolist() == [[5], [5]]
    y = leaf([[3.0, 1.0, 2.0]])
    values, _ = paddle.topk(y, 2)
    values[0, 1].backward()
    assert y.grad.tolist() == [[0, 0, 1]]


def test_every_output_counts():
    x = leaf([1.0, 2.0, 3.0])
    a, b, c = x.unbind(0)
    (a * 2 + b * 3 + c * 4 + b).sum().backward()
    assert x.grad.tolist() == [2, 4, 4]


def test_output_used_twice_through_different_paths():
    x = leaf([1.0, 2.0])
    a, b = x.split(2)
    (a * b + b * b + a).backward()
    assert x.grad.tolist() == [2 + 1, 1 + 4]


# -- running twice -------------------------------------------------------------------------------


def test_second_backward_names_the_operator():
    x = leaf([2.0])
    y = x.exp()
    y.backward()
    with pytest.raises(
        RuntimeError, match=r"(?s)operator exp runs a second time.*retain_graph=True"
    ):
        y.backward()
    assert x.grad.tolist() == [np.exp(2.0)]


def test_retained_graph():
    x = leaf([2.0])
    y = (x * x).exp()
    y.backward(retain_graph=True)
    first = x.grad.item()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == pytest.approx(3 * first)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_shared_part_of_two_graphs():
    x = leaf([2.0])
    h = x * x
    a, b = h.exp(), h * 3
    a.backward()
    with pytest.raises(RuntimeError, match="second time"):
        b.backward()


# -- overwritten values --------------------------------------------------------------------------


def test_overwritten_value_is_noticed():
    x, w = paddle.to_tensor([2.0, 3.0]), paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    y = x * w
    x[0] = 100.0
    with pytest.raises(RuntimeError, match=r"(?s)elementwise_mul.*overwritten in place.*clone"):
        y.backward()


def test_overwritten_parameter_is_noticed():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = (x * x).exp()
    with paddle.no_grad():
        x.set_value(np.array([5.0], "float32"))
    with pytest.raises(RuntimeError, match=r"elementwise_mul.*overwritten|overwritten"):
        y.backward()


def test_overwriting_through_a_detached_handle_is_noticed():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x * x
    x.detach()[0] = 7.0
    with pytest.raises(RuntimeError, match="overwritten"):
        y.backward()


def test_overwritten_value_in_a_list_is_noticed():
    x, y = leaf([[1.0, 2.0]]), leaf([[3.0], [4.0]])
    out = paddle.tensor.linalg.matmul(x, y)
    with paddle.no_grad():
        y[0] = 9.0
    with pytest.raises(RuntimeError, match=r"matmul.*overwritten"):
        out.backward()


def test_no_alarm_when_the_value_is_not_needed():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x + 1.0
    with paddle.no_grad():
        x[0] = 9.0
    y.backward()
    assert x.grad.tolist() == [1]


def test_no_alarm_for_writes_before_and_elsewhere():
    x, other = paddle.to_tensor([2.0], stop_gradient=False), paddle.zeros([3])
    with paddle.no_grad():
        x[0] = 3.0
    other[0] = 1.0
    y = x * x
    other[1] = 1.0
    other.set_value(np.ones(3, "float32"))
    y.backward()
    assert x.grad.tolist() == [6]


def test_no_alarm_for_an_optimizer_step_between():
    layer = paddle.nn.Linear(2, 2)
    opt = paddle.optimizer.Adam(parameters=layer.parameters())
    other = paddle.nn.Linear(2, 1)
    for _ in range(3):
        kept = other(paddle.ones([1, 2])).sum()
        layer(paddle.ones([1, 2])).sum().backward()
        opt.step()
        opt.clear_grad()
        kept.backward()
    assert other.weight.grad.tolist() == [[3], [3]]


def test_no_alarm_when_the_result_is_changed_in_place():
    x = leaf([1.0, 2.0])
    y = x.exp()  # needs its own result
    y[0] = 5.0  # goes on as another buffer
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, np.exp(2.0)])


# -- deep graphs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [100_000])
def test_deep_chain(many):
    x = paddle.to_tensor([0.0], stop_gradient=False)
    y = x
    for _ in range(many):
        y = y + 1.0
    y.backward()
    assert y.item() == many and x.grad.item() == 1
    z = x
    for _ in range(many):
        z = z * 1.0
    del z  # frees the chain without running it


def test_deep_chain_of_gradients_of_gradients():
    x = leaf([1.0])
    y = x
    for _ in range(2000):
        y = y * x
    (dx,) = paddle.grad(y, x, create_graph=True)
    (d2,) = paddle.grad(dx, x)
    assert dx.item() == 2001 and d2.item() == 2001 * 2000


# -- bad input -----------------------------------------------------------------------------------


def test_nothing_to_differentiate():
    with pytest.raises(
        RuntimeError, match=r"stop_gradient=False.*shape \[2\] has stop_gradient=True"
    ):
        paddle.ones([2]).backward()
    x = leaf([1.0])
    with paddle.no_grad():
        y = x * 2
    with pytest.raises(RuntimeError, match="stop_gradient=True"):
        y.backward()


def test_wrong_start_gradients():
    x = leaf([1.0, 2.0])
    with pytest.raises(ValueError, match=r"gradient of shape \[2\], but received \[3\]"):
        (x * 2).backward(grad_tensor=paddle.ones([3]))
    with pytest.raises(TypeError, match="expected a Tensor as gradient, got ndarray"):
        (x * 2).backward(grad_tensor=np.ones(2))
    with pytest.raises(ValueError, match=r"expected 1 gradients.*got 2"):
        backward([x * 2], [None, None])


@pytest.mark.parametrize("wrong", [None, 1, "x", [1], {}])
def test_wrong_starts(wrong):
    with pytest.raises(
        TypeError, match=r"backward\(tensors\): expected a Tensor or a list of Tensors"
    ):
        backward(wrong)


def test_no_starts():
    with pytest.raises(ValueError, match="at least one Tensor, got none"):
        backward([])
