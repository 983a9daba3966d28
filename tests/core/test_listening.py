"""Listeners of backward: when gradients are complete, who gets them, and that they go away."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core import listening
from paddle.core.mode import set_grad_enabled
from paddle.core.tape import edge_of


class _Notes:
    """A listener that notes what it is told; it keeps the gradients to itself."""

    def __init__(self, *leaves: Any, listens: bool = True) -> None:
        self.leaves = dict.fromkeys(leaves)
        self.told: list[Any] = []
        self.grads: dict[Any, Any] = {}
        self._listens = listens
        listening.listen(self)

    def begin(self) -> bool:
        self.told.append("begin")
        return self._listens

    def complete(self, leaf: Any, grad: Any) -> None:
        self.told.append(leaf.name)
        self.grads[leaf] = grad

    def finish(self) -> None:
        self.told.append("finish")

    def fail(self) -> None:
        self.told.append("fail")

    def anywhere(self, found: bool) -> bool:
        return found


def _leaf(name: str, value: float = 2.0) -> Any:
    leaf = paddle.to_tensor([value], stop_gradient=False)
    leaf.name = name
    return leaf


def test_a_leaf_is_complete_after_its_last_user() -> None:
    a, b, c, other = _leaf("a"), _leaf("b"), _leaf("c"), _leaf("other")
    seen: list[str] = []
    x = a * b  # a and b are used here, and a once more at the end
    x.register_hook(lambda g: seen.append("x") or None)
    y = x * c
    y.register_hook(lambda g: seen.append("y") or None)
    z = y * a * other
    notes = _Notes(a, b, c)
    notes.told = seen
    z.backward()
    assert seen == ["begin", "y", "c", "x", "a", "b", "finish"]
    assert {leaf.name: float(g) for leaf, g in notes.grads.items()} == {"a": 32, "b": 16, "c": 16}
    assert a.grad is None
    assert float(other.grad) == 16.0


def test_walks_of_others_are_not_told() -> None:
    a, other = _leaf("a"), _leaf("other")
    notes = _Notes(a)
    (other * 2).backward()
    (a.detach() * other).backward()
    paddle.grad([a * 3], [a])
    assert notes.told == []
    a.backward()
    assert notes.told == ["begin", "a", "finish"]


def test_a_listener_may_decline() -> None:
    a = _leaf("a")
    notes = _Notes(a, listens=False)
    (a * 3).backward()
    assert notes.told == ["begin"]
    assert float(a.grad) == 3.0


def test_hooks_of_leaves_come_first() -> None:
    a = _leaf("a")
    a.register_hook(lambda g: g * 10)
    notes = _Notes(a)
    (a * a).backward()
    assert float(notes.grads[a]) == 40.0


def test_a_leaf_that_gets_no_gradient() -> None:
    a, b = _leaf("a"), _leaf("b")

    class Half(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, d: Any) -> Any:
            return d, None

    notes = _Notes(a, b)
    Half.apply(a, b).backward()
    assert notes.grads[b] is None
    assert float(notes.grads[a]) == 1.0
    assert b.grad is None


def test_walks_inside_of_walks_are_not_told() -> None:
    a = _leaf("a")

    class Again(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 1.0

        @staticmethod
        def backward(ctx: Any, d: Any) -> Any:
            (x,) = ctx.saved_tensor()
            before = set_grad_enabled(True)
            (x.detach() * a).backward()
            set_grad_enabled(before)
            return d

    x = paddle.to_tensor([5.0], stop_gradient=False)
    notes = _Notes(a)
    (Again.apply(x) * 2).backward()  # the outer walk concerns nobody
    assert notes.told == ["begin", "a", "finish"]
    (Again.apply(x) * a).backward()  # told of the outer use alone
    assert notes.told[3:] == ["begin", "a", "finish"]
    assert float(a.grad) == 5.0


def test_errors_are_told() -> None:
    a = _leaf("a")
    notes = _Notes(a)
    y = a * 2

    def fails(grad: Any) -> None:
        raise ZeroDivisionError

    y.register_hook(fails)
    with pytest.raises(ZeroDivisionError):
        (y * 2).backward()
    assert notes.told == ["begin", "fail"]
    (a * 2).backward()
    assert notes.told[2:] == ["begin", "a", "finish"]


def test_a_dropped_listener_is_forgotten() -> None:
    a = _leaf("a")
    gc.collect()
    notes = _Notes(a)
    before = len(listening._listeners)
    assert listening.listeners_of([_leaf("b"), a]) == [notes]
    del notes
    gc.collect()
    assert len(listening._listeners) == before - 1
    (a * 2).backward()
    assert float(a.grad) == 2.0


def test_last_uses() -> None:
    a, b = _leaf("a"), _leaf("b")
    first = a * b
    second = first * a
    uses = listening.last_uses([edge_of(second), edge_of(b)])
    assert uses[a] == edge_of(first).seq
    assert uses[b] == -1


def test_gradients_without_a_listener_are_the_same() -> None:
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 4))
    x = paddle.rand([3, 4])
    (net(x) ** 2).sum().backward()
    notes = _Notes(*net.parameters())
    grads = [p.grad.numpy() for p in net.parameters()]
    (net(x) ** 2).sum().backward()
    for p, grad in zip(net.parameters(), grads, strict=True):
        np.testing.assert_array_equal(notes.grads[p].numpy(), grad)
        np.testing.assert_array_equal(p.grad.numpy(), grad)
