"""len, shapes, conversions, print, assert, and the helpers of the API table."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.ir.variable import Variable
from paddle.jit import dy2static as d2s
from tests.static.harness import static


@pytest.fixture
def program():
    with static() as (main, _):
        yield main


def run(program, *fetch, **feed):
    return paddle.static.Executor().run(program, feed=feed, fetch_list=list(fetch))


def test_len(program):
    x = paddle.static.data("x", [-1, 2])
    assert d2s.convert_len("abc") == 3
    assert d2s.convert_len(paddle.ones([4, 2])) == 4
    n = d2s.convert_len(x)
    assert run(program, n, x=np.ones([5, 2], "float32"))[0].tolist() == [5]
    r = d2s.convert_len(d2s.convert_range(1, n * 2))
    assert run(program, r, x=np.ones([5, 2], "float32"))[0].tolist() == [9]
    with pytest.raises(TypeError, match="has no len"):
        d2s.convert_len(3)


def test_shape(program):
    x = paddle.static.data("x", [-1, 2, -1])
    shape = d2s.convert_var_shape(x)
    assert shape[1] == 2 and isinstance(shape[0], Variable) and shape[0].shape == (1,)
    assert d2s.convert_var_shape(x, 1) == 2 and d2s.convert_var_shape(x, -2) == 2
    assert [type(v) for v in d2s.convert_var_shape(x, slice(0, 2))] == [Variable, int]
    assert isinstance(d2s.convert_var_shape(x, 1, in_control_flow=True), Variable)
    y = paddle.reshape(x, [shape[0] * 2, -1])
    z = paddle.zeros([shape[2], 1])
    i = paddle.full([1], 2, "int64")
    got = run(program, y, z, shape[2], d2s.convert_var_shape(x, i),
              d2s.convert_var_shape_simple(x), x=np.ones([3, 2, 4], "float32"))  # fmt: skip
    assert got[0].shape == (6, 4) and got[1].shape == (4, 1)
    assert got[2].dtype == np.int32 and got[2].tolist() == [4] and got[3].tolist() == [4]
    assert got[4].tolist() == [3, 2, 4]
    with pytest.raises(IndexError):
        d2s.convert_var_shape(x, 3)


def test_shape_of_other_things():
    assert d2s.convert_var_shape(np.ones([2, 3])) == (2, 3)
    assert d2s.convert_var_shape(paddle.ones([2, 3]), 1) == 3
    assert d2s.convert_var_shape_simple(paddle.ones([2, 3])) == [2, 3]
    choose = d2s.choose_shape_attr_or_api
    assert choose([2, 3], "api") == [2, 3] and choose([-1, 3], "api") == "api"
    assert choose([-1, 3], ["a", "b"], 0) == "a" and choose([-1, 3], ["a", "b"], 1) == 3
    assert choose(-1, "api") == "api" and choose(4, "api") == 4


def test_size_after_a_reshape_by_a_tensor(program):
    """2.0 does not know the size there; here it is a Variable."""
    x = paddle.static.data("x", [-1])
    shape = paddle.static.data("shape", [2], "int32")
    y = paddle.reshape(x, shape)
    z = paddle.full([d2s.convert_var_shape(y, 0)], 7.0)
    got = run(program, z, x=np.ones([6], "float32"), shape=np.array([3, 2], "int32"))
    assert got[0].tolist() == [7.0] * 3


def test_size_acts_like_a_number(program):
    x = paddle.static.data("x", [-1, 2])
    y = d2s.convert_var_shape(x, 0) * x
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(run(program, y, x=np.ones([3, 2], "float32"))[0], 3.0)


def test_conversions(program):
    x = paddle.static.data("x", [1])
    assert d2s.convert_var_dtype("7", "int") == 7
    outs = [d2s.convert_var_dtype(x, kind) for kind in ("int", "float", "bool")]
    got = run(program, *outs, x=np.array([-2.7], "float32"))
    assert [g.dtype.name for g in got] == ["int64", "float32", "bool"]
    assert got[0].tolist() == [-2] and got[2].tolist() == [True]
    with pytest.raises(InvalidArgumentError, match=r"int\(\): .* shape is \[2, 2\]"):
        d2s.convert_var_dtype(paddle.ones([2, 2]), "int")
    with pytest.raises(InvalidArgumentError, match="expected one of"):
        d2s.convert_var_dtype(x, "str")


def test_conversions_in_dynamic_mode():
    x = paddle.to_tensor([2.5])
    assert d2s.convert_var_dtype(x, "int") == 2 and d2s.convert_var_dtype(x, "bool") is True
    assert type(d2s.convert_var_dtype(x, "float")) is float


def test_print(program, capsys):
    x = paddle.static.data("x", [1], "float64")
    d2s.convert_print("plain", 3, sep="-")
    assert capsys.readouterr().out == "plain-3\n"
    d2s.convert_print(x)
    y = x + 1
    d2s.convert_print("mixed:", y)
    assert capsys.readouterr().out.startswith("mixed: var ")
    run(program, y, x=np.array([1.0]))
    assert capsys.readouterr().out == (
        "Variable: x\n  - lod: {}\n  - place: CPUPlace\n  - shape: [1]\n  - layout: NCHW\n"
        "  - dtype: double\n  - data: [1]\n"
    )


def test_print_in_dynamic_mode(capsys):
    x = paddle.ones([1])
    d2s.convert_print(x)
    d2s.convert_print()
    assert capsys.readouterr().out == f"{x}\n\n"


def test_assert(program):
    x = paddle.static.data("x", [2])
    d2s.convert_assert(x.sum() > 0, "unused")
    y = x * 2
    run(program, y, x=np.ones([2], "float32"))
    with pytest.raises(ValueError, match=r"test_values\.py"):
        run(program, y, x=-np.ones([2], "float32"))
    with pytest.raises(InvalidArgumentError, match=r"one element.* shape \[2\]"):
        d2s.convert_assert(x > 0)


def test_assert_of_python():
    d2s.convert_assert(paddle.ones([1]))
    with pytest.raises(AssertionError, match=r"^told$"):
        d2s.convert_assert(0, "told")
    with pytest.raises(AssertionError, match=r"^later$"):
        d2s.convert_assert(paddle.zeros([1]), lambda: "later")
    with pytest.raises(AssertionError) as info:
        d2s.convert_assert([])
    assert info.value.args == ()


def test_undefined():
    y = d2s.undefined("y")
    assert d2s.is_undefined(y) and not d2s.is_undefined(None) and repr(y) == "<undefined y>"
    uses = [
        lambda: y + 1, lambda: 1 - y, lambda: y.x, lambda: y(), lambda: bool(y), lambda: list(y),
        lambda: y[0], lambda: y < 1, lambda: y == 1, lambda: f"{y}", lambda: -y, lambda: len(y),
        lambda: isinstance(y, int), lambda: setattr(y, "a", 1), lambda: paddle.tanh(y),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(UnboundLocalError, match="'y' referenced before assignment"):
            use()


def test_read_or_undefined():
    class Thing:
        a = 1

    thing = Thing()
    assert d2s.read_or_undefined(lambda: thing.a, "thing.a") == 1
    for read in (lambda: thing.b, lambda: {}["k"], lambda: [][0]):
        assert d2s.is_undefined(d2s.read_or_undefined(read, "it"))
    with pytest.raises(ZeroDivisionError):
        d2s.read_or_undefined(lambda: 1 / 0, "it")


def test_helpers(program):
    made = d2s.to_static_variable(3)
    assert made.shape == (1,) and run(program, made)[0].tolist() == [3]
    assert d2s.to_static_variable("a") == "a"
    names = {"x": [1, 2], "y": d2s.undefined("y")}
    get = d2s.eval_if_exist_else_none
    assert get("x", names) == [1, 2] and get("x[1]", names) == 2
    assert get("z", names) is None and get("y", names) is None
    var = d2s.data_layer_not_check("fed", [-1, 2], "int64")
    assert var.shape == (-1, 2) and var.is_data and not var.need_check_feed


def test_syntax_trees():
    def text(node):
        return ast.unparse(node)

    fill = d2s.create_fill_constant_node
    assert text(fill("n", True)) == "n = paddle.full(shape=[1], fill_value=True, dtype='bool')"
    assert text(fill("n", 3)) == "n = paddle.full(shape=[1], fill_value=3, dtype='int64')"
    assert "dtype='float64'" in text(fill("n", 0.5))
    assert text(d2s.to_static_variable_gast_node("n")) == (
        "n = paddle.jit.dy2static.to_static_variable(n)"
    )
    assert "data_layer_not_check(name='n', shape=[-1]" in text(
        d2s.create_static_variable_gast_node("n")
    )
    with pytest.raises(TypeError, match="expected a number, but got str"):
        fill("n", "a")
    with pytest.raises(TypeError, match="name of a variable, but got int"):
        fill(3, 4)
