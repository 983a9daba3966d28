"""FFT, and frames with overlap-add for the STFT."""

from __future__ import annotations

import math

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec, in_range
from paddle.core.op import op

_COMPLEX = {VarType.FP64: VarType.COMPLEX128}
_REAL = {VarType.COMPLEX128: VarType.FP64}
_NORMS = ("backward", "ortho", "forward")

# -- Fourier transforms -------------------------------------------------------------------------


def _axes(name: str, x: torch.Tensor, axes: list[int], normalization: str) -> list[int]:
    """The axes counted from the front, after a check of everything that can be wrong."""
    if normalization not in _NORMS:
        raise InvalidArgumentError(
            f"{name}: normalization is expected to be one of {_NORMS}, but received "
            f"{normalization!r}."
        )
    found = [in_range(axis, x.dim()) for axis in axes]
    if not found or len(set(found)) < len(found):
        raise InvalidArgumentError(
            f"{name}: expected axes that differ, at least one, but received {list(axes)}."
        )
    if name != "fft_c2c" and not x.shape[found[-1]]:
        raise InvalidArgumentError(
            f"{name}: expected at least one element along axis {found[-1]}, but received shape "
            f"{list(x.shape)}."
        )
    return found


def _expect_complex(name: str, x: torch.Tensor) -> None:
    if not x.is_complex():
        raise InvalidTypeError(f"{name}: expected complex64 or complex128, got {str(x.dtype)[6:]}.")


@op("fft_c2c", "X -> Out", infer=lambda i, a: i[:1])
def fft_c2c(x, *, axes, normalization, forward):
    _expect_complex("fft_c2c", x)
    axes = _axes("fft_c2c", x, axes, normalization)
    if not x.numel():
        return x.clone()
    transform = torch.fft.fftn if forward else torch.fft.ifftn
    return transform(x, dim=axes, norm=normalization)


def _halved(shape: tuple, axis: int, size: int) -> tuple:
    axis = in_range(axis, len(shape))
    return (*shape[:axis], size, *shape[axis + 1 :])


def _r2c_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, last = inputs[0], attrs["axes"][-1]
    dtype = _COMPLEX.get(x.dtype, VarType.COMPLEX64)
    if not attrs["onesided"]:
        return [Spec(x.shape, dtype)]
    size = x.shape[in_range(last, len(x.shape))]
    return [Spec(_halved(x.shape, last, size if size == -1 else size // 2 + 1), dtype)]


def _nothing(x: torch.Tensor, axis: int, onesided: bool) -> torch.Tensor:
    """The transform where another axis has no elements, which libraries refuse."""
    size = x.shape[axis]
    return torch.complex(x, x).narrow(axis, 0, size // 2 + 1 if onesided else size)


@op("fft_r2c", "X -> Out", infer=_r2c_rule, dtypes="full")
def fft_r2c(x, *, axes, normalization, forward, onesided):
    """Of real values; ``onesided`` leaves out the half of the last axis that mirrors the other."""
    axes = _axes("fft_r2c", x, axes, normalization)
    if not x.numel():
        return _nothing(x, axes[-1], onesided)
    if onesided:
        transform = torch.fft.rfftn if forward else torch.fft.ihfftn
    else:
        transform = torch.fft.fftn if forward else torch.fft.ifftn
    return transform(x, dim=axes, norm=normalization)


def _c2r_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, last = inputs[0], attrs["axes"][-1]
    size = x.shape[in_range(last, len(x.shape))]
    size = attrs["last_dim_size"] or (-1 if size == -1 else 2 * (size - 1))
    return [Spec(_halved(x.shape, last, size), _REAL.get(x.dtype, VarType.FP32))]


@op("fft_c2r", "X -> Out", infer=_c2r_rule)
def fft_c2r(x, *, axes, normalization, forward, last_dim_size=0):
    """The inverse of the onesided transform; ``last_dim_size`` elements along the last axis."""
    _expect_complex("fft_c2r", x)
    axes = _axes("fft_c2r", x, axes, normalization)
    last = last_dim_size or 2 * (x.shape[axes[-1]] - 1)
    if last < 1:
        raise InvalidArgumentError(
            f"fft_c2r: expected at least one element along axis {axes[-1]} of the result, but "
            f"X has shape {list(x.shape)} and last_dim_size is {last_dim_size}."
        )
    if not x.numel():
        return torch.real(x).narrow(axes[-1], 0, 1).expand(_halved(x.shape, axes[-1], last))
    transform = torch.fft.hfftn if forward else torch.fft.irfftn
    sizes = [x.shape[axis] for axis in axes[:-1]]
    return transform(x, s=[*sizes, last], dim=axes, norm=normalization)


# -- frames -------------------------------------------------------------------------------------


def _expect_axis(name: str, axis: int, rank: int, least: int) -> None:
    if axis not in (0, -1):
        raise InvalidArgumentError(f"{name}: axis is expected to be 0 or -1, but received {axis}.")
    if rank < least:
        raise InvalidArgumentError(
            f"{name}: expected X of at least {least} dimension{'s' * (least > 1)}, but it has "
            f"{rank}."
        )


def _expect_positive(name: str, **sizes: int) -> None:
    for what, size in sizes.items():
        if size < 1:
            raise InvalidArgumentError(
                f"{name}: {what} is expected to be positive, but received {size}."
            )


def _frame_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, axis, length = inputs[0], attrs["axis"], attrs["frame_length"]
    _expect_axis("frame", axis, len(x.shape), 1)
    size = x.shape[axis]
    count = -1 if size == -1 else (size - length) // attrs["hop_length"] + 1
    shape = (*x.shape[:-1], length, count) if axis else (count, length, *x.shape[1:])
    return [Spec(shape, x.dtype)]


def _cut(x: torch.Tensor, length: int, hop: int, axis: int) -> torch.Tensor:
    frames = x.unfold(axis, length, hop)
    return frames.transpose(-1, -2) if axis else frames.movedim(-1, 1)


@op("frame", "X -> Out", infer=_frame_rule)
def frame(x, *, frame_length, hop_length, axis=-1):
    """Windows along the first or last axis: [..., length, count], or [count, length, ...]."""
    _expect_axis("frame", axis, x.dim(), 1)
    _expect_positive("frame", frame_length=frame_length, hop_length=hop_length)
    if x.shape[axis] < frame_length:
        raise InvalidArgumentError(
            f"frame: frame_length is expected to be at most {x.shape[axis]}, the size of axis "
            f"{axis}, but received {frame_length}."
        )
    return _cut(x, frame_length, hop_length, axis)


def _added(x: torch.Tensor, hop: int, axis: int, total: int | None = None) -> torch.Tensor:
    """Adds frames up where they lie in the signal, of ``total`` elements where these are more."""
    if axis:
        x = x.transpose(-1, -2)
    else:
        x = x.movedim((0, 1), (-2, -1))
    count, length = x.shape[-2:]
    size = (count - 1) * hop + length
    steps = torch.arange(count, device=x.device) * hop
    place = (steps.unsqueeze(1) + torch.arange(length, device=x.device)).reshape(-1)
    blank = torch.zeros(*x.shape[:-2], total or size, dtype=x.dtype, device=x.device)
    out = blank.index_add(-1, place, x.flatten(-2))
    return out if axis else out.movedim(-1, 0)


@frame.grad("X.shape")
def _(d_out, x_shape, *, hop_length, axis):
    return _added(d_out, hop_length, axis, x_shape[axis])


def _overlap_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, axis = inputs[0], attrs["axis"]
    _expect_axis("overlap_add", axis, len(x.shape), 2)
    length, count = x.shape[-2:] if axis else x.shape[1::-1]
    size = -1 if -1 in (length, count) else (count - 1) * attrs["hop_length"] + length
    return [Spec((*x.shape[:-2], size) if axis else (size, *x.shape[2:]), x.dtype)]


@op("overlap_add", "X -> Out", infer=_overlap_rule, dtypes="not bool")
def overlap_add(x, *, hop_length, axis=-1):
    """Puts frames together that overlap, adding up what they share; undoes ``frame``."""
    _expect_axis("overlap_add", axis, x.dim(), 2)
    _expect_positive("overlap_add", hop_length=hop_length)
    if x.shape[-1 if axis else 0] < 1:
        raise InvalidArgumentError(
            f"overlap_add: expected at least one frame, but received shape {list(x.shape)}."
        )
    return _added(x, hop_length, axis)


@overlap_add.grad("X.shape")
def _(d_out, x_shape, *, hop_length, axis):
    length = x_shape[-2] if axis else x_shape[1]
    if not length:
        return torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    return _cut(d_out, length, hop_length, axis)


# -- the short-time transform -------------------------------------------------------------------


def _stft_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, size = inputs[0], attrs["n_fft"]
    steps = -1 if x.shape[-1] == -1 else (x.shape[-1] - size) // attrs["hop_length"] + 1
    rows = size // 2 + 1 if attrs["onesided"] else size
    return [Spec((*x.shape[:-1], rows, steps), _COMPLEX.get(x.dtype, VarType.COMPLEX64))]


@op("stft", "X Window -> Out", infer=_stft_rule, dtypes="full")
def stft(x, window, *, n_fft, hop_length, normalized, onesided):
    """Transforms of windowed frames of X [batch, time]: [batch, frequencies, frames]."""
    _expect_positive("stft", n_fft=n_fft, hop_length=hop_length)
    if x.dim() not in (1, 2) or window.dim() != 1 or window.shape[0] != n_fft:
        raise InvalidArgumentError(
            f"stft: expected X of 1 or 2 dimensions and a Window of n_fft = {n_fft} values, but "
            f"received shapes {list(x.shape)} and {list(window.shape)}."
        )
    if x.shape[-1] < n_fft:
        raise InvalidArgumentError(
            f"stft: n_fft is expected to be at most {x.shape[-1]}, the length of the signal, but "
            f"received {n_fft}."
        )
    frames = x.unfold(-1, n_fft, hop_length) * window
    if frames.numel():
        out = torch.fft.rfft(frames) if onesided else torch.fft.fft(frames)
    else:
        out = _nothing(frames, -1, onesided)
    out = out.transpose(-1, -2)
    return out / math.sqrt(n_fft) if normalized else out
