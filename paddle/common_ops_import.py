"""What 2.0's own operators, and client libraries with operators of theirs, import."""

from __future__ import annotations

import sys

from paddle.core.lazy import lazy
from paddle.framework import core
from paddle.framework.checks import (
    check_dtype,
    check_type,
    check_variable_and_dtype,
    convert_dtype,
    convert_np_dtype_to_dtype_,
)
from paddle.framework.core import VarDesc
from paddle.framework.mode import in_dynamic_mode as in_dygraph_mode
from paddle.framework.param_attr import ParamAttr
from paddle.ir.current import default_main_program, device_guard
from paddle.ir.variable import Variable

_LATER = {
    "Constant": "paddle.nn.initializer",
    "LayerHelper": "paddle.incubate",
    "scale": "paddle",
}
__getattr__, __dir__ = lazy(sys.modules[__name__], (), _LATER)

__all__ = [
    "ParamAttr", "VarDesc", "Variable", "check_dtype", "check_type", "check_variable_and_dtype",
    "convert_dtype", "convert_np_dtype_to_dtype_", "core", "default_main_program", "device_guard",
    "in_dygraph_mode",
]  # fmt: skip
