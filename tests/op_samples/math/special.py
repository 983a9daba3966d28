"""Samples of special functions, medians, bounded norms and numbers spaced by powers."""

from __future__ import annotations

import numpy as np
import scipy.special

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints, pos


def nanmedian(x, axis=(), keepdim=True):
    axes = sorted({a % x.ndim for a in axis} or range(x.ndim))
    rest = [i for i in range(x.ndim) if i not in axes]
    out = np.zeros([x.shape[i] for i in rest], x.dtype)
    for at in np.ndindex(*out.shape):
        index = tuple(at[rest.index(i)] if i in rest else slice(None) for i in range(x.ndim))
        values = sorted(v for v in x[index].ravel() if v == v)
        half = len(values) // 2
        if not values:
            out[at] = np.nan
        elif len(values) % 2:
            out[at] = values[half]
        else:
            total = values[half - 1] + values[half]
            out[at] = total / 2 if x.dtype.kind == "f" else np.trunc(total / 2)
    return out.reshape([1 if i in axes else n for i, n in enumerate(x.shape)]) if keepdim else out


def renorm(x, p, axis, max_norm):
    out = np.moveaxis(x.copy(), axis, 0)
    for part in out:
        norm = np.sum(np.abs(part) ** p) ** (1 / p)
        if norm > max_norm:
            part *= max_norm / (norm + 1e-7)
    return np.moveaxis(out, 0, axis)


def logspace(start, stop, num, base, dtype):
    kind = {5: "float32", 6: "float64", 2: "int32"}[dtype]
    first, last, root = (float(v.astype(kind)[0]) for v in (start, stop, base))
    return (root ** np.linspace(first, last, int(num[0]))).astype(kind)


def polygamma(x, n):
    return scipy.special.polygamma(n, x)


def _holes():
    x = apart(3, 4, 2)
    x[0, :, 0] = np.nan
    x[1, 1:3, 1] = np.nan
    x[2, 0] = np.nan
    return x


def _spaced(note, start, stop, num, base, dtype=6):
    inputs = {"Start": np.array([start]), "Stop": np.array([stop]), "Num": np.array([num], "int32"),
              "Base": np.array([base])}  # fmt: skip
    return Sample("logspace", inputs, {"dtype": dtype}, logspace, static_shape=False, note=note)


def _norm(note, x, p, axis, most):
    attrs = {"p": p, "axis": axis, "max_norm": most}
    return Sample("renorm", {"X": x}, attrs, renorm, note=note, rtol=1e-6)


SAMPLES = [
    *[
        Sample(name, {"x": f64(3, 4) * 2}, ref=getattr(scipy.special, name), orders=2)
        for name in ("i0", "i0e", "i1", "i1e")
    ],
    Sample("polygamma", {"x": pos(3, 2)}, {"n": 0}, polygamma, orders=3, note="0"),
    Sample("polygamma", {"x": pos(3, 2)}, {"n": 1}, polygamma, note="1"),
    Sample("polygamma", {"x": pos(4)}, {"n": 3}, polygamma, orders=1, note="3"),
    Sample("nextafter", {"x": f64(3, 2), "y": f64(3, 2, key=1)}, ref=np.nextafter),
    Sample("nextafter", {"x": f64(3, 1), "y": f64(4)}, ref=np.nextafter, note="broadcast"),
    Sample("nanmedian", {"X": apart(3, 4)}, {}, nanmedian),
    Sample("nanmedian", {"X": apart(3, 4)}, {"axis": [0], "keepdim": False}, nanmedian, note="odd"),
    Sample("nanmedian", {"X": apart(3, 4, 2)}, {"axis": [1, -1]}, nanmedian, note="axes"),
    Sample("nanmedian", {"X": _holes()}, {"axis": [1]}, nanmedian, grad=[], note="holes"),
    Sample("nanmedian", {"X": ints(3, 4, low=-9)}, {"axis": [1], "keepdim": False}, nanmedian,
           note="ints"),
    _norm("rows", f64(3, 4), 2.0, 0, 1.5),
    _norm("middle", f64(2, 3, 2), 1.0, 1, 4.0),
    _norm("last", pos(2, 3), 3.0, -1, 0.5),
    _spaced("ten", 0.0, 3.0, 4, 10.0),
    _spaced("down", 2.0, -1.0, 7, 2.0),
    _spaced("one", 1.5, 3.0, 1, 3.0, 5),
    _spaced("ints", 0.0, 5.0, 6, 2.0, 2),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


_ONE = np.array([1.0])
ERRORS = [
    _bad("i0", "float32, float64", TypeError, x=ints(3)),
    _bad("polygamma", "not to be negative, but received -1", attrs={"n": -1}, x=pos(3)),
    _bad("nextafter", "Broadcast dimension mismatch", x=f64(3), y=f64(4)),
    _bad("nextafter", "one data type", TypeError, x=f64(3), y=f64(3).astype("float32")),
    _bad("nanmedian", r"range of \[-1, 0\]", attrs={"axis": [1]}, X=f64(3)),
    _bad("nanmedian", "at least one element", X=np.zeros((0, 2), "int64")),
    _bad("renorm", "p is expected to be positive", attrs={"p": 0.0, "axis": 0, "max_norm": 1.0},
         X=f64(3, 2)),
    _bad("renorm", "at least 2 dimensions", attrs={"p": 2.0, "axis": 0, "max_norm": 1.0}, X=f64(3)),
    _bad("logspace", "Num is expected to be positive, but received 0", attrs={"dtype": 5},
         Start=_ONE, Stop=_ONE, Num=np.array([0]), Base=_ONE),
]  # fmt: skip
