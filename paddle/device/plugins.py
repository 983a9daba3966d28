"""Devices by plug-in: one object for each kind of device, brought by packages or by a call.

What a kind of device is stands in a subclass of :class:`Device`, the records that GPUs and XPUs of
the box have too (``paddle/core/backends.py``). A package names it in its entry points::

    [project.entry-points."paddle.devices"]
    npu = "my_package:Npu"

It is imported when somebody asks for a device that is not known yet, or for a list of all.
"""

from __future__ import annotations

import importlib
import re
import warnings
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import torch
from torch._C import _get_privateuse1_backend_name

from paddle.core import backends, flags
from paddle.core.backends import Backend as Device
from paddle.core.errors import AlreadyExistsError, InvalidArgumentError

__all__ = [
    "Device", "get_all_custom_device_type", "get_all_device_type", "get_available_custom_device",
    "get_available_device", "is_compiled_with_custom_device", "is_compiled_with_npu",
    "is_compiled_with_xpu", "register",
]  # fmt: skip

GROUP = "paddle.devices"
_RESERVED = ("cpu", "gpu", "pinned", "meta")
_NOBODY = "privateuseone"  # what torch calls the kind of devices that nobody brought
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def register(device: Any) -> Device:
    """Makes a kind of device known: by its name users choose it, as in ``set_device("npu:0")``.

    Where torch has no fallback for it yet, what it has no kernel for runs on the CPU from now on
    (``FLAGS_device_fallback``).

    Args:
        device (Device): an object of a subclass of ``paddle.device.Device``, or the subclass.

    Returns:
        Device: the object.

    Raises:
        TypeError: it is neither.
        ValueError: it has no name, no torch_type, or a name that nobody could write.
        RuntimeError: there are such devices already.

    Examples:
        .. code-block:: python

            import paddle

            class Npu(paddle.device.Device):
                torch_type = "npu"  # torch knows it as torch.npu

                name, title = "npu", "NPU"

            try:
                paddle.device.register(Npu().name)
            except TypeError as error:
                print("expected a paddle.device.Device" in str(error))  # True
    """
    made = device() if isinstance(device, type) and issubclass(device, Device) else device
    if not isinstance(made, Device):
        raise TypeError(
            "register(device): expected a paddle.device.Device, but received "
            f"{type(made).__name__}."
        )
    _check(made)
    if made.selection is None:
        made.selection = f"FLAGS_selected_{made.name}s"
    flags.declare(made.selection, "0", f"{made.title} this process uses, as a launcher sets it")
    backends.register(made)
    # imported here, as most processes never need it
    importlib.import_module("paddle.device.fallback").install(made)
    return made


def _check(device: Device) -> None:
    """Raises where the names of a kind of device are missing, unusable, or taken."""
    for attribute in ("name", "torch_type"):
        value = getattr(device, attribute, None)
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise InvalidArgumentError(
                f"register(device): expected {type(device).__name__}.{attribute} to be a name of "
                f"small letters and digits, but it is {value!r}."
            )
    if not hasattr(device, "title"):
        device.title = device.name.upper()
    for known in backends.choices().values():
        same = known.name == device.name or known.torch_type == device.torch_type
        if same and known is not device and (known.count() or known is not backends.XPU):
            raise AlreadyExistsError(
                f"register(device): expected a new name and torch_type, but {device.name!r} "
                f"({device.torch_type}) is that of {type(known).__module__}."
                f"{type(known).__name__}, which is {known.name!r} ({known.torch_type})."
            )
    if device.name in _RESERVED or device.torch_type in _RESERVED:
        raise AlreadyExistsError(
            f"register(device): {device.name!r} ({device.torch_type}) is the box's own."
        )


def find() -> None:
    """Registers the devices of all installed packages; one that fails is told and left out.

    Those that a package brought to torch alone are chosen by torch's name.
    """
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            register(_loaded(point))
        except Exception as error:
            warnings.warn(
                f"the devices {point.name!r} of {point.value} cannot be used: "
                f"{type(error).__name__}: {error}",
                stacklevel=2,
            )

    name = _get_privateuse1_backend_name()
    known = {backend.torch_type for backend in backends.choices().values()}
    if name != _NOBODY and name not in known and hasattr(torch, name):
        register(type(name.capitalize(), (Device,), {"torch_type": name, "name": name}))


def _loaded(point: EntryPoint) -> Any:
    """What an entry point names: a Device, its class, or a function that returns one."""
    found = point.load()
    made = found if isinstance(found, Device) or not callable(found) else found()
    if isinstance(made, Device) and made.name != point.name:
        raise InvalidArgumentError(
            f"expected devices named {point.name!r}, as the entry point is, not {made.name!r}."
        )
    return made


backends.look_for_more_by(find)


def _known() -> list[Device]:
    """The kinds of devices that there are kernels for."""
    backends.discover()
    return [b for b in backends.choices().values() if b.host or b.compiled()]


def _brought() -> list[Device]:
    """Those of them that plug-ins brought."""
    return [b for b in _known() if b not in (backends.CPU, backends.CUDA, backends.XPU)]


def get_all_device_type() -> list[str]:
    """Returns the kinds of devices that there are kernels for (2.4 and later).

    Examples:
        .. code-block:: python

            import paddle
            print("cpu" in paddle.device.get_all_device_type())  # True
    """
    return [device.name for device in _known()]


def get_all_custom_device_type() -> list[str]:
    """Returns the kinds of devices that plug-ins brought (2.4 and later).

    Examples:
        .. code-block:: python

            import paddle
            print("cpu" in paddle.device.get_all_custom_device_type())  # False
    """
    return [device.name for device in _brought()]


def get_available_device() -> list[str]:
    """Returns the devices that can be used, as ``set_device`` takes them (2.4 and later).

    Examples:
        .. code-block:: python

            import paddle
            print("cpu" in paddle.device.get_available_device())  # True
    """
    return [device.label(i) for device in _known() for i in range(device.count())]


def get_available_custom_device() -> list[str]:
    """Returns those of them that plug-ins brought (2.4 and later).

    Examples:
        .. code-block:: python

            import paddle
            print("cpu" in paddle.device.get_available_custom_device())  # False
    """
    return [device.label(i) for device in _brought() for i in range(device.count())]


def _has(name: str) -> bool:
    found = backends.named(name)
    return found is not None and found.compiled()


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Says whether a plug-in brought a kind of device (2.5 and later).

    Args:
        device_type (str): its name.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_custom_device("tpu"))  # False
    """
    if not isinstance(device_type, str):
        raise TypeError(
            "is_compiled_with_custom_device(device_type): expected a str, but received "
            f"{type(device_type).__name__}."
        )
    return device_type in get_all_custom_device_type()


def is_compiled_with_xpu() -> bool:
    """Says whether there are kernels for XPUs: of a torch built for them, or of a plug-in.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_xpu() in (True, False))  # True
    """
    return _has("xpu")


def is_compiled_with_npu() -> bool:
    """Says whether there are kernels for NPUs, which a plug-in brings (2.1 and later).

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.device.is_compiled_with_npu() in (True, False))  # True
    """
    return _has("npu")
