"""Losses, policies, samplers and other models: the same eager, converted and saved."""

# The code is written as users write it.

from __future__ import annotations

import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.jit.cases.user_code import Snippets, floats, ints

SNIPPETS = Snippets()
add = SNIPPETS.add


@add((floats(2, 4),), (floats(2, 4, seed=3),))
class Diffusion(nn.Layer):
    def __init__(self, steps=5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.Silu() if hasattr(nn, "Silu") else nn.Tanh(),
                                 nn.Linear(8, 4))  # fmt: skip
        betas = paddle.linspace(1e-2, 0.2, steps)
        self.register_buffer("betas", betas)
        self.register_buffer("bars", paddle.exp(paddle.cumsum(paddle.log(1 - betas))))

    def forward(self, x):
        for t in reversed(range(self.betas.shape[0])):
            at = paddle.full([x.shape[0], 1], float(t))
            eps = self.net(paddle.concat([x, at], axis=1))
            alpha = 1 - self.betas[t]
            x = (x - self.betas[t] / paddle.sqrt(1 - self.bars[t]) * eps) / paddle.sqrt(alpha)
            if t > 0:
                x = x + 0.1 * paddle.sqrt(self.betas[t])
        return x


@add((floats(3, 4), ints(3, high=4)), (floats(2, 4, seed=2), ints(2, high=4)))
def policy_gradient(logits, actions):
    dist = paddle.distribution.Categorical(logits)
    other = paddle.distribution.Categorical(logits * 0.5)
    logp = paddle.sum(F.log_softmax(logits) * F.one_hot(actions, 4), axis=-1)
    advantage = paddle.cast(actions, "float32") - 1.0
    return -(logp * advantage.detach()).mean(), dist.entropy(), dist.kl_divergence(other)


@add((floats(3, 2),), (floats(5, 2, seed=2),))
def gaussian_policy(out):
    mean, log_std = paddle.split(out, 2, axis=-1)
    log_std = paddle.clip(log_std, -2.0, 2.0)
    dist = paddle.distribution.Normal(mean, paddle.exp(log_std))
    return dist.log_prob(mean + 0.5), dist.entropy()


@add((floats(4),), (floats(7, seed=1),))
def returns(rewards):
    out = []
    total = paddle.zeros([1])
    for i in range(rewards.shape[0]):
        total = rewards[rewards.shape[0] - 1 - i] + 0.9 * total
        out.append(total)
    y = paddle.concat(out)
    return paddle.flip(y, axis=[0]), (y - y.mean()) / (y.std() + 1e-6)


@add((ints(3, high=8), ints(3, high=8), ints(3, 2, high=8)))
class SkipGram(nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = nn.Embedding(8, 4)
        self.outer = nn.Embedding(8, 4)

    def forward(self, center, context, negatives):
        c = self.inner(center)
        good = F.log_sigmoid((c * self.outer(context)).sum(-1))
        bad = F.log_sigmoid(-paddle.bmm(self.outer(negatives), c.unsqueeze(-1)).squeeze(-1))
        return -(good + bad.sum(-1)).mean()


@add(*[(floats(n, 4, seed=n), floats(n, 4, seed=n + 1)) for n in (3, 4)])
def contrastive(a, b):
    a, b = F.normalize(a, axis=1), F.normalize(b, axis=1)
    logits = paddle.matmul(a, b, transpose_y=True) / 0.1
    labels = paddle.arange(a.shape[0])
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


@add(*[(floats(n, 4, seed=n), ints(n, high=4, seed=n)) for n in (3, 5)])
def focal_loss(logits, label):
    logp = F.log_softmax(logits)
    pt = paddle.index_sample(logp, label.unsqueeze(-1)).exp().flatten()
    loss = -((1 - pt) ** 2.0) * pt.log()
    hard = loss > loss.mean()
    if hard.astype("float32").sum() > 1:
        loss = paddle.masked_select(loss, hard)
    return loss.mean()


@add(*[(floats(n, 4, seed=n),) for n in (3, 5)])
class Tree(nn.Layer):
    """A tree that is known to Python, a leaf for each row."""

    def __init__(self):
        super().__init__()
        self.join = nn.Linear(8, 4)

    def compose(self, tree, x):
        if isinstance(tree, int):
            return x[tree]
        left, right = tree
        both = paddle.concat([self.compose(left, x), self.compose(right, x)])
        return paddle.tanh(self.join(both.unsqueeze(0))).squeeze(0)

    def forward(self, x):
        return self.compose(((0, 1), (2, (0, 2))), x)


@add(*[(floats(3, 4, seed=n),) for n in (3, 5)])
class MixtureOfExperts(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        weight, index = paddle.topk(F.softmax(self.gate(x)), 2)
        out = paddle.zeros_like(x)
        for i, expert in enumerate(self.experts):
            mine = (index == i).astype("float32") * weight
            if mine.sum() > 0:
                out += expert(x) * mine.sum(axis=-1, keepdim=True)
        return out


@add(*[(floats(3, 4, seed=n),) for n in (1, 2)], save=False)
class WithState(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("average", paddle.zeros([4]))
        self.register_buffer("count", paddle.zeros([1], "int64"))
        self.last = None

    def forward(self, x):
        y = self.linear(x)
        if self.training:
            self.average = 0.9 * self.average + 0.1 * y.detach().mean(axis=0)
            self.count += 1
        self.last = y
        return y - self.average, self.count


@add(*[(floats(3, 4, seed=n),) for n in (1, 2)])
class AdaptiveDepth(nn.Layer):
    """Halts when it is sure: adaptive computation time."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)
        self.halt = nn.Linear(4, 1)

    def forward(self, x):
        budget = paddle.zeros([1])
        n = 0
        while budget < 1.5 and n < 6:
            x = paddle.tanh(self.step(x))
            budget = budget + F.sigmoid(self.halt(x)).mean()
            n += 1
        return x, budget, n


@add(*[(floats(2, 4, seed=n), floats(4, 4, seed=9)) for n in (1, 2)])
def newton(x, a):
    for _ in range(4):
        new = x - 0.1 * paddle.tanh(paddle.matmul(x, a))
        if (new - x).abs().max() < 0.05:
            break
        x = new
    return x


@add(*[(floats(2, 4, seed=n),) for n in (1, 2)])
class Functional(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter(
            [4, 4], default_initializer=nn.initializer.XavierNormal()
        )
        self.bias = self.create_parameter([4], is_bias=True)
        self.acts = {"relu": F.relu, "gelu": F.gelu, None: lambda v: v}

    def forward(self, x, act="gelu", *, scale=None):
        y = F.linear(x, self.weight, self.bias)
        y = self.acts[act](y) if act in self.acts else getattr(F, act)(y)
        y = y if scale is None else y * scale
        for name, p in self.named_parameters():
            if "bias" not in name:
                y = y + 0.01 * p.norm()
        return y


@pytest.mark.filterwarnings("ignore:paddle.jit.save.*besides Tensors")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: s.name)
def test_same_as_eager(snippet, tmp_path):
    snippet.check(tmp_path)
