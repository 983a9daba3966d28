"""Small networks for images, to be trained as they are and converted: classifiers, YOLO, a GAN."""

from __future__ import annotations

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


def images(count, size=28, channels=1, seed=0):
    """Random images and labels below 4."""
    draw = np.random.RandomState(seed)
    x = draw.standard_normal((count, channels, size, size)).astype("float32")
    return paddle.to_tensor(x), paddle.to_tensor(draw.randint(0, 4, (count, 1)))


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2),
        )  # fmt: skip
        self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 4))

    def forward(self, x, label):
        x = self.features(x)
        x = paddle.flatten(x, 1)
        return F.cross_entropy(self.fc(x), label).mean()


class Classifier(nn.Layer):
    """Any network with the loss behind it."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x, label):
        return self.loss(self.net(x), label)


class YoloHead(nn.Layer):
    """Boxes of three scales: loops over anchors, lists, slices, writes into slices."""

    anchors = [[(4.0, 6.0), (8.0, 3.0)], [(2.0, 2.0), (3.0, 1.0)]]

    def __init__(self, classes=3):
        super().__init__()
        self.classes = classes
        self.stem = nn.Conv2D(3, 8, 3, stride=2, padding=1)
        self.norms = nn.LayerList([nn.BatchNorm2D(8) for _ in self.anchors])
        self.heads = nn.LayerList()
        for row in self.anchors:
            self.heads.append(nn.Conv2D(8, len(row) * (5 + classes), 1))

    def decode(self, x, anchors):
        batch, _, high, wide = x.shape
        x = x.reshape([batch, len(anchors), 5 + self.classes, high, wide])
        x = x.transpose([0, 1, 3, 4, 2])
        boxes = []
        for i, (w, h) in enumerate(anchors):
            part = x[:, i]
            part[..., 0:2] = F.sigmoid(part[..., 0:2])
            part[..., 2:3] = paddle.exp(paddle.clip(part[..., 2:3], max=2.0)) * w
            part[..., 3:4] = paddle.exp(paddle.clip(part[..., 3:4], max=2.0)) * h
            part[..., 4:] = F.sigmoid(part[..., 4:])
            boxes.append(part.reshape([batch, -1, 5 + self.classes]))
        return paddle.concat(boxes, axis=1)

    def forward(self, x, target):
        x = F.leaky_relu(self.stem(x), 0.1)
        found = []
        for norm, head, anchors in zip(self.norms, self.heads, self.anchors):
            x = F.relu(norm(x))
            found.append(self.decode(head(x), anchors))
            x = F.avg_pool2d(x, 2, 2)
        boxes = paddle.concat(found, axis=1)
        best = boxes[..., 4:5].max(axis=1, keepdim=True)
        mask = paddle.where(
            boxes[..., 4:5] >= best, paddle.ones_like(boxes[..., 4:5]), boxes[..., 4:5] * 0.5
        )
        distance = paddle.abs(boxes[..., :4] - target.unsqueeze(1)) * mask
        if distance.max() > 20:  # an outlier
            distance = paddle.clip(distance, max=20.0)
        wrong = F.binary_cross_entropy(boxes[..., 4:], paddle.full_like(boxes[..., 4:], 0.25))
        return distance.mean() + wrong


def boxes(count, seed=0):
    """Images, and a box for each."""
    draw = np.random.RandomState(seed)
    x = draw.standard_normal((count, 3, 8, 8)).astype("float32")
    return paddle.to_tensor(x), paddle.to_tensor(draw.rand(count, 4).astype("float32") * 4)


class Generator(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Linear(8, 6))

    def forward(self, noise):
        return paddle.tanh(self.layers(noise))


class Critic(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)
