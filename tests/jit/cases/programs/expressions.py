"""Functions to convert: conditional and logical expressions, casts, calls, and short algorithms."""

# The odd ones are meant to be odd.
# ruff: noqa: RUF021, UP018
from __future__ import annotations

import functools
import math

from tests.jit.cases.programs.listing import LISTS, NUMBERS, Box, note, program


@program(*NUMBERS)
def ternaries(n):
    a = "big" if n > 2 else "small"
    b = (n if n else None) if n != 5 else [n]
    c = [x if x else "zero" for x in range(3)]
    return a, b, c, (note("t") if n > 1 else note("f"))


@program(*NUMBERS)
def logic(n):
    a = n and "yes"
    b = n > 2 and note(1) or note(0)
    c = not n
    d = not (n > 1 and n < 6) or []
    e = n == 0 or 1 / n > 0.5
    return a, b, c, d, e


@program(*NUMBERS)
def chains(n):
    a = 0 < n < 5
    b = 0 < note(n) <= note(3) != note(5)
    c = 1 <= n == n < 6 > 2
    d = note(n) < note(2) < note(9)
    e = "a" < "b" < "c" if n else n in [0] in [[0]]
    return a, b, c, d, e


@program(*NUMBERS)
def casts(n):
    a = int(n), float(n), bool(n), int("7"), int("ff", 16), float("1.5")
    b = list(range(n)), list(range(0, n, 2)), len([n]), int(2.9), bool()
    return a, b, list(enumerate("ab", 1)), list(zip("ab", [1, 2])), [*map(int, "12")]


@program(*NUMBERS)
def asserts(n):
    assert n < 6, f"too big: {note(n)}"
    assert n != 0
    assert n is not None, "none"
    return n


@program(*NUMBERS)
def prints(n):
    print(n, "text", sep="-")
    if n > 2:
        print(f"{n:>3} {n!r} {'a' if n else 'b'}")
    print(*[1, n], end=";\n")
    return n


@program(*NUMBERS)
def format_strings(n):
    d = {"k": n}
    return (
        f"{d['k']} {int(n)!s:>4} {len(d)} {n if n > 1 else 'few'} {max(n, 1):0{n if n > 3 else 2}d}"
    )


@program(*NUMBERS)
def lambdas(n):
    f = lambda x, y=n: x if x > y else y
    g = lambda *a, **k: (a and k) or f(*a)
    return f(3), g(4), sorted([3, 1, 2], key=lambda v: -v if n > 1 else v)


@program(*NUMBERS)
def calls_of_all_kinds(n):
    box = Box(f=lambda v: v + 1, table={"f": note})
    part = functools.partial(note, n)
    return (
        box.f(n), box.table["f"](n), part(), (lambda: n)(), math.sqrt(abs(n)), str(n).upper(),
        "".join(str(i) for i in range(3)), max([1, n], key=lambda v: -v), Box(a=n), print,
    )[:-1]  # fmt: skip


@program(*NUMBERS)
def shapes(n):
    box = Box(shape=[2, n], inner=Box(shape=(n,)))
    if box.shape[1] > 2:
        box.shape = [1]
    return box.shape, box.shape[0], box.inner.shape[-1], box.shape[:1], len(box.inner.shape)


@program(*NUMBERS)
def generated_names_taken(n):
    true_fn_0 = "mine"
    break_0 = 1
    for item_0 in range(n):
        if item_0 > 2:
            break
        true_fn_0 += "x"
    return true_fn_0, break_0


@program((1, 2), (3, 4), (5, 0))
def parameters(a, /, b, c=3, *args, d=4, **kwargs):
    if a > b:
        c = args
    elif a > 2:
        d, kwargs = kwargs, d
    return a, b, c, d, args, kwargs


@program(*NUMBERS)
def exception_inside(n):
    def check(v):
        if v > 4:
            raise RuntimeError("v", v)
        return v

    total = 0
    for i in range(n + 1):
        try:
            total += check(i * 2)
        except RuntimeError as error:
            total -= 1
            if i > 4:
                raise KeyError("again") from error
    return total


@program(*NUMBERS)
def try_else_finally(n):
    log = []
    try:
        try:
            if n == 1:
                raise KeyError
            if n == 2:
                raise ValueError
            log.append("body")
        except KeyError:
            log.append("key")
        else:
            log.append("else")
            if n > 4:
                raise OSError
        finally:
            log.append("finally")
            if n > 2:
                log.append("more")
    except (ValueError, OSError) as e:
        log.append(type(e).__name__)
    return log


@program(*LISTS)
def sort(xs):
    xs = list(xs)
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@program((2,), (30,), (1,))
def sieve(n):
    primes = []
    k = 2
    while k <= n:
        for p in primes:
            if p * p > k:
                primes.append(k)
                break
            if k % p == 0:
                break
        else:
            primes.append(k)
        k += 1
    return primes


@program((27,), (1,), (6,))
def collatz(n):
    steps, top = 0, n
    while n != 1 and steps < 200:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        top = max(top, n)
        steps += 1
    return steps, top


@program(("a(b[c]d)e",), ("(]",), ("((",), ("",))
def brackets(text):
    stack = []
    pairs = {")": "(", "]": "["}
    for i, c in enumerate(text):
        if c in "([":
            stack.append((c, i))
        elif c in pairs:
            if not stack or stack.pop()[0] != pairs[c]:
                return f"bad {c} at {i}"
    if stack:
        return f"open {stack[-1]}"
    return "fine"
