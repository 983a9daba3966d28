"""A Transformer encoder with a mask, a warm-up schedule and label smoothing."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

paddle.seed(1)
rng = np.random.RandomState(0)
width, words_known, length = 64, 500, 20
embedding = nn.Embedding(words_known, width)
position = paddle.create_parameter([length, width], "float32")
layer = nn.TransformerEncoderLayer(width, 4, 128, dropout=0.1, activation="gelu")
encoder = nn.TransformerEncoder(layer, 2)
head = nn.Linear(width, words_known)
parameters = embedding.parameters() + [position] + encoder.parameters() + head.parameters()
schedule = paddle.optimizer.lr.NoamDecay(width, 100)
optimizer = paddle.optimizer.Adam(schedule, beta2=0.98, parameters=parameters)
for _step in range(4):
    words = paddle.to_tensor(rng.randint(0, words_known, (8, length)))
    keep = paddle.tril(paddle.ones([length, length]))
    mask = (1.0 - keep).unsqueeze([0, 1]) * -1e9
    scores = head(encoder(embedding(words) + position, mask))
    target = F.label_smooth(F.one_hot(paddle.roll(words, -1, 1), words_known), epsilon=0.1)
    loss = F.cross_entropy(scores, target, soft_label=True)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    schedule.step()
encoder.eval()
_, best = paddle.topk(scores[:, -1], 5)
assert np.isfinite(float(loss)) and best.shape == [8, 5]
