"""Samples of best paths and of CTC's labels."""

from __future__ import annotations

import itertools

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def viterbi_decode(x, transition, lengths, include_bos_eos_tag=True):
    """Tries every path."""
    scores, paths = np.zeros(len(x), x.dtype), np.zeros((len(x), lengths.max(initial=0)), "int64")
    for i, length in enumerate(lengths):
        best = None
        for path in itertools.product(range(x.shape[2]), repeat=int(length)):
            score = sum(x[i, t, n] for t, n in enumerate(path))
            score += sum(transition[a, b] for a, b in itertools.pairwise(path))
            if include_bos_eos_tag and length:
                score += transition[-1, path[0]] + transition[-2, path[-1]]
            if best is None or score > best:
                best = score
                paths[i, :length] = path
        scores[i] = best
    return scores, paths


def _labels(row, blank, merge_repeated):
    kept, before = [], None
    for label in row:
        if label != blank and not (merge_repeated and label == before):
            kept.append(label)
        before = label
    return kept


def ctc_align(x, lengths, blank=0, merge_repeated=True, padding_value=0):
    if lengths is None:
        kept = _labels(x.reshape(-1), blank, merge_repeated)
        return np.array(kept or [-1], x.dtype).reshape(-1, 1), None
    out, counts = np.full_like(x, padding_value), np.zeros((len(x), 1), x.dtype)
    for i, (row, length) in enumerate(zip(x, lengths.reshape(-1), strict=True)):
        kept = _labels(row[:length], blank, merge_repeated)
        out[i, : len(kept)], counts[i] = kept, len(kept)
    return out, counts


def _paths(note, length, labels=3, steps=4, **attrs):
    inputs = {"Input": f64(len(length), steps, labels), "Transition": f64(labels, labels, key=1),
              "Length": np.array(length)}  # fmt: skip
    return Sample("viterbi_decode", inputs, attrs, viterbi_decode, static_shape=False, note=note)


def _aligned(note, x, length=None, **attrs):
    return Sample("ctc_align", {"Input": x, "InputLength": length}, attrs, ctc_align, note=note,
                  static_shape=length is not None)  # fmt: skip


ROWS = np.array([[0, 1, 1, 0, 1, 2], [2, 2, 2, 0, 0, 1], [0, 0, 0, 0, 0, 0]])
LENGTHS = np.array([[6], [4], [5]])

SAMPLES = [
    _paths("tags", [4, 1]),
    _paths("plain", [3, 4], include_bos_eos_tag=False),
    _paths("more", [5, 1, 3], labels=4, steps=5),
    _paths("shorter", [2, 2], include_bos_eos_tag=False),
    _aligned("merged", ROWS, LENGTHS),
    _aligned("repeated", ROWS, LENGTHS, merge_repeated=False, padding_value=-1),
    _aligned("blank", ROWS.astype("int32"), LENGTHS.astype("int32"), blank=2),
    _aligned("random", ints(5, 9, high=3), ints(5, 1, high=10)),
    _aligned("rows", ROWS[:1].T.copy()),
    _aligned("nothing", ROWS[2:].T.copy()),
]


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


X, T = f64(2, 3, 4), f64(4, 4)
ERRORS = [
    _bad("viterbi_decode", r"Transition \[n, n\]", Input=X, Transition=f64(3, 3), Length=ints(2)),
    _bad("viterbi_decode", r"Length in \[0, 3\], but received values from 1 to 4", Input=X,
         Transition=T, Length=np.array([1, 4])),
    _bad("viterbi_decode", "at least 3 labels", Input=X[..., :2], Transition=T[:2, :2],
         Length=np.array([1, 2])),
    _bad("ctc_align", "int32 or int64", TypeError, Input=f64(2, 3), InputLength=ints(2, 1)),
    _bad("ctc_align", r"InputLength \[batch, 1\]", Input=ROWS, InputLength=ints(2, 1)),
    _bad("ctc_align", r"expected Input \[steps, 1\]", Input=ROWS),
]  # fmt: skip
