"""An optimizer that is defined here runs eager, in Programs and merged, by its rule alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
from paddle.core.op import REGISTRY
from paddle.ops.optimizer.rules import RULES, update_rule
from paddle.optimizer import Optimizer, arguments
from tests.executor.building import building, started
from tests.passes.cases import same, types

STEPS = 5
W = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
FEED = {"x": np.linspace(-2, 1, 6, dtype="float32").reshape(2, 3)}


@pytest.fixture
def trial():
    """SGD on the sign of a mean of gradients whose start is corrected for."""

    @update_rule(
        "trial_sign",
        "Param Grad Moment LearningRate Beta1Pow -> ParamOut=Param MomentOut=Moment "
        "Beta1PowOut=Beta1Pow",
        rows="always",
        proto="a trial of a test",
    )
    def trial_sign(params, grads, moment, rate, corrections, *, beta1=0.9, sharpness=1.0, l2=0.0):
        if l2:
            grads = list(torch._foreach_add(grads, params, alpha=l2))
        torch._foreach_lerp_(moment, grads, 1.0 - beta1)
        for param, mean in zip(params, moment, strict=True):
            param.sub_(torch.tanh(mean / corrections[0] * sharpness), alpha=rate)

    class Trial(Optimizer):
        _rule = trial_sign
        _group_options = {"beta1": arguments.beta, "sharpness": arguments.number}

        def __init__(self, learning_rate, beta1=0.9, sharpness=1.0, **options):
            self._keep(beta1=beta1, sharpness=sharpness)
            super().__init__(learning_rate, **options)

    yield Trial
    del REGISTRY["trial_sign"], RULES["trial_sign"]


def by_hand(w, x, sharpness, l2=0.0):
    """Training by the formula; the loss is the mean of ``(x @ w) ** 2``."""
    w, mean = w.astype("float64"), 0.0
    for t in range(1, STEPS + 1):
        grad = x.T @ (2 * (x @ w)) / (x.shape[0] * w.shape[1]) + l2 * w
        mean = 0.9 * mean + 0.1 * grad
        w = w - 0.1 * np.tanh(mean / (1 - 0.9**t) * sharpness)
    return w


@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_it_trains_eagerly(trial, l2):
    w = paddle.create_parameter([3, 4], "float32")
    w.set_value(W)
    optimizer = trial(0.1, sharpness=3.0, parameters=[w], weight_decay=l2 or None)
    for _ in range(STEPS):
        paddle.mean(paddle.square(paddle.matmul(paddle.to_tensor(FEED["x"]), w))).backward()
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(w.numpy(), by_hand(W, FEED["x"], 3.0, l2), rtol=1e-4, atol=1e-5)
    state = optimizer.state_dict()
    assert [k.removeprefix(w.name) for k in state] == ["_moment_0", "_beta1_pow_acc_0"]
    again = trial(0.1, parameters=[w])
    again.set_state_dict(state)
    assert again._steps == {w.name: STEPS}


def test_it_trains_in_a_program(trial):
    with building() as (main, startup):
        x = paddle.static.data("x", [2, 3])
        ws = [paddle.static.create_parameter([3, 4], "float32") for _ in range(2)]
        loss = paddle.add_n([paddle.mean(paddle.square(paddle.matmul(x, w))) for w in ws])
        trial(0.1, sharpness=3.0).minimize(loss)
    assert types(main, FEED, [loss]).count("merged_update") == 1
    assert types(main, FEED, [loss], fuse=False).count("trial_sign") == 2
    same(main, startup, FEED, [loss])
    scope = started(startup)
    for w in ws:
        scope.var(w.name).get_tensor().set(W)
    for _ in range(STEPS):
        paddle.static.Executor(paddle.CPUPlace()).run(main, feed=FEED, scope=scope)
    for w in ws:
        found = np.array(scope.var(w.name).get_tensor())
        np.testing.assert_allclose(found, by_hand(W, FEED["x"], 3.0), rtol=1e-4, atol=1e-5)


def test_it_updates_rows(trial):
    table = paddle.nn.Embedding(5, 2, sparse=True)
    before = table.weight.numpy().copy()
    table(paddle.to_tensor([1, 3, 1])).sum().backward()
    trial(0.1, parameters=table.parameters()).step()
    moved = (table.weight.numpy() != before).any(1)
    assert moved.tolist() == [False, True, False, True, False]
