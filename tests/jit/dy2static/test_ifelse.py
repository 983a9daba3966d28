"""convert_ifelse: both branches in one Program give what Python's ``if`` gives."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.jit import dy2static as d2s
from tests.static.control_harness import compare
from tests.static.harness import static

X = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
W = np.array([2.0, 3.0], "float32")


def both(build, **inputs):
    """Values and gradients with a condition that holds, and with one that does not."""
    for sign in (1, -1):
        compare(build, {"x": sign * X, **inputs}, {"w": W})


@pytest.fixture
def program():
    with static() as (main, _):
        yield main


def given(name="x", shape=(2, 2), dtype="float32"):
    return paddle.static.data(name, list(shape), dtype)


def test_printed_form_of_the_guide():
    def func(x, w):
        def true_fn_0(x):
            x = x - 1
            return x

        def false_fn_0(x):
            return x

        x = d2s.convert_ifelse(paddle.sum(x) > 3, true_fn_0, false_fn_0, (x,), (x,), (x,))
        return paddle.sum(x * w)

    both(func)


def test_python_condition_runs_one_function():
    calls = []
    out = d2s.convert_ifelse(0, lambda: calls.append("yes"), lambda: calls.append("no"), (), (), ())
    assert out is None and calls == ["no"]
    assert d2s.convert_ifelse("a", lambda a: a + 1, lambda a: a, (1,), (1,), (1,)) == 2


def test_eager_condition_of_many_elements():
    with pytest.raises(ValueError, match=r"one element.*shape \[3, 2\]"):
        d2s.convert_ifelse(paddle.ones([3, 2]) > 3, lambda: 1, lambda: 2, (), (), ())


def test_several_names_numbers_and_nests():
    def func(x, w):
        pair, table, n, same = (x, x * 2), {"a": x, "b": [w]}, 1, "kept"

        def true_fn_0(pair, table, n, same):
            pair = (pair[1], x + w)
            table = {"a": x * w, "b": [w * w]}
            n = 2.5
            return pair, table, n, same

        def false_fn_0(pair, table, n, same):
            return pair, table, n, same

        pair, table, n, same = d2s.convert_ifelse(
            paddle.mean(x) > 0, true_fn_0, false_fn_0, (pair, table, n, same),
            (pair, table, n, same), (pair, table, n, same),
        )  # fmt: skip
        assert same == "kept" and isinstance(pair, tuple)
        total = pair[0].sum() + pair[1].sum() * 2 + (table["a"] * table["b"][0]).sum()
        return total * n

    both(func)


def test_number_beside_a_variable_takes_its_type_and_shape(program):
    x = given()

    def true_fn_0(y):
        y = 0
        return y

    y = d2s.convert_ifelse(x.sum() > 0, true_fn_0, lambda y: y, (x,), (x,), (x,))
    assert y.shape == (2, 2) and y.dtype == x.dtype
    got = paddle.static.Executor().run(program, feed={"x": X}, fetch_list=[y])[0]
    np.testing.assert_array_equal(got, np.zeros([2, 2]))


def test_ternary_and_statement_without_names(program, capsys):
    x = given()
    y = d2s.convert_ifelse(x.sum() > 0, lambda: x * 2, lambda: 1.0 * x.sum(1, keepdim=True),
                           (), (), ())  # fmt: skip
    assert y.shape == (2, -1)
    text = paddle.full([1], 7.0)
    out = d2s.convert_ifelse(x.sum() > 0, lambda: d2s.convert_print(text), lambda: None, (), (), ())
    assert out is None
    exe = paddle.static.Executor()
    exe.run(program, feed={"x": -X}, fetch_list=[y])
    assert capsys.readouterr().out == ""
    exe.run(program, feed={"x": X}, fetch_list=[y])
    assert "- data: [7]" in capsys.readouterr().out


def test_nothing_is_recorded_for_an_empty_branch(program):
    x = given()
    d2s.convert_ifelse(x.sum() > 0, lambda: d2s.convert_print(x), lambda: None, (), (), ())
    assert [op.type for op in program.global_block().ops].count("conditional_block") == 1
    assert program.num_blocks == 2


def test_unchanged_values_are_kept(program):
    x, thing = given(), object()

    def true_fn_0(x, n, thing):
        return x, n, thing

    out = d2s.convert_ifelse(
        x.sum() > 0, true_fn_0, true_fn_0, (x, 3, thing), (x, 3, thing), (x, 3, thing)
    )
    assert out[0] is x and out[1] == 3 and out[2] is thing


def test_lists_of_the_same_length_and_lists_that_grow():
    def func(x, w):
        fixed, grown = [x, w], [w]

        def true_fn_0(fixed, grown):
            fixed = d2s.convert_setitem(fixed, 0, x * w)
            grown = d2s.convert_append(grown, w * w)
            return fixed, grown

        def false_fn_0(fixed, grown):
            return fixed, grown

        before = fixed
        fixed, grown = d2s.convert_ifelse(
            paddle.mean(x) > 0, true_fn_0, false_fn_0, (fixed, grown), (fixed, grown), ()
        )
        assert before is fixed  # changed in place, as Python does
        return fixed[0].sum() + grown[-1].sum() + paddle.stack(grown).sum() * 2

    both(func)


def test_keys_of_one_branch(program):
    x = given()

    def true_fn_0(d):
        d["b"] = x
        return d

    d = d2s.convert_ifelse(x.sum() > 0, true_fn_0, lambda d: d, ({"a": 1},), ({"a": 1},), ())
    assert d["a"] == 1
    with pytest.raises(UnboundLocalError, match=r"d\['b'\].*one branch only"):
        d["b"] + 1


def test_name_of_one_branch_is_an_error_when_used(program):
    x = given()
    y = d2s.undefined("y")

    def true_fn_0(y):
        y = x * 2
        return y

    y = d2s.convert_ifelse(x.sum() > 0, true_fn_0, lambda y: y, (y,), (y,), (y,))
    assert d2s.is_undefined(y)
    for use in (lambda: y + 1, lambda: y.shape, lambda: paddle.tanh(y), lambda: isinstance(y, int)):
        with pytest.raises(UnboundLocalError, match=r"'y'.*one branch only.*test_ifelse"):
            use()
    still = d2s.convert_ifelse(x.sum() > 0, lambda y: y, lambda y: y, (y,), (y,), (y,))
    assert d2s.is_undefined(still)


def test_returned_value_of_one_branch_can_be_read_under_its_flag():
    def func(x, w):
        def true_fn_0(return_0, return_value_0):
            return True, x * w

        def false_fn_0(return_0, return_value_0):
            return return_0, return_value_0

        nothing = d2s.undefined("return_value_0")
        flag, value = d2s.convert_ifelse(
            x.sum() > 0, true_fn_0, false_fn_0, (False, nothing), (False, nothing), ()
        )
        return d2s.convert_ifelse(flag, lambda: value.sum(), lambda: w.sum() * 5, (), (), ())

    both(func)


@pytest.mark.parametrize(
    ("yes", "no", "text"),
    [
        (lambda x: "a", lambda x: "b", r"'y' is str 'a' if .* str 'b' if not"),
        (lambda x: None, lambda x: x, r"'y' is None if .* a float32 Tensor of shape \[2, 2\]"),
        (lambda x: x, lambda x: paddle.cast(x, "int64"), "element types differ"),
        (lambda x: x, lambda x: x[0], "numbers of dimensions differ"),
        (lambda x: paddle.cast(x, "int64"), lambda x: 0.5, "int64 Tensor cannot hold 0.5"),
        (lambda x: (x, x), lambda x: (x,), "lengths differ"),
        (lambda x: {"a": x}, lambda x: [x], "structures differ"),
    ],
)
def test_values_that_do_not_go_together(program, yes, no, text):
    x = given()

    def true_fn_0(y):
        return yes(x)

    out = d2s.convert_ifelse(x.sum() > 0, true_fn_0, lambda y: no(x), (x,), (x,), ())
    assert d2s.is_undefined(out)  # an error only if it is used: it may be a scratch variable
    with pytest.raises(InvalidArgumentError, match=text):
        out + 1
    with pytest.raises(InvalidArgumentError, match="the result is"):
        d2s.convert_ifelse(x.sum() > 0, lambda: yes(x), lambda: no(x), (), (), ())


def test_condition_of_another_type_or_size(program):
    x = given()
    y = d2s.convert_ifelse(x.sum(), lambda: x * 2, lambda: x, (), (), ())
    got = paddle.static.Executor().run(program, feed={"x": X}, fetch_list=[y])[0]
    np.testing.assert_array_equal(got, X * 2)
    with pytest.raises(InvalidArgumentError, match=r"one element.*shape \[2, 2\]") as info:
        d2s.convert_ifelse(x > 3, lambda: 1, lambda: 2, (), (), ())
    assert "test_ifelse.py" in str(info.value)


def test_error_in_a_branch_leaves_no_block(program):
    x = given()

    with pytest.raises(KeyError, match="mine"):
        d2s.convert_ifelse(x.sum() > 0, lambda: x, lambda: {}["mine"], (), (), ())
    assert program.num_blocks == 1 and program.current_block_idx == 0


def test_nested():
    def func(x, w):
        def inner(y):
            def true_fn_1(y):
                return y * w

            return d2s.convert_ifelse(y[0, 0] > 1.5, true_fn_1, lambda y: y + w, (y,), (y,), ())

        def true_fn_0(y):
            return inner(y + 1)

        return paddle.sum(
            d2s.convert_ifelse(x.sum() > 0, true_fn_0, lambda y: inner(y) * 3, (x,), (x,), ())
        )

    both(func)
