"""Error classes, and what the failure of a kernel becomes."""

from __future__ import annotations

import pickle

import pytest
import torch

import paddle
from paddle.core import errors
from paddle.core.errors import kernel_error
from paddle.core.op import REGISTRY

BUILTINS = {
    "InvalidArgument": ValueError,
    "NotFound": RuntimeError,
    "OutOfRange": IndexError,
    "AlreadyExists": RuntimeError,
    "ResourceExhausted": MemoryError,
    "PreconditionNotMet": RuntimeError,
    "PermissionDenied": RuntimeError,
    "ExecutionTimeout": RuntimeError,
    "Unimplemented": NotImplementedError,
    "Unavailable": RuntimeError,
    "Fatal": SystemError,
    "External": OSError,
}


@pytest.mark.parametrize("code", BUILTINS)
def test_classes_are_builtins(code):
    kind = getattr(errors, f"{code}Error")
    assert issubclass(kind, BUILTINS[code]) and issubclass(kind, errors.FrameworkError)
    assert kind.__name__ == f"{code}Error" and kind.__doc__
    with pytest.raises(BUILTINS[code]) as caught:
        raise kind("expected this, got that", hint="do it so")
    assert str(caught.value) == f"({code}) expected this, got that\n  [Hint: do it so]"
    assert str(kind("short")) == f"({code}) short"


@pytest.mark.parametrize("code", BUILTINS)
def test_errors_survive_another_process(code):
    """Workers send their errors to the parent by pickle."""
    error = getattr(errors, f"{code}Error")("expected", hint="h")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error) and str(back) == str(error)


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (RuntimeError("The size of tensor a (4) must match the size of tensor b (6) at "
                      "non-singleton dimension 2"), ValueError,
         "Broadcast dimension mismatch.*dimension 2 is 4 on one side and 6 on the other"),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), ValueError, "be multiplied"),
        (RuntimeError("[enforce fail] . DefaultCPUAllocator: can't allocate memory: you tried"),
         MemoryError, "allocate memory"),
        (MemoryError("no"), MemoryError, "ResourceExhausted"),
        (RuntimeError("CUDA out of memory. Tried to allocate"), MemoryError, "out of memory"),
        (IndexError("Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
         ValueError, r"axis is expected to be in range of \[-2, 1\], but received 5"),
        (IndexError("index 7 is out of bounds for dimension 0 with size 4"), IndexError, "index 7"),
        (RuntimeError("index out of range in self"), IndexError, "OutOfRange"),
        (RuntimeError("\"exp_cpu\" not implemented for 'Bool'"), TypeError,
         r"(?s)data types: float32, int64\..*Hint: cast it: y\.astype\(\"float32\"\)"),
        (NotImplementedError("no kernel"), TypeError, "no kernel"),
        (RuntimeError("expected scalar type Float but found Double"), TypeError, "InvalidType"),
        (TypeError("exp() received an invalid combination"), TypeError, "invalid combination"),
        (ValueError("must be positive"), ValueError, "must be positive"),
        (RuntimeError("Input type (torch.FloatTensor) and weight type (CPUBoolType) should be the "
                      "same or input should be a MKLDNN tensor"), TypeError,
         r"\(InvalidType\) no kernel for these data types: expected inputs of one data type"),
        (RuntimeError("linalg.inv: Expected a floating point or complex tensor as input. Got Long"),
         TypeError, r"\(InvalidType\) no kernel for these data types: float32, int64"),
        (IndexError("argmax(): Expected reduction dim to be specified for input.numel() == 0."),
         ValueError, "expected at least one element to reduce, but the input has none"),
        (RuntimeError("a Tensor with 2 elements cannot be converted to Scalar"), ValueError,
         "expected one element where a number is due"),
        (RuntimeError("value cannot be converted to type c10::Half without overflow"), ValueError,
         "a number does not fit the data type it meets"),
        (ZeroDivisionError("integer modulo by zero"), ValueError,
         "division by zero: expected no dimension of size 0"),
        (errors.UnimplementedError("a", hint="b"), NotImplementedError, "(?s)a.*Hint: b"),
        (errors.InvalidArgumentError("axis"), ValueError, r"^\(InvalidArgument\) axis"),
    ],
)  # fmt: skip
def test_kernel_failures(raised, kind, text):
    op = REGISTRY["elementwise_add"]
    x, y = paddle.ones([2, 3]), paddle.ones([3], "int64")
    made = kernel_error(op, (x, y), {"axis": -1}, raised)
    assert made is not raised
    with pytest.raises(kind, match=text) as caught:
        raise made from raised
    shown = str(caught.value)
    for part in (
        "operator < elementwise_add > error",
        "X = float32[2, 3]",
        "Y = int64[3]",
        "axis = -1",
    ):
        assert part in shown


def test_the_wrong_item_of_a_list_is_named():
    x = paddle.ones([2])
    for bad, came in ((None, "NoneType None"), (3, "int 3"), ("a", "str 'a'")):
        with pytest.raises(TypeError, match=rf"concat: .* but it holds {came} as X\[1\]"):
            paddle.concat([x, bad])


def test_check_tensors():
    errors.check_tensors("f", x=paddle.ones([1]))
    with pytest.raises(TypeError, match=r"f\(y\): expected a Tensor, but received NoneType None\."):
        errors.check_tensors("f", x=paddle.ones([1]), y=None)


def test_no_error_is_its_own_cause():
    with pytest.raises(ValueError) as caught:
        paddle.ones([2]).reshape([3])
    assert caught.value.__cause__ is not caught.value


def test_long_attributes_are_cut():
    op = REGISTRY["relu"]
    made = kernel_error(op, (paddle.ones([1]),), {"shape": list(range(1000))}, RuntimeError("x"))
    assert len(str(made)) < 300


def test_interrupts_pass_through():
    from paddle.core.op import C, define

    def interrupt(x):
        raise KeyboardInterrupt

    define("my_interrupt", "X -> Out", interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            C.my_interrupt(paddle.ones([1]))
    finally:
        del REGISTRY["my_interrupt"]
        vars(C).pop("my_interrupt", None)


def test_a_huge_allocation_is_a_memory_error():
    with pytest.raises(MemoryError, match=r"\(ResourceExhausted\)"):
        paddle.zeros([1 << 46])


def test_backend_errors_do_not_leak():
    with pytest.raises(errors.FrameworkError):
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
    with pytest.raises(errors.FrameworkError):
        paddle.concat([paddle.ones([2, 3]), paddle.ones([2])])
    assert not issubclass(errors.FrameworkError, torch.OutOfMemoryError)
