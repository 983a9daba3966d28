"""What a device has no kernel for is computed on the CPU, one ATen call at a time.

This works below the operators: eager calls, gradients, Programs and optimizers all see it, and
none of them asks anything on the way of a call. torch comes here where its dispatcher finds no
kernel; a device that brings a fallback of its own keeps that.
"""

from __future__ import annotations

import functools
import operator
import os
import warnings
from dataclasses import dataclass
from sys import _getframe
from typing import Any

import torch
from torch._C import (
    DispatchKey,
    DispatchKeySet,
    _dispatch_has_backend_fallback,
    _dispatch_has_kernel_for_dispatch_key,
    _get_privateuse1_backend_name,
)
from torch.utils import _pytree

from paddle.core import flags
from paddle.core.backends import CPU, Backend
from paddle.core.errors import PreconditionNotMetError, UnimplementedError
from paddle.core.random import torch_generator
from paddle.core.user_frame import PACKAGE

# What nothing else can be made of: memory, and copies from and to it.
_ESSENTIAL = ("aten::_copy_from", "aten::empty.memory_format", "aten::empty_strided")
# The kernels of these look at sizes, and make another tensor over the same memory.
_OF_SIZES = DispatchKeySet(DispatchKey.CPU)
_COPY = getattr(torch.ops.aten, _ESSENTIAL[0].removeprefix("aten::")).default
_NEGATIVE = operator.attrgetter("_neg_view")(torch)
_CPU = CPU.device()
_libraries: list[torch.library.Library] = []  # which register as long as they live
_told: set[tuple[str, str]] = set()
# Files between a user's line and a call: ours, torch's, functions that were generated.
_INNER = (PACKAGE, os.path.dirname(torch.__file__) + os.sep, "<")


def install(backend: Backend) -> bool:
    """Has torch compute on the CPU what a kind of devices lacks.

    Args:
        backend (Backend): the devices.

    Returns:
        bool: False: torch has a fallback for them already, or cannot have one.
    """
    key = _dispatch_key(backend)
    if key is None or _dispatch_has_backend_fallback(getattr(DispatchKey, key)):
        return False
    everything, aten = (torch.library.Library(name, "IMPL") for name in ("_", "aten"))
    everything.fallback(functools.partial(on_cpu, backend), key)
    for name, kernel in _CONVOLUTIONS.items():
        if not _has(name, key):
            aten.impl(name, functools.partial(kernel, backend), key)
    for call in _STUBS:
        if not _has(call.name()[len("aten::") :], key):
            aten.impl(call, functools.partial(on_cpu, backend, call), key)
    for call, cell in _RECURRENT.items():
        if not _has(cell, key):
            for one in (key, f"Autograd{key}"):
                aten.impl(call, functools.partial(on_cpu, backend, call), one)
    if not _libraries:
        aten.impl("_copy_from", _copy_conjugate, "Conjugate")
        aten.impl("_copy_from", _copy_negative, "Negative")
    _libraries.extend([everything, aten])
    return True


def _has(name: str, key: str) -> bool:
    return _dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key)


def _dispatch_key(backend: Backend) -> str | None:
    """What torch's dispatcher calls such devices; None where it does not tell them apart."""
    if backend.torch_type == _get_privateuse1_backend_name():
        return "PrivateUse1"
    key = backend.torch_type.upper()
    return key if hasattr(DispatchKey, key) else None


def _copy_conjugate(
    source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False
) -> torch.Tensor:
    """Copies where one is a view as conjugate numbers; torch would look for a copy without end."""
    plain = [t.conj() if t.is_conj() else t for t in (source, target)]
    _COPY(*plain, non_blocking)
    if source.is_conj() != target.is_conj():
        plain[1].conj_physical_()
    return target


def _copy_negative(
    source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False
) -> torch.Tensor:
    """The same where one is a view as negative numbers."""
    plain = [_NEGATIVE(t) if t.is_neg() else t for t in (source, target)]
    _COPY(*plain, non_blocking)
    if source.is_neg() != target.is_neg():
        plain[1].neg_()
    return target


def _convolution(backend: Backend, *args: Any) -> Any:
    return on_cpu(backend, torch.ops.aten.convolution.default, *args)


def _convolution_backward(backend: Backend, dy: torch.Tensor, x: Any, w: Any, *rest: Any) -> Any:
    bias = [dy.shape[1]]
    return on_cpu(backend, torch.ops.aten.convolution_backward.default, dy, x, w, bias, *rest)


# These become calls of a cell that is fused, for which there is no kernel on the CPU.
_RECURRENT = {
    torch.ops.aten.lstm.input: "_thnn_fused_lstm_cell",
    torch.ops.aten.lstm.data: "_thnn_fused_lstm_cell",
    torch.ops.aten.lstm_cell.default: "_thnn_fused_lstm_cell",
    torch.ops.aten.gru.input: "_thnn_fused_gru_cell",
    torch.ops.aten.gru.data: "_thnn_fused_gru_cell",
    torch.ops.aten.gru_cell.default: "_thnn_fused_gru_cell",
}
# These have a kernel for any device, which looks for one of the device only when it runs.
_STUBS = (
    torch.ops.aten.conj_physical_.default, torch.ops.aten.conj_physical.out,
    operator.attrgetter("_conj_physical.default")(torch.ops.aten),
)  # fmt: skip
# Of these torch has kernels for any device, which say that the device is to bring some.
_CONVOLUTIONS = {
    "convolution_overrideable": _convolution,
    "convolution_backward_overrideable": _convolution_backward,
}


def on_cpu(backend: Backend, call: Any, *args: Any, **options: Any) -> Any:
    """Runs an ATen call on copies in main memory, and copies its results back.

    A kernel of a plug-in can call it for what it does not do itself, such as a data type.

    Args:
        backend (Backend): the devices that lack the call.
        call (torch._ops.OpOverload): such as ``torch.ops.aten.tanh.default``.
        *args: its arguments.
        **options: its arguments by name.

    Raises:
        NotImplementedError: ``FLAGS_device_fallback`` is off.
        RuntimeError: it is one of the few calls that every plug-in has to bring.
    """
    if _facts(call).view:  # nothing is computed
        return call.redispatch(_OF_SIZES, *args, **options)
    _check(backend, call)
    _tell(backend, call)
    target = _target(backend, (args, options))
    copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def there(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.device.type == backend.torch_type:
            return copies.setdefault(id(value), (value, value.to(_CPU)))[1]
        if isinstance(value, torch.device):
            return _CPU
        if isinstance(value, torch.Generator) and value.device.type == backend.torch_type:
            return torch_generator(_CPU)
        return value

    moved, named = _pytree.tree_map(there, (_with_tensors(call, args), options))
    result = call(*moved, **named)
    given = {id(copy): value for value, copy in copies.values()}
    for value in _written(call, args, options):
        if id(value) in copies:
            _put(value, copies[id(value)][1])

    def back(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.device != _CPU:
            return value
        found = given.get(id(value))  # what was written in place is returned, too
        return value.to(target) if found is None else found

    return result if target is None else _pytree.tree_map(back, result)


@dataclass
class _Facts:
    """What the schema of a call says.

    Attributes:
        view (bool): a result shares memory with an argument that the call does not write.
        tensors (tuple): positions of the arguments that are single tensors.
        written (tuple): position and name of the arguments that the call writes. Running
            statistics are among them, which some calls write without saying so.
    """

    view: bool
    tensors: tuple[int, ...]
    written: tuple[tuple[int, str], ...]


_schema_of = operator.attrgetter("_schema")


@functools.cache
def _facts(call: Any) -> _Facts:
    schema = _schema_of(call)
    marks = [result.alias_info for result in schema.returns]
    tensors, written = [], []
    for i, argument in enumerate(schema.arguments):
        if str(argument.type) in ("Tensor", "Optional[Tensor]"):
            tensors.append(i)
        marked = argument.alias_info is not None and argument.alias_info.is_write
        if marked or argument.name in ("running_mean", "running_var"):
            written.append((i, argument.name))
    return _Facts(
        any(mark is not None and not mark.is_write for mark in marks),
        tuple(tensors),
        tuple(written),
    )


def _check(backend: Backend, call: Any) -> None:
    """Raises where a call cannot be made on copies, or is not to be."""
    name = call.name()
    if name in _ESSENTIAL:
        raise PreconditionNotMetError(
            f"the plug-in for {backend.name!r} has no kernel for {name}, which no other can stand "
            "in for: it makes or reads memory of the device.",
            hint=f"a plug-in has to bring {', '.join(_ESSENTIAL)}; see docs/devices.md",
        )
    if not flags.get("FLAGS_device_fallback"):
        raise UnimplementedError(
            f"{backend.name!r} has no kernel for {name}.",
            hint="FLAGS_device_fallback=1 computes it on the CPU",
        )


def _tell(backend: Backend, call: Any) -> None:
    """Warns once for each kind of devices and each call."""
    name = call.name().split(".")[0]
    if (backend.name, name) in _told:
        return
    _told.add((backend.name, name))
    operator = _running()
    of = f", which the operator {operator} calls" if operator else ""
    warnings.warn(
        f"{backend.name!r} has no kernel for {name}{of}: it runs on the CPU from now on, with "
        "copies there and back. FLAGS_device_fallback=0 makes this an error.",
        stacklevel=_depth_of_user(),
    )


def _running() -> str | None:
    """The operator of ours that a call is made for, by the name of the code that runs it."""
    frame: Any = _getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<operator "):
            return file[len("<operator ") : -1]
        frame = frame.f_back
    return None


def _depth_of_user() -> int:
    """The ``stacklevel`` of the first line of the user's own, for a warning of the caller."""
    level, frame = 1, _getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INNER):
        level, frame = level + 1, frame.f_back
    return level


def _with_tensors(call: Any, args: tuple) -> tuple:
    """The arguments with tensors where torch handed on plain numbers in their place."""
    places = [i for i in _facts(call).tensors if i < len(args)]
    if not any(isinstance(args[i], (bool, int, float, complex)) for i in places):
        return args
    made = list(args)
    for i in places:
        if isinstance(made[i], (bool, int, float, complex)):
            made[i] = torch.tensor(made[i])
    return tuple(made)


def _written(call: Any, args: tuple, options: dict[str, Any]) -> list[torch.Tensor]:
    found = []
    for position, name in _facts(call).written:
        value = args[position] if position < len(args) else options.get(name)
        found += [v for v in _pytree.tree_leaves(value) if isinstance(v, torch.Tensor)]
    return found


def _put(value: torch.Tensor, copy: torch.Tensor) -> None:
    """Writes what came out into the argument it is for, whose size may be another now."""
    if value.shape == copy.shape:
        value.copy_(copy)
    else:
        value.data = copy.to(value.device)  # other memory, seen by all who hold the tensor


def _target(backend: Backend, given: Any) -> torch.device | None:
    """The device of the results: that of an argument, or the one that is named."""
    for value in _pytree.tree_leaves(given):
        if isinstance(value, torch.device) and value.type == backend.torch_type:
            return value
    for value in _pytree.tree_leaves(given):
        if isinstance(value, torch.Tensor) and value.device.type == backend.torch_type:
            return value.device
    return None
