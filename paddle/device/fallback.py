"""What a device has no kernel for is computed on the CPU, one ATen call at a time.

This works below the operators: eager calls, gradients, Programs and optimizers all see it, and
none of them asks anything on the way of a call. torch comes here where its dispatcher finds no
kernel; a device that brings a fallback of its own keeps that.
"""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

import torch
from torch.utils import _pytree

from paddle.core import flags
from paddle.core.backends import CPU, Backend
from paddle.core.errors import PreconditionNotMetError, UnimplementedError
from paddle.core.random import torch_generator

# What nothing else can be made of: memory, and copies from and to it.
_ESSENTIAL = frozenset({
    "aten::_copy_from", "aten::_copy_from_and_resize", "aten::empty.memory_format",
    "aten::empty_strided", "aten::resize_", "aten::set_.source_Storage_storage_offset",
})  # fmt: skip
_CPU = CPU.device()
_libraries: list[torch.library.Library] = []  # which register as long as they live
_told: set[tuple[str, str]] = set()


def install(backend: Backend) -> bool:
    """Has torch compute on the CPU what a kind of devices lacks.

    Args:
        backend (Backend): the devices.

    Returns:
        bool: False: torch has a fallback for them already, or cannot have one.
    """
    key = _dispatch_key(backend)
    if key is None or torch._C._dispatch_has_backend_fallback(getattr(torch._C.DispatchKey, key)):
        return False
    library = torch.library.Library("_", "IMPL")
    library.fallback(functools.partial(on_cpu, backend), key)
    _libraries.append(library)
    return True


def _dispatch_key(backend: Backend) -> str | None:
    """What torch's dispatcher calls such devices; None where it does not tell them apart."""
    if backend.torch_type == torch._C._get_privateuse1_backend_name():
        return "PrivateUse1"
    key = backend.torch_type.upper()
    return key if hasattr(torch._C.DispatchKey, key) else None


def on_cpu(backend: Backend, call: Any, *args: Any, **options: Any) -> Any:
    """Runs an ATen call on copies in main memory, and copies its results back.

    A kernel of a plug-in can call it for what it does not do itself, such as a data type.

    Args:
        backend (Backend): the devices that lack the call.
        call (torch._ops.OpOverload): such as ``torch.ops.aten.tanh.default``.
        *args: its arguments.
        **options: its arguments by name.

    Raises:
        NotImplementedError: ``FLAGS_device_fallback`` is off, or the call has to see the memory of
            its arguments, as a view does.
    """
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

    moved, named = _pytree.tree_map(there, (args, options))
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


def _check(backend: Backend, call: Any) -> None:
    """Raises where a call cannot be made on copies, or is not to be."""
    name = call._schema.name + (f".{call._overloadname}" if call._overloadname != "default" else "")
    if name in _ESSENTIAL or _is_view(call):
        raise PreconditionNotMetError(
            f"the plug-in for {backend.name!r} has no kernel for {name}, which cannot be computed "
            "on the CPU: it makes or sees memory of the device.",
            hint="docs/devices.md lists what a plug-in has to bring",
        )
    if not flags.get("FLAGS_device_fallback"):
        raise UnimplementedError(
            f"{backend.name!r} has no kernel for {name}.",
            hint="FLAGS_device_fallback=1 computes it on the CPU",
        )


def _tell(backend: Backend, call: Any) -> None:
    """Warns once for each kind of devices and each call."""
    name = call._schema.name
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
    frame: Any = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<operator "):
            return file[len("<operator ") : -1]
        frame = frame.f_back
    return None


def _depth_of_user() -> int:
    """How many callers up the first line of the user's own is, for a warning of the caller."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_inner(frame.f_globals.get("__name__", "")):
        depth, frame = depth + 1, frame.f_back
    return depth


def _is_inner(module: str) -> bool:
    return module.split(".")[0] in ("paddle", "torch", "functools", "contextlib")


@functools.cache
def _is_view(call: Any) -> bool:
    """Whether a result is to share memory with an argument that the call does not write."""
    marks = [r.alias_info for r in call._schema.returns]
    return any(mark is not None and not mark.is_write for mark in marks)


@functools.cache
def _written_places(call: Any) -> tuple[tuple[int, str, bool], ...]:
    """Position and name of the arguments that a call writes."""
    return tuple(
        (i, a.name, a.kwarg_only)
        for i, a in enumerate(call._schema.arguments)
        if a.alias_info is not None and a.alias_info.is_write
    )


def _written(call: Any, args: tuple, options: dict[str, Any]) -> list[torch.Tensor]:
    found = []
    for position, name, by_name in _written_places(call):
        value = args[position] if not by_name and position < len(args) else options.get(name)
        found += [v for v in _pytree.tree_leaves(value) if isinstance(v, torch.Tensor)]
    return found


def _put(value: torch.Tensor, copy: torch.Tensor) -> None:
    """Writes what came out into the argument it is for, whose size may be another now."""
    if value.shape != copy.shape:
        value.resize_(copy.shape)
    value.copy_(copy)


def _target(backend: Backend, given: Any) -> torch.device | None:
    """The device of the results: that of an argument, or the one that is named."""
    for value in _pytree.tree_leaves(given):
        if isinstance(value, torch.device) and value.type == backend.torch_type:
            return value
    for value in _pytree.tree_leaves(given):
        if isinstance(value, torch.Tensor) and value.device.type == backend.torch_type:
            return value.device
    return None


