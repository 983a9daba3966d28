"""paddle.grad: which gradients come back, higher orders, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

import paddle


def leaf(data):
    return paddle.to_tensor(data, dtype="float64", stop_gradient=False)


def total(x):
    return paddle.sum(x)


# -- first order ---------------------------------------------------------------------------------


def test_gradients_come_back_and_leaves_stay():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    z = x * x * y
    dx, dy = paddle.grad(z, [x, y])
    assert dx.tolist() == [6, 16] and dy.tolist() == [1, 4]
    assert x.grad is None and y.grad is None and dx.stop_gradient and dx.is_leaf
    assert type(paddle.grad(x * 2, x)) is list


def test_leaves_that_have_a_gradient_keep_it():
    x = leaf([1.0])
    (x * 3).backward()
    assert paddle.grad(x * 5, x)[0].tolist() == [5]
    assert x.grad.tolist() == [3]


def test_inputs_in_the_middle():
    x = leaf([2.0])
    a = x * x
    b = a.exp()
    db, da, dx = paddle.grad(b * a, [b, a, x])
    e = np.exp(4.0)
    np.testing.assert_allclose([db.item(), da.item(), dx.item()], [4, e + 4 * e, 4 * (e + 4 * e)])


def test_an_input_that_is_the_output():
    x = leaf([2.0])
    y = x * x
    assert [g.item() for g in paddle.grad(y, [y, x])] == [1, 4]
    assert paddle.grad(x, x)[0].tolist() == [1]


def test_the_same_input_twice():
    x = leaf([2.0])
    a, b = paddle.grad(x * x, [x, x])
    assert a.tolist() == b.tolist() == [4]
    a[0] = 9.0
    assert b.tolist() == [4]


def test_several_outputs():
    x = leaf([1.0, 2.0])
    y, z = x * x, x * 3
    assert paddle.grad([y, z], x)[0].tolist() == [5, 7]
    y, z = x * x, x * 3
    g = [paddle.to_tensor([10.0, 10.0], dtype="float64"), None]
    assert paddle.grad([y, z], x, grad_outputs=g)[0].tolist() == [23, 43]
    y = x * x
    assert paddle.grad([y, y], x)[0].tolist() == [4, 8]
    y = x * x
    assert paddle.grad([y, total(y)], [x, y])[1].tolist() == [2, 2]


def test_grad_outputs_of_one_output():
    x = leaf([1.0, 2.0])
    g = paddle.to_tensor([3.0, 4.0], dtype="float64")
    assert paddle.grad(x * x, x, g)[0].tolist() == [6, 16]
    assert paddle.grad(x * x, x, [g])[0].tolist() == [6, 16]


def test_what_comes_back_is_not_shared():
    x, y = leaf([1.0]), leaf([2.0])
    g = paddle.to_tensor([5.0], dtype="float64")
    for graph in (False, True):
        dx, dy = paddle.grad(x + y, [x, y], g, create_graph=graph)
        with paddle.no_grad():
            dx[0] = 9.0
        assert dy.tolist() == [5] and g.tolist() == [5], f"create_graph={graph}"
        (same,) = paddle.grad(x, x, g, create_graph=graph)
        with paddle.no_grad():
            same[0] = 9.0
        assert g.tolist() == [5], f"create_graph={graph}"


def test_one_output_of_several():
    x = leaf([[1.0, 2.0, 3.0]])
    a, b, c = x.split(3, axis=1)
    da, db, dx = paddle.grad(a * b * b, [a, b, x])
    assert (da.item(), db.item(), dx.tolist()) == (4, 4, [[4, 4, 0]])
    with pytest.raises(ValueError, match="do not depend on input 0"):
        paddle.grad(a * 2, c)


# -- options -------------------------------------------------------------------------------------


def test_allow_unused():
    x, y = leaf([1.0]), leaf([2.0, 3.0])
    with pytest.raises(
        ValueError, match=r"(?s)do not depend on input 1 of shape \[2\].*allow_unused=True"
    ):
        paddle.grad(x * 2, [x, y])
    dx, dy = paddle.grad(x * 2, [x, y], allow_unused=True)
    assert dx.tolist() == [2] and dy is None


def test_retain_graph():
    x = leaf([3.0])
    y = x.exp()
    assert paddle.grad(y, x, retain_graph=True)[0].item() == np.exp(3.0)
    assert paddle.grad(y, x)[0].item() == np.exp(3.0)
    with pytest.raises(RuntimeError, match="exp runs a second time"):
        paddle.grad(y, x)


def test_create_graph_keeps_the_graph():
    x = leaf([3.0])
    y = x * x
    paddle.grad(y, x, create_graph=True)
    y.backward()
    assert x.grad.tolist() == [6]
    with pytest.raises(ValueError, match="create_graph=True needs the graph"):
        paddle.grad(x * x, x, create_graph=True, retain_graph=False)


def test_only_what_is_needed_is_run_and_freed():
    x, w = leaf([2.0]), leaf([3.0])
    h = x.exp()
    y = h * w
    paddle.grad(y, w)  # stops before exp
    h.backward()
    assert x.grad.item() == np.exp(2.0)


def test_only_inputs():
    x = leaf([1.0])
    with pytest.raises(ValueError, match=r"grad\(only_inputs\): expected True, but received False"):
        paddle.grad(x * 2, x, only_inputs=False)


def test_no_grad_vars():
    x = leaf([2.0])
    a = x * x
    b = x * 3
    assert paddle.grad(a * b, x, no_grad_vars=a, retain_graph=True)[0].item() == 4 * 3
    assert paddle.grad(a * b, x, no_grad_vars=[b], retain_graph=True)[0].item() == 6 * 4
    with pytest.raises(ValueError, match="do not depend on input 0"):
        paddle.grad(a * b, x, no_grad_vars=[a, b], retain_graph=True)
    w = leaf([5.0])
    assert paddle.grad(w * x, [x, w], no_grad_vars=[w], allow_unused=True)[1] is None
    p, q = leaf([[1.0, 2.0]]).split(2, axis=1)
    out = paddle.grad(p * q, [p, q], no_grad_vars=[q], allow_unused=True)
    assert out[0].item() == 2 and out[1] is None


def test_works_inside_no_grad():
    x = leaf([2.0])
    y = x * x
    with paddle.no_grad():
        (dx,) = paddle.grad(y, x, create_graph=True)
        assert (x * 2).stop_gradient
    (d2,) = paddle.grad(dx, x)
    assert d2.tolist() == [2]


# -- higher orders -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "derivatives"),
    [
        (lambda x: x**4, lambda v: [4 * v**3, 12 * v**2, 24 * v, 24 + 0 * v]),
        (lambda x: x.exp(), lambda v: [np.exp(v)] * 4),
        (lambda x: x.sin(), lambda v: [np.cos(v), -np.sin(v), -np.cos(v), np.sin(v)]),
        (lambda x: x.log(), lambda v: [1 / v, -1 / v**2, 2 / v**3, -6 / v**4]),
        (lambda x: 1 / x, lambda v: [-1 / v**2, 2 / v**3, -6 / v**4, 24 / v**5]),
        (lambda x: x * x * x.exp(),
         lambda v: [np.exp(v) * (v * v + 2 * k * v + k * (k - 1)) for k in (1, 2, 3, 4)]),
    ],
)  # fmt: skip
def test_four_derivatives(f, derivatives):
    v = np.array([0.5, 1.5])
    x = leaf(v)
    current = f(x)
    for expected in derivatives(v):
        (current,) = paddle.grad(total(current), x, create_graph=True)
        np.testing.assert_allclose(current.numpy(), expected, rtol=1e-9)


def test_mixed_derivatives():
    x, y = leaf([2.0]), leaf([3.0])
    z = x * x * y * y * y
    dx, dy = paddle.grad(z, [x, y], create_graph=True)
    (dxy,) = paddle.grad(dx, y, retain_graph=True)
    (dyx,) = paddle.grad(dy, x, retain_graph=True)
    (dyy,) = paddle.grad(dy, y)
    assert dxy.item() == dyx.item() == 2 * 2 * 3 * 9
    assert dyy.item() == 4 * 6 * 3


def test_gradient_penalty_trains():
    """The pattern of WGAN-GP: a gradient's norm is part of the loss."""
    w = leaf([[1.0, 2.0], [3.0, 4.0]])
    x = leaf([[0.5, -1.0]])
    out = paddle.tanh(paddle.matmul(x, w)).sum()
    (dx,) = paddle.grad(out, x, create_graph=True)
    loss = (dx * dx).sum()
    loss.backward()
    eps, numeric = 1e-6, np.zeros((2, 2))

    def penalty(w):
        t = np.tanh(x.numpy() @ w)
        return (((1 - t * t) @ w.T) ** 2).sum()

    for i in np.ndindex(2, 2):
        up, down = w.numpy(), w.numpy()
        up[i] += eps
        down[i] -= eps
        numeric[i] = (penalty(up) - penalty(down)) / (2 * eps)
    np.testing.assert_allclose(w.grad.numpy(), numeric, rtol=1e-6)


def test_derivatives_through_lists_and_several_outputs():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    a, b = x.split(2)
    y = total(paddle.concat([a * b, b * b * b]) * paddle.stack([a, b]).reshape([4]))
    (dx,) = paddle.grad(y, x, create_graph=True)
    (d2,) = paddle.grad(total(dx * dx), x)
    v, eps = x.numpy(), 1e-5

    def first(v):
        a, b = v[:2], v[2:]
        # y = a*b*a + b^3*b
        return np.concatenate([2 * a * b, a * a + 4 * b**3])

    np.testing.assert_allclose(dx.numpy(), first(v))
    for i in range(4):
        d = np.eye(4)[i] * eps
        numeric = ((first(v + d) ** 2).sum() - (first(v - d) ** 2).sum()) / (2 * eps)
        assert abs(d2.numpy()[i] - numeric) < 1e-3 * abs(numeric)


def test_gradient_of_grad_outputs():
    x, g = leaf([2.0, 3.0]), leaf([1.0, 5.0])
    (dx,) = paddle.grad(x * x, x, g, create_graph=True)
    (dg,) = paddle.grad(dx, g)
    assert dg.tolist() == [4, 6]


def test_backward_after_create_graph_accumulates():
    x = leaf([2.0])
    (dx,) = paddle.grad(x * x * x, x, create_graph=True)
    dx.backward()
    assert x.grad.tolist() == [12]


def test_zero_second_derivative_is_unused():
    x = leaf([2.0])
    (dx,) = paddle.grad(x * 3, x, create_graph=True)
    assert dx.tolist() == [3]
    if not dx.stop_gradient:
        assert paddle.grad(dx, x, allow_unused=True)[0] is None


# -- bad input -----------------------------------------------------------------------------------


def test_inputs_without_a_gradient():
    x, y = leaf([1.0]), paddle.ones([3])
    with pytest.raises(RuntimeError, match=r"input 1 of shape \[3\] has stop_gradient=True"):
        paddle.grad(x * 2, [x, y])
    with pytest.raises(
        RuntimeError, match="expected a Tensor that depends on one with stop_gradient=False"
    ):
        paddle.grad(y * 2, [x])


@pytest.mark.parametrize("wrong", [None, 3, "x", [None]])
def test_wrong_types(wrong):
    x = leaf([1.0])
    with pytest.raises(TypeError, match=r"grad\(outputs\): expected a Tensor or a list of Tensors"):
        paddle.grad(wrong, x)
    with pytest.raises(TypeError, match=r"grad\(inputs\): expected a Tensor or a list of Tensors"):
        paddle.grad(x * 2, wrong)


def test_wrong_counts_and_shapes():
    x = leaf([1.0, 2.0])
    with pytest.raises(ValueError, match="expected 1 gradients, one per output, got 2"):
        paddle.grad(x * 2, x, [x, x])
    with pytest.raises(ValueError, match=r"expected a gradient of shape \[2\], but received \[1\]"):
        paddle.grad(x * 2, x, paddle.ones([1]))
    with pytest.raises(TypeError, match=r"grad\(grad_outputs\)"):
        paddle.grad(x * 2, x, 3)
    with pytest.raises(ValueError, match="at least one Tensor"):
        paddle.grad([], x)
    with pytest.raises(ValueError, match="at least one Tensor"):
        paddle.grad(x * 2, [])


@pytest.mark.parametrize("static", [False, True])
def test_none_for_an_input_that_wants_no_gradient(static):
    """Meta-learning asks for all of net.parameters(), running statistics included."""

    def function(x, fixed):
        fixed.stop_gradient = True
        x.stop_gradient = False
        found = paddle.grad((x * x * fixed).sum(), [x, fixed], allow_unused=True)
        assert found[1] is None
        return found[0]

    call = paddle.jit.to_static(function) if static else function
    found = call(paddle.to_tensor([2.0, 3.0]), paddle.to_tensor([1.0, 5.0]))
    np.testing.assert_array_equal(found.numpy(), [4, 30])


def test_none_for_what_a_freed_graph_led_to():
    """Libraries for meta-learning ask again by way of the sublayers, with parameters set anew."""
    x = paddle.to_tensor([2.0], stop_gradient=False)
    loss = (x * x).sum()
    paddle.grad(loss, [x])
    assert paddle.grad(loss, [x], allow_unused=True) == [None]
    with pytest.raises(RuntimeError, match="a second time"):
        paddle.grad(loss, [x])
