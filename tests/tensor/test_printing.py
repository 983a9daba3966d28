"""What print(tensor) shows, to the letter."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.printing import OPTIONS
from paddle.core.tensor import parameter

HEAD = "Tensor(shape={}, dtype={}, place=CPUPlace, stop_gradient={},\n       "


def shown(data, dtype, shape, body, stop=True):
    x = paddle.to_tensor(data, dtype=dtype, place="cpu", stop_gradient=stop)
    assert str(x) == repr(x) == f"{x}" == HEAD.format(shape, dtype, stop) + body + ")"


@pytest.fixture(autouse=True)
def _options():
    before = dict(vars(OPTIONS))
    yield
    vars(OPTIONS).update(before)


@pytest.mark.parametrize(
    ("data", "dtype", "shape", "body"),
    [
        ([2.0, 3.0, 4.0], "float64", [3], "[2., 3., 4.]"),
        (2, "int64", [1], "[2]"),
        ([[1.0, 2.0], [3.0, 4.0]], "float32", [2, 2], "[[1., 2.],\n        [3., 4.]]"),
        (
            [[6.6, 8.8], [11.0, 13.2]],
            "float64",
            [2, 2],
            "[[ 6.60000000,  8.80000000],\n        [        11., 13.20000000]]",
        ),
        ([[1 + 1j, 2 + 2j], [3 + 3j, 4 + 4j]], "complex64", [2, 2],
         "[[(1+1j), (2+2j)],\n        [(3+3j), (4+4j)]]"),
        ([1 - 1.5j, -2j], "complex128", [2], "[(1-1.5j),  (-0-2j)]"),
        ([0.1, 0.2], "float32", [2], "[0.10000000, 0.20000000]"),
        ([-1.0710998, 0.5], "float64", [2], "[-1.07109980,  0.50000000]"),
        ([1, -10, 100], "int32", [3], "[  1, -10, 100]"),
        ([0, 255], "uint8", [2], "[  0, 255]"),
        ([-128, 7], "int8", [2], "[-128,    7]"),
        ([5, 7], "int16", [2], "[5, 7]"),
        ([True, False], "bool", [2], "[ True, False]"),
        ([1.5, -2.0], "float16", [2], "[1.50000000,        -2.]"),
        ([float("nan"), float("inf"), -float("inf"), 1.0], "float32", [4],
         "[  nan,  inf., -inf.,    1.]"),
        ([-0.0, 0.0], "float32", [2], "[-0.,  0.]"),
        ([1e10, 0.5], "float64", [2], "[10000000000.,   0.50000000]"),
        ([], "float32", [0], "[]"),
        (np.zeros((0, 3)), "float64", [0, 3], "[]"),
        (np.zeros((2, 0)), "float64", [2, 0], "[[],\n        []]"),
    ],
)  # fmt: skip
def test_every_type(data, dtype, shape, body):
    shown(data, dtype, shape, body)


def test_bfloat16_shows_its_values():
    x = paddle.to_tensor([1.5, 2.0], place="cpu").astype("bfloat16")
    assert str(x) == HEAD.format([2], "bfloat16", True) + "[1.50000000,         2.])"


def test_three_dimensions_have_blank_lines():
    shown(
        np.arange(1, 21).reshape(2, 2, 5), "int64", [2, 2, 5],
        "[[[ 1,  2,  3,  4,  5],\n"
        "         [ 6,  7,  8,  9, 10]],\n"
        "\n"
        "        [[11, 12, 13, 14, 15],\n"
        "         [16, 17, 18, 19, 20]]]",
    )  # fmt: skip


def test_four_dimensions_have_two_blank_lines():
    shown(
        np.arange(4).reshape(2, 1, 1, 2), "int64", [2, 1, 1, 2],
        "[[[[0, 1]]],\n\n\n        [[[2, 3]]]]",
    )  # fmt: skip


def test_stop_gradient_is_shown():
    shown([1.0], "float32", [1], "[1.]", stop=False)


def test_long_tensors_are_summarised():
    body = "[   0,    1,    2, ...,  998,  999, 1000]"
    shown(np.arange(1001), "int64", [1001], body)
    shown(np.arange(1000), "int64", [1000], "[" + ", ".join(f"{i:3d}" for i in range(1000)) + "]")


def test_wide_rows_of_a_summary():
    row = "[0., 0., 0., ..., 0., 0., 0.]"
    shown(np.zeros((3, 500)), "float32", [3, 500], f"[{row},\n        {row},\n        {row}]")
    shown(
        np.zeros((20, 100)), "float32", [20, 100],
        f"[{row},\n        {row},\n        {row},\n        ...,\n"
        f"        {row},\n        {row},\n        {row}]",
    )  # fmt: skip


def test_a_summary_is_aligned_by_what_it_shows():
    data = np.ones(2000)
    data[1000] = 123456.5  # hidden behind the dots
    shown(data, "float32", [2000], "[1., 1., 1., ..., 1., 1., 1.]")


def test_summary_of_three_dimensions():
    text = str(paddle.zeros([10, 10, 20]))
    assert text.count("...,\n") == 1 + 6  # between blocks, and within each of the six shown
    assert "0., 0., 0., ..., 0., 0., 0." in text


def test_non_contiguous_and_non_leaf():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    assert "stop_gradient=False,\n       [[2., 6.],\n        [4., 8.]])" in str(x.T * 2)


def test_parameter():
    p = parameter(paddle.ones([2])._buf)
    assert str(p) == "Parameter containing:\n" + HEAD.format([2], "float32", False) + "[1., 1.])"


# -- set_printoptions ----------------------------------------------------------------------------


def test_precision():
    paddle.set_printoptions(precision=3)
    shown([0.123456, 2.0], "float32", [2], "[0.123,    2.]")


def test_sci_mode():
    paddle.set_printoptions(precision=2, sci_mode=True)
    shown([12345.678, 1.0], "float32", [2], "[1.23e+04, 1.00e+00]")


def test_threshold_and_edgeitems():
    paddle.set_printoptions(threshold=5, edgeitems=1)
    shown(np.arange(6), "int64", [6], "[0, ..., 5]")
    shown(np.arange(5), "int64", [5], "[0, 1, 2, 3, 4]")


def test_none_leaves_a_setting():
    paddle.set_printoptions(precision=2)
    paddle.set_printoptions(threshold=7)
    assert (OPTIONS.precision, OPTIONS.threshold) == (2, 7)


@pytest.mark.parametrize("name", ["precision", "threshold", "edgeitems"])
def test_wrong_options(name):
    with pytest.raises(TypeError, match=rf"set_printoptions\({name}\): expected an int.*str"):
        paddle.set_printoptions(**{name: "8"})
    with pytest.raises(TypeError, match=f"{name}.*bool"):
        paddle.set_printoptions(**{name: True})
    with pytest.raises(ValueError, match=f"{name}.*at least 0, but received -1"):
        paddle.set_printoptions(**{name: -1})


def test_wrong_sci_mode():
    with pytest.raises(TypeError, match=r"set_printoptions\(sci_mode\): expected a bool.*int"):
        paddle.set_printoptions(sci_mode=1)
