"""Padding, layout and shape arithmetic that convolutions and pools share."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec

CHANNEL_LAST = frozenset(["NHWC", "NDHWC", "NLC", "NWC"])
_CHANNEL_FIRST = frozenset(["NCHW", "NCDHW", "NCL", "NCW", "AnyLayout"])
_ALGORITHMS = ("EXPLICIT", "SAME", "VALID")


def is_channel_last(data_format: str) -> bool:
    """Says whether channels come last in a layout; raises for a layout there is not."""
    if data_format in _CHANNEL_FIRST:
        return False
    if data_format in CHANNEL_LAST:
        return True
    raise InvalidArgumentError(
        f"expected data_format to be one of {sorted(_CHANNEL_FIRST | CHANNEL_LAST)}, "
        f"but received {data_format!r}."
    )


def to_channel_first(x: torch.Tensor) -> torch.Tensor:
    """Returns a view of ``[N, ..., C]`` as ``[N, C, ...]``."""
    return x.movedim(-1, 1)


def to_channel_last(x: torch.Tensor) -> torch.Tensor:
    """Returns a view of ``[N, C, ...]`` as ``[N, ..., C]``."""
    return x.movedim(1, -1)


def check_positive(name: str, values: list[int], count: int) -> None:
    """Raises unless ``values`` are ``count`` positive integers."""
    if len(values) != count or min(values) < 1:
        raise InvalidArgumentError(
            f"expected {name} to be {count} positive integers, but received {list(values)}."
        )


def resolve_padding(
    paddings: list[int], algorithm: str, sizes: tuple, kernel: list[int], strides: list[int]
) -> tuple[list[int], list[int]]:
    """Returns the padding in front of and behind every spatial dimension.

    Args:
        paddings (list[int]): one number a dimension, or two.
        algorithm (str): EXPLICIT takes ``paddings``; VALID pads nothing; SAME pads so that the
            result has ``ceil(size / stride)`` elements, the odd one behind.
        sizes (tuple[int]): spatial sizes of the input.
        kernel, strides (list[int]): the window.
    """
    if algorithm == "VALID":
        return [0] * len(kernel), [0] * len(kernel)
    if algorithm == "SAME":
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, strides)]
        return [t // 2 for t in total], [t - t // 2 for t in total]
    if algorithm != "EXPLICIT":
        raise InvalidArgumentError(
            f"expected padding_algorithm to be one of {_ALGORITHMS}, but received {algorithm!r}."
        )
    if len(paddings) == len(kernel):
        return list(paddings), list(paddings)
    if len(paddings) == 2 * len(kernel):
        return list(paddings[::2]), list(paddings[1::2])
    raise InvalidArgumentError(
        f"expected paddings to hold {len(kernel)} or {2 * len(kernel)} numbers, "
        f"but received {list(paddings)}."
    )


def torch_pad(before: list[int], after: list[int]) -> list[int]:
    """Orders padding as ATen takes it: the last dimension first."""
    return [p for pair in zip(reversed(before), reversed(after)) for p in pair]


def window_size(n: int, kernel: int, before: int, after: int, stride: int, ceil: bool) -> int:
    """Number of windows over ``n`` elements; -1 for an unknown ``n``."""
    if n == -1:
        return -1
    return (n + before + after - kernel + (stride - 1 if ceil else 0)) // stride + 1


def check_counts(
    counts: list[int], windows: Sequence[int], sizes: Sequence[int], before: list, after: list
) -> None:
    """Refuses windows of which none finds place; -1 stands for an unknown size."""
    if any(n != -1 and count < 1 for n, count in zip(sizes, counts)):
        raise InvalidArgumentError(
            f"expected windows to fit into the padded input, but they are of size {list(windows)}, "
            f"and its spatial size is {list(sizes)}, padded by {before} and {after}."
        )


def shape_of(spec: Spec, channels: int, spatial: list[int], channel_last: bool) -> Spec:
    """Builds the Spec of a result from its channels and spatial sizes."""
    batch = spec.shape[:1]
    inner = (*spatial, channels) if channel_last else (channels, *spatial)
    return Spec((*batch, *inner), spec.dtype)


def spatial_of(shape: tuple, channel_last: bool) -> tuple:
    """Returns the spatial sizes of ``[N, C, ...]`` or ``[N, ..., C]``."""
    return tuple(shape[1:-1] if channel_last else shape[2:])
