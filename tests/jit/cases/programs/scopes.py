"""Functions to convert: closures, nested functions and classes, names that come and go."""

# The odd ones are meant to be odd.
# ruff: noqa: B023, C416, F821, F841
from __future__ import annotations

import contextlib
import functools

from tests.jit.cases.programs.listing import NUMBERS, note, program


@program(*NUMBERS)
def closure_reads(n):
    y = 1

    def inner():
        return y + n

    if n > 2:
        y = 10
    else:
        n = 7
    return inner()


@program(*NUMBERS)
def closure_made_in_branch(n):
    x = 0
    if n > 2:
        x = 1
        get = lambda: x
    else:

        def get():
            return x * 100

    x = 5
    return get()


@program(*NUMBERS)
def closures_in_loop(n):
    fs = []
    for i in range(n):
        if i % 2:
            fs.append(lambda: i)
        else:
            fs.append(lambda i=i: i)
    return [f() for f in fs]


@program(*NUMBERS)
def nonlocal_counter(n):
    count = 0

    def step(by):
        nonlocal count
        if by > 1:
            count += by
        else:
            count -= 1
        return count

    out = []
    for i in range(n):
        out.append(step(i))
        if count > 3:
            count = 0
    return out, count


TOTAL = 0


@program(*NUMBERS)
def global_name(n):
    global TOTAL
    TOTAL = 1
    if n > 2:
        TOTAL = TOTAL + n
    else:
        TOTAL -= 1
    for i in range(n):
        TOTAL += i
    return TOTAL


@program(*NUMBERS)
def global_in_branch(n):
    if n > 2:
        global FRESH
        FRESH = n
        return FRESH
    return "no"


@program(*NUMBERS)
def recursion(n):
    def fib(k):
        if k < 2:
            return k
        return fib(k - 1) + fib(k - 2)

    if n < 0:
        return recursion(-n)
    return fib(n)


@program(*NUMBERS)
def comprehensions(n):
    xs = [i if i % 2 else -i for i in range(n) if i != 3 and i < 7]
    ys = {x: [y for y in xs if y < x] for x in xs}
    zs = {x > 0 for x in xs}
    if any(x > 4 for x in xs) and not all(xs):
        xs = [x for x in xs]
    g = (x * n for x in xs)
    n = 2
    return xs, ys, sorted(zs), list(g), sum(x or 1 for x in xs)


@program(*NUMBERS)
def comprehension_of_unbound(n):
    if n > 2:
        y = 1
    return [y for _ in range(1)]


@program(*NUMBERS)
def walrus(n):
    if (m := n * 2) > 4:
        r = m
    elif (k := m + 1) > 3:
        r = k
    else:
        r = [j := n, j + 1]
    if n > 0 and (w := n + 1) > 2:
        r = w
    xs = [last := i for i in range(3)]
    return r, m, last, xs


@program(*NUMBERS)
def nested_functions(n):
    def outer(a, *args, b=2, **kwargs):
        def inner(c):
            if c > a:
                return "c"
            for i in args:
                if i == c:
                    return i
            return kwargs.get("k", b)

        if b > 2:
            return inner(b)
        return inner(a), args

    return outer(n), outer(n, 1, 2, b=3), outer(3, 5, 8, b=1, k=4), outer(n, b=9, z=1)


@program(*NUMBERS)
def class_inside(n):
    class Counter:
        size = n and 3
        table = [i for i in range(2)]

        def __init__(self, start):
            self.__value = start

        def up(self, by=1):
            if by > self.size:
                self.__value = 0
            else:
                self.__value += by
            return self.__value

        @property
        def value(self):
            return self.__value if self.__value > 2 else "low"

    class Double(Counter):
        def up(self, by=1):
            if by > 1:
                return super().up(by) and super().up()
            return super().up(by)

    c, d = Counter(n), Double(n)
    return c.up(), c.up(n), d.up(2), c.value, d.value


@program(*NUMBERS)
def decorated_inside(n):
    def twice(f):
        @functools.wraps(f)
        def wrapper(*args):
            if n > 2:
                return f(*args), f(*args)
            return f(*args)

        return wrapper

    @twice
    @functools.lru_cache(None)
    def g(x):
        return note(x) if x > 1 else "small"

    return g(n), g.__name__


@program(*NUMBERS)
def imports(n):
    if n > 2:
        import os.path as p

        name = p.basename("a/b")
    else:
        from math import floor as f

        name = f(2.5)
    import math

    return name, math.floor(n / 2)


@program(*NUMBERS)
def shadowed_builtins(n):
    def run(int, len, print):
        return int(n), len([n]), print("x")

    range = lambda k: [k, k + 1]
    s = 0
    for i in range(n):
        s += i
    return s, run(str, repr, ord)


@program(*NUMBERS)
def except_as(n):
    e = "outer"
    for i in range(2):
        try:
            if n > i:
                raise ValueError(n)
        except ValueError as e:
            if n > 4:
                kept = e.args
            note(str(e))
    try:
        return e
    except UnboundLocalError:
        return "unbound"


@program(*NUMBERS)
def except_as_in_branch(n):
    if n > 2:
        try:
            [][n]
        except IndexError as e:
            text = str(e)
        try:
            e
        except UnboundLocalError:
            text += "; gone"
    else:
        e = text = "no"
    return text


@program(*NUMBERS)
def with_targets(n):
    with contextlib.nullcontext(n) as a, contextlib.nullcontext((1, 2)) as (b, c):
        if a > 2:
            b = a
        else:
            c = a
    return a, b, c


@program(*NUMBERS)
def with_in_loop(n):
    out = []
    for i in range(4):
        with contextlib.suppress(ZeroDivisionError, KeyError):
            if i == n:
                continue
            if i > n:
                break
            x = 10 // i
            out.append(x)
            if i == 3:
                raise KeyError
            x = "later"
        out.append(("end", i))
    return out


@program(*NUMBERS)
def suppressed_assignment(n):
    state = 0
    with contextlib.suppress(ValueError):
        if n > 0:
            state = 1
            if n > 2:
                state = 2
                raise ValueError
            state = 3
    return state


@program((1,), ([1, 2],), ({"k": 5, "j": 6},), ("text",), (None,))
def match_statement(x):
    match x:
        case int() if x > 0:
            r = "int"
        case [a, *rest]:
            if a > 0:
                r = rest
            else:
                return a
        case {"k": v, **others}:
            return v, others
        case str() as s:
            r = s
        case _:
            raise TypeError(x)
    return r


@program((3,), (0,))
def match_in_loop(n):
    out = []
    for i in range(5):
        match i:
            case 1:
                continue
            case 4:
                break
            case k if k == n:
                return out
        out.append(i)
    return out, "end"
