"""Small networks for sequences, to be trained as they are and converted: LSTM, seq2seq, BERT."""

from __future__ import annotations

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

WORDS = 20


def sentences(count, length=6, seed=0):
    """Token ids, lengths and a label for each."""
    draw = np.random.RandomState(seed)
    ids = draw.randint(2, WORDS, (count, length))
    lengths = draw.randint(2, length + 1, count)
    lengths[0] = length
    for row, n in zip(ids, lengths):
        row[n:] = 0
    labels = draw.randint(0, 2, (count, 1))
    return [paddle.to_tensor(v.astype("int64")) for v in (ids, lengths, labels)]


class Sentiment(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 6, direction="bidirect")
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(12, 2)

    def forward(self, ids, lengths, label):
        x = self.dropout(self.embedding(ids))
        outputs, (h, _) = self.lstm(x, sequence_length=lengths)
        mask = paddle.cast(ids != 0, "float32").unsqueeze(2)
        if lengths.max() > lengths.min():
            pooled = (outputs * mask).sum(axis=1) / mask.sum(axis=1)
        else:
            pooled = outputs.mean(axis=1)
        pooled = pooled + paddle.concat([h[0], h[1]], axis=1)
        return F.cross_entropy(self.fc(pooled), label)


class Attention(nn.Layer):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(size, size, bias_attr=False)

    def forward(self, state, memory, mask):
        scores = paddle.matmul(memory, self.query(state).unsqueeze(2)).squeeze(2)
        weights = F.softmax(scores + (1.0 - mask) * -1e9)
        return paddle.matmul(weights.unsqueeze(1), memory).squeeze(1)


class Seq2Seq(nn.Layer):
    def __init__(self, size=6):
        super().__init__()
        self.size = size
        self.source = nn.Embedding(WORDS, size)
        self.target = nn.Embedding(WORDS, size)
        self.encoder = nn.GRU(size, size)
        self.cell = nn.GRUCell(2 * size, size)
        self.attention = Attention(size)
        self.out = nn.Linear(2 * size, WORDS)

    def encode(self, ids, lengths):
        memory, state = self.encoder(self.source(ids), sequence_length=lengths)
        return memory, state[0], paddle.cast(ids != 0, "float32")

    def one(self, token, state, memory, mask):
        context = self.attention(state, memory, mask)
        out, state = self.cell(paddle.concat([self.target(token), context], axis=1), state)
        return self.out(paddle.concat([out, context], axis=1)), state

    def forward(self, ids, lengths, target, steps, forced=True):
        memory, state, mask = self.encode(ids, lengths)
        token = paddle.zeros_like(target[:, 0])
        found = []
        for i in range(steps):  # a Tensor
            logits, state = self.one(token, state, memory, mask)
            found.append(logits)
            if forced:
                token = target[:, i].reshape([-1])
            else:
                token = logits.argmax(axis=-1)
        logits = paddle.stack(found, axis=1)
        wanted = target[:, : logits.shape[1]]
        return F.cross_entropy(logits.reshape([-1, WORDS]), wanted.reshape([-1, 1]))

    def greedy(self, ids, lengths, end, most=8):
        """The tokens of one sentence, up to the end token."""
        memory, state, mask = self.encode(ids, lengths)
        token = paddle.zeros([1], "int64")
        found = []
        count = paddle.zeros([1], "int64")
        while count < most:
            logits, state = self.one(token, state, memory, mask)
            token = logits.argmax(axis=-1)
            found.append(token)
            count = count + 1
            if token == end:
                break
        return paddle.concat(found), count


class Bert(nn.Layer):
    def __init__(self, size=8, heads=2, layers=2):
        super().__init__()
        self.words = nn.Embedding(WORDS, size)
        self.positions = nn.Embedding(16, size)
        self.kinds = nn.Embedding(2, size)
        self.norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(size, heads, 16, dropout=0.1, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.pooler = nn.Linear(size, size)
        self.transform = nn.Linear(size, size)
        self.bias = self.create_parameter([WORDS], is_bias=True)
        self.next = nn.Linear(size, 2)

    def embed(self, ids, kinds=None):
        ones = paddle.ones_like(ids)
        at = paddle.cumsum(ones, axis=1) - ones
        if kinds is None:
            kinds = paddle.zeros_like(ids)
        return self.dropout(self.norm(self.words(ids) + self.positions(at) + self.kinds(kinds)))

    def forward(self, ids, masked, follows, kinds=None):
        hidden = (ids == 0).astype("float32") * -1e9
        x = self.encoder(self.embed(ids, kinds), hidden.unsqueeze([1, 2]))
        pooled = paddle.tanh(self.pooler(x[:, 0]))
        changed = F.gelu(self.transform(x))
        scores = paddle.matmul(changed, self.words.weight, transpose_y=True) + self.bias
        mlm = F.cross_entropy(scores.reshape([-1, WORDS]), masked.reshape([-1, 1]), ignore_index=-1)
        return mlm + F.cross_entropy(self.next(pooled), follows)


def masked_sentences(count, length=6, seed=0):
    """Token ids, which token was masked (-1 for none), which of two follows, and the kinds."""
    draw = np.random.RandomState(seed)
    ids = draw.randint(1, WORDS, (count, length))
    ids[0, -2:] = 0
    masked = np.where(draw.rand(count, length) < 0.4, ids, -1)
    masked[:, 0] = ids[:, 0]
    kinds = (np.arange(length) > 2).astype("int64")[None].repeat(count, 0)
    values = ids, masked, draw.randint(0, 2, (count, 1)), kinds
    return [paddle.to_tensor(v.astype("int64")) for v in values]
