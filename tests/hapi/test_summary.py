"""paddle.summary against the text of PaddlePaddle 2.6.2, and that it leaves no trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core import unique_name
from paddle.static import InputSpec
from tests.hapi import networks

FROZEN = json.loads(Path(__file__).with_name("paddle_2_6_2.json").read_text())
LENET = paddle.vision.models.LeNet


@pytest.mark.parametrize(
    "name, make, size",
    [
        ("lenet", LENET, (64, 1, 28, 28)),
        ("lenet None", LENET, (None, 1, 28, 28)),
        ("lenet None", LENET, (-1, 1, 28, 28)),
        ("lenet None", LENET, [1, 1, 28, 28]),
        ("lenet None", LENET, InputSpec([None, 1, 28, 28], "float32", "x")),
        ("lenet None", LENET, [InputSpec([-1, 1, 28, 28])]),
        ("two inputs", networks.Multi, [(2, 4), (-1, 5)]),
        ("two inputs", networks.Multi, ((2, 4), (None, 5))),
        ("two inputs", networks.Multi, [InputSpec([2, 4]), InputSpec([1, 5])]),
        ("shared", networks.Shared, (2, 4)),
        ("frozen", networks.Frozen2, (2, 4)),
        ("wide", networks.Wrap, (2, 3, 16, 16)),
        ("many sizes", lambda: nn.Linear(4, 4), (2, 3, 4, 5, 6, 7, 8, 4)),
        ("resnet18", lambda: paddle.vision.models.resnet18(), (1, 3, 64, 64)),
        ("nested outputs", networks.Nested, (1024, 256)),
    ],
)
def test_text_is_that_of_paddle(name: str, make: Any, size: Any, capsys: Any) -> None:
    with unique_name.guard():
        result = paddle.summary(make(), size)
    text, numbers = FROZEN[f"summary {name}"]
    assert capsys.readouterr().out == text
    assert result == numbers


@pytest.mark.parametrize(
    "make, size",
    [
        (networks.Named, {"x": (2, 4), "y": (1, 5)}),
        (networks.Named, {"x": InputSpec([2, 4]), "y": InputSpec([1, 5])}),
        (networks.Listed, [[(2, 4), (1, 5)]]),
    ],
)
def test_inputs_in_a_dict_or_a_list(make: Any, size: Any, capsys: Any) -> None:
    with unique_name.guard():
        paddle.summary(make(), size)
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines[3:5]]
    assert [row[0] for row in rows] == ["Linear-1", "Linear-2"]
    assert rows[0][1:3] == ["[[2,", "4]]"] and rows[1][1:3] == ["[[1,", "5]]"]


RECURRENT = {  # class -> parameters of layers of 4 and 8 units, as PaddlePaddle 2.6.2 counts them
    "LSTM": (nn.LSTM, {}, 448),
    "two layers of GRU": (nn.GRU, {"num_layers": 2}, 768),
    "SimpleRNN": (nn.SimpleRNN, {}, 112),
    "both directions": (nn.LSTM, {"direction": "bidirect"}, 896),
}


@pytest.mark.parametrize("kind, options, count", RECURRENT.values(), ids=RECURRENT)
def test_recurrent_networks(kind: Any, options: dict, count: int, capsys: Any) -> None:
    found = paddle.summary(kind(4, 8, **options), (2, 5, 4))
    assert found == {"total_params": count, "trainable_params": count}
    row = capsys.readouterr().out.splitlines()[3].split()
    assert row[0].startswith(kind.__name__) and row[-1] == str(count)
    net = nn.Sequential(nn.Linear(4, 4), kind(4, 8, **options))
    assert paddle.summary(net, (2, 5, 4))["total_params"] == 20 + count
    capsys.readouterr()
    assert paddle.flops(net, [2, 5, 4], print_detail=True) == 160
    text = capsys.readouterr().out
    assert f"Total Params: {20 + count}" in text


def test_cells_that_run_are_counted_once(capsys: Any) -> None:
    both = nn.BiRNN(nn.GRUCell(4, 8), nn.GRUCell(4, 8))
    assert paddle.summary(both, (2, 5, 4))["total_params"] == 672
    assert paddle.summary(nn.RNN(nn.LSTMCell(4, 8)), (2, 5, 4))["total_params"] == 448
    capsys.readouterr()


def test_layers_whose_result_is_a_tuple(capsys: Any) -> None:
    """Its own parameters, those of a layer that runs, none of one that does not."""

    class Pair(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.unused = nn.Linear(4, 4), nn.Linear(4, 100)
            self.own = self.create_parameter([5])

        def forward(self, x: Any) -> Any:
            return self.linear(x), self.own

    class Outer(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.pair, self.lstm = Pair(), nn.LSTM(4, 8)

        def forward(self, x: Any) -> Any:
            return self.lstm(self.pair(x)[0])

    assert paddle.summary(Outer(), (2, 5, 4))["total_params"] == 20 + 5 + 448
    masked = nn.Sequential(nn.Conv2D(1, 2, 3), nn.MaxPool2D(2, return_mask=True))
    assert paddle.summary(masked, (2, 1, 8, 8))["total_params"] == 20
    assert "[[2, 2, 3, 3], [2, 2, 3, 3]]" in capsys.readouterr().out


def test_own_parameters_of_the_network_have_a_row(capsys: Any) -> None:
    class Scaled(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.scale = self.create_parameter([4])

        def forward(self, x: Any) -> Any:
            return self.linear(x) * self.scale

    assert paddle.summary(Scaled(), (2, 4)) == {"total_params": 24, "trainable_params": 24}
    assert "Scaled-" in capsys.readouterr().out


@pytest.mark.parametrize("dtypes", ["int64", ["int64"]])
def test_dtypes(dtypes: Any, capsys: Any) -> None:
    seen: list = []

    class Look(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(10, 4)

        def forward(self, ids: Any) -> Any:
            seen.append(ids.dtype)
            return self.table(ids)

    assert paddle.summary(Look(), (2, 7), dtypes)["total_params"] == 40
    assert paddle.summary(Look(), InputSpec([2, 7], "int32"))["total_params"] == 40
    assert seen == [paddle.int64, paddle.int32]


def test_nothing_is_changed() -> None:
    class Counting(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1D(4)
            self.frozen = nn.Dropout(0.5)
            self.frozen.eval()
            self.register_buffer("count", paddle.zeros([1]))

        def forward(self, x: Any) -> Any:
            self.count = self.count + 1
            noise = paddle.rand(x.shape)
            return self.frozen(self.norm(x)) * noise

    net = Counting()
    net.norm.train()
    before = {k: v.numpy() for k, v in net.state_dict().items()}
    paddle.seed(11)
    expected = paddle.rand([3]).numpy()
    paddle.seed(11)
    paddle.summary(net, (5, 4))
    paddle.flops(net, [5, 4])
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), expected)
    assert [net.training, net.norm.training, net.frozen.training] == [True, True, False]
    assert list(net.state_dict()) == list(before)
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])
    assert not net._forward_post_hooks and not net.norm._forward_post_hooks


def test_nothing_is_changed_by_a_network_that_fails() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(5, 5))
    with pytest.raises(ValueError, match="shape"):
        paddle.summary(net, (2, 4))
    assert net.training and not net[0]._forward_post_hooks


@pytest.mark.parametrize("size", [(0, 4), (-2, 4), [(2, 4), (0, 4)]])
def test_sizes_must_be_positive(size: Any) -> None:
    with pytest.raises(ValueError, match="sizes above 0"):
        paddle.summary(nn.Linear(4, 4), size)


@pytest.mark.parametrize("size", ["abc", 1.5, None, [2.5], [(2, "a")]])
def test_what_is_no_size(size: Any) -> None:
    with pytest.raises(TypeError, match=r"summary\(input_size\): expected a tuple of ints"):
        paddle.summary(nn.Linear(4, 4), size)


@pytest.mark.parametrize("function", [paddle.summary, paddle.flops])
def test_net_must_be_a_layer(function: Any) -> None:
    with pytest.raises(TypeError, match=r"\(net\): expected a paddle\.nn\.Layer, got str"):
        function("net", (2, 4))
