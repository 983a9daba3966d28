"""LeNet in dynamic mode: layers, Adam, a few steps, accuracy."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

paddle.seed(1)
rng = np.random.RandomState(0)
net = nn.Sequential(
    nn.Conv2D(1, 6, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2D(2, 2),
    nn.Conv2D(6, 16, 5),
    nn.ReLU(),
    nn.MaxPool2D(2, 2),
    nn.Flatten(),
    nn.Linear(400, 120),
    nn.Linear(120, 84),
    nn.Linear(84, 10),
)
optimizer = paddle.optimizer.Adam(learning_rate=1e-3, parameters=net.parameters())
for _step in range(5):
    image = paddle.to_tensor(rng.rand(32, 1, 28, 28).astype("float32"))
    label = paddle.to_tensor(rng.randint(0, 10, (32, 1)))
    scores = net(image)
    loss = F.cross_entropy(scores, label)
    accuracy = paddle.metric.accuracy(scores, label)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
net.eval()
with paddle.no_grad():
    best = net(image).argmax(axis=1)
assert np.isfinite(float(loss)) and best.shape == [32] and 0 <= float(accuracy) <= 1
