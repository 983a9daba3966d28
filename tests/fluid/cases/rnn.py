"""Cells, rnn, decoders over padded sequences, and contrib's networks of units."""

import numpy as np


def _numbers(*shape):
    n = int(np.prod(shape))
    return np.sin(np.arange(n) * 0.7 + 0.3).reshape(shape).astype("float32")


def case_lstm_cell(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 3, 4], "float32")
    lengths = fluid.data("lengths", [None], "int32")
    out, (hidden, cell) = L.rnn(L.LSTMCell(5), x, sequence_length=lengths)
    return {"x": _numbers(2, 3, 4), "lengths": np.array([2, 3], "int32")}, [out, hidden, cell]


def case_gru_cell_back(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 3, 4], "float32")
    start = fluid.data("start", [None, 5], "float32")
    out, last = L.rnn(L.GRUCell(5), x, initial_states=start, is_reverse=True)
    return {"x": _numbers(2, 3, 4), "start": _numbers(2, 5)}, [out, last]


def case_gru_cell_time_major(fluid):
    L = fluid.layers
    x = fluid.data("x", [3, None, 4], "float32")
    lengths = fluid.data("lengths", [None], "int64")
    cell = L.GRUCell(5, fluid.ParamAttr(name="weight"), fluid.ParamAttr(name="bias"))
    out, last = L.rnn(cell, x, sequence_length=lengths, time_major=True, is_reverse=True)
    return {"x": _numbers(3, 2, 4), "lengths": np.array([1, 3])}, [out, last]


def case_own_cell(fluid):
    L = fluid.layers

    class Sums(L.RNNCell):
        def call(self, inputs, states):
            new = {"a": states["a"] + inputs, "b": L.tanh(states["b"] * inputs + 1.0)}
            return L.elementwise_add(new["a"], new["b"]), new

        @property
        def state_shape(self):
            return {"a": [4], "b": [4]}

    x = fluid.data("x", [2, 3, 4], "float32")
    out, last = L.rnn(Sums(), x)
    return {"x": _numbers(2, 3, 4)}, [out, last["a"], last["b"]]


def _embedded(fluid):
    attr = fluid.ParamAttr(name="words")
    return lambda ids: fluid.embedding(ids, [7, 5], param_attr=attr)


def _logits(fluid):
    attr, bias = fluid.ParamAttr(name="out_w"), fluid.ParamAttr(name="out_b")
    return lambda x: fluid.layers.fc(
        x, 7, num_flatten_dims=len(x.shape) - 1, param_attr=attr, bias_attr=bias
    )


def _beams(fluid, **kwargs):
    L = fluid.layers
    start = fluid.data("start", [None, 5], "float32")
    decoder = L.BeamSearchDecoder(
        L.GRUCell(5), start_token=0, end_token=1, beam_size=3,
        embedding_fn=_embedded(fluid), output_fn=_logits(fluid),
    )  # fmt: skip
    ids, states, lengths = L.dynamic_decode(
        decoder, inits=start, max_step_num=4, return_length=True, **kwargs
    )
    feeds = {"start": _numbers(2, 5) * 3}
    return feeds, [ids, lengths, states.log_probs, states.lengths, states.finished]


def case_beam_search_decoder(fluid):
    return _beams(fluid)


def case_beam_search_decoder_test(fluid):
    return _beams(fluid, is_test=True, output_time_major=True)


def case_greedy(fluid):
    L = fluid.layers
    start = fluid.data("start", [None, 5], "float32")
    first = fluid.data("first", [None], "int64")
    helper = L.GreedyEmbeddingHelper(_embedded(fluid), first, 1)
    decoder = L.BasicDecoder(L.GRUCell(5), helper, output_fn=_logits(fluid))
    out, last = L.dynamic_decode(decoder, inits=start, max_step_num=4)
    feeds = {"start": _numbers(3, 5), "first": np.array([0, 2, 3])}
    return feeds, [out.cell_outputs, out.sample_ids, last]


def _training(fluid, **kwargs):
    L = fluid.layers
    start = fluid.data("start", [None, 5], "float32")
    x = fluid.data("x", [None, 3, 4], "float32")
    lengths = fluid.data("lengths", [None], "int64")
    helper = L.TrainingHelper(x, lengths)
    decoder = L.BasicDecoder(L.GRUCell(5), helper, output_fn=_logits(fluid))
    out, last, found = L.dynamic_decode(decoder, inits=start, return_length=True, **kwargs)
    feeds = {"start": _numbers(2, 5), "x": _numbers(2, 3, 4), "lengths": np.array([2, 3])}
    return feeds, [out.cell_outputs, last, found]


def case_training_helper(fluid):
    return _training(fluid)


def case_training_helper_imputed(fluid):
    return _training(fluid, impute_finished=True)


def case_basic_gru(fluid):
    x = fluid.data("x", [None, 3, 4], "float32")
    start = fluid.data("start", [4, None, 5], "float32")
    lengths = fluid.data("lengths", [None], "int32")
    out, last = fluid.contrib.layers.basic_gru(
        x, start, 5, num_layers=2, sequence_length=lengths, bidirectional=True
    )
    feeds = {"x": _numbers(2, 3, 4), "start": _numbers(4, 2, 5)}
    feeds["lengths"] = np.array([2, 3], "int32")
    return feeds, [out, last]


def case_basic_lstm(fluid):
    x = fluid.data("x", [3, None, 4], "float32")
    out, hidden, cell = fluid.contrib.layers.basic_lstm(
        x, None, None, 5, num_layers=2, batch_first=False,
        param_attr=fluid.ParamAttr(name="weight"), bias_attr=fluid.ParamAttr(name="bias"),
    )  # fmt: skip
    return {"x": _numbers(3, 2, 4)}, [out, hidden, cell]


def case_basic_gru_named(fluid):
    x = fluid.data("x", [None, 3, 4], "float32")
    attrs = fluid.ParamAttr(name="weight"), fluid.ParamAttr(name="bias")
    out, last = fluid.contrib.layers.basic_gru(
        x, None, 5, batch_first=False, bidirectional=True, param_attr=attrs[0], bias_attr=attrs[1]
    )
    return {"x": _numbers(3, 3, 4)}, [out, last]


for _name in ("beam_search_decoder", "beam_search_decoder_test", "greedy"):
    vars()["case_" + _name].grad = False
for _name in ("beam_search_decoder", "beam_search_decoder_test"):  # counters of `expand`
    vars()["case_" + _name].program = False
del _name
