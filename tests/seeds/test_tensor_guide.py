"""Guide 1.1.1: what a Tensor is, as printed."""

from __future__ import annotations

import numpy
import numpy as np
import pytest

import paddle
from paddle.utils import unique_name
from tests.seeds.printed import output, squeezed


def is_printed(tensor: paddle.Tensor, guide: str) -> None:
    """The guide was printed on a GPU; these tests run on the CPU."""
    with output() as out:
        print(tensor)
    out.is_(guide.replace("CUDAPlace(0)", "CPUPlace"))


def test_one_dimension() -> None:
    ndim_1_tensor = paddle.to_tensor([2.0, 3.0, 4.0], dtype="float64")
    is_printed(
        ndim_1_tensor,
        """Tensor(shape=[3], dtype=float64, place=CUDAPlace(0), stop_gradient=True,
        [2., 3., 4.])""",
    )
    assert ndim_1_tensor.ndim == 1


@pytest.mark.parametrize("data", [2, [2]])
def test_a_scalar_has_shape_1(data) -> None:
    is_printed(
        paddle.to_tensor(data),
        """Tensor(shape=[1], dtype=int64, place=CUDAPlace(0), stop_gradient=True,
        [2])""",
    )


def test_two_dimensions() -> None:
    ndim_2_tensor = paddle.to_tensor([[1.0, 2.0, 3.0],
                                      [4.0, 5.0, 6.0]])  # fmt: skip
    is_printed(
        ndim_2_tensor,
        """Tensor(shape=[2, 3], dtype=float32, place=CUDAPlace(0), stop_gradient=True,
        [[1., 2., 3.],
         [4., 5., 6.]])""",
    )
    assert ndim_2_tensor.ndim == 2
    assert repr(ndim_2_tensor.numpy()) == (
        "array([[1., 2., 3.],\n       [4., 5., 6.]], dtype=float32)"
    )


def test_three_dimensions() -> None:
    ndim_3_tensor = paddle.to_tensor([[[1, 2, 3, 4, 5],
                                       [6, 7, 8, 9, 10]],
                                      [[11, 12, 13, 14, 15],
                                       [16, 17, 18, 19, 20]]])  # fmt: skip
    is_printed(
        ndim_3_tensor,
        """Tensor(shape=[2, 2, 5], dtype=int64, place=CUDAPlace(0), stop_gradient=True,
        [[[1, 2, 3, 4, 5],
          [ 6, 7, 8, 9, 10]],
         [[11, 12, 13, 14, 15],
          [16, 17, 18, 19, 20]]])""",
    )


def test_complex_numbers() -> None:
    ndim_2_complex_tensor = paddle.to_tensor([[1+1j, 2+2j],
                                              [3+3j, 4+4j]])  # fmt: skip
    is_printed(
        ndim_2_complex_tensor,
        """Tensor(shape=[2, 2], dtype=complex64, place=CUDAPlace(0), stop_gradient=True,
        [[(1+1j), (2+2j)],
         [(3+3j), (4+4j)]])""",
    )
    doubled = paddle.to_tensor(np.array([1 + 1j]))
    assert str(doubled.dtype) == "VarType.COMPLEX128"


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError) as caught:
        paddle.to_tensor([[1.0, 2.0],
                          [4.0, 5.0, 6.0]])  # fmt: skip
    said = squeezed(str(caught.value))
    assert "Faild to convert input data to a regular ndarray :" in said
    assert (
        "- Usually this means the input data contains nested lists with different lengths." in said
    )


def test_from_numpy_keeps_shape_and_dtype() -> None:
    arrays = [
        numpy.array([1.0, 2.0]),
        numpy.array([[1.0, 2.0],
                     [3.0, 4.0]]),
        numpy.random.rand(3, 2),
    ]  # fmt: skip
    for array in arrays:
        tensor = paddle.to_tensor(array)
        assert tensor.shape == list(array.shape)
        assert tensor.numpy().dtype == array.dtype == np.float64
        np.testing.assert_array_equal(tensor.numpy(), array)


def test_making_tensors_of_a_shape() -> None:
    m, n = 2, 3
    np.testing.assert_array_equal(paddle.zeros([m, n]).numpy(), np.zeros((2, 3), "float32"))
    np.testing.assert_array_equal(paddle.ones([m, n]).numpy(), np.ones((2, 3), "float32"))
    np.testing.assert_array_equal(paddle.full([m, n], 10).numpy(), np.full((2, 3), 10, "float32"))
    start, end, step, num = 1, 8, 3, 5
    np.testing.assert_array_equal(paddle.arange(start, end, step).numpy(), [1, 4, 7])
    np.testing.assert_array_equal(
        paddle.linspace(start, end, num).numpy(), np.linspace(1, 8, 5).astype("float32")
    )


def test_shape() -> None:
    ndim_4_tensor = paddle.ones([2, 3, 4, 5])
    with output() as out:
        print("Data Type of every element:", ndim_4_tensor.dtype)
        print("Number of dimensions:", ndim_4_tensor.ndim)
        print("Shape of tensor:", ndim_4_tensor.shape)
        print("Elements number along axis 0 of tensor:", ndim_4_tensor.shape[0])
        print("Elements number along the last axis of tensor:", ndim_4_tensor.shape[-1])
    out.is_("""
        Data Type of every element: VarType.FP32
        Number of dimensions: 4
        Shape of tensor: [2, 3, 4, 5]
        Elements number along axis 0 of tensor: 2
        Elements number along the last axis of tensor: 5
    """)
    assert ndim_4_tensor.size == 120


def test_reshape() -> None:
    ndim_3_tensor = paddle.to_tensor([[[1, 2, 3, 4, 5],
                                       [6, 7, 8, 9, 10]],
                                      [[11, 12, 13, 14, 15],
                                       [16, 17, 18, 19, 20]],
                                      [[21, 22, 23, 24, 25],
                                       [26, 27, 28, 29, 30]]])  # fmt: skip
    with output() as out:
        print("the shape of ndim_3_tensor:", ndim_3_tensor.shape)
        ndim_3_tensor = paddle.reshape(ndim_3_tensor, [2, 5, 3])
        print("After reshape:", ndim_3_tensor.shape)
        print("Tensor flattened to Vector:", paddle.reshape(ndim_3_tensor, [-1]).numpy())
    out.is_("""
        the shape of ndim_3_tensor: [3, 2, 5]
        After reshape: [2, 5, 3]
        Tensor flattened to Vector: [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
        20 21 22 23 24 25 26 27 28 29 30]
    """)


@pytest.mark.parametrize(
    ("wanted", "actual"), [([3, 10], [3, 10]), ([-1], [30]), ([0, 5, -1], [3, 5, 2])]
)
def test_reshape_tricks(wanted: list[int], actual: list[int]) -> None:
    assert paddle.reshape(paddle.zeros([3, 2, 5]), wanted).shape == actual


def test_dtype_of_python_numbers() -> None:
    with output() as out:
        print("Tensor dtype from Python integers:", paddle.to_tensor(1).dtype)
        print("Tensor dtype from Python floating point:", paddle.to_tensor(1.0).dtype)
    out.is_("""
        Tensor dtype from Python integers: VarType.INT64
        Tensor dtype from Python floating point: VarType.FP32
    """)


def test_the_default_dtype_can_be_changed() -> None:
    before = paddle.get_default_dtype()
    paddle.set_default_dtype("float64")
    try:
        assert str(paddle.to_tensor(1.0).dtype) == "VarType.FP64"
        assert str(paddle.to_tensor(1 + 1j).dtype) == "VarType.COMPLEX128"
    finally:
        paddle.set_default_dtype(before)
    assert str(paddle.to_tensor(1.0).dtype) == "VarType.FP32"


@pytest.mark.parametrize(
    "name",
    ["bool", "float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64"],
)
def test_every_dtype_of_the_guide(name: str) -> None:
    tensor = paddle.to_tensor([0, 1], dtype=name)
    assert tensor.numpy().dtype == np.dtype(name)
    assert tensor.numpy().tolist() == [0, 1]


def test_cast() -> None:
    float32_tensor = paddle.to_tensor(1.0)
    with output() as out:
        float64_tensor = paddle.cast(float32_tensor, dtype="float64")
        print("Tensor after cast to float64:", float64_tensor.dtype)
        int64_tensor = paddle.cast(float32_tensor, dtype="int64")
        print("Tensor after cast to int64:", int64_tensor.dtype)
    out.is_("""
        Tensor after cast to float64: VarType.FP64
        Tensor after cast to int64: VarType.INT64
    """)


def test_place() -> None:
    cpu_tensor = paddle.to_tensor(1, place=paddle.CPUPlace())
    is_printed(
        cpu_tensor,
        """Tensor(shape=[1], dtype=int64, place=CPUPlace, stop_gradient=True,
        [1])""",
    )


def test_name() -> None:
    with unique_name.guard(), output() as out:
        print("Tensor name:", paddle.to_tensor(1).name)
    out.is_("Tensor name: generated_tensor_0")


def test_indexing_one_dimension() -> None:
    ndim_1_tensor = paddle.to_tensor([0, 1, 2, 3, 4, 5, 6, 7, 8])
    with output() as out:
        print("Origin Tensor:", ndim_1_tensor.numpy())
        print("First element:", ndim_1_tensor[0].numpy())
        print("Last element:", ndim_1_tensor[-1].numpy())
        print("All element:", ndim_1_tensor[:].numpy())
        print("Before 3:", ndim_1_tensor[:3].numpy())
        print("From 6 to the end:", ndim_1_tensor[6:].numpy())
        print("From 3 to 6:", ndim_1_tensor[3:6].numpy())
        print("Interval of 3:", ndim_1_tensor[::3].numpy())
        print("Reverse:", ndim_1_tensor[::-1].numpy())
    out.is_("""
        Origin Tensor: [0 1 2 3 4 5 6 7 8]
        First element: [0]
        Last element: [8]
        All element: [0 1 2 3 4 5 6 7 8]
        Before 3: [0 1 2]
        From 6 to the end: [6 7 8]
        From 3 to 6: [3 4 5]
        Interval of 3: [0 3 6]
        Reverse: [8 7 6 5 4 3 2 1 0]
    """)  # the guide has a stray ")" behind the first line


def test_indexing_two_dimensions() -> None:
    ndim_2_tensor = paddle.to_tensor([[0, 1, 2, 3],
                                      [4, 5, 6, 7],
                                      [8, 9, 10, 11]])  # fmt: skip
    with output() as out:
        print("Origin Tensor:", ndim_2_tensor.numpy())
        print("First row:", ndim_2_tensor[0].numpy())
        print("First row:", ndim_2_tensor[0, :].numpy())
        print("First column:", ndim_2_tensor[:, 0].numpy())
        print("Last column:", ndim_2_tensor[:, -1].numpy())
        print("All element:", ndim_2_tensor[:].numpy())
        print("First row and second column:", ndim_2_tensor[0, 1].numpy())
    out.is_("""
        Origin Tensor: [[ 0 1 2 3]
                        [ 4 5 6 7]
                        [ 8 9 10 11]]
        First row: [0 1 2 3]
        First row: [0 1 2 3]
        First column: [0 4 8]
        Last column: [ 3 7 11]
        All element: [[ 0 1 2 3]
                      [ 4 5 6 7]
                      [ 8 9 10 11]]
        First row and second column: [1]
    """)
    for row in (ndim_2_tensor[1], ndim_2_tensor[1, :]):
        is_printed(
            row,
            """Tensor(shape=[4], dtype=int64, place=CPUPlace, stop_gradient=True,
            [4, 5, 6, 7])""",
        )


def test_changing_a_tensor_in_place() -> None:
    x = paddle.to_tensor(np.ones((2, 3)).astype(np.float32))
    before = id(x)
    x[0] = 0
    assert x.numpy().tolist() == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    x[0:1] = 2.1
    np.testing.assert_array_equal(x.numpy(), np.float32([[2.1, 2.1, 2.1], [1.0, 1.0, 1.0]]))
    x[...] = 3
    assert x.numpy().tolist() == [[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]
    x[0:1] = np.array([1, 2, 3])
    assert x.numpy().tolist() == [[1.0, 2.0, 3.0], [3.0, 3.0, 3.0]]
    x[1] = paddle.ones([3])
    assert x.numpy().tolist() == [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]
    assert id(x) == before


X = [[1.1, 2.2], [3.3, 4.4]]
Y = [[5.5, 6.6], [7.7, 8.8]]


def both() -> tuple[paddle.Tensor, paddle.Tensor, np.ndarray, np.ndarray]:
    """The x and y of the guide, and the same as arrays."""
    x, y = paddle.to_tensor(X, dtype="float64"), paddle.to_tensor(Y, dtype="float64")
    return x, y, np.array(X), np.array(Y)


def test_adding_two_ways() -> None:
    x, y, _, _ = both()
    with output() as out:
        print(paddle.add(x, y), "\n")
        print(x.add(y), "\n")
    once = """Tensor(shape=[2, 2], dtype=float64, place=CPUPlace, stop_gradient=True,
        [[6.60000000, 8.80000000],
         [ 11., 13.20000000]])
    """
    out.is_(once + once)


ONE_TENSOR = {
    "abs": np.abs, "ceil": np.ceil, "floor": np.floor, "round": np.round, "exp": np.exp,
    "log": np.log, "reciprocal": lambda a: 1 / a, "square": np.square, "sqrt": np.sqrt,
    "sin": np.sin, "cos": np.cos, "max": lambda a: [a.max()], "min": lambda a: [a.min()],
    "prod": lambda a: [a.prod()], "sum": lambda a: [a.sum()], "isfinite": np.isfinite,
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_TENSOR)
def test_method_of_one_tensor(name: str) -> None:
    x, _, a, _ = both()
    got = getattr(x, name)().numpy()
    wanted = np.asarray(ONE_TENSOR[name](a))
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-12)
    np.testing.assert_array_equal(x.numpy(), a)  # none of them works in place


TWO_TENSORS = {
    "add": (np.add, lambda x, y: x + y),
    "subtract": (np.subtract, lambda x, y: x - y),
    "multiply": (np.multiply, lambda x, y: x * y),
    "divide": (np.divide, lambda x, y: x / y),
    "mod": (np.mod, lambda x, y: x % y),
    "pow": (np.power, lambda x, y: x**y),
    "equal": (np.equal, lambda x, y: x == y),
    "not_equal": (np.not_equal, lambda x, y: x != y),
    "less_than": (np.less, lambda x, y: x < y),
    "less_equal": (np.less_equal, lambda x, y: x <= y),
    "greater_than": (np.greater, lambda x, y: x > y),
    "greater_equal": (np.greater_equal, lambda x, y: x >= y),
}


@pytest.mark.parametrize("name", TWO_TENSORS)
def test_method_of_two_tensors_and_its_operator(name: str) -> None:
    x, y, a, b = both()
    wanted, operator = TWO_TENSORS[name]
    b[0, 0] = a[0, 0]
    y[0, 0] = 1.1
    for got in (getattr(x, name)(y), getattr(paddle, name)(x, y), operator(x, y)):
        assert got.numpy().dtype == wanted(a, b).dtype
        np.testing.assert_allclose(got.numpy(), wanted(a, b), rtol=1e-12)


def test_comparing_whole_tensors() -> None:
    x, y, _, _ = both()
    for got, wanted in (
        (x.equal_all(y), False),
        (x.equal_all(x), True),
        (x.allclose(y), False),
        (x.allclose(x + 1e-9), True),
    ):
        assert got.shape == [1]
        assert str(got.dtype) == "VarType.BOOL"
        assert got.numpy().tolist() == [wanted]


def test_logic_of_bool_tensors() -> None:
    x, y = paddle.to_tensor([True, True, False]), paddle.to_tensor([True, False, False])
    assert x.logical_and(y).numpy().tolist() == [True, False, False]
    assert x.logical_or(y).numpy().tolist() == [True, True, False]
    assert x.logical_xor(y).numpy().tolist() == [False, True, False]
    assert x.logical_not().numpy().tolist() == [False, False, True]


def test_linear_algebra() -> None:
    x, y, a, b = both()
    positive = np.array([[4.0, 2.0], [2.0, 3.0]])
    np.testing.assert_allclose(
        paddle.to_tensor(positive).cholesky().numpy(), np.linalg.cholesky(positive), rtol=1e-12
    )
    np.testing.assert_array_equal(x.t().numpy(), a.T)
    np.testing.assert_array_equal(x.transpose([1, 0]).numpy(), a.T)
    np.testing.assert_allclose(x.norm("fro").numpy(), [np.linalg.norm(a)], rtol=1e-12)
    np.testing.assert_allclose(x.dist(y, p=2).numpy(), [np.linalg.norm(a - b)], rtol=1e-12)
    np.testing.assert_allclose(x.matmul(y).numpy(), a @ b, rtol=1e-12)


def test_logical_not_as_the_guide_prints_it() -> None:
    # The guide's list has a y in x.logical_not(y); its second argument is where the result goes.
    x, y = paddle.to_tensor([True, False]), paddle.to_tensor([True, True])
    assert x.logical_not(y).numpy().tolist() == [False, True]
