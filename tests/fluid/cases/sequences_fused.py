"""Operators over sequences without a layer: fused forms that passes for inference write."""

import numpy as np

LENGTHS = [[3, 1, 2]]
ONES = [[1, 1, 1]]


def _wave(*shape, **kwargs):
    start = kwargs.get("start", 0.3)
    return np.sin(np.arange(np.prod(shape)) * 0.7 + start).reshape(shape).astype("float32")


def _appended(fluid, kind, inputs, slots, attrs, levels=("x",)):
    """Appends an operator; returns what is fed and the results of the slots."""
    block = fluid.default_main_program().global_block()
    feeds, named = {}, {}
    for slot, values in inputs.items():
        many = isinstance(values, list)
        made = []
        for i, value in enumerate(values if many else [values]):
            rows, lengths = value if isinstance(value, tuple) else (value, None)
            name = slot.lower() + str(i)
            shape = [None, *rows.shape[1:]] if lengths else list(rows.shape)
            made.append(fluid.data(name, shape, str(rows.dtype), lod_level=len(lengths or ())))
            feeds[name] = value
        named[slot] = made
    outs = {slot: [block.create_var(name="out_" + slot, dtype="float32")] for slot in slots}
    block.append_op(type=kind, inputs=named, outputs=outs, attrs=attrs)
    return feeds, [outs[slot][0] for slot in slots]


def _only(count):
    """Only the first results are of interest; the others are memory for 1.8.5's kernel."""

    def wrap(made):
        return made[0], made[1][:count]

    return wrap


LSTM = ["Hidden", "Cell", "XX", "BatchedInput", "BatchedHidden", "BatchedCell", "ReorderedH0",
        "ReorderedC0"]  # fmt: skip


def _lstm(fluid, attrs, first=False, peepholes=True):
    inputs = {"X": (_wave(6, 3), LENGTHS), "WeightX": _wave(3, 8), "WeightH": _wave(2, 8, start=1)}
    inputs["Bias"] = _wave(1, 14 if peepholes else 8, start=2)
    if first:
        inputs.update(H0=_wave(3, 2), C0=_wave(3, 2, start=2))
    return _only(2)(_appended(fluid, "fusion_lstm", inputs, LSTM + ["CheckedCell"], attrs))


def case_fusion_lstm(fluid):
    return _lstm(fluid, {"use_peepholes": True})


def case_fusion_lstm_first(fluid):
    return _lstm(fluid, {"use_peepholes": False, "is_reverse": True}, True, False)


def case_fusion_lstm_steps(fluid):
    return _lstm(fluid, {"use_peepholes": True, "use_seq": False})


def case_fusion_gru(fluid):
    inputs = {"X": (_wave(6, 3), LENGTHS), "WeightX": _wave(3, 6), "WeightH": _wave(2, 6, start=1)}
    inputs["Bias"] = _wave(1, 6, start=2)
    slots = ["Hidden", "XX", "BatchedInput", "BatchedOut", "ReorderedH0"]
    return _only(1)(_appended(fluid, "fusion_gru", inputs, slots, {}))


def case_fusion_gru_first(fluid):
    inputs = {"X": (_wave(6, 3), LENGTHS), "WeightX": _wave(3, 6), "WeightH": _wave(2, 6, start=1)}
    inputs["H0"] = _wave(3, 2)
    slots = ["Hidden", "XX", "BatchedInput", "BatchedOut", "ReorderedH0"]
    return _only(1)(_appended(fluid, "fusion_gru", inputs, slots, {"is_reverse": True}))


def case_fused_embedding_fc_lstm(fluid):
    inputs = {"Ids": (np.array([[1], [4], [0], [2], [3], [1]]), LENGTHS)}
    inputs.update(Embeddings=_wave(5, 8), WeightH=_wave(2, 8, start=1))
    inputs["Bias"] = _wave(1, 8, start=2)
    return _only(2)(
        _appended(fluid, "fused_embedding_fc_lstm", inputs, LSTM, {"use_peepholes": False})
    )


def case_fused_embedding_seq_pool(fluid):
    inputs = {"Ids": (np.array([[1], [4], [0], [2], [3], [1]]), [[3, 1, 2]]), "W": _wave(5, 4)}
    return _appended(fluid, "fused_embedding_seq_pool", inputs, ["Out"], {"combiner": "sum"})


def case_fusion_seqconv(fluid):
    inputs = {"X": (_wave(6, 3), LENGTHS), "Filter": _wave(9, 4), "Bias": _wave(1, 4)}
    attrs = {"contextLength": 3, "contextStart": -1, "contextStride": 1}
    return _only(1)(
        _appended(fluid, "fusion_seqconv_eltadd_relu", inputs, ["Out", "ColMat"], attrs)
    )


def case_fusion_seqexpand(fluid):
    inputs = {
        "X": [(_wave(6, 3), LENGTHS), (_wave(3, 2), ONES), (_wave(3, 1), ONES)],
        "FCWeight": _wave(6, 4),
    }
    inputs["FCBias"] = _wave(1, 4)
    attrs = {"fc_activation": "tanh"}
    return _only(1)(_appended(fluid, "fusion_seqexpand_concat_fc", inputs, ["Out", "FCOut"], attrs))


def case_fusion_seqpool(fluid):
    inputs = {"X": [(_wave(6, 8), LENGTHS), (_wave(4, 8), [[2, 1, 1]])]}
    return _appended(fluid, "fusion_seqpool_concat", inputs, ["Out"], {"pooltype": "SQRT"})


def case_fusion_seqpool_cvm(fluid):
    inputs = {"X": [(_wave(6, 8) + 2, LENGTHS), (_wave(4, 8) + 2, [[2, 1, 1]])]}
    inputs["CVM"] = np.ones([3, 2], "float32")
    return _appended(fluid, "fusion_seqpool_cvm_concat", inputs, ["Out"], {"pooltype": "SUM"})


def case_attention_lstm(fluid):
    inputs = {"X": (_wave(6, 3), LENGTHS), "C0": _wave(3, 2, start=1)}
    inputs.update(AttentionWeight=_wave(5, 1), AttentionBias=_wave(1, 1))
    inputs.update(LSTMWeight=_wave(5, 8), LSTMBias=_wave(1, 8))
    slots = ["Hidden", "Cell", "AttentionedX", "AttentionFCOut", "LSTMX", "LSTMOUT"]
    return _only(2)(_appended(fluid, "attention_lstm", inputs, slots, {}))


def case_attention_lstm_scaled(fluid):
    inputs = {"X": (_wave(6, 3), LENGTHS), "C0": _wave(3, 2, start=1), "H0": _wave(3, 2)}
    inputs.update(AttentionWeight=_wave(5, 1), AttentionScalar=np.full([1, 1], 0.7, "float32"))
    inputs.update(AttentionScalarBias=np.full([1, 1], 0.2, "float32"))
    inputs.update(LSTMWeight=_wave(5, 8), LSTMBias=_wave(1, 8))
    slots = ["Hidden", "Cell", "AttentionedX", "AttentionFCOut", "LSTMX", "LSTMOUT"]
    return _only(2)(_appended(fluid, "attention_lstm", inputs, slots, {}))


def case_sequence_topk_avg_pooling(fluid):
    inputs = {"X": (_wave(22, 1), [[12, 10]]), "ROW": (_wave(7, 1), [[2, 5]])}
    inputs["COLUMN"] = (_wave(4, 1), [[3, 1]])
    attrs = {"topks": [1, 3], "channel_num": 2}
    feeds, outs = _appended(fluid, "sequence_topk_avg_pooling", inputs, ["Out", "pos"], attrs)
    fluid.default_main_program().global_block().var("out_pos").stop_gradient = True
    return feeds, outs[:1]


case_sequence_topk_avg_pooling.grad = ["x0"]

for _name, _case in list(globals().items()):
    if _name.startswith("case_"):
        _case.variables = False  # what 1.8.5's kernels need for themselves has other shapes
        if _name not in ("case_sequence_topk_avg_pooling", "case_fused_embedding_seq_pool"):
            _case.grad = False
