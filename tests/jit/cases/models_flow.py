"""Small networks whose way depends on data, and layers with a state of their own."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


def rows(count, size=4, seed=0, scale=1.0):
    """Random rows."""
    draw = np.random.RandomState(seed)
    return paddle.to_tensor((draw.standard_normal((count, size)) * scale).astype("float32"))


class Branches(nn.Layer):
    """Conditions, loops and returns that only the data decides."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.gate = self.create_parameter([4], default_initializer=nn.initializer.Constant(0.5))

    def calm(self, x):
        """Halves what is large."""
        turns = 0
        while paddle.norm(x) > 3.0:
            x = x * 0.5 + self.gate * 0.1
            turns += 1
        return x, turns

    def forward(self, x, scale=1.0):
        def shifted(v, by):
            if v.mean() > 0:
                return v - by
            return v + by

        x = F.relu(self.first(x)) * scale
        if x.max() < 1e-3:
            return x.sum() + self.gate.sum()
        x, turns = self.calm(x)
        if turns > 1 and x.mean() > 0.05:
            y = self.second(x)
        elif turns == 0 or x.min() > 0:
            y = x * self.gate
        else:
            y = shifted(x, self.gate)
        total = paddle.zeros([1])
        for row in y:
            if row.sum() < 0:
                continue
            total = total + (row * row).sum()
            if total > 20:
                break
        return shifted(total, 0.5).sum() * 0.1 + (y * y).mean()


class Tied(nn.Layer):
    """One layer used twice, and one weight under two names."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.again = nn.LayerList([self.inner, nn.Linear(4, 4)])
        self.again[1].weight = self.inner.weight

    def forward(self, x):
        for layer in self.again:
            x = paddle.tanh(layer(x))
        return (self.inner(x) ** 2).mean()


class Buffered(nn.Layer):
    """Batch norm, a counter and a running mean of its own, dropout."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1D(4)
        self.dropout = nn.Dropout(0.4)
        self.register_buffer("steps", paddle.zeros([1], "int64"))
        self.register_buffer("mean", paddle.zeros([4]))
        self.calls = 0

    def forward(self, x):
        x = self.norm(self.fc(x))
        if self.training:
            self.steps = self.steps + 1
            if self.steps == 1:
                self.mean = x.mean(axis=0).detach()
            else:
                self.mean = self.mean * 0.9 + x.mean(axis=0).detach() * 0.1
            x = x - self.mean
        else:
            x = x + self.mean
        return (self.dropout(x) ** 2).mean()


class UseAct(nn.Layer):
    """An argument that is no Tensor decides."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.Linear(4, 4)

    def forward(self, x, use_act=False):
        x = self.fc(x)
        if use_act:
            x = paddle.tanh(self.act(x))
        return (x**2).mean()


Found = namedtuple("Found", "loss hidden extra")


class Several(nn.Layer):
    """Results in pytrees, and None."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, kind="tuple"):
        hidden = paddle.tanh(self.fc(x))
        loss = (hidden**2).mean()
        if kind == "tuple":
            return loss, None, [hidden, 3]
        if kind == "dict":
            return {"loss": loss, "hidden": {"last": hidden}, "extra": None}
        return Found(loss, hidden, extra=None)
