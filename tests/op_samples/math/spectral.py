"""Samples of Fourier transforms and of frames."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def _dft(x, axis, sign):
    size = x.shape[axis]
    turn = np.exp(sign * 2j * np.pi * np.outer(np.arange(size), np.arange(size)) / size)
    return np.moveaxis(np.moveaxis(x, axis, -1) @ turn, -1, axis)


def _divisor(size, normalization, forward):
    if normalization == "ortho":
        return size**0.5
    return size if (normalization == "forward") == forward else 1


def fft_c2c(x, axes, normalization, forward):
    for axis in axes:
        x = _dft(x, axis, -1 if forward else 1)
        x = x / _divisor(x.shape[axis], normalization, forward)
    return x


def fft_r2c(x, axes, normalization, forward, onesided):
    out = fft_c2c(x, axes, normalization, forward)
    last = axes[-1]
    keep = x.shape[last] // 2 + 1 if onesided else x.shape[last]
    return np.take(out, range(keep), last)


def fft_c2r(x, axes, normalization, forward, last_dim_size=0):
    last = axes[-1]
    size = last_dim_size or 2 * (x.shape[last] - 1)
    for axis in axes[:-1]:
        x = _dft(x, axis, -1 if forward else 1)
        x = x / _divisor(x.shape[axis], normalization, forward)
    half = np.moveaxis(x, last, -1)
    turn = (-1 if forward else 1) * 2j * np.pi / size
    out = np.zeros((*half.shape[:-1], size))
    for k in range(min(half.shape[-1], size // 2 + 1)):
        twice = 1 if k in (0, size / 2) else 2
        for n in range(size):
            out[..., n] += twice * np.real(half[..., k] * np.exp(turn * k * n))
    return np.moveaxis(out, -1, last) / _divisor(size, normalization, forward)


def frame(x, frame_length, hop_length, axis=-1):
    size = x.shape[axis]
    starts = range(0, size - frame_length + 1, hop_length)
    if axis:
        return np.stack([x[..., s : s + frame_length] for s in starts], -1)
    return np.stack([x[s : s + frame_length] for s in starts])


def overlap_add(x, hop_length, axis=-1):
    x = x if axis else np.moveaxis(x, (0, 1), (-1, -2))
    length, count = x.shape[-2:]
    assert count, "a signal of no frames has no length"
    out = np.zeros((*x.shape[:-2], (count - 1) * hop_length + length), x.dtype)
    for i in range(count):
        out[..., i * hop_length : i * hop_length + length] += x[..., i]
    return out if axis else np.moveaxis(out, -1, 0)


def stft(x, window, n_fft, hop_length, normalized, onesided):
    frames = np.moveaxis(frame(x, n_fft, hop_length), -1, -2) * window
    out = fft_r2c(frames, [-1], "ortho" if normalized else "backward", True, onesided)
    return np.swapaxes(out, -1, -2)


Z = f64(2, 3, 4) + 1j * f64(2, 3, 4, key=1)


def _way(axes, normalization="backward", forward=True, **more):
    return {"axes": axes, "normalization": normalization, "forward": forward, **more}


def _c2c(note, *way):
    return Sample("fft_c2c", {"X": Z}, _way(*way), fft_c2c, note=note)


def _r2c(note, *way, onesided=True):
    return Sample("fft_r2c", {"X": f64(2, 5, 4)}, _way(*way, onesided=onesided), fft_r2c, note=note)


def _c2r(note, *way, size=0):
    return Sample("fft_c2r", {"X": Z}, _way(*way, last_dim_size=size), fft_c2r, note=note)


def _framed(note, x, length, hop, axis=-1):
    attrs = {"frame_length": length, "hop_length": hop, "axis": axis}
    return Sample("frame", {"X": x}, attrs, frame, orders=3, note=note)


def _added(note, x, hop, axis=-1):
    return Sample("overlap_add", {"X": x}, {"hop_length": hop, "axis": axis}, overlap_add,
                  orders=3, note=note)  # fmt: skip


def _short(x, window, hop, normalized=False, onesided=True):
    attrs = {"n_fft": len(window), "hop_length": hop, "normalized": normalized,
             "onesided": onesided}  # fmt: skip
    return Sample("stft", {"X": x, "Window": window}, attrs, stft, note=f"{normalized}_{onesided}")


SAMPLES = [
    _c2c("last", [-1]),
    _c2c("all", [0, 1, 2], "ortho"),
    _c2c("back", [1], "backward", False),
    _c2c("scaled", [2, 0], "forward"),
    _r2c("last", [-1]),
    _r2c("odd", [0, 1], "forward"),
    _r2c("back", [1], "backward", False),
    _r2c("whole", [2], "ortho", True, onesided=False),
    _c2r("last", [-1], "backward", False),
    _c2r("odd", [0, 2], "ortho", False, size=5),
    _c2r("forward", [1], "forward", True, size=4),
    _framed("vector", f64(7), 3, 2),
    _framed("apart", f64(2, 3, 7), 2, 3),
    _framed("first", f64(6, 2), 4, 1, 0),
    _added("last", f64(2, 3, 4), 2),
    _added("gaps", f64(2, 3), 4),
    _added("first", f64(4, 3, 2), 1, 0),
    Sample("overlap_add", {"X": ints(3, 4)}, {"hop_length": 1}, overlap_add, note="ints"),
    _short(f64(2, 9), f64(4), 2),
    _short(f64(2, 9), f64(5), 1, True, True),
    _short(f64(8), f64(3), 2, False, False),
]

ERRORS = [
    ErrorSample("fft_c2c", {"X": f64(3)}, _way([0]), TypeError, "expected complex64 or complex128"),
    ErrorSample("fft_c2c", {"X": Z}, _way([0, 0]), ValueError, "expected axes that differ"),
    ErrorSample("fft_c2c", {"X": Z}, _way([3]), ValueError, r"in range of \[-3, 2\]"),
    ErrorSample("fft_r2c", {"X": f64(3)}, _way([0], "none", onesided=True), ValueError,
                "normalization is expected"),
    ErrorSample("fft_r2c", {"X": Z}, _way([0], onesided=True), TypeError, "float32, float64"),
    ErrorSample("fft_c2r", {"X": Z[..., :1]}, _way([2]), ValueError, "at least one element"),
    ErrorSample("frame", {"X": f64(3)}, {"frame_length": 4, "hop_length": 1}, ValueError,
                "at most 3, the size of axis -1, but received 4"),
    ErrorSample("frame", {"X": f64(3)}, {"frame_length": 2, "hop_length": 0}, ValueError,
                "hop_length is expected to be positive"),
    ErrorSample("frame", {"X": f64(3, 4)}, {"frame_length": 2, "hop_length": 1, "axis": 1},
                ValueError, "0 or -1, but received 1"),
    ErrorSample("overlap_add", {"X": f64(3)}, {"hop_length": 1}, ValueError, "2 dimensions"),
    ErrorSample("stft", {"X": f64(9), "Window": f64(3)},
                {"n_fft": 4, "hop_length": 1, "normalized": False, "onesided": True}, ValueError,
                "Window of n_fft = 4 values"),
    ErrorSample("stft", {"X": f64(3), "Window": f64(4)},
                {"n_fft": 4, "hop_length": 1, "normalized": False, "onesided": True}, ValueError,
                "at most 3, the length of the signal"),
]  # fmt: skip
