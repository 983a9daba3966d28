"""paddle.to_tensor: what each kind of data becomes, and that nothing is shared with its source."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import paddle
from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError

DTYPES = {
    "bool": "BOOL", "int8": "INT8", "uint8": "UINT8", "int16": "INT16", "int32": "INT32",
    "int64": "INT64", "float16": "FP16", "float32": "FP32", "float64": "FP64",
    "complex64": "COMPLEX64", "complex128": "COMPLEX128",
}  # fmt: skip


@pytest.fixture
def double_default():
    paddle.set_default_dtype("float64")
    yield
    paddle.set_default_dtype("float32")


# -- Python data ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (2, "int64", [1]),
        (2.5, "float32", [1]),
        (True, "bool", [1]),
        (1 + 2j, "complex64", [1]),
        ([2], "int64", [1]),
        ((1.0, 2.0), "float32", [2]),
        ([[1, 2, 3], [4, 5, 6]], "int64", [2, 3]),
        ([1, 2.5], "float32", [2]),
        ([True, False], "bool", [2]),
        ([True, 2], "int64", [2]),
        ([1, 2j], "complex64", [2]),
        ([], "float32", [0]),
        ([[], []], "float32", [2, 0]),
        (([1, 2], (3, 4)), "int64", [2, 2]),
        (np.float64(1.5), "float32", [1]),
        (np.int32(3), "int32", [1]),
        (np.bool_(True), "bool", [1]),
        ([np.int16(1), np.int16(2)], "int16", [2]),
        (range(4), "int64", [4]),
    ],
)
def test_python_data(data, dtype, shape):
    x = paddle.to_tensor(data)
    assert (str(x.dtype), x.shape) == (f"VarType.{DTYPES[dtype]}", shape)
    np.testing.assert_array_equal(x.numpy(), np.array(data).astype(dtype).reshape(shape))


def test_the_default_type_is_for_python_floats_only(double_default):
    assert paddle.to_tensor(1.0).dtype == paddle.float64
    assert paddle.to_tensor([1.0, 2.0]).dtype == paddle.float64
    assert paddle.to_tensor(1j).dtype == paddle.complex128
    assert paddle.to_tensor(1).dtype == paddle.int64
    assert paddle.to_tensor(np.zeros(2, "float32")).dtype == paddle.float32


def test_scalar_and_list_of_one_are_the_same():
    assert paddle.to_tensor(2).shape == paddle.to_tensor([2]).shape == [1]


# -- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_array_keeps_its_type(dtype):
    array = np.array([[0, 1], [2, 3]]).astype(dtype)
    x = paddle.to_tensor(array)
    assert str(x.dtype) == f"VarType.{DTYPES[dtype]}"
    assert x.numpy().dtype == array.dtype
    np.testing.assert_array_equal(x.numpy(), array)


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a.T,
        lambda a: a[:, ::2],
        lambda a: a[::-1],
        lambda a: a[::-1, ::-2],
        lambda a: np.broadcast_to(a[0], (3, 4)),
        lambda a: a[1:1],
        lambda a: np.asfortranarray(a),
        lambda a: a.astype(">f8"),
        lambda a: a.astype("<f8"),
        lambda a: a.astype(">i4"),
        lambda a: a.astype(np.longdouble),
        lambda a: a[1, 2],
        lambda a: np.array(7.0),
        lambda a: np.ma.masked_array(a),
    ],
)
def test_unusual_arrays(make):
    array = make(np.arange(12.0).reshape(3, 4))
    x = paddle.to_tensor(array)
    expected = np.asarray(array)
    np.testing.assert_array_equal(
        x.numpy(), expected.reshape(1) if expected.ndim == 0 else expected
    )
    assert x.shape == list(expected.shape or (1,))


def test_read_only_array_gives_a_writable_copy_without_a_warning():
    array = np.arange(3.0)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = paddle.to_tensor(array)
        y = paddle.zeros([3], "float64")
        y.set_value(array)
    x[0] = 5.0
    y[0] = 5.0
    assert array[0] == 0.0
    assert x.numpy()[0] == y.numpy()[0] == 5.0


def test_uint16_bits_are_bfloat16():
    bits = np.array([0x3F80, 0xC000], "uint16")  # 1.0 and -2.0
    x = paddle.to_tensor(bits)
    assert str(x.dtype) == "VarType.BF16"
    np.testing.assert_array_equal(x.numpy(), bits)
    np.testing.assert_array_equal(x.astype("float32").numpy(), [1.0, -2.0])


# -- Tensors and lists of them -------------------------------------------------------------------


def test_tensor_is_copied_and_leaves_the_graph():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.to_tensor(x * 2)
    assert y.stop_gradient and y.is_leaf
    y[0] = 9.0
    np.testing.assert_array_equal(x.numpy(), [1.0, 2.0])
    assert paddle.to_tensor(x, dtype="int32").dtype == paddle.int32


def test_list_of_tensors():
    a, b = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])
    np.testing.assert_array_equal(paddle.to_tensor([a, b]).numpy(), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(paddle.to_tensor([[a, b], [b, a]]).numpy().shape, [2, 2, 2])
    mixed = paddle.to_tensor([a, np.array([5.0, 6.0]), [7.0, 8.0]])
    np.testing.assert_array_equal(mixed.numpy(), [[1, 2], [5, 6], [7, 8]])
    assert paddle.to_tensor([paddle.to_tensor(1), paddle.to_tensor(2)]).dtype == paddle.int64


def test_list_of_bfloat16_tensors_keeps_values():
    a = paddle.to_tensor([1.0, -2.0]).astype("bfloat16")
    np.testing.assert_array_equal(paddle.to_tensor([a, a], dtype="float32").numpy(), [[1, -2]] * 2)


def test_other_array_likes():
    import torch

    source = torch.arange(3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = paddle.to_tensor(source)
    source[0] = 9
    np.testing.assert_array_equal(x.numpy(), [0.0, 1.0, 2.0])


# -- never sharing -------------------------------------------------------------------------------


def test_array_and_tensor_never_share():
    array = np.zeros(3, "float32")
    x = paddle.to_tensor(array)
    array[0] = 1
    x[1] = 2.0
    back = x.numpy()
    back[2] = 3
    np.testing.assert_array_equal(array, [1, 0, 0])
    np.testing.assert_array_equal(x.numpy(), [0, 2, 0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_set_value_and_views_of_arrays_never_share(dtype):
    array = np.zeros(3, dtype)
    x = paddle.zeros([3])
    x.set_value(array)
    array[:] = 7
    np.testing.assert_array_equal(x.numpy(), [0, 0, 0])


# -- dtype, place, stop_gradient, name -----------------------------------------------------------


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("data", [[0, 1, 2], np.array([0.0, 1.9, 2.0]), True, 2])
def test_dtype_converts(data, to):
    x = paddle.to_tensor(data, dtype=to)
    assert str(x.dtype) == f"VarType.{DTYPES[to]}"
    np.testing.assert_array_equal(x.numpy(), np.atleast_1d(np.array(data)).astype(to))


def test_wanted_precision_is_not_lost_on_the_way():
    assert paddle.to_tensor([0.1, 2**24 + 1.0], dtype="float64").tolist() == [0.1, 2**24 + 1.0]
    assert paddle.to_tensor(2**24 + 1.0, dtype="int64").item() == 2**24 + 1
    assert paddle.to_tensor([0.1 + 0.3j], dtype="complex128").tolist() == [0.1 + 0.3j]


@pytest.mark.parametrize("spelled", ["float64", np.float64, np.dtype("float64"), paddle.float64])
def test_every_spelling_of_a_dtype(spelled):
    assert paddle.to_tensor([1], dtype=spelled).dtype == paddle.float64


@pytest.mark.parametrize("place", [paddle.CPUPlace(), "cpu", None])
def test_place(place):
    x = paddle.to_tensor(1, place=place)
    if place is not None:
        assert x.place.is_cpu_place() and repr(x.place) == "CPUPlace"


def test_pinned_place_is_remembered():
    x = paddle.to_tensor(1, place=paddle.CUDAPinnedPlace())
    assert repr(x.place) == "CUDAPinnedPlace"
    assert "place=CUDAPinnedPlace" in str(x)
    assert repr(x.pin_memory().place) == "CUDAPinnedPlace"
    assert repr(x.cpu().place) == "CPUPlace"


def test_stop_gradient():
    assert paddle.to_tensor(1.0).stop_gradient
    assert not paddle.to_tensor(1.0, stop_gradient=False).stop_gradient


def test_names_are_numbered():
    with unique_name.guard():
        names = [paddle.to_tensor(1).name for _ in range(3)]
    assert names == ["generated_tensor_0", "generated_tensor_1", "generated_tensor_2"]


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [[[1.0, 2.0], [4.0, 5.0, 6.0]], [1, [2, 3]], [[1], []], [np.zeros(2), np.zeros(3)]],
)
def test_irregular_lists(data):
    with pytest.raises(ValueError) as caught:
        paddle.to_tensor(data)
    assert "Faild to convert input data to a regular ndarray" in str(caught.value)
    assert "nested lists with different lengths" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (None, "NoneType"),
        ("text", "str"),
        ({1: 2}, "dict"),
        (object(), "object"),
        (["a", "b"], "<U1"),
        ([None, 1], "NoneType"),
        ([1, {2: 3}], "dict"),
        (np.array(["a"]), "<U1"),
        (np.array(["2020-01-01"], "datetime64[D]"), "datetime64"),
        (np.zeros(2, "uint32"), "uint32"),
        (np.zeros(2, "uint64"), "uint64"),
    ],
)
def test_data_without_a_tensor(data, got):
    with pytest.raises(TypeError, match="to_tensor: expected") as caught:
        paddle.to_tensor(data)
    assert got in str(caught.value)


def test_an_integer_that_does_not_fit():
    for data in (2**64, [1, 2**70], -(2**65)):
        with pytest.raises(ValueError, match=r"to_tensor: expected integers that fit into 64 bits"):
            paddle.to_tensor(data)


@pytest.mark.parametrize("dtype", ["float31", "VarType.NONE", 99, object()])
def test_unknown_dtype(dtype):
    with pytest.raises(
        (TypeError, InvalidArgumentError), match="expected a data type, one of bool"
    ):
        paddle.to_tensor(1, dtype=dtype)


@pytest.mark.parametrize("place", [3, object(), 1.5])
def test_wrong_place(place):
    with pytest.raises(TypeError, match="place: expected CPUPlace"):
        paddle.to_tensor(1, place=place)


def test_unknown_device_string():
    with pytest.raises(ValueError, match=r"expected 'cpu', 'gpu' or 'gpu:n'.*'tpu'"):
        paddle.to_tensor(1, place="tpu")
