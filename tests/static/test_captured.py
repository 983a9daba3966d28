"""Layers made in eager mode and called while recording: Variables stand for their Tensors."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle.ir.current import default_main_program
from paddle.ir.recording.context import capturing
from tests.static.harness import data, flat, run, static
from tests.static.values import VALUES


class Counter(nn.Layer):
    """Has buffers that a call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", paddle.zeros([1]))
        self.register_buffer("last", paddle.zeros([4, 3]))

    def forward(self, x):
        self.count = self.count + 1
        self.last[0] = x[1]
        return [x * self.count, self.last + 0.0, self.count + 0.0]


def _mixed(x, t=None):
    at = paddle.to_tensor([2, 0])
    with_tensor = paddle.full([4, 3], 0.5) if t is None else t
    return [
        with_tensor[0] + x, with_tensor[at], with_tensor[paddle.shape(x)[0] - 1], with_tensor + x,
        2.0 - with_tensor * x, paddle.concat([x, with_tensor]), with_tensor**2, with_tensor.sum(),
        paddle.where(x > with_tensor, x, with_tensor), paddle.matmul(with_tensor, x.T),
    ]  # fmt: skip


LAYERS = {
    "Linear": (lambda: nn.Linear(3, 5), ["x"]),
    "Bilinear": (lambda: nn.Bilinear(3, 1, 4), ["x", "col"]),
    "Embedding": (lambda: nn.Embedding(6, 4), ["label"]),
    "Conv1D": (lambda: nn.Conv1D(4, 6, 3), ["line"]),
    "Conv2D": (lambda: nn.Conv2D(4, 6, 3), ["image"]),
    "Conv3D": (lambda: nn.Conv3D(2, 3, 2), ["volume"]),
    "Conv2DTranspose": (lambda: nn.Conv2DTranspose(4, 2, 3), ["image"]),
    "BatchNorm2D": (lambda: nn.BatchNorm2D(4), ["image"]),
    "LayerNorm": (lambda: nn.LayerNorm([3, 5]), ["b"]),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), ["image"]),
    "InstanceNorm2D": (lambda: nn.InstanceNorm2D(4), ["image"]),
    "PReLU": (lambda: nn.PReLU(4), ["image"]),
    "HSigmoidLoss": (lambda: nn.HSigmoidLoss(3, 4), ["x", "label"]),
    "CrossEntropyLoss": (lambda: nn.CrossEntropyLoss(paddle.ones([3])), ["x", "label"]),
    "NLLLoss": (lambda: nn.NLLLoss(paddle.ones([3])), ["x", "label"]),
    "BCELoss": (lambda: nn.BCELoss(paddle.ones([3])), ["prob", "ones_or_not"]),
    "Counter": (Counter, ["x"]),
}


def _captured(call, names, batch):
    """Records the call; returns what it gives when run with the Tensors' values as they were."""
    held = {}

    def take(tensor):
        block = default_main_program().global_block()
        name = f"captured_{id(tensor)}"
        if name not in held:
            held[name] = tensor
            block.create_var(
                name=name, shape=tensor.shape, dtype=tensor.dtype, stop_gradient=True, is_data=True
            )
        return block.var(name)

    with static() as (main, startup), capturing(take):
        outs = flat(call(*[data(n, VALUES[n], batch) for n in names]))
    feed = {n: VALUES[n] for n in names} | {n: t.numpy() for n, t in held.items()}
    return run(main, startup, feed, outs)


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("name", LAYERS)
def test_layer(name, batch):
    make, names = LAYERS[name]
    paddle.seed(1)
    layer = make()
    got = _captured(layer, names, batch)
    expected = flat(layer(*[paddle.to_tensor(VALUES[n]) for n in names]))
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-5, atol=1e-6)


def test_tensors_beside_variables():
    tensor = paddle.full([4, 3], 0.5)
    got = _captured(lambda x: _mixed(x, tensor), ["x"], True)
    expected = _mixed(paddle.to_tensor(VALUES["x"]))
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-5, atol=1e-6)


def test_lists_of_variables_and_numbers():
    with static() as (main, startup):
        x = data("x", np.ones([1], "float32"))
        outs = [paddle.assign([x, 2]), paddle.to_tensor([[3, x], [x, 4.5]])]
    got = run(main, startup, {"x": np.full([1], 7, "float32")}, outs)
    np.testing.assert_array_equal(got[0], [[7], [2]])
    np.testing.assert_array_equal(got[1], [[[3], [7]], [[7], [4.5]]])
    assert got[0].dtype == got[1].dtype == np.float32
