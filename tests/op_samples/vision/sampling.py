"""Samples of resizing and rearranging images, against formulas."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def _weights(n, m, scale, method, align_corners, align_mode):
    """The m x n matrix that resizes one dimension."""
    out = np.zeros((m, n))
    ratio = (n - 1) / max(m - 1, 1) if align_corners else (1 / scale if scale > 0 else n / m)
    for i in range(m):
        if method == "nearest":
            out[i, min(int(ratio * i + (0.5 if align_corners else 0)), n - 1)] = 1
        elif method == "bicubic":
            at = ratio * i if align_corners else ratio * (i + 0.5) - 0.5
            low = int(np.floor(at))
            for j in range(low - 1, low + 3):
                out[i, min(max(j, 0), n - 1)] += _cubic(abs(at - j))
        else:
            at = ratio * i
            if not align_corners and align_mode == 0:
                at = max(ratio * (i + 0.5) - 0.5, 0)
            low = min(int(at), n - 1)
            out[i, low] += 1 - (at - low)
            out[i, min(low + 1, n - 1)] += at - low
    return out


def _cubic(t, a=-0.75):
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def _resizer(method):
    def run(
        x, out_size, sizes, scale_tensor, data_layout="NCHW", out_d=0, out_h=0, out_w=0, scale=(),
        interp_method="", align_corners=True, align_mode=1,
    ):  # fmt: skip
        last = data_layout.endswith("C")
        x = np.moveaxis(x, -1, 1) if last else x
        rank = x.ndim - 2
        scales = scale_tensor if scale_tensor is not None else scale
        scales = list(np.ravel(scales)) * (rank if np.size(scales) == 1 else 1)
        if sizes is not None:
            target, scales = [int(s[0]) for s in sizes], []
        elif scales and min(scales) > 0:
            target = [int(n * s) for n, s in zip(x.shape[2:], scales)]
        else:
            target, scales = [out_d, out_h, out_w][3 - rank :], []
        if out_size is not None and sizes is None:
            target = list(out_size)
        scales = scales or [0.0] * rank
        for axis, (m, s) in enumerate(zip(target, scales), 2):
            w = _weights(x.shape[axis], m, s, method, align_corners, align_mode)
            x = np.moveaxis(np.tensordot(w, x, (1, axis)), 0, axis)
        return np.moveaxis(x, 1, -1) if last else x

    return run


_SHAPES = {
    "linear": (2, 2, 4),
    "bilinear": (1, 2, 3, 4),
    "nearest": (1, 2, 3, 4),
    "bicubic": (1, 2, 3, 4),
    "trilinear": (1, 1, 2, 3, 2),
}


def _resize(op, attrs, note, shape=None, **inputs):
    method = op.split("_")[0]
    shape = shape or _SHAPES[method]
    # torch computes positions in float32 steps of the size ratio for float64 too
    return Sample(
        op, {"X": f64(*shape), **inputs}, attrs, _resizer(method), note=note, rtol=1e-5, atol=1e-6,
        grad=["X"],
    )  # fmt: skip


def _sizes(method):
    rank = len(_SHAPES[method]) - 2
    return dict(zip(["out_d", "out_h", "out_w"][3 - rank :], [3, 5, 7][3 - rank :]))


_RESIZES = []
for _method in _SHAPES:
    _plain, _v2 = f"{_method}_interp", f"{_method}_interp_v2"
    _size = _sizes(_method)
    _RESIZES += [
        _resize(_v2, {**_size, "align_corners": True}, "corners"),
        _resize(_v2, {**_size, "align_corners": False, "align_mode": 0}, "centres"),
        _resize(_v2, {**_size, "align_corners": False, "align_mode": 1}, "mode_1"),
        _resize(_v2, {"scale": [1.5], "align_corners": False, "align_mode": 0}, "scale"),
        _resize(_v2, {"scale": [1.7], "align_corners": False, "align_mode": 1}, "scale_mode_1"),
        _resize(_plain, {"scale": 2.0, "align_corners": False, "align_mode": 0}, "scale"),
        _resize(_plain, _size, "size"),
    ]


def unfold(x, kernel_sizes, strides, paddings, dilations):
    top, left, bottom, right = paddings
    x = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
    (kh, kw), (sh, sw), (dh, dw) = kernel_sizes, strides, dilations
    rows = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1
    cols = (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    out = [
        x[
            :,
            :,
            i * sh : i * sh + dh * (kh - 1) + 1 : dh,
            j * sw : j * sw + dw * (kw - 1) + 1 : dw,
        ].reshape(x.shape[0], -1)
        for i, j in product(range(rows), range(cols))
    ]
    return np.stack(out, -1)


def pixel_shuffle(x, upscale_factor=1, data_format="NCHW"):
    r = upscale_factor
    x = np.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    n, c, h, w = x.shape
    x = x.reshape(n, c // r**2, r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    x = x.reshape(n, c // r**2, h * r, w * r)
    return np.moveaxis(x, 1, -1) if data_format == "NHWC" else x


def pixel_unshuffle(x, downscale_factor=1, data_format="NCHW"):
    r = downscale_factor
    x = np.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    n, c, h, w = x.shape
    x = x.reshape(n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
    x = x.reshape(n, c * r**2, h // r, w // r)
    return np.moveaxis(x, 1, -1) if data_format == "NHWC" else x


def channel_shuffle(x, groups, data_format="NCHW"):
    order = np.arange(x.shape[-1 if data_format == "NHWC" else 1]).reshape(groups, -1).T.reshape(-1)
    return x[..., order] if data_format == "NHWC" else x[:, order]


def _place(value, size, padding_mode, align_corners):
    at = (value + 1) / 2 * (size - 1) if align_corners else ((value + 1) * size - 1) / 2
    if padding_mode == "border":
        at = min(max(at, 0), size - 1)
    elif padding_mode == "reflection":
        low, span = (0, size - 1) if align_corners else (-0.5, size)
        distance = abs(at - low) % (2 * span)
        at = low + min(distance, 2 * span - distance)
        at = min(max(at, 0), size - 1)
    return at


def grid_sampler(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True):
    n, c, h, w = x.shape
    out = np.zeros((n, c, *grid.shape[1:3]))

    def pixel(b, i, j):
        return x[b, :, i, j] if 0 <= i < h and 0 <= j < w else np.zeros(c)

    for b, i, j in product(range(n), *map(range, grid.shape[1:3])):
        px = _place(grid[b, i, j, 0], w, padding_mode, align_corners)
        py = _place(grid[b, i, j, 1], h, padding_mode, align_corners)
        if mode == "nearest":
            out[b, :, i, j] = pixel(b, round(py), round(px))
            continue
        top, left = int(np.floor(py)), int(np.floor(px))
        for di, dj in product((0, 1), (0, 1)):
            part = (1 - abs(py - top - di)) * (1 - abs(px - left - dj))
            out[b, :, i, j] += part * pixel(b, top + di, left + dj)
    return out


def affine_grid(theta, shape_tensor, output_shape=(), align_corners=True):
    _, _, h, w = output_shape if shape_tensor is None else shape_tensor

    def line(m):
        whole = np.linspace(-1, 1, m)
        return whole if align_corners else whole * (m - 1) / m

    x, y = np.meshgrid(line(w), line(h))
    points = np.stack([x, y, np.ones_like(x)], -1)
    return np.einsum("hwk,nck->nhwc", points, theta)


def temporal_shift(x, seg_num, shift_ratio=0.25, data_format="NCHW"):
    x = np.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    frames = x.reshape(-1, seg_num, *x.shape[1:])
    c = x.shape[1]
    low, high = int(c * shift_ratio), int(c * 2 * shift_ratio)
    out = frames.copy()
    out[:, 0, :low] = 0
    out[:, 1:, :low] = frames[:, :-1, :low]
    out[:, -1, low:high] = 0
    out[:, :-1, low:high] = frames[:, 1:, low:high]
    out = out.reshape(x.shape)
    return np.moveaxis(out, 1, -1) if data_format == "NHWC" else out


def _patches(note, shape, kernel, strides=(1, 1), paddings=(0, 0, 0, 0), dilations=(1, 1)):
    attrs = {
        "kernel_sizes": list(kernel),
        "strides": list(strides),
        "paddings": list(paddings),
        "dilations": list(dilations),
    }
    return Sample("unfold", {"X": f64(*shape)}, attrs, unfold, note=note)


_GRID = f64(2, 3, 2, 2, low=-0.9, high=0.9, key=5)
_WIDE = f64(2, 3, 2, 2, low=-1.7, high=1.7, key=6)

SAMPLES = [
    *_RESIZES,
    _resize("nearest_interp_v2", {"scale": [2.0, 1.0, 3.0], "align_corners": False}, "volume",
            (1, 1, 2, 3, 2)),
    _resize("nearest_interp_v2", {"scale": [2.3, 1.2], "align_corners": False}, "between_sizes",
            (1, 2, 3, 4)),
    _resize("bilinear_interp_v2", {"out_h": 4, "out_w": 5, "data_layout": "NHWC"}, "nhwc",
            (1, 3, 4, 2)),
    Sample(
        "bilinear_interp_v2",
        {"X": f64(1, 1, 2, 3), "OutSize": np.array([4, 5], "int32")},
        {}, _resizer("bilinear"), note="out_size", static_shape=False, rtol=1e-5,
    ),
    Sample(
        "bilinear_interp_v2",
        {"X": f64(1, 1, 2, 3), "SizeTensor": [np.array([4], "int32"), np.array([5], "int32")]},
        {}, _resizer("bilinear"), note="size_list", static_shape=False, rtol=1e-5,
    ),
    Sample(
        "nearest_interp_v2",
        {"X": f64(1, 1, 2, 3), "Scale": np.array([2.0], "float32")},
        {"align_corners": False}, _resizer("nearest"), note="scale_tensor", static_shape=False,
        grad=["X"],
    ),
    _patches("plain", (2, 3, 4, 5), (2, 3)),
    _patches("all", (1, 2, 6, 7), (2, 2), (2, 1), (1, 0, 2, 1), (2, 3)),
    Sample("pixel_shuffle", {"X": f64(2, 8, 2, 3)}, {"upscale_factor": 2}, pixel_shuffle),
    Sample(
        "pixel_shuffle", {"X": f64(1, 2, 3, 9)}, {"upscale_factor": 3, "data_format": "NHWC"},
        pixel_shuffle, note="nhwc",
    ),
    Sample("pixel_unshuffle", {"X": f64(2, 2, 4, 6)}, {"downscale_factor": 2}, pixel_unshuffle),
    Sample(
        "pixel_unshuffle", {"X": f64(1, 6, 3, 2)},
        {"downscale_factor": 3, "data_format": "NHWC"}, pixel_unshuffle, note="nhwc",
    ),
    Sample("channel_shuffle", {"X": f64(2, 6, 2, 3)}, {"groups": 3}, channel_shuffle),
    Sample(
        "channel_shuffle", {"X": f64(1, 2, 3, 6)}, {"groups": 2, "data_format": "NHWC"},
        channel_shuffle, note="nhwc",
    ),
    Sample("grid_sampler", {"X": f64(2, 2, 4, 5), "Grid": _GRID}, {}, grid_sampler, orders=1),
    *[
        Sample(
            "grid_sampler", {"X": f64(2, 2, 4, 5), "Grid": _WIDE},
            {"padding_mode": mode, "align_corners": corners}, grid_sampler, orders=1,
            note=f"{mode}_{corners}",
        )
        for mode in ("zeros", "border", "reflection") for corners in (True, False)
    ],
    Sample(
        "grid_sampler", {"X": f64(2, 2, 4, 5), "Grid": _GRID}, {"mode": "nearest"}, grid_sampler,
        grad=["X"], orders=1, note="nearest",
    ),
    Sample("affine_grid", {"Theta": f64(2, 2, 3)}, {"output_shape": [2, 1, 3, 4]}, affine_grid),
    Sample(
        "affine_grid", {"Theta": f64(1, 2, 3)},
        {"output_shape": [1, 1, 2, 3], "align_corners": False}, affine_grid, note="edges",
    ),
    Sample(
        "affine_grid", {"Theta": f64(1, 2, 3), "OutputShape": np.array([1, 1, 2, 2], "int32")}, {},
        affine_grid, note="tensor", static_shape=False,
    ),
    Sample("temporal_shift", {"X": f64(6, 8, 2, 2)}, {"seg_num": 3}, temporal_shift),
    Sample(
        "temporal_shift", {"X": f64(4, 1, 2, 5)},
        {"seg_num": 2, "shift_ratio": 0.4, "data_format": "NHWC"}, temporal_shift, note="nhwc",
    ),
]  # fmt: skip


def _bad(op, inputs, attrs, match):
    return ErrorSample(op, inputs, attrs, ValueError, match)


_X = {"X": f64(1, 2, 3, 4)}
ERRORS = [
    _bad("bilinear_interp_v2", {"X": f64(1, 2, 3)}, {"out_h": 2}, "X of 4 dimensions for bilinear"),
    _bad("nearest_interp_v2", _X, {}, "expected a positive size"),
    _bad("nearest_interp_v2", _X, {"scale": [0.1]}, "expected a positive size"),
    _bad("bilinear_interp_v2", _X, {"scale": [2.0, 2.0, 2.0]}, "scale of 2 numbers"),
    _bad(
        "unfold",
        _X,
        {"kernel_sizes": [4, 1], "strides": [1, 1], "paddings": [0] * 4, "dilations": [1, 1]},
        "at least one patch",
    ),
    _bad("pixel_shuffle", _X, {"upscale_factor": 2}, "divisible by the square"),
    _bad("pixel_unshuffle", {"X": f64(1, 1, 3, 4)}, {"downscale_factor": 2}, "divisible by down"),
    _bad("channel_shuffle", {"X": f64(1, 3, 2, 2)}, {"groups": 2}, "divisible by groups"),
    _bad("grid_sampler", {**_X, "Grid": f64(1, 2, 2, 2)}, {"mode": "cubic"}, "mode in"),
    _bad("affine_grid", {"Theta": f64(1, 3, 3)}, {"output_shape": [1, 1, 2, 2]}, "Theta of shape"),
    _bad("temporal_shift", _X, {"seg_num": 2}, r"N \* seg_num"),
]
