"""Graphs are freed by counting references alone, without the garbage collector."""

from __future__ import annotations

import gc
import weakref

import pytest

import paddle
from paddle.core.tape import Node


@pytest.fixture(autouse=True)
def _no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leaf(data=(1.0, 2.0)):
    return paddle.to_tensor(list(data), stop_gradient=False)


def probe(tensor):
    """A weak reference to a buffer, alive as long as anything holds it."""
    return weakref.ref(tensor._buf)


def nodes_alive():
    return sum(type(o) is Node for o in gc.get_objects())


def test_results_without_backward():
    x = leaf()
    y = x.exp()
    refs = [weakref.ref(y), probe(y)]
    z = y * y
    refs += [weakref.ref(z), probe(z)]
    del y, z
    assert [r() for r in refs] == [None] * 4


def test_saved_values_go_with_backward():
    x = leaf()
    y = x.exp()
    saved = probe(y)
    z = (y * 2).sum()
    del y
    assert saved() is not None
    z.backward()
    assert saved() is None
    z.item()


def test_retained_values_stay():
    x = leaf()
    y = x.exp()
    saved = probe(y)
    z = y.sum()
    del y
    z.backward(retain_graph=True)
    assert saved() is not None
    del z
    assert saved() is None


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_higher_orders(order):
    before = nodes_alive()
    x = leaf()
    y = (x.exp() * x).sum()
    for _ in range(order):
        (y,) = paddle.grad(y.sum(), x, create_graph=True)
    y.sum().backward()
    del y
    assert nodes_alive() == before
    ref = weakref.ref(x)
    del x
    assert ref() is None


def test_hooks():
    before = nodes_alive()
    x = leaf()
    y = x * 2
    refs = [weakref.ref(x), weakref.ref(y)]
    handles = [x.register_hook(lambda g: g), y.register_hook(lambda g: g)]
    y.sum().backward()
    del x, y
    assert [r() for r in refs] == [None, None]
    del handles
    assert nodes_alive() == before


def test_several_outputs():
    before = nodes_alive()
    x = leaf()
    a, b = x.split(2)
    a.sum().backward()
    del a, b
    assert nodes_alive() == before


class Square(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, y = ctx.saved_tensor()
        assert y.tolist() == (x * x).tolist()
        return dy * 2 * x


@pytest.mark.parametrize("run", [True, False])
def test_py_layer_that_saves_its_output(run):
    before = nodes_alive()
    x = leaf()
    y = Square.apply(x)
    ref, memory = weakref.ref(y), probe(y)
    if run:
        y.sum().backward()
    del y
    assert ref() is None and memory() is None
    assert nodes_alive() == before


def test_detached_and_viewed_tensors():
    x = leaf()
    memory = probe(x)
    d = x.detach()
    d[0] = 5.0
    del x
    assert memory() is not None
    del d
    assert memory() is None


def test_in_place_writes():
    before = nodes_alive()
    x = leaf()
    y = x * 1.0
    for k in range(5):
        y[0] = y[1] * k
    del y
    assert nodes_alive() == before


def test_a_training_loop_does_not_grow():
    layer = paddle.nn.Linear(3, 2)
    opt = paddle.optimizer.Adam(parameters=layer.parameters())

    def step():
        loss = (layer(paddle.ones([4, 3])) ** 2).sum()
        loss.backward()
        opt.step()
        opt.clear_grad()

    step()
    step()
    before = len(gc.get_objects())
    for _ in range(20):
        step()
    assert len(gc.get_objects()) - before < 20


def test_errors_do_not_keep_the_graph():
    before = nodes_alive()
    x = leaf()
    y = x.exp()
    try:
        y.reshape([3])
    except ValueError:
        pass
    del y
    assert nodes_alive() == before
