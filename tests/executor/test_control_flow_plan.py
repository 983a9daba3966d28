"""Plans of Programs with blocks: what is saved, how deep they nest, what hostile ones do."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core import flags
from paddle.static import nn
from tests.static.control_harness import compare, recorded
from tests.static.harness import run, static

X = np.random.RandomState(5).randn(3, 4)
W = np.random.RandomState(6).randn(4, 4) * 0.5


def loop(x, w):
    _, h = nn.while_loop(
        lambda i, h: i < 3, lambda i, h: [i + 1, paddle.tanh(paddle.matmul(h, w))], [0, x]
    )
    return paddle.mean(h * h)


def source_of(main, feeds, fetches) -> str:
    return paddle.static.Executor().plan(main, feeds, fetches).source


def test_control_flow_is_python_and_saves_nothing_without_a_gradient():
    main, _, outs, grads = recorded(loop, {"x": X}, {"w": W})
    text = source_of(main, ("x",), [outs[0].name])
    assert "while truth(" in text and ".append(" not in text
    text = source_of(main, ("x",), [*grads.values()])
    assert text.count("while ") == 2 and text.count(".append(") == 1 and ".pop()" in text


@pytest.mark.parametrize("kind", ["loop", "condition", "array"])
def test_gradients_are_finite_differences(kind):
    def build(x, w):
        at = paddle.zeros([1], "int64")

        def body(i, h, array):
            new = nn.cond(
                paddle.sum(h) > 0.0,
                lambda: paddle.tanh(paddle.matmul(h, w)) + x,
                lambda: paddle.matmul(h, w) * paddle.mean(w),
            )
            if kind == "array":
                new = new + paddle.tensor.array_read(array, i)
                array = paddle.tensor.array_write(new * 0.5, i + 1, array)
            return [i + 1, new if kind != "loop" else paddle.sin(paddle.matmul(h, w)), array]

        array = paddle.tensor.array_write(x * paddle.mean(w), at)
        _, h, array = nn.while_loop(lambda i, h, a: i < 3, body, [at, x, array])
        last = paddle.tensor.array_read(array, at)
        return paddle.sum(h * h) + paddle.sum(last * h)

    main, startup, outs, grads = recorded(build, {"x": X}, {"w": W})
    paddle.disable_static()
    exe, scope = paddle.static.Executor(), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        exe.run(startup)
        (grad,) = exe.run(main, feed={"x": X}, fetch_list=[grads["w"]])

        def value(at, delta):
            moved = W.copy()
            moved[at] += delta
            scope.var("w").get_tensor().set(moved, paddle.CPUPlace())
            return exe.run(main, feed={"x": X}, fetch_list=outs)[0].item()

        for at in ((0, 0), (1, 3), (3, 2)):
            slope = (value(at, 1e-6) - value(at, -1e-6)) / 2e-6
            np.testing.assert_allclose(grad[at], slope, rtol=1e-6, atol=1e-7)


def test_two_gradients_of_one_loop():
    with static() as (main, startup):
        x = paddle.static.data("x", [3, 4], "float64")
        x.stop_gradient = False
        _, h = nn.while_loop(lambda i, h: i < 3, lambda i, h: [i + 1, paddle.tanh(h) * 2.0], [0, x])
        (first,) = paddle.static.gradients(paddle.mean(h), x)
        (second,) = paddle.static.gradients(paddle.sum(h * h), x)
    found = run(main, startup, {"x": X}, [first, second])
    for got, reduce in zip(found, (paddle.mean, lambda h: paddle.sum(h * h)), strict=True):
        a = paddle.to_tensor(X, stop_gradient=False)
        b = a
        for _ in range(3):
            b = paddle.tanh(b) * 2.0
        reduce(b).backward()
        np.testing.assert_allclose(got, a.grad.numpy(), rtol=1e-10)


def test_conditions_nest_deeper_than_python_indents():
    def build(x, w):
        def level(depth):
            if depth == 40:
                return paddle.matmul(x, w)
            inner = lambda: level(depth + 1) + 0.01
            return nn.cond(paddle.mean(x) > -99.0, inner, lambda: x)

        y = level(0)
        return paddle.mean(y * y)

    compare(build, {"x": X}, {"w": W})


def test_loops_nest_deeper_than_python_allows():
    def build(x, w):
        def level(depth, h):
            if depth == 22:
                return paddle.tanh(paddle.matmul(h, w)) + x
            body = lambda i, h: [i + 1, level(depth + 1, h)]
            return nn.while_loop(lambda i, h: i < 1, body, [paddle.zeros([1], "int64"), h])[1]

        y = level(0, x)
        return paddle.mean(y * y)

    compare(build, {"x": X}, {"w": W})


def test_blocks_that_contain_themselves_are_refused():
    main, startup, outs, _ = recorded(loop, {"x": X}, {"w": W})
    inner = main.block(1)
    inner.append_op(
        type="conditional_block", inputs={"Cond": [], "Input": []}, outputs={"Out": []},
        attrs={"sub_block": inner, "is_scalar_condition": True},
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"blocks \[1\] run one another in a cycle"):
        run(main, startup, {"x": X}, outs)


def test_a_gradient_block_without_its_forward_block():
    main, startup, _, grads = recorded(loop, {"x": X}, {"w": W})
    back = next(op for op in main.global_block().ops if op.type == "while_grad")
    back.attr("sub_block").forward_block_idx = -1
    main.note_change()
    with pytest.raises(ValueError, match=r"while_grad: block 2 does not say of which block"):
        run(main, startup, {"x": X}, [*grads.values()])


def test_a_gradient_whose_forward_operator_is_gone():
    main, startup, _, grads = recorded(loop, {"x": X}, {"w": W})
    at = next(i for i, op in enumerate(main.global_block().ops) if op.type == "while")
    main.global_block()._remove_op(at)
    with pytest.raises(RuntimeError, match=r"while_grad: no operator before it saves"):
        run(main, startup, {"x": X}, [*grads.values()])


def test_errors_in_a_block_name_the_line_inside_of_it():
    with static() as (main, startup):
        x = paddle.static.data("x", [-1, 4])
        y = paddle.static.data("y", [-1, 4])
        out = nn.cond(paddle.mean(x) > 0.0, lambda: x + y, lambda: x)
    feed = {"x": np.ones([3, 4], "float32"), "y": np.ones([2, 4], "float32")}
    with pytest.raises(ValueError, match=r"(?s)elementwise_add.*lambda: x \+ y"):
        run(main, startup, feed, [out])


def test_copies_for_testing_have_no_gradient_blocks_and_serialise():
    main, startup, outs, grads = recorded(loop, {"x": X}, {"w": W})
    assert main.num_blocks == 3 and main.clone(for_test=True).num_blocks == 2
    again = paddle.static.Program.parse_from_string(main.desc.serialize_to_string())
    wanted = run(main, startup, {"x": X}, [outs[0], *grads.values()])
    found = run(again, startup, {"x": X}, [outs[0].name, *grads.values()])
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_loop_runs_under_the_nan_checks(monkeypatch):
    main, startup, outs, grads = recorded(loop, {"x": X}, {"w": W})
    wanted = run(main, startup, {"x": X}, [*outs, *grads.values()])
    monkeypatch.setitem(flags._values, "FLAGS_check_nan_inf", True)
    found = run(main, startup, {"x": X}, [*outs, *grads.values()])
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    with pytest.raises(RuntimeError, match="NaN or Inf"):
        run(main, startup, {"x": X * np.nan}, outs)
