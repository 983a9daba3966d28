"""The MulOp of 8.1 as printed (named mul2): maker, shapes, gradient, kernels, messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.op import REGISTRY, C
from tests.native.chapter8.building import SOURCES, chapter8

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True)
def library(built_here: Path) -> Iterator[Any]:
    with chapter8(built_here, "mul_op.cc") as found:
        yield found


def test_it_describes_itself() -> None:
    op = REGISTRY["mul2"]
    assert [s.name for s in op.inputs] == ["X", "Y"] and [s.name for s in op.outputs] == ["Out"]
    assert op.attrs == {
        "use_mkldnn": False, "x_num_col_dims": 1, "y_num_col_dims": 1, "scale_x": 1.0,
        "scale_y": [1.0], "scale_out": 1.0, "force_fp32_output": False,
    }  # fmt: skip
    assert "Mul Operator." in op.__doc__


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_gradients(dtype: str) -> None:
    a = paddle.to_tensor(RANDOM.random((32, 84)).astype(dtype), stop_gradient=False)
    b = paddle.to_tensor(RANDOM.random((84, 100)).astype(dtype), stop_gradient=False)
    out = C.mul2(a, b)
    np.testing.assert_allclose(out.numpy(), a.numpy() @ b.numpy(), rtol=1e-5)
    weight = RANDOM.random((32, 100)).astype(dtype)
    (out * paddle.to_tensor(weight)).sum().backward()
    np.testing.assert_allclose(a.grad.numpy(), weight @ b.numpy().T, rtol=1e-5)
    np.testing.assert_allclose(b.grad.numpy(), a.numpy().T @ weight, rtol=1e-5)


@pytest.mark.parametrize("of", ["x", "y"])
def test_one_gradient_alone(of: str) -> None:
    a, b = paddle.rand([2, 3]), paddle.rand([3, 4])
    (a if of == "x" else b).stop_gradient = False
    C.mul2(a, b).sum().backward()
    assert (a.grad is None) == (of == "y") and (b.grad is None) == (of == "x")


def test_more_dimensions() -> None:
    a = paddle.to_tensor(RANDOM.random((2, 3, 4, 5)), stop_gradient=False)
    b = paddle.to_tensor(RANDOM.random((4, 5, 2, 3)), stop_gradient=False)
    out = C.mul2(a, b, x_num_col_dims=2, y_num_col_dims=2)
    expected = a.numpy().reshape(6, 20) @ b.numpy().reshape(20, 6)
    assert out.shape == [2, 3, 2, 3]
    np.testing.assert_allclose(out.numpy().reshape(6, 6), expected)
    out.sum().backward()
    assert a.grad.shape == a.shape and b.grad.shape == b.shape


MESSAGES = [
    ([2, 3], [4, 5], {}, "After flatten the input tensor X and Y to 2-D dimensions matrix X1 and "
     "Y1, the matrix X1's width must be equal with matrix Y1's height. But received X's shape = "
     "[2, 3], X1's shape = [2, 3], X1's width = 3; Y's shape = [4, 5], Y1's shape = [4, 5], Y1's "
     "height = 4."),
    ([2], [2, 5], {}, "The input tensor X's dimensions of MulOp should be larger than "
     "x_num_col_dims. But received X's dimensions = 1, X's shape = [2], x_num_col_dims = 1."),
    ([2, 3], [3, 5], {"y_num_col_dims": 2}, "The input tensor Y's dimensions of MulOp should be "
     "larger than y_num_col_dims. But received Y's dimensions = 2, Y's shape = [3, 5], "
     "y_num_col_dims = 2."),
]  # fmt: skip


@pytest.mark.parametrize(("x", "y", "attrs", "words"), MESSAGES)
def test_the_messages_of_8_1_2(x: list, y: list, attrs: dict, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        C.mul2(paddle.ones(x), paddle.ones(y), **attrs)
    said = str(caught.value)
    assert said.startswith("(InvalidArgument) " + words + "\n  [Hint: Expected "), said
    assert "[operator < mul2 > error]" in said and "mul_op.cc:" in said


def test_an_attribute_out_of_range() -> None:
    with pytest.raises(
        IndexError, match="x_num_col_dims is expected to be at least 1, but received 0"
    ):
        C.mul2(paddle.ones([2, 3]), paddle.ones([3, 2]), x_num_col_dims=0)


def test_in_programs() -> None:
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            a = static.data("a", [-1, 3], "float32")
            b = static.data("b", [3, 5], "float32")
            wrong = static.data("wrong", [4, 5], "float32")
            block = main.global_block()
            out = block.create_var(name="out", dtype="float32")
            block.append_op("mul2", {"X": [a], "Y": [b]}, {"Out": [out]})
            assert tuple(out.shape) == (-1, 5)
            bad = block.create_var(name="bad", dtype="float32")
            with pytest.raises(ValueError, match="the matrix X1's width must be equal"):
                block.append_op("mul2", {"X": [a], "Y": [wrong]}, {"Out": [bad]})
    finally:
        paddle.disable_static()


def test_a_name_that_exists_is_refused(built_here: Path, tmp_path: Path) -> None:
    text = (
        (SOURCES / "mul_op.cc")
        .read_text()
        .replace("(mul2,", "(mul,")
        .replace("mul2_grad", "mul_grad")
    )
    (tmp_path / "mul_as_printed.cc").write_text(text)
    from paddle.utils.cpp_extension import load

    with pytest.raises(
        RuntimeError, match="registers operator mul, but that is an operator of paddle"
    ):
        load("mul_as_printed", [str(tmp_path / "mul_as_printed.cc")], build_directory=str(tmp_path),
             extra_cxx_cflags=["-std=c++11", "-O0", "-DPADDLE_WITH_MKLDNN"])  # fmt: skip
