"""Pools by maximum and by mean, over windows or adapted to an output size."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import torch

from paddle.core.derive import vjp
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, of_dimensions
from paddle.core.op import op
from paddle.ops.math.half import in_float32
from paddle.ops.nn import fast_pool
from paddle.ops.nn.window import (
    check_counts,
    check_positive,
    is_channel_last,
    resolve_padding,
    shape_of,
    spatial_of,
    to_channel_first,
    to_channel_last,
    torch_pad,
)

_nn = torch._C._nn
_AVG = {2: _nn.avg_pool2d, 3: in_float32(_nn.avg_pool3d)}
_ADAPTIVE_AVG = {2: _nn.adaptive_avg_pool2d, 3: _nn.adaptive_avg_pool3d}
_ADAPTIVE_MAX = {2: _nn.adaptive_max_pool2d, 3: _nn.adaptive_max_pool3d}
_AVG_BACKWARD: dict[int, Any] = {
    2: torch.ops.aten.avg_pool2d_backward,
    3: in_float32(torch.ops.aten.avg_pool3d_backward),
}


def _count(n: int, kernel: int, before: int, after: int, stride: int, ceil: bool) -> int:
    """Number of windows over ``n`` elements; -1 for an unknown ``n``.

    A window that does not fit is cut off where less than a stride is missing: PaddlePaddle divides
    towards zero, and networks such as GoogLeNet count on that.
    """
    if n == -1:
        return -1
    room = n + before + after - kernel + (stride - 1 if ceil else 0)
    return (room // stride if room >= 0 or n == 0 else -(-room // stride)) + 1


class Windows:
    """The windows of one call: kernel, strides, padding on both sides, number of windows.

    Attributes:
        even: ATen's own arithmetic of sizes gives the same windows.
        behind: padding behind so that the last window is complete.
    """

    __slots__ = ("after", "before", "behind", "counts", "even", "kernel", "sizes", "strides")

    def __init__(self, sizes, ksize, strides, paddings, ceil_mode, global_pooling, algorithm):
        rank = len(sizes)
        if global_pooling:
            ksize, strides, paddings, algorithm = list(sizes), [1] * rank, [0] * rank, "EXPLICIT"
        check_positive("ksize", ksize, rank)
        check_positive("strides", strides, rank)
        self.sizes, self.kernel, self.strides = sizes, list(ksize), list(strides)
        self.before, self.after = resolve_padding(paddings, algorithm, sizes, ksize, strides)
        self.counts = [
            _count(n, k, b, a, s, ceil_mode)
            for n, k, b, a, s in zip(sizes, ksize, self.before, self.after, strides)
        ]
        check_counts(self.counts, ksize, sizes, self.before, self.after)
        self.behind = [
            max((c - 1) * s + k - n - b, 0)
            for c, s, k, n, b in zip(self.counts, strides, ksize, sizes, self.before)
        ]
        self.even = self.before == self.after and all(
            2 * b <= k and (n + 2 * b - k) // s + 1 == c
            for n, k, b, s, c in zip(sizes, ksize, self.before, strides, self.counts)
        )

    def padding(self) -> list[int]:
        """What ATen has to pad with so that every window is complete."""
        return torch_pad(self.before, self.behind)

    def elements(self, like: torch.Tensor, exclusive: bool) -> torch.Tensor:
        """Number of elements each window's mean is taken over, shaped to broadcast."""
        total: Any = None
        for axis, n in enumerate(self.sizes):
            starts = [i * self.strides[axis] - self.before[axis] for i in range(self.counts[axis])]
            high = n if exclusive else n + self.after[axis]
            low = 0 if exclusive else -self.before[axis]
            counts = [max(min(s + self.kernel[axis], high) - max(s, low), 0) for s in starts]
            shape = [1] * len(self.sizes)
            shape[axis] = len(counts)
            part = torch.tensor(counts, dtype=like.dtype, device=like.device).reshape(shape)
            total = part if total is None else total * part
        return total


@lru_cache(maxsize=1024)
def _cached_windows(*args) -> Windows:
    return Windows(*args)


def _windows(sizes, ksize, strides, paddings, ceil_mode, global_pooling, algorithm) -> Windows:
    """Returns the windows of a call; a network asks for the same few again and again."""
    return _cached_windows(
        tuple(sizes), tuple(ksize), tuple(strides), tuple(paddings), ceil_mode, global_pooling,
        algorithm,
    )  # fmt: skip


def _lowest(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).min if dtype.is_floating_point else torch.iinfo(dtype).min


def _max(x: torch.Tensor, win: Windows) -> torch.Tensor:
    """Maximum over windows."""
    if not x.numel():
        return x.new_full([*x.shape[:2], *win.counts], _lowest(x.dtype))
    padding = win.before
    if not win.even:
        x = torch.constant_pad_nd(x, win.padding(), _lowest(x.dtype))
        padding = [0] * len(padding)
    if len(padding) == 3:
        return _nn.max_pool3d_with_indices(x, win.kernel, win.strides, padding)[0]
    return fast_pool.largest(x, win.kernel, win.strides, padding, padding)


def _mean(x: torch.Tensor, win: Windows, exclusive: bool) -> torch.Tensor:
    """Mean over windows; windows at the border count the padding unless ``exclusive``."""
    pool = _AVG[len(win.kernel)]
    if win.even:
        return pool(x, win.kernel, win.strides, win.before, False, not exclusive)
    padded = torch.constant_pad_nd(x, win.padding())
    sums = pool(padded, win.kernel, win.strides, 0, False, True, 1)
    if sums.is_meta:  # only the shape is wanted, and there may be more windows than memory
        return sums
    return torch.div(sums, win.elements(x, exclusive))


def _pool(
    x, rank, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
    global_pooling, adaptive, padding_algorithm,
):  # fmt: skip
    """The kernel of pool2d and pool3d."""
    if pooling_type not in ("max", "avg"):
        raise InvalidArgumentError(
            f"expected pooling_type to be 'max' or 'avg', but received {pooling_type!r}."
        )
    last = is_channel_last(data_format)
    _check_rank(x, rank)
    if last:
        x = to_channel_first(x)
    if adaptive and not global_pooling:
        if pooling_type == "max":
            out = _ADAPTIVE_MAX[rank](x, list(ksize))[0]
        else:
            out = _ADAPTIVE_AVG[rank](x, list(ksize))
    else:
        win = _windows(
            x.shape[2:], ksize, strides, paddings, ceil_mode, global_pooling, padding_algorithm
        )
        out = _max(x, win) if pooling_type == "max" else _mean(x, win, exclusive)
    return to_channel_last(out) if last else out


def _check_rank(x: torch.Tensor, rank: int) -> None:
    if x.dim() != rank + 2:
        raise InvalidArgumentError(
            f"expected X of {rank + 2} dimensions, but received shape {list(x.shape)}."
        )


def _fast_gradient(
    dy, x, out, rank, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
    global_pooling, adaptive, padding_algorithm,
):  # fmt: skip
    """Gradient by ATen's backward kernels, or None where the padding or layout is unusual."""
    if adaptive and not global_pooling:
        return None
    last = is_channel_last(data_format)
    if last:
        x, dy, out = to_channel_first(x), to_channel_first(dy), to_channel_first(out)
    win = _windows(
        x.shape[2:], ksize, strides, paddings, ceil_mode, global_pooling, padding_algorithm
    )
    if not win.even or (rank == 3 and pooling_type == "max"):
        return None
    if pooling_type == "avg":
        dx = _AVG_BACKWARD[rank](
            dy, x, win.kernel, win.strides, win.before, False, not exclusive, None
        )
    else:
        dx = fast_pool.largest_backward(dy, x, out, win.kernel, win.strides, win.before, win.after)
    return to_channel_last(dx) if last else dx


@of_dimensions
def _infer(rank, inputs, attrs):
    x = inputs[0]
    last = is_channel_last(attrs["data_format"])
    sizes = spatial_of(x.shape, last)
    channels = x.shape[-1] if last else x.shape[1]
    return [shape_of(x, channels, _spatial(rank, sizes, attrs), last)]


def _spatial(rank, sizes, attrs):
    """Spatial sizes of a pool's result, -1 where unknown."""
    if attrs["global_pooling"]:
        return [1] * rank
    if attrs["adaptive"]:
        return list(attrs["ksize"])
    algorithm = attrs.get("padding_algorithm", "EXPLICIT")
    if algorithm == "SAME":
        return [-1 if n == -1 else -(-n // s) for n, s in zip(sizes, attrs["strides"])]
    before, after = resolve_padding(
        attrs["paddings"], algorithm, sizes, attrs["ksize"], attrs["strides"]
    )
    counts = [
        _count(n, k, b, a, s, attrs.get("ceil_mode", False))
        for n, k, b, a, s in zip(sizes, attrs["ksize"], before, after, attrs["strides"])
    ]
    check_counts(counts, attrs["ksize"], sizes, before, after)
    return counts


@op("pool2d", "X -> Out", lod="X", infer=partial(_infer, 2), dtypes="floats")
def pool2d(
    x, *, ksize, strides=(1, 1), paddings=(0, 0), ceil_mode=False, exclusive=True,
    data_format="NCHW", pooling_type="", global_pooling=False, adaptive=False,
    padding_algorithm="EXPLICIT",
):  # fmt: skip
    return _pool(
        x, 2, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
        global_pooling, adaptive, padding_algorithm,
    )  # fmt: skip


@op("pool3d", "X -> Out", infer=partial(_infer, 3), dtypes="floats")
def pool3d(
    x, *, ksize, strides=(1, 1, 1), paddings=(0, 0, 0), ceil_mode=False, exclusive=True,
    data_format="NCDHW", pooling_type="", global_pooling=False, adaptive=False,
    padding_algorithm="EXPLICIT",
):  # fmt: skip
    return _pool(
        x, 3, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
        global_pooling, adaptive, padding_algorithm,
    )  # fmt: skip


def _gradient(operator, rank, dy, x, out, attrs):
    if not dy.numel():
        return torch.zeros_like(x)
    found = _fast_gradient(dy, x, out, rank, **attrs)
    return vjp(operator, [x], [dy], attrs, (True,)) if found is None else found


def _largest_alone(inputs: dict[str, list], attrs: dict) -> str:
    """Averages are spread by a view."""
    return "X" if attrs["pooling_type"] == "max" else ""


@pool2d.grad("X Out", no_alias=_largest_alone)
def _(
    dy, x, out, *, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
    global_pooling, adaptive, padding_algorithm,
):  # fmt: skip
    return _gradient(pool2d, 2, dy, x, out, {
        "ksize": ksize, "strides": strides, "paddings": paddings, "ceil_mode": ceil_mode,
        "exclusive": exclusive, "data_format": data_format, "pooling_type": pooling_type,
        "global_pooling": global_pooling,
        "adaptive": adaptive, "padding_algorithm": padding_algorithm,
    })  # fmt: skip


@pool3d.grad("X Out")
def _(
    dy, x, out, *, ksize, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
    global_pooling, adaptive, padding_algorithm,
):  # fmt: skip
    return _gradient(pool3d, 3, dy, x, out, {
        "ksize": ksize, "strides": strides, "paddings": paddings, "ceil_mode": ceil_mode,
        "exclusive": exclusive, "data_format": data_format, "pooling_type": pooling_type,
        "global_pooling": global_pooling,
        "adaptive": adaptive, "padding_algorithm": padding_algorithm,
    })  # fmt: skip


def _with_index(x, rank, ksize, strides, paddings, global_pooling, adaptive):
    """Maximum over windows and the flat position of each in its plane."""
    _check_rank(x, rank)
    if adaptive and not global_pooling:
        out, index = _ADAPTIVE_MAX[rank](x, list(ksize))
        return out, index.to(torch.int32)
    win = _windows(x.shape[2:], ksize, strides, paddings, False, global_pooling, "EXPLICIT")
    if not x.numel():
        shape = [*x.shape[:2], *win.counts]
        return x.new_full(shape, _lowest(x.dtype)), x.new_zeros(shape, dtype=torch.int32)
    padding = win.before
    if not win.even:
        x = torch.constant_pad_nd(x, win.padding(), _lowest(x.dtype))
        padding = [0] * rank
    pool = fast_pool.max_pool if rank == 2 else _nn.max_pool3d_with_indices
    out, index = pool(x, win.kernel, win.strides, padding)
    if not win.even:
        index = _unpadded(index, x.shape[2:], win)
    return out, index.to(torch.int32).contiguous()


def _unpadded(index: torch.Tensor, padded: tuple, win: Windows) -> torch.Tensor:
    """Turns positions in the padded plane into positions in the plane itself."""
    parts = []
    for axis in reversed(range(len(padded))):
        parts.append(index % padded[axis] - win.before[axis])
        index = index // padded[axis]
    flat = torch.zeros_like(index)
    for axis, part in enumerate(reversed(parts)):
        flat = flat * win.sizes[axis] + part
    return flat


def _from_index(dy, x_shape, mask):
    """Adds the gradient of every window to the position it came from."""
    if not x_shape.numel():
        return dy.new_zeros(x_shape)
    flat = mask.flatten(2).to(torch.int64)
    zeros = dy.new_zeros([*x_shape[:2], x_shape[2:].numel()])
    return zeros.scatter_add(2, flat, dy.reshape(flat.shape)).reshape(x_shape)


@of_dimensions
def _infer_index(rank, inputs, attrs):
    x = inputs[0]
    shape = (*x.shape[:2], *_spatial(rank, x.shape[2:], attrs))
    return [Spec(shape, x.dtype), Spec(shape, VarType.INT32)]


@op("max_pool2d_with_index", "X -> Out Mask~", infer=partial(_infer_index, 2), dtypes="floats")
def max_pool2d_with_index(
    x, *, ksize, strides=(1, 1), paddings=(0, 0), global_pooling=False, adaptive=False
):
    return _with_index(x, 2, ksize, strides, paddings, global_pooling, adaptive)


@max_pool2d_with_index.grad("X.shape Mask")
def _(dy, x_shape, mask):
    return _from_index(dy, x_shape, mask)


@op("max_pool3d_with_index", "X -> Out Mask~", infer=partial(_infer_index, 3), dtypes="floats")
def max_pool3d_with_index(
    x, *, ksize, strides=(1, 1, 1), paddings=(0, 0, 0), global_pooling=False, adaptive=False
):
    return _with_index(x, 3, ksize, strides, paddings, global_pooling, adaptive)


@max_pool3d_with_index.grad("X.shape Mask")
def _(dy, x_shape, mask):
    return _from_index(dy, x_shape, mask)
