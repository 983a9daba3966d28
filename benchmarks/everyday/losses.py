"""A small network under the usual losses, by several optimizers."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

paddle.seed(1)
rng = np.random.RandomState(0)
net = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.LayerNorm(32), nn.Linear(32, 5))
x = paddle.to_tensor(rng.rand(64, 20).astype("float32"))
target = paddle.to_tensor(rng.rand(64, 5).astype("float32"))
label = paddle.to_tensor(rng.randint(0, 5, (64,)))
losses = {
    "cross entropy": lambda y: nn.CrossEntropyLoss()(y, label),
    "weighted": lambda y: F.cross_entropy(y, label, weight=paddle.to_tensor([1.0, 2, 1, 2, 1])),
    "nll": lambda y: F.nll_loss(F.log_softmax(y), label),
    "mse": lambda y: F.mse_loss(y, target),
    "l1": lambda y: F.l1_loss(y, target),
    "smooth l1": lambda y: F.smooth_l1_loss(y, target),
    "bce": lambda y: F.binary_cross_entropy(F.sigmoid(y), target),
    "bce of logits": lambda y: F.binary_cross_entropy_with_logits(y, target),
    "kl": lambda y: F.kl_div(F.log_softmax(y), F.softmax(target)),
    "margin": lambda y: F.margin_ranking_loss(y[:, 0], y[:, 1], paddle.sign(target[:, 0] - 0.5)),
}
optimizers = [
    paddle.optimizer.SGD(0.01, parameters=net.parameters()),
    paddle.optimizer.Momentum(0.01, parameters=net.parameters()),
    paddle.optimizer.Adam(0.01, parameters=net.parameters()),
    paddle.optimizer.RMSProp(0.01, parameters=net.parameters()),
    paddle.optimizer.Adagrad(0.01, parameters=net.parameters()),
]
for i, (name, of) in enumerate(losses.items()):
    optimizer = optimizers[i % len(optimizers)]
    loss = of(net(x))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    assert np.isfinite(float(loss)), name
