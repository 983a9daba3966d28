"""Samples of conditional random fields, against a walk over every path."""

from __future__ import annotations

import itertools

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def _weight(emission, transition, path):
    """The score of one path through one sequence."""
    total = transition[0, path[0]] + transition[1, path[-1]]
    total += sum(emission[t, k] for t, k in enumerate(path))
    return total + sum(transition[a + 2, b] for a, b in itertools.pairwise(path))


def _paths(emission, transition):
    steps, tags = emission.shape
    every = list(itertools.product(range(tags), repeat=steps))
    return every, np.array([_weight(emission, transition, p) for p in every])


def _lengths(emission, length):
    return [emission.shape[1]] * len(emission) if length is None else list(length.reshape(-1))


def linear_chain_crf(emission, transition, label, length):
    label = label.reshape(emission.shape[:2])
    alpha, losses = np.zeros_like(emission), []
    for i, n in enumerate(_lengths(emission, length)):
        if n == 0:
            losses.append([0.0])
            continue
        _, weights = _paths(emission[i, :n], transition)
        losses.append(
            [np.log(np.exp(weights).sum()) - _weight(emission[i, :n], transition, label[i, :n])]
        )
        for t in range(n):
            every, weights = _paths(emission[i, : t + 1], transition)
            for path, weight in zip(every, weights, strict=True):
                alpha[i, t, path[-1]] += np.exp(weight - transition[1, path[-1]])
            alpha[i, t] /= alpha[i, t].sum()
    shares = np.exp(emission - emission.max(2, keepdims=True))
    return alpha, shares, np.exp(transition), np.array(losses, emission.dtype)


def crf_decoding(emission, transition, label, length):
    out = np.zeros(emission.shape[:2], "int64")
    for i, n in enumerate(_lengths(emission, length)):
        if n:
            every, weights = _paths(emission[i, :n], transition)
            out[i, :n] = every[int(weights.argmax())]
            if label is not None:
                out[i, :n] = out[i, :n] == label.reshape(out.shape)[i, :n]
    return out


def _large(emission, transition, label, length):
    """One tag is far better than the other at every step: the loss counts the steps lost."""
    alpha = np.zeros_like(emission)
    alpha[..., 1] = 1.0
    shares = alpha
    return alpha, shares, np.ones_like(transition), np.array([[3000.0]])


CHAIN = {"Emission": f64(4, 4, 3), "Transition": f64(5, 3), "Label": ints(4, 4, high=3)}
LENGTH = np.array([4, 2, 1, 0])
PADDED = CHAIN["Label"].copy()
PADDED[1, 2:], PADDED[2, 1:], PADDED[3] = 77, -5, 99
FAR = np.zeros((1, 3, 2))
FAR[..., 1] = 1000.0
DECODE = {k: v for k, v in CHAIN.items() if k != "Label"}

SAMPLES = [
    Sample("linear_chain_crf", CHAIN, ref=linear_chain_crf, orders=3),
    Sample(
        "linear_chain_crf",
        {**CHAIN, "Label": PADDED[..., None], "Length": LENGTH[:, None]},
        ref=linear_chain_crf,
        note="lengths",
    ),
    Sample(
        "linear_chain_crf",
        {"Emission": FAR, "Transition": np.zeros((4, 2)), "Label": np.zeros((1, 3), "int64")},
        ref=_large,
        note="far",
    ),
    Sample("crf_decoding", DECODE, ref=crf_decoding),
    Sample("crf_decoding", {**DECODE, "Length": LENGTH}, ref=crf_decoding, note="lengths"),
    Sample(
        "crf_decoding",
        {**CHAIN, "Label": PADDED, "Length": LENGTH[:, None]},
        ref=crf_decoding,
        note="compared",
    ),
]


def _bad(op, match, raises=ValueError, at_run="", **inputs):
    return ErrorSample(op, {**CHAIN, **inputs}, {}, raises, match, at_run)


ROWS = {"at_run": ErrorSample.LEVELS, "Emission": f64(4, 3), "Label": ints(4, 1, high=3)}


ERRORS = [
    _bad("linear_chain_crf", r"without levels \(LoD\)", **ROWS),
    _bad("linear_chain_crf", r"\[N, steps, tags\]", Emission=f64(4)),
    _bad("linear_chain_crf", r"Transition of shape \[5, 3\]", Transition=f64(3, 3)),
    _bad("linear_chain_crf", "a Length for each of 4", Length=LENGTH[:3]),
    _bad("linear_chain_crf", r"lengths in \[0, 4\]", IndexError, Length=LENGTH + 1),
    _bad("linear_chain_crf", r"labels in \[0, 3\)", IndexError, Label=PADDED),
    _bad("linear_chain_crf", r"Label of shape \[4, 4\]", Label=ints(4, 3)),
    _bad("crf_decoding", r"without levels \(LoD\)", **ROWS),
    _bad("crf_decoding", r"Transition of shape \[5, 3\]", Transition=f64(5, 4)),
]
