"""Samples of rows that belong together: segments, and neighbours in a graph."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints

_POOLS = {"SUM": np.sum, "MEAN": np.mean, "MAX": np.max, "MIN": np.min}


def _collected(x, index, rows, kind):
    out = np.zeros((rows, *x.shape[1:]), x.dtype)
    for row in range(rows):
        own = x[index == row]
        if len(own):
            pooled = _POOLS[kind](own, 0)
            out[row] = pooled if x.dtype.kind == "f" else np.trunc(pooled)
    return out, np.bincount(index, minlength=rows)


def segment_pool(x, ids, pooltype="SUM"):
    out, counts = _collected(x, ids.reshape(-1), int(ids.max()) + 1, pooltype)
    return out, counts[:, None].astype(x.dtype) if pooltype == "MEAN" else None


def graph_send_recv(x, source, target, size, reduce_op="SUM", out_size=(0,)):
    rows = int(size[0]) if size is not None else out_size[0]
    rows = rows if rows > 0 else len(x)
    out, counts = _collected(x[source], target, rows, reduce_op)
    return out, counts.astype("int32") if reduce_op == "MEAN" else None


IDS = np.array([0, 0, 2, 2, 2])
FROM, TO = np.array([0, 1, 2, 0, 3]), np.array([1, 2, 1, 0, 1])


def _pooled(x, kind, ids=IDS, **options):
    return Sample("segment_pool", {"X": x, "SegmentIds": ids}, {"pooltype": kind}, segment_pool,
                  static_shape=False, note=kind.lower(), **options)  # fmt: skip


def _sent(note, x, size=None, **attrs):
    inputs = {"X": x, "Src_index": FROM, "Dst_index": TO, "Out_size": size}
    return Sample("graph_send_recv", inputs, attrs, graph_send_recv, note=note,
                  static_shape=size is None)  # fmt: skip


SAMPLES = [
    *[_pooled(apart(5, 3), kind) for kind in _POOLS],
    _pooled(ints(5, 2), "MEAN", IDS.astype("int32")),
    _pooled(apart(5), "MAX"),
    *[_sent(kind.lower(), apart(4, 3), reduce_op=kind) for kind in _POOLS],
    _sent("fewer_rows", f64(4, 2), out_size=[3]),
    _sent("tensor", f64(4, 2, 2), np.array([6]), reduce_op="MEAN"),
    _sent("ints", ints(4, 2), reduce_op="MAX"),
]


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


X = f64(4, 2)
ERRORS = [
    _bad("segment_pool", "one of .*received 'FIRST'", attrs={"pooltype": "FIRST"}, X=f64(5),
         SegmentIds=IDS),
    _bad("segment_pool", "ascend from 0", X=f64(5), SegmentIds=IDS[::-1].copy()),
    _bad("segment_pool", "for each row of X", X=X, SegmentIds=IDS),
    _bad("segment_pool", "int32 or int64", TypeError, X=X, SegmentIds=f64(4)),
    _bad("graph_send_recv", r"Src_index in \[0, 4\), but they span \[0, 4\]", IndexError, X=X,
         Src_index=np.array([0, 4]), Dst_index=np.array([0, 1])),
    _bad("graph_send_recv", r"Dst_index in \[0, 2\)", IndexError, {"out_size": [2]}, X=X,
         Src_index=FROM, Dst_index=TO),
    _bad("graph_send_recv", "as many numbers", X=X, Src_index=FROM, Dst_index=TO[:2]),
    _bad("graph_send_recv", r"\[n\] or \[n, 1\]", X=X, Src_index=ints(2, 2), Dst_index=TO),
]  # fmt: skip
