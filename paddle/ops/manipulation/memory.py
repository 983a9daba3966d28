"""Copies between devices, shared and coalesced buffers, seeds."""

from __future__ import annotations

import torch

from paddle.core import backends
from paddle.core.backends import backend_of, page_locked
from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, current_device, to_torch_device
from paddle.ops.manipulation.shape import alias
from paddle.ops.random.draws import generator

_CPU = backends.CPU.device()


@op("share_data", "X -> Out", infer="same", differentiable=False)
def share_data(x):
    return alias(x)


# -- copies -------------------------------------------------------------------------------------


def _copied(x: torch.Tensor, device: torch.device, pinned: bool = False) -> torch.Tensor:
    if x.is_meta:
        return alias(x)
    out = x.to(device, copy=True)
    return page_locked(out) if pinned else out


@op("memcpy", "X -> Out", infer="same")
def memcpy(x, *, dst_place_type):
    if dst_place_type not in (0, 1, 2):
        raise InvalidArgumentError(
            "memcpy: dst_place_type is expected to be 0 (CPU), 1 (CUDA) or 2 (CUDA pinned), but "
            f"received {dst_place_type}."
        )
    if x.is_meta:
        return alias(x)
    place = [CPUPlace(), CUDAPlace(0), CUDAPinnedPlace()][dst_place_type]
    return _copied(x, to_torch_device(place), dst_place_type == 2)


@memcpy.grad("X")
def _(d_out, x):
    return d_out.to(x.device)


@op("memcpy_d2h", "X -> Out", infer="same")
def memcpy_d2h(x, *, dst_place_type):
    """Place types: 0 is main memory, 1 pinned main memory."""
    return _copied(x, _CPU, dst_place_type == 1)


@memcpy_d2h.grad("X")
def _(d_out, x):
    return d_out.to(x.device)


@op("memcpy_h2d", "X -> Out", infer="same")
def memcpy_h2d(x, *, dst_place_type):
    """To the device in use, whatever its kind; type 0 stands for any."""
    return _copied(x, current_device())


@memcpy_h2d.grad("X")
def _(d_out, x):
    return d_out.to(x.device)


# -- one buffer for several tensors -------------------------------------------------------------


def _aligned(count: int, item: int, alignment: int) -> int:
    """Elements that a tensor takes with the unused ones behind it."""
    return -(-count * item // alignment) * alignment // item if alignment else count


def _coalesce_rule(inputs: list, attrs: dict) -> list:
    kind = VarType(attrs["dtype"])
    return [[Spec(x.shape, kind) for x in inputs[0]], Spec((-1,), kind)]


@op("coalesce_tensor", "Input* -> Output* FusedOutput", infer=_coalesce_rule, differentiable=False)
def coalesce_tensor(
    parts, *, dtype, copy_data=False, set_constant=False, constant=0.0, use_align=True,
    align_size=-1
):  # fmt: skip
    kind = torch_dtype(dtype)
    default = backend_of(parts[0]).alignment
    alignment = (align_size if align_size > 0 else default) if use_align else 0
    sizes = [_aligned(x.numel(), kind.itemsize, alignment) for x in parts]
    fused = torch.full(
        [sum(sizes)], constant if set_constant else 0, dtype=kind, device=parts[0].device
    )
    pieces = torch.split(fused, sizes)
    out = [piece[: x.numel()].view(x.shape) for piece, x in zip(pieces, parts, strict=True)]
    if copy_data and not set_constant:
        torch._foreach_copy_(out, parts)
    return out, fused


# -- seeds --------------------------------------------------------------------------------------


@op(
    "seed",
    "-> Out",
    differentiable=False,
    infer=lambda i, a: [Spec((1,), VarType.INT32)],
    random=True,
)
def seed(*, seed=0):
    """In main memory, where the operators that take it read the number."""
    if seed:
        return torch.tensor([seed], dtype=torch.int32, device=_CPU)
    source = generator(_CPU)
    return torch.randint(1, 2**31 - 1, [1], generator=source, device=_CPU).to(torch.int32)
