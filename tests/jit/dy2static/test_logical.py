"""and, or, not, comparison of shapes."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.jit import dy2static as d2s
from tests.static.harness import static


@pytest.fixture
def program():
    with static() as (main, _):
        yield main


def value(program, out, **feed):
    return paddle.static.Executor().run(program, feed=feed, fetch_list=[out])[0]


def test_python_values_and_order():
    calls = []

    def said(v):
        calls.append(v)
        return v

    assert d2s.convert_logical_and(lambda: said(0), lambda: said("a")) == 0
    assert d2s.convert_logical_and(lambda: said(2), lambda: said("a")) == "a"
    assert d2s.convert_logical_or(lambda: said([]), lambda: said(None)) is None
    assert d2s.convert_logical_or(lambda: said(5), lambda: said(None)) == 5
    assert calls == [0, 2, "a", [], None, 5]
    assert d2s.convert_logical_not([]) is True
    x = paddle.to_tensor([True])
    assert d2s.convert_logical_and(lambda: x, lambda: 3) == 3
    assert d2s.convert_logical_not(x) is False


@pytest.mark.parametrize("a", [-1.0, 1.0])
@pytest.mark.parametrize("b", [-1.0, 1.0])
def test_variables(program, a, b):
    x, y = paddle.static.data("x", [1]), paddle.static.data("y", [1])
    both = d2s.convert_logical_and(lambda: x > 0, lambda: y > 0)
    some = d2s.convert_logical_or(lambda: x > 0, lambda: y > 0)
    no = d2s.convert_logical_not(x > 0)
    feed = {"x": np.array([a], "float32"), "y": np.array([b], "float32")}
    got = paddle.static.Executor().run(program, feed=feed, fetch_list=[both, some, no])
    assert [bool(g[0]) for g in got] == [a > 0 and b > 0, a > 0 or b > 0, not a > 0]


def test_python_value_beside_a_variable(program):
    x = paddle.static.data("x", [1]) > 0
    assert d2s.convert_logical_and(lambda: x, lambda: False) is False
    assert d2s.convert_logical_and(lambda: x, lambda: True) is x
    assert d2s.convert_logical_or(lambda: x, lambda: True) is True
    assert d2s.convert_logical_or(lambda: x, lambda: None) is x
    assert d2s.convert_logical_and(lambda: True, lambda: x) is x


def test_second_value_is_not_looked_at_where_it_would_fail(program):
    x = paddle.static.data("x", [-1])
    i = paddle.static.data("i", [1], "int64")
    for convert, first in ((d2s.convert_logical_and, True), (d2s.convert_logical_or, False)):
        count = len(program.global_block().ops)
        out = convert(
            lambda first=first: (i < paddle.shape(x)[0]) if first else (i >= paddle.shape(x)[0]),
            lambda: x[i] > 0,
        )
        types = [op.type for op in program.global_block().ops[count:]]
        assert "conditional_block" in types
        feed = {"x": np.array([1.0, -1.0], "float32")}
        got = [bool(value(program, out, i=np.array([n]), **feed)[0]) for n in (0, 1, 2)]
        assert got == ([True, False, False] if first else [True, False, True])
    before = program.num_blocks
    d2s.convert_logical_and(lambda: i > 0, lambda: i * 2 < 5)  # arithmetic cannot fail
    assert program.num_blocks == before


@pytest.mark.parametrize(("dtype", "fails"), [("float32", False), ("int64", True)])
def test_a_quotient_fails_where_there_are_no_fractions(program, dtype, fails):
    n, m = (paddle.static.data(name, [1], dtype) for name in "nm")
    out = d2s.convert_logical_and(lambda: m != 0, lambda: paddle.divide(n, m) > 2)
    assert any(op.type == "conditional_block" for op in program.global_block().ops) == fails
    for bottom, expected in ((0, False), (3, True), (5, False)):
        feed = {"n": np.array([10], dtype), "m": np.array([bottom], dtype)}
        assert bool(value(program, out, **feed)[0]) == expected


def test_many_elements(program):
    x = paddle.static.data("x", [3])
    for call in (
        lambda: d2s.convert_logical_not(x > 0),
        lambda: d2s.convert_logical_and(lambda: x > 0, lambda: x > 1),
        lambda: d2s.convert_logical_or(lambda: x.sum() > 0, lambda: x > 1),
    ):
        with pytest.raises(InvalidArgumentError, match=r"one element, .* shape \[3\]"):
            call()


def test_shapes(program):
    x, y = paddle.static.data("x", [-1, 2]), paddle.static.data("y", [3, 2])
    compare = d2s.convert_shape_compare
    assert compare(y.shape, "==", (3, 2)) is True
    assert compare(1, "<", 2, "<", 3) is True and compare(1, "<", 3, "<", 3) is False
    assert compare([1], "==", [1, 2]) is False
    same = compare(d2s.convert_var_shape(x), "==", d2s.convert_var_shape(y))
    other = compare(d2s.convert_var_shape(x), "!=", d2s.convert_var_shape(y))
    for rows in (2, 3):
        feed = {"x": np.zeros([rows, 2], "float32"), "y": np.zeros([3, 2], "float32")}
        got = paddle.static.Executor().run(program, feed=feed, fetch_list=[same, other])
        assert [bool(g[0]) for g in got] == [rows == 3, rows != 3]
    with pytest.raises(TypeError, match="operators and values in turn"):
        compare(1, "<")
    with pytest.raises(ValueError, match="expected one of"):
        compare(1, "<>", 2)


def test_truth_values_in_the_form_of_another(program):
    x = paddle.static.data("x", [1])
    assert d2s.create_bool_as_type(1, False) is False
    made = d2s.create_bool_as_type(x, False)
    assert bool(value(program, made, x=np.ones([1], "float32"))[0]) is False
    assert d2s.cast_bool_if_necessary("a") == "a"
    assert d2s.cast_bool_if_necessary(x).dtype == made.dtype
