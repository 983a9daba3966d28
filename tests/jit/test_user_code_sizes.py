"""Sizes that only a run knows in users' arithmetic; less usual Python around Tensors."""

# The code is written as users write it.
# ruff: noqa: C416, RUF017

from __future__ import annotations

import enum
import functools
import itertools
import math
import operator

import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.autograd import PyLayer
from tests.jit.cases.user_code import Snippets, floats, ints

SNIPPETS = Snippets()
add = SNIPPETS.add
X = [(floats(3, 4, seed=i) + 0.3 * (-1) ** i,) for i in range(2)]
ROWS = [(floats(n, 4, seed=n),) for n in (3, 5, 8)]


@add(*ROWS)
def quotients_of_sizes(x):
    n = x.shape[0]
    return x * (n / 2), x * (1 / n), x * ((n - 1) / n), x / n, x * (n // 2), x * (n % 3)


@add(*ROWS)
def negative_quotients(x):
    n = x.shape[0]
    return x * (-n // 2), x * (-n % 4), x * (n // -2), x * ((1 - n) % 3), x * divmod(7, 2)[0]


@add(*ROWS)
def powers_of_sizes(x):
    n = x.shape[0]
    return x * n**2, x * (n**0.5), x * 2**n, x / (n * n) ** 0.5, x * -n, x * abs(2 - n)


@add(*ROWS)
def rounded_sizes(x):
    n = x.shape[0]
    k = int(n * 0.6)
    m = max(1, n // 2)
    m = min(m, 3)
    return x[:k], x[: max(n - 2, 1)], paddle.ones([m, k]), x * float(n), x[k:].sum()


@add(*ROWS)
def sizes_of_others(x):
    y = x[x[:, 0] > -10]
    n = y.shape[0]
    z = paddle.zeros([n, x.shape[1] + 1])
    return z + n, paddle.full([n], 2.0), paddle.arange(n), paddle.tile(x[:1], [n, 1]), y


@add(*ROWS)
def size_conditions(x):
    if x.shape[0] > 4:
        x = x[:4]
    elif x.shape[0] == 3:
        x = paddle.concat([x, x[:1]])
    assert x.shape[1] == 4
    assert x.shape[0] <= 4, "rows"
    k = 2 if x.shape[0] > 100 else 1
    return x.sum() * k


@add(*ROWS)
def chunks_in_python(x):
    out = []
    for start in range(0, x.shape[0], 2):
        out.append(x[start : start + 2].sum())
    return paddle.concat(out)


@add(*ROWS)
def windows(x):
    total = paddle.zeros([4])
    for i in range(1, x.shape[0] - 1):
        total = total + x[i - 1] * x[i + 1]
    return total


@add(*ROWS)
def pairs(x):
    total = paddle.zeros([1])
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            d = (x[i] - x[j]).abs().sum()
            if d > 3:
                continue
            total = total + d
    return total


@add(*ROWS)
def triangle(x):
    n = x.shape[0]
    mask = paddle.tril(paddle.ones([n, n]))
    eye = paddle.eye(n)
    return paddle.matmul(mask - eye, x), mask[:, ::2].sum(), mask.reshape([n * n]), mask.t()


@add(*ROWS)
def swapped_axes(x):
    shape = list(x.shape)
    shape[1] = shape[1] // 2
    new = [2] + shape
    y = x.reshape([shape[0], 2, shape[1]]).transpose([1, 0, 2])
    return y.reshape(new), y.expand([2, shape[0], 2]), x.expand_as(x), tuple(x.shape)[1]


@add(*ROWS)
def shape_compared(x):
    y = x * 2
    if x.shape == y.shape:
        y = y + 1
    if list(x.shape[1:]) == [4]:
        y = y + 2
    if x.shape[0] != y.shape[0]:
        y = y * 0
    return y


@add(*ROWS)
def product_of_shape(x):
    n = 1
    for s in x.shape:
        n *= s
    m = functools.reduce(operator.mul, x.shape[1:], 1)
    return x.reshape([n]), x.reshape([-1, m]), x.sum() / n, x.numel() * 1


@add(*[(floats(2, 3, n, 4, seed=n),) for n in (3, 6)])
def padded_to(x):
    h, w = x.shape[-2:]
    bottom = -h % 4
    x = F.pad(x, [0, 0, 0, bottom])
    hh = x.shape[2]
    y = x.reshape([2, 3, hh // 4, 4, w])
    return y.mean(axis=3), x[:, :, :h, :w]


@add(*[(floats(2, n, 3, seed=n),) for n in (3, 4)])
def pad_sequences(x):
    longest = 6
    more = longest - x.shape[1]
    y = F.pad(x, [0, 0, 0, more, 0, 0])
    z = paddle.concat([x, paddle.zeros([x.shape[0], more, x.shape[2]])], axis=1)
    return y, z


@add(*ROWS)
def lists_of_lists(x):
    groups = [[], []]
    for i in range(4):
        groups[i % 2].append(x[:, i])
    table = [[x[i, j] for j in range(2)] for i in range(3)]
    return [paddle.stack(g) for g in groups], paddle.concat(sum(table, []))


@add(*X)
def iteration_tools(x):
    total = 0
    for a, b in itertools.combinations(range(3), 2):
        total = total + x[a] * x[b]
    for i, j in itertools.product(range(2), repeat=2):
        total = total + x[i] - x[j]
    for a, b in zip(itertools.chain([1.0], [2.0]), [x[0], x[1]]):
        total = total + a * b
    return total, list(itertools.accumulate([x[0], x[1], x[2]]))


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


@add(*X)
def by_enum(x, mode=Mode.MEAN):
    if mode is Mode.SUM:
        y = x.sum()
    elif mode == Mode.MEAN:
        y = x.mean()
    else:
        raise ValueError(mode)
    return {Mode.SUM: y * 2, Mode.MEAN: y * 3}[mode]


class Clip(PyLayer):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return paddle.clip(x, -limit, limit)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * (x.abs() < ctx.limit).astype("float32") * 0.5


@add(*X)
def with_pylayer(x):
    return Clip.apply(x * 2, 1.0) * 3


class Scheduler:
    def __init__(self):
        self.step = 0

    def __call__(self, x):
        self.step += 1
        if x.mean() > 0:
            return x * self.step
        return x

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return i * 2.0

    def __contains__(self, key):
        return key == "a"

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


@add(*X)
def objects(x):
    s = Scheduler()
    y = s(x)
    with s as again:
        y = again(y)
    if "a" in s:
        y = y + s[1] + len(s)
    return y, s.step


class Registry(dict):
    def __missing__(self, key):
        return lambda v: v + 1


@add(*X)
def lookups(x):
    ops = Registry(relu=F.relu)
    y = ops["relu"](x) + ops["other"](x)
    table = {(0, 1): x[0], "k": [x[1]]}
    table["k"].append(y[0])
    return table[(0, 1)] + sum(table["k"]), table.get("none", y)


@add(*X)
def set_attributes(x):
    class Box:
        pass

    box = Box()
    box.value = x
    box.items = []
    if x.sum() > 0:
        box.value = box.value * 2
    for row in x:
        box.items.append(row)
    setattr(box, "late", box.value + 1)
    return box.value, box.late, paddle.stack(box.items)


@add(*X)
def star_calls(x):
    def inner(a, b=1, *rest, c=2, **more):
        return a * b * c + sum(rest) + more.get("d", 0)

    args, kwargs = (x, 2.0, x), {"c": 3.0}
    return inner(*args, **kwargs), inner(x, *[2.0], d=x), inner(**{"a": x})


@add(*X)
def comprehension_conditions(x):
    rows = [r for i, r in enumerate(x) if i != 1]
    gains = [2.0 if r.sum() > 0 else 0.5 for r in rows]
    scaled = [r * g for r, g in zip(rows, gains)]
    named = {f"r{i}": s for i, s in enumerate(scaled)}
    return named["r0"], named["r1"], [n for n in named]


@add(*X)
def swapped(x):
    a, b = x[0], x[1]
    if a.sum() > b.sum():
        a, b = b, a
    for _ in range(2):
        a, b = b, a + b
    c = d = a
    d = d + 1
    return a, b, c, d


@add(*X)
def match_statement(x):
    out = x
    for kind in ("add", ("scale", 2.0), {"shift": 1.0}):
        match kind:
            case "add":
                out = out + x
            case ("scale", by) if by > 1:
                out = out * by
            case {"shift": by}:
                out = out - by if out.sum() > 0 else out + by
    return out


@add(*X)
def globals_and_closures(x):
    scale = 2.0
    bias = x.mean()

    def outer(v):
        def inner(w):
            if w.sum() > bias:
                return w * scale
            return w + bias

        return inner(v) + inner(-v)

    return outer(x)


@add(*X)
def late_definitions(x):
    if x.sum() > 0:
        y = x
    else:
        y = -x
    for _ in range(3):
        z = y * 2
    while y.sum() < 10:
        w = y + 1
        y = w
    return y, z


@add(*X)
def while_with_lists(x):
    queue = [x[0], x[1]]
    done = []
    i = 0
    while len(queue) > 0 and i < 5:
        item = queue.pop(0)
        done.append(item)
        if i < 2:
            queue.append(item * 0.5)
        i += 1
    return paddle.stack(done)


@add(*X)
def nested_breaks(x):
    hits = paddle.zeros([1])
    for i in range(3):
        for j in range(4):
            if x[i, j] > 0.8:
                hits = hits + 1
                break
            if x[i, j] < -2:
                continue
            hits = hits + 0.1
        if hits > 1.5:
            break
    return hits


@add(*X)
def returns_in_with(x):
    with paddle.no_grad():
        scale = x.max()
        if scale > 2:
            return x * scale
    try:
        if x.min() < -5:
            return x
        return x / scale
    finally:
        scale = None


@add(*X)
def raises_and_catches(x):
    try:
        raise KeyError("no")
    except (KeyError, ValueError) as error:
        text = str(error)
    y = x + len(text)
    try:
        {}["gone"]
    except KeyError:
        y = y * 2
    else:
        y = y * 0
    return y


@add(*X)
def index_tricks(x):
    i = paddle.to_tensor([0, 2])
    y = x[i]
    z = x[[2, 1]]
    w = paddle.index_select(x, i, axis=0)
    v = paddle.gather_nd(x, paddle.to_tensor([[0, 1], [2, 3]]))
    u = paddle.scatter(x, i, paddle.ones([2, 4]))
    return y, z, w, v, u, x[1][2], x[-1, 1:3], x[0:3:2]


@add(*X)
def item_writes(x):
    y = x.clone()
    y[0, 1] = 2.0
    y[:, 3] = x[:, 0]
    for i in range(3):
        if x[i, 0] > 0:
            y[i] = y[i] * 2
    y[y > 1.5] = 0.0
    y[-1] += 1
    return y


@add(*ROWS)
def item_writes_unknown(x):
    y = paddle.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] * i
        if i > 0:
            y[i, 0] = y[i - 1, 1]
    return y


@add(*ROWS)
def stacked_lists(x):
    firsts, seconds = [], []
    for row in x:
        a, b = paddle.split(row, 2)
        firsts.append(a)
        if b.sum() > 0:
            seconds.append(b)
        else:
            seconds.append(a)
    return paddle.stack(firsts), paddle.concat(seconds)


@add(*ROWS)
def flags_in_loops(x):
    first = True
    done = False
    total = paddle.zeros([4])
    for i in range(x.shape[0]):
        if first:
            total = x[i]
            first = False
        elif not done:
            total = total + x[i]
        if total.sum() > 3:
            done = True
    return total


@add(*ROWS)
def averages(x):
    count, total = 0, 0.0
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            count += 1
            total += x[i].sum()
    return total / max(count, 1), count


@add(*ROWS)
def best_of(x):
    best, best_i = float("-inf"), -1
    for i in range(x.shape[0]):
        score = x[i].max()
        if score > best:
            best, best_i = score, i
    return best, best_i


@add((floats(3, 4),), (floats(3, 4, seed=5),), spec=None)
def numbers_from_tensors(x):
    total = float(x.sum())
    count = int((x > 0).astype("int64").sum())
    flag = bool(x.mean() > 0)
    y = x * total + count
    if flag:
        y = y + 1
    return y, math.pi * x, paddle.to_tensor([total, 1.0]), paddle.to_tensor(count)


@add(*X)
class Wrapped(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fns = [nn.Linear(4, 4), F.relu, lambda v: v * 2, functools.partial(F.softmax, axis=-1)]
        self.add_sublayer("first", self.fns[0])
        self.hooks = []
        self.fns[0].register_forward_post_hook(self.hook)

    def hook(self, layer, inputs, output):
        if output.mean() > 0:
            return output * 1.5
        return output

    def forward(self, x):
        for fn in self.fns:
            x = fn(x)
        return x


@add(*X)
class Ema(nn.Layer):
    def __init__(self):
        super().__init__()
        self.student, self.teacher = nn.Linear(4, 2), nn.Linear(4, 2)
        for p in self.teacher.parameters():
            p.stop_gradient = True

    def forward(self, x):
        with paddle.no_grad():
            target = self.teacher(x)
        return F.mse_loss(self.student(x), target.detach()), target

    def update(self):
        for s, t in zip(self.student.parameters(), self.teacher.parameters()):
            t.set_value(0.9 * t + 0.1 * s)


@add((ints(2, 3, high=5),), (ints(2, 3, high=5, seed=3),))
class SharedWeights(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.proj = nn.Linear(4, 4)

    def forward(self, ids):
        h = self.proj(self.embed(ids))
        return paddle.matmul(h, self.embed.weight, transpose_y=True)


@add(*X)
class Configured(nn.Layer):
    def __init__(self, **config):
        super().__init__()
        self.config = {"act": "relu", "layers": 2, "residual": True, **config}
        self.net = nn.Sequential(*[nn.Linear(4, 4) for _ in range(self.config["layers"])])

    def forward(self, x, **kwargs):
        out = {"hidden": []}
        for layer in self.net:
            y = getattr(F, self.config["act"])(layer(x))
            x = x + y if self.config.get("residual", False) else y
            out["hidden"].append(x)
        out["last"] = x
        return out


@pytest.mark.filterwarnings("ignore:paddle.jit.save.*besides Tensors")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: s.name)
def test_same_as_eager(snippet, tmp_path):
    snippet.check(tmp_path)
