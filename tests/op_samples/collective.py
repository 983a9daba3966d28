"""Samples of operators that exchange values, in a ring of one.

What several processes give is in tests/distributed/test_operators.py.
"""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def _same(x, **attrs):
    return x


_REDUCTIONS = ("sum", "max", "min", "prod")
_DIFFERENTIABLE = ("c_allreduce_sum", "mp_allreduce_sum", "c_identity", "alltoall")


def _identity(name: str, **attrs) -> Sample:
    grad = None if name in _DIFFERENTIABLE else []
    return Sample(name, {"X": f64(4, 3)}, attrs, _same, grad=grad, note=",".join(attrs))


def _listed(name: str) -> Sample:
    return Sample(name, {"X": [f64(2, 3), f64(4)]}, {}, lambda x, **_: x, grad=[])


def gather_rows(ids, values, columns):
    flat = [i.reshape(-1, 1) if c else i.reshape(-1) for i, c in zip(ids, columns, strict=True)]
    return flat, [v.reshape(-1, v.shape[-1]) for v in values]


def c_embedding(w, ids, start_index=0):
    out = np.zeros((*ids.shape, w.shape[1]), w.dtype)
    for at in np.ndindex(*ids.shape):
        row = ids[at] - start_index
        if 0 <= row < len(w):
            out[at] = w[row]
    return out


def loss(logits, label, ignore_index=-100, **_):
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    softmax = powers / powers.sum(-1, keepdims=True)
    label = label.reshape(*logits.shape[:-1], 1)
    chosen = np.take_along_axis(softmax, np.maximum(label, 0), -1)
    return softmax, np.where(label == ignore_index, 0.0, -np.log(chosen))


SAMPLES = [
    *(_identity(f"c_allreduce_{kind}") for kind in _REDUCTIONS),
    _identity("c_allreduce_sum", use_model_parallel=True),
    *(_identity(f"c_reduce_{kind}") for kind in _REDUCTIONS),
    _identity("mp_allreduce_sum"),
    _identity("allreduce", reduce_type=3),
    _identity("c_broadcast"),
    Sample("c_allgather", {"X": f64(4, 3)}, {"nranks": 1}, _same),
    _identity("c_reducescatter"),
    _identity("c_scatter", nranks=1),
    _identity("alltoall"),
    _identity("partial_allgather", nranks=1, rank=0),
    _identity("barrier"),
    _identity("c_sync_calc_stream"),
    _listed("c_sync_comm_stream"),
    _listed("c_wait_comm"),
    _listed("c_wait_compute"),
    Sample("depend", {"X": f64(2, 3), "Dep": [f64(4)]}, {}, lambda x, dep: x, grad=[]),
    _listed("all_reduce_list"),
    Sample(
        "gather_rows",
        {"Ids": [ints(2, 3), ints(4, 1)], "Values": [f64(2, 3, 5), f64(4, 2)]},
        {"columns": [False, True]}, gather_rows, grad=[], static_shape=False,
    ),
    _identity("c_identity"),
    Sample("c_concat", {"X": f64(2, 3)}, {}, _same),
    Sample("c_split", {"X": f64(2, 4)}, {}, _same),
    Sample("c_embedding", {"W": f64(5, 3), "Ids": ints(2, 4, high=5)}, {}, c_embedding),
    Sample(
        "c_embedding", {"W": f64(5, 3), "Ids": ints(7, high=12)}, {"start_index": 3}, c_embedding,
        note="part",
    ),
    Sample(
        "c_softmax_with_cross_entropy", {"Logits": f64(4, 5), "Label": ints(4, 1, high=5)}, {},
        loss, orders=1,
    ),
    Sample(
        "c_softmax_with_cross_entropy",
        {"Logits": f64(2, 3, 5), "Label": np.array([[0, -1, 4], [-1, 2, 1]])},
        {"ignore_index": -1}, loss, orders=1, note="ignored",
    ),
]  # fmt: skip

ERRORS = [
    ErrorSample("c_allgather", {"X": f64(2, 3)}, {"nranks": 0}, ValueError, "at least 1"),
    ErrorSample(
        "c_allgather", {"X": f64(2, 3)}, {"nranks": 2}, ValueError, "expected 1, the number",
        at_run="how many processes there are shows in a run",
    ),
    ErrorSample("c_reducescatter", {"X": f64(3, 3)}, {"nranks": 2}, ValueError, "can divide"),
    ErrorSample("c_scatter", {"X": f64(3, 3)}, {"nranks": 2}, ValueError, "can divide"),
    ErrorSample(
        "c_scatter", {"X": f64(3, 3)}, {"nranks": 0}, ValueError, "expected at least 1"
    ),
    ErrorSample(
        "c_broadcast", {"X": f64(2)}, {"root": 3}, ValueError, "expected a member of the ring",
        at_run="how many processes there are shows in a run",
    ),
    ErrorSample("c_broadcast", {"X": f64(2)}, {"root": -1}, ValueError, "expected a member"),
    ErrorSample("allreduce", {"X": f64(2)}, {"reduce_type": 9}, ValueError, "expected 0 to 3"),
    ErrorSample(
        "partial_allgather", {"X": f64(3)}, {"nranks": 2, "rank": 0}, ValueError, "can divide"
    ),
    ErrorSample("c_concat", {"X": f64(3)}, {"nranks": 0}, ValueError, "at least 1"),
    ErrorSample(
        "c_split", {"X": f64(2, 3)}, {"nranks": 2, "rank": 0}, ValueError, "can divide"
    ),
    ErrorSample(
        "c_split", {"X": f64(2, 4)}, {"nranks": 2, "rank": 2}, ValueError, "and rank"
    ),
    ErrorSample(
        "c_embedding", {"W": f64(4), "Ids": ints(2)}, {}, ValueError, "W to be a matrix"
    ),
    ErrorSample(
        "c_softmax_with_cross_entropy", {"Logits": f64(4, 5), "Label": ints(3, 1)}, {},
        ValueError, "a Label for each row",
    ),
]  # fmt: skip
