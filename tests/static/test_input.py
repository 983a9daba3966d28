"""InputSpec: what it takes, how it prints, batch and unbatch."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.static import InputSpec


def test_prints_as_in_the_guide():
    x = InputSpec([None, 784], "float32", "x")
    label = InputSpec([None, 1], "int64", "label")
    assert str(x) == repr(x) == "InputSpec(shape=(-1, 784), dtype=VarType.FP32, name=x)"
    assert str(label) == "InputSpec(shape=(-1, 1), dtype=VarType.INT64, name=label)"
    assert str(InputSpec([3])) == "InputSpec(shape=(3,), dtype=VarType.FP32, name=None)"


def test_from_tensor_and_from_numpy():
    array = np.ones([2, 2], np.float32)
    tensor = paddle.to_tensor(array)
    expected = "InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)"
    assert str(InputSpec.from_tensor(tensor, name="x")) == expected
    assert str(InputSpec.from_numpy(array, name="x")) == expected
    assert InputSpec.from_tensor(tensor).name == tensor.name
    assert InputSpec.from_numpy(array).name is None
    variable = paddle.static.Program().global_block().create_var(name="v", shape=[-1, 3])
    assert InputSpec.from_tensor(variable).shape == (-1, 3)


def test_sizes():
    assert InputSpec((None, -1, 0, np.int64(3))).shape == (-1, -1, 0, 3)
    assert type(InputSpec([np.int64(3)]).shape[0]) is int
    assert InputSpec([]).shape == ()


@pytest.mark.parametrize("dtype", ["int64", np.int64, np.dtype("int64"), paddle.int64])
def test_dtypes(dtype):
    assert InputSpec([1], dtype).dtype is paddle.int64


def test_batch_and_unbatch():
    spec = InputSpec([64], "float32", "x")
    assert spec.batch(4) is spec and spec.shape == (4, 64)
    assert spec.unbatch() is spec and spec.shape == (64,)
    assert spec.batch([5]).shape == (5, 64)
    assert spec.batch(-1).shape == spec.unbatch().batch(None).shape == (-1, 5, 64)


def test_comparison():
    spec = InputSpec([None, 2], "float32", "x")
    same = InputSpec((-1, 2), np.float32, "x")
    assert spec == same and (spec != same) is False and hash(spec) == hash(same)
    for other in (
        InputSpec([1, 2], "float32", "x"), InputSpec([None, 2], "int32", "x"),
        InputSpec([None, 2], "float32"), "x",
    ):  # fmt: skip
        assert spec != other


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: InputSpec(3), TypeError, r"InputSpec\(shape\): expected a list or tuple, got int"),
        (lambda: InputSpec([1.0]), TypeError, r"expected ints or None, but it holds 1\.0"),
        (lambda: InputSpec([True]), TypeError, r"expected ints or None, but it holds True"),
        (lambda: InputSpec([-2]), ValueError, r"at least -1, but received -2"),
        (lambda: InputSpec([1], name=3), TypeError, r"\(name\): expected a str or None.*int"),
        (lambda: InputSpec([1], "float33"), (TypeError, ValueError), "float33"),
        (lambda: InputSpec.from_tensor(3), TypeError, r"from_tensor\(tensor\): .*got int"),
        (lambda: InputSpec.from_numpy([1]), TypeError, r"from_numpy\(ndarray\): expected .*list"),
        (lambda: InputSpec([1]).batch("4"), TypeError, r"batch\(batch_size\): .*got str"),
        (lambda: InputSpec([1]).batch([4, 2]), ValueError, r"expected one size, got \[4, 2\]"),
        (lambda: InputSpec([1]).batch(-2), ValueError, r"expected at least -1, got -2"),
        (lambda: InputSpec([]).unbatch(), ValueError, r"unbatch: expected at least one dimension"),
    ],
)  # fmt: skip
def test_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call()
