"""Parts of given size from random places of every instance of a batch."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.random.draws import generator

_NEXT, _PRIME = 16807, 2**31 - 1  # of the generator that SeedOut goes on with


def _shape(x: tuple, shape: list[int]) -> tuple[int, ...]:
    lead = len(x) - len(shape)
    fits = lead >= 0 and all(0 < n <= m or m == -1 for n, m in zip(shape, x[lead:], strict=True))
    if not fits:
        raise InvalidArgumentError(
            f"random_crop(shape): expected sizes within the last ones of X {list(x)}, but received "
            f"{shape}."
        )
    return (*x[:lead], *shape)


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    shape = _shape(inputs[0].shape, [int(n) for n in attrs["shape"]])
    return [Spec(shape, inputs[0].dtype), Spec((1,), VarType.INT64)]


@op("random_crop", "X Seed -> Out SeedOut", infer=_rule, differentiable=False, random=True, lod="X")
def random_crop(x, seed, *, shape=REQUIRED, startup_seed=0):
    """A part of ``shape`` of each instance; the leading dimensions of X number the instances."""
    sizes = [int(n) for n in shape]
    wanted = _shape(tuple(x.shape), sizes)
    if x.is_meta:
        return x.new_empty(wanted), x.new_empty(1, dtype=torch.int64)
    start = int(seed.reshape(-1)[0]) if seed.numel() else startup_seed
    source, lead = generator(torch.device("cpu"), start), x.dim() - len(sizes)
    rows = x.reshape(-1, *x.shape[lead:]) if x.numel() else x.new_zeros(0, *x.shape[lead:])
    out = rows
    for axis, size in enumerate(sizes, 1):
        room = rows.shape[axis] - size + 1
        first = torch.randint(room, (len(rows),), generator=source).to(x.device)
        place = first.unsqueeze(1) + torch.arange(size, device=x.device)
        index = place.reshape(len(rows), *[1] * (axis - 1), size, *[1] * (len(sizes) - axis))
        taken = list(out.shape)
        taken[axis] = size
        out = torch.gather(out, axis, index.expand(taken))
    after = torch.full((1,), start * _NEXT % _PRIME, dtype=torch.int64, device=x.device)
    return out.reshape(wanted), after
