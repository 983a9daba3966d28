"""Recurrent networks and Transformers."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.static import InputSpec
from tests.onnx.test_models import exported, image, same


class Recurrent(nn.Layer):
    def __init__(self, kind: str, **options) -> None:
        super().__init__()
        self.cells = getattr(nn, kind)(4, 5, **options)

    def forward(self, x, lengths):
        out, states = self.cells(x, sequence_length=lengths)
        return [out, *(states if isinstance(states, tuple) else [states])]


@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "direction": "bidirect"}],
                         ids=["one", "deep"])  # fmt: skip
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN"])
def test_recurrent_layers(kind, options, tmp_path):
    paddle.seed(1)
    net = Recurrent(kind, **options)
    net.eval()
    spec = [InputSpec([None, None, 4]), InputSpec([None], "int64")]
    proto = exported(net, tmp_path, spec)
    same(proto, net, image(2, 3, 4), np.array([3, 1]))
    same(proto, net, image(3, 6, 4), np.array([2, 6, 5]))


def test_cells_that_are_unrolled(tmp_path):
    class Cells(nn.Layer):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(4, 5)

        def forward(self, x):
            out, states = self.cell(x[:, 0])
            return self.cell(x[:, 1], states)[0] + out

    net = Cells()
    same(exported(net, tmp_path, [InputSpec([None, 2, 4])]), net, image(3, 2, 4))


class Encoder(nn.Layer):
    """Of the type of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16, padding_idx=0), nn.Embedding(20, 16)
        self.norm, self.pool = nn.LayerNorm(16), nn.Linear(16, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu")
        self.layers = nn.TransformerEncoder(layer, 2)

    def forward(self, ids):
        mask = paddle.unsqueeze((ids == 0).astype("float32") * -1e9, axis=[1, 2])
        ones = paddle.ones_like(ids)
        x = self.norm(self.words(ids) + self.places(paddle.cumsum(ones, axis=1) - ones))
        x = self.layers(x, mask)
        return x, paddle.tanh(self.pool(x[:, 0]))


@pytest.mark.parametrize("opset", [11, 17])
def test_encoders(opset, tmp_path):
    paddle.seed(2)
    net = Encoder()
    net.eval()
    proto = exported(net, tmp_path, [InputSpec([None, None], "int64")], opset_version=opset)
    ids = np.random.RandomState(0).randint(0, 50, (2, 7))
    same(proto, net, ids)
    same(proto, net, ids[:1, :4])


def test_transformers(tmp_path):
    paddle.seed(3)
    net = nn.Transformer(16, 2, 1, 1, 32)
    net.eval()
    spec = [InputSpec([None, None, 16]), InputSpec([None, None, 16])]
    proto = exported(net, tmp_path, spec)
    same(proto, net, image(2, 5, 16), image(2, 4, 16))
    same(proto, net, image(1, 3, 16), image(1, 6, 16))
