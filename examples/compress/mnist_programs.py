"""What the examples with PaddleSlim share: old names of NumPy, MNIST, a Program that learns it.

Import it before `paddleslim`, which is older than NumPy 2 and asks for names that are gone there.
"""

import numpy as np
from digits import BATCH, arrays

import paddle
from paddle import static
from paddle.nn import functional as F

np.product, np.float, np.mat = np.prod, float, np.asmatrix


def digits(quick):
    """Images and labels, in a column, for training and for the test; a tenth of them if quick."""
    parts = []
    for mode, few in (("train", 6000), ("test", 2000)):
        x, y = arrays(mode, count=few if quick else None)
        parts += [x, y[:, None]]
    return parts


def lenet(image, label, width=8):
    """Two convolutions with batch norms and two linear layers; logits, loss and accuracy."""
    x = image
    for i, filters in enumerate((width, 2 * width)):
        weights = paddle.ParamAttr(name=f"conv{i + 1}_weights")
        x = static.nn.conv2d(x, filters, 5, padding=2, param_attr=weights, bias_attr=False)
        x = F.max_pool2d(F.relu(static.nn.batch_norm(x)), 2, 2)
    hidden = static.nn.fc(x, 8 * width, activation="relu")
    logits = static.nn.fc(hidden, 10)
    loss = F.cross_entropy(logits, label)
    return logits, loss, paddle.metric.accuracy(F.softmax(logits), label)


class Task:
    """A network in Programs, and what is done with it.

    Args:
        build (callable): image, label -> logits, loss, accuracy.
        steps (int): how many steps it is trained for, at a rate that falls to zero.
        rate (float): the first rate.
        more_loss (callable, optional): makes the loss that is trained, of the network's own.
    """

    def __init__(self, build, steps, rate=2e-3, more_loss=None):
        self.train, self.startup = static.Program(), static.Program()
        self.train.random_seed = self.startup.random_seed = 1
        with static.program_guard(self.train, self.startup), paddle.utils.unique_name.guard():
            image = static.data("image", [None, 1, 28, 28])
            label = static.data("label", [None, 1], "int64")
            self.logits, self.loss, self.accuracy = build(image, label)
            self.test = self.train.clone(for_test=True)
            self.rate = paddle.optimizer.lr.CosineAnnealingDecay(rate, T_max=steps)
            loss = more_loss(self) if more_loss else self.loss
            paddle.optimizer.Adam(self.rate).minimize(loss)
        self.exe = static.Executor()
        self.exe.run(self.startup)

    def learn(self, x, y, epochs, program=None, seed=0):
        """Trains, by another form of the Program if one is given."""
        random = np.random.RandomState(seed)
        for _ in range(epochs):
            order = random.permutation(len(x))
            for i in range(len(x) // BATCH):
                at = order[i * BATCH : (i + 1) * BATCH]
                feed = {"image": x[at], "label": y[at]}
                self.exe.run(program or self.train, feed, [self.loss.name])
                self.rate.step()

    def right(self, x, y, program=None):
        """The share of right answers, in points."""
        parts = zip(np.array_split(x, 10), np.array_split(y, 10), strict=True)
        found = [
            self.exe.run(program or self.test, {"image": a, "label": b}, [self.accuracy.name])[0]
            for a, b in parts
        ]
        return float(100 * np.mean(found))


def steps_of(x, epochs):
    """How many steps some epochs take."""
    return epochs * (len(x) // BATCH)
