"""A plug-in for practice: XPUs that compute in main memory, with five kernels of their own."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import torch
from torch.utils._pytree import tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from paddle.device import Device, XPUPlace

ATEN = torch.ops.aten
SIZES = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)  # kernels that read no memory
VIEWS = [ATEN.as_strided.default, ATEN.view.default, ATEN._reshape_alias.default]
KERNELS = [ATEN.relu.default, ATEN.add.Tensor, ATEN.mul.Tensor, ATEN.mm.default, ATEN.addmm.default]
LIBRARY = torch.library.Library("aten", "IMPL")  # registers as long as it lives

# What torch and Device ask of the module of a device, torch.kunlun.
is_available = is_initialized = lambda: True
device_count, current_device = lambda: 1, lambda: 0
set_device = synchronize = manual_seed_all = lambda which=None: None
memory_allocated = max_memory_allocated = lambda device=None: 0
empty_cache = lambda: None


def on_device(host: torch.Tensor) -> torch.Tensor:
    """A tensor of the device, whose memory is that of a tensor of the host."""
    memory = host.untyped_storage()
    make = torch._C._construct_storage_from_data_pointer
    storage = make(memory.data_ptr(), torch.device("kunlun:0"), memory.nbytes())
    storage.host = memory  # which lives as long
    made = torch._C._acc.create_empty_tensor((0,), host.dtype)
    place = (storage, host.storage_offset(), host.shape, host.stride())
    return ATEN.set_.source_Storage_storage_offset.redispatch(SIZES, made, *place)


def on_host(value: Any) -> Any:
    """The tensor of the host with the memory of a tensor of the device."""
    if not isinstance(value, torch.Tensor) or value.device.type != "kunlun":
        return value
    memory, made = value.untyped_storage().host, torch.empty(0, dtype=value.dtype)
    return made.set_(memory, value.storage_offset(), value.shape, value.stride())


def made(make: Any, *sizes: Any, device: Any = None, layout: Any = None, **rest: Any) -> Any:
    return on_device(make(*sizes, **rest))


def computed(call: Any, *args: Any, **rest: Any) -> torch.Tensor:
    return on_device(call(*tree_map(on_host, args), **rest))


def copied(source: torch.Tensor, target: torch.Tensor, blocking: bool = True) -> torch.Tensor:
    on_host(target).copy_(on_host(source))
    return target


class Kunlun(Device):
    """The devices, as paddle sees them: torch calls them kunlun:0, users xpu:0."""

    torch_type, name, title, place_class = "kunlun", "xpu", "XPU", XPUPlace

    def generator(self, device: torch.device) -> torch.Generator:
        return torch.Generator()  # random numbers are drawn on the host


def devices() -> Device:
    """What the entry point names: makes torch know the devices, and describes them."""
    _setup_privateuseone_for_python_backend("kunlun", backend_module=sys.modules[__name__])
    memory = {
        ATEN.empty.memory_format: partial(made, torch.empty),
        ATEN.empty_strided.default: partial(made, torch.empty_strided),
        ATEN._copy_from.default: copied,
    }
    views = {call: partial(call.redispatch, SIZES) for call in VIEWS}
    for call, kernel in {**memory, **views, **{c: partial(computed, c) for c in KERNELS}}.items():
        LIBRARY.impl(call, kernel, "PrivateUse1")
    return Kunlun()
