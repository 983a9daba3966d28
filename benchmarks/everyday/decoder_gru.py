"""A sequence model converted by to_static: a GRU, attention over its states, a loop, sampling."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    """A GRU whose states are weighed by attention."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.gru = nn.GRU(16, 24)
        self.query = nn.Linear(24, 24)
        self.head = nn.Linear(48, 50)

    def forward(self, words):
        """Scores of the next word at every place."""
        states, last = self.gru(self.embedding(words))
        weights = F.softmax(paddle.bmm(self.query(states), states.transpose([0, 2, 1])))
        context = paddle.bmm(weights, states)
        return self.head(paddle.concat([states, context], axis=-1)), last


paddle.seed(1)
rng = np.random.RandomState(0)
model = Model()
converted = paddle.jit.to_static(model)
optimizer = paddle.optimizer.Adam(1e-2, parameters=model.parameters())
for length in (7, 7, 9):
    words = paddle.to_tensor(rng.randint(0, 50, (4, length + 1)))
    scores, _ = converted(words[:, :-1])
    loss = F.cross_entropy(scores.reshape([-1, 50]), words[:, 1:].reshape([-1]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
model.eval()
made = words[:, :1]
for _step in range(4):
    scores, _ = model(made)
    chance = F.softmax(scores[:, -1] / 0.8)
    made = paddle.concat([made, paddle.multinomial(chance, 1)], axis=1)
assert made.shape == [4, 5] and np.isfinite(float(loss))
