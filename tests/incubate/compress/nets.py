"""Networks for the tests of compression, and values that leave channels without effect."""

from __future__ import annotations

from typing import Any

import numpy as np

import paddle
from paddle import nn


class Concat(nn.Layer):
    """Two branches of different width, joined; one goes on to a third convolution by itself too."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Conv2D(2, 4, 3, padding=1), nn.Conv2D(2, 6, 1)
        self.norm = nn.BatchNorm2D(10)
        self.after, self.also = nn.Conv2D(10, 8, 3), nn.Conv2D(6, 8, 3)
        self.fc = nn.Linear(8 * 4 * 4, 3)

    def forward(self, x: Any) -> Any:
        a, b = self.left(x), self.right(x)
        y = nn.functional.relu(self.norm(paddle.concat([a, b], axis=1)))
        return self.fc(paddle.flatten(self.after(y) + self.also(b), 1))


class Grouped(nn.Layer):
    """Convolutions in groups, of which one is depthwise with two results for each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2D(3, 8, 3, padding=1)
        self.grouped = nn.Conv2D(8, 12, 3, groups=4, padding=1)
        self.depthwise = nn.Conv2D(12, 24, 3, groups=12, padding=1)
        self.last = nn.Conv2D(24, 6, 1)
        self.fc = nn.Linear(6, 2)

    def forward(self, x: Any) -> Any:
        y = nn.functional.relu(self.grouped(nn.functional.relu(self.first(x))))
        y = self.last(nn.functional.relu(self.depthwise(y)))
        return self.fc(nn.functional.adaptive_avg_pool2d(y, 1).flatten(1))


class Shuffled(nn.Layer):
    """A unit of ShuffleNet: split, shuffle by reshape, squeeze and excitation."""

    def __init__(self, constant: bool = False) -> None:
        super().__init__()
        self.constant = constant
        self.first = nn.Conv2D(3, 16, 3, padding=1)
        self.branch = nn.Conv2D(8, 8, 1)
        self.norm = nn.BatchNorm2D(8)
        self.squeeze, self.excite = nn.Conv2D(16, 4, 1), nn.Conv2D(4, 16, 1)
        self.slope = nn.PReLU(16)
        self.last = nn.Conv2D(16, 5, 1)

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        a, b = paddle.split(y, 2, axis=1)
        y = paddle.concat([a, self.norm(self.branch(b))], axis=1)
        _, c, h, w = y.shape
        c = 16 if self.constant else c
        y = paddle.reshape(y, [-1, 2, c // 2, h, w]).transpose([0, 2, 1, 3, 4])
        y = paddle.reshape(y, [-1, c, h, w])
        gate = nn.functional.adaptive_avg_pool2d(y, 1)
        gate = nn.functional.sigmoid(self.excite(nn.functional.relu(self.squeeze(gate))))
        return self.last(self.slope(y * gate)).mean([2, 3])


class Mixed(nn.Layer):
    """Layers of other kinds: transposed, 1-D, instance norm, embedding, layer norm, upsampling."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Conv2DTranspose(2, 6, 3)
        self.norm = nn.InstanceNorm2D(6)
        self.line = nn.Conv1D(6, 4, 3)
        self.words = nn.Embedding(7, 8)
        self.proj = nn.Linear(8, 4)
        self.out = nn.Linear(4, 2, bias_attr=False)

    def forward(self, x: Any, words: Any) -> Any:
        y = nn.functional.interpolate(self.norm(self.up(x)), scale_factor=2)
        y = self.line(y.mean(3)).mean(2)
        return self.out(y + paddle.tanh(self.proj(self.words(words))))


def settle(net: Any) -> Any:
    """Gives a network values as after some training, and evaluation mode."""
    random = np.random.RandomState(3)
    for name, tensor in [*net.named_parameters(), *net.named_buffers()]:
        value = random.standard_normal(tensor.shape).astype("float32")
        if name.endswith("_variance"):
            value = 0.5 + np.abs(value)
        elif name.endswith(("norm.weight", "bn1.weight", "scale")):
            value = 1 + 0.2 * value
        else:
            value /= np.sqrt(max(np.prod(tensor.shape[1:]), 4))
        tensor.set_value(value)
    net.eval()
    return net


def mask(net: Any, kept: dict[str, dict[int, np.ndarray]], keep: Any = ()) -> None:
    """Sets all weights of channels that will go to 0, in the network as it is.

    Args:
        net (Layer): changed in place.
        kept (dict): parameter -> axis -> places that stay.
        keep (tuple): ends of names that stay as they are, such as variances.
    """
    tensors = dict([*net.named_parameters(), *net.named_buffers()])
    for name, axes in kept.items():
        if name.endswith(("_variance", *keep)):
            continue
        value = tensors[name].numpy().copy()
        for axis, places in axes.items():
            gone = np.setdiff1d(np.arange(value.shape[axis]), places)
            np.moveaxis(value, axis, 0)[gone] = 0
        tensors[name].set_value(value)
