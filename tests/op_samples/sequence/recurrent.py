"""Samples of recurrent units and networks, beside loops over time."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64

TIME, BATCH, SIZE, HIDDEN = 4, 3, 2, 3
X = f64(TIME, BATCH, SIZE, key="x")
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
ACTIVATIONS = [
    lambda x: x,
    lambda x: 1 / (1 + np.exp(-x)),
    np.tanh,
    lambda x: np.maximum(x, 0),
]
_sigmoid = ACTIVATIONS[1]


def _gru_unit(x, h, w, b=None, activation=2, gate_activation=1, origin_mode=False):
    size = h.shape[1]
    squash, act = ACTIVATIONS[gate_activation], ACTIVATIONS[activation]
    flat = w.reshape(-1)
    gates = flat[: 2 * size**2].reshape(size, 2 * size)
    candidate = flat[2 * size**2 :].reshape(size, size)
    x = x if b is None else x + b
    both = squash(x[:, : 2 * size] + h @ gates)
    u, r = both[:, :size], both[:, size:]
    c = act(x[:, 2 * size :] + (r * h) @ candidate)
    new = u * h + (1 - u) * c if origin_mode else (1 - u) * h + u * c
    return np.concatenate([u, r, c], 1), r * h, new


def _lstm_unit(x, c, forget_bias=0.0):
    i, f, o, g = np.split(x, 4, -1)
    c = _sigmoid(f + forget_bias) * c + _sigmoid(i) * np.tanh(g)
    return c, _sigmoid(o) * np.tanh(c)


def _step(mode, x, h, c, w, r, b, s):
    if mode == "GRU":
        given, own = np.split(x @ w.T + b, 3, -1), np.split(h @ r.T + s, 3, -1)
        reset, update = (_sigmoid(given[k] + own[k]) for k in (0, 1))
        return update * h + (1 - update) * np.tanh(given[2] + reset * own[2]), c
    total = x @ w.T + b + h @ r.T + s
    if mode == "LSTM":
        i, f, g, o = np.split(total, 4, -1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        return _sigmoid(o) * np.tanh(c), c
    return (np.tanh(total) if mode == "RNN_TANH" else np.maximum(total, 0)), c


def _rnn(x, states, weights, lengths=None, mode="RNN_TANH", is_bidirec=False, num_layers=1,
         hidden_size=0, **attrs):  # fmt: skip
    """Direction by direction and step by step; after the end of a sequence nothing changes."""
    ways = 2 if is_bidirec else 1
    half = 2 * num_layers * ways
    lengths = np.full(x.shape[1], x.shape[0]) if lengths is None else lengths
    ends = [s.copy() for s in states]
    for layer in range(num_layers):
        outs = []
        for way in range(ways):
            k = layer * ways + way
            w, r = weights[2 * k : 2 * k + 2]
            b, s = weights[half + 2 * k : half + 2 * k + 2] if len(weights) > half else (0, 0)
            h, c = ends[0][k], ends[-1][k]
            out = np.zeros((*x.shape[:2], hidden_size))
            for t in range(len(x))[:: -1 if way else 1]:
                live = (t < lengths)[:, None]
                new_h, new_c = _step(mode, x[t], h, c, w, r, b, s)
                h, c = np.where(live, new_h, h), np.where(live, new_c, c)
                out[t] = np.where(live, h, 0)
            ends[-1][k], ends[0][k] = c, h
            outs.append(out)
        x = np.concatenate(outs, -1)
    return x, None, ends, None


def _network(mode, note, layers=1, ways=1, lengths=None, biased=True, **options):
    gates, weights, biases = GATES[mode], [], []
    for layer in range(layers):
        for way in range(ways):
            width = SIZE if layer == 0 else HIDDEN * ways
            key = (mode, layer, way)
            weights += [
                f64(gates * HIDDEN, width, low=-0.5, high=0.5, key=(*key, "w")),
                f64(gates * HIDDEN, HIDDEN, low=-0.5, high=0.5, key=(*key, "r")),
            ]
            biases += [f64(gates * HIDDEN, low=-0.5, high=0.5, key=(*key, b)) for b in "bs"]
    count = 2 if mode == "LSTM" else 1
    inputs = {
        "Input": X,
        "WeightList": weights + (biases if biased else []),
        "PreState": [f64(layers * ways, BATCH, HIDDEN, key=k) for k in range(count)],
        "SequenceLength": None if lengths is None else np.int32(lengths),
    }
    attrs = {
        "mode": mode,
        "num_layers": layers,
        "is_bidirec": ways == 2,
        "input_size": SIZE,
        "hidden_size": HIDDEN,
        **options.pop("attrs", {}),
    }
    return Sample("rnn", inputs, attrs, options.pop("ref", _rnn), note=f"{mode}_{note}", **options)


def _dropped(outs, inputs, attrs):
    """The first layer is as it is without dropout; the second one is not."""
    out, ends = outs[0].numpy(), outs[2][0].numpy()
    plain = _rnn(inputs["Input"], inputs["PreState"], inputs["WeightList"], **attrs)
    np.testing.assert_allclose(ends[0], plain[2][0][0], rtol=1e-9)
    assert np.abs(out - plain[0]).max() > 1e-3


GRU = {
    "Input": f64(2, 9, key="gi"),
    "HiddenPrev": f64(2, 3, key="gh"),
    "Weight": f64(3, 9, key="w"),
}

SAMPLES = [
    Sample("gru_unit", GRU | {"Bias": f64(1, 9)}, {}, _gru_unit),
    Sample("gru_unit", GRU, {"origin_mode": True}, _gru_unit, note="origin"),
    Sample("gru_unit", GRU | {"Input": apart(2, 9)}, {"activation": 0, "gate_activation": 2},
           _gru_unit, note="codes"),
    Sample("lstm_unit", {"X": f64(2, 12), "C_prev": f64(2, 3)}, {}, _lstm_unit),
    Sample("lstm_unit", {"X": f64(2, 12), "C_prev": f64(2, 3)}, {"forget_bias": 1.5}, _lstm_unit,
           note="bias"),
    _network("LSTM", "one"),
    _network("LSTM", "deep", layers=2, ways=2),
    _network("LSTM", "lengths", layers=2, ways=2, lengths=[2, 4, 1], static_shape=False),
    _network("GRU", "deep", layers=2, ways=2),
    _network("GRU", "lengths", lengths=[4, 1, 3], static_shape=False),
    _network("GRU", "empty", layers=2, ways=2, lengths=[0, 4, 2], static_shape=False),
    _network("LSTM", "empty", lengths=[3, 0, 0], static_shape=False),
    _network("LSTM", "test", ways=2, attrs={"is_test": True}),
    _network("RNN_TANH", "test", lengths=[0, 4, 2], attrs={"is_test": True}, static_shape=False),
    _network("RNN_TANH", "one"),
    _network("RNN_TANH", "lengths", ways=2, lengths=[1, 2, 3], static_shape=False),
    _network("RNN_RELU", "deep", layers=2, grad=[]),
    _network("LSTM", "no_bias", biased=False),
    _network("GRU", "test", layers=2, attrs={"dropout_prob": 0.5, "is_test": True}),
    _network("GRU", "dropout", layers=2, attrs={"dropout_prob": 0.5}, ref=None, check=_dropped,
             grad=[]),
]  # fmt: skip

_PLAIN = _network("GRU", "plain")
ERRORS = [
    ErrorSample("gru_unit", GRU | {"Weight": f64(3, 8)}, {}, ValueError,
                r"expected Input \[N, 9\]"),
    ErrorSample("gru_unit", GRU, {"activation": 9}, ValueError, "activations are expected"),
    ErrorSample("lstm_unit", {"X": f64(2, 9), "C_prev": f64(2, 3)}, {}, ValueError,
                r"expected X \[N, 12\]"),
    ErrorSample("rnn", _PLAIN.inputs, _PLAIN.attrs | {"mode": "LTSM"}, ValueError,
                "mode is expected to be one of"),
    ErrorSample("rnn", _PLAIN.inputs, _PLAIN.attrs | {"num_layers": 3}, ValueError,
                "expected 12 tensors in WeightList"),
    ErrorSample("rnn", _PLAIN.inputs, _PLAIN.attrs | {"mode": "LSTM"}, ValueError,
                r"expected 2 tensors of shape \[1, 3, 3\]"),
    ErrorSample("rnn", _PLAIN.inputs, _PLAIN.attrs | {"mode": "RNN_RELU"}, ValueError,
                r"expected weights of the shapes \[\[3, 2\]"),
    ErrorSample("rnn", _PLAIN.inputs | {"PreState": [f64(1, 2, 3)]}, _PLAIN.attrs, ValueError,
                r"expected 1 tensors of shape \[1, 3, 3\]"),
    ErrorSample("rnn", _PLAIN.inputs | {"Input": f64(3, 2)}, _PLAIN.attrs, ValueError,
                r"Input is expected to have the shape \[time, batch, size\]"),
    ErrorSample("rnn", _PLAIN.inputs | {"SequenceLength": np.float32([1, 2, 2])}, _PLAIN.attrs,
                ValueError, "SequenceLength is expected to be int32 or int64"),
    ErrorSample("rnn", _PLAIN.inputs | {"SequenceLength": np.int32([1, 5, 2])}, _PLAIN.attrs,
                ValueError, "SequenceLength is expected to hold 3 numbers in"),
]  # fmt: skip
