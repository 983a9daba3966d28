"""Rounding of weights beyond the nearest step: correction of bias, adaptive rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

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
