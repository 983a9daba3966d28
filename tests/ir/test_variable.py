"""Variables: printing, Python's operators, and what only a run could answer."""

from __future__ import annotations

import copy
import operator

import numpy as np
import pytest

import paddle
from paddle.core.dtype import VarType
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from tests.executor.building import building, run
from tests.ir.test_program import rows

static = paddle.static
X = np.array([[1.5, -2.0, 3.0], [4.0, 0.5, -6.0]], "float32")
I = np.array([7, -3, 2], "int64")


def test_printing() -> None:
    with building() as (main, _):
        x = static.data("x", [None, 3])
        w = static.create_parameter([13, 10], "float32", name="fc_0.w_0")
        b = static.create_parameter([10], "float32", attr=paddle.ParamAttr("b", trainable=False))
        steps = main.global_block().create_var(name="s", type=VarType.STEP_SCOPES)
    assert str(x) == "var x : paddle.VarType.LOD_TENSOR.shape(-1, 3).astype(VarType.FP32)"
    assert f"{x}" == repr(x) == str(x)
    assert str(w) == (
        "persist trainable param fc_0.w_0 : paddle.VarType.LOD_TENSOR.shape(13, 10)"
        ".astype(VarType.FP32)"
    )
    assert str(b) == "persist param b : paddle.VarType.LOD_TENSOR.shape(10,).astype(VarType.FP32)"
    assert str(steps) == "var s : paddle.VarType.STEP_SCOPES"
    assert x.to_string(True).startswith('name: "x"\ntype {\n  type: LOD_TENSOR\n')
    assert x.to_string(True, with_details=True).endswith("error_clip: None\n")
    assert "optimize_attr: {'learning_rate': 1.0}\n" in w.to_string(False, True)
    with pytest.raises(TypeError, match=r"with_details\): expected a bool, but got int"):
        x.to_string(True, 1)


def test_what_it_is() -> None:
    with building() as (main, _):
        x = static.data("x", [None, 3], lod_level=1)
        assert (x.name, x.shape, x.dtype, x.ndim, x.dim()) == ("x", (-1, 3), VarType.FP32, 2, 2)
        assert (x.lod_level, x.type) == (1, VarType.LOD_TENSOR)
        assert (x.stop_gradient, x.persistable, x.is_leaf) == (True, False, True)
        assert x.grad_name == "x@GRAD"
        y = x * 2.0
        assert not y.is_leaf and y.op is main.global_block().ops[0]
        x.stop_gradient = False
        x.persistable = True
        x.name = "z"
        assert list(main.global_block().vars)[0] == "z" and y.op.input("X") == ["z"]
        with pytest.raises(ValueError, match=r"lod_level of 'z': expected an int >= 0.* 'a'"):
            x.lod_level = "a"
    again = paddle.static.Program.parse_from_string(main.desc.serialize_to_string())
    z = again.global_block().var("z")
    assert (z.stop_gradient, z.persistable, z.lod_level) == (False, True, 1)


BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.eq,
    operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip
SCALARS = [2, 2.5, True, np.float32(1.5), np.int64(3), np.full((3,), 2.0, "float32")]


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_operators_beside_numbers(function) -> None:
    """On both sides, on floats and integers: the values and dtypes of the eager ones."""
    eager, made = [], []
    with building() as (main, _):
        x, i = static.data("x", [2, 3]), static.data("i", [3], "int64")
        for value in SCALARS:
            made += [function(x, value), function(i, value), function(value, x)]
    for value in SCALARS:
        a, b = paddle.to_tensor(X), paddle.to_tensor(I)
        eager += [function(a, value), function(b, value), function(value, a)]
    assert all(isinstance(v, Variable) for v in made)
    for found, expected in zip(run(main, {"x": X, "i": I}, made), eager, strict=True):
        assert found.dtype == expected.numpy().dtype
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-6, equal_nan=True)


@pytest.mark.parametrize("value", [2, np.int64(3)], ids=repr)
def test_operators_on_integers(value) -> None:
    with building() as (main, _):
        i, flag = static.data("i", [3], "int64"), static.data("f", [3], "bool")
        made = [i // value, i % value, 20 // i, 20 % i, -i, abs(i), +i, flag & True, flag | False,
                flag ^ True, ~flag]  # fmt: skip
    flags = np.array([True, False, True])
    found = run(main, {"i": I, "f": flags}, made)
    eager, f = paddle.to_tensor(I), paddle.to_tensor(flags)
    wanted = [eager // value, eager % value, 20 // eager, 20 % eager, -eager, abs(eager), +eager,
              f & True, f | False, f ^ True, ~f]  # fmt: skip
    for one, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, expected.numpy())


def test_python_operators_in_place_make_new_variables() -> None:
    with building() as (main, _):
        x = y = static.data("x", [2, 3])
        y += 1.0
        y -= 0.5
        y *= x
        y /= 2.0
        y **= 2
        assert y is not x and len(main.global_block().ops) == 5
    np.testing.assert_allclose(run(main, {"x": X}, [y])[0], ((X + 0.5) * X / 2) ** 2, rtol=1e-6)


def test_rows_length_and_identity() -> None:
    with building() as (main, _):
        x, u = static.data("x", [2, 3]), static.data("u", [None, 3])
        assert len(x) == 2 and [v.shape for v in x] == [(3,), (3,)]
        assert {x: 1}[x] == 1 and x != None  # noqa: E711
        assert x.size == 6 and isinstance(u.size, Variable)
        a, b = x
    np.testing.assert_array_equal(run(main, {"x": X}, [a, b]), X)


NO_VALUE = [
    (lambda x: x.numpy(), "fetch it"), (lambda x: x.item(), "fetch it"),
    (lambda x: x.tolist(), "fetch it"), (lambda x: float(x), "fetch it"),
    (lambda x: int(x), "fetch it"), (lambda x: complex(x), "fetch it"),
    (lambda x: len(x), "fetch it"), (lambda x: f"{x:.2f}", "fetch it"),
    (lambda x: np.array(x), "fetch it"), (lambda x: x.gradient(), "fetch it"),
    (lambda x: x.clear_gradient(), "fetch it"), (lambda x: x.backward(), "append_backward"),
    (lambda x: bool(x), "static.nn.cond"), (lambda x: 1 if x > 0 else 2, "static.nn.cond"),
    (lambda x: not x, "static.nn.cond"), (lambda x: copy.deepcopy(x), r"Program.clone\(\)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "hint"), NO_VALUE, ids=range(len(NO_VALUE)))
def test_what_needs_a_value_says_what_to_do(call, hint) -> None:
    with building():
        x = static.data("u", [None, 3])
        with pytest.raises(RuntimeError, match=hint) as raised:
            call(x)
    assert "test_variable.py" in str(raised.value)


def test_unknown_sizes_cannot_be_iterated() -> None:
    with building():
        x = static.data("u", [None, 3])
        with pytest.raises(RuntimeError, match="cannot be iterated: its first dimension"):
            list(x)
        with pytest.raises(RuntimeError, match="has no value before a run"):
            operator.contains(x, 1.0)
        with pytest.raises(TypeError, match="indices must be integers"):
            [1, 2][x]
        with pytest.raises(TypeError, match="Variable"):
            range(x)


def test_members_of_tensors_that_a_variable_cannot_have() -> None:
    """Every public member of Tensor is one of Variable, or its error says what to do instead."""
    with building():
        x = static.data("x", [2, 3])
        for name in dir(Tensor):
            if name.startswith("_") or hasattr(Variable, name) or name == "block":
                continue
            assert not hasattr(x, name)
            with pytest.raises(
                AttributeError, match=f"no attribute '{name}': Variable 'x' of"
            ) as e:
                getattr(x, name)
            assert "test_variable.py" in str(e.value)
        with pytest.raises(AttributeError, match="'Variable' object has no attribute 'nope'"):
            x.nope


def test_wrong_operands() -> None:
    with building():
        x = static.data("x", [2, 3])
        for value in ("a", object(), {}):
            with pytest.raises(TypeError, match=type(value).__name__):
                x + value
        with pytest.raises(TypeError):
            operator.lt(x, None)
        with pytest.raises(TypeError):
            x << 1


def test_methods_of_one_variable_record_operators() -> None:
    """Methods of the table that take nothing else give what the eager ones do."""
    plain = [r[0] for r in rows() if r[1] == "method" and r[2] in ("(name=None)", "()")]
    names = [n.rpartition(".")[2] for n in plain if ".Variable." in n]
    skipped = {"add_n", "cholesky", "inverse", "conj", "real", "imag", "backward", "numpy",
               "gradient", "clear_gradient", "is_tensor", "tanh_", "__neg__", "t", "logical_not",
               "multiplex"}  # fmt: skip
    names = [n for n in names if n not in skipped]
    assert len(names) > 25
    value = np.abs(X) / 10 + 0.1
    with building() as (main, _):
        x = static.data("x", [2, 3])
        made = [getattr(x, n)() for n in names]
    for name, found in zip(names, run(main, {"x": value}, made), strict=True):
        expected = getattr(paddle.to_tensor(value), name)().numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=name, equal_nan=True)
