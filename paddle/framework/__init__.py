"""Framework-wide things: dtypes, places, random seeds, saving, ParamAttr."""

from __future__ import annotations

import sys

from paddle.autograd import grad
from paddle.core.dtype import get_default_dtype, set_default_dtype
from paddle.core.lazy import lazy
from paddle.core.mode import no_grad
from paddle.core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from paddle.core.random import get_cuda_rng_state, seed, set_cuda_rng_state
from paddle.framework.io import load, save
from paddle.framework.mode import in_dynamic_mode
from paddle.framework.param_attr import ParamAttr

# They lie above this package.
_LATER = {
    "DataParallel": "paddle.distributed.data_parallel",
    "create_parameter": "paddle.nn.create_parameter",
}
__getattr__, __dir__ = lazy(sys.modules[__name__], ("core",), _LATER)

__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "DataParallel", "ParamAttr", "create_parameter",
    "get_cuda_rng_state", "get_default_dtype", "grad", "in_dynamic_mode", "load", "no_grad", "save",
    "seed", "set_cuda_rng_state", "set_default_dtype",
]  # fmt: skip
