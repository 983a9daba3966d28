"""Users' functions full of Python: what is eager must be the same converted, saved and loaded."""

# The code is written as users write it.
# ruff: noqa: C416, C417, RUF021, SIM201, UP008, UP031, UP032

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools

import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.jit.cases.user_code import Snippets, floats, ints

SNIPPETS = Snippets()
add = SNIPPETS.add
X = [(floats(3, 4, seed=i) + 0.3 * (-1) ** i,) for i in range(2)]
ROWS = [(floats(n, 4, seed=n),) for n in (3, 5)]


@add(*X)
def is_a_tensor(x):
    if isinstance(x, paddle.Tensor):
        y = x * 2
    else:
        y = x * 3
    if not isinstance(y, (paddle.Tensor, list)):
        y = y * 100
    return y, type(y) is type(x), type(x) == paddle.Tensor  # noqa: E721


@add(*ROWS)
def unpacked_shape(x):
    b, c = x.shape
    y = x.reshape([b * 2, c // 2])
    return y.sum(axis=1), x.reshape((-1, c)) * 1.0, paddle.zeros([b, 2]) + 1


@add(*[(floats(n, 2, 4, 4, seed=n),) for n in (2, 3)])
def image_shape(x):
    b, c, h, w = x.shape
    y = x.reshape([b, c, h * w]).transpose([0, 2, 1])
    y = paddle.reshape(y, [b, h, w, c])
    return y * 2, F.interpolate(x, size=[h * 2, w * 2])


@add(*X)
def sizes(x):
    if x.ndim == 2 and x.dim() == 2 and x.dtype == paddle.float32:
        return x * x.size / len(x) + x.shape[-1]
    return x


@add(*ROWS)
def mean_by_len(x):
    n = len(x)
    return x.sum(axis=0) / n, x.sum() / x.shape[0]


@add(*X)
def not_changed(x):
    x += 1
    x *= 2
    x[0] = 5.0
    return x


@add(*X)
def in_place_methods(x):
    y = x * 1
    y.reshape_([4, 3]).unsqueeze_(0)
    y = y.squeeze_(0)
    y = paddle.tanh_(y)
    paddle.reshape_(y, [3, 4])
    if y.sum() > 0:
        y.tanh_()
    return y


@add(*ROWS)
def builtins_on_tensors(x):
    a, b = x.mean(), x.sum()
    lowest, highest = min(a, b), max(a, b)
    return abs(x), pow(x * x, 2), sum([x, x, x]), lowest, highest, max(a, 0.5), min([a, b, 0.1])


@add(*X)
def greatest_with_key(x):
    rows = [x[0], x[1], x[2]]
    longest = max([[1], [1, 2], [3]], key=len)
    return sum(rows) * len(longest) + sum(r.sum() for r in rows)


@add(*X)
def any_all(x):
    flags = [r.sum() > 0 for r in x]
    if any(flags):
        x = x + 1
    if all(flags):
        x = x * 2
    if any(row.sum() > 100 for row in x):
        x = x * 0
    return x


@add(*X)
def rounding(x):
    return round(2.6), divmod(7, 2), x * round(1.4), sorted([3, 1])[0] * x


@add(*X)
def zipped_layers(x):
    weights = [1.0, 2.0, 3.0]
    out = []
    for w, row in zip(weights, x):
        out.append(row * w)
    for i, (w, row) in enumerate(zip(weights, x)):
        out[i] = out[i] + w * row * i
    return paddle.stack(out)


@add(*ROWS)
def enumerated_rows(x):
    total = paddle.zeros([4])
    for i, row in enumerate(x):
        if row.sum() > 0:
            total = total + row * i
    return total


@add(*X)
class LayersInLists(nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])
        self.named = nn.LayerDict() if hasattr(nn, "LayerDict") else None
        self.heads = {"a": nn.Linear(4, 2), "b": nn.Linear(4, 3)}
        for name, head in self.heads.items():
            self.add_sublayer(name, head)

    def forward(self, x):
        for i, block in enumerate(self.blocks):
            x = x + block(x) if i % 2 else block(x)
        for block, gain in zip(self.blocks, [0.5, 1.5, 2.5]):
            x = F.relu(block(x)) * gain
        return {name: head(x) for name, head in self.heads.items()}


@add(*X)
def dict_updates(x):
    state = {"sum": paddle.zeros([4]), "n": 0}
    for row in x:
        if row.max() > 0.5:
            state["sum"] = state["sum"] + row
            state["n"] += 1
    return state["sum"], state["n"] * 1.0


@add(*ROWS)
def dict_updates_unknown(x):
    state = {"sum": paddle.zeros([4]), "best": paddle.full([1], -1e9)}
    for i in range(x.shape[0]):
        state["sum"] += x[i]
        if x[i].sum() > state["best"]:
            state.update(best=x[i].sum())
    return state


@add(*X)
def unpacking_targets(x):
    first, *rest = x[0], x[1], x[2]
    for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]:
        first = first * a + b - c
    (p, q), r = (first, rest[0]), rest[-1]
    for k, *others in [(1, 2, 3), (2, 3, 4)]:
        p = p + k * sum(others)
    return p, q, r


@add(*X)
def loop_else(x):
    found = paddle.zeros([1])
    for i in range(3):
        if x[i].sum() > 1.0:
            found = found + i
            break
    else:
        found = found - 1
    n = 0
    while n < 3:
        n += 1
        if n == 2:
            break
    else:
        found = found * 100
    return found


@add(*ROWS)
def loop_else_unknown(x):
    where = paddle.full([1], -1, "int64")
    for i in range(x.shape[0]):
        if x[i, 0] > 0.5:
            where = where * 0 + i
            break
    else:
        where = where - 1
    return where


@add(*X)
def nonlocal_counter(x):
    count = 0
    total = paddle.zeros([4])

    def visit(row):
        nonlocal count, total
        count += 1
        total = total + row * count

    for row in x:
        visit(row)
    return total, count


@add(*X)
def nonlocal_in_branch(x):
    total = paddle.zeros([4])

    def visit(row):
        nonlocal total
        if row.sum() > 0:
            total = total + row
        else:
            total = total - row

    for row in x:
        visit(row)
    return total


@add(*X)
def lambdas(x):
    pick = lambda v: v * 2 if v.sum() > 0 else v - 1
    squares = list(map(lambda r: r * r, [x[0], x[1]]))
    positive = list(filter(lambda v: v is not None, [x, None]))
    return pick(x), squares, positive, functools.reduce(lambda a, b: a + b, [r for r in x])


@add(*X)
def generators(x):
    total = sum(row.mean() for row in x)
    return total, tuple(r + 1 for r in x), {i: r for i, r in enumerate(x)}[1]


@add(*X)
def try_around(x):
    try:
        if x.sum() > 0:
            y = x + 1
        else:
            y = x - 1
    except ValueError:
        y = x
    finally:
        z = x * 2
    with paddle.no_grad():
        if x.mean() > 0:
            scale = x.max()
        else:
            scale = x.min()
    with contextlib.suppress(KeyError):
        y = y * scale
    return y, z


def power(x, n):
    return x if n == 0 else power(x * 1.5, n - 1)


@add(*X)
def python_recursion(x):
    return power(x, 3)


@add(*X)
def texts(x):
    name = f"{x.shape[0]}x{x.shape[1]}:{x.dtype}"
    values = {name: x, "shape %s" % (x.shape,): x * 2, "{}".format(x.ndim): x * 3}
    f"{x}"
    str(x.sum())
    repr(x)
    return [values[k] for k in sorted(values)]


@add(*[(floats(n, 6, seed=n),) for n in (4, 5)])
def slices(x):
    k = x.shape[0]
    i = paddle.argmax(x.sum(axis=1))
    last = x[:, -1]
    return (
        x[::-1], x[:, ::-2], x[1:, 2:-1], x[k - 2 :], x[i], x[i : i + 1], x[..., 0], last,
        x[:, None], x[k // 2, :],
    )  # fmt: skip


@add(*X)
def masks(x):
    y = x[x > 0]
    m = x.sum(axis=1) > 0
    return y, y.sum(), paddle.masked_select(x, x < 0), x[m].sum(), paddle.where(x > 0, x, -x)


@add(*[(floats(3, 4, seed=1), ints(2, high=3, seed=4)), (floats(3, 4, seed=2), ints(2, high=3))])
def int_index(x, at):
    rows = []
    for k in range(2):
        rows.append(x[int(at[k])])
    n = int(at[0]) + 1
    y = x[:n].sum()
    for _ in range(int(at[1])):
        y = y + 1
    return paddle.stack(rows), y, paddle.arange(n).sum(), paddle.zeros([n]).sum() + n


@add(*X)
def training_numpy(x):
    training = True
    y = x * 2
    if not training:
        print(y.numpy())
    if x.stop_gradient:
        y = y * 1
    return y


@dataclasses.dataclass
class Config:
    width: int = 4
    gain: float = 2.0
    steps: tuple = (1, 2)

    @property
    def twice(self):
        return self.gain * 2

    def scaled(self, x):
        return x * self.gain if x.sum() > 0 else x * self.twice


@add(*X)
def with_dataclass(x):
    config = Config(gain=3.0)
    for step in config.steps:
        x = config.scaled(x) + step
    return x, dataclasses.replace(config, gain=1.0).scaled(x)


@dataclasses.dataclass
class Output:
    logits: object
    hidden: object = None


@add(*X)
def dataclass_of_tensors(x):
    out = Output(x)
    if x.sum() > 0:
        out.logits = out.logits * 2
    else:
        out.logits = out.logits - 1
    out.hidden = x + 1
    return out.logits, out.hidden


Pair = collections.namedtuple("Pair", ["a", "b"])


@add(*X)
def named_tuples(x):
    pair = Pair(x, x * 2)
    for row in x:
        pair = pair._replace(a=pair.a + row)
    if x.mean() > 0:
        pair = Pair(pair.b, pair.a)
    return pair.a, pair.b


@add(*X)
def partials(x):
    scale = functools.partial(scaled_by, k=3.0)
    act = {"relu": F.relu, "half": functools.partial(scaled_by, k=0.5)}
    return scale(x), act["relu"](x), act["half"](x)


def scaled_by(x, *, k=2.0, bias=None):
    if bias is not None and bias.sum() > 0:
        x = x + bias
    if x.sum() > 0:
        return x * k
    return x / k


@add(*X)
def keyword_only(x):
    return (
        scaled_by(x, bias=x[0]) + scaled_by(x, k=1.0),
        collected(x),
        collected(x),
        spread(x, x, k=2),
    )


def collected(x, seen=None, memo=[]):  # noqa: B006
    memo.append(1)
    seen = seen or []
    seen.append(x * 2)
    del memo[:]
    return seen[0] + len(seen) + len(memo)


def spread(*args, **kwargs):
    total = 0
    for a in args:
        total = total + a
    for key, value in kwargs.items():
        if key == "k":
            total = total * value
    return total


@add(*X)
class WithProperties(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self._gain = 2.0
        self.steps = 0

    @property
    def gain(self):
        return self._gain * 0.5

    @property
    def head(self):
        return self.first

    @staticmethod
    def shift(x, by=1.0):
        return x + by if x.sum() > 0 else x - by

    @classmethod
    def doubled(cls, x):
        return cls.shift(x) * 2

    def helper(self, x):
        return self.head(x) * self.gain

    def forward(self, x):
        y = self.helper(x)
        y = self.shift(y)
        return WithProperties.doubled(y), self.doubled(y)


class Base(nn.Layer):
    def __init__(self, width=4):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        if x.mean() > 0:
            return self.linear(x)
        return self.linear(x) * 2


@add(*X)
class Derived(Base):
    def __init__(self):
        super().__init__()
        self.more = nn.Linear(4, 4)

    def forward(self, x):
        y = super().forward(x)
        y = super(Derived, self).forward(y)
        return self.more(y)


@add(*X)
def walrus(x):
    if (s := x.sum()) > 0:
        y = x * s
    else:
        y = x - s
    while (n := y.abs().max()) > 1.0:
        y = y / 2
    return y, n, s


@add(*X)
def chained(x):
    s = x.sum()
    if -100 < s < 0 or s > 3 and not (s == 4):
        x = x + 1
    elif 0 <= s <= 1:
        x = x + 2
    else:
        x = x + 3
    return x


@add(*X)
def early_returns(x):
    for i in range(3):
        if x[i].sum() > 1:
            return x[i]
        if i == 2 and x[i].sum() < -1:
            return x[i] * 2
    return x[0] * 0


@add(*X)
def deletes(x):
    y = x * 2
    z = y + 1
    del y
    if x.sum() > 0:
        y = z
    else:
        y = -z
    assert y.shape == [3, 4], f"{y.shape}"
    assert x.sum() < 1000, "too much"
    return y


@add(*X)
def items_of_tensor(x):
    total = 0.0
    for row in x:
        total = total + row.sum().item() if hasattr(row, "missing") else total + row.sum()
    return total


@pytest.mark.filterwarnings("ignore:paddle.jit.save.*besides Tensors")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: s.name)
def test_same_as_eager(snippet, tmp_path):
    snippet.check(tmp_path)
