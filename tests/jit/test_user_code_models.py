"""Models and functions as in model zoos: what is eager must be the same converted and saved."""

# The code is written as users write it.
# ruff: noqa: B009

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.jit.cases.user_code import Snippets, floats, ints

SNIPPETS = Snippets()
add = SNIPPETS.add

# -- recurrent networks by hand --------------------------------------------------------------------

SEQ = [(floats(2, t, 3, seed=t),) for t in (4, 2)]


@add(*SEQ)
class GRUByHand(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gates = nn.Linear(3 + 4, 8)
        self.new = nn.Linear(3 + 4, 4)

    def forward(self, x, h=None):
        if h is None:
            h = paddle.zeros([x.shape[0], 4])
        outs = []
        for t in range(x.shape[1]):
            both = paddle.concat([x[:, t], h], axis=-1)
            r, z = paddle.chunk(F.sigmoid(self.gates(both)), 2, axis=-1)
            n = paddle.tanh(self.new(paddle.concat([x[:, t], r * h], axis=-1)))
            h = (1 - z) * n + z * h
            outs.append(h)
        return paddle.stack(outs, axis=1), h


@add(*SEQ)
class RNNWithNone(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = nn.SimpleRNNCell(3, 4)

    def forward(self, x):
        h = None
        outs = []
        for step in x.transpose([1, 0, 2]):
            y, h = self.cell(step, h)
            outs.append(y)
        return outs[-1], h


@add(*SEQ)
class LSTMStates(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cells = nn.LayerList([nn.LSTMCell(3, 4), nn.LSTMCell(4, 4)])

    def forward(self, x):
        states = [cell.get_initial_states(x[:, 0]) for cell in self.cells]
        outs = []
        for t in range(x.shape[1]):
            y = x[:, t]
            for i, cell in enumerate(self.cells):
                y, states[i] = cell(y, states[i])
            outs.append(y)
        return paddle.stack(outs, 1), states[-1][0]


@add((floats(2, 4, 3), np.array([4, 2])), (floats(2, 3, 3), np.array([1, 3])))
def masked_scan(x, lengths):
    h = paddle.zeros([x.shape[0], 3])
    for t in range(x.shape[1]):
        alive = (lengths > t).astype("float32").unsqueeze(-1)
        h = alive * paddle.tanh(h + x[:, t]) + (1 - alive) * h
    return h


# -- decoding --------------------------------------------------------------------------------------


@add((floats(1, 3),), (floats(1, 3, seed=4),))
class GreedyDecoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 3)
        self.out = nn.Linear(3, 6)
        self.max_len = 5

    def forward(self, h):
        token = paddle.zeros([1], "int64")
        tokens = []
        for _ in range(self.max_len):
            h = paddle.tanh(h + self.embed(token))
            token = self.out(h).argmax(axis=-1)
            tokens.append(token)
            if token == 5:
                break
        return paddle.concat(tokens) if len(tokens) > 0 else token


@add((floats(1, 3),), (floats(1, 3, seed=4),))
class WhileDecoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 3)
        self.out = nn.Linear(3, 6)

    def forward(self, h):
        token = paddle.zeros([1], "int64")
        count = paddle.zeros([1], "int64")
        out = paddle.zeros([1], "int64")
        while count < 8 and token != 3:
            h = paddle.tanh(h + self.embed(token))
            token = paddle.argmax(self.out(h), axis=-1)
            out = paddle.concat([out, token])
            count += 1
        return out, h


@add((floats(6, 5),), (floats(4, 5, seed=2),))
def ctc_greedy(logits):
    best = logits.argmax(axis=-1)
    out = []
    last = paddle.full([1], -1, "int64")
    for i in range(best.shape[0]):
        if best[i] != last and best[i] != 0:
            out.append(best[i])
        last = best[i]
    return paddle.concat(out) if len(out) > 0 else paddle.zeros([1], "int64")


@add((floats(4, 5), 2), (floats(4, 5, seed=3), 3))
def beam_search(logits, k):
    logp = F.log_softmax(logits)
    scores, tokens = paddle.topk(logp[0], k)
    paths = tokens.unsqueeze(-1)
    for t in range(1, logp.shape[0]):
        total = scores.unsqueeze(-1) + logp[t].unsqueeze(0)
        scores, flat = paddle.topk(total.reshape([-1]), k)
        parent = flat // logits.shape[1]
        token = flat % logits.shape[1]
        paths = paddle.concat([paddle.gather(paths, parent), token.unsqueeze(-1)], axis=-1)
    return scores, paths


@add((floats(5, 3), floats(3, 3, seed=1)), (floats(2, 3, seed=3), floats(3, 3, seed=1)))
def viterbi(emissions, transitions):
    score = emissions[0]
    history = []
    for t in range(1, emissions.shape[0]):
        total = score.unsqueeze(1) + transitions
        history.append(total.argmax(axis=0))
        score = total.max(axis=0) + emissions[t]
    tag = score.argmax(axis=0)
    path = [tag]
    for t in range(emissions.shape[0] - 1):
        tag = history[emissions.shape[0] - 2 - t][tag]
        path.append(tag)
    return score.max(), paddle.concat(path)


@add((floats(5, 3), floats(3, 3, seed=1)), spec=None)
def viterbi_reversed(emissions, transitions):
    score = emissions[0]
    history = []
    for t in range(1, len(emissions)):
        total = score.unsqueeze(1) + transitions
        history.append(total.argmax(axis=0))
        score = total.max(axis=0) + emissions[t]
    tag = score.argmax(axis=0)
    path = [tag]
    for back in reversed(history):
        tag = back[tag]
        path.insert(0, tag)
    path.reverse()
    return score.max(), paddle.concat(path[::-1])


@add((floats(5, 3), ints(5, high=3)), (floats(3, 3, seed=2), ints(3, high=3)))
class CRFLoss(nn.Layer):
    def __init__(self):
        super().__init__()
        self.transitions = self.create_parameter([3, 3])
        self.start = paddle.create_parameter([3], "float32")

    def forward(self, emissions, tags):
        alpha = self.start + emissions[0]
        gold = paddle.gather(self.start, tags[0]) + paddle.gather(emissions[0], tags[0])
        for t in range(1, emissions.shape[0]):
            inner = alpha.unsqueeze(1) + self.transitions
            alpha = paddle.logsumexp(inner, axis=0) + emissions[t]
            gold += self.transitions[tags[t - 1], tags[t]] + emissions[t][tags[t]]
        return paddle.logsumexp(alpha) - gold


@add((floats(2, 4, 3), floats(2, 3, seed=1)), (floats(2, 6, 3, seed=3), floats(2, 3, seed=1)))
class PointerNetwork(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w1, self.w2, self.v = nn.Linear(3, 4), nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, memory, h):
        mask = paddle.zeros([memory.shape[0], memory.shape[1]])
        picks = []
        for _ in range(3):
            scores = self.v(paddle.tanh(self.w1(memory) + self.w2(h).unsqueeze(1))).squeeze(-1)
            scores = scores - mask * 1e9
            pick = scores.argmax(axis=-1)
            one = F.one_hot(pick, memory.shape[1])
            mask = mask + one
            h = (one.unsqueeze(-1) * memory).sum(axis=1)
            picks.append(pick)
        return paddle.stack(picks, axis=1), F.softmax(scores)


# -- attention and masks ---------------------------------------------------------------------------


@add(*[(floats(2, t, 8, seed=t),) for t in (3, 5)])
class SelfAttention(nn.Layer):
    def __init__(self, dim=8, heads=2, dropout=0.0, causal=True):
        super().__init__()
        self.heads, self.dim, self.causal = heads, dim // heads, causal
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("scale", paddle.to_tensor([1.0 / math.sqrt(dim // heads)]))

    def forward(self, x, mask=None, cache=None):
        b, t, d = x.shape
        qkv = self.qkv(x).reshape([b, t, 3, self.heads, self.dim]).transpose([2, 0, 3, 1, 4])
        q, k, v = qkv[0], qkv[1], qkv[2]
        if cache is not None:
            k = paddle.concat([cache[0], k], axis=2)
            v = paddle.concat([cache[1], v], axis=2)
        scores = paddle.matmul(q, k, transpose_y=True) * self.scale
        if self.causal:
            mask = paddle.tril(paddle.ones([t, t]))
            scores = scores + (1.0 - mask) * -1e4
        weights = self.drop(F.softmax(scores, axis=-1))
        y = paddle.matmul(weights, v).transpose([0, 2, 1, 3]).reshape([b, t, d])
        return self.out(y), weights


@add((np.array([3, 1, 2]),), (np.array([2, 2]),))
def sequence_mask_by_hand(lengths):
    longest = int(lengths.max())
    steps = paddle.arange(longest).unsqueeze(0)
    mask = (steps < lengths.unsqueeze(1)).astype("float32")
    causal = paddle.tril(paddle.ones([longest, longest]))
    return mask, mask.unsqueeze(1) * causal.unsqueeze(0)


@add(*[(ints(2, t, high=9, low=0, seed=t),) for t in (4, 6)])
class BertEmbeddings(nn.Layer):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(9, 4, padding_idx=0)
        self.position = nn.Embedding(8, 4)
        self.token_type = nn.Embedding(2, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, ids, token_type_ids=None, position_ids=None, attention_mask=None):
        if position_ids is None:
            ones = paddle.ones_like(ids, dtype="int64")
            position_ids = paddle.cumsum(ones, axis=1) - ones
            position_ids.stop_gradient = True
        if token_type_ids is None:
            token_type_ids = paddle.zeros_like(ids, dtype="int64")
        if attention_mask is None:
            attention_mask = paddle.unsqueeze((ids == 0).astype("float32") * -1e4, axis=[1, 2])
        x = self.word(ids) + self.position(position_ids) + self.token_type(token_type_ids)
        return self.norm(x), attention_mask


@add(*[(floats(2, t, 8, seed=t),) for t in (3, 5)])
class EncoderModel(nn.Layer):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pool = nn.Linear(8, 8)

    def forward(self, x):
        y = self.encoder(x)
        return paddle.tanh(self.pool(y[:, 0])), y


@add(*[(floats(1, t, seed=t),) for t in (3, 6)])
def positions(x):
    n = x.shape[-1]
    at = paddle.arange(0, n, dtype="float32").unsqueeze(1)
    freq = paddle.exp(paddle.arange(0, 4, 2, dtype="float32") * -(math.log(100.0) / 4))
    table = paddle.concat([paddle.sin(at * freq), paddle.cos(at * freq)], axis=-1)
    return table * x.reshape([n, 1])


# -- detection -------------------------------------------------------------------------------------


def iou(box, boxes):
    x1 = paddle.maximum(box[0], boxes[:, 0])
    y1 = paddle.maximum(box[1], boxes[:, 1])
    x2 = paddle.minimum(box[2], boxes[:, 2])
    y2 = paddle.minimum(box[3], boxes[:, 3])
    inter = paddle.clip(x2 - x1, min=0) * paddle.clip(y2 - y1, min=0)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    mine = (box[2] - box[0]) * (box[3] - box[1])
    return inter / (area + mine - inter)


def _boxes(n, seed=0):
    low = np.random.RandomState(seed).rand(n, 2) * 3
    return np.concatenate([low, low + 1 + np.random.RandomState(seed + 9).rand(n, 2)], 1).astype(
        "float32"
    )


@add(
    *[(_boxes(n, n), np.random.RandomState(n).rand(n).astype("float32")) for n in (6, 4)],
    grad=False,
)
def nms_while(boxes, scores):
    kept = paddle.zeros([1], "int64") - 1
    alive = paddle.ones_like(scores)
    while (scores * alive).max() > 0.1:
        best = paddle.argmax(scores * alive)
        kept = paddle.concat([kept, best])
        overlap = iou(paddle.gather(boxes, best).squeeze(0), boxes)
        alive = alive * (overlap < 0.3).astype("float32")
        alive = paddle.scatter(alive, best, paddle.zeros([1]))
    return kept[1:], alive


@add(
    *[(_boxes(n, n), np.random.RandomState(n).rand(n).astype("float32")) for n in (5, 3)],
    grad=False,
)
def nms_list(boxes, scores):
    order = paddle.argsort(scores, descending=True)
    keep = []
    suppressed = paddle.zeros_like(scores)
    for i in range(order.shape[0]):
        at = order[i]
        if suppressed[at] > 0.5:
            continue
        keep.append(at)
        overlap = iou(boxes[at].reshape([4]), boxes)
        suppressed = paddle.maximum(suppressed, (overlap > 0.3).astype("float32"))
    return paddle.concat(keep), suppressed


@add(*[(floats(2, 21, s, s, seed=s),) for s in (2, 3)])
class YoloDecode(nn.Layer):
    def __init__(self):
        super().__init__()
        self.anchors = [[10, 13], [16, 30], [33, 23]]

    def forward(self, x):
        b, _, h, w = x.shape
        x = x.reshape([b, 3, 7, h, w]).transpose([0, 1, 3, 4, 2])
        gx, gy = paddle.arange(w).astype("float32"), paddle.arange(h).astype("float32")
        gx = gx.reshape([1, 1, 1, w])
        gy = gy.reshape([1, 1, h, 1])
        anchors = paddle.to_tensor(self.anchors, dtype="float32")
        px = (F.sigmoid(x[:, :, :, :, 0]) + gx) / w
        py = (F.sigmoid(x[..., 1]) + gy) / h
        pw = paddle.exp(x[..., 2]) * anchors[:, 0].reshape([1, 3, 1, 1])
        boxes = paddle.stack([px, py, pw], axis=-1).reshape([b, -1, 3])
        conf = F.sigmoid(x[..., 4:5]) * F.softmax(x[..., 5:])
        return boxes, conf.reshape([b, -1, 2])


@add(*[([floats(1, 4, s, s, seed=s) for s in (4, 2)],)], spec=None)
class FPN(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lateral = nn.LayerList([nn.Conv2D(4, 4, 1) for _ in range(2)])
        self.smooth = nn.LayerList([nn.Conv2D(4, 4, 3, padding=1) for _ in range(2)])

    def forward(self, feats):
        feats = [paddle.to_tensor(f) for f in feats]
        laterals = [conv(f) for conv, f in zip(self.lateral, feats)]
        for i in range(len(laterals) - 1, 0, -1):
            size = laterals[i - 1].shape[2:]
            laterals[i - 1] = laterals[i - 1] + F.interpolate(laterals[i], size=size)
        return [conv(f) for conv, f in zip(self.smooth, laterals)]


# -- images ----------------------------------------------------------------------------------------


def make_divisible(v, divisor=8, low=None):
    low = low or divisor
    new = max(low, int(v + divisor / 2) // divisor * divisor)
    return new + divisor if new < 0.9 * v else new


class Block(nn.Layer):
    expansion = 2

    def __init__(self, cin, width, stride=1, downsample=None, norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or functools.partial(nn.BatchNorm2D, momentum=0.8)
        self.conv1 = nn.Conv2D(cin, width, 1, bias_attr=False)
        self.bn1 = norm_layer(width)
        self.conv2 = nn.Conv2D(width, width * self.expansion, 3, padding=1, stride=stride)
        self.downsample = downsample
        self.act = nn.ReLU()

    def forward(self, x):
        identity = x
        out = self.act(self.bn1(self.conv1(x)))
        out = self.conv2(out)
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.act(out)


@add(*[(floats(n, 3, 8, 8, seed=n),) for n in (2, 3)], near=1e-4)
class TinyResNet(nn.Layer):
    def __init__(self):
        super().__init__()
        down = nn.Sequential(nn.Conv2D(3, 8, 1, stride=2), nn.BatchNorm2D(8))
        self.layers = nn.Sequential(
            ("one", Block(3, 4, 2, down)), ("two", Block(8, 4, norm_layer=nn.BatchNorm2D))
        )
        self.pool = nn.AdaptiveAvgPool2D((1, 1))
        self.fc = nn.Linear(make_divisible(8), 5)

    def forward(self, x, return_features=False):
        feats = {}
        for name, layer in self.layers.named_children():
            x = layer(x)
            feats[name] = x
        x = self.pool(x).flatten(1)
        return (self.fc(x), feats) if return_features else self.fc(x)


@add(*[(floats(n, 6, seed=n),) for n in (2, 3)])
class SqueezeGate(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.ModuleList([nn.Linear(6, 6)]) if hasattr(nn, "ModuleList") else nn.Linear(6, 6)
        self.act = getattr(F, "sigmoid")

    def forward(self, x):
        gate = self.act(self.fc(x))
        return x * gate if self.training else x


@add(*[(floats(2, 4, n, n, seed=n),) for n in (4, 6)])
def channel_shuffle(x):
    b, c, h, w = x.shape
    x = paddle.reshape(x, [b, 2, c // 2, h, w])
    x = paddle.transpose(x, [0, 2, 1, 3, 4])
    return paddle.reshape(x, [b, c, h, w])


@add(*[(floats(2, 3, n, 4, seed=n),) for n in (3, 5)])
def pad_to_multiple(x):
    h, w = x.shape[2], x.shape[3]
    ph = (4 - h % 4) % 4
    pw = (4 - w % 4) % 4
    if ph > 0 or pw > 0:
        x = F.pad(x, [0, pw, 0, ph])
    return x


@add(*[(floats(2, 6, 4, seed=n),) for n in (3, 5)])
class CapsuleRouting(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([6, 3, 4, 2])

    def squash(self, s):
        n = (s * s).sum(axis=-1, keepdim=True)
        return n / (1 + n) * s / paddle.sqrt(n + 1e-8)

    def forward(self, u):
        u_hat = paddle.matmul(u.unsqueeze(2).unsqueeze(3), self.w).squeeze(3)
        b = paddle.zeros([u.shape[0], 6, 3])
        for i in range(3):
            c = F.softmax(b, axis=2).unsqueeze(-1)
            v = self.squash((c * u_hat).sum(axis=1, keepdim=True))
            if i < 2:
                b = b + (u_hat * v).sum(axis=-1)
        return v.squeeze(1).norm(axis=-1)


@pytest.mark.filterwarnings("ignore:paddle.jit.save.*besides Tensors")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: s.name)
def test_same_as_eager(snippet, tmp_path):
    snippet.check(tmp_path)
