"""Samples of the two operators behind ``x[...]`` and ``x[...] = value``."""

from __future__ import annotations

import numpy as np

from paddle.ops.manipulation.indexing import HOLE
from tests.op_samples.sample import ErrorSample, Sample, f64


def _index(pattern, tensors):
    rest = iter(tensors or ())
    return tuple(next(rest) if part is HOLE else part for part in pattern)


def _get(x, index, pattern, flips=()):
    return np.flip(x[_index(pattern, index)], flips)


def _set(x, value, index, pattern, flips=()):
    out = x.copy()
    at = _index(pattern, index)
    if np.ndim(value) > np.ndim(x[at]):
        value = value.reshape(np.shape(x[at]))
    out[at] = np.flip(np.broadcast_to(value, x[at].shape), flips)
    return out


X = f64(4, 3, 5)
ROWS, COLUMNS = np.array([2, 0, -1]), np.array([[1], [0]])
MASK = np.array([True, False, True, True])
EVERY = slice(None)


def get(note, pattern, index=None, flips=(), **options):
    inputs = {"X": X} if index is None else {"X": X, "Index": index}
    return Sample(
        "getitem", inputs, {"pattern": pattern, "flips": flips}, _get, note=note, **options
    )


def put(note, pattern, value, index=None, flips=(), **options):
    inputs = {"X": X, "Value": value} | ({} if index is None else {"Index": index})
    return Sample(
        "setitem", inputs, {"pattern": pattern, "flips": flips}, _set, note=note, **options
    )


SAMPLES = [
    get("int", (1,)),
    get("scalar", (1, 2, -1)),
    get("slices", (slice(1, 3), EVERY, slice(None, None, 2))),
    get("none_and_ellipsis", (None, ..., 2)),
    get("empty", (slice(2, 2),)),
    get("backward", (slice(0, 4, 2), EVERY, slice(1, 4)), flips=(0, 2)),
    get("rows", (HOLE,), [ROWS]),
    get("repeated", (EVERY, HOLE), [np.array([1, 1, 0, 1])]),
    get("two_broadcast", (HOLE, EVERY, HOLE), [ROWS, COLUMNS]),
    get("mask", (HOLE,), [MASK], static_shape=False),
    get("mask_of_two_axes", (HOLE,), [X[..., 0] > 0], static_shape=False),
    put("int", (1,), f64(3, 5, key=1)),
    put("scalar", (0, 1, 2), f64(1, key=1)),
    put("broadcast", (slice(1, 3), EVERY, slice(None, None, 2)), f64(3, 1, key=1)),
    put("backward", (slice(0, 4, 2),), f64(2, 3, 5, key=1), flips=(0,)),
    put("backward_broadcast", (EVERY, slice(0, 2)), f64(2, 1, key=1), flips=(1,)),
    put("rows", (HOLE,), f64(3, 3, 5, key=1), [ROWS]),
    put("two_broadcast", (HOLE, EVERY, HOLE), f64(2, 3, 3, key=1), [ROWS, COLUMNS]),
    put("mask", (HOLE,), f64(3, 5, key=1), [MASK]),
]

ERRORS = [
    ErrorSample("getitem", {"X": X}, {"pattern": (4,)}, IndexError, "out of bounds"),
    ErrorSample("getitem", {"X": X}, {"pattern": (0, 0, 0, 0)}, IndexError, "too many indices"),
    ErrorSample(
        "getitem",
        {"X": X, "Index": [np.array([7])]},
        {"pattern": (HOLE,)},
        IndexError,
        "index 7 is out of bounds",
    ),
    ErrorSample(
        "setitem",
        {"X": X, "Value": f64(4, key=1)},
        {"pattern": (0,)},
        ValueError,
        "tensor",
    ),
]
