"""A small residual network of paddle.vision trained, saved and loaded."""

import tempfile

import numpy as np

import paddle
import paddle.nn.functional as F

paddle.seed(1)
rng = np.random.RandomState(0)
net = paddle.vision.models.resnet18(num_classes=4)
optimizer = paddle.optimizer.Momentum(0.01, parameters=net.parameters())
for _step in range(2):
    image = paddle.to_tensor(rng.rand(2, 3, 32, 32).astype("float32"))
    label = paddle.to_tensor(rng.randint(0, 4, (2,)))
    loss = F.cross_entropy(net(image), label)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
with tempfile.TemporaryDirectory() as folder:
    paddle.save(net.state_dict(), f"{folder}/net.pdparams")
    paddle.save(optimizer.state_dict(), f"{folder}/net.pdopt")
    net.set_state_dict(paddle.load(f"{folder}/net.pdparams"))
    optimizer.set_state_dict(paddle.load(f"{folder}/net.pdopt"))
net.eval()
assert net(image).shape == [2, 4]
