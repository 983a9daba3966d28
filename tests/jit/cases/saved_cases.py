"""Layers that the tests of saving and loading use."""

from __future__ import annotations

from typing import Any

import numpy as np

import paddle
import paddle.nn as nn
from paddle.static import InputSpec

FOUR = [InputSpec([None, 4], "float32", "x")]


def batch(seed: int = 0, rows: int = 3, width: int = 4) -> np.ndarray:
    return np.random.RandomState(seed).randn(rows, width).astype("float32")


class Plain(nn.Layer):
    """Everything a Layer can hold: parameters, frozen ones, buffers that are saved or not."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.norm = nn.BatchNorm1D(3)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("offset", paddle.to_tensor([1.0, 2.0, 3.0]))
        self.register_buffer("factor", paddle.full([1], 2.0), persistable=False)
        self.unused = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.drop(self.norm(self.first(x))) * self.factor + self.offset


class Methods(nn.Layer):
    """Two decorated methods that share a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(4, 3)
        self.two = nn.Linear(3, 2)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4], "float32")])
    def forward(self, x: Any) -> Any:
        return self.one(x)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4], "float32"), 2.0])
    def another_forward(self, x: Any, factor: float) -> Any:
        return self.two(self.one(x)) * factor, x + 1.0


class Trained(nn.Layer):
    """A Layer to be trained without randomness."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 5)
        self.norm = nn.BatchNorm1D(5)
        self.last = nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        return self.last(nn.functional.relu(self.norm(self.first(x))))


def trained(layer: nn.Layer, steps: int = 4) -> list[float]:
    """Losses of some steps of Adam."""
    adam = paddle.optimizer.Adam(0.05, parameters=layer.parameters())
    layer.train()
    losses = []
    for step in range(steps):
        loss = (layer(paddle.to_tensor(batch(step, 6))) ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss.numpy()[0]))
    return losses
