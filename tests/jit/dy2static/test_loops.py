"""convert_while_loop and convert_for_loop: the Program repeats what Python would."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.jit import dy2static as d2s
from tests.static.control_harness import compare
from tests.static.harness import static

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")
W = np.array([2.0, 3.0], "float32")
N = np.array([3], "int64")


@pytest.fixture
def program():
    with static() as (main, _):
        yield main


def test_python_loop_stays_python():
    i, s = d2s.convert_while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + [i]), (0, []))
    assert (i, s) == (3, [0, 1, 2])


def test_counter_sum_and_gradient():
    def func(x, n, w):
        def while_body_0(i, total):
            total = total + (x * w).sum() * (i + 1)
            i = i + 1
            return i, total

        i, total = d2s.convert_while_loop(lambda i, total: i < n, while_body_0, (0, 0))
        return total, i if not isinstance(i, int) else paddle.to_tensor(i)

    for n in (1, 3):
        main, _ = compare(func, {"x": X, "n": np.array([n], "int64")}, {"w": W})
        assert "while" in [op.type for op in main.global_block().ops]


def test_no_iteration_gives_the_first_values():
    def func(x, n, w):
        y, _ = d2s.convert_while_loop(lambda y, i: i < n, lambda y, i: (y * w, i + 1), (w * 1, 0))
        return y.sum()

    compare(func, {"x": X, "n": np.array([0], "int64")}, {"w": W})


def test_sizes_that_grow():
    def func(x, n, w):
        def while_body_0(i, y):
            y = paddle.concat([y, x * w], axis=0)
            return i + 1, y

        _, y = d2s.convert_while_loop(lambda i, y: i < n, while_body_0, (0, x))
        return paddle.sum(y * y), y

    _, values = compare(func, {"x": X, "n": N}, {"w": W})
    assert values[1].shape == (12, 2)


def test_number_that_becomes_a_tensor_of_another_shape():
    def func(x, n, w):
        def while_body_0(i, y):
            return i + 1, y + x * w

        _, y = d2s.convert_while_loop(lambda i, y: i < n, while_body_0, (0, 0))
        return paddle.sum(y * w), y

    compare(func, {"x": X, "n": N}, {"w": W})


def test_unchanged_values_keep_their_kind(program):
    n = paddle.static.data("n", [1], "int64")
    label, flag, w = object(), True, paddle.ones([2])

    def while_body_0(i, label, flag, w):
        return i + 1, label, flag, w

    out = d2s.convert_while_loop(lambda i, label, flag, w: i < n, while_body_0, (0, label, flag, w))
    assert out[1] is label and out[2] is True and out[3] is w
    assert out[0].shape == (1,) and out[0].dtype == n.dtype


def test_names_without_a_value_before():
    def func(x, n, w):
        def while_body_0(i, y, last):
            y = x * i
            last = {"a": (y * w).sum()}
            return i + 1, y, last

        _, y, last = d2s.convert_while_loop(
            lambda i, y, last: i < n, while_body_0, (0, d2s.undefined("y"), d2s.undefined("last"))
        )
        return last["a"], y

    compare(func, {"x": X, "n": N}, {"w": W})


def test_value_of_an_earlier_iteration_goes_on():
    """Assigned in the first iteration only: later ones must not put zeros in its place."""

    def func(x, n, w):
        def while_body_0(i, y):
            def true_fn_0(y):
                y = x * w
                return y

            y = d2s.convert_ifelse(i == 1, true_fn_0, lambda y: y, (y,), (y,), (y,))
            return i + 1, y

        i = paddle.zeros([1], "int64")
        _, y = d2s.convert_while_loop(lambda i, y: i < n, while_body_0, (i, d2s.undefined("y")))
        return y.sum()

    compare(func, {"x": X, "n": N}, {"w": W})


def test_inner_loop_without_iterations_keeps_the_outer_value():
    def func(x, n, w):
        def while_body_0(i, y):
            def inner(j, y):
                y = x * w * 2
                return j + 1, y

            _, y = d2s.convert_while_loop(lambda j, y: j < 1 - i, inner, (i * 0, y))
            return i + 1, y

        i = paddle.zeros([1], "int64")
        _, y = d2s.convert_while_loop(lambda i, y: i < n, while_body_0, (i, d2s.undefined("y")))
        return y.sum()

    compare(func, {"x": X, "n": N}, {"w": W})


def test_break_flag():
    def func(x, n, w):
        def while_body_0(i, y, break_0):
            def true_fn_0(y, break_0):
                return y, True

            def false_fn_0(y, break_0):
                return y + x * w, break_0

            y, break_0 = d2s.convert_ifelse(
                y.sum() > 100, true_fn_0, false_fn_0, (y, break_0), (y, break_0), ()
            )
            return i + 1, y, break_0

        def while_condition_0(i, y, break_0):
            return d2s.convert_logical_and(lambda: d2s.convert_logical_not(break_0), lambda: i < 10)

        _, y, _ = d2s.convert_while_loop(while_condition_0, while_body_0, (0, x, False))
        return y.sum()

    compare(func, {"x": X, "n": N}, {"w": W})


def test_one_number_spreads_over_more_dimensions():
    def func(x, n, w):
        def for_body_0(i, y, z):
            return y + x * w, z + x * w * i

        y, z = d2s.convert_for_loop(d2s.convert_range(n), for_body_0, (paddle.ones([1]), 1.5))
        return (y * w).sum() + (z * w).sum(), y

    compare(func, {"x": X, "n": N}, {"w": W})


@pytest.mark.parametrize(
    ("start", "step", "text"),
    [
        (lambda x: x, lambda y: paddle.cast(y, "int64"), "'y' is a float32 .* element types"),
        (lambda x: x, lambda y: y.sum(), "'y'.* numbers of dimensions differ"),
        (lambda x: "a", lambda y: "b", "'y' is str 'a' before .* str 'b' after"),
        (lambda x: (x,), lambda y: (1, 2), "'y'.* the lengths differ"),
    ],
)
def test_values_that_do_not_go_together(program, start, step, text):
    x = paddle.static.data("x", [2, 2])
    n = paddle.static.data("n", [1], "int64")

    def while_body_0(i, y):
        return i + 1, step(y)

    def use():
        _, y = d2s.convert_while_loop(lambda i, y: i < n, while_body_0, (0, start(x)))
        return y + 1

    with pytest.raises(InvalidArgumentError, match=text):
        use()
    assert program.current_block_idx == 0


def test_scratch_variable_of_another_kind_is_no_error():
    def func(x, n, w):
        def while_body_0(i, y, t):
            t = x.sum()
            return i + 1, y + t * w, t

        _, y, _ = d2s.convert_while_loop(lambda i, y, t: i < n, while_body_0, (0, w, "text"))
        return y.sum()

    compare(func, {"x": X, "n": N}, {"w": W})


# -- for -------------------------------------------------------------------------------------------


def test_python_iterables():
    out = d2s.convert_for_loop({"a": 1, "b": 2}.items(), lambda kv, s: (s + kv[1],), (0,))
    assert out == (3,)
    out = d2s.convert_for_loop(itertools.count(), lambda i, s: (s + i,), (0,), stop=lambda s: s > 5)
    assert out == (6,)
    assert list(d2s.convert_range(1, 7, 2)) == [1, 3, 5]
    assert list(d2s.convert_enumerate("ab", 1)) == [(1, "a"), (2, "b")]
    assert list(d2s.convert_zip("ab", [1, 2])) == [("a", 1), ("b", 2)]
    assert list(d2s.convert_range(paddle.to_tensor([2]))) == [0, 1]


@pytest.mark.parametrize("batch", [False, True])
def test_rows_and_what_is_left_of_the_names(batch):
    def func(x, w):
        def for_body_0(item, total, row, number):
            number, row = item
            total = total + (row * w).sum() * number
            return total, row, number

        total, row, number = d2s.convert_for_loop(
            d2s.convert_enumerate(x, 1), for_body_0,
            (0.0, d2s.undefined("row"), d2s.undefined("number")),
        )  # fmt: skip
        number = paddle.to_tensor(number) if isinstance(number, int) else number
        return total + row.sum(), number

    main, _ = compare(func, {"x": X}, {"w": W}, batch=batch)
    assert ("while" in [op.type for op in main.global_block().ops]) is batch


@pytest.mark.parametrize("bounds", [(0, 3, 1), (1, 6, 2), (5, -1, -2), (3, 3, 1), (4, 1, 1)])
@pytest.mark.parametrize("symbolic", [(1,), (0, 1, 2)])
def test_range(bounds, symbolic):
    def func(x, w, bound):
        ends = [bound[i] if i in symbolic else bounds[i] for i in range(3)]

        def for_body_0(i, total):
            return (total + (i * x * w).sum() + i,)

        return d2s.convert_for_loop(d2s.convert_range(*ends), for_body_0, (w.sum(),))[0]

    compare(func, {"x": X, "bound": np.array(bounds, "int64")}, {"w": W})


@pytest.mark.parametrize("batch", [False, True])
def test_zip_of_tensors_and_lists(batch):
    def func(x, y, w):
        def for_body_0(item, total):
            a, b, c = item
            return (total + (a * w).sum() * c + b.sum(),)

        items = d2s.convert_zip(x, y, [1.0, 2.0, 3.0, 4.0])
        return d2s.convert_for_loop(items, for_body_0, (0.0,))[0]

    compare(func, {"x": X, "y": X[:2]}, {"w": W}, batch=batch)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("limit", [5.0, 30.0, 1000.0])
def test_left_on_the_condition_of_a_tensor(batch, limit):
    def func(x, w):
        def for_body_0(row, total, break_0):
            total = total + (row * w).sum()
            break_0 = total > limit
            return total, break_0

        total, _ = d2s.convert_for_loop(
            x, for_body_0, (0.0, False), stop=lambda total, break_0: break_0
        )
        return total

    compare(func, {"x": X}, {"w": W}, batch=batch)


def test_many_rows_become_a_loop():
    rows = np.arange(300, dtype="float32").reshape(150, 2)

    def func(x, w):
        return d2s.convert_for_loop(x, lambda row, s: (s + (row * w).sum(),), (0.0,))[0]

    main, _ = compare(func, {"x": rows}, {"w": W})
    assert "while" in [op.type for op in main.global_block().ops]


def test_counter_beside_a_tensor_acts_like_a_number():
    """``i * x`` is float32, as with Python's counter, though the left operand is an integer."""

    def func(x, n, w):
        def for_body_0(i, y):
            return (y + i * x * w + (i + 1) / 2,)

        return d2s.convert_for_loop(d2s.convert_range(n), for_body_0, (x,))[0].sum()

    compare(func, {"x": X, "n": N}, {"w": W})


def test_bad_ranges(program):
    n = paddle.static.data("n", [1], "int64")
    with pytest.raises(ValueError, match="arg 3 must not be zero"):
        d2s.convert_for_loop(d2s.convert_range(0, n, 0), lambda i: (), ())
    with pytest.raises(InvalidArgumentError, match=r"range: .*FP32 Tensor"):
        d2s.convert_range(paddle.ones([1]))
    with pytest.raises(InvalidArgumentError, match="'for' statement"):
        list(d2s.convert_range(n))
    with pytest.raises(InvalidArgumentError, match="more than 1000 items"):
        d2s.convert_for_loop(itertools.count(), lambda i, s: (s,), (n,), stop=lambda s: s > 3)
