"""Samples of reductions and norms."""

from __future__ import annotations

import numpy as np
from scipy import special

from tests.op_samples.sample import ErrorSample, Sample, apart, bools, f64, ints, pos


def _axes(x, dim, reduce_all):
    return tuple(range(x.ndim)) if reduce_all or not dim else tuple(dim)


def _reduction(ref):
    def run(x, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
        out = np.asarray(ref(x, axis=_axes(x, dim, reduce_all), keepdims=keep_dim))
        return out.astype({-1: out.dtype, 3: "int64", 5: "float32"}[out_dtype])

    return run


def _family(op, ref, make=f64, **options):
    run = _reduction(ref)
    return [
        Sample(op, {"X": make(3, 4)}, ref=run, note="default", **options),
        Sample(op, {"X": make(2, 3, 4)}, {"dim": [-1, 0]}, run, note="two_axes", **options),
        Sample(
            op, {"X": make(2, 3, 4)}, {"dim": [1], "keep_dim": True}, run, note="keep", **options
        ),
        Sample(op, {"X": make(2, 3)}, {"reduce_all": True}, run, note="all", **options),
        Sample(
            op,
            {"X": make(2, 3)},
            {"reduce_all": True, "keep_dim": True},
            run,
            note="keep_all",
            **options,
        ),
        Sample(op, {"X": make(4)}, ref=run, note="vector", **options),
    ]


def _vector_norm(x, porder=2.0, axis=-1, epsilon=0, keepdim=False, asvector=False):
    axes = tuple(range(x.ndim)) if asvector else (axis,)
    size = np.abs(x)
    if porder == 0:
        return np.sum(size != 0, axis=axes, keepdims=keepdim).astype(x.dtype)
    if np.isinf(porder):
        return (np.max if porder > 0 else np.min)(size, axis=axes, keepdims=keepdim)
    return np.sum(size**porder, axis=axes, keepdims=keepdim) ** (1 / porder)


def _logsumexp(x, axis=(0,), keepdim=False, reduce_all=False):
    return special.logsumexp(x, axis=_axes(x, axis, reduce_all), keepdims=keepdim)


def _frobenius(x, axis, keepdims):
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


SAMPLES = [
    *_family("reduce_sum", np.sum, orders=3),
    *_family("reduce_mean", np.mean, orders=3),
    *_family("reduce_max", np.max, apart, orders=1),
    *_family("reduce_min", np.min, apart, orders=1),
    *_family("reduce_prod", np.prod, pos),
    *_family("frobenius_norm", _frobenius, pos),
    *_family("reduce_all", np.all, bools),
    *_family("reduce_any", np.any, bools),
    Sample(
        "reduce_sum",
        {"X": ints(3, 4, dtype="int32")},
        {"reduce_all": True, "in_dtype": 2, "out_dtype": 3},
        _reduction(np.sum),
        note="widened",
    ),
    Sample("reduce_sum", {"X": ints(3, 4)}, ref=_reduction(np.sum), note="int"),
    Sample(
        "reduce_sum",
        {"X": f64(3, 4)},
        {"in_dtype": 6, "out_dtype": 5},
        _reduction(np.sum),
        grad=[],
        rtol=1e-5,
        dtypes=(),
        note="narrowed",
    ),
    Sample("reduce_max", {"X": ints(3, 4)}, {"dim": [1]}, _reduction(np.max), note="int"),
    Sample("reduce_any", {"X": ints(3, 4, high=2)}, ref=_reduction(np.any), note="int"),
    Sample("mean", {"X": f64(3, 4)}, ref=np.mean, orders=3),
    Sample("logsumexp", {"X": f64(3, 4)}, ref=_logsumexp, orders=3),
    Sample("logsumexp", {"X": f64(2, 3, 4)}, {"axis": [0, -1], "keepdim": True}, _logsumexp),
    Sample("logsumexp", {"X": f64(2, 3) + 800}, {"reduce_all": True}, _logsumexp, note="big"),
    Sample("p_norm", {"X": pos(3, 4)}, ref=_vector_norm, orders=3),
    Sample("p_norm", {"X": apart(3, 4)}, {"porder": 1.0, "axis": 0}, _vector_norm, note="one"),
    Sample("p_norm", {"X": apart(3, 4)}, {"porder": 3.5, "keepdim": True}, _vector_norm),
    Sample("p_norm", {"X": apart(3, 4)}, {"porder": np.inf}, _vector_norm, orders=1, note="inf"),
    Sample("p_norm", {"X": apart(3, 4)}, {"porder": -np.inf}, _vector_norm, orders=1, note="-inf"),
    Sample("p_norm", {"X": apart(3, 4)}, {"porder": 0.0}, _vector_norm, note="zero"),
    Sample("p_norm", {"X": pos(3, 4)}, {"asvector": True}, _vector_norm, note="all"),
    Sample(
        "p_norm",
        {"X": pos(3, 4)},
        {"asvector": True, "keepdim": True},
        _vector_norm,
        note="all_keep",
    ),
    Sample("squared_l2_norm", {"X": f64(3, 4)}, ref=lambda x: np.sum(x * x), orders=3),
    Sample("l1_norm", {"X": apart(3, 4)}, ref=lambda x: np.sum(np.abs(x))),
    Sample("sum", {"X": [f64(2, 3), f64(2, 3, key=1), f64(2, 3, key=2)]}, ref=sum, orders=3),
    Sample("sum", {"X": [f64(2, 3)]}, ref=sum, note="one"),
]

ERRORS = [
    ErrorSample("reduce_sum", {"X": f64(2, 3)}, {"dim": [2]}, ValueError, r"\[-2, 2\).*received 2"),
    ErrorSample("reduce_max", {"X": f64(2)}, {"dim": [-2]}, ValueError, "received -2"),
    ErrorSample("reduce_mean", {"X": ints(2)}, {}, TypeError, "data types"),
    ErrorSample("logsumexp", {"X": ints(2)}, {}, TypeError, "expected floating values, got int64"),
    ErrorSample("sum", {"X": [f64(2), f64(3)]}, {}, ValueError, "mismatch"),
]
