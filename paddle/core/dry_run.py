"""A kernel run on shapes alone, without what the first calls on torch's meta device import.

torch computes shapes on its meta device by Python functions, the first of which imports a compiler
(torch._dynamo, sympy ...): a second of processor time, more than a common program takes in all. So
that is left to large and rare cases. Here a kernel gets tensors of the meta device too, but a mode
of the thread catches each ATen call it makes and runs it on zeros in memory, where these are few;
what comes out gives the shape, strides and dtype of the result. Views are made on the meta device
itself, in C++; elementwise functions of large tensors run on empty ones.

Only an answer without an error counts. Whatever is refused here, or too large, is asked again of
the meta device, so that refusals and their words are the same on both ways.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Highly composite, as the stand-ins of the meta device are, but small.
STAND_INS = (60, 120)
# So many numbers are zeroed and worked on at most in one ATen call.
_LIMIT = 1 << 20
_DATA = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)
_OF_ONES = (torch.Tag.pointwise, torch.Tag.nondeterministic_seeded)


class NotTold(Exception):
    """The dry run has no answer; the meta device may have one."""


class ReadsData(NotTold):
    """The kernel looks at values, or they decide the shape of a result."""


def pays() -> bool:
    """Says whether the meta device is still without its imports, so that a dry run is quicker."""
    return "torch._dynamo" not in sys.modules


def run(kernel: Any, buffers: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs a kernel on buffers of the meta device and returns what it returns.

    Args:
        kernel (callable): the kernel.
        buffers (list): a tensor of the meta device, a list of them, or None for each input.
        attrs (dict): the keyword arguments of the kernel.

    Raises:
        NotTold: where only the meta device can tell.
        ReadsData: where no device without data can tell.
    """
    try:
        with torch.no_grad(), _Small():
            return kernel(*buffers, **attrs)
    except NotTold:
        raise
    except Exception as error:
        kind = ReadsData if "meta tensor; no data" in str(error) else NotTold
        raise kind(str(error)) from error


class _Small(TorchDispatchMode):
    """Inside, ATen calls with tensors of the meta device run on zeros in memory."""


def _dispatch(mode: Any, func: Any, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
    kwargs = kwargs or {}
    stand_ins: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # of an argument, by either's id
    device = kwargs.get("device")
    on_meta = device is not None and torch.device(device).type == "meta"
    tensors = _tensors(args) + _tensors(tuple(kwargs.values()))
    if not on_meta and not any(t.is_meta for t in tensors):
        return func(*args, **kwargs)
    if any(tag in func.tags for tag in _DATA):
        raise ReadsData(str(func))
    if func.is_view or func.namespace != "aten" or (device is not None and not on_meta):
        return func(*args, **kwargs)
    if torch.Tag.nondeterministic_seeded in func.tags:
        if _in_place(func):
            return args[0]
        if not any(a.name == "generator" for a in func._schema.arguments):
            if "generator" not in func.overloadpacket.overloads():
                raise NotTold(f"{func} draws from a state")
            func = func.overloadpacket.generator
        kwargs = {**kwargs, "generator": torch.Generator()}
    if sum(t.numel() for t in tensors) > _LIMIT:
        return _of_many(func, args, kwargs, tensors)
    if on_meta:
        kwargs = {**kwargs, "device": "cpu"}
    # An index of 0 is right nearly everywhere, a divisor or a probability of 1.
    fill = int(any(tag in func.tags for tag in _OF_ONES))
    made = func(
        *(_put(a, stand_ins, fill) for a in args),
        **{k: _put(v, stand_ins, fill) for k, v in kwargs.items()},
    )
    return _taken(made, stand_ins)


# Set here: torch wraps a method of the class body in what imports torch._dynamo.
_Small.__torch_dispatch__ = _dispatch  # type: ignore[method-assign]


def _tensors(value: Any) -> list[torch.Tensor]:
    """All tensors among arguments."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for part in value for t in _tensors(part)]
    return []


def _put(value: Any, stand_ins: dict, fill: int) -> Any:
    """The argument with numbers in memory for each tensor of the meta device."""
    if isinstance(value, torch.Tensor):
        if not value.is_meta:
            return value
        if id(value) not in stand_ins:
            pair = (value, _in_memory(value, fill))
            stand_ins[id(value)] = stand_ins[id(pair[1])] = pair
        return stand_ins[id(value)][1]
    if isinstance(value, (list, tuple)):
        return type(value)([_put(part, stand_ins, fill) for part in value])
    return value


def _in_memory(like: torch.Tensor, fill: int) -> torch.Tensor:
    """A tensor of this size, dtype and, where they are not too far apart, strides."""
    size, stride = like.size(), like.stride()
    reach = 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if like.is_contiguous() or reach > _LIMIT:
        return torch.full(size, fill, dtype=like.dtype)
    return torch.full((reach,), fill, dtype=like.dtype).as_strided(size, stride)


def _taken(made: Any, stand_ins: dict) -> Any:
    """The results, back on the meta device; an argument that was written is itself."""
    if isinstance(made, torch.Tensor):
        if id(made) in stand_ins:
            given, memory = stand_ins[id(made)]
            return given if memory.size() == given.size() else given.resize_(memory.size())
        return torch.empty_strided(made.size(), made.stride(), dtype=made.dtype, device="meta")
    if isinstance(made, (list, tuple)):
        return type(made)([_taken(part, stand_ins) for part in made])
    return made


def _in_place(func: Any) -> bool:
    return func._schema.name.endswith("_")


def _of_many(func: Any, args: tuple, kwargs: dict, tensors: list[torch.Tensor]) -> Any:
    """An elementwise function of large tensors: the dtype by empty ones, the shape by broadcast."""
    if torch.Tag.pointwise not in func.tags or "out" in kwargs:
        raise NotTold(f"{func} of many numbers")
    shape = torch.broadcast_tensors(*(torch.empty(()).expand(t.shape) for t in tensors))[0].shape
    if _in_place(func):
        if shape != args[0].shape:
            raise NotTold("a result that does not fit its place")
        return args[0]
    if "device" in kwargs:
        raise NotTold(f"{func} with a device")
    made = func(*(_emptied(a) for a in args), **{k: _emptied(v) for k, v in kwargs.items()})
    if not isinstance(made, torch.Tensor):
        raise NotTold(f"{func} of many numbers")
    return torch.empty(shape, dtype=made.dtype, device="meta")


def _emptied(value: Any) -> Any:
    """A tensor of the same rank and dtype without elements."""
    if isinstance(value, torch.Tensor):
        return torch.zeros((0,) * value.dim(), dtype=value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)([_emptied(part) for part in value])
    return value
