"""Static graphs: Programs, the Executor that runs them, and what builds them."""

from __future__ import annotations

from paddle.executor.executor import Executor
from paddle.executor.scope import Scope, global_scope, scope_guard
from paddle.ir.autodiff.backward import append_backward, gradients
from paddle.ir.current import (
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
)
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.nn.create_parameter import create_parameter
from paddle.static import amp, nn
from paddle.static.compiled import (
    CompiledProgram,
    ParallelExecutor,
    cpu_places,
    cuda_places,
    xpu_places,
)
from paddle.static.data import data
from paddle.static.ema import ExponentialMovingAverage
from paddle.static.input import InputSpec
from paddle.static.io import (
    deserialize_persistables,
    deserialize_program,
    load,
    load_from_file,
    load_inference_model,
    load_program_state,
    load_vars,
    normalize_program,
    save,
    save_inference_model,
    save_to_file,
    save_vars,
    serialize_persistables,
    serialize_program,
    set_program_state,
)
from paddle.static.metric import accuracy, auc
from paddle.static.print_op import Print
from paddle.static.py_func import py_func
from paddle.static.strategy import BuildStrategy, ExecutionStrategy
from paddle.static.variables import create_global_var
from paddle.static.weight_norm import WeightNormParamAttr

__all__ = [
    "BuildStrategy", "CompiledProgram", "ExecutionStrategy", "ParallelExecutor", "cpu_places",
    "cuda_places", "xpu_places",
    "ExponentialMovingAverage", "WeightNormParamAttr", "accuracy", "auc", "create_global_var",
    "Executor", "InputSpec", "Print", "Program", "Scope", "Variable", "append_backward",
    "create_parameter", "data",
    "default_main_program", "default_startup_program", "device_guard", "global_scope",
    "amp", "gradients", "name_scope", "nn", "program_guard", "py_func", "scope_guard",
    "deserialize_persistables", "deserialize_program", "load", "load_from_file",
    "load_inference_model", "load_program_state", "load_vars", "normalize_program", "save",
    "save_inference_model", "save_to_file", "save_vars", "serialize_persistables",
    "serialize_program", "set_program_state",
]  # fmt: skip
