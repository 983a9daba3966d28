"""PaddlePaddle 2.0's programming interface on PyTorch's ATen kernels: the public namespace."""

from __future__ import annotations

import importlib as _importlib
from typing import Any as _Any

from paddle import _launching, _module_paths

_launching.start()
_module_paths.install()

from paddle.core import allocator as _allocator  # noqa: E402
from paddle.core import torch_import as _torch_import  # noqa: E402

_allocator.keep_freed_memory()  # before the first buffer is made
_allocator.bound_kernel_caches()  # before oneDNN is used
_torch_import.load()

from paddle import ops as _ops  # noqa: E402
from paddle.autograd import grad  # noqa: E402
from paddle.batch import batch  # noqa: E402
from paddle.core.dtype import VarType as _VarType  # noqa: E402
from paddle.core.dtype import get_default_dtype, set_default_dtype  # noqa: E402
from paddle.core.mode import no_grad  # noqa: E402
from paddle.core.place import (  # noqa: E402
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    XPUPlace,
    get_cudnn_version,
    get_device,
    is_compiled_with_cuda,
    set_device,
)
from paddle.core.printing import set_printoptions  # noqa: E402
from paddle.core.random import get_cuda_rng_state, seed, set_cuda_rng_state  # noqa: E402
from paddle.core.random_state import get_rng_state, set_rng_state  # noqa: E402
from paddle.core.tensor import Tensor  # noqa: E402
from paddle.device import (  # noqa: E402
    is_compiled_with_npu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from paddle.framework.flags import get_flags, set_flags  # noqa: E402
from paddle.framework.io import load, save  # noqa: E402
from paddle.framework.mode import disable_static, enable_static, in_dynamic_mode  # noqa: E402
from paddle.framework.param_attr import ParamAttr  # noqa: E402
from paddle.ir.variable import list_methods_from as _list_methods_from  # noqa: E402
from paddle.nn.create_parameter import create_parameter  # noqa: E402
from paddle.static.methods import attach as _attach_to_programs  # noqa: E402
from paddle.tensor import *  # noqa: E402, F403
from paddle.tensor import __all__ as _tensor_names  # noqa: E402
from paddle.tensor.methods import attach as _attach  # noqa: E402

_ops.install()
_list_methods_from.append("paddle.jit.dy2static.tensor_arrays")
_attach()
_attach_to_programs()

__version__ = "2.0.0"

VarBase = Tensor  # the name of eager Tensors in 2.0's own code and in client libraries

bool = _VarType.BOOL
int8, int16, int32, int64 = _VarType.INT8, _VarType.INT16, _VarType.INT32, _VarType.INT64
uint8, float16, bfloat16 = _VarType.UINT8, _VarType.FP16, _VarType.BF16
float32, float64 = _VarType.FP32, _VarType.FP64
complex64, complex128 = _VarType.COMPLEX64, _VarType.COMPLEX128

# Imported when first used, so that `import paddle` stays quick.
_MODULES = frozenset({
    "amp", "autograd", "callbacks", "common_ops_import", "compat", "core", "dataset", "device",
    "distributed", "distribution", "fluid", "framework", "hapi", "incubate", "inference", "io",
    "jit", "metric", "nn", "onnx", "optimizer", "reader", "regularizer", "static", "sysconfig",
    "tensor", "testing", "text", "utils", "version", "vision",
})  # fmt: skip
_NAMES = {
    "DataParallel": "paddle.distributed.data_parallel",
    "Executor": "paddle.static",
    "Model": "paddle.hapi.model",
    "summary": "paddle.hapi.model_summary",
    "flops": "paddle.hapi.flop_count",
}


def __getattr__(name: str) -> _Any:
    if name in _NAMES:
        value = getattr(_importlib.import_module(_NAMES[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return _importlib.import_module(f"paddle.{name}")
    raise AttributeError(f"module 'paddle' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES})


__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace",
    "DataParallel",  # noqa: F405
    "Model",  # noqa: F405
    "ParamAttr", "Tensor", "XPUPlace", "batch", "create_parameter", "disable_static",
    "enable_static",
    "flops",  # noqa: F405
    "get_cuda_rng_state", "get_cudnn_version",
    "get_default_dtype", "get_device", "get_flags", "get_rng_state", "grad", "in_dynamic_mode",
    "is_compiled_with_cuda", "is_compiled_with_npu", "is_compiled_with_rocm",
    "is_compiled_with_xpu", "load",
    "no_grad", "save", "seed", "set_cuda_rng_state", "set_default_dtype", "set_device", "set_flags",
    "set_printoptions", "set_rng_state",
    "summary",  # noqa: F405
    *_tensor_names,
]  # fmt: skip
