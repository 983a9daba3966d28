"""The device that computes: which there are, which is in use."""

import torch

from paddle.core.backends import present
from paddle.core.place import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    XPUPlace,
    get_cudnn_version,
    get_device,
    is_compiled_with_cuda,
    set_device,
)
from paddle.device.plugins import (
    Device,
    get_all_custom_device_type,
    get_all_device_type,
    get_available_custom_device,
    get_available_device,
    is_compiled_with_custom_device,
    is_compiled_with_npu,
    is_compiled_with_xpu,
    register,
)

__all__ = [
    "CustomPlace", "Device", "XPUPlace", "empty_cache", "get_all_custom_device_type",
    "get_all_device_type", "get_available_custom_device", "get_available_device",
    "get_cudnn_version", "get_device", "is_compiled_with_cuda", "is_compiled_with_custom_device",
    "is_compiled_with_npu", "is_compiled_with_rocm", "is_compiled_with_xpu", "register",
    "set_device",
]  # fmt: skip


def is_compiled_with_rocm() -> bool:
    """Says whether there are kernels for AMD GPUs (2.1 and later).

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_rocm())  # False
    """
    return torch.version.hip is not None


def empty_cache() -> None:
    """Gives memory that is kept for new Tensors back to the system.

    Examples:
        .. code-block:: python

            import paddle
            paddle.device.empty_cache()
    """
    for backend in present():
        backend.empty_cache()
