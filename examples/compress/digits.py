"""What the examples of this folder share: MNIST as arrays, two networks, training, accuracy."""

import numpy as np

import paddle
from paddle.nn import functional as F
from paddle.vision.datasets import MNIST
from paddle.vision.models import LeNet, mobilenet_v1

BATCH = 64
TRAINING = {"lenet": (2, 2e-3), "mobilenet": (6, 4e-3)}  # epochs, and the rate they begin with
SHAPES = {"lenet": [None, 1, 28, 28], "mobilenet": [None, 3, 32, 32]}


def arrays(mode, net="lenet", count=None):
    """Images of MNIST in [-1, 1] and their labels, in the shape that a network takes."""
    data = MNIST(mode=mode, backend="cv2")
    rows = [data[i] for i in range(count or len(data))]
    x = np.stack([np.asarray(row[0], "float32").reshape(1, 28, 28) for row in rows]) / 127.5 - 1
    y = np.array([int(np.asarray(row[1]).ravel()[0]) for row in rows])
    if net == "mobilenet":  # three equal colours, and a margin
        x = np.pad(np.repeat(x, 3, 1), ((0, 0), (0, 0), (2, 2), (2, 2)), constant_values=-1)
    return x, y


def network(name):
    """LeNet, or a quarter of MobileNetV1."""
    return LeNet() if name == "lenet" else mobilenet_v1(scale=0.25, num_classes=10)


def train(model, x, y, epochs, rate, seed=0, hard=F.cross_entropy):
    """Trains by Adam at a rate that falls to zero; ``hard`` makes the loss of result and label."""
    random = np.random.RandomState(seed)
    steps = len(x) // BATCH
    falling = paddle.optimizer.lr.CosineAnnealingDecay(rate, T_max=epochs * steps)
    adam = paddle.optimizer.Adam(falling, parameters=model.parameters())
    model.train()
    for _ in range(epochs):
        order = random.permutation(len(x))
        for i in range(steps):
            at = order[i * BATCH : (i + 1) * BATCH]
            hard(model(paddle.to_tensor(x[at])), paddle.to_tensor(y[at])).backward()
            adam.step()
            adam.clear_grad()
            falling.step()
    model.eval()


def accuracy(model, x, y):
    """The share of right answers, in points."""
    model.eval()
    with paddle.no_grad():
        parts = [model(paddle.to_tensor(part)).numpy().argmax(1) for part in np.array_split(x, 10)]
    return float(100 * np.mean(np.concatenate(parts) == y))
