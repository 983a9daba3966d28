"""The tables of calls are complete: every public function, method and layer is in one of them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.ir.variable import Variable
from paddle.tensor.methods import MODULES

TEXT = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))

# Not about operators: the mode itself, devices, files, what only says something of a Tensor.
OTHERS = frozenset(
    [
        "broadcast_shape", "disable_static", "enable_static", "flops", "get_cuda_rng_state",
        "get_cudnn_version", "get_default_dtype", "get_rng_state",
        "get_device", "get_flags", "grad", "in_dynamic_mode", "is_compiled_with_cuda",
        "is_compiled_with_npu", "is_compiled_with_rocm", "is_compiled_with_xpu", "is_tensor",
        "load", "save", "set_cuda_rng_state", "set_rng_state",
        "set_default_dtype", "set_device", "set_flags", "set_printoptions", "summary",
        "ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue", "LayerDict",
    ]
)  # fmt: skip


def _public(module, kind):
    found = [n for n in dir(module) if not n.startswith("_") and kind(getattr(module, n))]
    return [n for n in found if n not in OTHERS]


METHODS = sorted({n for m in MODULES for n in m.__all__} - OTHERS)
NAMES = sorted(
    {*_public(paddle, inspect.isfunction), *_public(F, inspect.isfunction)}
    | {*_public(nn, inspect.isclass), *METHODS}
)


@pytest.mark.parametrize("name", NAMES)
def test_is_called(name):
    assert re.search(rf"\b{name}\b", TEXT), f"no table of tests/static calls {name}"


@pytest.mark.parametrize("name", METHODS)
def test_is_a_method_of_a_variable(name):
    assert callable(getattr(Variable, name)) or name == "shape"
