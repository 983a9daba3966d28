"""Samples of convolutions, against a loop over filters and positions."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def _pads(sizes, kernel, strides, paddings, algorithm):
    rank = len(kernel)
    if algorithm == "VALID":
        return [(0, 0)] * rank
    if algorithm == "SAME":
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, strides)]
        return [(t // 2, t - t // 2) for t in total]
    if len(paddings) == rank:
        return [(p, p) for p in paddings]
    return list(zip(paddings[::2], paddings[1::2]))


def _first(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format.endswith("C") else x


def _back(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format.endswith("C") else x


def convolve(
    x, w, bias=None, residual=None, strides=(1, 1), paddings=(0, 0), padding_algorithm="EXPLICIT",
    groups=1, dilations=(1, 1), data_format="NCHW",
):  # fmt: skip
    """Convolution of any rank as sums over windows."""
    rank = w.ndim - 2
    x = _first(x, data_format)
    kernel = w.shape[2:]
    strides = (list(strides) * rank)[:rank]
    dilations = [1] * rank if padding_algorithm == "SAME" else (list(dilations) * rank)[:rank]
    paddings = list(paddings) if len(paddings) in (rank, 2 * rank) else [0] * rank
    pads = _pads(x.shape[2:], kernel, strides, paddings, padding_algorithm)
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    sizes = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *sizes), x.dtype)
    ins, outs = w.shape[1], w.shape[0] // groups
    for g, at in product(range(groups), product(*map(range, sizes))):
        window = tuple(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, s, d, k in zip(at, strides, dilations, kernel)
        )
        patch = x[(slice(None), slice(g * ins, (g + 1) * ins), *window)]
        filters = w[g * outs : (g + 1) * outs]
        out[(slice(None), slice(g * outs, (g + 1) * outs), *at)] = np.tensordot(
            patch, filters, (list(range(1, rank + 2)),) * 2
        )
    if bias is not None:
        out += bias.reshape([1, -1] + [1] * rank)
    out = _back(out, data_format)
    return out if residual is None else out + residual


def convolve3(x, w, residual=None, **attrs):
    return convolve(x, w, None, residual, **attrs)


def transpose(
    x, w, bias=None, strides=(1, 1), paddings=(0, 0), output_padding=(), output_size=(),
    padding_algorithm="EXPLICIT", groups=1, dilations=(1, 1), data_format="NCHW",
):  # fmt: skip
    """Transposed convolution: every element of x adds a scaled filter to the output."""
    rank = w.ndim - 2
    x = _first(x, data_format)
    strides = (list(strides) * rank)[:rank]
    dilations = [1] * rank if padding_algorithm == "SAME" else (list(dilations) * rank)[:rank]
    paddings = list(paddings) if len(paddings) in (rank, 2 * rank) else [0] * rank
    kernel = w.shape[2:]
    pads = _pads(x.shape[2:], kernel, strides, paddings, padding_algorithm)
    full = [
        (n - 1) * s + d * (k - 1) + 1 for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations)
    ]
    more = list(output_padding) or [0] * rank
    if len(output_size):
        more = [o - (f - sum(p)) for o, f, p in zip(output_size, full, pads)]
    outs, ins = w.shape[1], w.shape[0] // groups
    out = np.zeros((x.shape[0], outs * groups, *[f + m for f, m in zip(full, more)]), x.dtype)
    for g, at in product(range(groups), product(*map(range, x.shape[2:]))):
        window = tuple(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, s, d, k in zip(at, strides, dilations, kernel)
        )
        values = x[(slice(None), slice(g * ins, (g + 1) * ins), *at)]
        part = np.tensordot(values, w[g * ins : (g + 1) * ins], (1, 0))
        out[(slice(None), slice(g * outs, (g + 1) * outs), *window)] += part
    crop = tuple(slice(b, n - a) for (b, a), n in zip(pads, out.shape[2:]))
    out = out[(slice(None), slice(None), *crop)]
    if bias is not None:
        out = out + bias.reshape([1, -1] + [1] * rank)
    return _back(out, data_format)


def transpose3(x, w, **attrs):
    return transpose(x, w, None, **attrs)


_CONV2D = [
    ("plain", (2, 3, 5, 6), (4, 3, 3, 2), {}, True),
    ("stride_pad", (2, 2, 6, 5), (3, 2, 3, 3), {"strides": [2, 1], "paddings": [1, 2]}, True),
    ("uneven_pad", (1, 2, 5, 5), (2, 2, 3, 3), {"paddings": [1, 0, 0, 2]}, True),
    ("groups", (2, 4, 4, 4), (6, 2, 3, 3), {"groups": 2, "paddings": [1, 1]}, False),
    ("dilation", (1, 2, 7, 7), (2, 2, 3, 3), {"dilations": [2, 3]}, False),
    ("same", (1, 2, 5, 6), (2, 2, 3, 2), {"padding_algorithm": "SAME", "strides": [2, 2]}, False),
    ("valid", (1, 2, 5, 6), (2, 2, 3, 2), {"padding_algorithm": "VALID", "paddings": [3, 3]}, True),
    ("nhwc", (2, 5, 6, 3), (4, 3, 3, 2), {"data_format": "NHWC", "paddings": [1, 0, 0, 1]}, True),
    ("window_of_25", (2, 4, 6, 6), (3, 4, 5, 5), {"paddings": [1, 1]}, True),
    ("kernel_1", (1, 3, 3, 3), (2, 3, 1, 1), {}, True),
]


def _conv2d(note, x, w, attrs, bias):
    inputs = {"Input": f64(*x), "Filter": f64(*w, key=1)}
    if bias:
        inputs["Bias"] = f64(w[0], key=2)
    return Sample("conv2d", inputs, attrs, convolve, note=note, orders=2)


SAMPLES = [
    *[_conv2d(*case) for case in _CONV2D],
    Sample(
        "conv2d",
        {"Input": f64(1, 1, 3, 3), "Filter": f64(1, 1, 2, 2), "ResidualData": f64(1, 1, 2, 2)},
        {},
        convolve,
        note="residual",
    ),
    Sample(
        "depthwise_conv2d",
        {"Input": f64(2, 3, 5, 5), "Filter": f64(6, 1, 3, 3), "Bias": f64(6)},
        {"groups": 3, "paddings": [1, 1]},
        convolve,
    ),
    Sample(
        "depthwise_conv2d",
        {"Input": f64(1, 5, 4, 3), "Filter": f64(3, 1, 3, 3)},
        {"groups": 3, "strides": [2, 2], "data_format": "NHWC"},
        convolve,
        note="nhwc",
    ),
    Sample(
        "conv3d",
        {"Input": f64(1, 2, 4, 4, 5), "Filter": f64(3, 2, 2, 3, 3)},
        {"strides": [1, 2, 1], "paddings": [0, 1, 1]},
        convolve3,
    ),
    Sample(
        "conv3d",
        {"Input": f64(1, 3, 4, 4, 2), "Filter": f64(2, 1, 2, 2, 2)},
        {"groups": 2, "data_format": "NDHWC", "paddings": [1, 0, 0, 0, 0, 1]},
        convolve3,
        note="ndhwc",
    ),
    Sample(
        "conv2d_transpose",
        {"Input": f64(2, 3, 3, 4), "Filter": f64(3, 2, 3, 2), "Bias": f64(2)},
        {"strides": [2, 1]},
        transpose,
    ),
    Sample(
        "conv2d_transpose",
        {"Input": f64(1, 4, 3, 3), "Filter": f64(4, 2, 3, 3)},
        {"strides": [2, 2], "groups": 2, "paddings": [1, 0, 0, 1], "output_padding": [1, 0]},
        transpose,
        note="uneven_pad",
    ),
    Sample(
        "conv2d_transpose",
        {"Input": f64(1, 3, 3, 2), "Filter": f64(2, 2, 3, 3)},
        {"strides": [2, 2], "output_size": [8, 7], "data_format": "NHWC"},
        transpose,
        note="output_size_nhwc",
    ),
    Sample(
        "conv2d_transpose",
        {"Input": f64(1, 2, 3, 3), "Filter": f64(2, 1, 3, 3)},
        {"strides": [2, 2], "padding_algorithm": "SAME"},
        transpose,
        note="same",
    ),
    Sample(
        "conv2d_transpose",
        {"Input": f64(1, 2, 3, 3), "Filter": f64(2, 1, 2, 2)},
        {"dilations": [2, 3], "paddings": [1, 1]},
        transpose,
        note="dilation",
    ),
    Sample(
        "depthwise_conv2d_transpose",
        {"Input": f64(1, 3, 3, 3), "Filter": f64(3, 1, 2, 2), "Bias": f64(3)},
        {"groups": 3, "strides": [2, 2]},
        transpose,
    ),
    Sample(
        "conv3d_transpose",
        {"Input": f64(1, 2, 2, 3, 2), "Filter": f64(2, 2, 2, 2, 3)},
        {"strides": [1, 2, 1], "paddings": [0, 1, 0]},
        transpose3,
    ),
]


def _error(op, x, w, attrs, match, **more):
    return ErrorSample(op, {"Input": f64(*x), "Filter": f64(*w), **more}, attrs, ValueError, match)


ERRORS = [
    _error("conv2d", (1, 3, 4, 4), (2, 2, 3, 3), {}, "channels of Input"),
    _error("conv2d", (3, 4, 4), (2, 3, 3, 3), {}, "expected Input and Filter of 4 dimensions"),
    _error("conv2d", (1, 3, 4, 4), (2, 3, 3, 3), {"strides": [0, 1]}, "strides to be 2 positive"),
    _error("conv2d", (1, 3, 4, 4), (2, 3, 3, 3), {"paddings": [1]}, "paddings to hold 2 or 4"),
    _error(
        "conv2d", (1, 3, 4, 4), (2, 3, 3, 3), {"padding_algorithm": "X"}, "padding_algorithm to be"
    ),
    _error("conv2d", (1, 3, 4, 4), (2, 3, 3, 3), {"data_format": "CHW"}, "data_format to be one"),
    _error("conv3d", (1, 3, 4, 4, 4), (2, 2, 3, 3, 3), {}, "channels of Input"),
    _error("conv2d_transpose", (1, 3, 4, 4), (2, 2, 3, 3), {}, "as many filters as channels"),
    _error(
        "conv2d_transpose", (1, 2, 4, 4), (2, 2, 3, 3), {"output_size": [9, 6]}, r"output_size\[0\]"
    ),
    _error("conv2d_transpose", (1, 2, 4, 4), (2, 2, 3, 3), {"output_padding": [2, 0]}, r"\[0, 1\)"),
]
