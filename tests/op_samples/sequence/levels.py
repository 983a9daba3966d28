"""Samples of operators on rows that are split into sequences, against loops over the sequences."""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints
from tests.op_samples.sequence import crf, padded

OFFSETS = [0, 3, 3, 4, 8]  # sequences of 3, 0, 1 and 4 rows
WHOLE = [0, 2, 3, 8]  # none of them empty
DEEP = [[0, 1, 3, 3], [0, 2, 6, 8]]  # texts of 1, 2 and 0 sentences of 2, 4 and 2 words


def _parts(x, offsets):
    return [x[a:b] for a, b in pairwise(offsets)]


def _padded(x, offsets):
    parts = _parts(x, offsets)
    made = np.zeros([len(parts), max(map(len, parts)), *x.shape[1:]], x.dtype)
    for row, part in zip(made, parts, strict=True):
        row[: len(part)] = part
    return made, np.diff(offsets)


def _rows(table, offsets):
    return np.concatenate(
        [row[: b - a] for row, (a, b) in zip(table, pairwise(offsets), strict=True)]
    )


# -- pooling, softmax, convolution ----------------------------------------------------------------


def sequence_pool(x, *, offsets, pooltype="AVERAGE", pad_value=0.0):
    pools = {
        "SUM": lambda p: p.sum(0), "AVERAGE": lambda p: p.mean(0), "MAX": lambda p: p.max(0),
        "SQRT": lambda p: p.sum(0) / np.sqrt(len(p)), "FIRST": lambda p: p[0],
        "LAST": lambda p: p[-1],
    }  # fmt: skip
    made = [pools[pooltype](p) if len(p) else np.full(x.shape[1:], pad_value)
            for p in _parts(x, offsets)]  # fmt: skip
    return np.array(made), None


def sequence_softmax(x, *, offsets):
    made = [np.exp(p - p.max()) / np.exp(p - p.max()).sum() for p in _parts(x, offsets) if len(p)]
    return np.concatenate(made)


def sequence_conv(x, _, weight, *, offsets, contextLength, contextStart=0):
    made = []
    for part in _parts(x, offsets):
        for t in range(len(part)):
            seen = [t + contextStart + k for k in range(contextLength)]
            window = [part[s] if 0 <= s < len(part) else np.zeros(x.shape[1]) for s in seen]
            made.append(np.concatenate(window) @ weight)
    return np.array(made)


# -- repeating, joining, cutting ------------------------------------------------------------------


def sequence_expand(x, y, *, own, times, ref_level=-1):
    parts = _parts(x, own or range(len(x) + 1))
    return np.concatenate([p for p, n in zip(parts, times, strict=True) for _ in range(n)])


def sequence_expand_as(x, y, *, offsets):
    return np.repeat(x, np.diff(offsets), 0)


def sequence_concat(tensors, *, levels):
    each = [_parts(x, offsets) for x, offsets in zip(tensors, levels, strict=True)]
    return np.concatenate([part for parts in zip(*each, strict=True) for part in parts])


def sequence_slice(x, start, length, *, offsets):
    cut = zip(_parts(x, offsets), start.ravel(), length.ravel(), strict=True)
    return np.concatenate([part[a : a + n] for part, a, n in cut])


def sequence_erase(x, *, tokens):
    return x[~np.isin(x.ravel(), tokens)]


# -- other forms ----------------------------------------------------------------------------------


def sequence_reverse(x, *, offsets):
    return np.concatenate([part[::-1] for part in _parts(x, offsets)])


def sequence_enumerate(x, *, offsets, win_size, pad_value=0):
    made = []
    for part in _parts(x.ravel(), offsets):
        longer = [*part, *[pad_value] * win_size]
        made += [longer[t : t + win_size] for t in range(len(part))]
    return np.array(made, x.dtype)


def sequence_scatter(x, ids, updates, *, offsets):
    made = x.copy()
    for row, places, values in zip(made, _parts(ids, offsets), _parts(updates, offsets),
                                   strict=True):  # fmt: skip
        np.add.at(row, places.ravel(), values.ravel())
    return made


def sequence_pad(x, value, *, offsets, padded_length=-1):
    parts = _parts(x, offsets)
    width = max(map(len, parts)) if padded_length < 0 else padded_length
    made = np.empty([len(parts), width, *x.shape[1:]], x.dtype)
    made[:] = value.reshape([]) if value.size == 1 else value
    for row, part in zip(made, parts, strict=True):
        row[: len(part)] = part
    return made, np.diff(offsets)


def sequence_unpad(x, length):
    return np.concatenate([row[:n] for row, n in zip(x, length, strict=True)])


# -- recurrent ------------------------------------------------------------------------------------

_ACT = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "tanh": np.tanh, "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
}  # fmt: skip


def _recurrent(x, offsets, reverse, states, step):
    """Runs a step along every sequence, one sequence after the other."""
    made = [np.zeros([len(x), state.shape[1]], x.dtype) for state in states]
    for i, (a, b) in enumerate(pairwise(offsets)):
        now = [state[i] for state in states]
        for row in range(b - 1, a - 1, -1) if reverse else range(a, b):
            now = step(x[row], *now)
            for whole, value in zip(made, now, strict=True):
                whole[row] = value
    return made


def _zeros(given, offsets, size):
    return np.zeros([len(offsets) - 1, size]) if given is None else given


def _lstm_step(weight, bias, peepholes, gate, cell, candidate):
    size = weight.shape[1] // 4
    gate, cell, candidate = _ACT[gate], _ACT[cell], _ACT[candidate]
    flat = bias.ravel()
    checks = flat[4 * size :].reshape(3, size) if peepholes else np.zeros((3, size))

    def step(row, h, c):
        total = row + h @ weight + flat[: 4 * size]
        new, entry, forget, leave = np.split(total, 4)
        i, f = gate(entry + c * checks[0]), gate(forget + c * checks[1])
        c = f * c + i * candidate(new)
        return gate(leave + c * checks[2]) * cell(c), c

    return step


def lstm(x, h0, c0, weight, bias, *, offsets, use_peepholes=True, is_reverse=False,
         gate_activation="sigmoid", cell_activation="tanh",
         candidate_activation="tanh"):  # fmt: skip
    size = weight.shape[0]
    step = _lstm_step(weight, bias, use_peepholes, gate_activation, cell_activation,
                      candidate_activation)  # fmt: skip
    states = [_zeros(h0, offsets, size), _zeros(c0, offsets, size)]
    return *_recurrent(x, offsets, is_reverse, states, step), None, None


def lstmp(x, h0, c0, weight, projection, bias, *, offsets, use_peepholes=True, is_reverse=False,
          proj_clip=0.0, proj_activation="tanh"):  # fmt: skip
    plain = _lstm_step(weight, bias, use_peepholes, "sigmoid", "tanh", "tanh")

    def step(row, r, c):
        h, c = plain(row, r, c)
        r = _ACT[proj_activation](h @ projection)
        return np.clip(r, -proj_clip, proj_clip) if proj_clip else r, c

    size, narrow = projection.shape
    states = [_zeros(h0, offsets, narrow), _zeros(c0, offsets, size)]
    return *_recurrent(x, offsets, is_reverse, states, step), None, None, None


def gru(x, h0, weight, bias, *, offsets, activation="tanh", gate_activation="sigmoid",
        is_reverse=False, origin_mode=False):  # fmt: skip
    size = len(weight)
    flat = weight.ravel()
    gates, own = (
        flat[: 2 * size * size].reshape(size, -1),
        flat[2 * size * size :].reshape(size, -1),
    )

    def step(row, h):
        row = row if bias is None else row + bias.ravel()
        u, r = np.split(_ACT[gate_activation](row[: 2 * size] + h @ gates), 2)
        c = _ACT[activation](row[2 * size :] + (r * h) @ own)
        return (u * h + (1 - u) * c if origin_mode else (1 - u) * h + u * c,)

    return None, None, None, *_recurrent(x, offsets, is_reverse, [_zeros(h0, offsets, size)], step)


def gru_pair_weights(weight, other, bias, other_bias):
    half = 2 * len(weight) ** 2
    flat = np.stack([weight.ravel(), other.ravel()])
    parts = (flat[:, :half], flat[:, half:])
    gates, own = (part.reshape(2, len(weight), -1) for part in parts)
    return gates, own, np.concatenate([bias, other_bias])


def gru_pair(xs, gates, own, bias, *, is_reverse, offsets=OFFSETS, **attrs):
    weights = [np.concatenate([g.ravel(), c.ravel()]) for g, c in zip(gates, own, strict=True)]
    return [
        gru(x, None, w.reshape(len(own[0]), -1), b, offsets=offsets, is_reverse=back, **attrs)[3]
        for x, w, b, back in zip(xs, weights, bias, is_reverse, strict=True)
    ]


# -- rows in place of a padded batch --------------------------------------------------------------


def add_position_encoding(x, *, offsets, alpha=1.0, beta=1.0):
    return _rows(padded.add_position_encoding(_padded(x, offsets)[0], alpha, beta), offsets)


def row_conv(x, weight, *, offsets):
    return _rows(padded.row_conv(_padded(x, offsets)[0], weight), offsets)


def linear_chain_crf(emission, transition, label, length, *, offsets):
    table, lengths = _padded(emission, offsets)
    alpha, shares, moves, loss = crf.linear_chain_crf(
        table, transition, _padded(label, offsets)[0], lengths
    )
    return _rows(alpha, offsets), _rows(shares, offsets), moves, loss


def crf_decoding(emission, transition, label, length, *, offsets):
    table, lengths = _padded(emission, offsets)
    label = None if label is None else _padded(label, offsets)[0]
    return _rows(crf.crf_decoding(table, transition, label, lengths), offsets)[:, None]


# -- beams ----------------------------------------------------------------------------------------


SOURCES = [0, 2, 4]  # two sources of two prefixes; in BEAMS the third prefix has ended


def beam_search(before, totals, ids, scores, *, level, beam_size, end_id):
    """Sorts all candidates of a source; of equal ones the later prefix, the earlier word."""
    chosen = [[] for _ in before]
    for a, b in pairwise(SOURCES):
        found = []
        for row in range(a, b):
            if before[row, 0] == end_id:
                found.append((-totals[row, 0], -row, 0, end_id))
            else:
                found += [(-s, -row, k, ids[row, k]) for k, s in enumerate(scores[row] * 1.0)]
        best = sorted(found)[:beam_size]
        if any(word != end_id or before[-row, 0] != end_id for _, row, _, word in best):
            for score, row, _, word in best:
                chosen[-row].append((word, -score, -row))
    flat = [one for row in chosen for one in row]
    words = np.array([[w] for w, _, _ in flat], before.dtype).reshape(-1, 1)
    values = np.array([[s] for _, s, _ in flat], scores.dtype).reshape(-1, 1)
    return words, values, np.array([r for _, _, r in flat], "int32")


BEAMS = {
    "pre_ids": np.array([[2], [3], [1], [4]]),
    "pre_scores": np.array([[0.1], [0.1], [0.95], [0.1]]),
    "ids": np.array([[7, 8], [5, 6], [8, 9], [6, 5]]),
    "scores": np.array([[0.9, 0.2], [0.8, 0.75], [0.99, 0.1], [0.7, 0.3]]),
}


def _one(op, inputs, ref, offsets=None, slot="X", note="", attrs=None, static=True, **more):
    offsets = OFFSETS if offsets is None else offsets
    return Sample(op, inputs, attrs or {}, functools.partial(ref, offsets=offsets), note=note,
                  static_shape=static, levels={slot: [offsets]}, **more)  # fmt: skip


def _plain(op, inputs, ref, levels, attrs=None, note="", **more):
    return Sample(
        op, inputs, attrs or {}, ref, note=note, static_shape=False, levels=levels, **more
    )


GATES = {"Input": f64(8, 12), "Weight": f64(3, 12), "Bias": f64(1, 12)}
PEEPING = {**GATES, "Bias": f64(1, 21)}
FIRST = {"H0": f64(4, 3), "C0": f64(4, 3, key=1)}
NARROW = {"Input": f64(8, 12), "Weight": f64(2, 12), "ProjWeight": f64(3, 2), "Bias": f64(1, 21)}
UNITS = {"Input": f64(8, 9), "Weight": f64(3, 9), "Bias": f64(1, 9)}
PAIR = {"Input": [f64(8, 9), f64(8, 9, key=1)], "Gates": f64(2, 3, 6), "Candidate": f64(2, 3, 3),
        "Bias": f64(2, 9)}  # fmt: skip
TAGS = {"Emission": f64(8, 3), "Transition": f64(5, 3)}

SAMPLES = [
    *[
        _one("sequence_pool", {"X": apart(8, 3)}, sequence_pool, note=kind.lower(), static=False,
             attrs={"pooltype": kind, "pad_value": 0.5})
        for kind in ("SUM", "AVERAGE", "SQRT", "MAX", "FIRST", "LAST")
    ],
    _one("sequence_softmax", {"X": f64(8, 1)}, sequence_softmax, orders=3),
    _one("sequence_softmax", {"X": f64(8)}, sequence_softmax, WHOLE, note="flat"),
    _one("sequence_conv", {"X": f64(8, 2), "Filter": f64(6, 4)}, sequence_conv,
         attrs={"contextLength": 3, "contextStart": -1}),
    _one("sequence_conv", {"X": f64(8, 2), "Filter": f64(4, 3)}, sequence_conv, WHOLE,
         attrs={"contextLength": 2, "contextStart": 1}, note="ahead"),
    _plain("sequence_expand", {"X": f64(4, 3), "Y": f64(8, 1)},
           functools.partial(sequence_expand, own=None, times=[3, 0, 1, 4]), {"Y": [OFFSETS]},
           grad=["X"]),
    _plain("sequence_expand", {"X": f64(8, 2), "Y": f64(8, 1)},
           functools.partial(sequence_expand, own=WHOLE, times=[1, 2, 0]),
           {"X": [WHOLE], "Y": DEEP}, {"ref_level": 0}, "sequences", grad=["X"]),
    _plain("sequence_expand_as", {"X": f64(4, 3), "Y": f64(8, 1)},
           functools.partial(sequence_expand_as, offsets=OFFSETS), {"Y": [OFFSETS]}, grad=["X"]),
    _plain("sequence_concat", {"X": [f64(8, 2), f64(8, 2, key=1)]},
           functools.partial(sequence_concat, levels=[OFFSETS, [0, 1, 5, 5, 8]]),
           {"X": [[OFFSETS], [[0, 1, 5, 5, 8]]]}),
    _one("sequence_slice", {"X": f64(8, 2), "Offset": np.array([[1], [0], [0], [1]]),
                            "Length": np.array([[2], [0], [1], [2]])}, sequence_slice,
         static=False),
    _plain("sequence_erase", {"X": ints(8, 1, high=4)}, sequence_erase, {"X": [OFFSETS]},
           {"tokens": [1, 3]}),
    _one("sequence_reverse", {"X": f64(8, 2)}, sequence_reverse, orders=3),
    _plain("sequence_reshape", {"X": f64(8, 2)}, lambda x, new_dim: x.reshape(-1, new_dim),
           {"X": [[0, 2, 2, 8]]}, {"new_dim": 4}),
    _one("sequence_enumerate", {"X": ints(8, 1)}, sequence_enumerate,
         attrs={"win_size": 3, "pad_value": 11}),
    _one("sequence_scatter", {"X": f64(4, 5), "Ids": ints(8, 1, high=5), "Updates": f64(8, 1)},
         sequence_scatter, slot="Ids", note="rows"),
    _one("sequence_pad", {"X": f64(8, 2), "PadValue": f64(1)}, sequence_pad, static=False,
         grad=["X"]),
    _one("sequence_pad", {"X": f64(8, 2), "PadValue": f64(2)}, sequence_pad, static=False,
         grad=["X"], attrs={"padded_length": 6}, note="each"),
    _plain("sequence_unpad", {"X": f64(3, 4, 2), "Length": np.array([2, 0, 4])}, sequence_unpad,
           {}),
    _plain("lod_reset", {"X": f64(8, 2)}, lambda x, y, **_: x, {}, {"target_lod": [0, 3, 8]}),
    _plain("lod_reset", {"X": f64(8, 2), "Y": ints(8, 1)}, lambda x, y, **_: x, {"Y": DEEP},
           note="like"),
    _plain("lod_reset", {"X": f64(8, 2), "Y": np.arange(9, dtype="int32")},
           lambda x, y, **_: x, {"X": [[0, 2, 8]]}, {"append": True}, "appended"),
    _one("lstm", PEEPING, lstm, slot="Input"),
    _one("lstm", {**GATES, **FIRST}, lstm, slot="Input", note="plain", orders=1,
         attrs={"use_peepholes": False, "is_reverse": True, "candidate_activation": "identity"}),
    _one("lstmp", NARROW, lstmp, slot="Input", orders=1),
    _one("lstmp", {**NARROW, "H0": f64(3, 2), "C0": f64(3, 3)}, lstmp, WHOLE, "Input", "clipped",
         {"is_reverse": True, "proj_activation": "identity", "proj_clip": 0.3}, orders=0),
    _one("gru", UNITS, gru, slot="Input"),
    _one("gru", {**UNITS, "H0": f64(3, 3), "Bias": None}, gru, WHOLE, "Input", "origin",
         {"origin_mode": True, "is_reverse": True, "activation": "identity"}, orders=1),
    _plain("gru_pair", PAIR, gru_pair, {"Input": [[OFFSETS], [OFFSETS]]},
           {"is_reverse": [False, True]}),
    _plain("gru_pair", PAIR, functools.partial(gru_pair, offsets=[0, 8]),
           {"Input": [[[0, 8]], [[0, 8]]]},
           {"is_reverse": [True, False], "origin_mode": True, "activation": "identity"}, "alone"),
    Sample("gru_pair_weights", {"Weight": f64(3, 9), "OtherWeight": f64(3, 9, key=1),
           "Bias": f64(1, 9), "OtherBias": f64(1, 9, key=1)}, {}, gru_pair_weights),
    _one("row_conv", {"X": f64(8, 3), "Filter": f64(3, 3)}, row_conv, note="rows", orders=1),
    _one("add_position_encoding", {"X": f64(8, 4)}, add_position_encoding, note="rows",
         attrs={"alpha": 0.5}),
    _one("linear_chain_crf", {**TAGS, "Label": ints(8, 1, high=3)}, linear_chain_crf,
         slot="Emission", note="rows", static=False, orders=1),
    _one("crf_decoding", TAGS, crf_decoding, slot="Emission", note="rows"),
    _one("crf_decoding", {**TAGS, "Label": ints(8, 1, high=3)}, crf_decoding, WHOLE, "Emission",
         "rows compared"),
    _plain("beam_search", BEAMS, beam_search, {"scores": [[0, 2, 4], [0, 1, 2, 3, 4]]},
           {"level": 0, "beam_size": 2, "end_id": 1}),
    _plain("beam_search", {**BEAMS, "pre_ids": np.ones((4, 1), "int64")}, beam_search,
           {"scores": [[0, 2, 4], [0, 1, 2, 3, 4]]}, {"level": 0, "beam_size": 2, "end_id": 1},
           "ended"),
]  # fmt: skip


def _bad(op, match, inputs, attrs=None, raises=ValueError, **levels):
    return ErrorSample(op, inputs, attrs or {}, raises, match, ErrorSample.LEVELS, levels)


ERRORS = [
    _bad("sequence_pool", r"without levels \(LoD\)", {"X": f64(8, 3)}),
    _bad("sequence_pool", "8 rows", {"X": f64(8, 3)},
         X=[[0, 4]]),
    _bad("sequence_pool", "pooltype to be one of SUM", {"X": f64(8, 3)}, {"pooltype": "MEAN"},
         X=[OFFSETS]),
    _bad("sequence_softmax", r"\[N\] or \[N, 1\]", {"X": f64(8, 3)}, X=[OFFSETS]),
    _bad("sequence_conv", "contextLength 3", {"X": f64(8, 2), "Filter": f64(4, 3)},
         {"contextLength": 3}, X=[OFFSETS]),
    _bad("sequence_conv", "1 level", {"X": f64(8, 2), "Filter": f64(2, 3)},
         {"contextLength": 1}, X=DEEP),
    _bad("sequence_expand", "ref_level to be -1 or a level", {"X": f64(4, 3), "Y": f64(8, 1)},
         {"ref_level": 1}, IndexError, Y=[OFFSETS]),
    _bad("sequence_expand", "each of the 3 sequences or rows", {"X": f64(3, 3), "Y": f64(8, 1)},
         Y=[OFFSETS]),
    _bad("sequence_expand_as", "each of the 3 rows", {"X": f64(3, 3), "Y": f64(8, 1)},
         Y=[OFFSETS]),
    _bad("sequence_concat", r"as many sequences each, but received \[4, 3\]",
         {"X": [f64(8, 2), f64(8, 2)]}, X=[[OFFSETS], [WHOLE]]),
    _bad("sequence_slice", "within a sequence of 3 rows",
         {"X": f64(8, 2), "Offset": np.full((4, 1), 2), "Length": np.full((4, 1), 2)},
         raises=IndexError, X=[OFFSETS]),
    _bad("sequence_reshape", "rows of 3", {"X": f64(8, 2)}, {"new_dim": 3}, X=[OFFSETS]),
    _bad("sequence_pad", "at least 4", {"X": f64(8, 2), "PadValue": f64(1)}, {"padded_length": 3},
         X=[OFFSETS]),
    _bad("sequence_unpad", r"Length in \[0, 4\]", {"X": f64(2, 4), "Length": np.array([5, 1])},
         raises=IndexError),
    _bad("lod_reset", "end at the 8 rows", {"X": f64(8, 2)}, {"target_lod": [0, 3]}),
    _bad("lod_reset", "start with 0 and rise", {"X": f64(8, 2)}, {"target_lod": [1, 8]}),
    _bad("lod_reset", "neither", {"X": f64(8, 2)}),
    _bad("lstm", r"Bias of shape \[1, 21\]", GATES, Input=[OFFSETS]),
    _bad("lstm", "activation of sigmoid", PEEPING, {"gate_activation": "gelu"}, Input=[OFFSETS]),
    _bad("lstm", r"H0 of shape \[4, 3\]", {**PEEPING, "H0": f64(3, 3)}, Input=[OFFSETS]),
    _bad("gru_pair_weights", r"expected Weight and OtherWeight \[size, 3 \* size\]",
         {"Weight": f64(2, 9), "OtherWeight": f64(3, 9), "Bias": f64(1, 9),
          "OtherBias": f64(1, 9)}),
    _bad("gru_pair", "expected two of Input, Gates and is_reverse, but received 2, 2 and 1", PAIR,
         {"is_reverse": [True]}, Input=[[OFFSETS], [OFFSETS]]),
    _bad("gru_pair", "expected an activation of", PAIR,
         {"is_reverse": [True, False], "activation": "elu"}, Input=[[[0, 8]], [[0, 8]]]),
    _bad("gru", r"Input \[N, 3 \* size\]", {**UNITS, "Weight": f64(3, 8)}, Input=[OFFSETS]),
    _bad("lstmp", r"ProjWeight of shape \[3, 2\]", {**NARROW, "ProjWeight": f64(2, 3)},
         Input=[OFFSETS]),
    _bad("beam_search", "level from 0 to 0", BEAMS, {"level": 1, "beam_size": 2, "end_id": 1},
         scores=[OFFSETS[:1] + [2, 4]]),
    _bad("linear_chain_crf", "a tag for each of 8 rows", {**TAGS, "Label": ints(7, 1, high=3)},
         Emission=[OFFSETS]),
]  # fmt: skip
