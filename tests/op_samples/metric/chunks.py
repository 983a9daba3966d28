"""Samples of chunk_eval against a walk along each sequence."""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, ints

OFFSETS = [0, 7, 7, 8, 20]
TAGS_OF = {"IOB": "BI", "IOE": "IE", "IOBES": "BIES", "plain": "I"}


def _chunks(tags, scheme, kinds):
    """(begin, end, kind) of the chunks of a sequence, one tag after the other."""
    letters = TAGS_OF[scheme]
    found, start = [], None
    for at in range(len(tags) + 1):
        kind, place = divmod(int(tags[at]), len(letters)) if at < len(tags) else (kinds, 0)
        if start is not None:
            before_kind, before = divmod(int(tags[at - 1]), len(letters))
            over = kind != before_kind or letters[before] in "ES"
            if over or letters[place] in "BS":
                found.append((start, at - 1, before_kind))
                start = None
        if start is None and kind < kinds:
            start = at
    return set(found)


def chunk_eval(found, label, lengths, *, num_chunk_types, chunk_scheme="IOB",
               excluded_chunk_types=(), offsets=None):  # fmt: skip
    if offsets is None:
        parts = [(row[:n], want[:n]) for row, want, n in zip(found, label, lengths, strict=True)]
    else:
        parts = [(found[a:b].ravel(), label[a:b].ravel()) for a, b in pairwise(offsets)]
    counts = np.zeros(3, "int64")
    for got, want in parts:
        sets = [{c for c in _chunks(tags, chunk_scheme, num_chunk_types)
                 if c[2] not in excluded_chunk_types} for tags in (got, want)]  # fmt: skip
        counts += [len(sets[0]), len(sets[1]), len(sets[0] & sets[1])]
    shares = [counts[2] / counts[i] if counts[i] else 0.0 for i in (0, 1)]
    f1 = 2 * shares[0] * shares[1] / sum(shares) if counts[2] else 0.0
    numbers = (np.array([n], "float32") for n in (*shares, f1))
    return *numbers, *(counts[i : i + 1] for i in range(3))


def _tags(high, key):
    """Predictions, and labels of which half agree with them."""
    a, b = ints(20, 1, high=high, key=key), ints(20, 1, high=high, key=(key, 1))
    return {"Inference": a, "Label": np.where(ints(20, 1, high=2, key=key) > 0, a, b)}


def _one(scheme, kinds, high, **attrs):
    return Sample(
        "chunk_eval", _tags(high, scheme),
        {"num_chunk_types": kinds, "chunk_scheme": scheme, **attrs},
        functools.partial(chunk_eval, offsets=OFFSETS), levels={"Inference": [OFFSETS]},
        note=scheme + "-excluded" * bool(attrs), rtol=1e-6,
    )  # fmt: skip


SAMPLES = [
    _one("IOB", 2, 5), _one("IOE", 2, 5), _one("IOBES", 1, 5), _one("plain", 3, 4),
    _one("IOB", 3, 7, excluded_chunk_types=[0, 2]),
    Sample("chunk_eval", {"Inference": ints(3, 5, high=5), "Label": ints(3, 5, high=5, key=1),
                          "SeqLength": np.array([5, 0, 3])}, {"num_chunk_types": 2}, chunk_eval,
           note="padded", rtol=1e-6),
]  # fmt: skip

BOTH = {"num_chunk_types": 2}
ERRORS = [
    ErrorSample("chunk_eval", _tags(5, 0), BOTH, ValueError, r"without levels \(LoD\)",
                ErrorSample.LEVELS),
    ErrorSample("chunk_eval", _tags(5, 0), {**BOTH, "chunk_scheme": "BIO"}, ValueError,
                "one of IOB, IOE, IOBES, plain"),
    ErrorSample("chunk_eval", _tags(9, 0), BOTH, IndexError, r"tags in \[0, 4\]",
                ErrorSample.LEVELS, {"Inference": [OFFSETS]}),
]  # fmt: skip
