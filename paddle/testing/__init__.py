"""Tests of operators and functions: OpTest, comparisons, gradients, timings.

``python -m paddle.testing test_mul_op.py`` runs files of tests that begin with
``from op_test import OpTest``; :func:`provide` lets other processes do so.
"""

from paddle.testing.bits import convert_float_to_uint16, convert_uint16_to_float
from paddle.testing.checking import gradcheck
from paddle.testing.comparing import assert_allclose
from paddle.testing.op_test import (
    OpTest,
    check_out_dtype,
    get_numeric_gradient,
    randomize_probability,
    skip_check_grad_ci,
    skip_check_inplace_ci,
)
from paddle.testing.profiling import OpProfile, profile_op
from paddle.testing.providing import provide

__all__ = [
    "OpProfile", "OpTest", "assert_allclose", "check_out_dtype", "convert_float_to_uint16",
    "convert_uint16_to_float", "get_numeric_gradient", "gradcheck", "profile_op", "provide",
    "randomize_probability", "skip_check_grad_ci", "skip_check_inplace_ci",
]  # fmt: skip
