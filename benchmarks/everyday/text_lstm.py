"""A classifier of sentences: embedding, bidirectional LSTM, lengths, dropout."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


class Classifier(nn.Layer):
    """Averages the states of a bidirectional LSTM over the words of a sentence."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 48, direction="bidirect")
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(96, 2)

    def forward(self, words, lengths):
        """Scores of both classes."""
        states, _ = self.lstm(self.embedding(words), sequence_length=lengths)
        mask = paddle.arange(words.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
        mask = paddle.cast(mask, "float32").unsqueeze(2)
        pooled = (states * mask).sum(axis=1) / mask.sum(axis=1)
        return self.head(self.dropout(pooled))


paddle.seed(1)
rng = np.random.RandomState(0)
net = Classifier()
clip = nn.ClipGradByGlobalNorm(1.0)
optimizer = paddle.optimizer.AdamW(1e-3, parameters=net.parameters(), grad_clip=clip)
for _step in range(4):
    words = paddle.to_tensor(rng.randint(1, 1000, (16, 24)))
    lengths = paddle.to_tensor(rng.randint(4, 25, (16,)))
    label = paddle.to_tensor(rng.randint(0, 2, (16,)))
    loss = F.cross_entropy(net(words, lengths), label)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
net.eval()
probability = F.softmax(net(words, lengths), axis=-1).numpy()
np.testing.assert_allclose(probability.sum(1), 1, rtol=1e-5)
