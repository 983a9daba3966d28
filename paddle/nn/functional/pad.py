"""Padding of sequences, images, volumes and whole Tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core.constants import array
from paddle.core.dtype import VarType, numpy_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.nn.functional.window_args import integer
from paddle.tensor.creation import full
from paddle.tensor.dims import is_variable

__all__ = ["pad"]

_MODES = ("constant", "reflect", "replicate", "circular")
_FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}


def pad(
    x: Any,
    pad: Any,
    mode: str = "constant",
    value: float = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Adds elements before and behind a Tensor's dimensions; negative numbers take some away.

    Args:
        x (Tensor): of any shape for the first form of ``pad``, else of 3 to 5 dimensions.
        pad (list[int]|tuple[int]|Tensor): for ``mode='constant'`` two numbers for every dimension,
            first dimension first; or two numbers for every spatial dimension, *last* one first:
            ``[left, right]``, ``[left, right, top, bottom]`` or
            ``[left, right, top, bottom, front, back]``.
        mode (str): ``'constant'`` adds ``value``; ``'reflect'`` mirrors at the first and last
            element, ``'replicate'`` repeats them, ``'circular'`` goes on at the other end.
        value (float): what ``'constant'`` adds.
        data_format (str): ``'NCL'``, ``'NLC'``, ``'NCHW'``, ``'NHWC'``, ``'NCDHW'`` or ``'NDHWC'``;
            for the second form of ``pad``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s dtype.

    Raises:
        ValueError: ``pad``, ``mode`` or ``data_format`` does not fit ``x``, or reflection needs
            more elements than there are.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[[1.0, 2.0, 3.0]]]])
            print(F.pad(x, [1, 2, 0, 0], mode="reflect").numpy())  # [[[[2. 1. 2. 3. 2. 1.]]]]
            print(F.pad(x, [0, 0, 0, 0, 1, 0, 0, 0], value=9.0).shape)  # [1, 1, 2, 3]
    """
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"pad(mode): expected one of {list(_MODES)}, but received {mode!r}."
        )
    if not hasattr(x, "stop_gradient"):
        raise TypeError(f"pad(x): expected a Tensor, but received {type(x).__name__}.")
    rank = len(x.shape)
    if isinstance(pad, (list, tuple)) and any(is_variable(n) for n in pad):
        if mode == "constant" and len(pad) == 2 * rank:
            return _grown(x, pad, float(value))
        pad = C.concat([_one(n) for n in pad], axis=0)
    whole = pad if is_variable(pad) else None
    amounts = _amounts(pad) if whole is None else [0] * pad.shape[0]
    if whole is None and mode == "constant" and len(amounts) == 2 * rank:
        return C.pad(x, paddings=amounts, pad_value=float(value))
    last = _channel_last(rank, amounts, data_format)
    # One operator for all: sequences and images become volumes of depth 1.
    missing = 5 - rank
    axes = list(range(1, 1 + missing)) if last else list(range(2, 2 + missing))
    if missing:
        x = C.unsqueeze2(x, axes=axes)[0]
        if whole is not None:
            none = np.zeros(2 * missing, numpy_dtype(whole.dtype))
            whole = C.concat([whole, array(none)], axis=0)
    out = C.pad3d(
        x,
        whole,
        paddings=amounts + [0, 0] * missing,
        mode=mode,
        value=float(value),
        data_format="NDHWC" if last else "NCDHW",
    )
    return C.squeeze2(out, axes=axes)[0] if missing else out


def _one(amount: Any) -> Any:
    """A number of elements as an int32 Variable of shape [1]."""
    if not is_variable(amount):
        return array(np.array([integer("pad", "pad", amount)], "int32"))
    if any(n not in (1, -1) for n in amount.shape):
        raise InvalidArgumentError(
            f"pad(pad): expected numbers, but received a Tensor of shape {list(amount.shape)}."
        )
    return C.cast(amount, in_dtype=int(amount.dtype), out_dtype=int(VarType.INT32))


def _grown(x: Any, pad: Sequence[Any], value: float) -> Any:
    """Every dimension made longer by numbers of which only a run knows some, none negative."""
    for axis in range(len(x.shape)):
        ends: list[list[Any]] = []
        for amount in pad[2 * axis : 2 * axis + 2]:
            if not is_variable(amount) and integer("pad", "pad", amount) == 0:
                ends.append([])
                continue
            sizes = C.shape(x)
            parts = [sizes[:axis], _one(amount), sizes[axis + 1 :]]
            shape = C.concat([p for p in parts if p.shape[0] != 0], axis=0)
            ends.append([full(shape, value, x.dtype)])
        if ends[0] or ends[1]:
            x = C.concat([*ends[0], x, *ends[1]], axis=axis)
    return x


def _amounts(pad: Any) -> list[int]:
    if hasattr(pad, "stop_gradient"):
        pad = pad.tolist()
    if not isinstance(pad, (list, tuple)):
        raise TypeError(f"pad(pad): expected a list of integers or a Tensor, but received {pad!r}.")
    return [integer("pad", "pad", n) for n in pad]


def _channel_last(rank: int, amounts: list[int], data_format: str) -> bool:
    """Checks the second form of ``pad`` and says whether channels come last."""
    if rank not in _FORMATS or len(amounts) != 2 * (rank - 2):
        spatial = f" or, for the spatial dimensions, {2 * (rank - 2)}" if rank in _FORMATS else ""
        raise InvalidArgumentError(
            f"pad(pad): expected {2 * rank} numbers (mode 'constant'){spatial} for x of {rank} "
            f"dimensions, but received {amounts}."
        )
    if data_format not in _FORMATS[rank]:
        raise InvalidArgumentError(
            f"pad(data_format): expected one of {list(_FORMATS[rank])} for x of {rank} dimensions, "
            f"but received {data_format!r}."
        )
    return data_format == _FORMATS[rank][1]


guard_module(globals(), checks=False)
