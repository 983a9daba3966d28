"""Python's protocols on Tensor: operators, conversions, iteration, pickling, copying, DLPack."""

from __future__ import annotations

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import paddle
from paddle.core.tensor import parameter

ARITHMETIC = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
}  # fmt: skip
COMPARISON = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt,
    "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
A = np.array([[1.0, 2.0, 3.5], [4.0, 5.5, 6.0]])
B = np.array([[2.0, 0.5, 3.0], [1.5, 2.0, 4.0]])


def same(out, expected, dtype=None):
    assert isinstance(out, paddle.Tensor)
    assert out.shape == list(np.shape(expected) or (1,))
    if dtype is not None:
        assert out.dtype == dtype, f"{out.dtype} instead of {dtype}"
    np.testing.assert_allclose(out.numpy(), np.reshape(expected, out.shape), rtol=1e-6)


@pytest.fixture(autouse=True)
def _strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# -- operators -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_two_tensors(name, dtype):
    f = ARITHMETIC[name]
    a, b = A.astype(dtype), B.astype(dtype)
    same(f(paddle.to_tensor(a), paddle.to_tensor(b)), f(a, b), dtype)


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize(
    "shapes", [((2, 3), (3,)), ((3, 1), (2, 1, 3)), ((1,), (2, 2)), ((2, 1), (1, 3))]
)
def test_broadcasting(name, shapes):
    f = ARITHMETIC[name]
    a, b = (np.arange(1.0, np.prod(s) + 1).reshape(s) for s in shapes)
    same(f(paddle.to_tensor(a), paddle.to_tensor(b)), f(a, b))


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("scalar", [2, 2.5, True, np.float32(2.5), np.int64(2), np.float64(0.5)])
def test_a_number_on_either_side(name, scalar):
    f = ARITHMETIC[name]
    x = paddle.to_tensor(A)
    same(f(x, scalar), f(A, float(scalar)), "float64")
    same(f(scalar, x), f(float(scalar), A), "float64")


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "pow"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_with_an_int_stay_integers(name, dtype):
    f, a = ARITHMETIC[name], np.array([1, 2, 7], dtype)
    x = paddle.to_tensor(a)
    same(f(x, 2), f(a, 2), dtype)
    same(f(2, x), f(2, a.astype("int64")), dtype)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_with_a_float_become_floating(name, dtype):
    f, a = ARITHMETIC[name], np.array([1, 2, 7], dtype)
    same(f(paddle.to_tensor(a), 2.5), f(a, 2.5), "float32")
    same(f(2.5, paddle.to_tensor(a)), f(2.5, a), "float32")


def test_true_division_of_integers_is_floating():
    x = paddle.to_tensor([3, 4])
    same(x / 2, [1.5, 2.0], "float32")
    same(2 / x, [2 / 3, 0.5], "float32")
    same(x / paddle.to_tensor([2, 8]), [1.5, 0.5], "float32")


def test_float16_stays_float16():
    x = paddle.to_tensor([1.0, 2.0], dtype="float16")
    same(x + 1, [2, 3], "float16")
    same(x * 0.5, [0.5, 1], "float16")


def test_complex_operands():
    x = paddle.to_tensor([1.0, 2.0])
    same(x + 1j, [1 + 1j, 2 + 1j], "complex64")
    same(2j * x, [2j, 4j], "complex64")
    same(x * paddle.to_tensor([1j, 2 + 1j]), [1j, 4 + 2j], "complex64")
    same(paddle.to_tensor([1.0], dtype="float64") + paddle.to_tensor([1j]), [1 + 1j], "complex128")
    same(abs(paddle.to_tensor([3 + 4j])), [5])


def test_tensors_of_different_types():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = paddle.to_tensor([1.0, 2.0], dtype="float64") + paddle.to_tensor([1.0, 1.0])
        same(out, [2, 3], "float64")
        same(paddle.to_tensor([1, 2]) + paddle.to_tensor([1, 1], dtype="int32"), [2, 3], "int64")
    with pytest.warns(UserWarning, match=r"left is VarType\.INT64, right is VarType\.FP32"):
        paddle.to_tensor([1, 2]) + paddle.to_tensor([0.5, 1.0])


@pytest.mark.parametrize("name", ARITHMETIC)
def test_an_array_on_either_side(name):
    f = ARITHMETIC[name]
    x = paddle.to_tensor(A)
    same(f(x, B), f(A, B))
    same(f(B, x), f(B, A))
    same(f(B[0], x), f(B[0], A))
    same(f(x, np.array(2.0)), f(A, 2.0))
    same(f(np.array(2.0), x), f(2.0, A))


@pytest.mark.parametrize("name", COMPARISON)
def test_comparisons(name):
    f = COMPARISON[name]
    x = paddle.to_tensor(A)
    same(f(x, paddle.to_tensor(B)), f(A, B), "bool")
    same(f(x, 3.5), f(A, 3.5), "bool")
    same(f(3.5, x), f(3.5, A), "bool")
    same(f(x, B), f(A, B), "bool")
    same(f(B, x), f(B, A), "bool")
    same(f(x, np.float64(2.0)), f(A, 2.0), "bool")
    same(f(paddle.to_tensor([1, 2, 3]), 2.5), f(np.array([1, 2, 3]), 2.5), "bool")


def test_comparison_with_what_is_no_number():
    x = paddle.to_tensor([1.0])
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert x != "text"
    with pytest.raises(TypeError):
        _ = x < None
    assert x in [x]


def test_bits_and_unary():
    a, b = np.array([12, 10]), np.array([10, 6])
    x, y = paddle.to_tensor(a), paddle.to_tensor(b)
    for f in (operator.and_, operator.or_, operator.xor):
        same(f(x, y), f(a, b), "int64")
    same(~x, ~a)
    flags = paddle.to_tensor([True, False])
    same(~flags, [False, True], "bool")
    same(flags & paddle.to_tensor([True, True]), [True, False], "bool")
    same(-x, -a, "int64")
    same(+x, a)
    same(abs(paddle.to_tensor([-1.5, 2.0])), [1.5, 2.0])


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3, 4)), ((3,), (3,)), ((5, 2, 3), (3, 4)), ((2, 3), (3,))]
)
def test_matmul(shapes):
    a, b = (np.arange(1.0, np.prod(s) + 1).reshape(s) for s in shapes)
    same(paddle.to_tensor(a) @ paddle.to_tensor(b), a @ b)
    same(a @ paddle.to_tensor(b), a @ b)
    same(paddle.to_tensor(a) @ b, a @ b)


def test_division_by_zero():
    np.testing.assert_array_equal((paddle.to_tensor([1.0, -1.0]) / 0).numpy(), [np.inf, -np.inf])
    assert np.isnan((paddle.to_tensor([0.0]) / 0.0).item())


def test_augmented_operators_make_a_new_tensor():
    x = y = paddle.to_tensor([1.0, 2.0])
    for f in (operator.iadd, operator.isub, operator.imul, operator.itruediv):
        y = f(y, 2.0)
    assert y is not x and x.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
def test_gradients_of_operators(name):
    f = ARITHMETIC[name]
    x = paddle.to_tensor([1.5, 2.5], dtype="float64", stop_gradient=False)
    y = paddle.to_tensor([[2.0], [3.0], [0.5]], dtype="float64", stop_gradient=False)
    out = f(f(f(x, y), 2.0), 1.0) + f(2.0, x).sum()
    out.sum().backward()
    eps = 1e-6

    def value(a, b):
        return (f(f(f(a, b), 2.0), 1.0) + f(2.0, a).sum()).sum()

    for t, other in ((x, 0), (y, 1)):
        for i in np.ndindex(*t.shape):
            up = [x.numpy(), y.numpy()]
            down = [x.numpy(), y.numpy()]
            up[other][i] += eps
            down[other][i] -= eps
            expected = (value(*up) - value(*down)) / (2 * eps)
            assert abs(t.grad.numpy()[i] - expected) < 1e-5 * max(1, abs(expected))


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("wrong", [None, "text", {}, object()])
def test_wrong_operands(name, wrong):
    with pytest.raises(TypeError):
        ARITHMETIC[name](paddle.to_tensor([1.0]), wrong)
    if (name, wrong) != ("mod", "text"):  # a str formats
        with pytest.raises(TypeError):
            ARITHMETIC[name](wrong, paddle.to_tensor([1.0]))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
def test_shapes_that_do_not_broadcast(name):
    x, y = paddle.ones([2, 3, 4]), paddle.ones([2, 3, 6])
    with pytest.raises(
        ValueError, match=r"\(InvalidArgument\) Broadcast dimension mismatch"
    ) as caught:
        ARITHMETIC[name](x, y)
    assert "[2, 3, 4]" in str(caught.value) and "[2, 3, 6]" in str(caught.value)


# -- Python's conversions ------------------------------------------------------------------------


def test_numbers():
    x = paddle.to_tensor([2.75])
    assert (float(x), int(x), bool(x)) == (2.75, 2, True)
    assert complex(paddle.to_tensor([1 + 2j])) == 1 + 2j
    assert not paddle.to_tensor([[0.0]])
    assert [10, 20, 30][paddle.to_tensor(1)] == 20
    assert list(range(paddle.to_tensor([3]))) == [0, 1, 2]
    assert operator.index(paddle.to_tensor([7], dtype="uint8")) == 7
    assert hex(paddle.to_tensor(255)) == "0xff"


@pytest.mark.parametrize("convert", [float, int, bool, complex, operator.index])
def test_several_elements_are_no_number(convert):
    with pytest.raises(ValueError, match=r"one element can be used.*shape \[2\]"):
        convert(paddle.to_tensor([1, 2]))


def test_condition_names_the_shape():
    x = paddle.ones([3, 2])
    with pytest.raises(ValueError, match=r"\[3, 2\]"):
        if x > 3:
            pass


def test_floating_tensor_is_no_index():
    with pytest.raises(TypeError, match=r"integer Tensor.*VarType\.FP32"):
        [1, 2][paddle.to_tensor([1.0])]


def test_format():
    assert f"{paddle.to_tensor([2.5]):.3f}" == "2.500"
    assert f"{paddle.to_tensor(7):03d}" == "007"
    assert f"{paddle.to_tensor([1.0, 2.0])}".startswith("Tensor(shape=[2]")
    with pytest.raises(ValueError):
        f"{paddle.to_tensor([1.0, 2.0]):.3f}"


def test_len_and_iteration():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    assert len(x) == 2 and len(paddle.to_tensor(1)) == 1 and len(paddle.zeros([0, 2])) == 0
    rows = [row.tolist() for row in x]
    assert rows == [[1, 2], [3, 4]]
    a, b = x
    (a * b).sum().backward()
    assert x.grad.tolist() == [[3, 4], [1, 2]]
    assert [i.shape for i in paddle.to_tensor([5, 6])] == [[1], [1]]
    assert sum(paddle.ones([100]))[0].item() == 100
    assert list(paddle.zeros([0])) == []
    assert dict(enumerate(x))[1].tolist() == [3, 4]


def test_contains():
    x = paddle.to_tensor([1.0, 2.0])
    assert 2.0 in x and 3.0 not in x and paddle.to_tensor(1.0) in x


def test_hash_is_identity():
    x, y = paddle.to_tensor([1.0]), paddle.to_tensor([1.0])
    table = {x: "x", y: "y"}
    assert table[x] == "x" and table[y] == "y" and len({x, y, x}) == 2


def test_array_protocol():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    array = np.asarray(x)
    array[0, 0] = 9
    assert x.tolist() == [[1, 2]]
    assert np.array(x, dtype="int32").dtype == np.int32
    assert np.asarray(x, "float64").dtype == np.float64
    np.testing.assert_array_equal(np.sum(x.numpy()), 3)
    np.testing.assert_array_equal(np.concatenate([x, x]), [[1, 2], [1, 2]])
    np.testing.assert_allclose(x, [[1, 2]])
    np.testing.assert_allclose(np.exp(x), np.exp([[1, 2]]), rtol=1e-6)
    with pytest.raises(ValueError):
        np.asarray(x, copy=False)


# -- pickling and copying ------------------------------------------------------------------------

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
          "float64", "complex64", "complex128"]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickle(dtype, protocol):
    x = paddle.to_tensor([[0, 1], [1, 0]]).astype(dtype).T
    x.stop_gradient = dtype != "float32"
    x.name = "kept"
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (y.dtype, y.shape, y.stop_gradient, y.name) == (
        x.dtype,
        x.shape,
        x.stop_gradient,
        "kept",
    )
    np.testing.assert_array_equal(y.numpy(), x.numpy())
    with paddle.no_grad():
        y[0, 0] = 1
    assert not x.numpy()[0, 0]


def test_pickle_of_a_result_and_a_parameter():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    x.register_hook(lambda g: g)
    y = pickle.loads(pickle.dumps(x * 2))
    assert y.is_leaf and y.tolist() == [2]
    assert pickle.loads(pickle.dumps(x)).tolist() == [1]
    p = parameter(paddle.ones([2])._buf, name="w")
    p.optimize_attr["learning_rate"] = 0.5
    q = pickle.loads(pickle.dumps(p))
    assert type(q) is type(p) and (q.name, q.trainable, q.optimize_attr["learning_rate"]) == (
        "w",
        True,
        0.5,
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_deepcopy(dtype):
    x = paddle.to_tensor([0, 1]).astype(dtype)
    x.stop_gradient = dtype != "float64"
    y = copy.deepcopy(x)
    assert (y.dtype, y.stop_gradient) == (x.dtype, x.stop_gradient)
    with paddle.no_grad():
        y[0] = 1
    assert x.numpy().tolist() != y.numpy().tolist()
    a, b = copy.deepcopy([x, x])
    assert a is b is not x


def test_deepcopy_of_a_parameter():
    p = parameter(paddle.ones([2])._buf, name="w", trainable=False)
    q = copy.deepcopy(p)
    q.optimize_attr["learning_rate"] = 9.0
    assert type(q) is type(p) and not q.trainable and q.name != "w"
    assert p.optimize_attr["learning_rate"] == 1.0


def test_deepcopy_drops_gradient_and_hooks():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    x.register_hook(lambda g: g * 5)
    (x * 2).backward()
    y = copy.deepcopy(x)
    assert y.grad is None
    (y * 2).backward()
    assert y.grad.tolist() == [2]


def test_deepcopy_of_a_result():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(RuntimeError, match=r"(?s)leaf.*detach"):
        copy.deepcopy(x * 2)
    assert copy.deepcopy((x * 2).detach()).tolist() == [2]


def test_shallow_copy_is_independent():
    x = paddle.to_tensor([1.0, 2.0])
    y = copy.copy(x)
    y[0] = 5.0
    assert x.tolist() == [1, 2]


# -- DLPack --------------------------------------------------------------------------------------

SHARED = ["int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("dtype", SHARED)
def test_numpy_reads_our_memory(dtype):
    x = paddle.to_tensor([[1, 2], [3, 4]]).astype(dtype)
    array = np.from_dlpack(x)
    assert array.dtype == dtype
    x[0, 0] = 9
    assert array[0, 0] == 9


def test_torch_reads_and_writes_our_memory():
    import torch
    import torch.utils.dlpack

    x = paddle.to_tensor([1.0, 2.0])
    theirs = torch.utils.dlpack.from_dlpack(x)
    theirs[0] = 7.0
    assert x.tolist() == [7, 2]
    x[1] = 8.0
    assert theirs.tolist() == [7, 8]
    x.set_value(np.array([5.0, 6.0], "float32"))
    assert theirs.tolist() == [5, 6]


def test_capsules_both_ways():
    import torch
    from torch.utils import dlpack as torch_dlpack

    from paddle.utils import dlpack

    x = paddle.to_tensor([1.0, 2.0])
    theirs = torch_dlpack.from_dlpack(dlpack.to_dlpack(x))
    x[0] = 3.0
    assert theirs.tolist() == [3, 2]
    source = torch.arange(4.0)
    ours = dlpack.from_dlpack(torch_dlpack.to_dlpack(source))
    ours[1] = 9.0
    source[2] = 8.0
    assert source.tolist() == ours.tolist() == [0, 9, 8, 3]
    back = dlpack.from_dlpack(dlpack.to_dlpack(x))
    back[1] = 4.0
    assert x.tolist() == back.tolist() == [3, 4]


def test_from_objects_with_the_protocol():
    from paddle.utils import dlpack

    array = np.arange(3.0)
    ours = dlpack.from_dlpack(array)
    array[0] = 5
    assert ours.tolist() == [5, 1, 2] and ours.stop_gradient
    assert (ours * 2).tolist() == [10, 2, 4]


def test_what_was_sliced_before_sharing_stays():
    x = paddle.to_tensor([1.0, 2.0])
    part = x[:1]
    array = np.from_dlpack(x)
    x[0] = 9.0
    assert part.tolist() == [1] and array.tolist() == [9, 2]


@pytest.mark.parametrize("wrong", [1, "text", None, [1.0]])
def test_dlpack_rejects(wrong):
    from paddle.utils import dlpack

    with pytest.raises(
        TypeError, match=r"to_dlpack\(x\): expected a Tensor.*" + type(wrong).__name__
    ):
        dlpack.to_dlpack(wrong)
    with pytest.raises(
        TypeError, match=r"from_dlpack\(dlpack\): expected.*" + type(wrong).__name__
    ):
        dlpack.from_dlpack(wrong)


def test_a_capsule_is_used_once():
    from paddle.utils import dlpack

    capsule = dlpack.to_dlpack(paddle.ones([1]))
    dlpack.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match=r"(?s)from_dlpack.*used once"):
        dlpack.from_dlpack(capsule)


def test_the_class_is_shown_where_users_find_it():
    assert repr(type(paddle.ones([1]))) == "<class 'paddle.Tensor'>" == repr(paddle.Tensor)
    copied = pickle.loads(pickle.dumps(paddle.ones([2])))
    assert type(copied) is paddle.Tensor and copied.numpy().tolist() == [1.0, 1.0]


def test_a_tensor_hashes_by_identity():
    x, y = paddle.ones([2]), paddle.ones([2])
    assert len({x, y, x}) == 2 and {x: 1}[x] == 1
    w = parameter(paddle.ones([2])._buf)
    assert w in {w} and paddle.Tensor.__hash__ is type(w).__hash__ is object.__hash__
