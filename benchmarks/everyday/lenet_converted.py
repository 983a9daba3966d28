"""A network converted by to_static: trained, saved with an InputSpec, loaded, run."""

import tempfile

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.static import InputSpec


class LeNet(nn.Layer):
    """Two convolutions, two linear layers, a branch on the data."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.BatchNorm2D(16), nn.ReLU(), nn.MaxPool2D(2, 2),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Linear(400, 64), nn.ReLU(), nn.Linear(64, 10))

    @paddle.jit.to_static
    def forward(self, image):
        """Scores of the ten classes."""
        x = paddle.flatten(self.features(image), 1)
        if x.mean() > 0:
            x = x * 0.5
        return self.head(x)


paddle.seed(1)
rng = np.random.RandomState(0)
net = LeNet()
optimizer = paddle.optimizer.Momentum(0.01, parameters=net.parameters(), weight_decay=1e-4)
for _step in range(4):
    image = paddle.to_tensor(rng.rand(16, 1, 28, 28).astype("float32"))
    label = paddle.to_tensor(rng.randint(0, 10, (16, 1)))
    loss = F.cross_entropy(net(image), label)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
net.eval()
with tempfile.TemporaryDirectory() as folder:
    paddle.jit.save(net, f"{folder}/net", [InputSpec([None, 1, 28, 28], "float32", "image")])
    loaded = paddle.jit.load(f"{folder}/net")
    loaded.eval()
    np.testing.assert_allclose(
        loaded(image[:3]).numpy(), net(image[:3]).numpy(), rtol=1e-4, atol=1e-5
    )
