"""Functions to convert: loops with break, continue and else."""

# The odd ones are meant to be odd.
# ruff: noqa: B007
from __future__ import annotations

from tests.jit.cases.programs.listing import LISTS, NUMBERS, Box, note, program


@program(*NUMBERS)
def simple_while(n):
    i, s = 0, 0
    while i < n:
        s += i
        i += 1
    return i, s


@program(*NUMBERS)
def while_break_continue(n):
    i, seen = 0, []
    while True:
        i += 1
        if i % 2 == 0:
            continue
        if i > n:
            break
        seen.append(i)
    return i, seen


@program(*NUMBERS)
def while_else(n):
    while n > 0:
        n -= 2
        if n == 1:
            break
    else:
        n = "done"
    return n


@program(*NUMBERS)
def while_true_value(n):
    while True:
        y = n * 2
        n += 1
        if y > 5:
            break
    return y


@program(*NUMBERS)
def while_walrus(n):
    out = []
    it = iter([3, 2, 1, 0, 5])
    while (k := next(it)) > n - 3:
        out.append(k)
    return out, k


@program(*NUMBERS)
def while_walrus_else(n):
    while (n := n - 1) > 0:
        if n == 2:
            break
    else:
        note("else")
    return n


@program(*NUMBERS)
def while_unbound(n):
    while n > 2:
        last = n
        n -= 1
    return last


@program(*LISTS)
def for_target_after(xs):
    for i in range(len(xs)):
        pass
    return i


@program(*LISTS)
def for_target_in_use(xs):
    x = "before"
    for x in xs:
        if x < 0:
            break
    return x


@program(*LISTS)
def for_else(xs):
    for x in xs:
        if x == 4:
            r = "found"
            break
    else:
        r = "missing"
    return r


@program(*LISTS)
def for_continue(xs):
    s = 0
    for x in xs:
        if x < 0:
            continue
        s += x
    return s


@program(*LISTS)
def for_continue_nested(xs):
    s = 0
    for x in xs:
        if x > 0:
            if x % 2:
                if x == 3:
                    continue
                s += 1
            elif x > 5:
                break
            s += 10
        s += 100
        for y in xs[:3]:
            if y == x:
                continue
            if y > x:
                break
            s += y
        else:
            continue
        s += 1000
    return s


@program(*LISTS)
def break_in_else_of_inner(xs):
    n = 0
    for x in xs:
        for y in xs:
            if y == x + 1:
                break
            n += 1
        else:
            break
        n += 10
    return n


@program(*LISTS)
def while_in_for(xs):
    out = []
    for x in xs:
        while x > 0:
            x -= 3
            if x == 1:
                break
        else:
            out.append("else")
        out.append(x)
    return out


@program((3,), (0,), (5,))
def enumerate_zip(n):
    out = []
    for i, (a, *b) in enumerate(zip(range(n), "abcdef", [1, 2, 3, 4, 5]), start=1):
        if i == 3:
            continue
        out.append((i, a, b))
    return out


@program(({"a": 1, "b": 2, "c": 3},), ({},))
def dict_loops(d):
    out = []
    for k in d:
        out.append(k)
    for k, v in d.items():
        if v == 2:
            continue
        out.append((k, v))
    for v in d.values():
        out.append(v)
    for k in sorted(d.keys(), key=lambda key: -d[key]):
        out.append(k)
    return out


@program((4,), (0,))
def generator_loop(n):
    def numbers():
        for i in range(n):
            yield i
            if i == 2:
                return

    s = 0
    for i in numbers():
        if i == 1:
            continue
        s += i
    return s, list(numbers())


@program((4,))
def loop_over_iterator_left_early(n):
    it = iter(range(10))
    for x in it:
        if x == n:
            break
    return next(it)


@program(([1, 2, 3],), ([],))
def grow_while_looping(xs):
    for x in xs:
        if x < 3:
            xs.append(x + 2)
    return xs


@program(*NUMBERS)
def raise_in_loop(n):
    try:
        for i in range(10):
            if i == n:
                raise KeyError(i)
            last = i
    except KeyError as e:
        return "raised", e.args, i, last
    return i, last


@program(*NUMBERS)
def assigned_before_raise(n):
    state = "start"
    try:
        if n > 0:
            state = "set"
            if n > 2:
                state = "deep"
                raise ValueError
            1 // (n - 2)
        state = "end"
    except ValueError:
        return state, "value"
    except ZeroDivisionError:
        state += "!"
    return state


@program(*NUMBERS)
def fixed_loops(n):
    s = 0
    for i in range(3):
        for j in (1, 2, n):
            if j > i:
                s += i * j
    for c in "abc":
        s += 1
    return s, i, c


@program(*NUMBERS)
def for_attribute_target(n):
    box = Box(i=0, s=0)
    for box.i in range(n):
        box.s += box.i
    return box


@program(*NUMBERS)
def counters(n):
    i = j = k = 0
    while i < n:
        i += 1
        while True:
            j += 1
            if j % 3 == 0:
                break
            if j > 20:
                return i, j, k
            k += 1
            if k % 2:
                continue
            k += 2
    return i, j, k
