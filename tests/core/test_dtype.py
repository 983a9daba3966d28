"""Data types: VarType, its spellings and the default type."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

import paddle
from paddle.core.dtype import (
    FLOATING,
    INTEGER,
    NAMES,
    VarType,
    dtype_name,
    numpy_dtype,
    to_vartype,
    torch_dtype,
)

CODES = {
    "bool": (0, "BOOL"), "int16": (1, "INT16"), "int32": (2, "INT32"), "int64": (3, "INT64"),
    "float16": (4, "FP16"), "float32": (5, "FP32"), "float64": (6, "FP64"), "uint8": (20, "UINT8"),
    "int8": (21, "INT8"), "bfloat16": (22, "BF16"), "complex64": (23, "COMPLEX64"),
    "complex128": (24, "COMPLEX128"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _default():
    yield
    paddle.set_default_dtype("float32")


@pytest.mark.parametrize("name", CODES)
def test_every_type(name):
    code, member = CODES[name]
    kind = getattr(paddle, name)
    assert kind is VarType(code) is VarType[member]
    assert str(kind) == repr(kind) == f"{kind}" == f"VarType.{member}"
    for spelled in (name, f"VarType.{member}", kind, code):
        assert to_vartype(spelled) is kind
    if name != "bfloat16":
        assert to_vartype(np.dtype(name)) is to_vartype(np.dtype(name).type) is kind
        assert numpy_dtype(kind) == np.dtype(name)
    assert dtype_name(kind) == name and torch_dtype(kind) is getattr(torch, name)
    assert kind == name and kind != "float7" and hash(kind) == hash(VarType(code))
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_names_are_complete():
    assert sorted(NAMES) == sorted(CODES)
    assert VarType.FP32 in FLOATING and VarType.INT8 in INTEGER and VarType.BOOL not in INTEGER


def test_python_types():
    assert [to_vartype(t) for t in (bool, int, float, complex)] == [
        paddle.bool, paddle.int64, paddle.float32, paddle.complex64,
    ]  # fmt: skip


def test_comparison():
    assert paddle.float32 == np.float32 == paddle.float32 == "float32"
    assert paddle.float32 != np.float64 and paddle.float32 != "int32"
    assert paddle.float32 != "nonsense" and paddle.float32 != object() and paddle.float32 != None  # noqa: E711
    assert paddle.to_tensor(1.0).dtype in (paddle.float32, paddle.float64)
    assert {paddle.float32: 1}[paddle.to_tensor(1.0).dtype] == 1


@pytest.mark.parametrize(
    "wrong", ["float", "f32", "", "VarType.X", None, 7.5, object(), [], 99, VarType.RAW]
)
def test_unknown(wrong):
    with pytest.raises(
        (TypeError, ValueError), match="expected a data type, one of bool, int8"
    ) as caught:
        torch_dtype(wrong)
    assert repr(wrong) in str(caught.value)


@pytest.mark.parametrize(
    "d", ["float16", "float32", "float64", np.float64, np.dtype("float32"), paddle.float64]
)
def test_default_type(d):
    paddle.set_default_dtype(d)
    name = dtype_name(d)
    assert paddle.get_default_dtype() == name
    assert dtype_name(paddle.to_tensor(1.0).dtype) == name
    assert dtype_name(paddle.zeros([1]).dtype) == name
    assert dtype_name((paddle.to_tensor([1]) * 0.5).dtype) == name


@pytest.mark.parametrize("wrong", ["int32", "bfloat16", "complex64", "nonsense", None, 3.0])
def test_wrong_default(wrong):
    with pytest.raises(TypeError, match="expected float16, float32 or float64, but received"):
        paddle.set_default_dtype(wrong)
    assert paddle.get_default_dtype() == "float32"
