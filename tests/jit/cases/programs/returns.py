"""Functions to convert: returns at every depth."""

# The odd ones are meant to be odd.
# ruff: noqa: B012
from __future__ import annotations

import contextlib

from tests.jit.cases.programs.listing import LISTS, NUMBERS, note, program


@program(*NUMBERS)
def early_return(x):
    if x > 2:
        return "big"
    y = x + 1
    return y


@program(*NUMBERS)
def return_both(x):
    if x > 2:
        return "big"
    else:
        return "small"


@program(*NUMBERS)
def return_none(x):
    if x > 2:
        return
    if x > 1:
        return None
    x += 1


@program(*NUMBERS)
def return_deep(x):
    y = 0
    if x > 0:
        if x > 1:
            if x > 4:
                return "deep", y
            y += 1
        y += 10
    else:
        y = -1
        if x < -3:
            return "low"
    y += 100
    if y % 2:
        return y, "odd"
    return y


@program(*NUMBERS)
def return_many(x):
    if x == 0:
        return 0
    elif x == 1:
        return 1
    elif x == 2:
        if x > 100:
            return 7
        z = 5
    else:
        z = 6
    note(z)
    if z == 5:
        return "five"
    return z


@program(*NUMBERS)
def return_long_rest(x):
    total = 0
    if x > 1:
        if x > 3:
            return total
        total += 1
    for i in range(x if x > 0 else 0):
        total += i
        total *= 2
    a = total + 1
    b = a * total
    c = [a, b, total]
    c.append(x)
    return c, a, b, total


@program(*LISTS)
def return_in_loop(xs):
    for x in xs:
        if x > 3:
            return x
    return "none"


@program(*LISTS)
def return_in_loop_value_only(xs):
    for i, x in enumerate(xs):
        if x < 0:
            return i, x


@program(*LISTS)
def return_in_nested_loop(xs):
    n = 0
    for x in xs:
        for y in xs:
            n += 1
            if x + y == 5:
                return x, y, n
            if y > 6:
                break
        else:
            n += 100
        while n % 3:
            n += 1
            if n == 44:
                return "n", n
    return n


@program(*LISTS)
def return_in_while(xs):
    i = 0
    while i < len(xs):
        if xs[i] < 0:
            return i
        i += 1
    else:
        note("all positive")
    return -1


@program(*LISTS)
def return_in_loop_else(xs):
    for x in xs:
        if x == 9:
            break
    else:
        return "no nine"
    return "nine"


@program(*NUMBERS)
def return_in_try(x):
    try:
        if x > 2:
            return 10 // (x - 3)
        y = 1 // x
    except ZeroDivisionError as e:
        return str(e)
    else:
        if x == 1:
            return "one"
        note("else")
    finally:
        note("finally")
    return y


@program(*NUMBERS)
def return_in_with(x):
    with contextlib.suppress(ZeroDivisionError):
        if x > 2:
            return "before"
        y = 1 / x
        if x > 1:
            return y
    return "after"


@program(*NUMBERS)
def return_with_only(x):
    with contextlib.suppress(ZeroDivisionError):
        return 1 / x
    return "suppressed"


@program(*NUMBERS)
def return_with_both(x):
    with contextlib.nullcontext(x) as c:
        if c > 1:
            return c
        else:
            d = c + 1
            return d


@program(*NUMBERS)
def return_handlers(x):
    try:
        if x % 2:
            raise KeyError(x)
        if x > 6:
            raise ValueError(x)
        return "even"
    except KeyError as e:
        if x > 1:
            return e.args
        r = "one"
    except ValueError:
        r = "value"
    return r


@program(*LISTS)
def return_in_try_in_loop(xs):
    out = []
    for x in xs:
        try:
            if x == 4:
                continue
            if 10 // x < 0:
                break
            if x == 6:
                return out
            out.append(x)
        except ZeroDivisionError:
            out.append("zero")
            continue
        else:
            out.append("else")
        finally:
            note(x)
        out.append("end")
    return out, "all"


@program(*NUMBERS)
def return_in_finally(x):
    try:
        if x > 2:
            return 1 // 0
    finally:
        if x > 4:
            return "swallowed"
    return x


@program(*NUMBERS)
def dead_code(x):
    if x > 1:
        return x
        note("never")
    else:
        raise ValueError("x")
    note("never")
