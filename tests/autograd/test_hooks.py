"""Gradient hooks: when they run, what they may return, how they go away."""

from __future__ import annotations

import numpy as np
import pytest

import paddle


def leaf(data):
    return paddle.to_tensor(data, dtype="float64", stop_gradient=False)


def test_leaf_and_result():
    x = leaf([1.0, 2.0])
    y = x * 3
    seen = []
    x.register_hook(lambda g: seen.append(("x", g.tolist())))
    y.register_hook(lambda g: seen.append(("y", g.tolist())))
    (y * y).sum().backward()
    assert seen == [("y", [6, 12]), ("x", [18, 36])]


def test_a_leaf_used_often_calls_its_hook_once_with_the_sum():
    x = leaf([1.0, 2.0])
    seen = []
    x.register_hook(lambda g: (seen.append(g.tolist()), g * 10)[1])
    (x * x + x).sum().backward()
    assert seen == [[3, 5]] and x.grad.tolist() == [30, 50]
    (x * 2).sum().backward()
    assert seen[1:] == [[2, 2]] and x.grad.tolist() == [50, 70]


def test_a_result_used_often_calls_its_hook_once_with_the_sum():
    x = leaf([2.0])
    y = x * 1.0
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y * y + y * 3).backward()
    assert seen == [[7]]


def test_replacing():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(lambda g: g * 5)
    y.sum().backward()
    assert x.grad.tolist() == [10, 10] and y.grad.tolist() == [5, 5]


def test_order_and_chaining():
    x = leaf([1.0])
    for k in (2.0, 3.0):
        x.register_hook(lambda g, k=k: g * k + 1)
    (x * 1.0).backward()
    assert x.grad.tolist() == [(1 * 2 + 1) * 3 + 1]


def test_removal():
    x = leaf([1.0])
    y = x * 1.0
    a, b = x.register_hook(lambda g: g * 2), y.register_hook(lambda g: g * 3)
    c = x.register_hook(lambda g: g * 5)
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [30]
    assert a.remove() is True and a.remove() is False
    x.clear_grad()
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [15]
    assert b.remove() and c.remove()
    x.clear_grad()
    y.backward()
    assert x.grad.tolist() == [1]


def test_removal_while_running():
    x = leaf([1.0])
    handles = []

    def once(g):
        handles[0].remove()
        return g * 2

    handles.append(x.register_hook(once))
    (x * 1.0).backward()
    (x * 1.0).backward()
    assert x.grad.tolist() == [3]


def test_several_outputs():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    a, b = x.split(2)
    seen = []
    b.register_hook(lambda g: (seen.append(g.tolist()), g * 2)[1])
    a.sum().backward(retain_graph=True)
    assert seen == [] and x.grad.tolist() == [1, 1, 0, 0]
    x.clear_grad()
    (a + b).sum().backward()
    assert seen == [[1, 1]] and x.grad.tolist() == [1, 1, 2, 2]


def test_hooks_are_part_of_paddle_grad():
    x = leaf([2.0])
    y = x * x
    y.register_hook(lambda g: g * 3)
    (dx,) = paddle.grad(y, x, create_graph=True)
    assert dx.item() == 12
    (d2,) = paddle.grad(dx, x)
    assert d2.item() == 6


def test_hook_that_differentiates_again():
    x = leaf([3.0])
    y = x * x
    y.register_hook(lambda g: g * y.detach())
    y.backward()
    assert x.grad.item() == 9 * 6


def test_a_hook_may_keep_the_gradient():
    x = leaf([1.0])
    kept = []
    x.register_hook(kept.append)
    (x * 2).backward()
    (x * 5).backward()
    assert [k.tolist() for k in kept] == [[2], [5]] and x.grad.tolist() == [7]


def test_a_hook_that_writes_to_its_argument_hurts_nobody_else():
    x, y = leaf([1.0]), leaf([1.0])

    def ruin(g):
        g[0] = 100.0

    x.register_hook(ruin)
    (x + y).backward()
    assert y.grad.tolist() == [1]


def test_shape_of_a_replacement_is_checked():
    x = leaf([1.0, 2.0])
    x.register_hook(lambda g: g.sum())
    with pytest.raises(
        ValueError, match=r"hook must return None or a Tensor of shape \[2\], got \[1\]"
    ):
        (x * 1.0).sum().backward()
    y = leaf([1.0])
    y.register_hook(lambda g: np.ones(1))
    with pytest.raises(ValueError, match="got ndarray"):
        (y * 1.0).backward()


def test_errors_in_a_hook_come_through():
    x = leaf([1.0])

    def fail(g):
        raise KeyError("mine")

    x.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        (x * 1.0).backward()


def test_bad_input():
    with pytest.raises(RuntimeError, match="stop_gradient=False, but it is True"):
        paddle.ones([1]).register_hook(lambda g: g)
    with pytest.raises(TypeError, match="expected a callable, got int"):
        leaf([1.0]).register_hook(3)
