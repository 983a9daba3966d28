"""Rounding of weights beyond the nearest step: correction of bias, adaptive rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.ir.operator import Operator
from paddle.quantization.numbers import top_step, values_of

_SMALL = 1e-8


def correct_bias(
    weight: np.ndarray, steps: np.ndarray, scales: np.ndarray, bits: int, axis: int | None
) -> np.ndarray:
    """Moves steps so that mean and spread of each channel are those of the weight in floats.

    Args:
        weight (np.ndarray): in floats.
        steps (np.ndarray): its steps.
        scales (np.ndarray): their scales.
        bits (int): bits of a step.
        axis (int|None): of channels; None for one scale.
    """
    over = tuple(d for d in range(weight.ndim) if d != axis) if axis is not None else None
    rounded = values_of(steps, scales, bits, axis)
    kept: Any = {"axis": over, "keepdims": True}
    offset = weight.mean(**kept) - rounded.mean(**kept)
    spread = weight.std(**kept) / (rounded.std(**kept) + _SMALL)
    moved = (rounded + offset) * spread
    top = top_step(bits)
    at = scales.reshape([-1 if d == axis else 1 for d in range(weight.ndim)])
    at = np.where(at == 0, np.float32(_SMALL), at)
    return np.clip(np.round(moved / at * top), -top, top).astype(np.float32)


_ROWS = 4096  # of what a layer reads, at most in a batch
_SWEEPS = 4


def rows_of(op: Operator, value: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
    """What each element of a product's result is made of, as rows, by group.

    Args:
        op (Operator): a product or convolution.
        value (np.ndarray): what it reads.
        weight (np.ndarray): its weight.

    Returns:
        np.ndarray|None: groups, rows, and as many columns as a channel of the weight has elements;
        None where the form of the operator is not known.
    """
    if op.type in ("conv2d", "depthwise_conv2d"):
        return _windows(op, value, weight)
    if op.type == "mul":
        rows = value.reshape(int(np.prod(value.shape[: op.attr("x_num_col_dims")])), -1)
        return rows[None] if weight.ndim == 2 else None
    turned = ("trans_x", "trans_y", "transpose_X", "transpose_Y")
    if op.type in ("matmul", "matmul_v2") and not any(op.attrs.get(name) for name in turned):
        return value.reshape(-1, value.shape[-1])[None] if weight.ndim == 2 else None
    return None


def _windows(op: Operator, value: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
    pads, groups = list(op.attr("paddings")), int(op.attr("groups") or 1)
    plain = op.attrs.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
    if not plain or op.attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout"):
        return None
    top, bottom, left, right = pads if len(pads) == 4 else (pads[0], pads[0], pads[1], pads[1])
    value = np.pad(value, ((0, 0), (0, 0), (top, bottom), (left, right)))
    (high, wide), (down, across) = weight.shape[2:], op.attr("dilations")
    span = (down * (high - 1) + 1, across * (wide - 1) + 1)
    windows: Any = np.lib.stride_tricks.sliding_window_view
    seen = windows(value, span, (2, 3))
    step = op.attr("strides")
    seen = seen[:, :, :: step[0], :: step[1], ::down, ::across]
    count, channels = value.shape[:2]
    parts = seen.reshape(count, groups, channels // groups, *seen.shape[2:])
    return parts.transpose(1, 0, 3, 4, 2, 5, 6).reshape(groups, -1, int(np.prod(weight.shape[1:])))


class Gram:
    """How what a layer reads goes together: the sum of products of its rows."""

    def __init__(self) -> None:
        self.sums: np.ndarray | None = None

    def add(self, rows: np.ndarray) -> None:
        """Adds what :func:`rows_of` returned."""
        rows = rows[:, :: max(1, rows.shape[1] // _ROWS)].astype("float64")
        found = np.matmul(rows.transpose(0, 2, 1), rows)
        self.sums = found if self.sums is None else self.sums + found


def adapt(
    weight: np.ndarray, scales: np.ndarray, bits: int, axis: int | None, gram: Gram, first: bool
) -> np.ndarray:
    """Rounds each element of a weight up or down so that the layer's results move the least.

    Args:
        weight (np.ndarray): in floats.
        scales (np.ndarray): its scales.
        bits (int): of a step.
        axis (int|None): of channels; None for one scale.
        gram (Gram): of what the layer reads.
        first (bool): the first axis is that of results, as in a convolution; else the last.

    Returns:
        np.ndarray: values on steps, of the weight's shape.
    """
    top = top_step(bits)
    at = scales.reshape([-1 if d == axis else 1 for d in range(weight.ndim)]).astype("float64")
    size = np.broadcast_to(np.where(at == 0, _SMALL, at) / top, weight.shape)
    flat = [a.reshape(weight.shape[0], -1) if first else a.T for a in (weight / size, size)]
    exact, size = flat
    low = np.clip(np.floor(exact), -top, top)
    steps = np.clip(np.round(exact), -top, top)
    other = np.where(steps == low, np.clip(low + 1, -top, top), low)
    sums = gram.sums
    assert sums is not None
    for group, rows in enumerate(np.split(np.arange(len(exact)), len(sums))):
        steps[rows] = _descend(exact[rows], steps[rows], other[rows], size[rows], sums[group])
    found = steps * size
    return (found.reshape(weight.shape) if first else found.T).astype("float32")


def _descend(
    exact: np.ndarray, steps: np.ndarray, other: np.ndarray, size: np.ndarray, gram: np.ndarray
) -> np.ndarray:
    """Goes over the elements and takes the other step where that makes the error smaller."""
    steps, other = steps.copy(), other.copy()
    pull = ((steps - exact) * size) @ gram
    for _ in range(_SWEEPS):
        changed = False
        for k in range(steps.shape[1]):
            move = (other[:, k] - steps[:, k]) * size[:, k]
            better = move * (2 * pull[:, k] + gram[k, k] * move) < -1e-12
            if better.any():
                changed = True
                pull[better] += move[better, None] * gram[k]
                held = steps[better, k].copy()
                steps[better, k], other[better, k] = other[better, k], held
        if not changed:
            break
    return steps
