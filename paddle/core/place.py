"""Places: where a tensor lives, and the device new tensors go to."""

from __future__ import annotations

import re
from typing import Any

import torch

from paddle.core import flags
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError


class Place:
    """Base of all places; two places are equal when kind and device number are."""

    kind = "undefined"

    def get_device_id(self) -> int:
        """Returns the number of the device (0 on a CPU)."""
        return getattr(self, "_id", 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return type(self).__name__

    def is_cpu_place(self) -> bool:
        """True for :class:`CPUPlace`."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """True for :class:`CUDAPlace`."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """True for :class:`CUDAPinnedPlace`."""
        return self.kind == "pinned"

    def is_xpu_place(self) -> bool:
        """True for :class:`XPUPlace`."""
        return self.kind == "xpu"

    def _equals(self, other: object) -> bool:
        return self == other


class CPUPlace(Place):
    """Main memory.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.to_tensor(1, place=paddle.CPUPlace()).place)  # CPUPlace
    """

    kind = "cpu"


class CUDAPinnedPlace(Place):
    """Page-locked main memory, from which a GPU copies faster and asynchronously.

    Without a GPU build the memory is ordinary; the place is remembered all the same.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.CUDAPinnedPlace())  # CUDAPinnedPlace
    """

    kind = "pinned"


class CUDAPlace(Place):
    """A GPU.

    Args:
        dev_id (int): number of the GPU, from 0.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.CUDAPlace(0))  # CUDAPlace(0)
    """

    kind = "gpu"

    def __init__(self, dev_id: int) -> None:
        if isinstance(dev_id, bool) or not isinstance(dev_id, int):
            raise TypeError(
                f"CUDAPlace(dev_id): expected an int, but received {type(dev_id).__name__}."
            )
        if dev_id < 0:
            raise InvalidArgumentError(
                f"CUDAPlace(dev_id): expected a number of at least 0, but received {dev_id}."
            )
        self._id = dev_id

    def __repr__(self) -> str:
        return f"CUDAPlace({self._id})"


class XPUPlace(Place):
    """A Kunlun XPU; named for compatibility, there is no such device here.

    Args:
        dev_id (int): number of the device.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.XPUPlace(0))  # XPUPlace(0)
    """

    kind = "xpu"

    def __init__(self, dev_id: int) -> None:
        if not isinstance(dev_id, int):
            raise TypeError(
                f"XPUPlace(dev_id): expected an int, but received {type(dev_id).__name__}."
            )
        self._id = dev_id

    def __repr__(self) -> str:
        return f"XPUPlace({self._id})"


CPU = CPUPlace()
_PINNED = CUDAPinnedPlace()
_current: Place | None = None
_current_device: torch.device = torch.device("cpu")


def is_compiled_with_cuda() -> bool:
    """Says whether the kernels can run on an NVIDIA GPU.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.is_compiled_with_cuda() in (True, False))
    """
    return torch.version.cuda is not None


def device_count() -> int:
    """Returns the number of GPUs that can be used."""
    return torch.cuda.device_count() if is_compiled_with_cuda() else 0


def set_device(device: str) -> Place:
    """Sets the device that new tensors and all operators run on.

    Args:
        device (str): ``cpu``, ``gpu`` (the first one) or ``gpu:n``.

    Returns:
        Place: the place that is now current.

    Raises:
        ValueError: the name is none of these, or the GPU does not exist.

    Examples:
        .. code-block:: python

            import paddle
            paddle.set_device("cpu")
            print(paddle.get_device())  # cpu
    """
    if not isinstance(device, str):
        raise TypeError(
            f"set_device(device): expected a str, but received {type(device).__name__}."
        )
    found = re.fullmatch(r"(cpu|gpu|xpu)(?::(\d+))?", device.lower().strip())
    if not found or (found[1] == "cpu" and found[2]):
        raise InvalidArgumentError(
            f"set_device(device): expected 'cpu', 'gpu' or 'gpu:n', but received {device!r}."
        )
    kind, number = found[1], int(found[2] or 0)
    if kind == "xpu":
        raise InvalidArgumentError(
            "set_device('xpu'): there are no XPU kernels here; use cpu or gpu."
        )
    if kind == "gpu":
        if number >= device_count():
            raise InvalidArgumentError(
                f"set_device({device!r}): expected a GPU below {device_count()}, "
                "the number of GPUs that can be used here.",
                hint="use paddle.set_device('cpu'), or install a torch with CUDA on a GPU machine",
            )
        _use(CUDAPlace(number))
    else:
        _use(CPU)
    return current_place()


def _use(place: Place) -> None:
    global _current, _current_device
    _current, _current_device = place, to_torch_device(place)
    if place.is_gpu_place():
        torch.cuda.set_device(_current_device)


def get_device() -> str:
    """Returns the current device: ``cpu`` or ``gpu:n``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.get_device().split(":")[0] in ("cpu", "gpu"))  # True
    """
    place = current_place()
    return "cpu" if place.is_cpu_place() else f"gpu:{place.get_device_id()}"


def get_cudnn_version() -> int | None:
    """Returns the version of cuDNN as an integer, or None where there is none.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.get_cudnn_version())
    """
    if device_count() == 0 or not torch.backends.cudnn.is_available():
        return None
    return torch.backends.cudnn.version()


def current_place() -> Place:
    """Returns the current place; at first a GPU where there is one, as in PaddlePaddle."""
    if _current is None:
        _use(CUDAPlace(_local_gpu()) if device_count() else CPU)
    assert _current is not None
    return _current


def _local_gpu() -> int:
    """The GPU that a launcher gave to this process, else the first."""
    chosen = str(flags.get("FLAGS_selected_gpus")).split(",")[0]
    return int(chosen) if chosen.isdigit() and int(chosen) < device_count() else 0


def current_device() -> torch.device:
    """Returns torch's name of the current place."""
    if _current is None:
        current_place()
    return _current_device


def to_torch_device(place: Any) -> torch.device:
    """Returns torch's device for a place or a device string; None means the current one."""
    if place is None:
        return current_device()
    if isinstance(place, str):
        return _device_of_name(place)
    if not isinstance(place, Place):
        raise TypeError(
            "place: expected CPUPlace, CUDAPlace, CUDAPinnedPlace or a device string, "
            f"but received {type(place).__name__}."
        )
    if place.is_gpu_place():
        if device_count() <= place.get_device_id():
            raise PreconditionNotMetError(
                f"{place} was asked for, but {device_count()} GPUs can be used here.",
                hint="use paddle.CPUPlace()",
            )
        return torch.device("cuda", place.get_device_id())
    if place.is_xpu_place():
        raise PreconditionNotMetError(f"{place} was asked for, but there are no XPU kernels here.")
    return torch.device("cpu")


def _device_of_name(name: str) -> torch.device:
    found = re.fullmatch(r"(cpu|gpu)(?::(\d+))?", name.lower().strip())
    if not found or (found[1] == "cpu" and found[2]):
        raise InvalidArgumentError(
            f"place: expected 'cpu', 'gpu' or 'gpu:n', but received {name!r}."
        )
    return to_torch_device(CUDAPlace(int(found[2] or 0)) if found[1] == "gpu" else CPU)


def place_of(buf: torch.Tensor) -> Place:
    """Returns the place of a buffer."""
    if buf.device.type == "cuda":
        return CUDAPlace(buf.device.index or 0)
    if is_compiled_with_cuda() and buf.is_pinned():
        return _PINNED
    return CPU
