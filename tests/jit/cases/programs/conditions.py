"""Functions to convert: ifs."""

# The odd ones are meant to be odd.
# ruff: noqa: F841
from __future__ import annotations

from tests.jit.cases.programs.listing import NUMBERS, note, program


@program(*NUMBERS)
def simple_if(x):
    if x > 2:
        x = x - 1
    return x


@program(*NUMBERS)
def if_else_new_name(x):
    if x > 2:
        y = "big"
    else:
        y = "small"
    return y


@program(*NUMBERS)
def unbound_after_if(x):
    if x > 2:
        y = "big"
    return y


@program(*NUMBERS)
def unbound_used(x):
    if x > 2:
        y = 1
    if x > 4:
        y = y + 1
    else:
        z = y + 3
    return y


@program(*NUMBERS)
def elif_chain(x):
    if x < 0:
        r = "negative"
    elif x == 0:
        r = "zero"
    elif x < 3:
        r = "few"
        x = 10
    else:
        r = "many"
    return r, x


@program(*NUMBERS)
def temporaries(x):
    if x > 1:
        t = x * 2
        u = t + 1
        x = u
    else:
        t = "text"
        x = len(t)
    return x


@program(*NUMBERS)
def swap_in_if(x):
    a, b = 1, 2
    if x % 2:
        a, b = b, a
    else:
        a = b = x
    return a, b


@program(*NUMBERS)
def nested_ifs(x):
    y = 0
    if x > 0:
        if x > 2:
            y = 1
            if x > 5:
                y = 2
        else:
            y = 3
        y += 10
    elif x < -2:
        y -= 1
    return y


@program(*NUMBERS)
def empty_bodies(x):
    if x > 1:
        pass
    if x > 2:
        pass
    else:
        pass
    if note(x) > 1:
        ...
    return x


@program(*NUMBERS)
def if_raises(x):
    if x > 2:
        raise ValueError(f"too big: {x}")
    y = 10 // x
    return y


@program(*NUMBERS)
def redefined_in_both(x):
    y = 5
    if x > 2:
        y = y + x
    else:
        del y
        y = [x]
    return y


@program(*NUMBERS)
def delete_in_if(x):
    y = 5
    if x > 2:
        del y
    return y


@program(*NUMBERS)
def delete_then_set(x):
    y = 5
    if x > 2:
        del y
        if x > 4:
            y = 1
    else:
        y = 3
    try:
        return y
    except UnboundLocalError:
        return "unbound"


@program((None,), (1,), (2,), ("s",), ([1],))
def python_conditions(x):
    if x is None:
        return "none"
    if isinstance(x, str):
        y = "text"
    elif isinstance(x, list) and len(x) > 0:
        y = x[0]
    if x == "s":
        y += "!"
    if x in (1, [1]):
        y = "found"
    return y
