"""What pruning costs, parameter by parameter; and shares that are made of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.incubate import compress
from tests.incubate.compress import nets


def network() -> Any:
    """Half of the first layer's channels are without effect; each of the second's counts."""
    net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 6), nn.Linear(6, 2))
    nets.settle(net)
    value = net[0].weight.numpy()
    value[:, ::2] = 0
    net[0].weight.set_value(value)
    bias = net[0].bias.numpy()
    bias[::2] = 0
    net[0].bias.set_value(bias)
    return net


def evaluator(net: Any) -> Any:
    x = paddle.to_tensor(np.random.RandomState(0).standard_normal([16, 4]).astype("float32"))
    whole = net(x).numpy()
    return lambda model: float(np.exp(-np.abs(model(x).numpy() - whole).mean()))


def test_losses_are_those_of_the_pruned_model_which_is_put_back() -> None:
    net = network()
    evaluate = evaluator(net)
    before = {n: t.numpy().copy() for n, t in net.state_dict().items()}
    table = compress.sensitivity(net, evaluate, [0.25, 0.5, 0.75], inputs=[16, 4])
    assert list(table.losses) == ["0.weight", "1.weight"]
    assert table.metric == 1.0
    assert table.losses["0.weight"][0.5] == pytest.approx(0, abs=1e-6)
    assert table.losses["0.weight"][0.75] > 0.01
    assert table.losses["1.weight"][0.25] > 0.001
    after = net.state_dict()
    for name, value in before.items():
        np.testing.assert_array_equal(after[name].numpy(), value)
    assert net[0]._out_features == 8 == net[1]._in_features
    pruned = network()
    compress.prune(pruned, {"1.weight": 0.25}, inputs=[16, 4])
    lost = 1 - evaluate(pruned)
    assert table.losses["1.weight"][0.25] == pytest.approx(lost, rel=1e-5)


def test_shares_of_one_loss() -> None:
    table = compress.Sensitivity(
        0.9, {"a": {0.2: 0.0, 0.4: 0.1}, "b": {0.2: 0.05, 0.4: 0.3}, "c": {0.2: -0.1, 0.4: 0.0}}
    )
    assert table.ratios_for(0.05) == {"a": 0.3, "b": 0.2, "c": 0.4}
    assert table.ratios_for(0) == {"a": 0.2, "b": 0.0, "c": 0.4}
    assert table.most() == 0.3
    assert str(table).splitlines()[1:3] == [
        "parameter      0.2     0.4",
        "a           0.0000  0.1000",
    ]
    with pytest.raises(ValueError, match="at least 0"):
        table.ratios_for(-1)
    with pytest.raises(TypeError, match="expected a number"):
        table.ratios_for("much")  # type: ignore[arg-type]


def test_operations_are_saved_where_it_costs_least() -> None:
    net = network()
    evaluate = evaluator(net)
    table = compress.sensitivity(net, evaluate, [0.25, 0.5, 0.75], inputs=[16, 4])
    plain = network()
    compress.prune(plain, flops=0.65, inputs=[16, 4])
    done = compress.prune(net, flops=0.65, sensitivity=table, inputs=[16, 4])
    assert done.left <= 0.65
    assert net[0].weight.shape[1] < net[1].weight.shape[1]
    assert evaluate(net) >= evaluate(plain)


def test_evaluations_that_tell_nothing() -> None:
    net = network()
    with pytest.raises(ValueError, match="expected a number above 0"):
        compress.sensitivity(net, lambda _: 0.0, inputs=[16, 4])
    with pytest.raises(TypeError, match="it returned list"):
        compress.sensitivity(net, lambda _: [1], inputs=[16, 4])  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="expected a function of the model"):
        compress.sensitivity(net, 3, inputs=[16, 4])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"\[0, 1\), but received 1.2"):
        compress.sensitivity(net, evaluator(net), [1.2], inputs=[16, 4])


def test_a_failing_evaluation_leaves_the_model_whole() -> None:
    net = network()
    calls = []

    def fails(model: Any) -> float:
        calls.append(model[0].weight.shape)
        if len(calls) > 1:
            raise KeyError("no data")
        return 1.0

    with pytest.raises(KeyError):
        compress.sensitivity(net, fails, [0.5], inputs=[16, 4])
    assert calls == [[4, 8], [4, 4]]
    assert net[0].weight.shape == [4, 8]
