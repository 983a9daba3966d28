"""Bessel and polygamma functions, nextafter, nanmedian, renorm and logspace."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec, broadcast_shapes, in_range
from paddle.core.op import define, op
from paddle.core.place import current_device
from paddle.ops.math.half import in_float32

# -- Bessel functions, derivatives of the gamma function, neighbours ------------------------------


i0 = define("i0", "x -> out", torch.special.i0, infer="same", dtypes="full")
i0e = define("i0e", "x -> out", torch.special.i0e, infer="same", dtypes="full")
i1 = define("i1", "x -> out", torch.special.i1, infer="same", dtypes="full")
i1e = define("i1e", "x -> out", torch.special.i1e, infer="same", dtypes="full")


@op("polygamma", "x -> out", infer="same", dtypes="full")
def polygamma(x, *, n):
    """The derivative of order n + 1 of the logarithm of the gamma function."""
    if n < 0:
        raise InvalidArgumentError(
            f"polygamma: n is expected not to be negative, but received {n}."
        )
    return torch.polygamma(n, x)


@op("nextafter", "x y -> out", differentiable=False, dtypes="full",
    infer=lambda i, a: [Spec(broadcast_shapes(i[0].shape, i[1].shape), i[0].dtype)])  # fmt: skip
def nextafter(x, y):
    """The next number behind x in the direction of y."""
    if y.dtype is not x.dtype:
        raise InvalidTypeError(
            "nextafter: no kernel for these data types: expected x and y of one data type, but "
            f"received {str(x.dtype)[6:]} and {str(y.dtype)[6:]}."
        )
    return torch.nextafter(x, y)


# -- medians and norms ----------------------------------------------------------------------------


def _median_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, keep = inputs[0], attrs["keepdim"]
    axes = {in_range(a, len(x.shape)) for a in attrs["axis"]} or set(range(len(x.shape)))
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes]
    return [Spec(tuple(shape) or (1,), x.dtype)]


@op("nanmedian", "X -> Out", infer=_median_rule, dtypes="numbers, not complex")
def nanmedian(x, *, axis=(), keepdim=True):
    """The middle value, or the mean of the two middle ones, of those that are numbers."""
    axes = sorted({in_range(a, x.dim()) for a in axis} or range(x.dim()))
    rest = [i for i in range(x.dim()) if i not in axes]
    values = x.permute([*rest, *axes]).flatten(len(rest))
    if not values.shape[-1]:
        if not x.dtype.is_floating_point:
            raise InvalidArgumentError(
                f"nanmedian: expected at least one element along axes {axes}, but received shape "
                f"{list(x.shape)}."
            )
        values = torch.nn.functional.pad(values, (0, 1), value=float("nan"))
    ordered = torch.sort(values, dim=-1, stable=True).values  # those that are no numbers come last
    count = torch.logical_not(torch.isnan(values)).sum(-1, keepdim=True)
    low = torch.gather(ordered, -1, torch.div(count - 1, 2, rounding_mode="floor").clamp(min=0))
    high = torch.gather(ordered, -1, torch.div(count, 2, rounding_mode="floor").clamp(
        max=values.shape[-1] - 1))  # fmt: skip
    if x.dtype.is_floating_point:
        middle = torch.where(torch.eq(count % 2, 1), low, (low + high) / 2)
    else:
        middle = torch.div(low + high, 2, rounding_mode="trunc")
    sizes = [1 if i in axes else n for i, n in enumerate(x.shape)]
    return middle.reshape(sizes if keepdim else [x.shape[i] for i in rest])


_renorm = in_float32(lambda x, p, axis, most: torch.renorm(x, p, axis, most), anywhere=True)


@op("renorm", "X -> Out", infer="same", dtypes="floats")
def renorm(x, *, p, axis, max_norm):
    """Shrinks the parts along ``axis`` whose p-norm is larger than ``max_norm`` to that."""
    place = in_range(axis, x.dim())
    if p <= 0 or max_norm < 0:
        raise InvalidArgumentError(
            "renorm: p is expected to be positive and max_norm not to be negative, but received "
            f"{p} and {max_norm}."
        )
    if x.dim() < 2:
        raise InvalidArgumentError(
            f"renorm: expected X of at least 2 dimensions, but received shape {list(x.shape)}."
        )
    return _renorm(x, p, place, max_norm)


# -- numbers spaced by powers ---------------------------------------------------------------------


@op("logspace", "Start Stop Num Base -> Out", differentiable=False,
    infer=lambda i, a: [Spec((-1,), VarType(a["dtype"]))])  # fmt: skip
def logspace(start, stop, num, base, *, dtype):
    """``num`` powers of ``base``, whose exponents go from ``start`` to ``stop`` in equal steps."""
    count = int(num)
    if count < 1:
        raise InvalidArgumentError(
            f"logspace: Num is expected to be positive, but received {count}."
        )
    kind = torch_dtype(dtype)
    first, last, root = (value.to(kind).item() for value in (start, stop, base))
    work = torch.float32 if kind is torch.float32 else torch.float64
    line = torch.linspace(first, last, count, dtype=work, device=current_device())
    return torch.pow(root, line).to(kind)
