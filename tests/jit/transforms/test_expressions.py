"""What the transforms of expressions write: logic, casts, shapes, calls, asserts, prints."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import to_tensor
from paddle.jit.rewriting.source import transform


def expression(function):
    """The converted body of a lambda without the long name of the converters."""
    text = transform(function).code.replace("paddle.jit.dy2static.", "")
    text = text.replace("lambda :", "lambda:")  # as Python 3.10 writes it
    return text.split(": ", 1)[1]


def helper(x):
    return x


CASES = [
    (lambda a, b, c: a and b and c,
     "convert_logical_and(lambda: a, lambda: convert_logical_and(lambda: b, lambda: c))"),
    (lambda a, b: a or not b, "convert_logical_or(lambda: a, lambda: convert_logical_not(b))"),
    (lambda a, b: a is None and b is not None, "a is None and b is not None"),
    (lambda a, b: 0 < a < b, "convert_logical_and(lambda: 0 < a, lambda: a < b)"),
    (lambda a: 1 if a else 2, "convert_ifelse(a, lambda: 1, lambda: 2, (), (), ())"),
    (lambda a: 1 if a is None else 2, "1 if a is None else 2"),
    (lambda a: (b := a) and b, "(b := a) and b"),
    (lambda a: int(a) + float(a), "convert_var_dtype(a, 'int') + convert_var_dtype(a, 'float')"),
    (lambda a: int(a, 16), "int(a, 16)"),
    (lambda a: float("inf") + int(3.5), "float('inf') + int(3.5)"),
    (lambda a: len(a), "convert_len(a)"),
    (lambda a: range(a), "convert_range(a)"),
    (lambda a: range(3), "range(3)"),
    (lambda a: zip(a, enumerate(a, start=1)), "convert_zip(a, convert_enumerate(a, start=1))"),
    (lambda a: print(a, end=""), "convert_print(a, end='')"),
    (lambda a: a.shape, "convert_var_shape(a)"),
    (lambda a: a.shape[-1], "convert_var_shape(a, -1)"),
    (lambda a: a.shape[1:], "convert_var_shape(a)[1:]"),
    (lambda a: np.shape(a) + a.shape(), "np.shape(a) + convert_call(a.shape)()"),
    (lambda a: helper(a), "convert_call(helper)(a)"),
    (lambda a: a.sum().item(), "convert_call(convert_call(a.sum)().item)()"),
    (lambda a: F.relu(a) + paddle.abs(a), "F.relu(a) + paddle.abs(a)"),
    (lambda a: paddle.nn.Linear(2, 3)(a), "convert_call(paddle.nn.Linear(2, 3))(a)"),
    (lambda a: to_tensor(a), "paddle.nn.functional.assign(a)"),
    (lambda a: paddle.to_tensor(a, dtype="int32"), "paddle.to_tensor(a, dtype='int32')"),
    (lambda a: math.sqrt(a), "convert_math(math.sqrt)(a)"),
    (lambda a: functools.reduce(a, [1]), "convert_call(functools.reduce)(a, [1])"),
    (lambda a: str(a).upper(), "convert_call(str(a).upper)()"),
    (lambda a, len: len(a), "convert_call(len)(a)"),
    (lambda a: unknown(a), "convert_call(unknown)(a)"),  # noqa: F821
    (lambda a: [len(b) for b in a if b and a],
     "[convert_len(b) for b in a if convert_logical_and(lambda: b, lambda: a)]"),
    (lambda a: f"{len(a)} {a.x!r}", "f'{convert_len(a)} {a.x!r}'"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)))
def test_expression(number):
    function, want = CASES[number]
    assert expression(function) == want


def test_middle_of_a_comparison_is_evaluated_once_and_in_order():
    seen = []

    def note(v):
        seen.append(v)
        return v

    made = transform(lambda: note(1) < note(2) < note(3) < note(0) < note(9)).function
    assert made() is False and seen == [1, 2, 3, 0]


def test_assert():
    def f(x):
        assert x > 0, f"x is {x}"
        assert x is not None
        return x

    text = transform(f).code.replace("lambda :", "lambda:")  # so Python 3.10 writes it
    assert "paddle.jit.dy2static.convert_assert(x > 0, lambda: f'x is {x}')" in text
    assert "assert x is not None" in text
    made = transform(f).function
    assert made(1) == 1
    with pytest.raises(AssertionError, match=r"^x is -1$"):
        made(-1)


def test_class_bodies_keep_their_names():
    def f(n):
        class Table:
            a = n
            b = a and 2
            c = a if a else 3

            def get(self):
                return self.a and self.b

        return Table

    text = transform(f).code.replace("lambda :", "lambda:")
    assert "b = a and 2" in text and "c = a if a else 3" in text
    assert "return paddle.jit.dy2static.convert_logical_and(lambda: self.a" in text
    assert transform(f).function(4)().get() == 2


def test_super_is_written_out_where_functions_are_made():
    class A:
        def f(self, x):
            return x

    class B(A):
        def f(me, x):
            if x > 0:
                return super().f(x) + 1
            return super().f(x)

    text = transform(B.f).code
    assert "super(__class__, me).f" in text and "super()" not in text
    assert transform(B.f).function(B(), 1) == 2
