"""The current device, and devices by name: where new tensors go to, and where a tensor lives."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import torch

from paddle.core import backends
from paddle.core.backends import CUDA, Backend, backend_for, backend_of, backend_on
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.place_types import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    Place,
    XPUPlace,
)

__all__ = [
    "CPU", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "Place", "XPUPlace",
    "computing_on",
    "current_backend", "current_device", "current_place", "device_count", "expected_names",
    "get_cudnn_version", "get_device", "is_compiled_with_cuda", "name_of", "named_place",
    "place_of", "set_device", "to_torch_device",
]  # fmt: skip

CPU = CPUPlace()
# What to do where an XPU is asked for.
no_xpu = (
    "install a torch that was built for Intel's XPUs, or a plug-in for others (a package with an "
    "entry point 'paddle.devices', see paddle.device.register); or use paddle.set_device('cpu')"
)
_current: Place | None = None
_current_device: torch.device = backends.CPU.device()


def is_compiled_with_mkldnn() -> bool:
    """Whether there are kernels of oneDNN, which was called MKL-DNN."""
    return torch.backends.mkldnn.is_available()


def is_compiled_with_cuda() -> bool:
    """Says whether the kernels can run on an NVIDIA GPU.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.is_compiled_with_cuda() in (True, False))
    """
    return CUDA.compiled()


def device_count() -> int:
    """Returns the number of GPUs that can be used."""
    return CUDA.count()


def expected_names(number: str = "n") -> str:
    """The names a device can have, as messages list them: ``'cpu', 'gpu' or 'gpu:n'``."""
    forms = []
    for name, backend in backends.choices().items():
        forms += [repr(name)] if backend.host else [repr(name), repr(f"{name}:{number}")]
    return f"{', '.join(forms[:-1])} or {forms[-1]}"


def named_place(name: str) -> Place | None:
    """Returns the place that a name such as ``gpu:0`` means, or None; it may not be there.

    Without a number it is the device that a launcher gave to this process, else the first.
    """
    found = re.fullmatch(r"([a-z][a-z0-9_]*)(?::([0-9]+))?", name.lower().strip())
    backend = backends.named(found[1]) if found else None
    if not found or not backend or (backend.host and found[2]):
        return None
    return backend.place(int(found[2]) if found[2] else backend.selected())


def name_of(place: Place) -> str:
    """Returns the name of a place: ``cpu`` or ``gpu:n``."""
    backend = backend_for(place) or backends.CPU
    return backend.label(place.get_device_id())


def set_device(device: str) -> Place:
    """Sets the device that new tensors and all operators run on.

    Args:
        device (str): ``cpu``, ``gpu`` (the one that a launcher gave to this process, else
            the first) or ``gpu:n``; the same with ``xpu``, or with
            the name of devices that a plug-in brings, see :func:`paddle.device.register`.

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
    place = named_place(device)
    if place is None and re.fullmatch(r"xpu(:\d+)?", device.lower().strip()):
        raise InvalidArgumentError(
            f"set_device({device!r}): expected {expected_names()}; there are no XPU kernels here.",
            hint=no_xpu,
        )
    if place is None:
        raise InvalidArgumentError(
            f"set_device(device): expected {expected_names()}, but received {device!r}.",
            hint="other devices are brought by plug-ins, see paddle.device.register",
        )
    backend = backend_for(place)
    assert backend is not None
    if place.get_device_id() >= backend.count():
        raise InvalidArgumentError(
            f"set_device({device!r}): expected a {backend.title} below {backend.count()}, "
            f"the number of {backend.title}s that can be used here.",
            hint=backend.advice,
        )
    _use(place)
    return current_place()


def _use(place: Place) -> None:
    global _current, _current_device
    _current, _current_device = place, to_torch_device(place)
    backend_on(_current_device).use(_current_device)


@contextlib.contextmanager
def computing_on(device: torch.device) -> Iterator[None]:
    """Inside of a ``with`` block a device is the current one, of all threads."""
    if device == current_device():
        yield
        return
    before = current_place()
    _use(backend_on(device).place(device.index or 0))
    try:
        yield
    finally:
        _use(before)


def get_device() -> str:
    """Returns the current device: ``cpu`` or ``gpu:n``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.get_device().split(":")[0] in ("cpu", "gpu"))  # True
    """
    return name_of(current_place())


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
        first = next((b for b in backends.present() if b.default), backends.CPU)
        _use(first.place(first.selected()))
    assert _current is not None
    return _current


def current_device() -> torch.device:
    """Returns torch's name of the current place."""
    if _current is None:
        current_place()
    return _current_device


def current_backend() -> Backend:
    """Returns the record of the current device."""
    return backend_on(current_device())


def to_torch_device(place: Any) -> torch.device:
    """Returns torch's device for a place or a device string; None means the current one."""
    if place is None:
        return current_device()
    if isinstance(place, str):
        return to_torch_device(_of_name(place))
    if not isinstance(place, Place):
        raise TypeError(
            "place: expected CPUPlace, CUDAPlace, CUDAPinnedPlace or a device string, "
            f"but received {type(place).__name__}."
        )
    backend = backend_for(place)
    if backend is None and place.is_xpu_place():
        raise PreconditionNotMetError(
            f"{place} was asked for, but there are no XPU kernels here.", hint=no_xpu
        )
    if backend is None and place.is_custom_place():
        raise PreconditionNotMetError(
            f"{place} was asked for, but no plug-in brings such devices; there are "
            f"{expected_names()}.",
            hint="see paddle.device.register",
        )
    if backend is None:
        return backends.CPU.device()
    if backend.count() <= place.get_device_id():
        raise PreconditionNotMetError(
            f"{place} was asked for, but {backend.count()} {backend.title}s can be used here.",
            hint="use paddle.CPUPlace()",
        )
    return backend.device(place.get_device_id())


def _of_name(name: str) -> Place:
    place = named_place(name)
    if place is None:
        raise InvalidArgumentError(f"place: expected {expected_names()}, but received {name!r}.")
    return place


def place_of(buf: torch.Tensor) -> Place:
    """Returns the place of a buffer."""
    backend = backend_of(buf)
    if backend.host and (pinned := backends.pinned_place(buf)) is not None:
        return pinned
    return backend.place(buf.device.index or 0)
