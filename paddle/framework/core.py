"""What client libraries take from PaddlePaddle's native module, ``paddle.framework.core``."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.core.errors import EOFException
from paddle.core.errors import FrameworkError as EnforceNotMet
from paddle.core.lod import LoDTensor, LoDTensorArray
from paddle.core.place import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    Place,
    XPUPlace,
    is_compiled_with_cuda,
)
from paddle.core.place import device_count as get_cuda_device_count
from paddle.core.tensor import Tensor as VarBase
from paddle.device import is_compiled_with_npu, is_compiled_with_rocm, is_compiled_with_xpu
from paddle.device.wait import synchronize
from paddle.executor.scope import Scope
from paddle.framework.core_ops import CoreOps

__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EOFException", "EnforceNotMet", "LoDTensor",
    "LoDTensorArray", "Place", "Scope", "VarBase", "VarDesc", "XPUPlace", "get_cuda_device_count",
    "is_compiled_with_cuda",
    "is_compiled_with_npu", "is_compiled_with_rocm", "is_compiled_with_xpu", "ops",
]  # fmt: skip


class VarDesc:
    """Descriptions of variables; of interest for the types, ``VarDesc.VarType.FP32``."""

    VarType = VarType


ops = CoreOps()


def _cuda_synchronize(place: Place) -> None:
    """Waits until a device has done what was asked of it.

    Args:
        place (Place): the device.
    """
    synchronize()
