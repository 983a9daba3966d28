"""Samples of padding, against NumPy's."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints

_NUMPY = {"reflect": "reflect", "replicate": "edge", "edge": "edge", "circular": "wrap"}


def _numpy_pad(x, pairs, mode, value):
    if mode != "constant":
        return np.pad(x, pairs, _NUMPY[mode])
    out = np.pad(x, [(max(b, 0), max(a, 0)) for b, a in pairs], constant_values=value)
    keep = tuple(slice(max(-b, 0), n - max(-a, 0)) for (b, a), n in zip(pairs, out.shape))
    return out[keep]


def pad(x, paddings, pad_value=0.0):
    return _numpy_pad(x, list(zip(paddings[::2], paddings[1::2])), "constant", pad_value)


def _formatted(x, amounts, mode, value, data_format):
    spatial = list(reversed(list(zip(amounts[::2], amounts[1::2]))))
    still = [(0, 0)]
    pairs = still + spatial + still if data_format.endswith("C") else still * 2 + spatial
    return _numpy_pad(x, pairs, mode, value)


def pad2d(x, tensor, paddings, pad_value=0.0, mode="constant", data_format="NCHW"):
    top, bottom, left, right = paddings if tensor is None else tensor
    return _formatted(x, [left, right, top, bottom], mode, pad_value, data_format)


def pad3d(x, tensor, paddings, mode="constant", value=0.0, data_format="NCDHW"):
    amounts = paddings if tensor is None else tensor
    return _formatted(x, list(amounts), mode, value, data_format)


def pad_constant_like(x, y, pad_value=0.0):
    pairs = [(0, m - n) for m, n in zip(x.shape, y.shape)]
    return np.pad(y, pairs, constant_values=pad_value)


_MODES = ("constant", "reflect", "replicate", "circular")
_AMOUNTS = [1, 2, 0, 1, 1, 0]

SAMPLES = [
    Sample("pad", {"X": f64(2, 3)}, {"paddings": [0, 1, 2, 0], "pad_value": 1.5}, pad),
    Sample("pad", {"X": f64(4, 3, 2)}, {"paddings": [-1, 0, 1, -1, 0, 0]}, pad, note="negative"),
    Sample("pad", {"X": ints(2, 2)}, {"paddings": [1, 1, 0, 0], "pad_value": 7.0}, pad, note="int"),
    *[
        Sample(
            "pad2d",
            {"X": f64(1, 2, 3, 4)},
            {"paddings": [1, 0, 2, 1], "mode": mode, "pad_value": 0.5},
            pad2d,
            note=mode,
        )
        for mode in ("constant", "reflect", "edge")
    ],
    Sample(
        "pad2d",
        {"X": f64(1, 3, 4, 2)},
        {"paddings": [1, 0, 2, 1], "data_format": "NHWC", "mode": "reflect"},
        pad2d,
        note="nhwc",
    ),
    Sample(
        "pad2d",
        {"X": f64(1, 1, 2, 2), "Paddings": np.array([1, 0, 0, 1], "int32")},
        {"paddings": [0, 0, 0, 0]},
        pad2d,
        note="tensor",
        static_shape=False,
    ),
    *[
        Sample(
            "pad3d",
            {"X": f64(1, 2, 3, 3, 4)},
            {"paddings": _AMOUNTS, "mode": mode, "value": 0.5},
            pad3d,
            note=mode,
        )
        for mode in _MODES
    ],
    *[
        Sample(
            "pad3d",
            {"X": f64(1, 3, 3, 4, 2)},
            {"paddings": _AMOUNTS, "mode": mode, "data_format": "NDHWC"},
            pad3d,
            note=f"{mode}_ndhwc",
        )
        for mode in _MODES
    ],
    Sample(
        "pad3d",
        {"X": f64(1, 1, 1, 2, 2)},
        {"paddings": [5, 3, 0, 0, 0, 0], "mode": "circular"},
        pad3d,
        note="round_and_round",
    ),
    Sample(
        "pad3d",
        {"X": ints(1, 1, 1, 3, 3)},
        {"paddings": [1, 1, 2, 0, 0, 0], "mode": "reflect"},
        pad3d,
        note="int",
    ),
    Sample(
        "pad3d",
        {"X": f64(1, 1, 1, 3, 3)},
        {"paddings": [-1, 1, 0, -2, 0, 0]},
        pad3d,
        note="negative",
    ),
    Sample(
        "pad_constant_like",
        {"X": f64(3, 4), "Y": f64(2, 4)},
        {"pad_value": 1.0},
        pad_constant_like,
        grad=["Y"],
    ),
]

ERRORS = [
    ErrorSample("pad", {"X": f64(2, 3)}, {"paddings": [1, 1]}, ValueError, "to hold 4 numbers"),
    ErrorSample(
        "pad3d",
        {"X": f64(1, 1, 1, 2, 3)},
        {"paddings": [3, 0, 0, 0, 0, 0], "mode": "reflect"},
        ValueError,
        "smaller than the dimension of 3",
    ),
    ErrorSample(
        "pad3d",
        {"X": f64(1, 1, 1, 2, 3)},
        {"paddings": [1, 0, 0, 0, 0, 0], "mode": "mirror"},
        ValueError,
        "mode to be one of",
    ),
    ErrorSample(
        "pad2d", {"X": f64(1, 2, 3)}, {"paddings": [1, 0, 0, 0]}, ValueError, "X of 4 dimensions"
    ),
    ErrorSample(
        "pad_constant_like", {"X": f64(2, 3), "Y": f64(3, 3)}, {}, ValueError, "exceed X's"
    ),
]
