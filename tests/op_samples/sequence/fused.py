"""Samples of fused operators over sequences of rows, and of cudnn_lstm, against loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints
from tests.op_samples.sequence import levels

OFFSETS = [0, 3, 3, 4, 8]
TALL, WIDE = [0, 2, 3], [0, 3, 4]  # tables of 2 x 3 and 1 x 1


def _logistic(x):
    return 1 / (1 + np.exp(-x))


def fusion_lstm(x, weight_x, weight, bias, h0, c0, **attrs):
    attrs.pop("use_seq", None)
    made = levels.lstm(x @ weight_x, h0, c0, weight, bias, offsets=OFFSETS, **attrs)
    return *made[:2], *[None] * 7


def fusion_gru(x, h0, weight_x, weight, bias, **attrs):
    return None, *levels.gru(x @ weight_x, h0, weight, bias, offsets=OFFSETS, **attrs)


def fused_embedding_fc_lstm(ids, table, weight, bias, h0, c0, **attrs):
    flat = bias.copy()
    flat[:, : 4 * len(weight)] = 0
    made = levels.lstm(table[ids.ravel()], h0, c0, weight, flat, offsets=OFFSETS, **attrs)
    return *made[:2], *[None] * 6


def attention_lstm(x, c0, h0, weight, bias, scalar, scalar_bias, lstm_weight, lstm_bias):
    width, size = x.shape[1], c0.shape[1]
    hidden, cells = np.zeros((len(x), size)), np.zeros((len(x), size))
    for i, (a, b) in enumerate(pairwise(OFFSETS)):
        h, c = (np.zeros(size) if h0 is None else h0[i]), c0[i]
        for t in range(a, b):
            score = x[a:b] @ weight[:width, 0] + c @ weight[width:, 0]
            score = np.maximum(score + (0 if bias is None else bias.item()), 0)
            if scalar is not None:
                score = np.maximum(score * scalar.item() + scalar_bias.item(), 0)
            share = np.exp(score) / np.exp(score).sum()
            gates = np.concatenate([h, share @ x[a:b]]) @ lstm_weight + lstm_bias.ravel()
            forget, entry, leave = np.split(_logistic(gates[: 3 * size]), 3)
            c = forget * c + entry * np.tanh(gates[3 * size :])
            h = leave * np.tanh(c)
            hidden[t], cells[t] = h, c
    return hidden, cells, None, None, None, None


def fusion_seqconv(x, weight, bias, **attrs):
    attrs.pop("contextStride", None)
    made = levels.sequence_conv(x, None, weight, offsets=OFFSETS, **attrs)
    return np.maximum(made + bias, 0), None


def fusion_seqexpand(tensors, weight, bias, *, fc_activation="identity"):
    rows = [tensors[0], *(np.repeat(x, np.diff(OFFSETS), 0) for x in tensors[1:])]
    out = np.concatenate(rows, 1) @ weight + (0 if bias is None else bias)
    return (np.tanh(out) if fc_activation == "tanh" else out), None


def _sums(tensors):
    return [np.array([x[a:b].sum(0) for a, b in pairwise(OFFSETS)]) for x in tensors]


def fusion_seqpool(tensors, **attrs):
    return np.concatenate(_sums(tensors), 1)


def fusion_seqpool_cvm(tensors, cvm, *, use_cvm=True, **attrs):
    made = []
    for part in _sums(tensors):
        show, click = np.log(part[:, :1] + 1), np.log(part[:, 1:2] + 1)
        made += [show, click - show, part[:, 2:]] if use_cvm else [part[:, 2:]]
    return np.concatenate(made, 1)


def embedding_pool(table, ids, *, padding_idx=-1, **attrs):
    rows = np.where(ids.reshape(-1, 1) == padding_idx, 0, table[ids.ravel()])
    return _sums([rows.reshape(len(ids), -1)])[0]


def topk_pooling(x, row, column, *, topks, channel_num):
    made, at = [], 0
    for (a, b), (c, d) in zip(pairwise(TALL), pairwise(WIDE), strict=True):
        count = channel_num * (b - a) * (d - c)
        table = np.sort(x.ravel()[at : at + count].reshape(channel_num, b - a, d - c))[..., ::-1]
        sums = [[table[n, r, :k].sum() / k for n in range(channel_num) for k in topks]
                for r in range(b - a)]  # fmt: skip
        made += sums
        at += count
    return np.array(made), None


def cudnn_lstm(
    x, h, c, weight, listed, lengths, cache, *, hidden_size, num_layers, is_bidirec=False, **attrs
):
    """Layer after layer, step after step; weights are cut off the front of the vector."""
    ways, at = 2 if is_bidirec else 1, 0
    matrices, sizes = [], []
    for layer in range(num_layers):
        seen = hidden_size * ways if layer else x.shape[2]
        sizes += [(4 * hidden_size, seen), (4 * hidden_size, hidden_size)] * ways
    sizes += [(4 * hidden_size,)] * (2 * num_layers * ways)
    for shape in sizes:
        count = int(np.prod(shape))
        matrices.append(weight.ravel()[at : at + count].reshape(shape))
        at += count
    biases, ends = matrices[2 * num_layers * ways :], []
    for layer in range(num_layers):
        outs = []
        for way in range(ways):
            k = layer * ways + way
            now, cell, made = h[k], c[k], [None] * len(x)
            for t in range(len(x))[:: -1 if way else 1]:
                gates = x[t] @ matrices[2 * k].T + now @ matrices[2 * k + 1].T
                entry, forget, new, leave = np.split(
                    gates + biases[2 * k] + biases[2 * k + 1], 4, 1
                )
                cell = _logistic(forget) * cell + _logistic(entry) * np.tanh(new)
                now = made[t] = _logistic(leave) * np.tanh(cell)
            outs.append(np.array(made).reshape(len(x), *now.shape))
            ends.append((now, cell))
        x = np.concatenate(outs, -1)
    last = [np.array(e) for e in zip(*ends, strict=True)]
    return x, *last, *last, None, None


def _one(op, inputs, ref, slot="X", **more):
    return Sample(op, inputs, more.pop("attrs", {}), ref, levels={slot: [OFFSETS]}, **more)


def _pools(op, inputs, ref, **more):
    where = {"X": [[OFFSETS]] * len(inputs["X"])}
    return Sample(op, inputs, more.pop("attrs", {}), ref, levels=where, static_shape=False, **more)


LSTM = {"X": f64(8, 2), "WeightX": f64(2, 12), "WeightH": f64(3, 12), "Bias": f64(1, 21)}
GRU = {"X": f64(8, 2), "WeightX": f64(2, 9), "WeightH": f64(3, 9), "Bias": f64(1, 9)}
WORDS = {"Ids": ints(8, 1, high=5), "Embeddings": f64(5, 12), "WeightH": f64(3, 12),
         "Bias": f64(1, 12)}  # fmt: skip
ATTENTION = {"X": f64(8, 2), "C0": f64(4, 3), "AttentionWeight": f64(5, 1),
             "LSTMWeight": f64(5, 12), "LSTMBias": f64(1, 12)}  # fmt: skip
SCALED = {"H0": f64(4, 3), "AttentionBias": f64(1, 1), "AttentionScalar": f64(1, 1),
          "AttentionScalarBias": f64(1, 1)}  # fmt: skip
CONV = {"X": f64(8, 2), "Filter": f64(6, 4), "Bias": f64(1, 4)}
BESIDE = {"X": [f64(8, 2), f64(4, 3)], "FCWeight": f64(5, 2)}
BEST = {"X": apart(14, 1), "ROW": f64(3, 1), "COLUMN": f64(4, 1)}
NET = {"Input": f64(4, 2, 2), "InitH": f64(2, 2, 3), "InitC": f64(2, 2, 3, key=1),
       "W": f64(84 + 96)}  # fmt: skip
BOTH = {**NET, "W": f64(2 * 84)}
SIZES = {"hidden_size": 3, "num_layers": 2, "input_size": 2}


def _dropped(outs, inputs, attrs):
    """The first layer is as it is without dropout; the second one is not."""
    values = [inputs.get(slot) for slot in ("Input", "InitH", "InitC", "W")]
    plain = cudnn_lstm(*values, None, None, None, **attrs)
    np.testing.assert_allclose(outs[1].numpy()[0], plain[1][0], rtol=1e-9)
    assert np.abs(outs[0].numpy() - plain[0]).max() > 1e-3


SAMPLES = [
    _one("fusion_lstm", LSTM, fusion_lstm, attrs={"use_peepholes": True}),
    _one("fusion_lstm", {**LSTM, "Bias": f64(1, 12), "H0": f64(4, 3), "C0": f64(4, 3)}, fusion_lstm,
         attrs={"use_peepholes": False, "is_reverse": True}, note="first"),
    _one("fusion_gru", GRU, fusion_gru),
    _one("fusion_gru", {**GRU, "H0": f64(4, 3)}, fusion_gru, note="first",
         attrs={"is_reverse": True, "origin_mode": True}),
    _one("fused_embedding_fc_lstm", WORDS, fused_embedding_fc_lstm, slot="Ids",
         attrs={"use_peepholes": False}),
    _one("attention_lstm", ATTENTION, attention_lstm),
    _one("attention_lstm", {**ATTENTION, **SCALED}, attention_lstm, note="scaled"),
    _one("fusion_seqconv_eltadd_relu", CONV, fusion_seqconv,
         attrs={"contextLength": 3, "contextStart": -1}),
    Sample("fusion_seqexpand_concat_fc", {**BESIDE, "FCBias": f64(1, 2)}, {"fc_activation": "tanh"},
           fusion_seqexpand, levels={"X": [[OFFSETS], []]}),
    Sample("fusion_seqexpand_concat_fc", BESIDE, {}, fusion_seqexpand, note="plain",
           levels={"X": [[OFFSETS], []]}),
    _pools("fusion_seqpool_concat", {"X": [f64(8, 2), f64(8, 3)]}, fusion_seqpool),
    _pools("fusion_seqpool_cvm_concat", {"X": [f64(8, 3, low=0), f64(8, 4, low=0)],
                                         "CVM": f64(4, 2)}, fusion_seqpool_cvm),
    _pools("fusion_seqpool_cvm_concat", {"X": [f64(8, 3), f64(8, 4)], "CVM": f64(4, 2)},
           fusion_seqpool_cvm, attrs={"use_cvm": False}, note="without"),
    _one("fused_embedding_seq_pool", {"W": f64(5, 3), "Ids": ints(8, 2, high=5)}, embedding_pool,
         slot="Ids", static_shape=False),
    _one("fused_embedding_seq_pool", {"W": f64(5, 3), "Ids": ints(8, 1, high=5)}, embedding_pool,
         slot="Ids", static_shape=False, attrs={"padding_idx": 2}, note="padding"),
    _one("fused_embedding_seq_pool", {"W": f64(5, 3), "Ids": ints(8, 1, 2, 1, high=5)},
         embedding_pool, slot="Ids", static_shape=False, note="more dimensions"),
    Sample("sequence_topk_avg_pooling", BEST, {"topks": [1, 2, 4], "channel_num": 2}, topk_pooling,
           grad=["X"], levels={"ROW": [TALL], "COLUMN": [WIDE]}),
    Sample("cudnn_lstm", NET, SIZES, cudnn_lstm, orders=1),
    Sample("cudnn_lstm", BOTH, {**SIZES, "num_layers": 1, "is_bidirec": True}, cudnn_lstm,
           orders=1, note="both"),
    Sample("cudnn_lstm", NET, {**SIZES, "dropout_prob": 0.5}, check=_dropped, grad=[],
           note="dropped"),
]  # fmt: skip


def _bad(op, match, inputs, attrs=None, raises=ValueError, **where):
    return ErrorSample(op, inputs, attrs or {}, raises, match, ErrorSample.LEVELS, where)


ERRORS = [
    _bad("fusion_lstm", r"WeightX \[width, gates", {**LSTM, "WeightX": f64(3, 12)}, X=[OFFSETS]),
    _bad("fusion_gru", r"WeightX \[width, gates", {**GRU, "WeightX": f64(3, 9)}, X=[OFFSETS]),
    _bad("fused_embedding_fc_lstm", r"Ids in \[0, 5\)", {**WORDS, "Ids": ints(8, 1, low=5)},
         {"use_peepholes": False}, IndexError, Ids=[OFFSETS]),
    _bad("attention_lstm", r"AttentionWeight \[5, 1\]",
         {**ATTENTION, "AttentionWeight": f64(4, 1)}, X=[OFFSETS]),
    _bad("fusion_seqconv_eltadd_relu", "contextLength 2", CONV, {"contextLength": 2}, X=[OFFSETS]),
    _bad("fusion_seqexpand_concat_fc", "each of 4 sequences",
         {"X": [f64(8, 2), f64(3, 3)], "FCWeight": f64(5, 2)}, X=[[OFFSETS], []]),
    _bad("fusion_seqpool_concat", "as many sequences each", {"X": [f64(8, 2), f64(8, 2)]},
         X=[[OFFSETS], [[0, 8]]]),
    _bad("fusion_seqpool_cvm_concat", "pooltype SUM",
         {"X": [f64(8, 2)], "CVM": f64(4, 2)}, {"pooltype": "MAX"}, NotImplementedError,
         X=[[OFFSETS]]),
    _bad("fused_embedding_seq_pool", "combiner 'sum'",
         {"W": f64(5, 3), "Ids": ints(8, 1, high=5)}, {"combiner": "mean"}, Ids=[OFFSETS]),
    _bad("fused_embedding_seq_pool", r"Ids \[N, columns\]",
         {"W": f64(5, 3), "Ids": ints(8, high=5)}, Ids=[OFFSETS]),
    _bad("sequence_topk_avg_pooling", "2 tables", {**BEST, "X": f64(13, 1)},
         {"topks": [1], "channel_num": 2}, ROW=[TALL], COLUMN=[WIDE]),
    ErrorSample("cudnn_lstm", {**NET, "W": f64(9)}, SIZES, ValueError, "W of 180 elements"),
    ErrorSample("cudnn_lstm", {**NET, "InitH": f64(1, 2, 3)}, SIZES, ValueError,
                r"InitC \[2, 2, 3\]"),
]  # fmt: skip
