"""A plug-in for practice: XPUs that compute in main memory, with five kernels of their own."""

import functools
import types

import torch
from torch.utils import _pytree, backend_registration

from paddle.device import Device, XPUPlace

ATEN = torch.ops.aten
KERNELS = [ATEN.relu.default, ATEN.add.Tensor, ATEN.mul.Tensor, ATEN.mm.default, ATEN.addmm.default]
SIZES_ALONE = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
LIBRARY = torch.library.Library("aten", "IMPL")  # registers as long as it lives
DRIVER = types.SimpleNamespace(  # becomes torch.kunlun, which Device asks
    is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: 1,
    current_device=lambda: 0, set_device=lambda device: None, manual_seed_all=lambda seed: None,
    synchronize=lambda device=None: None, empty_cache=lambda: None,
    memory_allocated=lambda device=None: 0, max_memory_allocated=lambda device=None: 0,
)  # fmt: skip


def on_device(host):
    """A tensor of the device, over the memory of one of the host; a driver would take its own."""
    memory = host.untyped_storage()
    storage = torch._C._construct_storage_from_data_pointer(
        memory.data_ptr(), torch.device("kunlun:0"), memory.nbytes()
    )
    storage.host = memory  # which lives as long
    made = torch._C._acc.create_empty_tensor((0,), host.dtype)
    form = (host.storage_offset(), host.shape, host.stride())
    return ATEN.set_.source_Storage_storage_offset.redispatch(SIZES_ALONE, made, storage, *form)


def on_host(value):
    """The same the other way round; what is no tensor of the device stays."""
    if not isinstance(value, torch.Tensor) or value.device.type != "kunlun":
        return value
    form = (value.storage_offset(), value.shape, value.stride())
    return torch.empty(0, dtype=value.dtype).set_(value.untyped_storage().host, *form)


def made(make, *sizes, device=None, layout=None, **options):
    return on_device(make(*sizes, **options))


def computed(call, *args, **options):
    return on_device(call(*_pytree.tree_map(on_host, args), **options))


def copied(source, target, non_blocking=False):
    on_host(target).copy_(on_host(source))
    return target


class Kunlun(Device):
    """The devices: torch calls them kunlun:0, users of paddle xpu:0."""

    torch_type, name, title, place_class = "kunlun", "xpu", "XPU", XPUPlace

    def generator(self, device):
        return torch.Generator()  # random numbers are drawn on the host


def devices():
    """What the entry point names: makes torch know the devices, and describes them."""
    setup = backend_registration._setup_privateuseone_for_python_backend
    setup("kunlun", backend_module=DRIVER)
    LIBRARY.impl("empty.memory_format", functools.partial(made, torch.empty), "PrivateUse1")
    LIBRARY.impl("empty_strided", functools.partial(made, torch.empty_strided), "PrivateUse1")
    LIBRARY.impl("_copy_from", copied, "PrivateUse1")
    for call in KERNELS:
        LIBRARY.impl(call, functools.partial(computed, call), "PrivateUse1")
    return Kunlun()
