"""cond, case, switch_case and while_loop: values and gradients as Python's own if and while."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.static import nn
from tests.static.control_harness import compare, recorded
from tests.static.harness import run, static

RNG = np.random.RandomState(0)
X = RNG.randn(3, 4).astype("float32")
W = (RNG.randn(4, 4) * 0.5).astype("float32")
V = (RNG.randn(4, 4) * 0.5).astype("float32")
YES, NO = np.array([1.0], "float32"), np.array([-1.0], "float32")
arrays = paddle.tensor


def zero():
    return paddle.full([1], 0, "int64")


def two_parameters(x, c, w, v):
    y = nn.cond(c > 0.0, lambda: paddle.matmul(x, w), lambda: paddle.matmul(x, v) + paddle.sum(w))
    return paddle.mean(y * y), y


def values_from_outside(x, c, w, v):
    h = paddle.matmul(x, w)
    y, z = nn.cond(
        c > 0.0,
        lambda: [h * 2.0, paddle.matmul(x, w)],
        lambda: (paddle.matmul(h, v), h + 1.0),
    )
    return paddle.mean(y * y) + paddle.sum(z * h), z


def nested(x, c, w, v):
    def inner():
        return nn.cond(c > 2.0, lambda: x * 3.0, lambda: paddle.matmul(x, v))

    y = nn.cond(c > 0.0, inner, lambda: nn.cond(c < -2.0, lambda: x, lambda: paddle.matmul(x, w)))
    return paddle.sum(y * y), y


def returns_what_is_outside(x, c, w, v):
    h = paddle.matmul(x, w)
    y = nn.cond(c > 0.0, lambda: h, lambda: x)
    return paddle.sum(y * y)


def chosen_by_case(x, c, w, v):
    y = nn.case(
        [(c > 2.0, lambda: x * 1.0), (c > 0.0, lambda: paddle.matmul(x, w))],
        default=lambda: paddle.matmul(x, v),
    )
    return paddle.sum(y * y)


CONDITIONS = [
    two_parameters, values_from_outside, nested, returns_what_is_outside, chosen_by_case,
]  # fmt: skip


@pytest.mark.parametrize("value", [3.0, 1.0, -1.0, -3.0])
@pytest.mark.parametrize("build", CONDITIONS, ids=lambda f: f.__name__)
def test_conditions_have_the_values_and_gradients_of_the_branch_that_runs(build, value):
    compare(build, {"x": X, "c": np.array([value], "float32")}, {"w": W, "v": V}, batch=True)


def state(x, w):
    i, h = nn.while_loop(
        lambda i, h: i < 3,
        lambda i, h: [i + 1, paddle.tanh(paddle.matmul(h, w))],
        [zero(), paddle.tanh(paddle.matmul(x, w))],
    )
    return paddle.mean(h * h), i, h


def starts_from_a_constant(x, w):
    _, s = nn.while_loop(
        lambda i, s: i < 3,
        lambda i, s: [i + 1, s * s + paddle.mean(paddle.matmul(x, w))],
        [zero(), paddle.zeros([1])],
    )
    return s


def condition_inside(x, w):
    def body(i, h):
        even = paddle.equal(i % 2, paddle.zeros([1], "int64"))
        h = nn.cond(even, lambda: paddle.tanh(paddle.matmul(h, w)), lambda: h * 1.2 + x)
        return [i + 1, h]

    _, h = nn.while_loop(lambda i, h: i < 5, body, [zero(), x])
    return paddle.mean(h * h), h


def condition_in_loop_in_condition(x, w):
    def body(i, h):
        def other():
            return nn.cond(i > 1, lambda: h + paddle.sum(w), lambda: h * paddle.mean(w))

        return [i + 1, nn.cond(paddle.mean(h) > 0.0, lambda: paddle.matmul(h, w), other)]

    y = nn.cond(
        paddle.sum(x) > -1e9,
        lambda: nn.while_loop(lambda i, h: i < 4, body, [zero(), x])[1],
        lambda: x,
    )
    return paddle.mean(y * y)


def loop_in_loop(x, w):
    def body(i, h):
        def inner(j, g):
            return [j + 1, paddle.tanh(paddle.matmul(g, w)) + h * 0.1]

        _, g = nn.while_loop(lambda j, g: j < i + 1, inner, [zero(), h])
        return [i + 1, paddle.matmul(g, w) + h]

    _, h = nn.while_loop(lambda i, h: i < 3, body, [zero(), x])
    return paddle.mean(h * h)


def never_runs(x, w):
    start = [paddle.full([1], 5, "int64"), x * paddle.mean(w)]
    _, h = nn.while_loop(lambda i, h: i < 3, lambda i, h: [i + 1, paddle.matmul(h, w)], start)
    return paddle.mean(h * h)


def swaps(x, w):
    _, a, b = nn.while_loop(
        lambda i, a, b: i < 3,
        lambda i, a, b: [i + 1, b, paddle.tanh(paddle.matmul(a, w))],
        [zero(), x, x * paddle.mean(w)],
    )
    return paddle.mean(a * a) + paddle.sum(b * a), a, b


def used_only_inside(x, w):
    """``v`` matters after the loop only through ``u``."""
    _, u, _ = nn.while_loop(
        lambda i, u, v: i < 4,
        lambda i, u, v: [i + 1, u + v * 2.0, paddle.tanh(paddle.matmul(v, w))],
        [zero(), paddle.zeros_like(x), x * paddle.mean(w)],
    )
    return paddle.mean(u * u)


def forgets_what_came_before(x, w):
    _, u = nn.while_loop(
        lambda i, u: i < 4,
        lambda i, u: [i + 1, paddle.matmul(x, w) * paddle.cast(i, "float32")],
        [zero(), x * paddle.mean(w)],
    )
    return paddle.mean(u * u)


def grows(x, w):
    _, h = nn.while_loop(
        lambda i, h: i < 3,
        lambda i, h: [i + 1, paddle.concat([h, paddle.matmul(h[-1:], w)])],
        [zero(), x],
    )
    return paddle.mean(h * h), h


def nest(x, w):
    def body(s, nothing):
        return [{"i": s["i"] + 1, "h": (paddle.tanh(paddle.matmul(s["h"][0], w)),)}, nothing]

    found = nn.while_loop(lambda s, n: s["i"] < 3, body, [{"i": zero(), "h": (x,)}, None])
    assert found[1] is None
    return paddle.mean(found[0]["h"][0])


def reads_and_writes_arrays(x, w):
    source = None
    for k in range(3):
        part = x[k : k + 1] * paddle.mean(w)
        source = arrays.array_write(part, paddle.full([1], k, "int64"), source)
    out = arrays.create_array("float32")

    def body(i, s):
        s = paddle.tanh(paddle.matmul(s + arrays.array_read(source, i), w))
        arrays.array_write(s, i, out)
        return [i + 1, s]

    _, s = nn.while_loop(lambda i, s: i < 3, body, [zero(), paddle.zeros([1, 4])])
    first = arrays.array_read(out, zero())
    second = arrays.array_read(out, paddle.full([1], 1, "int64"))
    total = first + second * 2.0 + s
    return paddle.mean(total * total)


def overwrites_one_element(x, w):
    at = zero()
    cell = arrays.array_write(x * paddle.mean(w), at)

    def body(i, cell):
        new = paddle.tanh(paddle.matmul(arrays.array_read(cell, at), w))
        return [i + 1, arrays.array_write(new, at, cell)]

    _, cell = nn.while_loop(lambda i, cell: i < 3, body, [zero(), cell])
    y = arrays.array_read(cell, at)
    return paddle.mean(y * y)


def counts_in_place(x, w):
    start = zero()
    states = arrays.array_write(paddle.tanh(paddle.matmul(x, w)), start)

    def body(i, states):
        last = arrays.array_read(states, i)
        i = paddle.increment(i)
        states = arrays.array_write(paddle.tanh(paddle.matmul(last, w)), i, states)
        return [i, states]

    i, states = nn.while_loop(lambda i, s: i < 3, body, [start, states])
    last, before = arrays.array_read(states, i), arrays.array_read(states, i - 1)
    return paddle.mean(last * last) + paddle.mean(before)


def array_in_a_branch(x, w):
    at = zero()
    array = arrays.array_write(x * paddle.mean(w), at)

    def change():
        arrays.array_write(paddle.matmul(x, w), at, array)

    nn.cond(paddle.sum(x) > -1e9, change, lambda: None)
    nn.cond(paddle.sum(x) > 1e9, change, lambda: None)
    y = arrays.array_read(array, at)
    return paddle.mean(y * y)


LOOPS = [
    state, starts_from_a_constant, condition_inside, condition_in_loop_in_condition, loop_in_loop,
    never_runs, swaps, used_only_inside, forgets_what_came_before, grows, nest,
    reads_and_writes_arrays, overwrites_one_element, counts_in_place, array_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("build", LOOPS, ids=lambda f: f.__name__)
def test_loops_have_the_values_and_gradients_of_python_loops(build):
    compare(build, {"x": X}, {"w": W}, batch=True)


@pytest.mark.parametrize("index", [0, 1, 3, 7])
def test_switch_case_runs_the_function_of_the_number(index):
    def build(x, i):
        functions = {1: lambda: x + 1.0, 3: lambda: x * x, 7: lambda: -x}
        listed = [lambda: x, lambda: x * 2.0, lambda: x * 3.0]
        return (
            nn.switch_case(i, functions, default=lambda: x * 0.0),
            nn.switch_case(i, functions),
            nn.switch_case(i, list(functions.items())),
            nn.switch_case(i, listed),
        )

    for kind in ("int32", "int64", "uint8"):
        compare(build, {"x": X, "i": np.array([index], kind)})


@pytest.mark.parametrize("value", [0.5, 1.5, 9.0])
def test_case_without_a_default_takes_the_last(value):
    def build(x):
        pairs = [(x < 1.0, lambda: x * 10.0), (x < 2.0, lambda: x * 100.0)]
        return nn.case(pairs), nn.case([*pairs, (x < 3.0, lambda: x)])

    compare(build, {"x": np.array([value], "float32")})


def test_numbers_and_none_as_results():
    def build(c):
        a, (b, nothing), d = nn.cond(
            c > 0.0,
            lambda: (1, [paddle.ones([1]), None], True),
            lambda: (2, [3.5, None], False),
        )
        assert nothing is None
        return a, b, d

    for value, expected in ((1.0, [1, 1.0, True]), (-1.0, [2, 3.5, False])):
        main, startup, outs, _ = recorded(build, {"c": YES}, {})
        found = run(main, startup, {"c": np.array([value], "float32")}, outs)
        assert [v.item() for v in found] == expected
        assert [v.dtype for v in found] == [np.int64, np.float32, np.bool_]


def test_numbers_as_loop_variables():
    with static() as (main, startup):
        i, x = nn.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * 2.0], [0, 1.5])
    found = run(main, startup, {}, [i, x])
    assert found[0].item() == 3 and found[1].item() == 12.0


def test_cond_without_results_returns_none():
    with static() as (main, startup):
        kept = paddle.zeros([1])
        c = paddle.static.data("c", [1])

        def change():
            paddle.assign(paddle.ones([1]), output=kept)

        assert nn.cond(c > 0.0, change) is None
        assert nn.cond(c > 0.0) is None
    assert run(main, startup, {"c": YES}, [kept])[0] == 1.0
    assert run(main, startup, {"c": NO}, [kept])[0] == 0.0


def test_the_values_given_to_a_loop_stay_as_they_are():
    with static() as (main, startup):
        i = zero()
        x = paddle.static.data("x", [None, 4])
        j, y = nn.while_loop(
            lambda i, x: i < 2, lambda i, x: [paddle.increment(i), x + 1.0], [i, x]
        )
    found = run(main, startup, {"x": X}, [i, x, j, y])
    assert found[0].item() == 0 and found[2].item() == 2
    np.testing.assert_array_equal(found[1], X)
    np.testing.assert_allclose(found[3], X + 2.0, rtol=1e-6)


def test_operators_are_those_of_paddlepaddle():
    main, *_ = recorded(two_parameters, {"x": X, "c": YES}, {"w": W, "v": V})
    kinds = [op.type for op in main.global_block().ops]
    assert kinds.count("conditional_block") == kinds.count("conditional_block_grad") == 2
    assert kinds.count("select_input") == kinds.count("select_output") == 1
    main, *_ = recorded(state, {"x": X}, {"w": W})
    loop = next(op for op in main.global_block().ops if op.type == "while")
    back = next(op for op in main.global_block().ops if op.type == "while_grad")
    assert set(loop.inputs) == {"X", "Condition"} and set(loop.outputs) == {"Out", "StepScopes"}
    grad_block = back.attr("sub_block")
    assert grad_block.forward_block_idx == loop.attr("sub_block").idx == 1
    assert (grad_block.idx, grad_block.parent_idx) == (2, 0)
    assert back.input("Out@GRAD") == back.attr("original_output_grad")
    assert set(back.input("Out@GRAD")) <= set(back.output("X@GRAD"))


@pytest.mark.filterwarnings("ignore:cond. true_fn and false_fn")
def test_ranks_and_types_may_differ():
    """2.0's own examples of case and switch_case; the values are those of 2.6.2."""
    full = paddle.full
    fns = {1: lambda: full([1, 2], 1.0), 2: lambda: full([2, 2], 2, "int32"),
           0: lambda: full([3], 3, "int32")}  # fmt: skip
    with static() as (main, startup):
        i = paddle.static.data("i", [1], "int32")
        chosen = nn.switch_case(i, fns)
        cases = nn.case([(i < 1, fns[0]), (i < 2, fns[1])], default=fns[2])
        flat = paddle.reshape(chosen, [-1])
    for number, want in ((0, [3, 3, 3]), (1, [[1.0, 1.0]]), (2, [[2, 2], [2, 2]])):
        feed = {"i": np.array([number], "int32")}
        got = run(main, startup, feed, [chosen, cases, flat])
        assert [v.tolist() for v in got] == [want, want, np.ravel(want).tolist()]
        assert got[0].dtype == got[1].dtype == ("float32" if number == 1 else "int32")


@pytest.mark.filterwarnings("ignore:cond. true_fn and false_fn")
def test_gradients_go_through_branches_of_different_rank():
    with static() as (main, startup):
        x, c = paddle.static.data("x", [2, 3]), paddle.static.data("c", [1])
        x.stop_gradient = False
        y = nn.cond(c > 0.0, lambda: x * 2.0, lambda: paddle.sum(x * 3.0, axis=1))
        (grad,) = paddle.static.gradients(paddle.mean(y), x)
    for c_value, want, slope in ((YES, np.full([2, 3], 2.0), 1 / 3), (NO, [9.0, 9.0], 1.5)):
        feed = {"x": np.ones([2, 3], "float32"), "c": c_value}
        got = run(main, startup, feed, [y, grad])
        assert got[0].tolist() == np.array(want).tolist()
        np.testing.assert_allclose(got[1], np.full([2, 3], slope), rtol=1e-6)


def test_shapes_that_differ_are_unknown():
    with static():
        x, c = paddle.static.data("x", [3, 4]), paddle.static.data("c", [1])
        assert nn.cond(c > 0.0, lambda: x[:2], lambda: x).shape == (-1, 4)
        _, h = nn.while_loop(
            lambda i, h: i < 3, lambda i, h: [i + 1, paddle.concat([h, h])], [zero(), x]
        )
        assert h.shape == (-1, 4)


def test_dynamic_mode_runs_the_functions_at_once():
    x = paddle.to_tensor([2.0])
    called = []
    y = nn.cond(x > 1.0, lambda: x * 3.0, lambda: called.append(1))
    assert y.item() == 6.0 and not called
    assert nn.cond(x > 5.0, lambda: x) is None
    i, s = nn.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x), [zero(), x])
    assert (i.item(), s.item(), x.item()) == (3, 8.0, 2.0)
    assert nn.case([(x > 5.0, lambda: 1), (x > 1.0, lambda: 2)], lambda: 3) == 2
    assert nn.switch_case(paddle.to_tensor([4]), {4: lambda: "four", 5: lambda: "five"}) == "four"
