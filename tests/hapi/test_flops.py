"""paddle.flops against the text and the counts of PaddlePaddle 2.6.2."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import paddle
from paddle import nn
from paddle.core import unique_name
from tests.hapi import networks

FROZEN = json.loads(Path(__file__).with_name("paddle_2_6_2.json").read_text())


def _plain(text: str) -> str:
    """Without the modules of classes, which are ours."""
    return re.sub(r"paddle\.nn\.layer\.\w+\.", "", text)


def _one_d() -> nn.Layer:
    return nn.Sequential(
        nn.Conv1D(3, 4, 3), nn.BatchNorm1D(4), nn.AvgPool1D(2), nn.AdaptiveAvgPool1D(3),
        nn.MaxPool1D(1), nn.ReLU6(),
    )  # fmt: skip


def _three_d() -> nn.Layer:
    return nn.Sequential(
        nn.Conv3D(3, 4, 3), nn.BatchNorm3D(4), nn.AvgPool3D(2, 2), nn.AdaptiveAvgPool3D(1)
    )


@pytest.mark.parametrize(
    "name, make, size, detail",
    [
        ("lenet", paddle.vision.models.LeNet, [1, 1, 28, 28], True),
        ("lenet", paddle.vision.models.LeNet, (None, 1, 28, 28), True),
        ("many layers", networks.Flop, [2, 3, 32, 32], True),
        ("1d", _one_d, [2, 3, 16], True),
        ("3d", _three_d, [2, 3, 8, 8, 8], True),
        ("shared", networks.Shared, [2, 4], True),
        ("unused", networks.Unused, [2, 4], False),
    ],
)
def test_text_is_that_of_paddle(name: str, make: Any, size: Any, detail: bool, capsys: Any) -> None:
    with unique_name.guard():
        count = paddle.flops(make(), size, print_detail=detail)
    text, number = FROZEN[f"flops {name}"]
    assert _plain(capsys.readouterr().out) == _plain(text)
    assert count == number


def test_custom_counts(capsys: Any) -> None:
    def thousand(layer: Any, x: Any, y: Any) -> None:
        assert isinstance(x, tuple) and x[0].shape[0] == y.shape[0] == 1
        layer.total_ops += 1000

    net = paddle.vision.models.LeNet()
    custom = {nn.Conv2D: thousand, nn.MaxPool2D: thousand}
    assert paddle.flops(net, [1, 1, 28, 28], custom) == 4 * 1000 + 48000 + 10080 + 840
    assert "Customize Function has been applied to <class" in capsys.readouterr().out
    assert not any(hasattr(layer, "total_ops") for layer in net.sublayers())


def test_several_inputs() -> None:
    assert paddle.flops(networks.Multi(), [[2, 4], [2, 5]]) == 2 * 4 * 6 + 5 * 6


def test_a_single_layer() -> None:
    assert paddle.flops(nn.Linear(4, 5), [2, 4]) == 4 * 10


@pytest.mark.parametrize("bad", [3, [nn.Linear]])
def test_custom_ops_must_be_a_dict(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"custom_ops\): expected a dict"):
        paddle.flops(nn.Linear(4, 5), [2, 4], custom_ops=bad)
