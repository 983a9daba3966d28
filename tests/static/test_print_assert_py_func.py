"""Print, Assert and py_func."""

from __future__ import annotations

import contextlib
import sys
import threading

import numpy as np
import pytest

import paddle
from paddle.executor.callables import function_of, number_of
from paddle.static import Print, gradients, py_func
from paddle.static.print_op import Assert
from tests.static.harness import run, static

X = (np.arange(6).reshape(2, 3) / 7).astype("float32")


def printed(capsys, build, feed, runs=1) -> str:
    """What a Program prints in some runs; ``build`` returns what is fetched."""
    with static() as (main, startup):
        outs = build()
    exe = paddle.static.Executor()
    exe.run(startup)
    capsys.readouterr()
    for _ in range(runs):
        exe.run(main, feed=feed, fetch_list=outs)
    return capsys.readouterr().out


def test_print_in_both_phases(capsys):
    def build():
        x = paddle.static.data("x", [None, 3])
        x.stop_gradient = False
        y = Print(x * 2.0, message="twice", summarize=2)
        return gradients(paddle.mean(y), [x])

    assert printed(capsys, build, {"x": X}) == (
        "Variable: tmp_0\n"
        "  - message: twice\n"
        "  - lod: {}\n"
        "  - place: CPUPlace\n"
        "  - shape: [2, 3]\n"
        "  - layout: NCHW\n"
        "  - dtype: float\n"
        "  - data: [0 0.285714]\n"
        "Variable: print_0.tmp_0@GRAD\n"
        "  - message: twice\n"
        "  - lod: {}\n"
        "  - place: CPUPlace\n"
        "  - shape: [2, 3]\n"
        "  - layout: NCHW\n"
        "  - dtype: float\n"
        "  - data: [0.166667 0.166667]\n"
    )


@pytest.mark.parametrize(
    ("phase", "names"), [("forward", ["x"]), ("BACKWARD", ["print_0.tmp_0@GRAD"])]
)
def test_print_in_one_phase(capsys, phase, names):
    def build():
        x = paddle.static.data("x", [None, 3])
        x.stop_gradient = False
        return gradients(paddle.mean(Print(x, print_phase=phase)), [x])

    text = printed(capsys, build, {"x": X})
    assert [t.split("\n")[0] for t in text.split("Variable: ")[1:]] == names


def test_print_only_the_first_times(capsys):
    text = printed(
        capsys, lambda: [Print(paddle.static.data("x", [None, 3]), first_n=2)], {"x": X}, runs=4
    )
    assert text.count("Variable: x") == 2


def test_print_shows_what_is_asked_for(capsys):
    def build():
        i = paddle.static.data("i", [2], "int64")
        Print(i, print_tensor_layout=False, print_tensor_lod=False)
        Print(
            i > 1, print_tensor_name=False, print_tensor_type=False, print_tensor_shape=False,
            print_tensor_layout=False, print_tensor_lod=False,
        )  # fmt: skip
        Print(paddle.cast(i, "float64"), print_tensor_name=False, summarize=-1)
        return []

    assert printed(capsys, build, {"i": np.array([1, 2])}) == (
        "Variable: i\n  - place: CPUPlace\n  - shape: [2]\n  - dtype: long\n  - data: [1 2]\n"
        "  - place: CPUPlace\n  - data: [0 1]\n"
        "  - lod: {}\n  - place: CPUPlace\n  - shape: [2]\n  - layout: NCHW\n"
        "  - dtype: double\n  - data: [1 2]\n"
    )


def test_print_in_a_loop_and_in_dynamic_mode(capsys):
    def build():
        return paddle.static.nn.while_loop(
            lambda i: i < 3, lambda i: [Print(i, print_tensor_name=False) + 1], [0]
        )

    text = printed(capsys, build, {})
    assert [line for line in text.splitlines() if "data" in line] == [
        "  - data: [0]", "  - data: [1]", "  - data: [2]",
    ]  # fmt: skip
    x = paddle.to_tensor([1.5])
    assert Print(x, message="now") is x
    assert "  - message: now\n" in capsys.readouterr().out


def test_print_checks_its_arguments():
    with static():
        x = paddle.static.data("x", [1])
        with pytest.raises(ValueError, match="'forward', 'backward' or 'both', got 'never'"):
            Print(x, print_phase="never")
        with pytest.raises(TypeError, match=r"Print\(input\): expected a Variable, but got list"):
            Print([1])
        with pytest.raises(TypeError, match=r"Print\(first_n\): expected an int, but got str"):
            Print(x, first_n="1")


def test_assert_shows_data_and_the_line():
    with static() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        y = x * 2.0
        Assert(paddle.all(y < 1.0), [y, x], summarize=2)
    run(main, startup, {"x": X * 0}, [y])
    with pytest.raises(ValueError, match="expected to be true, but it is false") as error:
        run(main, startup, {"x": X}, [y])
    text = str(error.value)
    assert "tmp_0 of shape [2, 3]: [0 0.285714]" in text and "x of shape [2, 3]: [0 0.1" in text
    assert "test_print_assert_py_func.py" in text and "Assert(paddle.all(y < 1.0)" in text


def test_assert_in_a_branch_fails_only_there():
    with static() as (main, startup):
        x = paddle.static.data("x", [1])

        def check():
            Assert(x < 10.0, [x])

        paddle.static.nn.cond(x > 1.0, check, lambda: None)
    run(main, startup, {"x": np.array([0.0], "float32")}, [])
    run(main, startup, {"x": np.array([5.0], "float32")}, [])
    with pytest.raises(ValueError, match=r"x of shape \[1\]: \[50\]"):
        run(main, startup, {"x": np.array([50.0], "float32")}, [])


def test_assert_in_dynamic_mode_and_its_arguments():
    x = paddle.to_tensor([1.0, 2.0])
    Assert(paddle.all(x > 0.0), [x])
    with pytest.raises(ValueError, match=r"of shape \[2\]: \[1 2\]"):
        Assert(paddle.all(x > 1.0), [x])
    with pytest.raises(TypeError, match=r"Assert\(data\): expected a list or tuple"):
        Assert(paddle.all(x > 0.0), x)
    with pytest.raises(TypeError, match=r"Assert\(data\[0\]\): expected a Variable"):
        Assert(paddle.all(x > 0.0), [1])
    with static():
        y = paddle.static.data("y", [2])
        with pytest.raises(ValueError, match=r"one element, but .* has shape \[2\]"):
            Assert(y > 0.0)
        with pytest.raises(TypeError, match="expected a bool Variable"):
            Assert(y)


# -- py_func ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def static_mode():
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


def out_var(name: str, shape: list[int], dtype: str = "float32"):
    block = paddle.static.default_main_program().current_block()
    return block.create_var(name=name, dtype=dtype, shape=shape)


def test_py_func_of_the_guide():
    """tanh, with and without the input in the backward function."""

    def tanh_grad(x, y, dy):
        return np.array(dy) * (1 - np.square(np.array(y)))

    def tanh_grad_without_x(y, dy):
        return np.array(dy) * (1 - np.square(np.array(y)))

    expected = np.tanh(X), 2 * np.tanh(X) * (1 - np.tanh(X) ** 2)
    for backward, skipped in ((tanh_grad, False), (tanh_grad_without_x, True)):
        with static() as (main, startup):
            x = paddle.static.data("x", [-1, 3])
            x.stop_gradient = False
            y = out_var("output", [-1, 3])
            result = paddle.static.nn.py_func(
                func=np.tanh, x=x, out=y, backward_func=backward,
                skip_vars_in_backward_input=x if skipped else None,
            )  # fmt: skip
            assert result is y
            (grad,) = gradients(paddle.sum(y * y), [x])
        found = run(main, startup, {"x": X}, [y, grad])
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-5)


def test_py_func_with_several_inputs_and_outputs():
    seen = []

    def forward(x, y):
        return np.array(x) + np.array(y), np.array(x) * np.array(y)

    def backward(*values):
        seen.append([None if v is None else np.array(v).tolist() for v in values])
        return None, np.array(values[2])

    with static() as (main, startup):
        x, y = paddle.static.data("x", [2]), paddle.static.data("y", [2])
        x.stop_gradient = y.stop_gradient = False
        outs = [out_var("sum", [2]), out_var("product", [2])]
        returned = py_func(
            forward, (x, y), outs, backward, skip_vars_in_backward_input=[x, outs[1]]
        )
        assert returned is outs
        grads = gradients(paddle.sum(outs[0] * 3.0), [x, y])
    feed = {"x": np.array([1.0, 2.0], "float32"), "y": np.array([5.0, 7.0], "float32")}
    found = run(main, startup, feed, [*outs, *grads])
    np.testing.assert_array_equal(found[0], [6.0, 9.0])
    np.testing.assert_array_equal(found[1], [5.0, 14.0])
    # It gets y, the sum, the gradient of the sum, and None for that of the product.
    assert seen == [[[5.0, 7.0], [6.0, 9.0], [3.0, 3.0], None]]
    np.testing.assert_array_equal(found[2], [0.0, 0.0])  # None is zero
    np.testing.assert_array_equal(found[3], [3.0, 3.0])


def test_py_func_without_outputs_or_backward():
    seen = []
    with static() as (main, startup):
        x = paddle.static.data("x", [-1, 3])
        x.stop_gradient = False
        assert py_func(lambda x: seen.append(np.array(x)), x, None) is None
        y = out_var("y", [-1, 3])
        py_func(lambda x: np.array(x) + 1, x, y)
        assert gradients(paddle.sum(y), [x]) == [None]
    run(main, startup, {"x": X}, [])
    np.testing.assert_array_equal(seen[0], X)


def test_py_func_in_a_loop_has_gradients():
    with static() as (main, startup):
        x = paddle.static.data("x", [2])
        x.stop_gradient = False

        def body(i, h):
            y = out_var("y", [2])
            py_func(np.square, h, y, lambda a, b, d: np.array(d) * 2 * np.array(a))
            return [i + 1, y]

        _, h = paddle.static.nn.while_loop(lambda i, h: i < 2, body, [0, x])
        (grad,) = gradients(paddle.sum(h), [x])
    found = run(main, startup, {"x": np.array([2.0, 3.0], "float32")}, [h, grad])
    np.testing.assert_allclose(found[0], [16.0, 81.0])
    np.testing.assert_allclose(found[1], [32.0, 108.0])


def test_py_func_checks_its_arguments():
    with static() as (main, startup):
        x = paddle.static.data("x", [2])
        y = out_var("y", [2])
        with pytest.raises(TypeError, match=r"py_func\(func\): expected a function"):
            py_func(3, x, y)
        with pytest.raises(TypeError, match=r"py_func\(backward_func\): expected a function"):
            py_func(np.tanh, x, y, backward_func=3)
        with pytest.raises(TypeError, match=r"py_func\(x\): expected Variables, .* ndarray"):
            py_func(np.tanh, np.ones(2), y)
        with pytest.raises(ValueError, match=r"the shape of 'z' is not known"):
            py_func(np.tanh, x, main.current_block().create_var(name="z", dtype="float32"))
        with pytest.raises(ValueError, match=r"'w' is neither an input nor an output"):
            py_func(np.tanh, x, y, np.tanh, out_var("w", [2]))
        with pytest.raises(ValueError, match=r"'w2' is neither an input nor an output"):
            py_func(np.tanh, x, y, skip_vars_in_backward_input=out_var("w2", [2]))
        py_func(lambda x: (np.array(x), 1), x, y)
    with pytest.raises(ValueError, match=r"<lambda> is expected to return 1 results, .* 2"):
        run(main, startup, {"x": np.ones(2, "float32")}, [y])
    with pytest.raises(RuntimeError, match="dynamic mode is on"):
        py_func(np.tanh, paddle.ones([2]), None)


def test_py_func_without_backward_has_nothing_to_skip():
    """PaddlePaddle takes the argument all the same."""
    with static() as (main, startup):
        x, y = paddle.static.data("x", [-1, 3]), out_var("y", [-1, 3])
        py_func(lambda x: np.array(x) * 2, x, y, None, skip_vars_in_backward_input=x)
    np.testing.assert_array_equal(run(main, startup, {"x": X}, [y])[0], 2 * X)


def test_py_func_of_a_gradient_is_no_backward_function():
    seen = []
    with static() as (main, startup):
        x = paddle.static.data("x", [-1, 3])
        x.stop_gradient = False
        (grad,) = gradients(paddle.sum(paddle.square(x)), [x])
        py_func(lambda d: seen.append(np.array(d).tolist()), grad, None)
        y, z = out_var("y", [-1, 3]), out_var("z", [-1, 3])
        py_func(lambda d: np.array(d) * 3, grad, y)
        again = gradients(paddle.sum(x * y), [x])  # y is a constant
    found = run(main, startup, {"x": X}, [y, *again])
    np.testing.assert_allclose(found, [6 * X, 6 * X], rtol=1e-6)
    assert seen == [(2 * X).tolist()]
    with paddle.static.program_guard(main, startup), static_mode():
        py_func(lambda d: None, grad, z)
    with pytest.raises(ValueError, match="a value is expected for 'z', but the function returned"):
        run(main, startup, {"x": X}, [z])


def test_functions_of_several_threads_have_numbers_of_their_own():
    functions = [[lambda: None for _ in range(200)] for _ in range(8)]
    numbers: list[list[int]] = [[] for _ in functions]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [
            threading.Thread(target=lambda i=i: numbers[i].extend(map(number_of, functions[i])))
            for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    for told, group in zip(numbers, functions, strict=True):
        assert all(function_of(n) is f for n, f in zip(told, group, strict=True))


def test_a_loaded_program_has_no_functions():
    with static() as (main, startup):
        py_func(np.tanh, paddle.static.data("x", [2]), out_var("y", [2]))
        main.global_block().ops[-1]._set_attr("forward_callable_id", 1 << 20)
    with pytest.raises(RuntimeError, match="there is no Python function number 1048576"):
        run(main, startup, {"x": np.ones(2, "float32")}, ["y"])


def element_wise_add(x, y):
    """The guide's second function."""
    x, y = np.array(x), np.array(y)
    if x.shape != y.shape:
        raise AssertionError("the shape of inputs must be the same!")
    result = np.zeros(x.shape, dtype="int32")
    for i in range(len(x)):
        for j in range(len(x[0])):
            result[i][j] = x[i][j] + y[i][j]
    return result


def test_the_other_functions_of_the_guide(capsys):
    def debug_func(x):
        print(x)

    with static() as (main, startup):
        x, y = paddle.static.data("x", [2, 3], "int32"), paddle.static.data("y", [-1, 3], "int32")
        total = out_var("total", [2, 3], "int32")
        assert py_func(element_wise_add, [x, y], total) is total
        py_func(func=debug_func, x=total, out=None)
    ones = np.ones((2, 3), "int32")
    (found,) = run(main, startup, {"x": ones, "y": 2 * ones}, [total])
    np.testing.assert_array_equal(found, 3 * ones)
    assert found.dtype == np.int32
    shown = capsys.readouterr().out
    assert "dim: 2, 3" in shown and "data: [3 3 3 3 3 3]" in shown
    with pytest.raises(AssertionError, match="the shape of inputs must be the same!"):
        run(main, startup, {"x": ones, "y": np.ones((3, 3), "int32")}, [total])
