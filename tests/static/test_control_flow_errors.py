"""Control flow that cannot be right: the message names both sides and the user's line."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.static import nn
from paddle.static.control import IfElse, StaticRNN, Switch, While
from tests.static.harness import run, static

HERE = "test_control_flow_errors.py"


def condition():
    return paddle.static.data("c", [1]) > 0.0


def check(kind, *texts):
    """The context of pytest.raises for a message that has all the texts."""
    pattern = "(?s)" + "".join(f"(?=.*{text})" for text in texts)
    return pytest.raises(kind, match=pattern)


@pytest.mark.parametrize(
    ("yes", "no", "texts"),
    [
        (lambda x: x, lambda x: [x, x], ["structure", "one Variable and a list of 2"]),
        (lambda x: (x, x), lambda x: [x], ["structure", "2 and 1 elements"]),
        (lambda x: {"a": x}, lambda x: {"b": x}, ["keys", "'a'", "'b'"]),
        (lambda x: None, lambda x: x, ["None and one Variable"]),
        (lambda x: x, lambda x: 3, [r"FP32 of shape \[3, 4\]", "true_fn", "int 3"]),
        (lambda x: [x, [x]], lambda x: [x, [3]], [r"result \[1\]\[0\]", "int 3"]),
        (lambda x: "a", lambda x: "b", ["str 'a'", "str 'b'"]),
    ],
)
def test_branches_that_disagree(yes, no, texts):
    with static() as (main, _):
        x, c = paddle.static.data("x", [3, 4]), condition()
        with check(ValueError, "true_fn and false_fn", HERE, *texts):
            nn.cond(c, lambda: yes(x), lambda: no(x))
        assert main.current_block_idx == 0


@pytest.mark.parametrize(
    ("no", "texts"),
    [
        (lambda x: paddle.cast(x, "int64"), ["FP32 of shape", "INT64", "true_fn"]),
        (lambda x: paddle.sum(x, axis=1), ["rank", r"\[3, 4\]", r"\[3\]"]),
    ],
)
def test_types_and_ranks_that_differ_are_told(no, texts):
    pattern = "(?s)" + "".join(f"(?=.*{text})" for text in ["true_fn and false_fn", HERE, *texts])
    with static():
        x, c = paddle.static.data("x", [3, 4]), condition()
        with pytest.warns(UserWarning, match=pattern):
            y = nn.cond(c, lambda: x, lambda: no(x))
    assert (y.shape, y.dtype) == ((3, 4), x.dtype)


def test_a_branch_that_fails_leaves_no_block():
    with static() as (main, _):
        c = condition()
        with pytest.raises(ZeroDivisionError):
            nn.cond(c, lambda: 1 / 0, lambda: None)
        assert main.num_blocks == 1 and main.current_block() is main.global_block()


def test_conditions_of_cond():
    with static():
        x = paddle.static.data("x", [3, 4])
        with check(TypeError, r"cond\(pred\)", "Variable", "received bool"):
            nn.cond(True, lambda: x, lambda: x)
        with check(TypeError, r"cond\(pred\)", "bool Variable", "FP32", HERE):
            nn.cond(paddle.sum(x), lambda: x, lambda: x)
        with check(ValueError, "one element", r"\[3, 4\]", HERE):
            nn.cond(x > 0.0, lambda: x, lambda: x)
        with check(TypeError, r"cond\(true_fn\)", "function", "int"):
            nn.cond(condition(), 3, lambda: x)
    with check(ValueError, "one element", r"\[2\]"):
        nn.cond(paddle.to_tensor([True, False]), lambda: 1, lambda: 2)
    with check(TypeError, "bool Tensor", "FP32"):
        nn.cond(paddle.to_tensor([1.0]), lambda: 1, lambda: 2)


def test_arguments_of_case():
    with static():
        x, c = paddle.static.data("x", [1]), condition()
        with check(TypeError, "pred_fn_pairs", "list or tuple", "int"):
            nn.case(3)
        with check(ValueError, "at least one pair"):
            nn.case([])
        with check(TypeError, r"pred_fn_pairs\[0\]", "pair"):
            nn.case([c])
        with check(TypeError, r"pred_fn_pairs\[0\]\[0\]", "Variable", "bool"):
            nn.case([(True, lambda: x)])
        with check(TypeError, r"pred_fn_pairs\[0\]\[1\]", "function"):
            nn.case([(c, x)])
        with check(TypeError, "default", "function"):
            nn.case([(c, lambda: x)], default=x)


def test_arguments_of_switch_case():
    with static():
        x, i = paddle.static.data("x", [1]), paddle.static.data("i", [1], "int32")
        with check(TypeError, "branch_index", "Variable", "int"):
            nn.switch_case(1, {1: lambda: x})
        with check(TypeError, "branch_index", "int64", "FP32"):
            nn.switch_case(x, {1: lambda: x})
        with check(TypeError, "branch_fns", "dict", "int"):
            nn.switch_case(i, 3)
        with check(ValueError, "at least one"):
            nn.switch_case(i, {})
        with check(TypeError, "int as number", "str"):
            nn.switch_case(i, {"1": lambda: x})
        with check(ValueError, "number 1", "more than once"):
            nn.switch_case(i, [(1, lambda: x), (1, lambda: x)])
        with check(TypeError, r"branch_fns\[1\]", "function"):
            nn.switch_case(i, {1: x})
        with check(TypeError, "pairs"):
            nn.switch_case(i, [x])


def one():
    return paddle.full([1], 0, "int64")


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (lambda i, x: [i + 1], ["2 and 1 elements"]),
        (lambda i, x: i + 1, ["2 and 1 elements"]),
        (lambda i, x: [i + 1, [x]], [r"\[1\] is one Variable and a list of 1"]),
        (lambda i, x: [i + 1, None], ["one Variable and None"]),
        (lambda i, x: [paddle.cast(i, "float32"), x], [r"loop_vars\[0\]", "INT64", "FP32"]),
        (lambda i, x: [i + 1, paddle.sum(x, axis=1)], [r"loop_vars\[1\]", "rank", r"\[3\]"]),
        (lambda i, x: [i + 1, "x"], [r"loop_vars\[1\]", "str 'x'"]),
    ],
)
def test_bodies_that_return_something_else(body, texts):
    with static() as (main, _):
        x = paddle.static.data("x", [3, 4])
        with check(ValueError, r"while_loop\(body\)", HERE, *texts):
            nn.while_loop(lambda i, x: i < 3, body, [one(), x])
        assert main.num_blocks == 1 and main.current_block_idx == 0


def test_dynamic_bodies_that_return_something_else():
    with check(ValueError, "2 and 1 elements"):
        nn.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1], [one(), one()])


def test_arguments_of_while_loop():
    with static():
        x = paddle.static.data("x", [3, 4])
        with check(TypeError, r"while_loop\(cond\)", "function"):
            nn.while_loop(x, lambda x: x, [x])
        with check(TypeError, r"while_loop\(body\)", "function"):
            nn.while_loop(lambda x: x, x, [x])
        with check(TypeError, r"loop_vars\)", "list or tuple", "Variable"):
            nn.while_loop(lambda x: x, lambda x: x, x)
        with check(ValueError, r"loop_vars\)", "at least one"):
            nn.while_loop(lambda: 0, lambda: 0, [])
        with check(TypeError, "bool Variable", "FP32", HERE):
            nn.while_loop(lambda x: paddle.sum(x), lambda x: [x], [x])
        with check(TypeError, "Variable", "received bool"):
            nn.while_loop(lambda x: True, lambda x: [x], [x])
        with check(ValueError, "one element", r"\[3, 4\]"):
            nn.while_loop(lambda x: x > 0.0, lambda x: [x], [x])
        with check(ValueError, "cannot change", "str 'a'"):
            nn.while_loop(lambda i, s: i < 3, lambda i, s: [i + 1, s + "b"], [one(), "a"])


def test_a_loop_that_never_ends_is_found():
    with static() as (main, _):
        going = paddle.full([1], True, "bool")
        with (
            check(ValueError, "never writes its condition", "never end", HERE),
            While(going).block(),
        ):
            one()
        assert main.num_blocks == 1


def test_classes_belong_to_static_mode():
    flag = paddle.to_tensor([True])
    for make in (lambda: While(flag), Switch, StaticRNN, lambda: IfElse(flag)):
        with check(RuntimeError, "static Program", "dynamic mode"):
            make()


def test_while_checks_its_arguments():
    with static():
        x = paddle.static.data("x", [1])
        with check(TypeError, "bool Variable", "FP32"):
            While(x)
        with check(TypeError, "is_test", "int"):
            While(condition(), is_test=1)


def test_switch_is_used_in_a_with_statement():
    with static():
        c = condition()
        with check(RuntimeError, "with Switch"), Switch().case(c):
            pass
        with Switch() as switch, check(ValueError, "no case before"), switch.default():
            pass


def test_static_rnn_says_what_is_missing():
    with static():
        x = paddle.static.data("x", [4, 2, 3])
        rnn = StaticRNN()
        for call in (lambda: rnn.step_input(x), lambda: rnn.memory(init=x), lambda: rnn.output(x)):
            with check(RuntimeError, "inside of 'with rnn.step"):
                call()
        with check(RuntimeError, "only after"):
            rnn()
        with check(ValueError, "never updated", HERE), rnn.step():
            word = rnn.step_input(x)
            memory = rnn.memory(shape=[-1, 3], batch_ref=word)
            rnn.step_output(memory)
        rnn, start = StaticRNN(), paddle.zeros([2, 3])
        with rnn.step():
            with check(ValueError, "4 time steps", "has 5"):
                rnn.step_input(x)
                rnn.step_input(paddle.static.data("y", [5, 2, 3]))
            with check(ValueError, "init, or both shape and batch_ref"):
                rnn.memory(shape=[2])
            with check(ValueError, "made inside of the step"):
                rnn.memory(init=paddle.zeros([2, 3]))
            memory = rnn.memory(init=start)
            with check(ValueError, "none of the memories"):
                rnn.update_memory(x, x)
            with check(ValueError, "FP32 of shape", r"\[4, 2, 3\]"):
                rnn.update_memory(memory, x)
            rnn.update_memory(memory, memory + 1.0)
        with check(ValueError, "no output"):
            rnn()


def test_if_else_says_what_is_missing():
    with static():
        x = paddle.static.data("x", [None, 1])
        with check(TypeError, "bool Variable", "FP32"):
            IfElse(x)
        ways = IfElse(x > 0.0)
        with check(RuntimeError, "inside of true_block or false_block"):
            ways.input(x)
        with check(ValueError, "call output"), ways.true_block():
            ways.input(x)
        with check(RuntimeError, "both"):
            ways()


def test_backward_of_a_loop_for_tests_only():
    with static():
        x = paddle.static.data("x", [3, 4])
        w = paddle.create_parameter([4, 4], "float32")
        _, h = nn.while_loop(
            lambda i, h: i < 3, lambda i, h: [i + 1, paddle.matmul(h, w)], [one(), x], is_test=True
        )
        with check(RuntimeError, "is_test=True", HERE):
            paddle.static.append_backward(paddle.mean(h))


def test_conditions_of_a_wrong_size_are_found_in_the_run():
    with static() as (main, startup):
        c = paddle.static.data("c", [-1], "bool")
        out = nn.cond(c, lambda: paddle.ones([1]), lambda: paddle.zeros([1]))
    with check(ValueError, "one element", r"\[2\]", HERE):
        run(main, startup, {"c": np.array([True, False])}, [out])


def test_arrays_in_a_program_check_their_arguments():
    arrays = paddle.tensor
    with static() as (main, startup):
        x, i = paddle.static.data("x", [2]), one()
        with check(TypeError, r"array_write\(x\)", "Tensor", "int"):
            arrays.array_write(3, i)
        with check(TypeError, r"array_write\(i\)", "str"):
            arrays.array_write(x, "0")
        with check(ValueError, r"array_write\(i\)", "int64", "FP32"):
            arrays.array_write(x, x)
        with check(TypeError, r"array_read\(array\)", "tensor array"):
            arrays.array_read(x, i)
        array = arrays.array_write(x, i)
        with check(ValueError, "VarType.FP32", "VarType.INT64"):
            arrays.array_write(paddle.cast(x, "int64"), i, array)
        late = arrays.array_read(array, i + 5)
    with check(IndexError, "below the array's length 1", "got 5", HERE):
        run(main, startup, {"x": np.ones(2, "float32")}, [late])


def test_branches_that_disagree_leave_no_blocks():
    with static() as (main, _):
        x = paddle.static.data("x", [3, 4])
        with pytest.raises(ValueError, match="same type and rank"):
            nn.cond(
                paddle.mean(x) > 0.0,
                lambda: nn.cond(x[0, 0] > 0.0, lambda: x, lambda: x),
                lambda: 3.0,
            )
        assert main.num_blocks == 1 and main.current_block().idx == 0


def test_a_variable_of_a_block_is_not_seen_outside():
    with static() as (main, _):
        x, inner = paddle.static.data("x", [3, 4]), []

        def body(i, h):
            inner.append(h * 2.0)
            return [i + 1, inner[0]]

        nn.while_loop(lambda i, h: i < 3, body, [paddle.full([1], 0, "int64"), x])
        for call in (
            lambda: inner[0] + 1.0,
            lambda: paddle.concat([x, inner[0]]),
            lambda: nn.cond(paddle.mean(x) > 0.0, lambda: inner[0] * 1.0, lambda: x),
        ):
            with pytest.raises(
                ValueError, match=r"belongs to block 1, which block \d does not see"
            ):
                call()
        with pytest.raises(ValueError, match=r"inner.append\(h \* 2.0\)"):
            paddle.tanh(inner[0])
        copy = main.clone(for_test=True)
        with paddle.static.program_guard(copy):
            assert (x * 2.0).block.program is copy  # it has a variable of that name
        with (
            paddle.static.program_guard(paddle.static.Program()),
            pytest.raises(ValueError, match="'x' belongs to another Program"),
        ):
            paddle.tanh(x)
