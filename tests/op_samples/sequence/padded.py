"""Samples of operators of padded batches of sequences."""

from __future__ import annotations

import functools

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def row_conv(x, weight):
    out = np.zeros_like(x)
    for t in range(x.shape[1]):
        for k in range(min(weight.shape[0], x.shape[1] - t)):
            out[:, t] += x[:, t + k] * weight[k]
    return out


def add_position_encoding(x, alpha=1.0, beta=1.0):
    half = x.shape[2] // 2
    out = alpha * x
    for t in range(x.shape[1]):
        for k in range(half):
            angle = t / 10000.0 ** (k / (half - 1) if half > 1 else 1.0)
            out[:, t, k] += beta * np.sin(angle)
            out[:, t, half + k] += beta * np.cos(angle)
    return out


def _levenshtein(a, b):
    @functools.cache
    def between(i, j):
        if not i or not j:
            return i + j
        change = between(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(between(i - 1, j) + 1, between(i, j - 1) + 1, change)

    return between(len(a), len(b))


def edit_distance(hyps, refs, hyps_length, refs_length, normalized=False):
    out = []
    for i in range(len(hyps)):
        hyp = hyps[i] if hyps_length is None else hyps[i, : int(hyps_length.reshape(-1)[i])]
        ref = refs[i] if refs_length is None else refs[i, : int(refs_length.reshape(-1)[i])]
        found = _levenshtein(tuple(hyp), tuple(ref))
        out.append([found / len(ref) if normalized else found])
    return np.array([len(hyps)]), np.array(out, "float32")


STRINGS = {"Hyps": ints(6, 7, high=4), "Refs": ints(6, 5, high=4, key=1)}
LENGTHS = {"HypsLength": np.array([7, 0, 3, 4, 1, 6]), "RefsLength": np.array([5, 3, 1, 2, 5, 4])}

SAMPLES = [
    Sample("row_conv", {"X": f64(2, 5, 3), "Filter": f64(3, 3)}, ref=row_conv, orders=3),
    Sample("row_conv", {"X": f64(2, 2, 3), "Filter": f64(4, 3)}, ref=row_conv, note="short"),
    Sample("row_conv", {"X": f64(1, 3, 2), "Filter": f64(1, 2)}, ref=row_conv, note="itself"),
    Sample("add_position_encoding", {"X": f64(2, 4, 6)}, ref=add_position_encoding),
    Sample(
        "add_position_encoding",
        {"X": f64(2, 3, 2)},
        {"alpha": 0.5, "beta": -2.0},
        add_position_encoding,
        note="narrow",
    ),
    Sample("edit_distance", STRINGS, ref=edit_distance),
    Sample("edit_distance", {**STRINGS, **LENGTHS}, {"normalized": True}, edit_distance),
    Sample(
        "edit_distance",
        {**STRINGS, **LENGTHS, "RefsLength": np.array([[0], [0], [1], [2], [3], [4]])},
        ref=edit_distance,
        note="empty",
    ),
]


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


ERRORS = [
    ErrorSample(
        "row_conv", {"X": f64(5, 3), "Filter": f64(2, 3)}, {}, ValueError,
        r"without levels \(LoD\)", ErrorSample.LEVELS,
    ),
    _bad("row_conv", r"Filter of shape \[future steps \+ 1, 3\]", X=f64(1, 5, 3), Filter=f64(2, 2)),
    _bad("add_position_encoding", "even last dimension", X=f64(1, 2, 3)),
    _bad("add_position_encoding", r"\[N, steps, width\]", X=f64(2)),
    _bad("edit_distance", r"shapes \[N, steps\]", Hyps=ints(2, 3), Refs=ints(3, 3)),
    _bad(
        "edit_distance", "reference 1 is empty", attrs={"normalized": True}, **STRINGS,
        RefsLength=np.array([1, 0, 1, 1, 1, 1]),
    ),
    _bad("edit_distance", "each of 6 rows", **STRINGS, HypsLength=np.array([1])),
]  # fmt: skip
