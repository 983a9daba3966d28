"""Pruned Layers of other kinds: attention, recurrence, branches, NHWC, loaded, quantised."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.incubate import compress
from paddle.quantization import ImperativeQuantAware
from paddle.static import InputSpec
from tests.incubate.compress import nets


class Encoder(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        self.out = nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.out(self.encoder(x))


class Recurrent(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.cells = nn.Linear(8, 6), nn.LSTM(6, 5)
        self.second, self.out = nn.Linear(5, 12), nn.Linear(12, 2)

    def forward(self, x: Any) -> Any:
        return self.out(nn.functional.gelu(self.second(self.cells(self.first(x))[0])))


class Branching(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.out = nn.Linear(8, 6), nn.Linear(6, 12), nn.Linear(12, 2)

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        if y.mean() > 0:
            y = y * 2
        return self.out(nn.functional.swish(self.second(y)))


class ChannelsLast(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        last = {"data_format": "NHWC"}
        self.first, self.norm = nn.Conv2D(8, 6, 3, **last), nn.BatchNorm2D(6, **last)
        self.depth = nn.Conv2D(6, 6, 3, groups=6, **last)
        self.out, self.pool = nn.Conv2D(6, 4, 1, **last), nn.AdaptiveAvgPool2D(1, **last)

    def forward(self, x: Any) -> Any:
        return self.pool(self.out(self.depth(self.norm(self.first(x))))).flatten(1)


class Tied(nn.Layer):
    """The table of words is also what results are compared with."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.inner = nn.Embedding(9, 6), nn.Linear(6, 6)

    def forward(self, x: Any) -> Any:
        y = self.inner(self.words((x[:, :, 0] > 0).astype("int64")))
        return paddle.matmul(y, self.words.weight, transpose_y=True)


CASES = {
    Encoder: ([2, 5, 8], {"encoder.linear1.weight", "encoder.linear2.weight"}),
    Recurrent: ([2, 3, 8], {"second.weight", "out.weight"}),
    Branching: ([2, 8], {"second.weight", "out.weight"}),
    ChannelsLast: ([2, 8, 8, 8], {"first.weight", "depth.weight", "out.weight"}),
    Tied: ([2, 3, 8], {"words.weight", "inner.weight"}),
}


def equal_to_masked(net: Any, x: Any, spec: Any) -> compress.Pruning:
    masked = copy.deepcopy(net)
    done = compress.prune(net, 0.5, inputs=spec)
    nets.mask(masked, done.kept)
    np.testing.assert_allclose(net(x).numpy(), masked(x).numpy(), rtol=1e-4, atol=1e-5)
    return done


@pytest.mark.parametrize("kind", CASES)
def test_what_is_followed_goes_and_the_rest_stays(kind: Any) -> None:
    shape, weights = CASES[kind]
    paddle.seed(3)
    net = nets.settle(kind())
    done = equal_to_masked(net, paddle.rand(shape) - 0.5, [[None, *shape[1:]]])
    assert {p.name for p in done.parameters if len(p.before) > 1} == weights


def test_channels_of_a_recurrent_layer_say_why_they_stay() -> None:
    with pytest.raises(ValueError, match=r"'first.weight' have to stay: .*not followed through it"):
        compress.prune(Recurrent(), {"first.weight": 0.5}, inputs=[None, 3, 8])


def test_a_loaded_layer_is_refused(tmp_path: Path) -> None:
    spec = [InputSpec([None, 3, 6, 6], "float32", "x")]
    paddle.jit.save(nets.settle(nets.Shuffled()), str(tmp_path / "net"), spec)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    with pytest.raises(NotImplementedError, match="load_inference_model"):
        compress.prune(nn.Sequential(loaded), 0.5, inputs=spec)


def test_a_layer_with_quantisation_is_known_in_evaluation() -> None:
    paddle.seed(3)
    net = paddle.vision.models.LeNet()
    rounding = ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max")
    rounding.quantize(net)
    x = paddle.rand([2, 1, 28, 28])
    net(x)
    net.eval()
    with pytest.warns(UserWarning, match="cannot be recorded in training mode"):
        done = equal_to_masked(net, x, [None, 1, 28, 28])
    assert done.left < 0.4


def test_a_group_norm_divides_what_is_left() -> None:
    net = nn.Sequential(nn.Conv2D(3, 8, 3), nn.GroupNorm(2, 8), nn.Conv2D(8, 4, 1))
    done = compress.prune(net, 0.5, inputs=[None, 3, 6, 6])
    left = done.kept["0.weight"][0]
    assert left[:2].tolist() == (left[2:] - 4).tolist()  # the same places in both groups
    assert net[1]._num_channels == 4
    assert net(paddle.rand([1, 3, 6, 6])).shape == [1, 4, 4, 4]
