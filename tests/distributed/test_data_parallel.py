"""DataParallel in one process: the network itself, under its own names."""

from __future__ import annotations

import types

import numpy as np
import pytest

import paddle
from paddle import nn


def _net():
    paddle.seed(3)
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.Linear(8, 2))


def test_trains_like_the_network():
    losses = []
    for wrap in (lambda net: net, paddle.DataParallel):
        net = wrap(_net())
        adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        x = paddle.to_tensor(np.random.RandomState(0).rand(16, 4).astype("float32"))
        seen = []
        for _ in range(5):
            loss = (net(x) ** 2).mean()
            if isinstance(net, paddle.DataParallel):
                loss = net.scale_loss(loss)
            loss.backward()
            if isinstance(net, paddle.DataParallel):
                net.apply_collective_grads()
            adam.step()
            adam.clear_grad()
            seen.append(float(loss))
        losses.append(seen)
    assert losses[0] == losses[1]


def test_state_has_the_names_of_the_network():
    net = _net()
    wrapped = paddle.DataParallel(net)
    assert list(wrapped.state_dict()) == list(net.state_dict())
    other = paddle.DataParallel(_net())
    for load in (other.set_state_dict, other.set_dict, other.load_dict):
        net[0].weight.set_value(np.random.rand(4, 8).astype("float32"))
        load(wrapped.state_dict())
        np.testing.assert_array_equal(other._layers[0].weight.numpy(), net[0].weight.numpy())


def test_train_and_eval_reach_the_network():
    wrapped = paddle.DataParallel(_net())
    wrapped.eval()
    assert not wrapped._layers[1].training
    wrapped.train()
    assert wrapped._layers[1].training


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"layers": 3}, TypeError, "expected a Layer, but received int"),
        ({"comm_buffer_size": 0}, ValueError, "comm_buffer_size.*positive.*0"),
        ({"last_comm_buffer_size": "1"}, TypeError, "expected an int.*str"),
        (
            {"strategy": types.SimpleNamespace(nranks=2)},
            ValueError,
            "says that there are 2 proc.*1",
        ),
    ],
)
def test_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        paddle.DataParallel(**{"layers": nn.Linear(1, 1), **arguments})


def test_several_processes_by_the_environment(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "4")
    with pytest.raises(RuntimeError, match="init_parallel_env"):
        paddle.DataParallel(nn.Linear(1, 1))
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "many")
    with pytest.raises(ValueError, match="'many'"):
        paddle.DataParallel(nn.Linear(1, 1))


def test_scale_loss_wants_a_tensor():
    with pytest.raises(TypeError, match="got float"):
        paddle.DataParallel(nn.Linear(1, 1)).scale_loss(1.0)
