"""Functions to convert: assignments to attributes, items and several names."""

# The odd ones are meant to be odd.
# ruff: noqa: B007
from __future__ import annotations

from tests.jit.cases.programs.listing import Box, note, program


@program((Box(h=1), 1), (Box(h=5), 5), (Box(), 1), (Box(), 5))
def attribute_targets(box, x):
    if x > 2:
        box.h = x
        box.n = [x]
    else:
        box.h = box.h + 1
    return box


@program((Box(h=1), 1), (Box(h=5), 5), (Box(h=0), 9))
def attribute_in_loop(box, x):
    box.count = 0
    while box.h < x:
        box.h += 2
        box.count += 1
        box.last, (box.a, box.b) = box.h, (1, 2)
        if box.count > 2:
            break
    return box


@program((Box(child=Box(v=[0, 1])), 1), (Box(child=Box(v=[0, 1])), 3))
def deep_targets(box, x):
    if x > 2:
        box.child.v[0] = x
        box.child.w = 1
    else:
        box.child.v[1] += 5
    return box


@program((Box(child=None), 0), (Box(child=None), 3))
def moving_base(box, n):
    for i in range(n):
        box.child = Box(i=i)
        box.child.j = i * 2
        if i == 1:
            box = box.child
            box.child = None
            box.k = 3
    return box


@program(({}, 1), ({"k": 1}, 3), ({"k": 1, "j": 5}, 0))
def dict_targets(d, x):
    if x > 2:
        d["k"] = x
        d["new"] = 1
    elif x > 0:
        d["j"] = 2
    for i in range(x):
        d[i] = i
        d["sum"] = d.get("sum", 0) + i
    d["k"] += 1
    return d


@program(([1, 2, 3], 0), ([1, 2, 3], 2), ([1], 1))
def list_targets(xs, i):
    if i > 0:
        xs[i] = 10
        xs[-1] += 5
    else:
        xs[1:] = [7, 8, 9]
    xs[0], xs[-1] = xs[-1], xs[0]
    xs[0:1] = xs[::2]
    a = xs[0] = "first"
    return xs, a


@program(([[1], [2]],))
def augmented_in_place(xs):
    inner = xs[0]
    xs[0] += [5]
    for i in range(2):
        xs[i] += [i]
        xs[note(i)] *= 2
    return xs, inner


@program(([3, 1, 2],))
def order_of_evaluation(xs):
    xs[note(0)] = note(5)
    xs[note(1)], i = note(6), note(2)
    i, xs[i] = 1, 9
    xs[i], xs[note(0)] = note(i), note(i + 1)
    return xs, i


@program(([1, 2, 3, 4],), ([],), ([5],))
def stack(xs):
    out = []
    while xs:
        x = xs.pop()
        out.append(x)
        if x == 2:
            out.append(xs.pop(0))
            continue
        if len(out) > 5:
            break
    d = {"a": 1}
    out.append(d.pop("a"))
    out.append(d.pop("b", None))
    return out, xs, d


@program((3,), (0,))
def appends(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        rows.append(row)
        if i > 1:
            rows.append("more")
    return rows


@program((2,), (5,))
def star_targets(n):
    head, *tail = range(n)
    if n > 3:
        *tail, head = tail
    else:
        (head, tail), [n] = (1, 2), [3]
    for first, *rest in [(1, 2, 3), "ab"]:
        if rest:
            n += len(rest)
    return head, tail, n, first, rest


@program((1,), (4,))
def annotated(n):
    x: int = n
    y: list[int]
    if x > 2:
        y: str = "s"
        x: int = x + 1
    else:
        y = []
    return x, y


@program((1,), (4,))
def annotated_unbound(n):
    y: int
    if n > 2:
        y = 1
    return y
