"""A pretend device: torch's spare device type with buffers in main memory, and its record.

torch lets Python implement one device type. Its buffers are `Buffer` here: each has an ordinary
tensor, on which every ATen call runs. For all others it is a device of its own: no kernel for
processors takes its buffers, and nothing reads them without copying.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import torch
from torch.utils import _pytree
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from paddle.core.backends import Backend, register
from paddle.core.place_types import NumberedPlace


class Buffer(torch.Tensor):
    """A buffer of the pretend device."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    raw: torch.Tensor


def _wrapped(raw: torch.Tensor) -> torch.Tensor:
    made = torch._C._acc.create_empty_tensor(raw.shape, raw.dtype)
    made.__class__ = Buffer
    made.raw = raw
    return made


def _raw(value: Any) -> Any:
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return value.raw if isinstance(value, Buffer) else value


def _run(call: Any, *args: Any, **options: Any) -> Any:
    """Runs any ATen call on the tensors behind the buffers."""
    raw, named = _pytree.tree_map(_raw, (args, options))
    if call is torch.ops.aten._copy_from.default:  # between devices, to its second argument
        raw[1].copy_(raw[0])
        return args[1]
    given = {id(b.raw): b for b in _pytree.tree_leaves((args, options)) if isinstance(b, Buffer)}

    def back(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return given[id(value)] if id(value) in given else _wrapped(value)

    result = call(*raw, **named)
    Pretend.calls += 1
    for buffer in given.values():  # which have another size after unsqueeze_, or as an out=
        if buffer.shape != buffer.raw.shape:
            buffer.data = _wrapped(buffer.raw)
    return _pytree.tree_map(back, result)


def _convolution(*args: Any) -> Any:
    return _run(torch.ops.aten.convolution.default, *args)


def _convolution_backward(dy: Any, x: Any, w: Any, *rest: Any) -> Any:
    sizes = [dy.shape[1]]  # of the bias
    return _run(torch.ops.aten.convolution_backward.default, dy, x, w, sizes, *rest)


# What torch does alike for all devices, with the handle alone.
_SHARED = ["detach", "alias", "as_strided_"]


class PretendPlace(NumberedPlace):
    """The place of the pretend device."""

    kind = "pretend"


class Event:
    """Something that happened on a stream."""


class Stream:
    """A stream that notes what it is asked for."""

    def record_event(self) -> Event:
        Pretend.log.append("record_event")
        return Event()

    def wait_event(self, event: Event) -> None:
        assert isinstance(event, Event)
        Pretend.log.append("wait_event")

    def synchronize(self) -> None:
        Pretend.log.append("stream synchronize")


class Pretend(Backend):
    """One device that computes in main memory."""

    torch_type, name, title, place_class = "pretend", "pretend", "pretender", PretendPlace
    streams = True
    log: list[str] = []
    calls = 0
    libraries: list[torch.library.Library] = []  # which registers as long as it lives

    def count(self) -> int:
        return 1

    def use(self, device: torch.device) -> None:
        self.log.append(f"use {device}")

    def generator(self, device: torch.device) -> torch.Generator:
        return torch.Generator()

    def synchronize(self) -> None:
        self.log.append("synchronize")

    def stream(self, device: torch.device) -> Stream:
        return Stream()

    def on_stream(self, stream: Stream) -> contextlib.AbstractContextManager:
        self.log.append("on_stream")
        return contextlib.nullcontext()

    def current_stream(self, device: torch.device) -> Stream:
        return Stream()

    def record_use(self, buf: torch.Tensor, stream: Stream) -> None:
        assert isinstance(buf, Buffer)
        self.log.append("record_use")

    def memory_allocated(self, device: torch.device) -> int:
        return 1 << 20

    def max_memory_allocated(self, device: torch.device) -> int:
        return 1 << 21

    def empty_cache(self) -> None:
        self.log.append("empty_cache")


def install() -> Pretend:
    """Makes torch and paddle know the device."""
    _setup_privateuseone_for_python_backend("pretend")
    everything = torch.library.Library("_", "IMPL")
    everything.fallback(_run, "PrivateUse1")
    aten = torch.library.Library("aten", "IMPL")
    aten.impl("convolution_overrideable", _convolution, "PrivateUse1")
    aten.impl("convolution_backward_overrideable", _convolution_backward, "PrivateUse1")
    for name in _SHARED:
        call = getattr(torch.ops.aten, name).default
        aten.impl(name, functools.partial(_run, call), "PrivateUse1")
    Pretend.libraries = [everything, aten]
    made = Pretend()
    register(made)
    return made
