"""Users' lists, dicts, attributes and Tensors that are changed in place under Tensors' control."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import paddle
from paddle import nn
from tests.jit.cases.user_code import Snippets

SNIPPETS = Snippets()
add = SNIPPETS.add
BASE = np.array([[1, 2, 3, 4], [-1, -2, -3, -4], [0, 0, 1, 0], [0.5, 0.5, 0.2, 0.1]], "float32")
ROWS = [(BASE,), (-BASE[:3],), (0.3 * BASE,)]


class Box:
    pass


@add(*ROWS)
def list_of_an_object(x):
    box = Box()
    box.items = []
    for row in x:
        if row.sum() > 0:
            box.items.append(row)
    return paddle.stack(box.items)


@add(*ROWS)
def list_in_a_dict(x):
    found = {"k": []}
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            found["k"].append(x[i])
    return paddle.stack(found["k"])


@add(*ROWS)
def list_in_a_list(x):
    beams = [[], []]
    for i in range(x.shape[0]):
        beams[0].append(x[i])
        if x[i].sum() > 0:
            beams[1].append(x[i] * 2)
    return paddle.stack(beams[0]), paddle.stack(beams[1])


@add(*ROWS)
def other_name_sees_it(x):
    y = x * 1
    z = y
    if x.sum() > 0:
        y[0] = 0.0
    if x[0].sum() > 0:
        if x[1].sum() < 0:
            z[1] = 1.0
    return y, z


@add(*ROWS)
def other_name_sees_tanh(x):
    y = x * 1
    z = y
    if x.sum() > 0:
        y.tanh_()
    z.reshape_([-1])
    return y, z


@add(*ROWS)
def list_at_a_tensor(x):
    rows = [x[0], x[1], x[2]]
    k = int((x.sum() > 0).astype("int64"))
    return rows[k], rows[k + 1]


@add(*ROWS)
def elements_of_a_list(x):
    outs = [x[0] * 0] * 3
    for i in range(3):
        if x[i].sum() > 0:
            outs[i] = x[i]
    for t in outs[:1]:
        t += 1
    return outs


@add(*ROWS)
class Outputs(nn.Layer):
    def __init__(self):
        super().__init__()
        self.outs = []
        self.memory = None

    def forward(self, x):
        self.outs = []
        self.memory = paddle.zeros([4, 4])
        for i in range(x.shape[0]):
            self.outs.append(x[i])
            if x[i].sum() > 0:
                self.memory[i] = x[i]
        return paddle.stack(self.outs), self.memory


@add(*ROWS)
class Buffers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", paddle.zeros([4, 4]))

    def forward(self, x):
        with paddle.no_grad():
            for i in range(x.shape[0]):
                if x[i].sum() > 0:
                    self.seen[i] = x[i]
            if x.sum() > 0:
                self.seen.set_value(self.seen + 1)
            else:
                paddle.assign(self.seen - 1, self.seen)
        return self.seen * 1


@add(*ROWS)
def size_by_math(x):
    up, down = math.ceil(x.shape[0] / 2), math.floor(x.shape[0] * 0.7)
    scaled = x / math.sqrt(x.shape[0]) + math.log(x.shape[-1])
    return x[:up], x[:down], paddle.zeros([up, down]), scaled, x * round(x.shape[0] * 0.3)


@add(*ROWS)
def none_first(x):
    h = None
    for i in range(3):
        h = x[i] if h is None else h + x[i]
    return h


@add(*ROWS)
def none_first_unknown(x):
    h = None
    for i in range(x.shape[0]):
        if h is None:
            h = x[i]
        else:
            h = h * 0.5 + x[i]
    return h


@add(*ROWS)
def none_first_ternary(x):
    h = None
    outs = []
    for i in range(x.shape[0]):
        h = x[i] if h is None else paddle.tanh(h) + x[i]
        outs.append(h)
    return paddle.stack(outs), h


@add(*ROWS)
def none_first_rows(x):
    h, c = None, None
    for row in x:
        if h is None:
            h, c = row, row * 2
        else:
            h, c = h + c, c * 0.5 + row
    return h, c


@add(*ROWS)
def none_while(x):
    best = None
    i = paddle.zeros([1], "int64")
    while i < x.shape[0]:
        score = x[i].sum()
        if best is None or score > best:
            best = score
        i += 1
    return best


@add(*ROWS)
def none_state_tuple(x):
    state = None
    for i in range(paddle.shape(x)[0]):
        if state is None:
            state = (x[i], x[i] * 2)
        h, c = state
        state = (h + c, c * 0.9)
    return state


@add(*ROWS)
def several_none(x):
    a = b = c = None
    for i in range(x.shape[0]):
        a, b, c = x[i], a, b
    return a, b is c


@add(*ROWS)
def previous_row(x):
    last, loss = None, 0.0
    for row in x:
        if last is not None:
            loss = loss + (row - last).abs().sum()
        last = row
    return loss


@add(*ROWS)
def mask_until_full(x):
    mask = paddle.zeros([x.shape[0]], "bool")
    n = 0
    while not mask.all():
        i = paddle.argmin(mask.astype("int32"))
        mask[i] = True
        n += 1
    return mask, n


@add(*ROWS)
def steps_of_own_size(x):
    i = 0
    outs = []
    while i < x.shape[0]:
        step = 2 if x[i].sum() > 0 else 1
        outs.append(x[i])
        i += step
    return paddle.stack(outs)


@add(*ROWS)
def grouped(x):
    groups = defaultdict(list)
    for i in range(3):
        groups[i % 2].append(x[i])
    return OrderedDict((str(k), paddle.stack(v)) for k, v in groups.items())


@add(*ROWS)
def two_at_once(x):
    step = 0
    while step < 3:
        x, step = (x * 0.9, step + 1) if x.sum() > 0 else (x - 1, step + 2)
    return x, step


@add(*ROWS)
def counted_in_place(x):
    i = paddle.to_tensor([0])
    paddle.increment(i)
    while i < 5:
        if i == 3:
            i += 2
            continue
        x = x + i.astype("float32")
        paddle.increment(i)
    return x, i


@add(*ROWS)
def element_as_number(x):
    total = x.sum().item()
    if x[0, 0].item() > 0:
        total = total * 2
    return x * total


@add(*ROWS)
def last_of_a_loop(x):
    for row in x:
        if row.sum() > 3:
            break
    else:
        return x[0] * 0
    return row


@pytest.mark.filterwarnings("ignore:paddle.jit.save.*besides Tensors")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: s.name)
def test_same_as_eager(snippet, tmp_path):
    snippet.check(tmp_path)
