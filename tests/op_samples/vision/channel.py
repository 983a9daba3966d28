"""Samples of rearrangements of channels."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def shuffle_channel(x, group=1):
    per_group = x.shape[1] // group
    order = [g * per_group + k for k in range(per_group) for g in range(group)]
    return x[:, order]


def space_to_depth(x, blocksize=2):
    """Element by element: where each input lands in the spread planes."""
    n, c, h, w = x.shape
    planes = c // blocksize**2
    spread = np.empty((n, planes, h * blocksize, w * blocksize), x.dtype)
    for b, k, j, i in np.ndindex(*x.shape):
        row, column = divmod(k // planes, blocksize)
        spread[b, k % planes, j * blocksize + row, i * blocksize + column] = x[b, k, j, i]
    return spread.reshape(n, c * blocksize**2, h // blocksize, w // blocksize)


SAMPLES = [
    Sample("shuffle_channel", {"X": f64(2, 6, 2, 3)}, {"group": 3}, shuffle_channel),
    Sample("shuffle_channel", {"X": ints(2, 4, 1, 2)}, {"group": 2}, shuffle_channel, note="ints"),
    Sample("shuffle_channel", {"X": f64(2, 3, 1, 2)}, ref=shuffle_channel, note="default"),
    Sample("space_to_depth", {"X": f64(2, 8, 4, 2)}, ref=space_to_depth),
    Sample("space_to_depth", {"X": f64(1, 9, 6, 3)}, {"blocksize": 3}, space_to_depth),
]


def _bad(op, match, attrs, *shape):
    return ErrorSample(op, {"X": f64(*shape)}, attrs, ValueError, match)


ERRORS = [
    _bad("shuffle_channel", "a group that divides C", {"group": 4}, 2, 6, 2, 2),
    _bad("space_to_depth", "blocksize >= 2", {"blocksize": 1}, 1, 4, 2, 2),
    _bad("space_to_depth", "C divisible by 4", {}, 1, 2, 4, 4),
    _bad("space_to_depth", "H and W by blocksize 2", {}, 1, 4, 3, 4),
]
