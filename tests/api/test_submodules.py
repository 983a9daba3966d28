"""Public packages are attributes of paddle, and its insides have what client libraries take."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import paddle


def test_import_paddle_is_enough() -> None:
    code = (
        "import paddle\n"
        "print(paddle.distributed.get_rank(), paddle.distributed.ParallelEnv().local_rank)\n"
        "paddle.framework.core.VarDesc.VarType.FP32, paddle.common_ops_import.check_type\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0 0\n"


def test_unknown_names_stay_unknown() -> None:
    with pytest.raises(AttributeError, match="module 'paddle' has no attribute 'nothing'"):
        paddle.nothing
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'paddle\.nothing'"):
        importlib.import_module("paddle.nothing")


# -- what client libraries take from 2.0's insides -------------------------------------------------


def test_the_native_module() -> None:
    from paddle.framework import core

    assert paddle.float32 == core.VarDesc.VarType.FP32
    assert core.VarBase is paddle.Tensor and core.CPUPlace is paddle.CPUPlace
    assert core.Scope is paddle.static.Scope
    assert core.is_compiled_with_cuda() is paddle.is_compiled_with_cuda()
    assert core.get_cuda_device_count() >= 0
    with pytest.raises(core.EnforceNotMet):
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))


def test_common_ops_import() -> None:
    names: dict = {}
    exec("from paddle.common_ops_import import *", names)
    assert names["ParamAttr"] is paddle.ParamAttr and names["core"] is paddle.framework.core
    assert names["Variable"] is paddle.static.Variable
    assert names["in_dygraph_mode"]() is True
    assert paddle.common_ops_import.Constant is paddle.nn.initializer.Constant
    assert names["convert_dtype"](paddle.float32) == "float32"
    assert names["convert_np_dtype_to_dtype_"]("int64") is paddle.int64


def test_checks_pass_in_dynamic_mode() -> None:
    common, x = paddle.common_ops_import, paddle.ones([2])
    common.check_type(1, "x", str, "op")
    common.check_dtype("int32", "x", ["float32"], "op")
    common.check_variable_and_dtype(x, "x", ["int32"], "op")


def test_checks_of_static_mode() -> None:
    common = paddle.common_ops_import
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2], "float32")
            common.check_variable_and_dtype(x, "x", "float32", "op")
            common.check_variable_and_dtype(x, "x", ["int32", "float32"], "op")
            common.check_type([x], "x", (list, tuple), "op")
            with pytest.raises(TypeError, match=r"op\(x\): expected the dtype int32, .* float32"):
                common.check_variable_and_dtype(x, "x", ["int32"], "op")
            with pytest.raises(TypeError, match=r"op\(x\): expected Variable, but received int"):
                common.check_variable_and_dtype(3, "x", ["int32"], "op")
            with pytest.raises(TypeError, match=r"op\(x\): expected list, tuple, .* int\. And so"):
                common.check_type(3, "x", (list, tuple), "op", "And so")
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("bad", ["abc", float, "int", object(), None])
def test_dtypes_that_are_none(bad: object) -> None:
    with pytest.raises(TypeError, match="expected a d"):
        paddle.common_ops_import.convert_dtype(bad)
