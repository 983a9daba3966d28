"""The device that computes: which there are, which is in use."""

import torch

from paddle.core.backends import present
from paddle.core.place import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    XPUPlace,
    get_cudnn_version,
    get_device,
    is_compiled_with_cuda,
    set_device,
)

__all__ = [
    "XPUPlace", "empty_cache", "get_cudnn_version", "get_device", "is_compiled_with_cuda",
    "is_compiled_with_npu", "is_compiled_with_rocm", "is_compiled_with_xpu", "set_device",
]  # fmt: skip


def is_compiled_with_xpu() -> bool:
    """Says whether there are kernels for Kunlun XPUs; there are none.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_xpu())  # False
    """
    return False


def is_compiled_with_rocm() -> bool:
    """Says whether there are kernels for AMD GPUs (2.1 and later).

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_rocm())  # False
    """
    return torch.version.hip is not None


def is_compiled_with_npu() -> bool:
    """Says whether there are kernels for Ascend NPUs (2.1 and later); there are none.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_npu())  # False
    """
    return False


def empty_cache() -> None:
    """Gives memory that is kept for new Tensors back to the system.

    Examples:
        .. code-block:: python

            import paddle
            paddle.device.empty_cache()
    """
    for backend in present():
        backend.empty_cache()
