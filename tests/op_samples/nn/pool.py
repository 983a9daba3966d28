"""Samples of pools, against a loop over windows."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.op_samples.nn.conv import _back, _first, _pads
from tests.op_samples.sample import ErrorSample, Sample, apart, f64


def _windows(sizes, ksize, strides, paddings, ceil_mode, global_pooling, adaptive, algorithm):
    """Yields for every dimension a list of (first, last + 1, first with padding, ...)."""
    rank = len(sizes)
    if global_pooling:
        return [[(0, n, 0, n)] for n in sizes]
    if adaptive:
        return [
            [(i * n // o, -(-(i + 1) * n // o)) * 2 for i in range(o)] for n, o in zip(sizes, ksize)
        ]
    pads = _pads(sizes, ksize, strides, paddings, algorithm)
    out = []
    for axis in range(rank):
        n, k, s, (b, a) = sizes[axis], ksize[axis], strides[axis], pads[axis]
        count = int((n + b + a - k + (s - 1 if ceil_mode else 0)) / s) + 1  # towards zero
        starts = [i * s - b for i in range(count)]
        out.append([(max(i, 0), min(i + k, n), max(i, -b), min(i + k, n + a)) for i in starts])
    return out


def pool(
    x, ksize, strides=None, paddings=None, ceil_mode=False, exclusive=True, data_format="NCHW",
    pooling_type="", global_pooling=False, adaptive=False, padding_algorithm="EXPLICIT",
):  # fmt: skip
    """Pool of any rank."""
    x = _first(x, data_format)
    rank = x.ndim - 2
    axes = _windows(
        x.shape[2:], ksize, strides or [1] * rank, paddings or [0] * rank, ceil_mode,
        global_pooling, adaptive, padding_algorithm,
    )  # fmt: skip
    out = np.zeros((*x.shape[:2], *map(len, axes)), x.dtype)
    for at in product(*[range(len(a)) for a in axes]):
        parts = [a[i] for a, i in zip(axes, at)]
        patch = x[(slice(None), slice(None), *[slice(p[0], p[1]) for p in parts])]
        patch = patch.reshape(*x.shape[:2], -1)
        if pooling_type == "max":
            value = patch.max(-1) if patch.size else np.finfo(x.dtype).min
        else:
            counted = [p[1] - p[0] if exclusive else p[3] - p[2] for p in parts]
            value = patch.sum(-1) / np.prod(counted)
        out[(slice(None), slice(None), *at)] = value
    return _back(out, data_format)


def pool_with_index(x, ksize, strides=None, paddings=None, global_pooling=False, adaptive=False):
    """Maximum and its flat position."""
    rank = x.ndim - 2
    axes = _windows(
        x.shape[2:], ksize, strides or [1] * rank, paddings or [0] * rank, False, global_pooling,
        adaptive, "EXPLICIT",
    )  # fmt: skip
    position = np.arange(np.prod(x.shape[2:])).reshape(x.shape[2:])
    out = np.zeros((*x.shape[:2], *map(len, axes)), x.dtype)
    index = np.zeros(out.shape, "int32")
    for at in product(*[range(len(a)) for a in axes]):
        window = tuple(slice(a[i][0], a[i][1]) for a, i in zip(axes, at))
        patch = x[(slice(None), slice(None), *window)].reshape(*x.shape[:2], -1)
        out[(slice(None), slice(None), *at)] = patch.max(-1)
        index[(slice(None), slice(None), *at)] = position[window].reshape(-1)[patch.argmax(-1)]
    return out, index


_CASES = [
    ("halves", (2, 3, 4, 6), {"ksize": [2, 2], "strides": [2, 2]}),
    ("halves_odd", (1, 2, 5, 7), {"ksize": [2, 2], "strides": [2, 2]}),
    ("halves_large", (2, 8, 24, 24), {"ksize": [2, 2], "strides": [2, 2]}),
    ("overlap", (1, 2, 6, 5), {"ksize": [3, 2], "strides": [2, 1], "paddings": [1, 0]}),
    ("ceil", (1, 2, 5, 6), {"ksize": [2, 3], "strides": [2, 2], "ceil_mode": True}),
    ("uneven", (1, 2, 5, 5), {"ksize": [3, 3], "strides": [2, 2], "paddings": [0, 1, 1, 0]}),
    ("same", (1, 2, 5, 6), {"ksize": [3, 2], "strides": [2, 2], "padding_algorithm": "SAME"}),
    ("wide_pad", (1, 1, 4, 4), {"ksize": [3, 3], "strides": [2, 2], "paddings": [2, 2]}),
    ("nhwc", (1, 5, 6, 3), {"ksize": [3, 2], "strides": [2, 2], "data_format": "NHWC"}),
    ("global", (2, 3, 4, 5), {"ksize": [1, 1], "global_pooling": True}),
    ("adaptive", (1, 2, 5, 7), {"ksize": [3, 2], "adaptive": True}),
    ("many_channels", (1, 32, 16, 17), {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}),
]
_CASES3 = [
    ("plain", (1, 2, 4, 4, 5), {"ksize": [2, 2, 3], "strides": [2, 2, 1], "paddings": [1, 0, 1]}),
    ("ceil", (1, 1, 3, 5, 4), {"ksize": [2, 2, 2], "strides": [2, 2, 2], "ceil_mode": True}),
    ("adaptive", (1, 2, 4, 5, 3), {"ksize": [2, 3, 1], "adaptive": True}),
    ("ndhwc", (1, 4, 4, 4, 2), {"ksize": [2, 2, 2], "data_format": "NDHWC"}),
]
_INCLUSIVE = [
    ("overlap", (1, 2, 6, 5), {"ksize": [3, 2], "strides": [2, 1], "paddings": [1, 0]}),
    ("ceil", (1, 1, 4, 4), {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}),
    ("uneven", (1, 2, 5, 5), {"ksize": [3, 3], "strides": [2, 2], "paddings": [0, 1, 1, 0]}),
    ("cut_off", (1, 2, 4, 3), {"ksize": [8, 4], "strides": [6, 4], "paddings": [1, 0]}),
]


def _max(op, note, shape, attrs):
    large = np.prod(shape) > 2000
    return Sample(
        op, {"X": apart(*shape)}, {**attrs, "pooling_type": "max"}, pool, note=f"max_{note}",
        orders=1 if large else 2,
    )  # fmt: skip


def _avg(op, note, shape, attrs):
    large = np.prod(shape) > 2000
    return Sample(
        op, {"X": f64(*shape)}, {**attrs, "pooling_type": "avg"}, pool, note=f"avg_{note}",
        orders=1 if large else 2,
    )  # fmt: skip


def _index(op, note, shape, attrs):
    return Sample(op, {"X": apart(*shape)}, attrs, pool_with_index, note=note)


SAMPLES = [
    *[_max("pool2d", *case) for case in _CASES],
    *[_avg("pool2d", *case) for case in _CASES],
    *[_max("pool3d", *case) for case in _CASES3],
    *[_avg("pool3d", *case) for case in _CASES3],
    *[
        make("pool2d", "cut_off", (1, 1, 4, 3), {"ksize": [6, 4], "strides": [6, 4]})
        for make in (_max, _avg)
    ],
    *[_avg("pool2d", "in_" + n, s, {**a, "exclusive": False}) for n, s, a in _INCLUSIVE],
    _avg(
        "pool2d", "in_ceil_rest", (1, 1, 4, 4),
        {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1], "ceil_mode": True,
         "exclusive": False},
    ),
    _index("max_pool2d_with_index", "plain", (2, 3, 4, 6), {"ksize": [2, 2], "strides": [2, 2]}),
    _index(
        "max_pool2d_with_index", "pad", (1, 2, 5, 5),
        {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]},
    ),
    _index(
        "max_pool2d_with_index", "uneven", (1, 2, 5, 5),
        {"ksize": [3, 3], "strides": [2, 2], "paddings": [0, 1, 1, 0]},
    ),
    _index(
        "max_pool2d_with_index", "global", (1, 2, 3, 4), {"ksize": [1, 1], "global_pooling": True}
    ),
    _index("max_pool2d_with_index", "adaptive", (1, 2, 5, 7), {"ksize": [3, 2], "adaptive": True}),
    _index(
        "max_pool3d_with_index", "pad", (1, 2, 4, 4, 3),
        {"ksize": [2, 2, 2], "strides": [2, 2, 2], "paddings": [0, 1, 1]},
    ),
    _index(
        "max_pool3d_with_index", "uneven", (1, 1, 3, 4, 3),
        {"ksize": [2, 2, 2], "paddings": [1, 0, 0, 1, 0, 0]},
    ),
]  # fmt: skip


def _error(op, shape, attrs, match):
    return ErrorSample(op, {"X": f64(*shape)}, attrs, ValueError, match)


_ONE = {"ksize": [2, 2], "pooling_type": "max"}
ERRORS = [
    _error("pool2d", (1, 1, 4, 4), {"ksize": [2, 2]}, "pooling_type to be 'max' or 'avg'"),
    _error("pool2d", (1, 4, 4), _ONE, "X of 4 dimensions"),
    _error("pool2d", (1, 1, 4, 4), {**_ONE, "ksize": [5, 5]}, "to fit into the padded input"),
    _error("pool2d", (1, 1, 4, 4), {**_ONE, "ksize": [2]}, "ksize to be 2 positive"),
    _error("pool2d", (1, 1, 4, 4), {**_ONE, "strides": [0, 1]}, "strides to be 2 positive"),
    _error("pool3d", (1, 1, 4, 4), {"ksize": [2] * 3, "pooling_type": "avg"}, "X of 5 dimensions"),
    _error("max_pool2d_with_index", (1, 4, 4), {"ksize": [2, 2]}, "X of 4 dimensions"),
]
