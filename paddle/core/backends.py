"""Device backends: one record for each kind of device, with all that differs between them.

Every other file asks a record: :func:`backend_of` a buffer, :func:`backend_for` a place, and
:data:`holds` where a kernel has a faster form on some devices. A new kind of device is a subclass
of :class:`Backend` and a call of :func:`register`. Packages bring such, and are looked at when a
kind is asked for that nobody knows (``paddle/device/plugins.py``).
"""

from __future__ import annotations

import contextlib
import datetime
import importlib
import operator
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from paddle.core import allocator, flags
from paddle.core.errors import PreconditionNotMetError
from paddle.core.place_types import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    NumberedPlace,
    Place,
    XPUPlace,
)


class Backend:
    """One kind of device.

    What stands here fits a device that torch knows by a module of its name (``torch.cuda``,
    ``torch.xpu``), and that no kernel has a form of its own for. A record says what is different.
    """

    # -- names ---------------------------------------------------------------------------------
    torch_type: str  # torch's name of such devices
    name: str  # PaddlePaddle's, as in "gpu:0"; empty: nobody can choose it
    title: str  # what messages call one of them
    place_class: type[NumberedPlace] | None = None  # None: CustomPlace, with the name
    default = False  # whether it is current at first, where there is one
    selection: str | None = None  # the flag by which a launcher says which one a process uses
    advice = "use paddle.set_device('cpu')"  # where one is asked for that is not there

    # -- memory --------------------------------------------------------------------------------
    host = False  # its memory is main memory: values can be read without waiting
    pins = False  # copies to it run beside computation if the source is page-locked
    pinned_place: Place | None = None  # what PaddlePaddle calls memory page-locked for it
    streams = False  # copies can run on a stream of their own
    alignment = 256  # bytes, of tensors that share a buffer

    # -- kernels: facts that `holds` tells of a buffer ------------------------------------------
    tuned_forms = False  # convolutions, pools and products in the forms core/tuning.py measures
    column_softmax = False  # log-softmax of few classes is faster down columns
    fused_attention = False  # ATen's attention for processors
    stepwise_rnn = False  # recurrent layers keep their gates, instead of a library's fused layer
    prefetched_rows = False  # fbgemm fetches scattered rows of a table before they are read
    wide_draws = False  # 64 random bits are drawn at once for several elements
    slow_denormals = False  # arithmetic with denormal numbers takes several times longer
    racing_writes = True  # of several writes to one place any may win
    lacks_16_bits = False  # kernels of linear algebra and the like take no 16-bit numbers
    lu_without_pivots = False
    gels_only = False  # of the drivers of least squares there is this one
    integer_products = False  # ATen's product of matrices of bytes, where oneDNN is not
    float16 = False  # 16-bit arithmetic is fast in float16, else in bfloat16

    # -- devices -------------------------------------------------------------------------------

    @property
    def module(self) -> Any:
        """torch's module for such devices."""
        return getattr(torch, self.torch_type)

    def compiled(self) -> bool:
        """Says whether this build of torch has kernels for it."""
        return True

    def count(self) -> int:
        """Returns how many devices can be used."""
        return self.module.device_count() if self.compiled() else 0

    def device(self, number: int = 0) -> torch.device:
        """Returns torch's name of the device with a number."""
        return torch.device(self.torch_type) if self.host else torch.device(self.torch_type, number)

    def place(self, number: int = 0) -> Place:
        """Returns the place of the device with a number."""
        if self.place_class is None:
            return CustomPlace(self.name, number)
        return self.place_class(number)

    def label(self, number: int = 0) -> str:
        """Returns the name by which ``set_device`` knows the device with a number."""
        return self.name if self.host else f"{self.name}:{number}"

    def selected(self) -> int:
        """Returns the number that a launcher gave to this process, else the first."""
        chosen = str(flags.get(self.selection)).split(",")[0] if self.selection else ""
        return int(chosen) if chosen.isdigit() and int(chosen) < self.count() else 0

    def places(self) -> list[Place]:
        """Returns the places a launcher gave to this process, else all there are."""
        chosen = os.environ.get(self.selection) if self.selection else None
        if not chosen:
            return [self.place(n) for n in range(self.count())]
        numbers = [n.strip() for n in chosen.split(",")]
        if not all(n.isdigit() for n in numbers):
            raise PreconditionNotMetError(
                f"{self.selection}={chosen}: expected numbers with commas between.",
                hint="a launcher sets this variable; without it all are taken",
            )
        return [self.place(int(n)) for n in numbers]

    def use(self, device: torch.device) -> None:
        """Makes a device the one that torch takes where none is named."""
        self.module.set_device(device)

    def configure(self, options: dict[str, Any]) -> None:
        """Takes what a user asks of the devices, such as ``Config.enable_xpu``'s arguments.

        Nothing here: for devices that have use for them.
        """

    # -- random numbers ------------------------------------------------------------------------

    def generator(self, device: torch.device) -> torch.Generator:
        """Makes a source of random numbers that the kernels of a device can draw from."""
        return torch.Generator(device)

    # -- waiting and copying -------------------------------------------------------------------

    def synchronize(self) -> None:
        """Returns when the current device has done all that was asked of it."""
        self.module.synchronize()

    def wait(self, device: torch.device) -> None:
        """Returns when a device has done what it, or its current stream, was asked for."""
        if self.streams:
            self.current_stream(device).synchronize()
        else:
            self.module.synchronize(device)

    def stream(self, device: torch.device) -> Any:
        """Makes a stream: a row of work that runs beside that of other streams."""
        return self.module.Stream(device)

    def on_stream(self, stream: Any) -> contextlib.AbstractContextManager:
        """Inside of a ``with`` block work goes to a stream."""
        return self.module.stream(stream)

    def current_stream(self, device: torch.device) -> Any:
        """Returns the stream that work goes to."""
        return self.module.current_stream(device)

    def record_use(self, buf: torch.Tensor, stream: Any) -> None:
        """Keeps a buffer's memory until a stream has done what it was asked for so far."""
        buf.record_stream(stream)

    def copied(self, buf: torch.Tensor, device: torch.device) -> torch.Tensor:
        """Starts to copy a buffer to a device; the copy may still run on return."""
        if self.pins and backend_of(buf).host:
            return buf.pin_memory().to(device, non_blocking=True)
        return buf.to(device)

    # -- exchanges between processes -----------------------------------------------------------

    def process_group(self, store: Any, rank: int, size: int, seconds: float) -> Any:
        """Connects processes by the devices' own library, each with its current device.

        Args:
            store (Store): where they find each other; for this group alone.
            rank (int): the number of this one.
            size (int): how many there are.
            seconds (float): how long an exchange may take.

        Returns:
            torch.distributed.ProcessGroup: None: there is no such library, and what is exchanged
            is copied to main memory.
        """
        return None

    # -- figures -------------------------------------------------------------------------------

    def memory_allocated(self, device: torch.device) -> int:
        """Returns how many bytes of a device's memory buffers take."""
        return self.module.memory_allocated(device)

    def max_memory_allocated(self, device: torch.device) -> int:
        """Returns how many bytes of a device's memory they took at most."""
        return self.module.max_memory_allocated(device)

    def empty_cache(self) -> None:
        """Gives memory that is kept for new buffers back."""
        self.module.empty_cache()


_MAIN_MEMORY = CPUPlace()


class _Cpu(Backend):
    """Processors of this machine, all of them one device."""

    torch_type, name, title = "cpu", "cpu", "CPU"
    host = True
    alignment = 4096  # a page
    tuned_forms = column_softmax = fused_attention = stepwise_rnn = prefetched_rows = True
    wide_draws = slow_denormals = lacks_16_bits = True
    racing_writes = False

    def count(self) -> int:
        return 1

    def place(self, number: int = 0) -> Place:
        return _MAIN_MEMORY

    def use(self, device: torch.device) -> None:
        """There is but one."""

    def synchronize(self) -> None:
        """Operators return when they are done."""

    def wait(self, device: torch.device) -> None:
        """Operators return when they are done."""

    def memory_allocated(self, device: torch.device) -> int:
        """Returns how many bytes of main memory this process takes."""
        return allocator.resident()

    def max_memory_allocated(self, device: torch.device) -> int:
        return allocator.most_resident()

    def empty_cache(self) -> None:
        allocator.trim()


class _Cuda(Backend):
    """NVIDIA's GPUs, and what torch's builds for other makers show as such."""

    torch_type, name, title, place_class = "cuda", "gpu", "GPU", CUDAPlace
    default = True
    selection = "FLAGS_selected_gpus"
    advice = "use paddle.set_device('cpu'), or install a torch with CUDA on a GPU machine"
    pins = streams = True
    pinned_place = CUDAPinnedPlace()
    lu_without_pivots = gels_only = float16 = integer_products = True

    def compiled(self) -> bool:
        return torch.version.cuda is not None

    def process_group(self, store: Any, rank: int, size: int, seconds: float) -> Any:
        transport: Any = importlib.import_module("torch.distributed")
        options = transport.ProcessGroupNCCL.Options()
        setattr(options, "_timeout", datetime.timedelta(seconds=seconds))
        return transport.ProcessGroupNCCL(store, rank, size, options)


class _Xpu(Backend):
    """Intel's GPUs, which torch calls XPUs; a plug-in may bring XPUs of another maker instead."""

    torch_type, name, title, place_class = "xpu", "xpu", "XPU", XPUPlace
    selection = "FLAGS_selected_xpus"
    streams = True

    def compiled(self) -> bool:
        return getattr(torch.version, "xpu", None) is not None


class _Meta(Backend):
    """Shapes without memory, on which kernels run to tell those of their results."""

    torch_type, name, title = "meta", "", "shape"
    alignment = 4096
    racing_writes = False

    def compiled(self) -> bool:
        return False

    def place(self, number: int = 0) -> Place:
        return _MAIN_MEMORY


CPU, CUDA, XPU = _Cpu(), _Cuda(), _Xpu()
_by_type: dict[str, Backend] = {}
_by_name: dict[str, Backend] = {}
_pinning: list[Backend] = []


class _ByDevice(dict[torch.device, Backend]):
    """Records by device: a look-up costs half of asking a device for its type."""

    def __missing__(self, device: torch.device) -> Backend:
        found = _by_type.get(device.type)
        if found is None:
            discover()
            found = _by_type.get(device.type)
        if found is None:
            raise PreconditionNotMetError(
                f"there is no record of devices like {device}.",
                hint="see paddle.device.register",
            )
        self[device] = found
        return found


_by_device = _ByDevice()


class _Holds:
    """For each fact of :class:`Backend` that is a bool, a function that tells it of a buffer.

    Kernels ask on the way of every call. Where a fact holds for one type of device, asking costs
    what ``buf.is_cpu`` does: the function is that attribute's getter.
    """

    if TYPE_CHECKING:

        def __getattr__(self, fact: str) -> Callable[[torch.Tensor], bool]: ...


holds = _Holds()
_FACTS = [name for name, value in vars(Backend).items() if isinstance(value, bool)]


def register(backend: Backend) -> None:
    """Makes a kind of device known, in place of an earlier record of the same torch_type."""
    _by_type[backend.torch_type] = backend
    if backend.name:
        _by_name[backend.name] = backend
    if backend.pinned_place is not None:
        _by_name.setdefault(backend.pinned_place.kind, CPU)  # main memory, after all
    _by_device.clear()
    _pinning[:] = [b for b in _by_type.values() if b.pins and b.compiled()]
    for fact in _FACTS:
        setattr(holds, fact, _teller(fact))


def _teller(fact: str) -> Callable[[torch.Tensor], bool]:
    kinds = [kind for kind, backend in _by_type.items() if getattr(backend, fact)]
    if not kinds:
        return lambda buf: False
    if len(kinds) == 1 and hasattr(torch.Tensor, f"is_{kinds[0]}"):
        return operator.attrgetter(f"is_{kinds[0]}")
    return lambda buf: getattr(_by_device[buf.device], fact)


for _backend in (CPU, CUDA, _Meta(), *([XPU] if XPU.compiled() else [])):
    register(_backend)

# What looks for devices that packages bring; paddle/device/plugins.py puts it here.
_finder: Callable[[], None] | None = None
_looking = threading.RLock()
_looked = False


def look_for_more_by(finder: Callable[[], None]) -> None:
    """Says what registers the devices that packages bring; it is called when one is missing."""
    global _finder, _looked
    _finder, _looked = finder, False


def discover() -> None:
    """Registers the devices that packages bring, unless that was done before."""
    global _looked
    with _looking:  # who asks meanwhile in another thread waits until all are known
        if _finder is not None and not _looked:
            _looked = True
            _finder()


def named(name: str) -> Backend | None:
    """Returns the record of the devices with a name, as in ``"gpu:0"``; None: there is none.

    Packages that bring devices are looked at where the name is not known.
    """
    if name not in choices():
        discover()
    return choices().get(name)


def told() -> Backend | None:
    """Returns the record of the devices of which a launcher gave this process some."""
    known = {b.selection for b in _by_type.values()}
    if any(key.startswith("FLAGS_selected_") and key not in known for key in os.environ):
        discover()
    chosen = [b for b in choices().values() if b.selection and os.environ.get(b.selection)]
    return next((b for b in chosen if b.count()), None)


def backend_of(buf: torch.Tensor) -> Backend:
    """Returns the record of the device a buffer lives on."""
    return _by_device[buf.device]


def backend_on(device: torch.device) -> Backend:
    """Returns the record of a device."""
    return _by_device[device]


def backend_for(place: Place) -> Backend | None:
    """Returns the record of a place, or None where nothing can run."""
    found = _by_name.get(place.kind)
    return named(place.kind) if found is None else found


def choices() -> dict[str, Backend]:
    """Returns the records of what users can choose, by name."""
    return {b.name: b for b in _by_type.values() if b.name}


def present() -> list[Backend]:
    """Returns the records of the devices that can be used on this machine."""
    return [backend for backend in choices().values() if backend.count()]


def page_locked(buf: torch.Tensor) -> torch.Tensor:
    """A copy of a buffer in page-locked memory, if some device here gains from that, else it."""
    return buf.pin_memory() if any(b.pins for b in present()) else buf


def pinned_place(buf: torch.Tensor) -> Place | None:
    """The place of a buffer in page-locked memory, None where it is in ordinary memory."""
    for backend in _pinning:
        if buf.is_pinned():
            return backend.pinned_place
    return None
