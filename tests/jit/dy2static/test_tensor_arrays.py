"""Lists that change under a Tensor's control: append, pop, items, joining, gradients."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.jit import dy2static as d2s
from tests.static.control_harness import compare
from tests.static.harness import static

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")
W = np.array([2.0, 3.0], "float32")


def grown(x, w, start=()):
    """A list of x[i] * w, which is a tensor array where the number of rows is unknown."""

    def for_body_0(row, rows):
        rows = d2s.convert_append(rows, row * w)
        return (rows,)

    return d2s.convert_for_loop(x, for_body_0, (list(start),))[0]


@pytest.fixture
def program():
    with static() as (main, _):
        yield main


def check(func):
    for batch in (False, True):
        compare(func, {"x": X}, {"w": W}, batch=batch)


def test_joined():
    def func(x, w):
        rows = grown(x, w, [w * 2])
        a, b = paddle.stack(rows, axis=1), paddle.concat(rows)
        return (a * a).sum() + (b * b * b).sum(), a, b

    check(func)


def test_items_and_length():
    def func(x, w):
        rows = grown(x, w)
        total = (rows[0] * rows[-1]).sum()
        i = paddle.to_tensor([1])
        total += (d2s.convert_getitem(rows, i) ** 2).sum() + rows[1].sum()
        n = d2s.convert_len(rows)
        part = rows[1:-1]
        m = d2s.convert_len(part)
        sizes = [paddle.to_tensor(v) if isinstance(v, int) else v for v in (n, m)]
        return total + part[0].sum(), *sizes

    check(func)


def test_written():
    def func(x, w):
        rows = grown(x, w)
        rows = d2s.convert_setitem(rows, -1, w * w)
        rows = d2s.convert_setitem(rows, 0, rows[1] * 2)
        return (paddle.stack(rows) * x).sum()

    check(func)


@pytest.mark.parametrize("args", [(), (0,), (1,), (-2,)])
def test_popped(args):
    def func(x, w):
        rows = grown(x, w)
        before = paddle.concat(rows).sum()
        out = d2s.convert_pop(rows, *args)
        rows = d2s.convert_append(rows, w)
        return (out * w).sum() + (paddle.stack(rows) * x).sum() + before

    check(func)


def test_gone_over():
    def func(x, w):
        def for_body_0(item, total):
            i, row = item
            return (total + (row * w).sum() * (i + 1),)

        rows = d2s.convert_enumerate(grown(x, w))
        return d2s.convert_for_loop(rows, for_body_0, (w.sum(),))[0]

    check(func)


def test_grows_under_a_condition_in_a_loop():
    def func(x, w):
        def for_body_0(row, rows):
            def true_fn_0(rows):
                return d2s.convert_append(rows, row * w)

            rows = d2s.convert_ifelse(
                row[0] > 2, true_fn_0, lambda rows: rows, (rows,), (rows,), ()
            )
            return (rows,)

        rows = d2s.convert_for_loop(x, for_body_0, ([],))[0]
        return (paddle.stack(rows) ** 2).sum()

    check(func)


def test_list_at_the_position_that_a_tensor_tells(program):
    x = paddle.static.data("x", [2, 2])
    i = paddle.static.data("i", [1], "int64")
    rows = d2s.convert_setitem([x, x * 2, x * 3], i, x * 0)
    out = paddle.stack(rows).sum([1, 2])
    one = d2s.convert_getitem([x[0], x[1]], i)
    got = paddle.static.Executor().run(
        program, feed={"x": np.ones([2, 2], "float32"), "i": np.array([1])}, fetch_list=[out, one]
    )
    np.testing.assert_array_equal(got[0], [4, 0, 12])
    np.testing.assert_array_equal(got[1], [1, 1])
    with pytest.raises(InvalidArgumentError, match="all elements are Tensors"):
        d2s.convert_getitem(["a", "b"], i)
    with pytest.raises(InvalidArgumentError, match=r"holds Tensors of one element type"):
        d2s.convert_setitem(["a"], i, x)


def test_plain_containers():
    rows = [1, 2, 3]
    assert d2s.convert_append(rows, 4) is rows and d2s.convert_pop(rows) == 4
    assert d2s.convert_pop(rows, 0) == 1 and rows == [2, 3]
    assert d2s.convert_pop({"a": 1}, "b", None) is None
    assert d2s.convert_setitem(rows, 0, 7) is rows and rows == [7, 3]
    tensor = paddle.zeros([2])
    assert d2s.convert_setitem(tensor, 0, 5.0) is tensor
    np.testing.assert_array_equal(tensor.numpy(), [5, 0])
    with pytest.raises(IndexError, match="pop from empty list"):
        d2s.convert_pop([])


def test_variable_is_written_in_a_copy_inside_of_a_branch():
    def func(x, w):
        y = x * w

        def true_fn_0(y):
            y = d2s.convert_setitem(y, 0, w * w)
            return y

        y = d2s.convert_ifelse(x.sum() > 100, true_fn_0, lambda y: y, (y,), (y,), ())
        return (y * x).sum()

    check(func)
    compare(func, {"x": X * 10}, {"w": W})


def test_what_arrays_cannot_do(program):
    x = paddle.static.data("x", [-1, 2])
    rows = grown(x, x[0])
    with pytest.raises(InvalidArgumentError, match=r"holds Tensors only.* a list of 2 values"):
        d2s.convert_append(rows, [x, x])
    with pytest.raises(InvalidArgumentError, match=r"holds float32 Tensors, but .* int64"):
        d2s.convert_append(rows, paddle.ones([2], "int64"))
    with pytest.raises(InvalidArgumentError, match="step 1, but received 2"):
        rows[::2]
    with pytest.raises(PreconditionNotMetError, match="cannot be iterated"):
        list(rows)
    with pytest.raises(TypeError, match=r"index of a tensor array.* str 'a'"):
        rows["a"]


def test_list_methods_and_plus():
    def func(x, w):
        rows = grown(x, w)
        more = rows + [w, w * w]
        rows.extend([w * 3])
        more.extend(rows)
        last = rows.pop()
        return (paddle.stack(more) ** 2).sum() + (paddle.stack(rows) * x).sum() + last.sum()

    check(func)
