"""Converted functions on Variables: what a Program computes is what the original does eagerly."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import paddle
from paddle.jit.rewriting.source import transform


class Holder:
    """Something with attributes."""

    def __init__(self, **values):
        self.__dict__.update(values)


@contextlib.contextmanager
def recording():
    """Records into a Program of its own."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, startup):
            yield main
    finally:
        paddle.disable_static()


def flat(value):
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def static_runs(function, arrays):
    """Records the conversion of a function once and runs it with every set of arrays."""
    made = transform(function).function
    with recording() as main:
        specs = [
            paddle.static.data(f"x{i}", list(a.shape), str(a.dtype))
            for i, a in enumerate(arrays[0])
        ]
        result = flat(made(*specs))
        fetched = [v for v in result if isinstance(v, paddle.static.Variable)]
        exe, found = paddle.static.Executor(), []
        for one in arrays:
            feed = {f"x{i}": a for i, a in enumerate(one)}
            values = iter(exe.run(main, feed=feed, fetch_list=fetched))
            found.append(
                [next(values) if isinstance(v, paddle.static.Variable) else v for v in result]
            )
    return found


def eager_runs(function, arrays):
    found = []
    for one in arrays:
        result = flat(function(*[paddle.to_tensor(a) for a in one]))
        found.append([v.numpy() if isinstance(v, paddle.Tensor) else v for v in result])
    return found


def f32(*values):
    return np.array(values, "float32")


VECTORS = [(f32(1, 2, 3),), (f32(-1, -2, -3),), (f32(0.5, 0, 0),), (f32(9, -8, 0.25),)]
CASES = []


def case(function):
    CASES.append(function)
    return function


@case
def branches(x):
    if x.sum() > 1:
        y = x * 2
        z = y + 1
    else:
        z = x - 1
    return z


@case
def elif_chain(x):
    total = x.sum()
    if total > 5:
        y = x + 1
    elif total > 1:
        y = x + 2
    elif total > 0:
        y = x + 3
    else:
        y = x + 4
    return y, total


@case
def early_returns(x):
    if x.max() > 8:
        return x * 100
    if x.sum() > 1:
        if x.min() > 0:
            return x * 10
        x = x + 5
    elif x.sum() < -5:
        return x
    x = x + 1
    return x - 0.5


@case
def nested_return_in_one_branch(x):
    if x.sum() > 0:
        if x.max() > 8:
            return x * 3
        x = x + 1
    a = x * 2
    b = a + x
    c = b - 1
    d = c * c
    return a + b + c + d


@case
def while_loop(x):
    s = x.sum()
    steps = 0
    while s < 20:
        s = s + x.max() + 11
        steps += 1
    return s, steps


@case
def while_break_continue(x):
    s = x.sum()
    i = paddle.to_tensor([0])
    while i < 10:
        i = i + 1
        if i == 3:
            continue
        s = s + i.astype("float32")
        if s > 12:
            break
    return s, i


@case
def return_in_while(x):
    i = paddle.to_tensor([0])
    while i < 5:
        x = x + 1
        if x.sum() > 6:
            return x * 10
        i = i + 1
    return x


@case
def for_over_rows(x):
    s = paddle.zeros([1])
    for row in x:
        if row < 0:
            continue
        s = s + row
    return s


@case
def for_range_of_tensor(x):
    n = paddle.to_tensor([3]) + x.max().astype("int64")
    s = x
    for i in range(n):
        s = s + i
        if s.sum() > 30:
            break
    return s


@case
def for_range_of_ints_with_tensor_break(x):
    for _ in range(4):
        x = x * 2
        if x.max() > 10:
            break
    else:
        x = x + 0.5
    return x


@case
def return_in_python_loop(x):
    for i in range(3):
        if x.sum() > i + 1:
            return x + i
        x = x + 1
    return x - 100


@case
def logic(x):
    a, b = x.sum() > 0, x.max() > 2
    if (a and not b) or x.min() < -5:
        return x + 1
    return x - 1 if 0 < x.sum() <= 6 else x * 0


@case
def attributes(x):
    h = Holder(v=x, d={"k": x})
    if x.sum() > 1:
        h.v = h.v + 1
        h.d["k"] = h.v * 2
    else:
        h.d["k"] = h.d["k"] - 1
    i = paddle.to_tensor([0])
    while i < 3:
        h.v = h.v + h.d["k"]
        i = i + 1
    return h.v, h.d["k"]


@case
def items(x):
    y = x * 1
    if x.sum() > 1:
        y[0] = 5.0
        y[1:] = y[1:] * 2
    else:
        y[2] += 1.0
    return y, x


@case
def appended(x):
    rows = []
    i = paddle.to_tensor([0])
    while i < 3:
        rows.append(x + i.astype("float32"))
        i = i + 1
    return paddle.concat(rows)


@case
def appended_in_python_loop(x):
    rows = []
    for i in range(3):
        rows.append(x * i)
    rows.pop(0)
    return paddle.concat(rows), len(rows)


@case
def closures(x):
    scale = paddle.to_tensor([2.0])

    def scaled(v):
        if v.sum() > 0:
            return v * scale
        return v - scale

    if x.max() > 2:
        scale = scale + 1
    return scaled(x)


@case
def nonlocal_state(x):
    total = x.sum()

    def add(v):
        nonlocal total
        if v > 0:
            total = total + v
        return total

    add(x.max())
    return add(x.min())


@case
def casts(x):
    n = int(x.sum()) + 1
    flag = bool(x.max() > 2)
    if flag:
        n = n + 10
    return n, float(n)


@case
def lambdas_and_comprehensions(x):
    pick = lambda v: v + 1 if v.sum() > 0 else v - 1
    return [pick(x * k) for k in (1, -1)]


@case
def shapes(x):
    if x.shape[0] > 2 and len(x) == 3:
        return x.reshape([x.shape[0], 1]), x.shape[0]
    return x, 0


@case
def with_and_try(x):
    try:
        with paddle.no_grad():
            if x.sum() > 1:
                return x * 2
            y = x + 1
    finally:
        z = 1
    return y + z


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_program_computes_what_eager_does(function):
    for got, want in zip(static_runs(function, VECTORS), eager_runs(function, VECTORS)):
        assert len(got) == len(want)
        for a, b in zip(got, want):
            np.testing.assert_allclose(np.ravel(a), np.ravel(b), rtol=1e-5)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_converted_functions_run_eagerly_too(function):
    made = transform(function).function
    for got, want in zip(eager_runs(made, VECTORS), eager_runs(function, VECTORS)):
        for a, b in zip(got, want):
            np.testing.assert_allclose(np.ravel(a), np.ravel(b), rtol=1e-5)


def test_branches_leave_no_traces():
    def run(box, x):
        if x.sum() > 0:
            box.fresh = x
            box.kept = 1
        else:
            box.seen = hasattr(box, "fresh")
        return x

    box = Holder(kept=0)
    with recording():
        x = paddle.static.data("x", [3])
        transform(run).function(box, x)
    assert box.seen is False
    assert not isinstance(box.kept, int)  # either value, so a Variable
    with pytest.raises(Exception, match=r"fresh"):
        box.fresh + 1


def test_variable_of_one_branch():
    def run(x):
        if x.sum() > 0:
            y = x + 1
        return y

    with recording(), pytest.raises(UnboundLocalError, match=r"'y'.*one branch only"):
        transform(run).function(paddle.static.data("x", [3]))


def test_condition_of_many_elements():
    def run(x):
        if x > 3:
            x = x - 1
        return x

    with recording(), pytest.raises(ValueError, match=r"\[3, 2\]"):
        transform(run).function(paddle.static.data("x", [3, 2]))
