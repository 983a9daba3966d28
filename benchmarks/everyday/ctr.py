"""Click-through rates: sparse embeddings of many fields beside dense features, AUC."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


class WideDeep(nn.Layer):
    """A linear part of the dense features, a deep part of everything."""

    def __init__(self, fields, rows, width, dense):
        super().__init__()
        self.tables = nn.LayerList([nn.Embedding(rows, width, sparse=True) for _ in range(fields)])
        self.wide = nn.Linear(dense, 1)
        self.deep = nn.Sequential(
            nn.Linear(fields * width + dense, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(),
            nn.Linear(32, 1),
        )  # fmt: skip

    def forward(self, fields, dense):
        """The logit of a click."""
        parts = [table(fields[:, i]) for i, table in enumerate(self.tables)]
        return self.wide(dense) + self.deep(paddle.concat([*parts, dense], axis=1))


paddle.seed(1)
rng = np.random.RandomState(0)
net = WideDeep(8, 1000, 9, 13)
optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters(), lazy_mode=True)
auc = paddle.metric.Auc()
for _step in range(4):
    fields = paddle.to_tensor(rng.randint(0, 1000, (64, 8)))
    dense = paddle.to_tensor(rng.rand(64, 13).astype("float32"))
    click = paddle.to_tensor(rng.randint(0, 2, (64, 1)))
    logit = net(fields, dense)
    loss = F.binary_cross_entropy_with_logits(logit, click.astype("float32"))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    chance = F.sigmoid(logit)
    auc.update(paddle.concat([1 - chance, chance], axis=1), click)
assert 0 <= auc.accumulate() <= 1
