"""Trains a network as it is and converted, and compares what comes of it."""

from __future__ import annotations

import numpy as np

import paddle
from paddle.executor.plan import Plan
from paddle.jit import to_static


def as_is(function, **options):
    """Converts nothing."""
    return function


def both(run, rtol=1e-5, atol=1e-7):
    """Calls ``run(convert)`` without and with conversion; the results have to be the same."""
    expected, found = run(as_is), run(to_static)
    same(expected, found, rtol, atol)
    return found


def same(a, b, rtol=1e-5, atol=1e-7, path=""):
    """Compares pytrees of Tensors, arrays and plain values."""
    assert type(a) is type(b), path
    if isinstance(a, dict):
        assert list(a) == list(b), path
        for key in a:
            same(a[key], b[key], rtol, atol, f"{path}[{key!r}]")
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), path
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, rtol, atol, f"{path}[{i}]")
    elif isinstance(a, paddle.Tensor):
        same(a.numpy(), b.numpy(), rtol, atol, path)
    elif isinstance(a, (np.ndarray, float)):
        np.testing.assert_allclose(b, a, rtol, atol, err_msg=path)
    else:
        assert a == b, path


def seeded(make):
    """A network whose parameters do not depend on what ran before."""
    paddle.seed(7)
    return make()


def momentum(parameters, rate=0.05):
    """The usual optimizer."""
    return paddle.optimizer.Momentum(rate, parameters=parameters)


def slow(parameters):
    """For networks whose losses would explode."""
    return momentum(parameters, 0.01)


def fit(net, batches, call=None, make=momentum, after=None):
    """Trains a network on batches; returns the losses."""
    optimizer = make(net.parameters())
    paddle.seed(5)
    losses = []
    for batch in batches:
        loss = (call or net)(*batch)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
        if after is not None:
            after()
    return losses


def state(net):
    """Parameters and buffers as arrays."""
    return {name: value.numpy() for name, value in net.state_dict().items()}


def gradients(net):
    """The gradients of all parameters as arrays."""
    return [None if p.grad is None else p.grad.numpy() for p in net.parameters()]


class Rebuilt:
    """Counts Programs and plans that are made inside of a ``with`` block."""

    def __init__(self, function):
        self.function = function

    def __enter__(self):
        self._programs, self._plans = len(self.function.program_cache), Plan.built
        return self

    def __exit__(self, *error):
        self.programs = len(self.function.program_cache) - self._programs
        self.plans = Plan.built - self._plans
